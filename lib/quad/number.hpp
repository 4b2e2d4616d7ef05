// The numbers of products beyond double precision: binary64, binary128, and pairs of binary64 numbers, which stand for
// their exact sum. Operands of one product may differ in their formats. For host and device.
#pragma once

#include <cmath>

#include "lib/call/problem.hpp"
#include "lib/numerics/binary128.hpp"

namespace accublas::quad {

enum class Format : std::uint8_t { binary64, binary128, pair };

/// A number as it is multiplied: the sum of its parts, none of which is 0, or an infinity, or NaN.
struct Number {
  enum class Kind : std::uint8_t { finite, infinite, nan };
  Kind kind = Kind::finite;
  bool negative = false;  ///< the sign, also that of a zero
  int parts = 0;
  Decoded128 part[2]{};

  ACCUBLAS_HD bool finite() const { return kind == Kind::finite; }
  ACCUBLAS_HD bool is_zero() const { return finite() && parts == 0; }
  /// A double of the same class and sign: NaN, +-Inf, +-1 or +-0.
  ACCUBLAS_HD double representative() const {
    const double size = kind == Kind::nan ? canonical_nan<double>() : finite() ? (parts == 0 ? 0.0 : 1.0) : HUGE_VAL;
    return negative ? -size : size;
  }
};

ACCUBLAS_HD inline Number number_of(double x) {
  if (is_nan(x)) return {Number::Kind::nan, false};
  const bool negative = (to_bits(x) & FloatFormat<double>::sign) != 0;
  if (!is_finite(x)) return {Number::Kind::infinite, negative};
  if (x == 0) return {Number::Kind::finite, negative};
  return {Number::Kind::finite, negative, 1, {decode128(x)}};
}
ACCUBLAS_HD inline Number number_of(const Binary128& x) {
  if (is_nan(x)) return {Number::Kind::nan, false};
  const bool negative = (to_bits(x) & FloatFormat<Binary128>::sign) != 0;
  if (!is_finite(x)) return {Number::Kind::infinite, negative};
  const Decoded128 part = decode128(x);
  if (part.mantissa == 0) return {Number::Kind::finite, negative};
  return {Number::Kind::finite, negative, 1, {part}};
}
/// high + low in the extended reals.
ACCUBLAS_HD inline Number number_of(double high, double low) {
  const Number h = number_of(high), l = number_of(low);
  if (!h.finite() || !l.finite()) return number_of(h.representative() + l.representative());
  if (l.parts == 0) return h;
  if (h.parts == 0) return l;
  if (high == -low) return {};
  const double larger = std::fabs(high) > std::fabs(low) ? high : low;
  return {Number::Kind::finite, larger < 0, 2, {h.part[0], l.part[0]}};
}

/// A matrix in host or device memory. Pairs lie interleaved, or the low parts are an array of their own; element (i, j)
/// is at i row_stride + j col_stride of either.
struct Operand {
  Format format = Format::binary128;
  const void* data = nullptr;  ///< pairs: the high parts
  const double* low = nullptr;
  Index row_stride = 0, col_stride = 0;
  int step = 1;  ///< of pairs: doubles from one high part to the next, 1 or 2

  ACCUBLAS_HD Number at(Index position) const {
    switch (format) {
      case Format::binary64:
        return number_of(static_cast<const double*>(data)[position]);
      case Format::binary128:
        return number_of(binary128(position));
      default:
        return number_of(static_cast<const double*>(data)[step * position], low[step * position]);
    }
  }
  /// A number of binary128.
  ACCUBLAS_HD Binary128 binary128(Index position) const {
#ifdef __CUDA_ARCH__
    return static_cast<const Binary128*>(data)[position];  // operands of a device are aligned to 8 bytes
#else
    Binary128 x;
    __builtin_memcpy(&x, static_cast<const char*>(data) + 16 * position, sizeof x);
    return x;
#endif
  }
  ACCUBLAS_HD Binary128 binary128(Index i, Index j) const { return binary128(i * row_stride + j * col_stride); }
  ACCUBLAS_HD Number operator()(Index i, Index j) const { return at(i * row_stride + j * col_stride); }
  ACCUBLAS_HD Operand transposed() const { return {format, data, low, col_stride, row_stride, step}; }
  /// The matrix whose element (0, 0) is element (i, j) of this one.
  Operand from(Index i, Index j) const { return moved(i * row_stride + j * col_stride); }
  Operand moved(Index position) const;
};

inline std::size_t bytes_of(Format format) { return format == Format::binary64 ? 8 : 16; }

inline Operand Operand::moved(Index position) const {
  Operand result = *this;
  if (format == Format::binary128)
    result.data = static_cast<const Binary128*>(data) + position;
  else
    result.data = static_cast<const double*>(data) + step * position;
  if (low) result.low = low + step * position;
  return result;
}

/// Views of the caller's arrays.
inline Operand view(Format format, const void* data, Index row_stride, Index col_stride) {
  Operand x{format, data, nullptr, row_stride, col_stride, 1};
  if (format == Format::pair) {
    x.low = static_cast<const double*>(data) + 1;
    x.step = 2;
  }
  return x;
}

/// A rounded result in one of the formats.
struct Value {
  Binary128 quad{};
  double high = 0, low = 0;  ///< binary64: high
};

/// A matrix of results.
struct Results {
  Operand place;

  ACCUBLAS_HD Number operator()(Index i, Index j) const { return place(i, j); }
  ACCUBLAS_HD void put(Index i, Index j, const Value& value) const {
    const Index position = i * place.row_stride + j * place.col_stride;
    if (place.format == Format::binary128) {
#ifdef __CUDA_ARCH__
      static_cast<Binary128*>(const_cast<void*>(place.data))[position] = value.quad;
#else
      __builtin_memcpy(static_cast<Binary128*>(const_cast<void*>(place.data)) + position, &value.quad, 16);
#endif
      return;
    }
    static_cast<double*>(const_cast<void*>(place.data))[place.step * position] = value.high;
    if (place.format == Format::pair) const_cast<double*>(place.low)[place.step * position] = value.low;
  }
};

/// C = alpha op(A) op(B) + beta C; A is m x k, B k x n. The matrices are in one memory space, of the host or of a
/// device.
struct Product {
  Index m, n, k;
  Number alpha;
  Operand a, b;
  Number beta;
  Results c;
  Triangle elements = Triangle::all;  ///< the elements of C that are wanted
};

}  // namespace accublas::quad
