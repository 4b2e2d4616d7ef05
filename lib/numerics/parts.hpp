// The parts of a number: a real number is its only part, and a complex one has a real and an imaginary part.
#pragma once

#include "lib/base/host_device.hpp"
#include "lib/numerics/complex.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas {

/// The number of parts of a number.
template <class E>
inline constexpr int parts_of = is_complex<E> ? 2 : 1;

/// Returns a part of a number.
template <class E>
ACCUBLAS_HD RealOf<E> part_of(const E& z, int part) {
  if constexpr (is_complex<E>)
    return part == 0 ? z.re : z.im;
  else
    return z;
}

/// Calls add(factor, number) for the real products whose sum is a part of factor times number. A zero part of a complex
/// factor makes no product.
template <class E, class Add>
ACCUBLAS_HD void for_products(const E& factor, const E& number, int part, Add&& add) {
  if constexpr (is_complex<E>) {
    if (!is_zero(factor.re)) add(factor.re, part == 0 ? number.re : number.im);
    if (!is_zero(factor.im)) add(part == 0 ? -factor.im : factor.im, part == 0 ? number.im : number.re);
  } else {
    add(factor, number);
  }
}

}  // namespace accublas
