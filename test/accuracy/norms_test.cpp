// NRM2 and ASUM against MPFR: cr is the exact norm rounded once, every mode keeps what docs/modes.md promises, and the
// report's bound is rigorous.
#include "harness.hpp"

namespace accuracy {
namespace {

template <class T>
struct Norm {
  const char* name;
  bool root;
  accublas_status (*run)(accublas_context*, std::int64_t, const T*, std::int64_t, T*, const accublas_options*);
};

template <class T>
const Norm<T>* norms() {
  if constexpr (std::is_same_v<T, double>) {
    static const Norm<T> list[] = {{"nrm2", true, accublas_dnrm2_ex}, {"asum", false, accublas_dasum_ex}};
    return list;
  } else {
    static const Norm<T> list[] = {{"nrm2", true, accublas_snrm2_ex}, {"asum", false, accublas_sasum_ex}};
    return list;
  }
}

template <class T>
class Norms : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Norms, Types);

/// Entries of magnitudes 2^e to 2^e 2^-width.
template <class T>
std::vector<T> vector_of(Random& rng, std::int64_t n, int exponent, int width) {
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& v : x)
    v = static_cast<T>(std::ldexp(2 * uniform(rng) - 1, exponent - static_cast<int>(below(rng, width + 1))));
  return x;
}

template <class T>
Real exact_norm(const Norm<T>& norm, const std::vector<T>& x) {
  const std::vector<T> ones(x.size(), 1);
  const auto n = static_cast<std::int64_t>(x.size());
  if (!norm.root) return reference(n, 1, x.data(), 1, ones.data(), 1, 0, 0).magnitude;
  Real r = reference(n, 1, x.data(), 1, x.data(), 1, 0, 0).value;
  mpfr_sqrt(r.x_, r.x_, MPFR_RNDN);  // to 6500 bits
  return r;
}

/// error <= (relative + componentwise) exact + absolute
void expect_bound(double got, const Real& exact, double factor, double absolute, const std::string& trace) {
  Real bound(exact);
  bound.multiply(factor);
  bound.add(Real(absolute));
  bound.multiply(1 + 0x1p-40);
  ASSERT_LE(error_of(got, exact), bound) << trace << " got " << got;
}

TYPED_TEST(Norms, Promises) {
  using T = TypeParam;
  constexpr bool wide = std::is_same_v<T, double>;
  const std::vector<int> all =
      wide ? std::vector<int>{0, 3, -60, 400, 478, 481, 900, 1020, -399, -402, -540, -1000, -1060}
           : std::vector<int>{0, 3, -20, 40, 62, 66, 120, -60, -70, -120, -140};
  Context context;
  Random rng(77);
  for (int number = 0; number < scaled(60); ++number)
    for (int place = 0; place < static_cast<int>(all.size()); ++place) {
      const std::int64_t n = 1 + below(rng, number % 8 == 0 ? 5000 : 100);
      const int exponent = all[static_cast<std::size_t>(place)];
      const std::vector<T> x = vector_of<T>(rng, n, exponent, static_cast<int>(below(rng, 4) * below(rng, 30)));
      for (int which = 0; which < 2; ++which) {
        const Norm<T>& norm = norms<T>()[which];
        const Real exact = exact_norm(norm, x);
        if (!std::isfinite(exact.template round<T>())) continue;
        for (const char* mode : {"native", "dp", "dp:repro", "dot2", "cr"}) {
          // Native promises only where nothing over- or underflows.
          const bool native = mode[0] == 'n' || std::string(mode) == "dp";
          if (native && std::abs(exponent) > (wide ? 400 : 40)) continue;
          accublas_options options = ACCUBLAS_OPTIONS_INIT;
          options.mode_name = mode;
          T got = -1;
          ASSERT_EQ(norm.run(context, n, x.data(), 1, &got, &options), ACCUBLAS_SUCCESS) << context.error();
          const std::string trace =
              std::string(norm.name) + " " + mode + " n " + std::to_string(n) + " exponent " + std::to_string(exponent);
          const accublas_report_t report = context.report();
          ASSERT_NO_FATAL_FAILURE(expect_bound(got, exact, report.bound_relative + report.bound_componentwise,
                                               report.bound_absolute, trace));
          if (std::string(mode) == "cr" || std::string(mode) == "dp:repro") {
            ASSERT_EQ(bits(got), bits(exact.template round<T>())) << trace;
            ASSERT_EQ(report.bound_relative, unit<T>);
            ASSERT_EQ(report.bound_componentwise, 0);
          } else if (native) {
            ASSERT_NO_FATAL_FAILURE(expect_bound(got, exact, (static_cast<double>(n) + 3) * unit<T>, least<T>, trace));
          } else {
            const double h = 32 + std::ceil(std::log2(std::ceil(static_cast<double>(n) / 1024))) + 5;
            const double gamma = h * 0x1p-53 / (1 - h * 0x1p-53);
            ASSERT_NO_FATAL_FAILURE(
                expect_bound(got, exact, unit<T> + (wide ? gamma * gamma : gamma), least<T>, trace));
          }
        }
      }
    }
}

// Sums and roots exactly in the middle of two numbers, with and without a term that decides.
TYPED_TEST(Norms, Midpoints) {
  using T = TypeParam;
  constexpr int p = precision_of<T>;
  Context context;
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.mode_name = "cr";
  const T top = std::ldexp(T(1), p), middle = std::ldexp(T(1), (p + 1) / 2);
  // (2^p + 1)^2 = 2^2p + 2^(p+1) + 1; p + 1 is even for one type, odd for the other.
  std::vector<T> square = {top, middle, 1};
  if (p % 2 == 0) square = {top, middle, middle, 1};
  for (const T above : {T(0), std::ldexp(T(1), -60)}) {
    std::vector<T> x = square;
    x.push_back(above);
    T got = 0;
    ASSERT_EQ(norms<T>()[0].run(context, static_cast<std::int64_t>(x.size()), x.data(), 1, &got, &options),
              ACCUBLAS_SUCCESS);
    EXPECT_EQ(got, above == 0 ? top : top + 2);
    EXPECT_EQ(context.report().undecided, 1);
    x = {1, std::numeric_limits<T>::epsilon() / 2, above};
    ASSERT_EQ(norms<T>()[1].run(context, 3, x.data(), 1, &got, &options), ACCUBLAS_SUCCESS);
    EXPECT_EQ(got, above == 0 ? T(1) : 1 + std::numeric_limits<T>::epsilon());
  }
}

}  // namespace
}  // namespace accuracy
