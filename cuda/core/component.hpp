// Access to the components of real and complex numbers.
#pragma once

#include "lib/numerics/complex.hpp"

namespace accublas::cuda {

template <class E>
inline constexpr int component_count = is_complex<E> ? 2 : 1;

/// Returns the address of a component of a number. Component 0 is the real part, and component 1 the imaginary part.
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
