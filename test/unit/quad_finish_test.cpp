// The steps of products beyond double precision that threads of a GPU take, run on the host: lines in parts, entries as
// integers and limbs, integers from residues by 16-bit digits, and roundings of intervals, against exact integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "cuda/quad/blocking.hpp"
#include "lib/numerics/crt.hpp"
#include "lib/quad/crt_digits.hpp"
#include "lib/quad/interval_finish.hpp"
#include "lib/quad/line_scan.hpp"
#include "quad_random.hpp"

namespace accublas::quad {
namespace {

class QuadSteps : public RandomNumbers {
 protected:
  Wide<crt_limbs> integer(int bits) {
    Wide<crt_limbs> r{};
    for (int i = 0; i < crt_limbs; ++i) r.limb[i] = 64 * i < bits ? rng() : 0;
    for (int i = 0; i < crt_limbs; ++i)
      if (64 * (i + 1) > bits && 64 * i < bits) r.limb[i] &= (std::uint64_t{2} << (bits - 64 * i - 1)) - 1;
    if (one_in(4))  // a run of zeros or ones
      for (int i = 0; i < bits / 64 - 1; ++i) r.limb[i] = (rng() & 1) != 0 ? 0 : ~std::uint64_t{0};
    return wide_negate_if(r, (rng() & 1) != 0);
  }
};

SignedLimbs limbs_of(const Wide<crt_limbs>& s, std::int64_t exponent, std::uint64_t* to) {
  const bool negative = wide_negative(s);
  const Wide<crt_limbs> m = wide_negate_if(s, negative);
  int count = crt_limbs;
  while (count > 0 && m.limb[count - 1] == 0) --count;
  std::copy_n(m.limb, count, to);
  return {to, count, exponent, negative};
}

TEST_F(QuadSteps, IntegersOfResiduesAreThoseOfTheRemainderTheorem) {
  for (int count = 1; count <= max_moduli; ++count) {
    const CrtTable table = make_crt_table(count);
    const CrtDigits digits = make_crt_digits(table);
    ASSERT_LE(digits.digits, CrtDigits::most_digits);
    const int bits = wide_bit_length(table.product) - 2;  // abs(S) < P / 4, and the largest S below
    for (int t = 0; t < 200; ++t) {
      Wide<crt_limbs> s = integer(std::max(1, t % 2 == 0 ? bits : between(1, bits)));
      if (t < 2) {
        // P / 2 / crt_margin, rounded down: 32 P / 66.
        s = divide_exactly(table.product, 66);
        s = wide_negate_if(wide_shift_left(s, 5), t == 1);
      }
      std::int8_t residue[max_moduli + 1] = {};
      for (int l = 0; l < count; ++l) {
        const int p = moduli_list().p[l];
        const bool negative = wide_negative(s);
        int r = residue_of(wide_negate_if(s, negative), p);
        if (negative) r = (p - r) % p;
        if (r > 127 || (r > 0 && r - p >= -128 && one_in(2))) r -= p;
        residue[l] = static_cast<std::int8_t>(r);
      }
      std::int32_t sum[CrtDigits::most_digits] = {};
      for (int pair = 0; pair < digits.pairs; ++pair) {
        const std::uint32_t bytes = static_cast<std::uint8_t>(residue[2 * pair]) |
                                    static_cast<std::uint32_t>(static_cast<std::uint8_t>(residue[2 * pair + 1])) << 8;
        for (int d = 0; d < CrtDigits::most_digits; ++d)
          sum[d] = t % 3 == 0 ? add_two_products<true>(digits.weight[pair][d], bytes << 16, sum[d])
                              : add_two_products<false>(digits.weight[pair][d], bytes, sum[d]);
      }
      const Wide<crt_limbs> found = integer_of_digits(digits, sum);
      ASSERT_TRUE(std::equal(found.limb, found.limb + crt_limbs, s.limb)) << count << " moduli, case " << t;
    }
  }
}

/// The value of limbs, as an integer modulo 2^192.
Wide<3> value_of(const std::int64_t* limb, int limbs) {
  Wide<3> sum{};
  for (int l = limbs - 1; l >= 0; --l) sum = wide_add(wide_shift_left(sum, int8_limb_bits), wide_from<3>(limb[l]));
  return sum;
}

TEST_F(QuadSteps, EntriesAreRoundedToIntegersAndCutIntoLimbs) {
  for (int t = 0; t < 200000; ++t) {
    const Format format = static_cast<Format>(below(3));
    const Number x = number(format, -60, 60);
    if (x.parts == 0) continue;
    const int limbs = between(2, 4), bits = limbs == 2 ? 85 : limbs == 3 ? 127 : 169;
    int top = -100000;
    for (int i = 0; i < x.parts; ++i) top = std::max(top, x.part[i].exponent + bit_length(x.part[i].mantissa));
    const int scale = bits - x.parts + 1 - top - (one_in(3) ? between(0, 150) : 0);
    // Every part is within half a unit.
    Wide<3> expected{};
    for (int i = 0; i < x.parts; ++i) {
      const int shift = x.part[i].exponent + scale;
      const std::uint64_t m[2] = {static_cast<std::uint64_t>(x.part[i].mantissa),
                                  static_cast<std::uint64_t>(x.part[i].mantissa >> 64)};
      Wide<3> part{};
      limbs_extract(part.limb, 3, m, 2, -shift);
      if (shift < 0 && limbs_bit(m, 2, -shift - 1)) part = wide_add(part, wide_from<3>(1));
      expected = wide_add(expected, wide_negate_if(part, x.part[i].negative));
    }
    std::int64_t limb[4] = {};
    cut_limbs(scale_number(x, scale), limbs, limb);
    const Wide<3> found = value_of(limb, limbs);
    ASSERT_TRUE(std::equal(found.limb, found.limb + 3, expected.limb)) << "case " << t;
    for (int l = 0; l < limbs; ++l)
      ASSERT_LE(std::abs(limb[l]), std::int64_t{1} << (l + 1 < limbs ? 41 : 44)) << "case " << t;
  }
}

TEST_F(QuadSteps, FactsAboutALineDoNotDependOnItsParts) {
  for (int t = 0; t < 3000; ++t) {
    const Format format = static_cast<Format>(below(3));
    const bool wide = one_in(3) && format == Format::binary128;
    const int k = between(1, 70), parts = between(1, 8);
    LineScan whole, merged;
    std::vector<LineScan> scans(static_cast<std::size_t>(parts));
    double norm = 0, lambda = 0;
    std::vector<Number> entries;
    for (int p = 0; p < k; ++p) {
      Number x = wide ? number_of(binary128(between(0, 32766))) : number(format, -40, 40);
      if (one_in(6)) x = Number{};
      entries.push_back(x);
      whole.look(x);
      scans[static_cast<std::size_t>(p % parts)].look(x);
    }
    for (const LineScan& scan : scans) merged.merge(scan);
    const LineFacts a = facts_of(whole, k), b = facts_of(merged, k);
    ASSERT_EQ(a.exponent, b.exponent);
    ASSERT_EQ(a.last_bit, b.last_bit);
    ASSERT_EQ(a.special, b.special);
    // Both are upper bounds of the same numbers, and near them.
    for (const Number& x : entries) {
      double size = 0;
      for (int i = 0; i < x.parts; ++i)
        size += std::ldexp(static_cast<double>(x.part[i].mantissa), std::max(x.part[i].exponent - a.exponent, -1074));
      norm += size * size;
      lambda += std::ceil(size * 0x1p24);
    }
    norm = std::sqrt(norm);
    for (const LineFacts& facts : {a, b}) {
      ASSERT_GE(facts.norm, norm * (1 - 0x1p-44));
      ASSERT_LE(facts.norm, norm * (1 + 0x1p-40));
      ASSERT_GE(facts.lambda, lambda * (1 - 0x1p-44));
      ASSERT_LE(facts.lambda, (lambda + k) * (1 + 0x1p-30));
    }
  }
}

/// A product of small integers in the coordinates of the engine: what the residues of a line are multiplied to.
Wide<crt_limbs> times(const ScaledEntry& x, const ScaledEntry& y) {
  Wide<crt_limbs> product{};
  limbs_multiply(product.limb, x.magnitude.limb, 3, y.magnitude.limb, 3);
  return wide_negate_if(product, x.negative != y.negative);
}

TEST_F(QuadSteps, IntervalsOfScaledLinesHaveTheirExactSums) {
  int decided = 0, left = 0;
  for (int t = 0; t < 20000; ++t) {
    const Format formats[2] = {static_cast<Format>(below(3)), static_cast<Format>(below(3))},
                 of_c = static_cast<Format>(below(3));
    const int k = between(1, 24), high = between(-20, 20), low = high - between(0, 100), bits = between(60, 160);
    std::vector<Number> lines[2];
    LineScan scans[2];
    for (int side = 0; side < 2; ++side)
      for (int p = 0; p < k; ++p) {
        lines[side].push_back(one_in(9) ? Number{} : number(formats[side], low, high));
        scans[side].look(lines[side].back());
      }
    if (one_in(3) && k > 1) {  // most of the sum cancels
      for (int p = 1; p < k; p += 2) {
        lines[0][static_cast<std::size_t>(p)] = lines[0][static_cast<std::size_t>(p - 1)];
        Number& y = lines[1][static_cast<std::size_t>(p)] = lines[1][static_cast<std::size_t>(p - 1)];
        y.negative = !y.negative;
        for (int i = 0; i < y.parts; ++i) y.part[i].negative = !y.part[i].negative;
      }
      for (int side = 0; side < 2; ++side) {
        scans[side] = {};
        for (const Number& x : lines[side]) scans[side].look(x);
      }
    }
    const auto exact = std::make_unique<WideSum>();
    LineScaling scaling[2];
    for (int side = 0; side < 2; ++side)
      scaling[side] = line_scaling(facts_of(scans[side], k), bits, side == 0, formats[side] == Format::pair, k);
    Wide<crt_limbs> s{};
    for (std::size_t p = 0; p < static_cast<std::size_t>(k); ++p) {
      const Number &x = lines[0][p], &y = lines[1][p];
      s = wide_add(s, times(scale_number(x, scaling[0].scale), scale_number(y, scaling[1].scale)));
      for (int i = 0; i < x.parts; ++i)
        for (int j = 0; j < y.parts; ++j) exact->add_product(x.part[i], y.part[j]);
    }
    const double error = element_error(scaling[0].error, scaling[1].error);
    const Number alpha = one_in(2) ? number_of(1.0) : number(of_c, -3, 3),
                 beta = one_in(2) ? Number{} : number(of_c, -3, 3), c = number(of_c, low, high);
    if (alpha.parts == 0) continue;
    const auto finish = std::make_unique<Finish>(alpha, beta, of_c);
    std::vector<std::uint64_t> limbs(WideSum::limbs);
    const Value expected = finish->round(exact->value(limbs.data()), c);
    const IntervalFinish interval(alpha, beta, of_c);
    const std::int64_t exponent = -(std::int64_t{scaling[0].scale} + scaling[1].scale);
    Value found{};
    unsigned raised = 0;
    if (interval.usual() && interval.decide_usual(s, exponent, error, &found.quad)) {
      ASSERT_TRUE(finish->same(found, expected)) << t;
    }
    if (interval.decide(s, exponent, error, c, &found, raised)) {
      ++decided;
      ASSERT_TRUE(finish->same(found, expected)) << t;
    } else {
      ++left;
    }
  }
  EXPECT_GT(decided, 5000);
  EXPECT_GT(left, 1000);
}

/// Compares the rounding of an interval with the roundings of both of its ends by Finish.
class Roundings : public QuadSteps {
 protected:
  int decided = 0, usual = 0, left = 0;

  void compare(const Number& alpha, const Number& beta, Format format, const Wide<crt_limbs>& s, std::int64_t exponent,
               double error, const Number& c) {
    const IntervalFinish finish(alpha, beta, format);
    const auto exact = std::make_unique<Finish>(alpha, beta, format);
    Value value{}, ends[3];
    std::uint64_t limb[crt_limbs];
    const Wide<crt_limbs> bound = integer_of(std::floor(error));  // an end that is an integer
    ends[0] = exact->round(limbs_of(wide_sub(s, bound), exponent, limb), c);
    ends[1] = exact->round(limbs_of(s, exponent, limb), c);
    ends[2] = exact->round(limbs_of(wide_add(s, bound), exponent, limb), c);
    const bool one = exact->same(ends[0], ends[2]);
    unsigned raised = 0;
    if (finish.usual() && finish.decide_usual(s, exponent, error, &value.quad)) {
      ++usual;
      ASSERT_TRUE(exact->same(value, ends[1]));
      ASSERT_TRUE(one);
    }
    if (finish.decide(s, exponent, error, c, &value, raised)) {
      ++decided;
      ASSERT_TRUE(exact->same(value, ends[1])) << error;
      ASSERT_TRUE(one) << error;
      ASSERT_EQ(raised, exact->exceptions_of(ends[1], false, true));
    } else {
      ++left;
      // Without an error and an addend everything is decided.
      ASSERT_FALSE(error == 0 && beta.is_zero() && alpha.parts == 1);
    }
  }
  static Wide<crt_limbs> integer_of(double x) {
    const Decoded d = decode(x);
    const std::uint64_t m[1] = {d.mantissa};
    Wide<crt_limbs> r{};
    limbs_extract(r.limb, crt_limbs, m, 1, -d.exponent);
    return r;
  }
  static Number power(int exponent, bool negative) {
    return {Number::Kind::finite, negative, 1, {{Uint128{1}, exponent, negative}}};
  }
};

TEST_F(Roundings, OfIntervalsAreThoseOfTheirEnds) {
  for (int t = 0; t < 300000; ++t) {
    const Format format = static_cast<Format>(below(3));
    const int bits = between(1, 330);
    const Wide<crt_limbs> s = one_in(50) ? Wide<crt_limbs>{} : integer(bits);
    const bool extreme = one_in(4);
    const std::int64_t exponent = !extreme                      ? between(-400, 100)
                                  : format == Format::binary128 ? between(-16900, 16400)
                                                                : between(-1400, 1100);
    const double error = one_in(3) ? 0 : std::ldexp(binary64(0, 0), between(0, std::max(1, bits - 90)));
    const bool simple = one_in(2);
    const Number alpha = simple ? power(between(-5, 5), one_in(2)) : number(format, -20, 20),
                 beta = simple || one_in(4) ? Number{} : number(format, -20, 20);
    if (alpha.parts == 0) continue;
    const Number c = one_in(10) ? Number{}
                                : number(format, static_cast<int>(std::clamp<std::int64_t>(exponent, -900, 700)),
                                         static_cast<int>(std::clamp<std::int64_t>(exponent, -900, 700)) + bits);
    compare(alpha, beta, format, s, exponent, std::fabs(error), c);
  }
  EXPECT_GT(decided, 200000);
  EXPECT_GT(usual, 10000);
  EXPECT_GT(left, 1000);
}

TEST_F(Roundings, NextToMidpointsAndWithCancellationAreRight) {
  for (int t = 0; t < 100000; ++t) {
    const Format format = static_cast<Format>(below(3));
    const int digits = format == Format::binary64 ? 53 : format == Format::pair ? between(54, 107) : 113;
    // An odd multiple of half of the last bit, and at times something below.
    Wide<crt_limbs> s = integer(digits + 1);
    s.limb[0] |= 1;
    const int up = between(0, 150);
    s = wide_shift_left(s, up);
    if (up > 0 && one_in(2)) s = wide_add(s, wide_from<crt_limbs>(between(-1, 1)));
    const double error = one_in(2) ? 0 : std::ldexp(1.0, between(-3, up));
    const bool simple = one_in(2);
    const int exponent = between(-200, 200);
    // c cancels most of S.
    const Binary128 near = round_to_binary128([&] {
      static std::uint64_t limb[crt_limbs];
      return limbs_of(wide_negate_if(s, true), exponent, limb);
    }());
    const double near64 = std::ldexp(1.0, exponent + between(-20, 150));
    const Number c = format == Format::binary128 ? number_of(near) : number_of(near64);
    compare(power(0, false), simple ? Number{} : power(between(0, 1), one_in(2)), format, s, exponent, error, c);
  }
  EXPECT_GT(decided, 30000);
  EXPECT_GT(left, 5000);
}

TEST_F(QuadSteps, BlocksFitTheWorkspaceOrAreTheLeast) {
  for (int t = 0; t < 20000; ++t) {
    const auto size = [&] { return Index{1} << between(0, 17) | below(1000); };
    const Index m = size(), n = size(), k = size();
    const int planes = between(15, max_moduli);
    const std::size_t budget = std::size_t{1} << between(20, 36);
    const cuda::QuadBlocking b = cuda::quad_blocking(m, n, k, planes, budget);
    ASSERT_EQ(b.rows % cuda::line_group + b.cols % cuda::line_group + b.terms % 128, 0);
    ASSERT_GT(std::min({b.rows, b.cols, b.terms}), 0);
    ASSERT_LE(b.terms, cuda::product_most_terms);
    ASSERT_LT(b.rows * b.cols, Index{1} << 32);
    const bool least = b.rows == cuda::line_group && b.cols == cuda::line_group && b.terms == 128;
    ASSERT_TRUE(least || b.bytes(planes) <= budget) << m << " x " << n << " x " << k;
  }
}

}  // namespace
}  // namespace accublas::quad
