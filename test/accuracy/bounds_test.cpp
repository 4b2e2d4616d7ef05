// The promises of the other modes: dp and sp, dot2, fixed:T, slices:D within their bounds, the report's bound rigorous,
// and the bounds not empty words: the largest error measured is not far below them where theory says it need not be.
#include "harness.hpp"
#include "lib/call/mode.hpp"

namespace accuracy {
namespace {

template <class T>
class Bounds : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Bounds, Types);

/// Runs cases of a mode and calls check(problem, report, result, reference, i, j) for every element.
template <class T, class Check>
void each_element(const char* mode, Data kind, double parameter, int cases, unsigned seed, Check&& check,
                  std::initializer_list<Routine> routines = {Routine::gemm, Routine::gemv, Routine::dot}) {
  Random rng(seed);
  Context context;
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.mode_name = mode;
  for (int number = 0; number < scaled(cases); ++number) {
    for (const Routine routine : routines) {
      std::int64_t m, n, k;
      shape(rng, routine, m, n, k);
      if (kind == Data::generated) k = 6 + below(rng, 100);
      // Sums of more terms than those that have cr's values.
      else if (mode == std::string("dp:repro") && number % 3 != 0)
        k += accublas::most_terms_as_cr;
      Gemm<T> g = make<T>(rng, kind, m, n, k, parameter);
      generic_scalars(rng, routine, g);
      std::vector<T> out;
      ASSERT_EQ(context.run(routine, g, out, &options), ACCUBLAS_SUCCESS) << mode << ": " << context.error();
      const accublas_report_t report = context.report();
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          const T result = out[static_cast<std::size_t>(i + j * m)];
          ASSERT_TRUE(std::isfinite(result)) << mode << " " << data_name(kind);
          check(routine, g, report, result, g.exact(i, j), i, j);
          ASSERT_FALSE(testing::Test::HasFailure()) << mode << " " << data_name(kind) << " " << routine_name(routine)
                                                    << " case " << number << " m " << m << " n " << n << " k " << k;
        }
      }
    }
  }
}

/// relative abs(exact) + componentwise magnitude + absolute, rounded up.
Real bound_of(const Reference& r, double relative, double componentwise, double absolute) {
  Real total(r.value), term(r.magnitude);
  total.absolute();
  total.multiply(relative);
  term.multiply(componentwise);
  total.add(term);
  total.add(Real(absolute));
  return total;
}

template <class T>
void expect_report_bound(const accublas_report_t& report, T result, const Reference& r) {
  ASSERT_TRUE(std::isfinite(report.bound_relative) && std::isfinite(report.bound_componentwise) &&
              std::isfinite(report.bound_absolute))
      << report.mode;
  ASSERT_LE(error_of(result, r.value),
            bound_of(r, report.bound_relative, report.bound_componentwise, report.bound_absolute))
      << report.mode << " engine " << report.engine << ": the report promises " << report.bound_relative << ", "
      << report.bound_componentwise << ", " << report.bound_absolute;
}

struct Kind {
  Data data;
  double parameter;
};
const Kind moderate[] = {{Data::phi, 0},     {Data::phi, 0.5},  {Data::phi, 1},
                         {Data::phi, 2},     {Data::phi, 4},    {Data::graded, 0},
                         {Data::halfway, 0}, {Data::cancel, 0}, {Data::generated, 0x1p40}};

// abs(C - exact) <= (k + 3) u (abs(alpha) abs(A) abs(B) + abs(beta) abs(C)) + least subnormal, with and without bits
// promised.
TYPED_TEST(Bounds, DoubleAndSingleGrade) {
  using T = TypeParam;
  for (const char* mode : {"dp", "dp:repro"}) {
    for (const Kind& kind : moderate) {
      each_element<T>(mode, kind.data, kind.parameter, 20, 5,
                      [](Routine, const Gemm<T>& g, const accublas_report_t& report, T x, const Reference& r,
                         std::int64_t, std::int64_t) {
                        ASSERT_LE(error_of(x, r.value),
                                  bound_of(r, 0, (static_cast<double>(g.k) + 3) * unit<T>, least<T>));
                        expect_report_bound(report, x, r);
                      });
    }
  }
}

// Emulation keeps that promise on any finite data, whatever under- and overflows inside.
TYPED_TEST(Bounds, ReproducibleGradeOnAnyData) {
  using T = TypeParam;
  const double phi = std::is_same_v<T, double> ? 10 : 5;
  for (const Kind& kind : {Kind{Data::phi, phi}, Kind{Data::subnormal, 0},
                           Kind{Data::generated, std::is_same_v<T, double> ? 0x1p900 : 0x1p90}}) {
    each_element<T>("dp:repro", kind.data, kind.parameter, 25, 6,
                    [](Routine, const Gemm<T>& g, const accublas_report_t& report, T x, const Reference& r,
                       std::int64_t, std::int64_t) {
                      ASSERT_LE(error_of(x, r.value),
                                bound_of(r, 0, (static_cast<double>(g.k) + 3) * unit<T>, least<T>));
                      expect_report_bound(report, x, r);
                    });
  }
}

// On data without grading the error stays near native's own: (sqrt(k) + 8) u.
TYPED_TEST(Bounds, ReproducibleGradeInPractice) {
  using T = TypeParam;
  for (const double phi : {0.0, 0.5, 1.0}) {
    each_element<T>(
        "dp:repro", Data::phi, phi, 60, 7,
        [](Routine, const Gemm<T>& g, const accublas_report_t&, T x, const Reference& r, std::int64_t, std::int64_t) {
          ASSERT_LE(error_of(x, r.value),
                    bound_of(r, 0, (std::sqrt(static_cast<double>(g.k)) + 8) * unit<T>, least<T>));
        });
  }
}

/// dot2's bound as docs/modes.md states it, written out again.
template <class T>
void dot2_bound(Routine routine, std::int64_t k, double& relative, double& componentwise, double& absolute) {
  const double blocks = std::ceil(static_cast<double>(k) / (routine == Routine::dot ? 1024 : 128));
  const double h = routine == Routine::dot ? 32 + std::ceil(std::log2(blocks)) + 5
                                           : static_cast<double>(std::min<std::int64_t>(k, 128)) + blocks;
  const double u = 0x1p-53, gamma = h * u / (1 - h * u), slack = 1 + 0x1p-40;
  relative = unit<T> * slack;
  componentwise = std::is_same_v<T, double> ? gamma * gamma * slack : gamma * slack;
  absolute = std::is_same_v<T, double> ? 5 * static_cast<double>(k) * 0x1p-1074 : 0;
}

TYPED_TEST(Bounds, Dot2) {
  using T = TypeParam;
  double largest = 0;
  const auto check = [&](Routine routine, const Gemm<T>& g, const accublas_report_t& report, T x, const Reference& r,
                         std::int64_t, std::int64_t) {
    double relative, componentwise, absolute;
    dot2_bound<T>(routine, g.k, relative, componentwise, absolute);
    // alpha scales the absolute part, and the last rounding can lose half the least subnormal.
    absolute = absolute * std::max(1.0, std::fabs(static_cast<double>(g.alpha))) + least<T>;
    ASSERT_LE(error_of(x, r.value), bound_of(r, relative, componentwise, absolute));
    expect_report_bound(report, x, r);
    // This block compares the error that the second term allows with the actual one.
    const Real e = error_of(x, r.value);
    Real rounding(r.value);
    rounding.absolute();
    rounding.multiply(unit<T>);
    Real beyond(e);
    beyond.subtract(rounding);
    const double allowed = r.magnitude.up() * componentwise;
    if (allowed > least<T> * 0x1p20) largest = std::max(largest, beyond.up() / allowed);
  };
  for (const Kind& kind : moderate) each_element<T>("dot2", kind.data, kind.parameter, 20, 8, check);
  each_element<T>("dot2", Data::subnormal, 0, 20, 8, check);
  // Conditions where the second term is all: 1e20 to 1e300.
  for (const double condition : {0x1p70, 0x1p105, 0x1p120, 0x1p300, 0x1p900}) {
    if (std::is_same_v<T, float> && condition > 0x1p105) break;
    each_element<T>("dot2", Data::generated, condition, 20, 9, check);
  }
  testing::Test::RecordProperty("largest_over_bound", std::to_string(largest));
  std::printf("dot2: largest error beyond the last rounding over the bound's second term: %g\n", largest);
  EXPECT_LE(largest, 1);
  EXPECT_GE(largest, 1e-3) << "the bound is no bound of this algorithm's if the error never comes near it";
}

/// The least e with abs(x) < 2^e over k entries.
template <class T>
int exponent_bound(const T* x, std::int64_t k, std::int64_t stride) {
  int e = -5000;
  for (std::int64_t p = 0; p < k; ++p) {
    if (x[p * stride] != 0) e = std::max(e, std::ilogb(x[p * stride]) + 1);
  }
  return e;
}

// fixed:T: with x = a 2^(T-E): abs(sum xy - a'b') <= (sum abs(x) + sum abs(y)) / 2 + k / 4, then one rounding.
TYPED_TEST(Bounds, Fixed) {
  using T = TypeParam;
  for (const int t : {2, 11, 24, 50, 53, 70, 106, 150}) {
    const std::string mode = "fixed:" + std::to_string(t);
    double largest = 0;
    for (const Kind& kind : moderate) {
      each_element<T>(mode.c_str(), kind.data, kind.parameter, 6, 10,
                      [&](Routine, const Gemm<T>& g, const accublas_report_t& report, T x, const Reference& r,
                          std::int64_t i, std::int64_t j) {
                        const int e = exponent_bound(g.a.data() + i, g.k, g.m),
                                  f = exponent_bound(g.b.data() + j * g.k, g.k, 1);
                        Real total;
                        if (e > -5000 && f > -5000) {
                          for (std::int64_t p = 0; p < g.k; ++p) {
                            Real u(std::fabs(static_cast<double>(g.a[static_cast<std::size_t>(i + p * g.m)])));
                            Real v(std::fabs(static_cast<double>(g.b[static_cast<std::size_t>(p + j * g.k)])));
                            mpfr_mul_2si(u.x_, u.x_, f - t - 1, MPFR_RNDN);
                            mpfr_mul_2si(v.x_, v.x_, e - t - 1, MPFR_RNDN);
                            total.add(u);
                            total.add(v);
                          }
                          Real rest(static_cast<double>(g.k) / 4);
                          mpfr_mul_2si(rest.x_, rest.x_, e + f - 2 * t, MPFR_RNDN);
                          total.add(rest);
                          total.multiply(std::fabs(static_cast<double>(g.alpha)));
                        }
                        // The last rounding: u of the rounded real, which is the exact one plus the above.
                        Real rounding(r.value);
                        rounding.absolute();
                        rounding.add(total);
                        rounding.multiply(unit<T>);
                        Real allowed(total);
                        allowed.add(rounding);
                        allowed.add(Real(least<T>));
                        const Real error = error_of(x, r.value);
                        ASSERT_LE(error, allowed) << mode;
                        ASSERT_LE(error, bound_of(r, unit<T>, 3 * (1 + unit<T>), least<T>)) << mode;
                        if (t < 24 && allowed.up() > 0) largest = std::max(largest, error.up() / allowed.up());
                        if (std::isfinite(report.bound_componentwise)) expect_report_bound(report, x, r);
                      });
    }
    if (t < 24) {
      EXPECT_GE(largest, 0.05) << mode;
    }
  }
}

// Beside abs(A) abs(B) fixed:T errs by up to a factor of 3, and no less can be promised: the large entries meet zeros,
// and two entries of little more than half a unit are rounded to one each.
TYPED_TEST(Bounds, FixedAtItsWorst) {
  using T = TypeParam;
  Context context;
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  for (const int t : {8, 11, 24, 53}) {  // from 7 on the certificate's sums do not see the small entries
    const T small = std::ldexp(1 + 4 * std::numeric_limits<T>::epsilon(), -t - 1);
    Gemm<T> g(1, 1, 3);
    g.a = {T(0.5), 0, small};
    g.b = {0, T(0.5), small};
    const std::string mode = "fixed:" + std::to_string(t);
    options.mode_name = mode.c_str();
    std::vector<T> out;
    bool on_gpu = false;
    for (const Routine routine : {Routine::gemm, Routine::gemv, Routine::dot}) {
      options.target = -1;
      ASSERT_EQ(context.run(routine, g, out, &options), ACCUBLAS_SUCCESS) << context.error();
      if (routine == Routine::gemm) on_gpu = std::string(context.report().backend) == "cuda";
      const Reference r = g.exact(0, 0);
      EXPECT_LE(error_of(out[0], r.value), bound_of(r, 0, 3, 0)) << mode;
      EXPECT_LE(bound_of(r, 0, 2.999, 0), error_of(out[0], r.value)) << mode;
      EXPECT_TRUE(std::isinf(context.report().bound_componentwise)) << mode;
      options.target = 1e300;
      EXPECT_EQ(context.run(routine, g, out, &options), ACCUBLAS_ERROR_ACCURACY) << mode;
    }
    // With data that the certificate's sums see, a target of any size brings the bound, but on a GPU.
    g.a = g.b = {T(0.5), T(0.75), small};
    const accublas_status status = context.run(Routine::gemm, g, out, &options);
    if (on_gpu) {
      EXPECT_EQ(status, ACCUBLAS_ERROR_ACCURACY) << mode;
      continue;
    }
    ASSERT_EQ(status, ACCUBLAS_SUCCESS) << context.error();
    EXPECT_TRUE(std::isfinite(context.report().bound_componentwise)) << mode;
    expect_report_bound(context.report(), out[0], g.exact(0, 0));
  }
}

// slices:D: what D slices leave of a row or column, and for :fast the pairs left out.
TYPED_TEST(Bounds, Slices) {
  using T = TypeParam;
  for (const int d : {1, 2, 3, 5, 8}) {
    for (const bool fast : {false, true}) {
      const std::string mode = "slices:" + std::to_string(d) + (fast ? ":fast" : "");
      for (const Kind& kind : moderate) {
        each_element<T>(mode.c_str(), kind.data, kind.parameter, 3, 11,
                        [&](Routine, const Gemm<T>& g, const accublas_report_t& report, T x, const Reference& r,
                            std::int64_t i, std::int64_t j) {
                          const int e = exponent_bound(g.a.data() + i, g.k, g.m),
                                    f = exponent_bound(g.b.data() + j * g.k, g.k, 1);
                          int rho = 0;
                          while (2 * rho < 53 || std::ldexp(1, 2 * rho - 53) < static_cast<double>(g.k)) ++rho;
                          const int w = 54 - rho;  // every slice takes w bits: what is left is at most 2^(tau - w)
                          Real total;
                          if (e > -5000 && f > -5000) {
                            // 2^e bounds the entries; remainders after D slices 2^(e - D w); entries times the other
                            // side's remainder.
                            Real left(static_cast<double>(g.k) * 4);
                            mpfr_mul_2si(left.x_, left.x_, e + f - d * w, MPFR_RNDN);
                            total.add(left);
                            if (fast) {  // pairs with p + q >= D + 2: slice p is at most 2^(e - (p - 1) w) (1 + 2^-w)
                              Real pairs(static_cast<double>(g.k) * 4 * d * d);
                              mpfr_mul_2si(pairs.x_, pairs.x_, e + f - d * w, MPFR_RNDN);
                              total.add(pairs);
                            }
                            total.multiply(std::fabs(static_cast<double>(g.alpha)));
                          }
                          Real rounding(r.value);
                          rounding.absolute();
                          rounding.add(total);
                          rounding.multiply(unit<T>);
                          total.add(rounding);
                          total.add(Real(least<T>));
                          ASSERT_LE(error_of(x, r.value), total) << mode;
                          if (std::isfinite(report.bound_componentwise)) expect_report_bound(report, x, r);
                        });
      }
    }
  }
}

// cr's report promises half an ulp, and that is what comes.
TYPED_TEST(Bounds, CorrectlyRoundedReport) {
  using T = TypeParam;
  for (const Kind& kind : moderate) {
    each_element<T>("cr", kind.data, kind.parameter, 8, 12,
                    [](Routine, const Gemm<T>&, const accublas_report_t& report, T x, const Reference& r, std::int64_t,
                       std::int64_t) {
                      EXPECT_LE(report.bound_relative, unit<T>);
                      EXPECT_EQ(report.bound_componentwise, 0);
                      expect_report_bound(report, x, r);
                    });
  }
}

}  // namespace
}  // namespace accuracy
