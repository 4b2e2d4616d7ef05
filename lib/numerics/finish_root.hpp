// The last step of NRM2: the square root of an exact sum of squares, rounded once.
//
// Method: floor(sqrt(V)) of an integer V of 127 or 128 bits has 64 bits, and whether it is the root itself is all that
// round_to needs to know about the bits below. The bits that V leaves out do not matter: floor(sqrt(y)) =
// floor(sqrt(floor(y))).
#pragma once

#include <cmath>

#include "lib/numerics/rounding.hpp"
#include "lib/numerics/triple_sum.hpp"
#include "lib/numerics/wide.hpp"

namespace accublas {

/// RN(sqrt((v + rest) 2^exponent)) for v >= 0 taken as unsigned, where 0 <= rest < 1, and rest > 0 only if `more`.
/// `more` requires v >= 2^127. The result is +0 for v = 0.
template <class T, int L>
ACCUBLAS_HD ACCUBLAS_NOINLINE T finish_root(const Wide<L>& v, bool more, int exponent);

/// RN(2^scale sqrt(s + c)) for a normal number s and abs(c) < s / 2, or s = c = 0 (the pair of dot2).
template <class T>
ACCUBLAS_HD T finish_root_pair(double s, double c, int scale);

/// Computes RN(2^scale sqrt(x)) for a real number x between s + c - error and s + c + error, error >= 0. Returns true,
/// with the result in *out, if the whole interval has one result; returns false if the interval does not decide.
template <class T>
ACCUBLAS_HD bool finish_root_within(double s, double c, double error, int scale, T* out);

// -------------------------------------------------------------------------------------------------------------------

namespace detail {

ACCUBLAS_HD inline double sqrt_rn(double x) {
#ifdef __CUDA_ARCH__
  return __dsqrt_rn(x);
#else
  return std::sqrt(x);
#endif
}

/// floor(sqrt(v)) for v >= 2^126; *exact says whether it is the root. The floating-point estimate and one Newton step
/// are off by at most 1; the last two loops correct that.
ACCUBLAS_HD inline std::uint64_t integer_root(Uint128 v, bool* exact) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  const double high = static_cast<double>(static_cast<std::uint64_t>(v >> 64));
  const double estimate = sqrt_rn(high) * 0x1p+32;  // within 2^12 of the root: two roundings and the lower half of v
  std::uint64_t r = estimate >= 0x1p+64 ? most : static_cast<std::uint64_t>(estimate);
  const Uint128 square = static_cast<Uint128>(r) * r;
  // abs(v - r^2) < 2^78; its lowest 32 bits move the correction by less than 2^-31.
  const bool above = v < square;
  const Uint128 distance = above ? square - v : v - square;
  const double step =
      static_cast<double>(static_cast<std::uint64_t>(distance >> 32)) * 0x1p+32 / (2 * static_cast<double>(r));
  const std::uint64_t whole = static_cast<std::uint64_t>(step);
  r = above ? r - whole : whole > most - r ? most : r + whole;
  while (static_cast<Uint128>(r) * r > v) --r;
  while (r != most && static_cast<Uint128>(r + 1) * (r + 1) <= v) ++r;
  *exact = static_cast<Uint128>(r) * r == v;
  return r;
}

/// s + c = (value + rest) 2^unit, 0 <= rest < 1, and rest > 0 only if `more`.
struct PairInteger {
  Wide<3> value;
  int unit;
  bool more;
};

/// s fills 53 + 80 bits of the value, so that finish_root has 128 bits whatever c is. `rest` is the part of c below the
/// unit.
ACCUBLAS_HD inline PairInteger pair_integer(double s, double c) {
  const int unit = decode(s).exponent - 80;
  bool lost = false;
  Wide<3> value = wide_add(wide_from_double<3>(s, unit, &lost), wide_from_double<3>(c, unit, &lost));
  if (lost && c < 0) value = wide_sub(value, wide_from<3>(1));  // the lost bits were rounded towards zero
  return {value, unit, lost};
}

}  // namespace detail

template <class T, int L>
ACCUBLAS_HD T finish_root(const Wide<L>& v, bool more, int exponent) {
  const WideTop top = wide_top(v);
  if (top.high == 0) return T(0);
  Uint128 leading = static_cast<Uint128>(top.high) << 64 | top.low;
  bool rest = more || top.lost;
  int e = exponent + top.shift;
  if (e % 2 != 0) {  // sqrt(2^e) must be a power of two
    rest |= (leading & 1) != 0;
    leading >>= 1;
    ++e;
  }
  bool exact = false;
  const std::uint64_t root = detail::integer_root(leading, &exact);
  return round_to<T>(false, root, rest || !exact, e / 2);
}

template <class T>
ACCUBLAS_HD T finish_root_pair(double s, double c, int scale) {
  const detail::PairInteger sum = detail::pair_integer(s, c);
  return finish_root<T>(sum.value, sum.more, sum.unit + 2 * scale);
}

template <class T>
ACCUBLAS_HD bool finish_root_within(double s, double c, double error, int scale, T* out) {
  const detail::PairInteger sum = detail::pair_integer(s, c);
  Uint128 width;
  if (!detail::round_up_scaled(error, -sum.unit, &width)) return false;
  const Wide<3> bound = {{static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(width >> 64), 0}};
  const Wide<3> low = wide_sub(sum.value, bound);
  const Wide<3> high = wide_add(wide_add(sum.value, bound), wide_from<3>(sum.more));
  if (wide_negative(low)) return false;
  // RN and the root are monotonic: if both ends round to one number, every number between them rounds to it.
  *out = finish_root<T>(low, false, sum.unit + 2 * scale);
  return to_bits(*out) == to_bits(finish_root<T>(high, false, sum.unit + 2 * scale));
}

}  // namespace accublas
