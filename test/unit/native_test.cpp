// Engine native against a plain loop: every layout, stride and block edge, within the componentwise bound that the
// engine reports; what must not be written is not; what BLAS can read is not copied.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/lapack_calls.hpp"
#include "lib/cpu/real_blas.hpp"

namespace accublas::cpu {
namespace {

class Call {
 public:
  explicit Call(std::size_t cap = std::size_t{256} << 20) : workspace_(cap, nullptr, 0) {}
  accublas_report_t report{};
  Execution execution{2, Isa::baseline, workspace_, report};

 private:
  Workspace workspace_;
};

/// A matrix inside a buffer of its own, with any strides; everything else in the buffer is a canary.
template <class T>
struct Stored {
  std::vector<T> buffer;
  Matrix<T> view;
  Matrix<const T> constant() const { return {view.data, view.row_stride, view.col_stride}; }
};

template <class T>
Stored<T> store(Index rows, Index cols, Index row_stride, Index col_stride, double phi, std::mt19937_64& rng) {
  const auto low = [](Index n, Index stride) { return stride < 0 ? (n - 1) * -stride : 0; };
  const auto high = [](Index n, Index stride) { return stride > 0 ? (n - 1) * stride : 0; };
  const Index below = low(rows, row_stride) + low(cols, col_stride);
  Stored<T> s{std::vector<T>(static_cast<std::size_t>(below + high(rows, row_stride) + high(cols, col_stride) + 5)),
              {}};
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  std::normal_distribution<double> normal;
  for (T& x : s.buffer) x = static_cast<T>(uniform(rng) * std::exp(phi * normal(rng)));
  s.view = {s.buffer.data() + below + 2, row_stride, col_stride};
  return s;
}

/// abs(c - exact) <= bound of the report, with the exact value from 64-bit (for s: 53-bit) arithmetic.
template <class T>
void expect_close(T c, long double exact, long double magnitude, const accublas_report_t& report) {
  const long double allowed = magnitude * report.bound_componentwise * (1 + 1e-2L) + report.bound_absolute;
  EXPECT_LE(std::fabs(static_cast<long double>(c) - exact), allowed) << c << " for " << exact;
}

template <class T>
class Native : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Native, Types);

template <class T>
void check_gemm(Index m, Index n, Index k, const Stored<T>& a, const Stored<T>& b, Stored<T>& c, T alpha, T beta,
                Call& run) {
  const std::vector<T> before = c.buffer;
  native_gemm<T>({m, n, k, alpha, a.constant(), b.constant(), beta, c.view}, run.execution);
  std::vector<bool> written(before.size());
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(&c.view(i, j) - c.buffer.data());
      written[at] = true;
      long double sum = 0, magnitude = 0;
      for (Index p = 0; p < k; ++p) {
        const long double term = static_cast<long double>(a.view(i, p)) * b.view(p, j);
        sum += term, magnitude += std::fabs(term);
      }
      const long double old = beta == T{0} ? 0 : static_cast<long double>(before[at]) * beta;
      expect_close(c.view(i, j), alpha * sum + old, std::fabs(alpha) * magnitude + std::fabs(old), run.report);
    }
  }
  for (std::size_t at = 0; at < before.size(); ++at) {
    if (!written[at]) {
      EXPECT_EQ(std::memcmp(&before[at], &c.buffer[at], sizeof(T)), 0) << "written outside C";
    }
  }
}

TYPED_TEST(Native, GemmInEveryLayout) {
  using T = TypeParam;
  std::mt19937_64 rng(1);
  const Index sizes[][3] = {{1, 1, 1}, {1, 7, 5}, {7, 1, 5}, {7, 5, 1}, {3, 4, 65}, {67, 66, 70}};
  // Strides of a rows x cols matrix; the flag: BLAS can read it as it is.
  struct Layout {
    Index (*row)(Index rows, Index cols);
    Index (*col)(Index rows, Index cols);
    bool direct;
  };
  const Layout layouts[] = {
      {[](Index, Index) -> Index { return 1; }, [](Index r, Index) -> Index { return r; }, true},
      {[](Index, Index) -> Index { return 1; }, [](Index r, Index) -> Index { return r + 3; }, true},
      {[](Index, Index c) -> Index { return c + 2; }, [](Index, Index) -> Index { return 1; }, true},
      {[](Index, Index) -> Index { return 2; }, [](Index r, Index) -> Index { return 2 * r + 1; }, false},
      {[](Index, Index c) -> Index { return -c; }, [](Index, Index) -> Index { return 1; }, false},
      {[](Index, Index) -> Index { return -1; }, [](Index r, Index) -> Index { return -r; }, false},
      {[](Index, Index) -> Index { return 0; }, [](Index, Index) -> Index { return 1; }, false},  // A and B only
      {[](Index, Index) -> Index { return 1; }, [](Index, Index) -> Index { return 1; }, false},  // overlapping columns
      {[](Index, Index) -> Index { return 0; }, [](Index, Index) -> Index { return 0; }, false},
  };
  for (const auto& [m, n, k] : sizes) {
    for (const Layout& la : layouts) {
      for (const Layout& lb : layouts) {
        for (int lc = 0; lc < 6; ++lc) {
          const Layout& l = layouts[lc];
          const auto a = store<T>(m, k, la.row(m, k), la.col(m, k), 2, rng);
          const auto b = store<T>(k, n, lb.row(k, n), lb.col(k, n), 2, rng);
          auto c = store<T>(m, n, l.row(m, n), l.col(m, n), 2, rng);
          Call run;
          check_gemm<T>(m, n, k, a, b, c, T(-1.25), (m + lc) % 2 ? T(0.5) : T(0), run);
          if (la.direct && lb.direct && l.direct) {
            EXPECT_EQ(run.report.copied_bytes, 0);
          }
          if (this->HasFailure()) return;
        }
      }
    }
  }
}

TYPED_TEST(Native, GemmInSmallBlocksUnderTheCap) {
  using T = TypeParam;
  std::mt19937_64 rng(2);
  const Index m = 301, n = 203, k = 257;
  const auto a = store<T>(m, k, 2, 2 * m + 1, 1, rng), b = store<T>(k, n, -n, 1, 1, rng);
  auto c = store<T>(m, n, 3, 3 * m, 1, rng), c_direct = store<T>(m, n, n + 1, 1, 1, rng);
  Call run(std::size_t{3} * 64 * 64 * sizeof(T) + 4096);
  check_gemm<T>(m, n, k, a, b, c, T(2), T(-0.75), run);
  Call other(std::size_t{64} << 10);
  check_gemm<T>(m, n, k, a, b, c_direct, T(2), T(0), other);
}

TYPED_TEST(Native, BetaZeroNeverReadsC) {
  using T = TypeParam;
  std::mt19937_64 rng(3);
  for (const Index row_stride : {Index{1}, Index{2}}) {
    const auto a = store<T>(9, 8, 1, 9, 0, rng), b = store<T>(8, 7, 1, 8, 0, rng);
    auto c = store<T>(9, 7, row_stride, 9 * row_stride, 0, rng);
    for (T& x : c.buffer) x = std::numeric_limits<T>::quiet_NaN();
    Call run;
    native_gemm<T>({9, 7, 8, T(1), a.constant(), b.constant(), T(0), c.view}, run.execution);
    for (Index i = 0; i < 9; ++i) {
      for (Index j = 0; j < 7; ++j) EXPECT_FALSE(std::isnan(c.view(i, j)));
    }
  }
}

TYPED_TEST(Native, GemvAndDotOverAllStrides) {
  using T = TypeParam;
  std::mt19937_64 rng(4);
  const Index far = Index{std::numeric_limits<int>::max()} + 1;
  for (const Index m : {1, 2, 65, 130}) {
    for (const Index k : {1, 3, 64, 201}) {
      const Index strides[][2] = {{1, m},   {1, m + 4}, {k, 1}, {k + 3, 1}, {3, 3 * m + 1},
                                  {-1, -m}, {0, 1},     {1, 0}, {k, -1}};
      int which = 0;
      for (const auto& [row, col] : strides) {
        for (const Index incx : {1, -2, 0, 5}) {
          for (const Index incy : {1, -3}) {
            const T beta = ++which % 3 ? T(-1.5) : T(0);
            const auto a = store<T>(m, k, row, col, 2, rng);
            const auto x = store<T>(k, 1, incx, 0, 2, rng);
            auto y = store<T>(m, 1, incy, 0, 2, rng);
            const auto before = y;
            Call run(which % 2 ? std::size_t{256} << 20 : std::size_t{48} << 10);
            native_gemv<T>({m,
                            k,
                            T(0.75),
                            a.constant(),
                            {x.view.data, k > 1 ? incx : far},
                            beta,
                            {y.view.data, m > 1 ? incy : far}},
                           run.execution);
            for (Index i = 0; i < m; ++i) {
              long double sum = 0, magnitude = 0;
              for (Index p = 0; p < k; ++p) {
                const long double term = static_cast<long double>(a.view(i, p)) * x.view.data[p * incx];
                sum += term, magnitude += std::fabs(term);
              }
              const auto at = static_cast<std::size_t>(&y.view(i, 0) - y.buffer.data());
              const long double old = static_cast<long double>(before.buffer[at]) * beta;
              expect_close(y.view(i, 0), 0.75L * sum + old, 0.75L * magnitude + std::fabs(old), run.report);
              y.buffer[at] = before.buffer[at];
            }
            EXPECT_EQ(std::memcmp(y.buffer.data(), before.buffer.data(), y.buffer.size() * sizeof(T)), 0);
            if (which <= 32 && incx != 0) {
              EXPECT_EQ(run.report.copied_bytes, 0);
            }

            T result = 0;
            Call dot;
            native_dot<T>({k, {x.view.data, incx}, {a.view.data, col}, &result}, dot.execution);
            long double sum = 0, magnitude = 0;
            for (Index p = 0; p < k; ++p) {
              const long double term = static_cast<long double>(x.view.data[p * incx]) * a.view(0, p);
              sum += term, magnitude += std::fabs(term);
            }
            expect_close(result, sum, magnitude, dot.report);
            if (this->HasFailure()) return;
          }
        }
      }
    }
  }
}

// More terms than a 32-bit integer counts, in memory that is never written and so takes no room.
TEST(NativeLarge, InnerDimensionBeyond32Bits) {
  const Index k = (Index{1} << 31) + 5;
  const std::size_t bytes = static_cast<std::size_t>(k) * sizeof(float);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no address space";
  float* const x = static_cast<float*>(memory);
  for (const Index at : {Index{0}, k / 2, k - 60, k - 1}) x[at] = 2;
  Call run;
  float result = 0;
  native_dot<float>({k, {x, 1}, {x, 1}, &result}, run.execution);
  EXPECT_EQ(result, 16);
  native_dot<float>({k, {x + k - 1, -1}, {x + k - 1, -1}, &result}, run.execution);
  EXPECT_EQ(result, 16);
  result = 3;
  native_gemm<float>({1, 1, k, 1, {x, 1, 1}, {x, 1, 1}, 2, {&result, 1, 1}}, run.execution);
  EXPECT_EQ(result, 22);
  EXPECT_EQ(run.report.copied_bytes, 0);
  munmap(memory, bytes);
}

TEST(NativeBlas, ComesFromABlasLibrary) {
  const RealBlas& blas = real_blas();
  ASSERT_NE(blas.library, nullptr);
  constexpr Routine ddot = routine_named("ddot");
  const Index n = 3, one = 1;
  const double x[] = {1, 2, 3}, y[] = {4, 5, 6};
  EXPECT_EQ(blas.call<double>(ddot, n, x, one, y, one), 32);
  Dl_info info;
  ASSERT_NE(dladdr(blas.entries[number_of(ddot)], &info), 0);
  EXPECT_NE(std::strstr(info.dli_fname, "blas"), nullptr) << info.dli_fname;
}

/// Calls a routine of level 3 or LAPACK of order n on a real BLAS. `first` and `second` are its matrices.
template <class E>
void call_on(const RealBlas& blas, Operation kind, accublas_uplo uplo, Index n, std::vector<E>& first,
             std::vector<E>& second) {
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
  const Pivots rows{pivots.data(), blas.narrow_integers};
  for (Index i = 0; i < n; ++i) rows.put(i, i);
  std::vector<E> work(static_cast<std::size_t>(100 * n + 5000)), tau(static_cast<std::size_t>(n), E{0.5});
  if (is_level3(kind)) {
    std::vector<E> b = second;
    Level3<E> l{
        is_symm(kind) || is_in_place(kind)
            ? shape_with_side(kind, is_complex<E>, ACCUBLAS_LEFT, uplo, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, n, n, n,
                              n, n)
            : shape_with_triangle(kind, is_complex<E>, uplo, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, n, n)};
    l.alpha = E{1};
    l.a = first.data(), l.b = b.data(), l.c = second.data();
    call_level3(blas, l);
  } else if (is_orthogonal(kind)) {
    Orthogonal<E> o{{kind, is_complex<E>}};
    o.m = o.n = o.k = o.nrhs = o.lda = o.ldc = n;
    o.a = {first.data(), 1, n}, o.c = {second.data(), 1, n}, o.tau = tau.data();
    o.work = work.data(), o.lwork = static_cast<Index>(work.size());
    call_lapack(blas, o);
  } else {
    Factorization<E> f{{kind, is_complex<E>, uplo}, {first.data(), 1, n}, {second.data(), 1, n}, rows};
    f.m = f.n = f.nrhs = f.lda = f.ldb = n;
    f.work = work.data(), f.lwork = 64 * n;
    call_lapack(blas, f);
  }
}

template <class T>
class NativeWithout : public testing::Test {};
using Elements = testing::Types<double, float, Complex<double>, Complex<float>>;
TYPED_TEST_SUITE(NativeWithout, Elements);

// A routine may be made of several of the real BLAS and LAPACK, each of which may be missing: it is computed by those
// that are there, or refused before anything was written.
TYPED_TEST(NativeWithout, EachRoutineNothingIsWrittenByHalves) {
  using E = TypeParam;
  const RealBlas& whole = real_blas();
  constexpr Index n = 70;
  std::vector<E> a(n * n), b(n * n, E{1});
  for (Index i = 0; i < n * n; ++i) a[static_cast<std::size_t>(i)] = E{static_cast<RealOf<E>>(i % 7) / 64};
  for (Index i = 0; i < n; ++i) a[static_cast<std::size_t>(i * (n + 1))] = E{16};
  const auto same = [](const std::vector<E>& x, const std::vector<E>& y) {
    return std::memcmp(x.data(), y.data(), x.size() * sizeof(E)) == 0;
  };
  int refused = 0;
  for (const Routine routine : all_routines) {
    if (routine.type != type_of<E> || !(is_level3(routine) || is_lapack(routine)) || whole.lacks(routine)) continue;
    for (const accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER}) {
      std::vector<E> wanted_a = a, wanted_b = b;
      call_on(whole, routine, uplo, n, wanted_a, wanted_b);
      for (const Routine missing : all_routines) {
        if (missing.type != type_of<E> || !whole.entries[number_of(missing)]) continue;
        if (!is_level3(missing) && !is_lapack(missing)) continue;
        const std::string what = std::string(routine_name(routine)) + " without " + routine_name(missing);
        RealBlas lacking = whole;
        lacking.entries[number_of(missing)] = nullptr;
        std::vector<E> got_a = a, got_b = b;
        try {
          call_on(lacking, routine, uplo, n, got_a, got_b);
          EXPECT_TRUE(same(got_a, wanted_a) && same(got_b, wanted_b)) << what;
          EXPECT_FALSE(lacking.lacks(routine)) << what;
        } catch (const Error& error) {
          ++refused;
          EXPECT_EQ(error.status(), ACCUBLAS_ERROR_NO_BLAS) << what;
          EXPECT_NE(std::strstr(error.what(), routine_name(missing)), nullptr) << what << ": " << error.what();
          EXPECT_TRUE(same(got_a, a) && same(got_b, b)) << what << ": it was overwritten";
          EXPECT_TRUE(lacking.lacks(routine)) << what;
        }
      }
    }
  }
  if (!whole.lacks({Operation::potri, type_of<E>})) {
    EXPECT_GT(refused, 20);
  }
}

}  // namespace
}  // namespace accublas::cpu
