// Every routine of libaccublas_pblas returns the bits of one call on one process, on every process grid, with every
// block size, offset and source process, in every mode that defines bits. Run by mpirun with 1, 2, 3, 4 and 6 ranks.
// Rank 0 computes what is expected from the whole matrices.
// ACCUBLAS_TEST_DEVICE places local arrays in device memory (device_memory.hpp).
//   bits_test [rounds [seed [factor of the numbers of terms]]]
// With 0 rounds each grid takes half of one: double and complex float, or the other two types, in turn with the next
// mode and the next grid.
#include <dlfcn.h>

#include "test/pblas/calls.hpp"

namespace accublas::test {
inline std::int64_t accumulators = 0, second_rounds = 0, split_syrks = 0;
}

/// The processes that share the terms of a deep product make accumulators by these functions of the library. A
/// program's functions are found before those.
extern "C" {
[[gnu::used]] accublas_status accublas_accumulator_create(accublas_context* ctx, accublas_type type, const char* mode,
                                                          std::int64_t m, std::int64_t n, std::int64_t k,
                                                          const std::int32_t* rows, const std::int32_t* columns,
                                                          std::int32_t bits, accublas_accumulator** made) {
  static const auto real =
      reinterpret_cast<decltype(&accublas_accumulator_create)>(dlsym(RTLD_NEXT, "accublas_accumulator_create"));
  ++accublas::test::accumulators;
  return real(ctx, type, mode, m, n, k, rows, columns, bits, made);
}
[[gnu::used]] accublas_status accublas_accumulator_import(accublas_context* ctx, const void* bytes, std::size_t size,
                                                          accublas_accumulator** made) {
  static const auto real =
      reinterpret_cast<decltype(&accublas_accumulator_import)>(dlsym(RTLD_NEXT, "accublas_accumulator_import"));
  ++accublas::test::second_rounds;
  return real(ctx, bytes, size, made);
}
}

namespace accublas::test {
namespace {

int depth = 1;  ///< multiplies the numbers of terms

/// The product of m x k and k x n matrices. If it is deep, k is much larger than m and n.
template <class E>
void gemm(Call call, bool deep = false) {
  const char ta = call.letter("NTC"), tb = call.letter("NTC");
  const int m = deep ? call.size(1, 9) : call.size(8, 40), n = deep ? call.size(1, 9) : call.size(8, 40),
            k = deep ? call.size(900, 4000) : call.terms<E>(1, 220 * depth, 2);
  auto a = ta == 'N' ? call.matrix<E>(m, k, true, false) : call.matrix<E>(k, m, true, true);
  auto b = tb == 'N' ? call.matrix<E>(k, n, false, true) : call.matrix<E>(n, k, false, false);
  auto c = call.matrix<E>(m, n);
  const E alpha = call.factor<E>(), beta = call.factor<E>();
  a.distribute(), b.distribute(), c.distribute();
  call.expect(c.whole, [&] {
    return typed::gemm(E{}, nullptr, ACCUBLAS_COL_MAJOR, transpose_of(ta), transpose_of(tb), m, n, k, &alpha, a.sub(),
                       a.rows, b.sub(), b.rows, &beta, c.sub(), c.rows);
  });
  call.check(
      deep ? "deep gemm" : "gemm",
      [&] {
        pblas::gemm(E{}, &ta, &tb, &m, &n, &k, &alpha, a.local.data(), &a.i, &a.j, a.desc, b.local.data(), &b.i, &b.j,
                    b.desc, &beta, c.local.data(), &c.i, &c.j, c.desc);
      },
      [&] { return c.differences(); });
}

template <class E>
void symm(Call call, bool hermitian) {
  const char side = call.letter("LR"), uplo = call.letter("UL");
  const int size = call.size(8, 30), order = call.terms<E>(8, 150 * depth, 6), m = side == 'L' ? order : size,
            n = side == 'L' ? size : order;
  auto a = call.matrix<E>(order, order), b = call.matrix<E>(m, n), c = call.matrix<E>(m, n);
  const E alpha = call.factor<E>(), beta = call.factor<E>();
  a.distribute(), b.distribute(), c.distribute();
  const auto expected = [&](auto routine) {
    return routine(E{}, nullptr, ACCUBLAS_COL_MAJOR, side_of(side), uplo_of(uplo), m, n, &alpha, a.sub(), a.rows,
                   b.sub(), b.rows, &beta, c.sub(), c.rows);
  };
  call.expect(c.whole, [&] {
    return hermitian ? expected([](auto... x) { return typed::hemm(x...); })
                     : expected([](auto... x) { return typed::symm(x...); });
  });
  const auto run = [&](auto routine) {
    routine(E{}, &side, &uplo, &m, &n, &alpha, a.local.data(), &a.i, &a.j, a.desc, b.local.data(), &b.i, &b.j, b.desc,
            &beta, c.local.data(), &c.i, &c.j, c.desc);
  };
  call.check(
      hermitian ? "hemm" : "symm",
      [&] { hermitian ? run([](auto... x) { pblas::hemm(x...); }) : run([](auto... x) { pblas::symm(x...); }); },
      [&] { return c.differences(); });
}

/// Factor is the real type for HERK. If the product is deep, k is much larger than n.
template <class E, class Factor>
void syrk(Call call, bool deep = false) {
  constexpr bool hermitian = !std::is_same_v<E, Factor>;
  const char uplo = call.letter("UL"), trans = call.letter(hermitian ? "NC" : is_complex_number<E> ? "NT" : "NTC");
  const int n = deep ? call.size(1, 9) : call.size(8, 60), k = deep ? call.size(900, 4000) : call.terms<E>(1, 180, 2);
  const std::int64_t before = accumulators;
  auto a = trans == 'N' ? call.matrix<E>(n, k) : call.matrix<E>(k, n);
  auto c = call.matrix<E>(n, n);
  const Factor alpha = call.factor<Factor>(), beta = call.factor<Factor>();
  a.distribute(), c.distribute();
  const auto expected = [&](auto routine) {
    return routine(E{}, nullptr, ACCUBLAS_COL_MAJOR, uplo_of(uplo), transpose_of(trans), n, k, &alpha, a.sub(), a.rows,
                   &beta, c.sub(), c.rows);
  };
  call.expect(c.whole, [&] {
    if constexpr (hermitian)
      return expected([](auto... x) { return typed::herk(x...); });
    else
      return expected([](auto... x) { return typed::syrk(x...); });
  });
  const auto run = [&](auto routine) {
    routine(E{}, &uplo, &trans, &n, &k, &alpha, a.local.data(), &a.i, &a.j, a.desc, &beta, c.local.data(), &c.i, &c.j,
            c.desc);
  };
  call.check(
      hermitian ? "herk"
      : deep    ? "deep syrk"
                : "syrk",
      [&] {
        if constexpr (hermitian)
          run([](auto... x) { pblas::herk(x...); });
        else
          run([](auto... x) { pblas::syrk(x...); });
      },
      [&] { return c.differences(); });
  if (deep && accumulators > before) ++split_syrks;
}

template <class E>
void triangular(Call call, bool solve) {
  const char side = call.letter("LR"), uplo = call.letter("UL"), trans = call.letter("NTC"), diag = call.letter("NU");
  const int size = call.size(2, 30), order = solve ? call.size(2, 150 * depth) : call.terms<E>(2, 150 * depth, 6),
            m = side == 'L' ? order : size, n = side == 'L' ? size : order;
  auto a = call.matrix<E>(order, order), b = call.matrix<E>(m, n);
  const E alpha = call.factor<E>();
  a.distribute(), b.distribute();
  const auto expected = [&](auto routine) {
    return routine(E{}, nullptr, ACCUBLAS_COL_MAJOR, side_of(side), uplo_of(uplo), transpose_of(trans), diag_of(diag),
                   m, n, &alpha, a.sub(), a.rows, b.sub(), b.rows);
  };
  call.expect(b.whole, [&] {
    return solve ? expected([](auto... x) { return typed::trsm(x...); })
                 : expected([](auto... x) { return typed::trmm(x...); });
  });
  const auto run = [&](auto routine) {
    routine(E{}, &side, &uplo, &trans, &diag, &m, &n, &alpha, a.local.data(), &a.i, &a.j, a.desc, b.local.data(), &b.i,
            &b.j, b.desc);
  };
  call.check(
      solve ? "trsm" : "trmm",
      [&] { solve ? run([](auto... x) { pblas::trsm(x...); }) : run([](auto... x) { pblas::trmm(x...); }); },
      [&] { return b.differences(); });
}

/// A vector of n elements that lies along a row or a column of its matrix.
template <class E>
struct Vector {
  bool row;
  Distributed<E> matrix;
  int inc;

  Vector(Call& call, int n)
      : row(call.letter("rc") == 'r'), matrix(call.matrix<E>(row ? 1 : n, row ? n : 1)), inc(row ? matrix.rows : 1) {
    // The increment 1 of a matrix with one row means a row.
    if (!row && matrix.rows == 1) row = true;
  }
  std::int64_t stride() const { return row ? matrix.rows : 1; }
  bool has(int grid_row, int grid_col, int n) const {
    const bool of_rows = matrix.row_blocks.has(matrix.i - 1, grid_row),
               of_cols = matrix.col_blocks.has(matrix.j - 1, grid_col);
    if (n == 1 && inc == 1 && matrix.rows == 1) return of_rows && of_cols;
    return row ? of_rows : of_cols;
  }
};

template <class E>
void gemv(Call call) {
  const char trans = call.letter("NTC");
  const int m = call.size(1, 80), n = call.size(1, 80);
  auto a = call.matrix<E>(m, n);
  Vector<E> x(call, trans == 'N' ? n : m), y(call, trans == 'N' ? m : n);
  const E alpha = call.factor<E>(), beta = call.factor<E>();
  a.distribute(), x.matrix.distribute(), y.matrix.distribute();
  call.expect(y.matrix.whole, [&] {
    return typed::gemv(E{}, nullptr, ACCUBLAS_COL_MAJOR, transpose_of(trans), m, n, &alpha, a.sub(), a.rows,
                       x.matrix.sub(), x.stride(), &beta, y.matrix.sub(), y.stride());
  });
  call.check(
      "gemv",
      [&] {
        pblas::gemv(E{}, &trans, &m, &n, &alpha, a.local.data(), &a.i, &a.j, a.desc, x.matrix.local.data(), &x.matrix.i,
                    &x.matrix.j, x.matrix.desc, &x.inc, &beta, y.matrix.local.data(), &y.matrix.i, &y.matrix.j,
                    y.matrix.desc, &y.inc);
      },
      [&] { return y.matrix.differences(); });
}

template <class E>
void dot(Call call, bool conjugated) {
  const int n = call.size(1, 3000);
  Vector<E> x(call, n), y(call, n);
  x.matrix.distribute(), y.matrix.distribute();
  std::vector<E> expected(1);
  call.expect(expected, [&] {
    return conjugated
               ? typed::dotc(E{}, nullptr, n, x.matrix.sub(), x.stride(), y.matrix.sub(), y.stride(), expected.data())
               : typed::dot(E{}, nullptr, n, x.matrix.sub(), x.stride(), y.matrix.sub(), y.stride(), expected.data());
  });
  E result{};
  const auto run = [&](auto routine) {
    routine(E{}, &n, &result, x.matrix.local.data(), &x.matrix.i, &x.matrix.j, x.matrix.desc, &x.inc,
            y.matrix.local.data(), &y.matrix.i, &y.matrix.j, y.matrix.desc, &y.inc);
  };
  call.check(
      "dot", [&] { conjugated ? run([](auto... z) { pblas::dotc(z...); }) : run([](auto... z) { pblas::dot(z...); }); },
      [&] {
        const Grid& g = call.grid;
        const bool wants = x.has(g.row, g.col, n) || y.has(g.row, g.col, n);
        const E want = wants && n > 0 ? expected[0] : E{};
        return static_cast<int>(std::memcmp(&result, &want, sizeof(E)) != 0);
      });
}

template <class E>
void nrm2(Call call) {
  const int n = call.size(1, 3000);
  Vector<E> x(call, n);
  x.matrix.distribute();
  std::vector<RealType<E>> expected(1);
  call.expect(expected, [&] { return typed::nrm2(E{}, nullptr, n, x.matrix.sub(), x.stride(), expected.data()); });
  RealType<E> result = 1;
  call.check(
      "nrm2",
      [&] { pblas::nrm2(E{}, &n, &result, x.matrix.local.data(), &x.matrix.i, &x.matrix.j, x.matrix.desc, &x.inc); },
      [&] {
        const RealType<E> want = x.has(call.grid.row, call.grid.col, n) && n > 0 ? expected[0] : 0;
        return static_cast<int>(std::memcmp(&result, &want, sizeof want) != 0);
      });
}

template <class E>
void all_routines(const Call& call) {
  constexpr bool complex = is_complex_number<E>;
  gemm<E>(call);
  gemm<E>(call, true);
  symm<E>(call, false);
  syrk<E, E>(call);
  syrk<E, E>(call, true);
  triangular<E>(call, false);
  gemv<E>(call);
  dot<E>(call, false);
  if constexpr (complex) {
    symm<E>(call, true);
    syrk<E, RealType<E>>(call);
    dot<E>(call, true);
  }
  if (call.mode.substr(0, 5) == "fixed" || call.mode.substr(0, 6) == "slices") return;  // modes that these lack
  triangular<E>(call, true);
  nrm2<E>(call);
}

/// ScaLAPACK computes a product in dp, and an LU in fixed:60, with the same bits for arrays in device memory.
void handed_over(const Grid& grid, Random& random) {
  Call call{grid, "dp", random, Data::moderate, false, {}, any_flags};
  const int n = 20;
  const double alpha = -1.5, beta = 0.5;
  auto a = call.matrix<double>(n, n), b = call.matrix<double>(n, n), c = call.matrix<double>(n, n);
  Distributed<double> factored(grid, random, n, n, nullptr);
  fill(factored, random, Data::moderate, false, false);
  for (auto* one : {&a, &b, &c, &factored}) one->distribute();
  std::vector<int> ipiv(static_cast<std::size_t>(factored.rows + 64));
  std::vector<double> product, factors;
  for (const bool on_device : {false, true}) {
    const auto run = [&](const char* mode, Distributed<double>& result, std::vector<double>& expected, auto&& routine) {
      accublas_set_mode_name(nullptr, mode);
      result.local = result.before;
      if (!on_device && grid.has_me()) routine(), expected = result.local;
      if (on_device)
        call.check(mode, routine, [&] {
          return std::memcmp(expected.data(), result.local.get().data(), expected.size() * sizeof(double)) != 0 ? 1 : 0;
        });
    };
    run("dp", c, product, [&] {
      pblas::gemm(0.0, "N", "T", &n, &n, &n, &alpha, a.local.data(), &a.i, &a.j, a.desc, b.local.data(), &b.i, &b.j,
                  b.desc, &beta, c.local.data(), &c.i, &c.j, c.desc);
    });
    run("fixed:60", factored, factors, [&] {
      int info = 0;
      pblas::getrf(0.0, &n, &n, factored.local.data(), &factored.i, &factored.j, factored.desc, ipiv.data(), &info);
    });
  }
}

void on_grid(const Grid& grid, int rounds, Random& random) {
  static int grids = 0;
  int place = grids++;
  if (device_memory() != DeviceMemory::none) handed_over(grid, random);
  for (int round = 0; round < std::max(rounds, 1); ++round)
    for (const char* mode : {"cr", "fixed:60", "dp:repro", "dot2", "slices:3"}) {
      if (std::string(mode) == "slices:3" && round % 4 != 0) continue;
      accublas_set_mode_name(nullptr, mode);
      const Call call{grid, mode, random, static_cast<Data>(number(random, 0, data_kinds - 1)), round % 3 == 2, {}};
      const bool whole = rounds > 0, first_half = ++place % 2 != 0;
      if (whole || first_half) all_routines<double>(call);
      if (whole || !first_half) all_routines<std::complex<double>>(call);
      if (round % 2) continue;
      if (whole || !first_half) all_routines<float>(call);
      if (whole || first_half) all_routines<std::complex<float>>(call);
    }
}

}  // namespace
}  // namespace accublas::test

int main(int count, char** arguments) {
  using namespace accublas::test;
  int ranks = 0, devices = 0;
  accublas_device_count(&devices);
  const int status = test_main(count, arguments, 6, depth, on_grid, [&] {
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (std::int64_t* of_all : {&accumulators, &second_rounds, &split_syrks})
      MPI_Allreduce(MPI_IN_PLACE, of_all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return "dp:repro rejected some elements " + std::to_string(partly_rejected) + " times, and all " +
           std::to_string(wholly_rejected) + " times; " + std::to_string(accumulators) + " accumulators, " +
           std::to_string(second_rounds) + " second rounds, " + std::to_string(split_syrks) + " deep SYRKs";
  });
  // Deep products take accumulators, and some of them a second round.
  return status != 0 || (ranks > 1 && devices == 0 && (accumulators == 0 || second_rounds == 0 || split_syrks == 0));
}
