// The report's rigorous bound holds, element by element, and a target is kept or refused with the output untouched.
#include "api.hpp"

namespace {

constexpr std::int64_t m = 23, n = 19;

template <class T>
std::vector<T> graded(std::size_t count, double phi, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::normal_distribution<double> normal;
  std::vector<T> x(count);
  for (T& element : x) element = static_cast<T>(uniform(random) * std::exp(phi * normal(random)));
  return x;
}

template <class T>
class Bounds : public ::testing::Test {
 protected:
  std::int64_t k = 0;
  std::vector<T> a, b, c0, exact;  ///< exact: correctly rounded
  std::vector<long double> scale;  ///< abs(alpha) abs(A) abs(B) + abs(beta) abs(C)
  const T alpha = T(-1.75), beta = T(0.375);

  void make(std::int64_t inner, double phi) {
    k = inner;
    a = graded<T>(static_cast<std::size_t>(m * k), phi, 1);
    b = graded<T>(static_cast<std::size_t>(k * n), phi, 2);
    // The second half of the inner dimension takes most of the first half away.
    for (std::int64_t p = 0; p < k / 2; ++p) {
      for (std::int64_t i = 0; i < m; ++i) a[at(i, k / 2 + p, m)] = a[at(i, p, m)];
      for (std::int64_t j = 0; j < n; ++j) b[at(k / 2 + p, j, k)] = -b[at(p, j, k)] * T(1 + 1e-5);
    }
    c0 = graded<T>(m * n, phi, 3);
    for (T& element : c0) element *= T(1e-6);
    scale.assign(m * n, 0);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        long double sum = 0;
        for (std::int64_t p = 0; p < k; ++p)
          sum += std::fabs(static_cast<long double>(a[at(i, p, m)]) * b[at(p, j, k)]);
        scale[at(i, j, m)] = std::fabs(static_cast<long double>(alpha)) * sum +
                             std::fabs(static_cast<long double>(beta) * c0[at(i, j, m)]);
      }
    exact = c0;
    api::Context context("cr");
    ASSERT_EQ(gemm(context, exact), ACCUBLAS_SUCCESS) << context.error();
  }

  static std::size_t at(std::int64_t i, std::int64_t j, std::int64_t ld) {
    return static_cast<std::size_t>(i + j * ld);
  }

  accublas_status gemm(accublas_context* ctx, std::vector<T>& c) {
    return api::gemm(T{}, ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, m, n, k, &alpha, a.data(), m,
                     b.data(), k, &beta, c.data(), m);
  }

  /// The error is measured against the correctly rounded result, which is itself half an ulp off.
  void expect_bound(const accublas_report_t& report, const std::vector<T>& c, const std::string& what) {
    const long double u = std::numeric_limits<T>::epsilon() / 2;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const long double reference = std::fabs(static_cast<long double>(exact[i]));
      const long double error = std::fabs(static_cast<long double>(c[i]) - exact[i]);
      const long double bound = report.bound_relative * reference * (1 + 2 * u) +
                                report.bound_componentwise * scale[i] + report.bound_absolute + u * reference;
      ASSERT_LE(error, bound * (1 + 1e-12L)) << what << " element " << i;
    }
  }
};
TYPED_TEST_SUITE(Bounds, api::Types);

}  // namespace

TYPED_TEST(Bounds, HoldAndAreKeptOrRefusedAsTargets) {
  using T = TypeParam;
  for (double phi : {0.5, 4.0})
    for (std::int64_t k : {2, 100, 700}) {
      this->make(k, phi);
      for (const auto& [mode, engine] : api::gemm_engines()) {
        const std::string what = mode + " " + engine + " k = " + std::to_string(k) + " phi = " + std::to_string(phi);
        api::Context context(mode);
        ASSERT_EQ(accublas_set_engine_name(context, engine.c_str()), ACCUBLAS_SUCCESS);
        std::vector<T> c = this->c0;
        ASSERT_EQ(this->gemm(context, c), ACCUBLAS_SUCCESS) << what << ": " << context.error();
        const accublas_report_t report = context.report();
        this->expect_bound(report, c, what);
        const bool by_data = mode.substr(0, 5) == "fixed" || mode.substr(0, 6) == "slices";
        if (by_data) continue;
        const double u = std::numeric_limits<T>::epsilon() / 2,
                     promised = report.bound_relative + report.bound_componentwise;
        EXPECT_LE(promised, 2 * (static_cast<double>(k) + 3) * u) << what;
        if (mode == "cr") {
          EXPECT_EQ(promised, u) << what;
        }
        EXPECT_EQ(accublas_set_target(context, 0.5 * u), ACCUBLAS_SUCCESS);
        c = this->c0;
        EXPECT_EQ(this->gemm(context, c), ACCUBLAS_ERROR_ACCURACY) << what;
        EXPECT_TRUE(api::same_bits(c, this->c0)) << what;
        EXPECT_EQ(accublas_set_target(context, 1.001 * (static_cast<double>(k) + 3) * u), ACCUBLAS_SUCCESS);
        EXPECT_EQ(this->gemm(context, c), ACCUBLAS_SUCCESS) << what << ": " << context.error();
      }
    }
}

TYPED_TEST(Bounds, MultiwordModes) {
  using T = TypeParam;
  const std::vector<std::string> modes =
      sizeof(T) == 8 ? std::vector<std::string>{"tf64x1", "tf64x3", "tf64x4"}
                     : std::vector<std::string>{"tf32x1", "tf32x3", "tf32x4", "fp16x1", "fp16x3"};
  for (std::int64_t k : {2, 700}) {
    this->make(k, 0.5);
    for (const std::string& mode : modes) {
      const bool scaled = mode.substr(0, 4) != "tf32";  // lines: no componentwise bound
      api::Context context(mode);
      std::vector<T> c = this->c0;
      ASSERT_EQ(this->gemm(context, c), ACCUBLAS_SUCCESS) << mode << ": " << context.error();
      const accublas_report_t report = context.report();
      EXPECT_STREQ(report.engine, "multiword");
      const double promised = report.bound_relative + report.bound_componentwise;
      EXPECT_EQ(std::isinf(promised), scaled) << mode;
      if (!scaled) {
        this->expect_bound(report, c, mode);
        EXPECT_LE(promised, (mode == "tf32x1" ? 0x1.01p-10 : 0x1p-20) + 4.1 * static_cast<double>(k) * 0x1p-23) << mode;
        EXPECT_EQ(accublas_set_target(context, 1.001 * promised), ACCUBLAS_SUCCESS);
        EXPECT_EQ(this->gemm(context, c), ACCUBLAS_SUCCESS) << mode << ": " << context.error();
      }
      EXPECT_EQ(accublas_set_target(context, scaled ? 1e10 : 0.999 * promised), ACCUBLAS_SUCCESS);
      c = this->c0;
      EXPECT_EQ(this->gemm(context, c), ACCUBLAS_ERROR_ACCURACY) << mode;
      EXPECT_TRUE(api::same_bits(c, this->c0)) << mode;
    }
  }
}

// A refused call reports the bound that misses the target.
TYPED_TEST(Bounds, RefusedFixedPointReportsItsBound) {
  using T = TypeParam;
  this->make(100, 0.5);
  for (const accublas_engine engine : {ACCUBLAS_ENGINE_INT8, ACCUBLAS_ENGINE_SUMS}) {
    api::Context context("fixed:20");
    ASSERT_EQ(accublas_set_engine(context, engine), ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_set_target(context, 1e-15), ACCUBLAS_SUCCESS);
    std::vector<T> c = this->c0;
    ASSERT_EQ(this->gemm(context, c), ACCUBLAS_ERROR_ACCURACY) << context.error();
    EXPECT_GT(context.report().bound_componentwise, 1e-15) << engine;
  }
}

TYPED_TEST(Bounds, FixedPointIsJudgedByTheData) {
  using T = TypeParam;
  this->make(100, 0.5);
  for (const char* mode : {"fixed:4", "fixed:20", "fixed:40", "fixed:70", "fixed:110"})
    for (double target : {1e-4, 1e-6, 1e-12, 1e-15}) {
      api::Context context(mode);
      ASSERT_EQ(accublas_set_target(context, target), ACCUBLAS_SUCCESS);
      std::vector<T> c = this->c0;
      const accublas_status status = this->gemm(context, c);
      if (status == ACCUBLAS_SUCCESS) {
        const accublas_report_t report = context.report();
        EXPECT_LE(report.bound_relative + report.bound_componentwise, target) << mode;
        this->expect_bound(report, c, mode);
      } else {
        EXPECT_EQ(status, ACCUBLAS_ERROR_ACCURACY) << mode << ": " << context.error();
        EXPECT_TRUE(api::same_bits(c, this->c0)) << mode;
      }
      if (std::string(mode) == "fixed:4") {
        EXPECT_EQ(status, ACCUBLAS_ERROR_ACCURACY) << target;
      }
      if (std::string(mode) == "fixed:110" && target == 1e-6) {
        EXPECT_EQ(status, ACCUBLAS_SUCCESS) << context.error();
      }
    }
}

TYPED_TEST(Bounds, SlicesRefuseATarget) {
  using T = TypeParam;
  this->make(100, 0.5);
  api::Context context("slices:3");
  ASSERT_EQ(accublas_set_target(context, 1e-3), ACCUBLAS_SUCCESS);
  std::vector<T> c = this->c0;
  EXPECT_EQ(this->gemm(context, c), ACCUBLAS_ERROR_ACCURACY);
  EXPECT_TRUE(api::same_bits(c, this->c0));
}

TYPED_TEST(Bounds, DotAndGemv) {
  using T = TypeParam;
  this->make(700, 2);
  for (const std::string& mode : api::modes()) {
    api::Context context(mode);
    std::vector<T> exact(1), result(1);
    {
      api::Context cr("cr");
      ASSERT_EQ(api::dot(T{}, cr, this->k, this->a.data(), m, this->b.data(), std::int64_t{1}, exact.data()),
                ACCUBLAS_SUCCESS);
    }
    ASSERT_EQ(api::dot(T{}, context, this->k, this->a.data(), m, this->b.data(), std::int64_t{1}, result.data()),
              ACCUBLAS_SUCCESS);
    long double scale = 0;
    for (std::int64_t p = 0; p < this->k; ++p)
      scale += std::fabs(static_cast<long double>(this->a[this->at(0, p, m)]) * this->b[this->at(p, 0, this->k)]);
    const accublas_report_t report = context.report();
    const long double u = std::numeric_limits<T>::epsilon() / 2,
                      reference = std::fabs(static_cast<long double>(exact[0]));
    EXPECT_LE(std::fabs(static_cast<long double>(result[0]) - exact[0]),
              (report.bound_relative + 2 * u) * reference + report.bound_componentwise * scale + report.bound_absolute)
        << mode;
    if (mode == "cr" || mode == "dp:repro") {
      EXPECT_EQ(report.bound_relative + report.bound_componentwise, u) << mode;
    }
  }
}
