// Multiple-precision numbers and their places in arrays.
//
// A finite nonzero element of precision p is (-1)^sign X 2^(exponent - p), 2^(p-1) <= X < 2^p, so that
// 2^(exponent-1) <= abs < 2^exponent (MPFR's convention). X is kept as residues modulo the first `moduli` primes of
// lib/numerics/rns_moduli.hpp with a product M > 2^(p+1), and as an interval around X / M. Zeros, infinities and NaN
// have the exponent's codes below, X = 0 and the interval 0, 0; zeros and infinities are signed, NaN has sign 0. So
// equal numbers have equal bits.
//
// In host memory residues and intervals are made when something asks for them (a move to a device); until then X waits
// in digits of 31 bits, from which an aligned form gets the residues of all its moduli at once. An element's residues
// first, and the other moduli's from those, would be as many multiplications, and memory besides.
#pragma once

#include <cstdint>

#include "lib/base/integers.hpp"

namespace accublas::mp {

/// MPFR's default range. Beyond it results overflow to infinity; values below 2^(least_exponent - 1) are rounded to it
/// or to zero, to nearest, the midpoint to zero.
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

/// Digits of 31 bits of X: no more than moduli, for they are below 2^31 and their product is above 2^p.
constexpr int digits_of(const Format& format) { return ceil_div(format.precision, 31); }

/// Planes begin at multiples of this many residues (64 bytes), on every backend: arrays move plane by plane.
inline constexpr std::int64_t plane_padding = 16;

/// The arrays of an array, in the memory of its backend. Residue k of element e is digits[k stride + e]; the bounds of
/// X / M are eval[e] and eval[length + e]. Or `positional`, in host memory: X = sum_k digits[k stride + e] 2^(31 k),
/// k < digits_of(format), nothing but zeros in planes k < low, and eval is unset.
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
  /// Of all arrays.
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
  /// The same elements in the same order as one column, where they are evenly spaced.
  Block flattened() const {
    if (rows == 1) return {offset, columns, 1, column_stride, 0};
    if (column_stride == rows * row_stride) return {offset, rows * columns, 1, row_stride, 0};
    return *this;
  }
};

/// Numbers as limbs in host memory: number t = i + j rows of a block has X at limb[t format.limbs], exponent[t],
/// sign[t], with the conventions above.
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
