// Complex DOT, GEMV, NRM2 and ASUM: arguments, increments, special values of one component, reports.
#include <complex>
#include <functional>

#include "api.hpp"

namespace {

using Number = std::complex<double>;

/// Small integers, so that every mode's answer is exact.
std::vector<Number> integers(std::size_t count, int seed) {
  std::vector<Number> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int number = static_cast<int>(i) * 7 + seed;
    x[i] = {static_cast<double>(number % 9 - 4), static_cast<double>(number % 5 - 2)};
  }
  return x;
}

/// BLAS's element i of n.
std::size_t place(std::int64_t i, std::int64_t n, std::int64_t increment) {
  return static_cast<std::size_t>(increment < 0 ? (i - n + 1) * increment : i * increment);
}

struct GemvArguments {
  accublas_layout layout = ACCUBLAS_COL_MAJOR;
  accublas_transpose trans = ACCUBLAS_CONJ_TRANS;
  std::int64_t m = 5, n = 7, lda = 8, incx = 1, incy = 1;
  const Number *alpha, *a, *x, *beta;
  Number* y;
  accublas_status run(accublas_context* context) const {
    return accublas_zgemv(context, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
  }
};

}  // namespace

TEST(ComplexVectors, BadArguments) {
  api::Context context;
  const std::vector<Number> a(64, 1), x(16, 2);
  std::vector<Number> y(16, 3);
  const Number one = 1;
  GemvArguments good{.alpha = &one, .a = a.data(), .x = x.data(), .beta = &one, .y = y.data()};
  const auto named = [&](accublas_status status, const char* name) {
    EXPECT_EQ(status, ACCUBLAS_ERROR_ARGUMENT) << name;
    EXPECT_NE(context.error().find(std::string("argument ") + name + " "), std::string::npos) << context.error();
    EXPECT_EQ(y, std::vector<Number>(16, 3)) << name;
  };
  const auto bad = [&](const char* name, const std::function<void(GemvArguments&)>& spoil) {
    GemvArguments call = good;
    spoil(call);
    named(call.run(context), name);
  };
  bad("layout", [](auto& c) { c.layout = 103; });
  bad("trans", [](auto& c) { c.trans = 114; });
  bad("m", [](auto& c) { c.m = -1; });
  bad("n", [](auto& c) { c.n = -1; });
  bad("lda", [](auto& c) { c.lda = 4; });
  bad("lda", [](auto& c) { c.layout = ACCUBLAS_ROW_MAJOR, c.lda = 6; });
  bad("incx", [](auto& c) { c.incx = 0; });
  bad("incy", [](auto& c) { c.incy = 0; });
  bad("alpha", [](auto& c) { c.alpha = nullptr; });
  bad("beta", [](auto& c) { c.beta = nullptr; });
  bad("a", [](auto& c) { c.a = nullptr; });
  bad("x", [](auto& c) { c.x = nullptr; });
  bad("y", [](auto& c) { c.y = nullptr; });
  named(accublas_zdotu(context, 3, nullptr, 1, x.data(), 1, y.data()), "x");
  named(accublas_zdotc(context, 3, x.data(), 1, nullptr, 1, y.data()), "y");
  named(accublas_zdotc(context, 3, x.data(), 1, x.data(), 1, nullptr), "result");
  named(accublas_dznrm2(context, 3, nullptr, 1, &reinterpret_cast<double*>(y.data())[0]), "x");
  named(accublas_dzasum(context, 3, x.data(), 1, nullptr), "result");
}

TEST(ComplexVectors, IncrementsAndTranspositions) {
  api::Context context;
  constexpr std::int64_t n = 70, m = 41;
  const std::vector<Number> x = integers(3 * n, 1), y = integers(3 * n, 4), a = integers(80 * 80, 2);
  for (const std::string& mode : api::modes()) {
    ASSERT_EQ(accublas_set_mode_name(context, mode.c_str()), ACCUBLAS_SUCCESS);
    for (const std::int64_t incx : {1, 2, -1, -3, 0})
      for (const std::int64_t incy : {1, -2, 0}) {
        Number plain, conjugated, got;
        for (std::int64_t i = 0; i < n; ++i) {
          plain += x[place(i, n, incx)] * y[place(i, n, incy)];
          conjugated += std::conj(x[place(i, n, incx)]) * y[place(i, n, incy)];
        }
        ASSERT_EQ(accublas_zdotu(context, n, x.data(), incx, y.data(), incy, &got), ACCUBLAS_SUCCESS);
        EXPECT_EQ(got, plain) << mode << " " << incx << " " << incy;
        ASSERT_EQ(accublas_zdotc(context, n, x.data(), incx, y.data(), incy, &got), ACCUBLAS_SUCCESS);
        EXPECT_EQ(got, conjugated) << mode << " " << incx << " " << incy;
      }
    for (const accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR})
      for (const accublas_transpose trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS})
        for (const std::int64_t increment : {1, -2})
          for (const Number alpha : {Number{1, 0}, Number{2, -3}})
            for (const Number beta : {Number{0, 0}, Number{0, 2}}) {
              const bool transposed = trans != ACCUBLAS_NO_TRANS;
              const std::int64_t rows = transposed ? n : m, cols = transposed ? m : n;
              std::vector<Number> got = y, expected = y;
              for (std::int64_t i = 0; i < rows; ++i) {
                Number sum;
                for (std::int64_t j = 0; j < cols; ++j) {
                  const std::int64_t r = transposed ? j : i, c = transposed ? i : j;
                  const Number entry =
                      a[static_cast<std::size_t>(layout == ACCUBLAS_COL_MAJOR ? r + 75 * c : r * 75 + c)];
                  sum += (trans == ACCUBLAS_CONJ_TRANS ? std::conj(entry) : entry) * x[place(j, cols, increment)];
                }
                Number& out = expected[place(i, rows, -increment)];
                out = alpha * sum + beta * out;
              }
              ASSERT_EQ(accublas_zgemv(context, layout, trans, m, n, &alpha, a.data(), 75, x.data(), increment, &beta,
                                       got.data(), -increment),
                        ACCUBLAS_SUCCESS)
                  << context.error();
              EXPECT_EQ(got, expected) << mode << " " << layout << " " << trans << " " << alpha << beta;
            }
  }
  for (const std::string& mode : api::norm_modes()) {
    ASSERT_EQ(accublas_set_mode_name(context, mode.c_str()), ACCUBLAS_SUCCESS);
    for (const std::int64_t increment : {1, 2, -3, 0}) {
      const std::vector<Number> same(12, {3, -4});
      double norm = 0, sum = 0;
      ASSERT_EQ(accublas_dznrm2(context, 4, same.data(), increment, &norm), ACCUBLAS_SUCCESS);
      ASSERT_EQ(accublas_dzasum(context, 4, same.data(), increment, &sum), ACCUBLAS_SUCCESS);
      EXPECT_EQ(norm, 10) << mode << " " << increment;
      EXPECT_EQ(sum, 28) << mode << " " << increment;
    }
  }
}

/// (Inf + i)(2 + 0i): Inf times 0 concerns the imaginary part alone.
TEST(ComplexVectors, SpecialValuesOfOneComponent) {
  api::Context context;
  const double infinity = std::numeric_limits<double>::infinity();
  const Number x{infinity, 1}, y{2, 0}, one = 1, zero = 0;
  for (const char* mode : {"dp:repro", "fixed:50", "slices:6", "dot2", "cr"}) {
    ASSERT_EQ(accublas_set_mode_name(context, mode), ACCUBLAS_SUCCESS);
    Number dot, gemv;
    ASSERT_EQ(accublas_zdotu(context, 1, &x, 1, &y, 1, &dot), ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_zgemv(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, 1, 1, &one, &x, 1, &y, 1, &zero, &gemv, 1),
              ACCUBLAS_SUCCESS);
    for (const Number& result : {dot, gemv}) {
      EXPECT_EQ(result.real(), infinity) << mode;
      EXPECT_TRUE(std::isnan(result.imag()) && !std::signbit(result.imag())) << mode;
    }
  }
}

/// Any workspace and number of threads gives the bits, and the report tells of complex numbers.
TEST(ComplexVectors, WorkspaceThreadsReport) {
  api::Context context;
  constexpr std::int64_t n = 60000;
  std::mt19937_64 random(1);
  std::vector<Number> x(n), y(n);
  const auto draw = [&] { return std::ldexp(static_cast<double>(random()) - 0x1p63, static_cast<int>(random() % 80)); };
  for (std::int64_t i = 0; i < n; ++i) x[i] = {draw(), draw()}, y[i] = {draw(), draw()};
  for (const char* mode : {"dp:repro", "fixed:50", "dot2", "cr"}) {
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.mode_name = mode;
    Number at_once;
    ASSERT_EQ(accublas_zdotc_ex(context, n, x.data(), 1, y.data(), -1, &at_once, &options), ACCUBLAS_SUCCESS);
    accublas_report_t report{};
    report.struct_size = sizeof report;
    ASSERT_EQ(accublas_report(context, &report), ACCUBLAS_SUCCESS);
    EXPECT_STREQ(report.routine, "zdotc");
    EXPECT_EQ(report.k, n);
    for (const std::int64_t bytes : {std::int64_t{1} << 20, std::int64_t{1} << 24})
      for (const int threads : {1, 3}) {
        options.workspace_bytes = bytes;
        options.num_threads = threads;
        Number got;
        ASSERT_EQ(accublas_zdotc_ex(context, n, x.data(), 1, y.data(), -1, &got, &options), ACCUBLAS_SUCCESS)
            << context.error();
        EXPECT_EQ(got, at_once) << mode << " " << bytes << " " << threads;
      }
  }
  double norm = 0;
  ASSERT_EQ(accublas_set_mode_name(context, "cr"), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_dznrm2(context, n, x.data(), 1, &norm), ACCUBLAS_SUCCESS);
  accublas_report_t report{};
  report.struct_size = sizeof report;
  ASSERT_EQ(accublas_report(context, &report), ACCUBLAS_SUCCESS);
  EXPECT_STREQ(report.routine, "dznrm2");
  EXPECT_EQ(report.k, n);
  EXPECT_EQ(report.bound_relative, 0x1p-53);
  double of_components = 0;
  ASSERT_EQ(accublas_dnrm2(context, 2 * n, &reinterpret_cast<const double*>(x.data())[0], 1, &of_components),
            ACCUBLAS_SUCCESS);
  EXPECT_EQ(norm, of_components);
}
