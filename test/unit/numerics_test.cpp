// lib/numerics against MPFR: rounding, finishing, the long accumulator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "lib/numerics/bounds.hpp"
#include "lib/numerics/eft.hpp"
#include "lib/numerics/long_accumulator.hpp"
#include "test/unit/mpfr_reference.hpp"
#include "test/unit/random.hpp"

namespace {

using namespace accublas;
using accublas_test::pick;
using accublas_test::Random;
using accublas_test::Real;

/// A finite number: any exponent, subnormals, zeros, short mantissas, powers of two.
template <class T>
T any_finite(Random& random) {
  using F = FloatFormat<T>;
  for (;;) {
    typename F::Bits bits = static_cast<typename F::Bits>(random());
    switch (pick(random, 0, 7)) {
      case 0:
        bits &= ~(F::infinity);
        break;  // subnormal
      case 1:
        bits &= F::sign | F::infinity;
        break;  // power of two or zero
      case 2:
        bits &= ~((typename F::Bits{1} << (F::digits - 6)) - 1);
        break;  // short mantissa
      default:
        break;
    }
    if (is_finite(from_bits<T>(bits))) return from_bits<T>(bits);
  }
}

/// A number of moderate size.
template <class T>
T moderate(Random& random) {
  const T mantissa = static_cast<T>(std::ldexp(static_cast<double>(random() >> 11), -52));
  return std::ldexp(pick(random, 0, 1) ? mantissa : -mantissa, pick(random, -20, 20));
}

template <int L>
Wide<L> any_wide(Random& random) {
  Wide<L> r{};
  const int length = pick(random, 0, 64 * L - 1), style = pick(random, 0, 3);
  for (int i = 0; i < length; ++i) {
    const bool bit = style == 0   ? pick(random, 0, 1)
                     : style == 1 ? i == length - 1 || pick(random, 0, 40) == 0
                     : style == 2 ? pick(random, 0, 40) != 0
                                  : i >= length - pick(random, 52, 55);
    if (bit) r.limb[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  return wide_negate_if(r, pick(random, 0, 1));
}

/// 2^(p + 1) (a mantissa of p bits and a half) in the leading bits: halfway between two numbers of T, plus `delta` in
/// the last bit.
template <class T, int L>
Wide<L> halfway(Random& random, int delta) {
  const std::uint64_t odd =
      ((random() >> (64 - FloatFormat<T>::digits)) | (std::uint64_t{1} << (FloatFormat<T>::digits - 1))) * 2 + 1;
  const int space = 64 * L - 2 - FloatFormat<T>::digits - 1;
  Wide<L> r = wide_shift_left(wide_from<L>(static_cast<std::int64_t>(odd)), space > 0 ? pick(random, 0, space - 1) : 0);
  r = wide_add(r, wide_from<L>(delta));
  return wide_negate_if(r, pick(random, 0, 1));
}

template <class T>
T rounded(const Real& exact) {
  EXPECT_TRUE(exact.all_exact());
  T r;
  exact.round(&r);
  return r;
}

template <class T, int L>
T reference(T alpha, const Wide<L>& s, int exponent, T beta, T c) {
  return rounded<T>(Real(alpha) * Real(s.limb, L, exponent) + Real(beta) * Real(c));
}

template <class T>
::testing::AssertionResult same_bits(T got, T want) {
  if (to_bits(got) == to_bits(want)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << std::hexfloat << got << " where " << want << " is right";
}

template <class T>
class Numerics : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Numerics, Types);

template <class T, int L>
void check_finish(std::uint64_t seed, int cases) {
  using F = FloatFormat<T>;
  Random random(seed);
  const int bias = sizeof(T) == 8 ? 1023 : 127;
  for (int n = 0; n < cases; ++n) {
    Wide<L> s = any_wide<L>(random);
    if (pick(random, 0, 2) == 0) s = halfway<T, L>(random, pick(random, -1, 1));
    const Wide<L> m = wide_negate_if(s, wide_negative(s));
    const int length = wide_bit_length(m);
    // Where the product lands: anywhere, at the least subnormals, about the overflow threshold, in the middle.
    const int places[] = {pick(random, -10000, 10000), F::min_exponent - length + pick(random, -3, 60),
                          bias + 1 - length + pick(random, -2, 2), pick(random, -100, 100) - length};
    int exponent = places[pick(random, 0, 3)];
    const T powers[] = {
        T(1), T(-1), T(1), std::ldexp(T(1), pick(random, -30, 30)), moderate<T>(random), any_finite<T>(random)};
    const T alpha = powers[pick(random, 0, 5)];
    const T betas[] = {T(0), T(1), T(-1), moderate<T>(random), any_finite<T>(random)};
    const T beta = betas[pick(random, 0, 4)];
    T c = pick(random, 0, 1) ? any_finite<T>(random) : moderate<T>(random);
    switch (pick(random, 0, 3)) {
      case 0: {  // cancellation: c is about -alpha S / beta
        const T product = finish(alpha, s, exponent, T(0), T(0));
        if (is_finite(product) && beta != 0 && is_finite(-product / beta)) c = -product / beta;
        break;
      }
      case 1: {  // beta c far below a halfway case
        c = std::ldexp(T(1), F::min_exponent + pick(random, 0, 2));
        break;
      }
      default:
        break;
    }
    ASSERT_TRUE(same_bits(finish(alpha, s, exponent, beta, c), reference(alpha, s, exponent, beta, c)))
        << "case " << n << " L " << L << " alpha " << alpha << " exponent " << exponent << " beta " << beta << " c "
        << c;
  }
}

TYPED_TEST(Numerics, FinishIsExact) {
  check_finish<TypeParam, 2>(1, 8000);
  check_finish<TypeParam, 3>(2, 8000);
  check_finish<TypeParam, 5>(3, 4000);
  check_finish<TypeParam, 8>(4, 4000);
  check_finish<TypeParam, 33>(5, 1000);
}

/// alpha S is halfway between two numbers, and beta c, up to 900 binary places and more below, decides.
TEST(Finish, HalfwayWithinTwoToMinus900) {
  Random random(6);
  for (int n = 0; n < 4000; ++n) {
    const Wide<2> s = halfway<double, 2>(random, 0);
    const Wide<2> m = wide_negate_if(s, wide_negative(s));
    const int exponent = pick(random, -20, 200) - wide_bit_length(m);
    const double c = std::ldexp(pick(random, -1, 1), -pick(random, 60, 1074));
    const double alpha = pick(random, 0, 1) ? 1 : 3;  // alpha = 3: seldom a tie; 1: always
    ASSERT_TRUE(same_bits(finish(alpha, s, exponent, 1.0, c), reference(alpha, s, exponent, 1.0, c))) << n;
  }
  // The distance in S itself: a halfway case and one unit 2000 bits below.
  for (int n = 0; n < 500; ++n) {
    Wide<33> s = wide_shift_left(wide_from<33>((std::int64_t{1} << 53) + 1 + 2 * (n % 2)), 64 * 33 - 60);
    s = wide_add(s, wide_from<33>(n % 3 - 1));
    ASSERT_TRUE(same_bits(finish(1.0, s, -2000, 0.0, 0.0), reference(1.0, s, -2000, 0.0, 0.0))) << n;
    ASSERT_TRUE(same_bits(finish(5.0, s, -2000, 3.0, 7.0), reference(5.0, s, -2000, 3.0, 7.0))) << n;
  }
}

template <class T, int L>
void check_within(std::uint64_t seed, int cases) {
  Random random(seed);
  int decided = 0, near = 0;
  for (int n = 0; n < cases; ++n) {
    const bool tie = pick(random, 0, 3) == 0;
    const Wide<L> s = tie ? halfway<T, L>(random, pick(random, -3, 3)) : any_wide<L>(random);
    const int exponent = pick(random, -300, 100);
    const T alpha = pick(random, 0, 1) ? T(1) : moderate<T>(random);
    const T beta = pick(random, 0, 1) ? T(0) : moderate<T>(random);
    const T c = moderate<T>(random);
    const double error = pick(random, 0, 4) == 0
                             ? 0
                             : std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, pick(random, -80, 64 * L));
    T out;
    const bool decides = finish_within(alpha, s, error, exponent, beta, c, &out);
    ASSERT_TRUE(decides || error > 0);
    const Real center = Real(alpha) * Real(s.limb, L, exponent) + Real(beta) * Real(c);
    const Real radius = (Real(alpha) * Real(error).times_power(exponent)).magnitude();
    const T low = rounded<T>(center - radius), high = rounded<T>(center + radius);
    if (decides) {
      ++decided;
      ASSERT_TRUE(same_bits(out, low)) << n;
      ASSERT_TRUE(same_bits(out, high)) << n;
    } else if (radius.times_power(9) <= (Real(alpha) * Real(s.limb, L, exponent)).magnitude()) {
      ++near;
      // It may give up only near a boundary: four times the radius and 2^-100 of the terms around must hold one.
      const Real wide = radius * Real(4.0) + (Real(alpha) * Real(s.limb, L, exponent)).magnitude().times_power(-100) +
                        (Real(beta) * Real(c)).magnitude().times_power(-100);
      ASSERT_FALSE(to_bits(rounded<T>(center - wide)) == to_bits(rounded<T>(center + wide))) << n;
    }
  }
  EXPECT_GT(decided, cases / 4);
  EXPECT_GT(near, cases / 50);
}

TYPED_TEST(Numerics, FinishWithinDecidesOnlyWhatIsCertain) {
  check_within<TypeParam, 2>(11, 6000);
  check_within<TypeParam, 4>(12, 6000);
}

TYPED_TEST(Numerics, FinishPairIsExact) {
  using T = TypeParam;
  Random random(21);
  for (int n = 0; n < 20000; ++n) {
    double s = pick(random, 0, 1) ? any_finite<double>(random) : moderate<double>(random);
    double c = pick(random, 0, 1) ? any_finite<double>(random) : std::ldexp(moderate<double>(random), -53);
    switch (pick(random, 0, 5)) {
      case 0: {  // halfway in T, c decides
        const int drop = 53 - FloatFormat<T>::digits;
        s = static_cast<T>(moderate<T>(random));
        const double ulp = std::ldexp(1.0, std::ilogb(s) - FloatFormat<T>::digits + 1);
        if (drop > 0)
          s += ulp / 2, c = pick(random, -1, 1) * std::ldexp(1.0, -pick(random, 100, 1074));
        else
          c = ulp / 2 * pick(random, -1, 1);
        break;
      }
      case 1:
        c = -s * (1 + pick(random, -1, 1) * 0x1p-52);
        if (!std::isfinite(c)) c = 0;
        break;
      case 2:
        c = 0;
        break;
      default:
        break;
    }
    const T alpha = pick(random, 0, 1) ? T(1) : any_finite<T>(random);
    const T beta = pick(random, 0, 1) ? T(0) : moderate<T>(random);
    const T y = any_finite<T>(random);
    const T want = rounded<T>(Real(alpha) * (Real(s) + Real(c)) + Real(beta) * Real(y));
    ASSERT_TRUE(same_bits(finish_pair(alpha, s, c, beta, y), want))
        << std::hexfloat << alpha << " (" << s << " + " << c << ") + " << beta << " " << y;
  }
}

TYPED_TEST(Numerics, SpecialValues) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(),
          nan = from_bits<T>(FloatFormat<T>::quiet_nan | FloatFormat<T>::sign | 5);
  const T big = std::numeric_limits<T>::max(), want_nan = canonical_nan<T>();
  const Wide<2> one = wide_from<2>(1), minus = wide_from<2>(-1), zero = wide_from<2>(0);
  const T b1 = T(1), b0 = T(0);
  // alpha infinite or NaN
  EXPECT_TRUE(same_bits(finish(inf, one, 0, b0, b0), inf));
  EXPECT_TRUE(same_bits(finish(inf, minus, 0, b0, b0), -inf));
  EXPECT_TRUE(same_bits(finish(-inf, minus, -9000, b1, big), inf));
  EXPECT_TRUE(same_bits(finish(inf, zero, 0, b1, b1), want_nan));
  EXPECT_TRUE(same_bits(finish(nan, one, 0, b1, b1), want_nan));
  // beta c infinite, NaN, or finite but beyond the range
  EXPECT_TRUE(same_bits(finish(b1, one, 0, b1, inf), inf));
  EXPECT_TRUE(same_bits(finish(b1, one, 9000, -inf, b1), -inf));
  EXPECT_TRUE(same_bits(finish(b1, one, 0, inf, b0), want_nan));
  EXPECT_TRUE(same_bits(finish(b1, one, 0, b1, nan), want_nan));
  EXPECT_TRUE(same_bits(finish(inf, one, 0, b1, -inf), want_nan));
  EXPECT_TRUE(same_bits(finish(inf, one, 0, big, -big), inf));
  EXPECT_TRUE(same_bits(finish(b1, one, 9000, big, -big), inf));
  EXPECT_TRUE(same_bits(finish(big, minus, 9000, big, big), -inf));
  // beta = 0: c is no term
  EXPECT_TRUE(same_bits(finish(b1, one, 0, b0, nan), b1));
  EXPECT_TRUE(same_bits(finish(b1, one, 0, -b0, inf), b1));
  // zeros
  EXPECT_TRUE(same_bits(finish(-b1, zero, 0, b0, b0), b0));
  EXPECT_TRUE(same_bits(finish(b1, zero, 0, b1, -b0), b0));
  EXPECT_TRUE(same_bits(finish(b1, one, 0, -b1, b1), b0));
  EXPECT_TRUE(same_bits(finish(b1, minus, -9000, b0, b0), -b0));
  EXPECT_TRUE(same_bits(finish_pair(-b1, 0.0, 0.0, b0, b0), b0));
  // infinite S
  EXPECT_TRUE(same_bits(finish_special(-b1, inf, b1, b1), -inf));
  EXPECT_TRUE(same_bits(finish_special(b1, inf, big, -big), inf));
  EXPECT_TRUE(same_bits(finish_special(b1, inf, b1, -inf), want_nan));
  EXPECT_TRUE(same_bits(finish_special(b0, inf, b1, b1), want_nan));
  EXPECT_TRUE(same_bits(finish_special(b1, nan, b1, b1), want_nan));
  EXPECT_TRUE(same_bits(finish_special(b1, inf, b0, nan), inf));
  // alpha = 0 or k = 0
  EXPECT_TRUE(same_bits(finish_scaled(b0, nan), b0));
  EXPECT_TRUE(same_bits(finish_scaled(-b1, b0), -b0));
  EXPECT_TRUE(same_bits(finish_scaled(b1, nan), want_nan));
  // an interval about zero decides no sign, and a NaN alpha no less than an infinite one
  T out;
  EXPECT_FALSE(finish_within(b1, zero, 1.0, 0, b0, b0, &out));
  EXPECT_FALSE(finish_within(inf, one, 2.0, 0, b0, b0, &out));
  EXPECT_TRUE(finish_within(inf, wide_from<2>(1025), 2.0, 0, b0, b0, &out));
  // 3 S is a tie, and the bits of the error are all below the last bit of 3 S that the sum of terms keeps
  constexpr int digits = FloatFormat<T>::digits;
  const std::int64_t third = ((std::int64_t{1} << digits) + (digits == 53 ? 1 : 5)) / 3;
  EXPECT_FALSE(finish_within(T(3), wide_shift_left(wide_from<3>(third), 129 - digits), 1.0, -100, b0, b0, &out));
}

TYPED_TEST(Numerics, LongAccumulatorIsExact) {
  using T = TypeParam;
  Random random(31);
  LongAccumulator sum;
  for (int n = 0; n < 1500; ++n) {
    sum.clear();
    Real exact;
    const int terms = pick(random, 0, 12), style = pick(random, 0, 2);
    std::vector<T> x(terms), y(terms);
    for (int i = 0; i < terms; ++i) {
      x[i] = style == 0 ? moderate<T>(random) : any_finite<T>(random);
      y[i] = style == 0 ? moderate<T>(random) : any_finite<T>(random);
      if (style == 2 && i % 2 == 1)
        x[i] = -x[i - 1], y[i] = y[i - 1] * (1 + std::numeric_limits<T>::epsilon() * pick(random, 0, 1));
      if (!is_finite(y[i])) y[i] = 0;
      sum.add_product(x[i], y[i]);
      exact = exact + Real(x[i]) * Real(y[i]);
    }
    const double extra = any_finite<double>(random);
    if (pick(random, 0, 1)) sum.add(extra), exact = exact + Real(extra);
    const T alpha = pick(random, 0, 1) ? T(1) : any_finite<T>(random);
    const T beta = pick(random, 0, 1) ? T(0) : any_finite<T>(random), c = any_finite<T>(random);
    ASSERT_TRUE(same_bits(finish(alpha, sum, beta, c), rounded<T>(Real(alpha) * exact + Real(beta) * Real(c)))) << n;
  }
}

TEST(LongAccumulator, IsSetToItsValue) {
  Random random(21);
  for (int round = 0; round < 200; ++round) {
    LongAccumulator sum, copy;
    const auto number = [&] { return std::ldexp(pick(random, -1000, 1000), pick(random, -1070, 1000)); };
    for (int i = 0; i < 20; ++i) sum.add_product(number(), number());
    copy.add(1.0);  // overwritten
    copy.set(sum.value());
    for (int i = 0; i < 3; ++i) {
      const Wide<LongAccumulator::limbs> a = sum.value(), b = copy.value();
      EXPECT_TRUE(std::equal(a.limb, a.limb + LongAccumulator::limbs, b.limb));
      const double x = number(), y = number();
      sum.add_product(x, y);
      copy.add_product(x, y);
    }
  }
}

/// Carries that wait move up in time, also at the far end of the range, and sums of accumulators keep them.
TEST(LongAccumulator, DeferredCarries) {
  const double big = std::numeric_limits<double>::max();
  LongAccumulator sum, total;
  const std::int64_t terms = (std::int64_t{1} << 12) + 3;
  for (std::int64_t i = 0; i < terms; ++i) sum.add_product(big, -big);
  std::int64_t weight =
      terms;  // doubled by adding the accumulator to itself, past 2^31 waiting additions and up to 2^62
  while (weight < std::int64_t{1} << 61) {
    sum.add(sum);
    weight *= 2;
  }
  total.add(sum);
  total.add_product(0x1p-1074, 0x1p-1074);
  const Real exact = Real(big) * Real(-big) * Real(static_cast<double>(weight)) + Real(0x1p-1074) * Real(0x1p-1074);
  const Wide<LongAccumulator::limbs> value = total.value();
  const Real got(value.limb, LongAccumulator::limbs, LongAccumulator::min_exponent);
  EXPECT_TRUE(exact.all_exact() && got.all_exact());
  EXPECT_TRUE((got - exact).is_zero());
}

TEST(ErrorFree, SumsAndProducts) {
  Random random(41);
  for (int n = 0; n < 5000; ++n) {
    const double a = moderate<double>(random), b = std::ldexp(moderate<double>(random), pick(random, -60, 60));
    const DoublePair sum = two_sum(a, b), product = two_product(a, b);
    ASSERT_TRUE((Real(a) + Real(b) - Real(sum.high) - Real(sum.low)).is_zero());
    ASSERT_TRUE((Real(a) * Real(b) - Real(product.high) - Real(product.low)).is_zero());
    const DoublePair fast = std::fabs(a) >= std::fabs(b) ? fast_two_sum(a, b) : fast_two_sum(b, a);
    ASSERT_EQ(fast.high, sum.high);
    ASSERT_EQ(fast.low, sum.low);
  }
}

TEST(Bounds, Values) {
  EXPECT_GE(gamma_bound(10, 0x1p-53), 10 * 0x1p-53);
  EXPECT_LE(gamma_bound(10, 0x1p-53), 10.001 * 0x1p-53);
  EXPECT_GE(gamma_bound(0x1p24 - 1, 0x1p-24), 0x1p24 - 1);
  EXPECT_LE(gamma_bound(0x1p24 - 1, 0x1p-24), 0x1.000001p24);
  for (double n : {0x1p24, 0x1p25, 0x1p60}) EXPECT_EQ(gamma_bound(n, 0x1p-24), infinite_bound) << n;
  EXPECT_EQ(ceil_log2(1), 0);
  EXPECT_EQ(ceil_log2(1024), 10);
  EXPECT_EQ(ceil_log2(1025), 11);
  EXPECT_EQ(dot2_depth_dot(1024), 37);
  EXPECT_EQ(dot2_depth_dot(1025), 38);
  EXPECT_EQ(dot2_depth_gemm(100), 101);
  EXPECT_EQ(dot2_depth_gemm(129), 130);
  for (double u : {0x1p-53, 0x1p-24}) {
    EXPECT_LT(dot2_bound(dot2_depth_gemm(1LL << 59), 1, u).componentwise, infinite_bound);
    EXPECT_EQ(dot2_bound(dot2_depth_gemm(1LL << 61), 1, u).componentwise, infinite_bound);
  }
}

}  // namespace
