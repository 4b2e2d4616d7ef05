// The components of numbers, which are real or complex.
#pragma once

#include "lib/numerics/complex.hpp"

namespace accublas::cuda {

template <class E>
inline constexpr int component_count = is_complex<E> ? 2 : 1;

/// Returns the address of a component of a number: of its real part (0) or its imaginary part (1).
template <class T>
constexpr T* component_of(T* x, int) {
  return x;
}
template <class T>
constexpr T* component_of(Complex<T>* z, int which) {
  return which == 0 ? &z->re : &z->im;
}
template <class T>
constexpr const T* component_of(const Complex<T>* z, int which) {
  return which == 0 ? &z->re : &z->im;
}

}  // namespace accublas::cuda
