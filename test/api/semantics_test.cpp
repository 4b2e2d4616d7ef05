// Layouts, transpositions, strides, negative increments, zero sizes and quick returns, in every mode. Data are small
// integers, which every mode computes exactly, so that any difference is one of addressing.
#include <functional>

#include "api.hpp"

namespace {

template <class T>
std::vector<T> integers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> x(count);
  for (T& element : x) element = static_cast<T>(static_cast<int>(random() % 19) - 9);
  return x;
}

template <class T>
class Semantics : public ::testing::Test {};
TYPED_TEST_SUITE(Semantics, api::Types);

}  // namespace

TYPED_TEST(Semantics, GemmLayoutsAndTranspositions) {
  using T = TypeParam;
  for (const std::string& mode : api::modes()) {
    api::Context context(mode);
    for (auto [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1}, {3, 5, 7}, {1, 9, 4}, {9, 1, 4}, {33, 17, 40}})
      for (int row_major : {0, 1})
        for (int ta : {0, 1})
          for (int tb : {0, 1}) {
            const std::int64_t a_rows = ta ? k : m, a_cols = ta ? m : k, b_rows = tb ? n : k, b_cols = tb ? k : n;
            const auto ld = [&](std::int64_t rows, std::int64_t cols) { return (row_major ? cols : rows) + 2; };
            const auto size = [&](std::int64_t rows, std::int64_t cols) {
              return static_cast<std::size_t>(ld(rows, cols) * (row_major ? rows : cols));
            };
            const auto at = [&](std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols) {
              return static_cast<std::size_t>(row_major ? i * ld(rows, cols) + j : i + j * ld(rows, cols));
            };
            const std::vector<T> a = integers<T>(size(a_rows, a_cols), 1), b = integers<T>(size(b_rows, b_cols), 2);
            std::vector<T> c = integers<T>(size(m, n), 3), expected = c;
            const T alpha = -2, beta = 3;
            for (std::int64_t i = 0; i < m; ++i)
              for (std::int64_t j = 0; j < n; ++j) {
                T sum = 0;
                for (std::int64_t p = 0; p < k; ++p)
                  sum += a[ta ? at(p, i, a_rows, a_cols) : at(i, p, a_rows, a_cols)] *
                         b[tb ? at(j, p, b_rows, b_cols) : at(p, j, b_rows, b_cols)];
                T& element = expected[at(i, j, m, n)];
                element = alpha * sum + beta * element;
                if (element == 0) element = 0;  // an exact zero is +0
              }
            ASSERT_EQ(api::gemm(T{}, context, row_major ? ACCUBLAS_ROW_MAJOR : ACCUBLAS_COL_MAJOR,
                                ta ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS, tb ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_NO_TRANS,
                                m, n, k, &alpha, a.data(), ld(a_rows, a_cols), b.data(), ld(b_rows, b_cols), &beta,
                                c.data(), ld(m, n)),
                      ACCUBLAS_SUCCESS)
                << mode << ": " << context.error();
            ASSERT_EQ(c, expected) << mode << " " << m << " " << n << " " << k << " " << row_major << ta << tb;
          }
  }
}

TYPED_TEST(Semantics, GemmStrided) {
  using T = TypeParam;
  constexpr std::int64_t m = 6, n = 5, k = 9, middle = 300;
  const std::vector<T> a = integers<T>(2 * middle, 4), b = integers<T>(2 * middle, 5);
  const std::int64_t strides[][2] = {{1, 6}, {2, 20}, {-1, 12}, {13, -2}, {-11, -1}, {0, 3}, {7, 0}, {0, 0}};
  for (const std::string& mode : api::modes()) {
    api::Context context(mode);
    for (const auto& sa : strides)
      for (const auto& sb : strides)
        for (const auto& sc : {std::array<std::int64_t, 2>{1, 6}, {-2, 20}, {-10, -2}, {3, -40}}) {
          std::vector<T> c = integers<T>(2 * middle, 6), expected = c;
          const T alpha = 3, beta = -1;
          for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
              T sum = 0;
              for (std::int64_t p = 0; p < k; ++p)
                sum += a[static_cast<std::size_t>(middle + i * sa[0] + p * sa[1])] *
                       b[static_cast<std::size_t>(middle + p * sb[0] + j * sb[1])];
              T& element = expected[static_cast<std::size_t>(middle + i * sc[0] + j * sc[1])];
              element = alpha * sum + beta * element;
            }
          ASSERT_EQ(api::gemm_strided(T{}, context, m, n, k, &alpha, a.data() + middle, sa[0], sa[1], b.data() + middle,
                                      sb[0], sb[1], &beta, c.data() + middle, sc[0], sc[1]),
                    ACCUBLAS_SUCCESS)
              << mode << ": " << context.error();
          ASSERT_EQ(c, expected) << mode << " " << sa[0] << " " << sa[1] << " " << sb[0] << " " << sb[1] << " "
                                 << sc[0];
        }
  }
}

TYPED_TEST(Semantics, GemvAndDotIncrements) {
  using T = TypeParam;
  for (const std::string& mode : api::modes()) {
    api::Context context(mode);
    for (auto [m, n] : {std::array<std::int64_t, 2>{1, 1}, {4, 7}, {70, 3}, {5, 300}})
      for (int row_major : {0, 1})
        for (int trans : {0, 1})
          for (std::int64_t incx : {1, -1, 3, -2})
            for (std::int64_t incy : {1, -1, 2, -3}) {
              const std::int64_t outputs = trans ? n : m, terms = trans ? m : n, ld = (row_major ? n : m) + 1;
              const std::vector<T> a = integers<T>(static_cast<std::size_t>(ld * (row_major ? m : n)), 7);
              const std::vector<T> x = integers<T>(static_cast<std::size_t>(1 + (terms - 1) * std::abs(incx)), 8);
              std::vector<T> y = integers<T>(static_cast<std::size_t>(1 + (outputs - 1) * std::abs(incy)), 9),
                             expected = y;
              const auto element = [](std::int64_t i, std::int64_t count, std::int64_t inc) {
                return static_cast<std::size_t>(inc > 0 ? i * inc : (i - count + 1) * inc);
              };
              const T alpha = 2, beta = -3;
              for (std::int64_t i = 0; i < outputs; ++i) {
                T sum = 0;
                for (std::int64_t p = 0; p < terms; ++p) {
                  const std::int64_t row = trans ? p : i, col = trans ? i : p;
                  sum += a[static_cast<std::size_t>(row_major ? row * ld + col : row + col * ld)] *
                         x[element(p, terms, incx)];
                }
                T& out = expected[element(i, outputs, incy)];
                out = alpha * sum + beta * out;
              }
              ASSERT_EQ(api::gemv(T{}, context, row_major ? ACCUBLAS_ROW_MAJOR : ACCUBLAS_COL_MAJOR,
                                  trans ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS, m, n, &alpha, a.data(), ld, x.data(),
                                  incx, &beta, y.data(), incy),
                        ACCUBLAS_SUCCESS)
                  << mode << ": " << context.error();
              ASSERT_EQ(y, expected) << mode << " " << m << "x" << n << " " << row_major << trans << " " << incx << " "
                                     << incy;
            }
    for (std::int64_t n : {1, 2, 33, 1025, 5000})
      for (std::int64_t incx : {1, -1, 0, 3, -2})
        for (std::int64_t incy : {1, -1, 0, 2}) {
          const auto x = integers<T>(static_cast<std::size_t>(1 + (n - 1) * std::abs(incx)), 10);
          const auto y = integers<T>(static_cast<std::size_t>(1 + (n - 1) * std::abs(incy)), 11);
          const auto element = [&](std::int64_t i, std::int64_t inc) {
            return static_cast<std::size_t>(inc >= 0 ? i * inc : (i - n + 1) * inc);
          };
          T expected = 0, result = -1;
          for (std::int64_t i = 0; i < n; ++i) expected += x[element(i, incx)] * y[element(i, incy)];
          ASSERT_EQ(api::dot(T{}, context, n, x.data(), incx, y.data(), incy, &result), ACCUBLAS_SUCCESS)
              << mode << ": " << context.error();
          ASSERT_EQ(result, expected) << mode << " " << n << " " << incx << " " << incy;
        }
  }
}

// Perfect squares: 1 + 3 + 5 + ... as sums of ones, in every order of summation exact.
TYPED_TEST(Semantics, Norms) {
  using T = TypeParam;
  for (const std::string& mode : api::norm_modes()) {
    api::Context context(mode);
    for (std::int64_t root : {1, 2, 5, 32, 70})
      for (std::int64_t inc : {1, -1, 0, 3, -2}) {
        const std::int64_t n = root * root;
        std::vector<T> x(static_cast<std::size_t>(1 + (n - 1) * std::abs(inc)), T(99));
        for (std::int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i * std::abs(inc))] = i % 3 ? T(-2) : T(2);
        T norm = -1, sum = -1;
        ASSERT_EQ(api::nrm2(T{}, context, n, x.data(), inc, &norm), ACCUBLAS_SUCCESS)
            << mode << ": " << context.error();
        EXPECT_EQ(norm, T(2 * root)) << mode << " " << n << " " << inc;
        const accublas_report_t report = context.report();
        EXPECT_STREQ(report.routine, sizeof(T) == 8 ? "dnrm2" : "snrm2");
        EXPECT_EQ(report.k, n);
        EXPECT_LT(report.bound_relative + report.bound_componentwise, 1e-2);
        ASSERT_EQ(api::asum(T{}, context, n, x.data(), inc, &sum), ACCUBLAS_SUCCESS) << mode << ": " << context.error();
        EXPECT_EQ(sum, T(2 * n)) << mode << " " << n << " " << inc;
      }
  }
}

// Squares that overflow, squares that underflow, results that do.
TYPED_TEST(Semantics, NormsOfEveryMagnitude) {
  using T = TypeParam;
  const T max = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::denorm_min(),
          inf = std::numeric_limits<T>::infinity();
  const T big = std::ldexp(T(1), std::numeric_limits<T>::max_exponent - 4);
  struct Row {
    T x, y, nrm2, asum;
  };
  const Row rows[] = {{3 * big, 4 * big, 5 * big, 7 * big},
                      {max, max, inf, inf},
                      {3 * tiny, -4 * tiny, 5 * tiny, 7 * tiny},
                      {max, 0, max, max},
                      {tiny, 0, tiny, tiny},
                      {tiny, tiny, tiny, 2 * tiny},
                      {0, -T(0), 0, 0},
                      {-inf, max, inf, inf},
                      {inf, api::nan_value<T>, api::nan_value<T>, api::nan_value<T>}};
  for (const char* mode : {"dp:repro", "dot2", "cr"}) {
    api::Context context(mode);
    for (const Row& row : rows) {
      const T x[] = {row.x, row.y};
      std::vector<T> got(2), want = {row.nrm2, row.asum};
      ASSERT_EQ(api::nrm2(T{}, context, std::int64_t{2}, x, 1, &got[0]), ACCUBLAS_SUCCESS);
      ASSERT_EQ(api::asum(T{}, context, std::int64_t{2}, x, 1, &got[1]), ACCUBLAS_SUCCESS);
      EXPECT_TRUE(api::same_bits(got, want)) << mode << " " << row.x << " " << row.y << ": " << got[0] << " " << got[1];
    }
  }
}

TYPED_TEST(Semantics, GemvStrided) {
  using T = TypeParam;
  constexpr std::int64_t m = 6, n = 9, middle = 300;
  const std::vector<T> a = integers<T>(2 * middle, 12), x = integers<T>(30, 13);
  for (const std::string& mode : api::modes()) {
    api::Context context(mode);
    for (const auto& sa : {std::array<std::int64_t, 2>{1, 7}, {3, 20}, {-1, 11}, {-9, -1}, {0, 4}, {5, 0}})
      for (std::int64_t incx : {1, -3}) {
        std::vector<T> y = integers<T>(m, 14), expected = y;
        const T alpha = 1, beta = 2;
        for (std::int64_t i = 0; i < m; ++i) {
          T sum = 0;
          for (std::int64_t p = 0; p < n; ++p)
            sum += a[static_cast<std::size_t>(middle + i * sa[0] + p * sa[1])] *
                   x[static_cast<std::size_t>(incx > 0 ? p * incx : (p - n + 1) * incx)];
          expected[static_cast<std::size_t>(i)] = sum + beta * y[static_cast<std::size_t>(i)];
        }
        ASSERT_EQ(api::gemv_strided(T{}, context, m, n, &alpha, a.data() + middle, sa[0], sa[1], x.data(), incx, &beta,
                                    y.data(), std::int64_t{1}),
                  ACCUBLAS_SUCCESS)
            << mode << ": " << context.error();
        ASSERT_EQ(y, expected) << mode << " " << sa[0] << " " << sa[1] << " " << incx;
      }
  }
}

TYPED_TEST(Semantics, NothingIsReadThatHasNoPart) {
  using T = TypeParam;
  const T nan = api::nan_value<T>;
  const std::vector<T> poison(200, nan), ones(200, 1);
  const T zero = 0, one = 1, two = 2;
  for (const std::string& mode : api::modes()) {
    api::Context context(mode);
    const auto gemm = [&](const T& alpha, const T& beta, std::int64_t m, std::int64_t n, std::int64_t k,
                          const std::vector<T>& ab, std::vector<T> c) {
      EXPECT_EQ(api::gemm(T{}, context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, m, n, k, &alpha,
                          ab.data(), std::int64_t{10}, ab.data(), std::int64_t{10}, &beta, c.data(), std::int64_t{10}),
                ACCUBLAS_SUCCESS)
          << mode << ": " << context.error();
      return c;
    };
    const std::vector<T> threes(40, 3);
    const std::vector<T> poisoned(40, nan);
    const auto block = [&](T value, T outside) {  // 4 x 3 elements in columns of 10
      std::vector<T> c(40, outside);
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t i = 0; i < 4; ++i) c[10 * j + i] = value;
      return c;
    };
    // alpha = 0 or k = 0: A and B are not read.
    EXPECT_TRUE(api::same_bits(gemm(zero, two, 4, 3, 5, poison, threes), block(6, 3))) << mode;
    EXPECT_TRUE(api::same_bits(gemm(one, two, 4, 3, 0, poison, threes), block(6, 3))) << mode;
    EXPECT_TRUE(api::same_bits(gemm(zero, zero, 4, 3, 5, poison, poisoned), block(0, nan))) << mode;
    EXPECT_TRUE(api::same_bits(gemm(one, zero, 4, 3, 0, poison, poisoned), block(0, nan))) << mode;
    EXPECT_TRUE(api::same_bits(gemm(zero, -one, 4, 3, 5, poison, std::vector<T>(40, 0)), block(-zero, 0)))
        << mode << " IEEE -1 * 0";
    // Quick returns leave C alone, NaN payload included.
    EXPECT_TRUE(api::same_bits(gemm(zero, one, 4, 3, 5, poison, poisoned), poisoned)) << mode;
    EXPECT_TRUE(api::same_bits(gemm(one, one, 4, 3, 0, poison, poisoned), poisoned)) << mode;
    EXPECT_TRUE(api::same_bits(gemm(one, zero, 0, 3, 5, poison, threes), threes)) << mode;
    EXPECT_TRUE(api::same_bits(gemm(one, zero, 4, 0, 5, poison, threes), threes)) << mode;
    // beta = 0: C is not read; -0 is a zero too.
    EXPECT_TRUE(api::same_bits(gemm(one, zero, 4, 3, 5, ones, poisoned), block(5, nan))) << mode;
    EXPECT_TRUE(api::same_bits(gemm(one, -zero, 4, 3, 5, ones, poisoned), block(5, nan))) << mode;

    const auto gemv = [&](accublas_transpose trans, const T& alpha, const T& beta, std::int64_t m, std::int64_t n,
                          const std::vector<T>& ax, std::vector<T> y) {
      EXPECT_EQ(api::gemv(T{}, context, ACCUBLAS_COL_MAJOR, trans, m, n, &alpha, ax.data(), std::int64_t{10}, ax.data(),
                          std::int64_t{1}, &beta, y.data(), std::int64_t{2}),
                ACCUBLAS_SUCCESS)
          << mode << ": " << context.error();
      return y;
    };
    const std::vector<T> threes_y = {3, 3, 3, 3, 3, 3}, poisoned_y(6, nan);
    EXPECT_TRUE(api::same_bits(gemv(ACCUBLAS_NO_TRANS, zero, two, 3, 5, poison, threes_y), {6, 3, 6, 3, 6, 3})) << mode;
    EXPECT_TRUE(api::same_bits(gemv(ACCUBLAS_NO_TRANS, zero, zero, 3, 5, poison, poisoned_y), {0, nan, 0, nan, 0, nan}))
        << mode;
    EXPECT_TRUE(api::same_bits(gemv(ACCUBLAS_NO_TRANS, one, zero, 3, 5, ones, poisoned_y), {5, nan, 5, nan, 5, nan}))
        << mode;
    EXPECT_TRUE(api::same_bits(gemv(ACCUBLAS_NO_TRANS, zero, one, 3, 5, poison, poisoned_y), poisoned_y)) << mode;
    // Netlib's rule: either dimension 0 leaves y alone, whatever beta.
    for (accublas_transpose trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS}) {
      EXPECT_TRUE(api::same_bits(gemv(trans, one, two, 3, 0, poison, threes_y), threes_y)) << mode;
      EXPECT_TRUE(api::same_bits(gemv(trans, one, two, 0, 3, poison, threes_y), threes_y)) << mode;
    }
  }
}
