// Complex numbers as BLAS stores them: two real ones side by side. The library never multiplies them as such: every
// component of a result is a real inner product (docs/modes.md, "Complex types").
#pragma once

/// These expand `macro`, which instantiates a template for a type, for the types of numbers.
#define ACCUBLAS_FOR_REAL_TYPES(macro) macro(double) macro(float)
#define ACCUBLAS_FOR_ALL_TYPES(macro) ACCUBLAS_FOR_REAL_TYPES(macro) macro(Complex<double>) macro(Complex<float>)

namespace accublas {

template <class T>
struct Complex {
  T re = 0, im = 0;
  /// Comparison with a real number, as BLAS compares alpha and beta with 0 and 1.
  friend constexpr bool operator==(const Complex& z, T x) { return z.re == x && z.im == 0; }
  /// The product is computed in the caller's floating-point environment. A part of x that is zero contributes no term.
  friend constexpr Complex operator*(const Complex& x, const Complex& z) {
    if (x.im == 0) return {x.re * z.re, x.re * z.im};
    if (x.re == 0) return {-(x.im * z.im), x.im * z.re};
    return {x.re * z.re - x.im * z.im, x.re * z.im + x.im * z.re};
  }
};

template <class E>
struct NumberTraits {
  using Real = E;
  static constexpr bool complex = false;
};
template <class T>
struct NumberTraits<Complex<T>> {
  using Real = T;
  static constexpr bool complex = true;
};

/// The type of a number's components.
template <class E>
using RealOf = typename NumberTraits<E>::Real;
template <class E>
inline constexpr bool is_complex = NumberTraits<E>::complex;
template <class E>
inline constexpr bool is_single_precision = sizeof(RealOf<E>) == 4;

}  // namespace accublas
