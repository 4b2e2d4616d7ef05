// The parts of a number: a real number is its only part, and a complex one has a real and an imaginary part.
#pragma once

#include "lib/base/host_device.hpp"
#include "lib/numerics/complex.hpp"

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

}  // namespace accublas
