// Accumulators against MPFR: the exact sums of cr and of fixed:T, rounded once, on finite data.
#include <mpfr.h>

#include "accumulators.hpp"

namespace {

using namespace accumulators_test;

/// A number of MPFR with room for any sum of products of three numbers of double precision.
constexpr mpfr_prec_t exact_bits = 9000;

class Exact {
 public:
  Exact() {
    mpfr_inits2(exact_bits, sum_, term_, nullptr);
    mpfr_set_zero(sum_, 1);
  }
  ~Exact() { mpfr_clears(sum_, term_, nullptr); }
  Exact(const Exact&) = delete;

  /// Adds factor x y 2^exponent.
  void add(double factor, double x, double y, long exponent = 0) {
    mpfr_set_d(term_, factor, MPFR_RNDN);
    mpfr_mul_d(term_, term_, x, MPFR_RNDN);
    mpfr_mul_d(term_, term_, y, MPFR_RNDN);
    mpfr_mul_2si(term_, term_, exponent, MPFR_RNDN);
    EXPECT_EQ(mpfr_add(sum_, sum_, term_, MPFR_RNDN), 0) << "not exact";
  }
  template <class T>
  T round() const {
    if (mpfr_zero_p(sum_)) return 0;
    return sizeof(T) == sizeof(double) ? static_cast<T>(mpfr_get_d(sum_, MPFR_RNDN))
                                       : static_cast<T>(mpfr_get_flt(sum_, MPFR_RNDN));
  }

 private:
  mpfr_t sum_, term_;
};

/// An entry as fixed:T defines it: the nearest multiple of 2^(exponent - bits), ties to even; bits = 0: as it is.
double entry_of(double x, int exponent, int bits) {
  if (bits == 0 || x == 0) return x;
  mpfr_t y;
  mpfr_init2(y, 2200);
  mpfr_set_d(y, x, MPFR_RNDN);
  mpfr_mul_2si(y, y, bits - exponent, MPFR_RNDN);
  mpfr_roundeven(y, y);
  mpfr_mul_2si(y, y, exponent - bits, MPFR_RNDN);
  const double rounded = mpfr_get_d(y, MPFR_RNDN);
  mpfr_clear(y);
  return rounded;
}

/// The least e with abs(x) < 2^e for all parts x of some numbers.
template <class E>
class Magnitude {
 public:
  void add(const E& z) {
    for (const double x : {static_cast<double>(std::real(z)), static_cast<double>(std::imag(z))}) {
      int e = 0;
      std::frexp(x, &e);
      if (x != 0) exponent_ = std::max(exponent_, e);
    }
  }
  int exponent() const { return exponent_; }

 private:
  int exponent_ = -2000;
};

/// C by the definition.
template <class E>
std::vector<E> defined_result(Product<E> p, int bits) {
  std::vector<E> result = p.c;
  const bool conjugate_a = p.transa == ACCUBLAS_CONJ_TRANS && is_complex<E>,
             conjugate_b = p.transb == ACCUBLAS_CONJ_TRANS && is_complex<E>;
  for (Index i = 0; i < p.m; ++i)
    for (Index j = 0; j < p.n; ++j) {
      Magnitude<E> row, column;
      for (Index t = 0; t < p.k; ++t) row.add(p.at_a(i, t)), column.add(p.at_b(t, j));
      Exact sums[2];
      for (const int imaginary : {0, 1}) {
        Exact& sum = sums[imaginary];
        const double alr = std::real(p.alpha), ali = imaginary ? std::imag(p.alpha) : -std::imag(p.alpha);
        const double ber = std::real(p.beta), bei = imaginary ? std::imag(p.beta) : -std::imag(p.beta);
        for (Index t = 0; t < p.k; ++t) {
          const auto part_of = [&](double x, int e) { return entry_of(x, e, bits); };
          const double ar = part_of(std::real(p.at_a(i, t)), row.exponent()),
                       br = part_of(std::real(p.at_b(t, j)), column.exponent()),
                       ai = part_of(std::imag(p.at_a(i, t)), row.exponent()) * (conjugate_a ? -1 : 1),
                       bi = part_of(std::imag(p.at_b(t, j)), column.exponent()) * (conjugate_b ? -1 : 1);
          // alpha times S: the real part of S in the first two terms of a component, or the imaginary one.
          const double re = imaginary ? ali : alr, im = imaginary ? alr : ali;
          sum.add(re, ar, br);
          sum.add(re, -ai, bi);
          sum.add(im, ar, bi);
          sum.add(im, ai, br);
        }
        if (p.beta != E(0)) {
          const E c = p.at_c(i, j);
          sum.add(ber, imaginary ? std::imag(c) : std::real(c), 1);
          sum.add(bei, imaginary ? std::real(c) : std::imag(c), 1);
        }
      }
      if constexpr (is_complex<E>)
        p.at_c(result, i, j) = {sums[0].template round<Real<E>>(), sums[1].template round<Real<E>>()};
      else
        p.at_c(result, i, j) = sums[0].template round<E>();
    }
  return result;
}

template <class E>
class ExactAccumulators : public testing::Test {};
using AllTypes = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(ExactAccumulators, AllTypes);

TYPED_TEST(ExactAccumulators, HaveTheDefinedResults) {
  using E = TypeParam;
  const char* const scale = std::getenv("ACCUBLAS_TEST_SCALE");
  int second_rounds = 0;
  for (int seed = 0; seed < 120 * (scale ? std::atoi(scale) : 1) && !testing::Test::HasFatalFailure(); ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Kind kind = static_cast<Kind>(seed % static_cast<int>(Kind::special));
    Product<E> p(random, kind, 1 + below(random, 5), 1 + below(random, 5), 1 + below(random, 24));
    // alpha = 0 and NaN are compared with one call of gemm elsewhere.
    if (p.alpha == E(0)) p.alpha = E(1);
    if (p.beta != p.beta) p.beta = E(1);
    for (E& c : p.c)
      if (c != c) c = E(2);
    const int bits = below(random, 2) != 0 ? 0 : 2 + static_cast<int>(below(random, 149));
    const std::string mode = bits == 0 ? "cr" : "fixed:" + std::to_string(bits);
    const std::vector<Panel> panels = random_panels(random, p.k);
    Sums<E> sums(p, mode.c_str(), panels, bits == 0 ? static_cast<int>(below(random, 2) * (2 + below(random, 50))) : 0);
    Answer<E> answer;
    second_rounds += finish_rounds(sums, answer, p, [&](Sums<E>& to) {
                       for (const Panel& panel : panels) to.add(panel);
                     }) > 1;
    expect_same(answer, {defined_result(p, bits), answer.raised},
                mode + " kind " + std::to_string(static_cast<int>(kind)) + " seed " + std::to_string(seed));
  }
  EXPECT_GT(second_rounds, 5);
}

}  // namespace
