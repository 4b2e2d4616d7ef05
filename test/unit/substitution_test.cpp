// Tests of the unknowns of triangular systems. If a sum is known up to an error and its interval decides, the result is
// that of the exact sums at the ends of the interval and within; and the interval decides nearly always. Quotients of
// exact sums by their leading bits are those by comparisons.
#include "lib/numerics/substitution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace accublas {
namespace {

using Random = std::mt19937_64;

template <class E>
class Substitution : public testing::Test {
 protected:
  using T = RealOf<E>;
  static constexpr int parts = parts_of<E>;
  Random rng{23};

  int below(int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); }

  /// Returns a random number of few bits or of all, near 1 or anywhere within the exponents.
  double number(int exponents) {
    double x = 0;
    switch (below(6)) {
      case 0:
        x = below(17) - 8;
        break;
      case 1:
        x = (below(2) ? 1 : -1) * (1 + below(3) * static_cast<double>(std::numeric_limits<T>::epsilon()));
        break;
      case 2:
        x = std::ldexp(1 + 2 * below(1 << 20), -below(24)) * (below(2) ? 1 : -1);
        break;
      case 3:
        x = below(8) ? 1 : -0.0;
        break;
      default:
        x = static_cast<double>(static_cast<std::int64_t>(rng())) * 0x1p-63;
    }
    return std::ldexp(x, exponents == 0 ? 0 : below(2 * exponents) - exponents);
  }
  E element(int exponents) {
    if constexpr (is_complex<E>)
      return {static_cast<T>(number(exponents)), static_cast<T>(number(exponents))};
    else
      return static_cast<T>(number(exponents));
  }
  static double size(const E& z) {
    double largest = 0;
    for (int part = 0; part < parts; ++part) largest = std::max(largest, std::fabs(double{part_of(z, part)}));
    return largest;
  }

  /// Rounds the unknown exactly for both ends and the middle of the interval of every part, and compares the results.
  void expect_exact(const Unknown<E>& unknown, const TripleSum (&sums)[parts], const E& result, int number_of_case) {
    for (int end = -1; end <= 1; ++end) {
      ExactSum<double> above[parts];
      for (int part = 0; part < parts; ++part) {
        for (const double x : {sums[part].a1, sums[part].a2, sums[part].a3}) above[part].add(1, -x);
        above[part].add(below(2) ? end : -end, sums[part].error);
      }
      const E exact = unknown.template exact<false>(above);
      ASSERT_EQ(std::memcmp(&exact, &result, sizeof(E)), 0)
          << std::hexfloat << number_of_case << " end " << end << " alpha " << part_of(unknown.alpha, 0) << " b "
          << part_of(unknown.b, 0) << " pivot " << part_of(unknown.pivot, 0) << " unit " << unknown.unit << " sum "
          << sums[0].a1 << " + " << sums[0].a2 << " + " << sums[0].a3 << " +- " << sums[0].error << ": "
          << part_of(result, 0) << " for " << part_of(exact, 0);
    }
  }
};
using Types = testing::Types<double, float, Complex<double>, Complex<float>>;
TYPED_TEST_SUITE(Substitution, Types);

TYPED_TEST(Substitution, DecidesAsExactSumsDo) {
  using E = TypeParam;
  using T = RealOf<E>;
  constexpr int parts = parts_of<E>;
  int decided = 0, tried = 0;
  for (int i = 0; i < 60000; ++i) {
    const int exponents = i % 4 == 0 ? 0 : i % 4 == 1 ? 30 : i % 4 == 2 ? 120 : sizeof(T) == 8 ? 700 : 70;
    const E alpha = this->below(2) ? E{T(1)} : this->element(this->below(2) ? 0 : exponents),
            b = this->element(exponents);
    const Unknown<E> row = Unknown<E>::of_row(alpha, this->element(exponents), this->below(4) == 0);
    Unknown<E> unknown = row;
    unknown.b = b;
    // The sums cancel alpha b completely, or up to the last bits, or not at all.
    TripleSum sums[parts];
    for (int part = 0; part < parts; ++part) {
      double first = this->number(exponents);
      const double product = static_cast<double>(part_of(alpha, 0)) * static_cast<double>(part_of(b, part));
      if (this->below(3) == 0 && std::isfinite(product)) first = product;
      if (this->below(6) == 0) first = std::nextafter(first, 0.0);
      const double second = first * 0x1p-53 * (this->below(3) - 1) * static_cast<double>(this->rng() >> 11) * 0x1p-53;
      sums[part] = {first, second, this->below(3) ? 0 : second * 0x1p-55,
                    this->below(4) ? std::fabs(first) * std::ldexp(1, -60 - this->below(60)) : 0};
    }
    E result{};
    ++tried;
    if (!unknown.approximate(sums, result)) continue;
    ++decided;
    this->expect_exact(unknown, sums, result, i);
    if (testing::Test::HasFatalFailure()) return;
  }
  // Many of these are made to be hard, and some are out of range.
  EXPECT_GT(decided, tried / 4);
}

/// Numerators are far smaller than the sums here, and three words decide nearly all of them.
TYPED_TEST(Substitution, ThreeWordsOutlastCancellation) {
  using E = TypeParam;
  using T = RealOf<E>;
  constexpr int parts = parts_of<E>;
  int decided = 0, tried = 0;
  for (int i = 0; i < 20000; ++i) {
    Unknown<E> unknown = Unknown<E>::of_row(E{T(1)}, this->element(0), this->below(2) == 0);
    unknown.b = this->element(0);
    TripleSum sums[parts];
    for (int part = 0; part < parts; ++part) {
      const double b = part_of(unknown.b, part), second = this->number(0) * std::ldexp(1, -50 - this->below(10)),
                   third = second * 0x1p-54 * this->number(0);
      sums[part] = {b, second, third, this->below(4) ? std::fabs(second) * 0x1p-100 : 0};
    }
    E result{};
    ++tried;
    if (!unknown.approximate(sums, result)) continue;
    ++decided;
    this->expect_exact(unknown, sums, result, i);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(decided, tried / 2);
}

/// Tests real unknowns near underflow, as quotients of small numerators and from scaled sums.
TEST(SubstitutionNearUnderflow, DecidesAsExactSumsDo) {
  Random rng{5};
  const auto below = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  const auto mantissa = [&] {
    const double x = 1 + static_cast<double>(rng() >> (below(3) ? 12 : 60)) * (below(2) ? 0x1p-52 : 0x1p-4);
    return (below(2) ? 1 : -1) * (x < 2 ? x : 1);
  };
  int small = 0, scaled = 0;
  for (int i = 0; i < 60000; ++i) {
    const bool unit = below(3) == 0;
    const double pivot = std::ldexp(mantissa(), below(2) ? 0 : below(300) - 150);
    const int exponent = -860 - below(230);
    Unknown<double> unknown = Unknown<double>::of_row(1, pivot, unit);
    const auto expect = [&](const char* what, const TripleSum& numerator, int by, double result) {
      for (int end = -1; end <= 1; ++end) {
        ExactSum<double> above[1];
        const int first = std::max(by, -850);  // a double does not hold 2^-1700
        const auto add = [&](double factor, double x) {
          above[0].add(std::ldexp(factor, first), std::ldexp(x, by - first));
        };
        for (const double x : {numerator.a1, numerator.a2, numerator.a3}) add(1, x);
        add(end, numerator.error);
        const double exact = unknown.exact<false>(above);
        ASSERT_EQ(to_bits(exact), to_bits(result))
            << std::hexfloat << what << " " << i << " end " << end << " b " << unknown.b << " pivot " << pivot
            << " unit " << unit << " of " << numerator.a1 << " + " << numerator.a2 << " + " << numerator.a3 << " +- "
            << numerator.error << ": " << result << " for " << exact;
      }
    };
    const auto triple = [&](int at) {
      const double first = std::ldexp(mantissa(), at), second = std::ldexp(mantissa(), at - 54 - below(3));
      return TripleSum{first, below(3) ? second : 0, 0, below(3) ? std::ldexp(1, at - 60 - below(60)) : 0};
    };
    double result = 0;
    const TripleSum numerator = triple(exponent);
    unknown.b = 0;
    for (const int scale : {0, 128}) {
      if (unknown.approximate_quotient_apart(numerator, scale, result)) {
        ++small;
        expect("small", numerator, -scale, result);
      }
    }
    for (const int scale : {500, 1700}) {
      const TripleSum sum = triple(exponent + scale);
      unknown.b = below(2) ? std::ldexp(mantissa(), exponent - below(60)) : 0;
      if (unknown.approximate_scaled({sum}, scale, result)) {
        ++scaled;
        expect("scaled", {-sum.a1, -sum.a2, -sum.a3, sum.error}, -scale, result);
      }
    }
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(small, 10000);
  EXPECT_GT(scaled, 20000);
}

/// Returns RN(x y / 2^e) for x y of at most 53 bits.
template <class T>
T over_power_of_two(double x, double y, int e) {
  int of_x = 0, of_y = 0;
  const double product = std::frexp(x, &of_x) * std::frexp(y, &of_y);
  const int exponent = of_x + of_y - e;
  // For float the exponent is limited, so that the double before the rounding neither overflows nor underflows.
  return static_cast<T>(std::ldexp(product, sizeof(T) == 8 ? exponent : std::clamp(exponent, -400, 400)));
}

template <class E>
using RealSubstitution = Substitution<E>;
using RealTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(RealSubstitution, RealTypes);

/// Exact numerators are divided by pivots +-2^e of every exponent, subnormal ones too. The quotients have a bit more
/// than the type, or few bits, anywhere in its range and beyond.
TYPED_TEST(RealSubstitution, PowersOfTwoDivideExactSums) {
  using T = TypeParam;
  constexpr int digits = std::numeric_limits<T>::digits, least = std::numeric_limits<T>::min_exponent - digits,
                most = std::numeric_limits<T>::max_exponent;
  int ties = 0, decided = 0;
  for (int e = least; e < most; ++e)
    for (int i = 0; i < 40; ++i) {
      const T pivot = static_cast<T>(std::ldexp(this->below(2) ? 1 : -1, e));
      const T alpha = static_cast<T>(i % 4 == 0 ? 1 : this->below(2) ? 3 : -1.5);
      // `odd` has at most as many bits as its product with alpha may have.
      const int bits = std::min(digits, 51) - (this->below(3) ? 0 : this->below(digits - 3));
      const double odd = static_cast<double>((this->rng() >> (64 - bits)) | 1 | std::uint64_t{1} << (bits - 1));
      const int at =
          std::clamp(i % 2 ? e + least - bits - 2 + this->below(most - least + 4) : least + this->below(2100), least,
                     most - bits - 1);
      Unknown<T> unknown = Unknown<T>::of_row(alpha, pivot, false);
      unknown.b = static_cast<T>(std::ldexp(odd, at));
      if (std::ldexp(odd, at) != double{unknown.b}) continue;
      const T want = over_power_of_two<T>(alpha, unknown.b, e) * T(pivot < 0 ? -1 : 1);
      ExactSum<double> above[1];
      const T exact = unknown.template exact<false>(above);
      ASSERT_EQ(to_bits(exact), to_bits(want)) << std::hexfloat << alpha << " " << unknown.b << " / " << pivot;
      const TripleSum sums[1] = {{0, 0, 0, 0}};
      T result{};
      ++ties;
      if (!unknown.approximate(sums, result)) continue;
      ++decided;
      ASSERT_EQ(to_bits(result), to_bits(want))
          << std::hexfloat << alpha << " " << unknown.b << " / " << pivot << ": " << result << " for " << want;
    }
  EXPECT_GT(decided, ties / 4);
}

/// Numerators are products of a divisor and a number halfway between two results, normal and subnormal, or differ from
/// them by terms far below. Three parts with a small error decide all of them, and exact ones the ties.
TYPED_TEST(RealSubstitution, TermsFarBelowTiesDecideThem) {
  using T = TypeParam;
  using F = FloatFormat<T>;
  int tried = 0, ties = 0;
  for (int i = 0; i < 60000; ++i) {
    const bool unit = this->below(4) == 0;
    // Few bits, so that the product below has at most 106, or all of them.
    const int bits = this->below(3) ? 1 + this->below(6) : F::digits;
    const double odd = static_cast<double>((this->rng() >> (64 - bits)) | 1);
    const int of_pivot =
        this->below(2) ? this->below(60) - 30 : this->below(sizeof(T) == 8 ? 1800 : 200) - (sizeof(T) == 8 ? 950 : 130);
    const T pivot = static_cast<T>(unit ? 1 : (this->below(2) ? 1 : -1) * std::ldexp(odd, of_pivot));
    // Twice the half, an odd number of halves of the result's last place.
    const int places = this->below(2) ? F::digits : 1 + this->below(F::digits - 1);
    const std::uint64_t low =
        places == F::digits || this->below(3) == 0 ? this->rng() >> (64 - places) : this->below(4);
    const std::uint64_t top = std::uint64_t{1} << (places - 1);
    const double lower = static_cast<double>(places == F::digits ? low | top : low);
    const int exponent = places == F::digits ? this->below(80) - 40 - F::digits : F::min_exponent;
    const int scale = this->below(2) ? 0 : 1700;
    const int to = exponent + scale;  // of the numerator's scale
    const double d = std::fabs(double{pivot}), sign = this->below(2) ? 1 : -1;
    int of_d = 0;
    const double m = std::frexp(d, &of_d);
    if (to + of_d < -600 || to + of_d > 900) continue;
    const DoublePair product = two_product(lower, m);
    TripleSum numerator{std::ldexp(product.high, to + of_d), std::ldexp(product.low, to + of_d), 0, 0};
    triple_add(numerator, {std::ldexp(m, to + of_d - 1), 0, 0, 0});
    const int side = this->below(3) - 1;
    const double tail = std::ldexp(numerator.a1, -150 - this->below(700 + std::min(to + of_d, 100)));
    if (numerator.a3 != 0 || (side != 0 && (tail == 0 || numerator.a1 == 0))) continue;
    triple_add(numerator, {side * tail, 0, 0, 0});
    if (side != 0 && this->below(2)) numerator.error += std::fabs(tail) / 4;
    const TripleSum given{sign * numerator.a1, sign * numerator.a2, sign * numerator.a3, numerator.error};
    const Unknown<T> unknown = Unknown<T>::of_row(1, pivot, unit);
    T result{};
    ++tried;
    ties += side == 0;
    ASSERT_TRUE(unknown.approximate_quotient_apart(given, scale, result))
        << std::hexfloat << i << " " << given.a1 << " + " << given.a2 << " + " << given.a3 << " +- " << given.error
        << " over " << pivot << " scale " << scale;
    const double up = side > 0 || (side == 0 && std::fmod(lower, 2) == 1);
    const T want = static_cast<T>(sign * (pivot < 0 ? -1 : 1) * std::ldexp(lower + up, exponent));
    ASSERT_EQ(to_bits(result), to_bits(want))
        << std::hexfloat << i << " " << given.a1 << " + " << given.a2 << " + " << given.a3 << " +- " << given.error
        << " over " << pivot << " scale " << scale << ": " << result << " for " << want;
  }
  EXPECT_GT(tried, 10000);
  EXPECT_GT(ties, 3000);
}

template <class E>
using ExactQuotient = Substitution<E>;
TYPED_TEST_SUITE(ExactQuotient, Types);

/// Quotients have any exponents: they are subnormal, too large, or have parts far apart. They lie halfway between two
/// numbers, near there, or anywhere.
TYPED_TEST(ExactQuotient, LeadingBitsDecideAsComparisonsDo) {
  using E = TypeParam;
  using T = RealOf<E>;
  constexpr int parts = parts_of<E>;
  constexpr int widest = sizeof(T) == 8 ? 1040 : 140;
  for (int i = 0; i < 40000; ++i) {
    const int exponents = i % 5 == 0 ? widest : i % 5 == 1 ? 30 : 0;
    const int of_pivot = this->below(2 * widest) - widest, of_sums = this->below(4 * widest) - 2 * widest;
    const auto at = [](double x, int exponent) { return static_cast<T>(std::ldexp(x, exponent)); };
    E pivot = this->element(exponents), x = this->element(this->below(4) ? 0 : exponents);
    if constexpr (is_complex<E>)
      pivot = {at(pivot.re, of_pivot), at(pivot.im, of_pivot)};
    else
      pivot = at(pivot, of_pivot);
    // The sums are those of x pivot, of half a unit of x more, with a small change, or arbitrary.
    ExactSum<double> above[parts];
    const bool halfway = this->below(2);
    const double scale = std::ldexp(1, std::clamp(of_sums, -1000, 1000));
    for (int part = 0; part < parts; ++part) {
      for (int of = 0; of < parts; ++of) {
        const T number = part_of(x, of), factor = part_of(pivot, part ^ of);
        const double sign = part == 0 && of == 1 ? -1 : 1;
        above[part].add(sign * number, factor);
        if (halfway) above[part].add(sign * (std::nextafter(number, T(2) * number) - number) / 2, factor);
      }
      if (this->below(3) == 0) above[part].add(this->number(0) * scale, this->number(exponents));
      if (this->below(8) == 0) above[part] = {};
    }
    const Unknown<E> unknown = Unknown<E>::of_row(E{T(0)}, pivot, false);
    const E quick = unknown.exact(above), slow = unknown.template exact<false>(above);
    ASSERT_EQ(std::memcmp(&quick, &slow, sizeof(E)), 0)
        << std::hexfloat << i << " pivot " << part_of(pivot, 0) << ", " << part_of(pivot, parts - 1) << ": "
        << part_of(quick, 0) << ", " << part_of(quick, parts - 1) << " for " << part_of(slow, 0) << ", "
        << part_of(slow, parts - 1);
  }
}

}  // namespace
}  // namespace accublas
