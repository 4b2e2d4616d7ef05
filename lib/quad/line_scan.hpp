// Facts about the rows of op(A) and the columns of op(B), and the integers that the int8 engine multiplies in place of
// their entries. CPU and GPU share these functions.
#pragma once

#include "lib/numerics/escalation.hpp"
#include "lib/quad/number.hpp"

namespace accublas::quad {

/// Facts about a line. Its sums are in units of 2^unit, near the largest entry.
struct LineScan {
  static constexpr int none = -0x40000000;

  bool infinite = false, nan = false, pairs = false;
  int above = none;  ///< least with abs(part) < 2^above for all parts
  int last_bit = -none;
  int unit = none;
  double sum = 0, squares = 0;

  ACCUBLAS_HD void look(const Number& x) {
    infinite |= x.kind == Number::Kind::infinite;
    nan |= x.kind == Number::Kind::nan;
    pairs |= x.parts == 2;
    double size = 0;
    for (int i = 0; i < x.parts; ++i) size += look(x.part[i].mantissa, x.part[i].exponent);
    sum += size;
    squares += size * size;
  }

  /// Returns abs of a part in units of 2^unit, from above but for its rounding.
  ACCUBLAS_HD double look(Uint128 m, int exponent) {
    const int length = bit_length(m), top = exponent + length, last = exponent + trailing_zeros(m);
    if (top > above) above = top;
    if (last < last_bit) last_bit = last;
    if (top > unit + 300) move_unit(top);
    const double leading = static_cast<double>(static_cast<std::uint64_t>(m << (128 - length) >> 64));
    // An entry far below the largest one counts as 2^-500, so that nothing underflows to 0.
    return top < unit - 500 ? 0x1p-500 : leading * power_of_two(top - unit - 64);
  }

  /// Adds the facts about other entries of the line.
  ACCUBLAS_HD void merge(const LineScan& o) {
    infinite |= o.infinite;
    nan |= o.nan;
    pairs |= o.pairs;
    if (o.above > above) above = o.above;
    if (o.last_bit < last_bit) last_bit = o.last_bit;
    if (o.unit == none) return;
    if (o.unit > unit) move_unit(o.unit);
    // The other part in this unit, which is not below its own.
    const int down = unit - o.unit < 500 ? unit - o.unit : 500;
    sum += o.sum * power_of_two(-down);
    squares += o.squares * power_of_two(-down) * power_of_two(-down);
  }

 private:
  /// Earlier entries become small: at least 2^-300 of the new one, or negligible.
  ACCUBLAS_HD void move_unit(int top) {
    const int down = unit == none ? 0 : top - unit < 500 ? top - unit : 500;
    sum *= power_of_two(-down);
    squares = squares * power_of_two(-down) * power_of_two(-down);
    unit = top;
  }
};

/// Facts about a line that the engine keeps; cpu::Int8Lines describes them.
struct LineFacts {
  int exponent, last_bit;
  double norm, lambda;  ///< bounds from above
  std::uint8_t special;
};
ACCUBLAS_HD inline LineFacts facts_of(const LineScan& scan, Index k) {
  LineFacts facts{0, -LineScan::none, 0, 0, static_cast<std::uint8_t>(scan.nan ? 2 : scan.infinite ? 1 : 0)};
  if (scan.sum == 0 || facts.special != 0) return facts;
  // Both parts of a pair are below 2^above.
  facts.exponent = scan.above + scan.pairs;
  facts.last_bit = scan.last_bit;
  // k roundings of each sum, those of the conversions and units, and the truncation of each entry to 64 bits.
  const double slack = 1 + static_cast<double>(k + 64) * 0x1p-51;
  const double unit = power_of_two(scan.unit - facts.exponent);
  facts.norm = sqrt(scan.squares * slack) * (1 + 0x1p-50) * unit;
  // The ceiling of each entry adds up to 1.
  facts.lambda = (scan.sum * unit * 0x1p24 + static_cast<double>(k)) * slack;
  return facts;
}

/// The scale of a line with `bits` bits, and how far its rounding moves a sum. The parts of pairs are rounded one by
/// one, so that such a line moves a sum twice as far.
struct LineScaling {
  int scale;
  LineError error;
};
ACCUBLAS_HD inline LineScaling line_scaling(const LineFacts& line, int bits, bool row, bool pairs, Index k) {
  const int scale = line_scale(line.norm, line.exponent, bits, true);
  const LineError e = line_error(line.norm, line.lambda, line.exponent, line.last_bit, scale, k, row);
  const double times = pairs ? 2 : 1;
  return {scale, {times * e.drop, e.error + (row ? (times - 1) * e.drop * static_cast<double>(k) / 4 : 0)}};
}

/// The integer nearest to x 2^scale, abs(x) 2^scale < 2^171, as a magnitude.
struct ScaledEntry {
  Wide<3> magnitude;
  bool negative;
};
ACCUBLAS_HD inline ScaledEntry scale_part(const Decoded128& x, int scale) {
  const int shift = x.exponent + scale;
  ScaledEntry r{{}, x.negative};
  const std::uint64_t low = static_cast<std::uint64_t>(x.mantissa), high = static_cast<std::uint64_t>(x.mantissa >> 64);
  if (shift >= 0) {
    const bool whole = shift >= 64;
    const int left = shift & 63, right = 63 - left;
    const std::uint64_t w0 = whole ? 0 : low, w1 = whole ? low : high, w2 = whole ? high : 0;
    r.magnitude = {{w0 << left, w1 << left | w0 >> 1 >> right, w2 << left | w1 >> 1 >> right}};
  } else if (shift > -114) {
    const Uint128 nearest = (x.mantissa + (Uint128{1} << (-shift - 1))) >> -shift;
    r.magnitude.limb[0] = static_cast<std::uint64_t>(nearest);
    r.magnitude.limb[1] = static_cast<std::uint64_t>(nearest >> 64);
  }
  return r;
}
ACCUBLAS_HD inline ScaledEntry add_scaled(const ScaledEntry& x, const ScaledEntry& y) {
  const Wide<3> sum = wide_add(wide_negate_if(x.magnitude, x.negative), wide_negate_if(y.magnitude, y.negative));
  const bool negative = wide_negative(sum);
  return {wide_negate_if(sum, negative), negative};
}
/// The sum of the integers of all parts.
ACCUBLAS_HD inline ScaledEntry scale_number(const Number& x, int scale) {
  if (x.parts == 0) return {{}, false};
  const ScaledEntry first = scale_part(x.part[0], scale);
  return x.parts == 1 ? first : add_scaled(first, scale_part(x.part[1], scale));
}

/// Cuts an entry into limbs of int8_limb_bits bits (lib/numerics/moduli.hpp). Every limb but the top one is at most
/// 2^41 in magnitude.
template <int Most>
ACCUBLAS_HD inline void cut_limbs(const ScaledEntry& x, int limbs, std::int64_t (&to)[Most]) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << int8_limb_bits) - 1;
  constexpr std::int64_t half = std::int64_t{1} << (int8_limb_bits - 1);
  const std::uint64_t* const w = x.magnitude.limb;
  const std::uint64_t digit[4] = {w[0], w[0] >> 42 | w[1] << 22, w[1] >> 20 | w[2] << 44, w[1] >> 62 | w[2] << 2};
  std::int64_t carry = 0;
  for (int l = 0; l < Most; ++l) {
    if (l >= limbs) break;
    std::int64_t limb = static_cast<std::int64_t>(l + 1 < limbs ? digit[l] & mask : digit[l]) + carry;
    carry = l + 1 < limbs && limb > half;
    if (carry) limb -= std::int64_t{1} << int8_limb_bits;
    to[l] = x.negative ? -limb : limb;
  }
}

}  // namespace accublas::quad
