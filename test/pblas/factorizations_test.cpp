// ScaLAPACK's LU, Cholesky's factorization and the solutions by them under libaccublas_pblas. Factors, pivots,
// solutions and info must be those of one call on one process, for all process grids and for random block sizes,
// offsets and source processes. mpirun starts this with 1, 2, 3, 4 and 6 ranks. Rank 0 computes the expected results.
// With ACCUBLAS_TEST_KILL=N a process is killed at its N-th choice of a pivot.
//   factorizations_test [rounds [seed [order]]]
#include <algorithm>
#include <csignal>

#include "test/pblas/calls.hpp"

/// The processes choose pivots by this function of MPI, and gather no other bytes by it.
extern "C" int MPI_Allgather(const void* data, int elements, MPI_Datatype type, void* to, int each, MPI_Datatype of_to,
                             MPI_Comm comm) {
  static const char* const kill = std::getenv("ACCUBLAS_TEST_KILL");
  static int left = kill ? std::atoi(kill) : 0;
  if (type == MPI_BYTE && left > 0 && --left == 0) std::raise(SIGKILL);
  return PMPI_Allgather(data, elements, type, to, each, of_to, comm);
}

namespace accublas::test {
namespace {

int most = 70, failed_factors = 0;  ///< the largest order; calls whose info is not zero

/// ipiv as ScaLAPACK distributes it: a number for each row of a process, tied to the rows of A.
template <class E>
struct LocalPivots {
  const Distributed<E>& a;
  int count;
  std::vector<int> local, before;

  LocalPivots(const Distributed<E>& a, int count) : a(a), count(count) {
    local.assign(static_cast<std::size_t>(a.rows + a.row_blocks.rest), -7);
    before = local;
  }
  /// Writes pivots of the sub-matrix, counted from 1, to the process's array. Pivots are rows of the whole matrix.
  void put(const std::vector<std::int64_t>& pivots) {
    std::size_t at = 0;
    for (int r = 0; r < a.rows; ++r) {
      if (!a.row_blocks.has(r, a.grid.row)) continue;
      const int k = r - (a.i - 1);
      if (k >= 0 && k < count) local[at] = a.i - 1 + static_cast<int>(pivots[static_cast<std::size_t>(k)]);
      ++at;
    }
  }
  int differences(const std::vector<std::int64_t>& pivots) {
    const std::vector<int> result = local;
    local = before;
    put(pivots);
    int count = 0;
    for (std::size_t i = 0; i < local.size(); ++i) count += local[i] != result[i];
    return count;
  }
};

template <class E>
RealType<E> size_of(const E& x) {
  return std::abs(x);
}

/// Makes the sub-matrix, of order n, Hermitian and often positive definite: L L^H for its lower triangle L, which keeps
/// its entries below the diagonal. The diagonal of the product is larger in some cases.
template <class E>
void make_definite(Distributed<E>& a, Random& random, int n) {
  const int which = number(random, 0, 5);
  if (which == 0 || n == 0) return;  // not definite
  std::vector<E> l(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  const auto at = [&](int i, int j) -> E& {
    return l[static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * static_cast<std::size_t>(n)];
  };
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) at(i, j) = i == j && which > 1 ? E(size_of(a.sub(i, j)) * 4) : a.sub(i, j);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      E sum{};
      for (int k = 0; k <= std::min(i, j); ++k) {
        if constexpr (is_complex_number<E>)
          sum += at(i, k) * std::conj(at(j, k));
        else
          sum += at(i, k) * at(j, k);
      }
      if (i == j && which == 2) sum *= E(RealType<E>(1.5));
      a.sub(i, j) = sum;
    }
}

/// Sometimes makes a column of zeros, equal rows or equal columns, so that pivots are zero or tie.
template <class E>
void make_singular(Distributed<E>& a, Random& random, int m, int n) {
  const int which = number(random, 0, 5);
  if (m < 2 || n < 2 || which > 2) return;
  const int at = number(random, 0, (which == 1 ? m : n) - 1), from = number(random, 0, (which == 1 ? m : n) - 1);
  for (int k = 0; k < (which == 1 ? n : m); ++k) {
    if (which == 0) a.sub(k, at) = E{};
    if (which == 1) a.sub(at, k) = a.sub(from, k);
    if (which == 2) a.sub(k, at) = a.sub(k, from);
  }
}

/// Sends rank 0's numbers to all ranks.
template <class T>
void share(std::vector<T>& numbers) {
  MPI_Bcast(numbers.data(), static_cast<int>(numbers.size() * sizeof(T)), MPI_BYTE, 0, MPI_COMM_WORLD);
}
template <class E>
Distributed<E> square(Call& call, int m, int n, const Distributed<E>* like = nullptr) {
  Distributed<E> made(call.grid, call.random, m, n, like);
  fill(made, call.random, call.kind, false, false);
  call.what += " blocks of " + std::to_string(made.row_blocks.rest) + " from " + std::to_string(made.i) + ", " +
               std::to_string(made.j);
  return made;
}

template <class E>
void cholesky(Call call) {
  const char uplo = call.letter("UL");
  const int n = call.size(1, most), nrhs = call.size(1, 9);
  auto a = square<E>(call, n, n), b = square<E>(call, n, nrhs, &a);
  make_definite(a, call.random, n);
  a.distribute(), b.distribute();
  std::vector<std::int64_t> info(1);
  call.expect(a.whole, [&] {
    return typed::potrf(E{}, nullptr, ACCUBLAS_COL_MAJOR, uplo_of(uplo), n, a.sub(), a.rows, info.data());
  });
  share(info);
  failed_factors += info[0] != 0;
  int own_info = -77;
  const auto before = a.local;
  call.check(
      "potrf", [&] { pblas::potrf(E{}, &uplo, &n, a.local.data(), &a.i, &a.j, a.desc, &own_info); },
      [&] { return a.differences() + (own_info != info[0]); });
  if (info[0] == 0) {
    a.distribute();
    call.expect(b.whole, [&] {
      return typed::potrs(E{}, nullptr, ACCUBLAS_COL_MAJOR, uplo_of(uplo), n, nrhs, a.sub(), a.rows, b.sub(), b.rows);
    });
    own_info = -77;
    const auto of_b = b.local;
    call.check(
        "potrs",
        [&] {
          pblas::potrs(E{}, &uplo, &n, &nrhs, a.local.data(), &a.i, &a.j, a.desc, b.local.data(), &b.i, &b.j, b.desc,
                       &own_info);
        },
        [&] { return b.differences() + a.differences() + (own_info != 0); });
    b.local = b.before = of_b;
  }
  // Both in one call. Exceptions are those of the two calls, which were compared.
  a.local = a.before = before;
  own_info = -77;
  call.expected_flags = any_flags;
  call.check(
      "posv",
      [&] {
        pblas::posv(E{}, &uplo, &n, &nrhs, a.local.data(), &a.i, &a.j, a.desc, b.local.data(), &b.i, &b.j, b.desc,
                    &own_info);
      },
      [&] { return b.differences() + a.differences() + (own_info != info[0]); });
}

template <class E>
void lu(Call call) {
  const char trans = call.letter("NTC");
  const bool is_square = call.letter("sr") == 's';
  const int m = call.size(1, most), n = is_square ? m : call.size(1, most), nrhs = call.size(1, 9),
            order = std::min(m, n);
  auto a = square<E>(call, m, n), b = square<E>(call, m, nrhs, &a);
  make_singular(a, call.random, m, n);
  a.distribute(), b.distribute();
  std::vector<std::int64_t> info(1), pivots(static_cast<std::size_t>(order) + 1);
  call.expect(a.whole, [&] {
    return typed::getrf(E{}, nullptr, ACCUBLAS_COL_MAJOR, m, n, a.sub(), a.rows, pivots.data(), info.data());
  });
  share(info), share(pivots);
  failed_factors += info[0] != 0;
  LocalPivots<E> ipiv(a, order);
  int own_info = -77;
  const auto before = a.local;
  call.check(
      "getrf", [&] { pblas::getrf(E{}, &m, &n, a.local.data(), &a.i, &a.j, a.desc, ipiv.local.data(), &own_info); },
      [&] {
        // ScaLAPACK may write more where nothing is to be done.
        const int of_pivots = order > 0 ? ipiv.differences(pivots) : 0;
        return a.differences() + of_pivots + (own_info != info[0]);
      });
  if (!is_square) return;
  const auto of_b = b.local, whole_b = b.whole;
  if (info[0] == 0) {
    a.distribute();
    ipiv.put(pivots);
    call.expect(b.whole, [&] {
      return typed::getrs(E{}, nullptr, ACCUBLAS_COL_MAJOR, transpose_of(trans), n, nrhs, a.sub(), a.rows,
                          pivots.data(), b.sub(), b.rows);
    });
    own_info = -77;
    call.check(
        "getrs",
        [&] {
          pblas::getrs(E{}, &trans, &n, &nrhs, a.local.data(), &a.i, &a.j, a.desc, ipiv.local.data(), b.local.data(),
                       &b.i, &b.j, b.desc, &own_info);
        },
        [&] { return b.differences() + a.differences() + (own_info != 0); });
    if (trans != 'N') {
      b.whole = whole_b;
      call.expect(b.whole, [&] {
        return typed::getrs(E{}, nullptr, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, n, nrhs, a.sub(), a.rows,
                            pivots.data(), b.sub(), b.rows);
      });
    }
  }
  a.local = a.before = before, b.local = b.before = of_b, ipiv.local = ipiv.before;
  own_info = -77;
  call.expected_flags = any_flags;
  call.check(
      "gesv",
      [&] {
        pblas::gesv(E{}, &n, &nrhs, a.local.data(), &a.i, &a.j, a.desc, ipiv.local.data(), b.local.data(), &b.i, &b.j,
                    b.desc, &own_info);
      },
      [&] {
        const int of_pivots = order > 0 ? ipiv.differences(pivots) : 0;
        return b.differences() + a.differences() + of_pivots + (own_info != info[0]);
      });
}

/// Bad arguments have ScaLAPACK's numbers, also if one process alone has them.
void bad_arguments(const Grid& grid) {
  accublas_set_mode_name(nullptr, "cr");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<double> a(4096, 1.0), b(4096, 1.0);
  std::vector<int> ipiv(256);
  struct Arguments {
    int m = 8, n = 8, nrhs = 2, ia = 1, ja = 1, ib = 1;
    int desca[9], descb[9];
  };
  const auto expect = [&](const char* routine, int number, auto&& change, auto&& call) {
    const int desc[] = {1, grid.context, 24, 24, 4, 4, 0, 0, 24};
    Arguments x;
    std::copy(desc, desc + 9, x.desca), std::copy(desc, desc + 9, x.descb);
    change(x);
    int info = 0, differ = 0;
    if (grid.has_me()) call(x, info), differ = info != -number;
    MPI_Allreduce(MPI_IN_PLACE, &differ, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    ++cases, failures += differ > 0;
    if (differ > 0 && rank == 0) std::printf("%s: info is %d, not %d\n", routine, info, -number);
  };
  const int one = 1;
  const auto getrf = [&](Arguments& x, int& info) {
    pblas::getrf(0.0, &x.m, &x.n, a.data(), &x.ia, &x.ja, x.desca, ipiv.data(), &info);
  };
  const auto potrf = [&](Arguments& x, int& info) {
    pblas::potrf(0.0, "U", &x.n, a.data(), &x.ia, &x.ja, x.desca, &info);
  };
  const auto getrs = [&](Arguments& x, int& info) {
    pblas::getrs(0.0, "N", &x.n, &x.nrhs, a.data(), &x.ia, &x.ja, x.desca, ipiv.data(), b.data(), &x.ib, &one, x.descb,
                 &info);
  };
  const auto posv = [&](Arguments& x, int& info) {
    pblas::posv(0.0, "X", &x.n, &x.nrhs, a.data(), &x.ia, &x.ja, x.desca, b.data(), &x.ib, &one, x.descb, &info);
  };
  const bool last = grid.row == grid.rows - 1 && grid.col == grid.cols - 1;
  expect(
      "getrf m", 1, [](Arguments& x) { x.m = -1; }, getrf);
  expect(
      "getrf n", 2, [](Arguments& x) { x.n = -1; }, getrf);
  expect(
      "getrf ia", 4, [](Arguments& x) { x.ia = 2; }, getrf);
  expect(
      "getrf ja", 5, [](Arguments& x) { x.ja = 3; }, getrf);
  expect(
      "getrf nb", 606, [](Arguments& x) { x.desca[5] = 5; }, getrf);
  expect(
      "getrf ld", 609,
      [&](Arguments& x) {
        if (last) x.desca[8] = 0;
      },
      getrf);
  expect(
      "potrf n", 2, [](Arguments& x) { x.n = -1; }, potrf);
  expect(
      "potrf ia", 4, [](Arguments& x) { x.ia = 2; }, potrf);
  expect(
      "potrf nb", 606, [](Arguments& x) { x.desca[5] = 5; }, potrf);
  expect(
      "getrs nrhs", 3, [](Arguments& x) { x.nrhs = -1; }, getrs);
  expect(
      "getrs ib", 10, [](Arguments& x) { x.ib = 2; }, getrs);
  expect(
      "posv uplo", 1, [](Arguments&) {}, posv);
}

template <class E>
void both(const Call& call) {
  cholesky<E>(call);
  lu<E>(call);
}

void on_grid(const Grid& grid, int rounds, Random& random) {
  for (int round = 0; round < rounds; ++round)
    for (const char* mode : {"cr", "dp:repro"}) {
      accublas_set_mode_name(nullptr, mode);
      for (int kind = 0; kind < data_kinds; ++kind) {
        // Large matrices take long where sums cancel or underflow.
        const bool is_large = most > 200;
        if (is_large && static_cast<Data>(kind) != Data::moderate && static_cast<Data>(kind) != Data::integers)
          continue;
        const Call call{grid, mode, random, static_cast<Data>(kind), false, {}};
        both<double>(call);
        if (is_large) continue;
        both<std::complex<double>>(call);
        if (round % 2) continue;
        both<float>(call);
        both<std::complex<float>>(call);
      }
    }
}

}  // namespace
}  // namespace accublas::test

int main(int count, char** arguments) {
  using namespace accublas::test;
  const auto all = [](const Grid& grid, int rounds, Random& random) {
    bad_arguments(grid);
    on_grid(grid, rounds, random);
  };
  const int status = test_main(count, arguments, 1, most, all,
                               [] { return std::to_string(failed_factors) + " factors with info > 0"; });
  return status != 0 || failed_factors == 0;
}
