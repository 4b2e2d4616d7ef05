// Multiple-precision numbers and how arrays store them.
//
// A finite nonzero element of precision p is (-1)^sign X 2^(exponent - p), 2^(p-1) <= X < 2^p, so that
// 2^(exponent-1) <= abs < 2^exponent (MPFR's convention). X is kept as residues modulo the first `moduli` primes of
// lib/numerics/rns_moduli.hpp with a product M > 2^(p+1), and as an interval around X / M. Zeros, infinities and NaN
// have the exponent's codes below, X = 0 and the interval 0, 0; zeros and infinities are signed, NaN has sign 0. So
// equal numbers have equal bits.
//
// In host memory residues and intervals are made only when an operation needs them (a move to a device). Until then X
// is stored in digits of 31 bits, from which an aligned form makes the residues of all its moduli at once. Making an
// element's residues first, and the other moduli's from those, would take as many multiplications and more memory.
#pragma once

#include <cstdint>

#include "lib/base/integers.hpp"

namespace accublas::mp {

/// MPFR's default range. Results beyond it overflow to infinity. Values below 2^(least_exponent - 1) are rounded to
/// that number or to zero, whichever is nearer, the midpoint to zero.
inline constexpr std::int32_t greatest_exponent = (1 << 30) - 1;
inline constexpr std::int32_t least_exponent = -greatest_exponent;

inline constexpr std::int32_t exponent_zero = INT32_MIN;
inline constexpr std::int32_t exponent_infinity = INT32_MIN + 1;
inline constexpr std::int32_t exponent_nan = INT32_MIN + 2;

constexpr bool is_special(std::int32_t exponent) { return exponent <= exponent_nan; }

struct Format {
  int precision;
  int limbs;   ///< 32-bit limbs of X where numbers travel: 2 ceil(precision / 64), little endian, X right-aligned
  int moduli;  ///< moduli_for_bits(precision)
};
Format make_format(int precision);

/// Number of digits of 31 bits of X. It is no more than the number of moduli, for they are below 2^31 and their product
/// is above 2^p.
constexpr int digits_of(const Format& format) { return ceil_div(format.precision, 31); }

/// Planes begin at multiples of this many residues (64 bytes), on every backend: arrays move plane by plane.
inline constexpr std::int64_t plane_padding = 16;

/// The memory of an array, in its backend's memory space. Residue k of element e is digits[k stride + e]; the bounds of
/// X / M are eval[e] and eval[length + e]. In the `positional` form, in host memory, X = sum_k digits[k stride + e]
/// 2^(31 k), k < digits_of(format), the planes k < low hold only zeros, and eval is not set.
struct Elements {
  Format format{};
  std::int64_t length = 0;
  std::int64_t stride = 0;  ///< length rounded up to plane_padding
  std::uint32_t* digits = nullptr;
  std::int32_t* exponent = nullptr;
  std::uint8_t* sign = nullptr;
  double* eval = nullptr;
  bool positional = false;
  int low = 0;

  void set_stride() { stride = round_up(length, plane_padding); }
  std::int64_t digit_bytes() const { return 4 * stride * format.moduli; }
  /// Returns the bytes of all arrays together.
  std::int64_t bytes() const { return digit_bytes() + 5 * stride + 16 * length; }
};

/// rows x columns elements of an array: (i, j) at offset + i row_stride + j column_stride (strides of vectors may be
/// negative).
struct Block {
  std::int64_t offset = 0;
  std::int64_t rows = 0, columns = 0;
  std::int64_t row_stride = 1, column_stride = 0;

  std::int64_t size() const { return rows * columns; }
  std::int64_t at(std::int64_t i, std::int64_t j) const { return offset + i * row_stride + j * column_stride; }
  /// Returns the same elements in the same order as one column, if they are evenly spaced.
  Block flattened() const {
    if (rows == 1) return {offset, columns, 1, column_stride, 0};
    if (column_stride == rows * row_stride) return {offset, rows * columns, 1, row_stride, 0};
    return *this;
  }
};

/// Numbers as limbs in host memory: number t = i + j rows of a block has X at limb[t format.limbs], exponent[t] and
/// sign[t]. The comment at the top of this file states the conventions.
struct Numbers {
  std::uint32_t* limb;
  std::int32_t* exponent;
  std::uint8_t* sign;
};
struct ConstNumbers {
  const std::uint32_t* limb;
  const std::int32_t* exponent;
  const std::uint8_t* sign;
};

}  // namespace accublas::mp
