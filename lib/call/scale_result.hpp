// Scales a result to which no product is added.
#pragma once

#include <cstdlib>
#include <utility>

#include "lib/call/product.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas {

/// Returns whether a factor is NaN or has a NaN part.
template <class E>
bool holds_nan(const E& x) {
  if constexpr (is_complex<E>)
    return is_nan(x.re) || is_nan(x.im);
  else
    return is_nan(x);
}

/// Returns the NaN that is written, in both parts of a complex number.
template <class E>
constexpr E written_nan() {
  constexpr RealOf<E> nan = canonical_nan<RealOf<E>>();
  if constexpr (is_complex<E>)
    return {nan, nan};
  else
    return nan;
}

/// Computes c_ij = product(beta, c_ij), and +0 if beta = 0, without reading C. The loop follows the smaller stride.
template <class T, class Product>
void scale_result(T beta, Index m, Index n, Matrix<T> c, Product product) {
  if (std::abs(c.row_stride) > std::abs(c.col_stride)) {
    std::swap(m, n);
    c = c.transposed();
  }
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < m; ++i) {
      T& element = c(i, j);
      element = beta == 0 ? T{0} : product(beta, element);
    }
}

/// Scales a part of C. If C is Hermitian, beta is real on the diagonal, whose imaginary parts are not read and become
/// +0.
template <class T, class Product>
void scale_part(T beta, Index m, Index n, Matrix<T> c, Triangle part, bool hermitian, Product product) {
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < m; ++i) {
      if (!holds(part, i, j)) continue;
      T& element = c(i, j);
      if constexpr (is_complex<T>)
        if (hermitian && i == j) {
          element = {beta == 0 ? 0 : product(beta.re, element.re), 0};
          continue;
        }
      element = beta == 0 ? T{} : product(beta, element);
    }
}
template <class T>
void scale_part(T beta, Index m, Index n, Matrix<T> c, Triangle part, bool hermitian) {
  scale_part(beta, m, n, c, part, hermitian, [](auto factor, auto element) { return factor * element; });
}

/// Scales C with products as the caller's floating-point environment rounds them.
template <class T>
void scale_result(T beta, Index m, Index n, Matrix<T> c) {
  scale_result(beta, m, n, c, [](T factor, T element) { return factor * element; });
}

}  // namespace accublas
