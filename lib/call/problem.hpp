// What a routine is asked to compute, with layout, transposition and sign of increments already folded into strides:
// the boundary does that once, and no engine knows of row-major or op().
#pragma once

#include <cstdint>

namespace accublas {

using Index = std::int64_t;

/// Element i is data[i * stride]; data points to logical element 0 also where the stride is negative.
template <class T>
struct Vector {
  T* data;
  Index stride;
  T& operator[](Index i) const { return data[i * stride]; }
};

/// Element (i, j) is data[i * row_stride + j * col_stride]; any strides.
template <class T>
struct Matrix {
  T* data;
  Index row_stride;
  Index col_stride;
  T& operator()(Index i, Index j) const { return data[i * row_stride + j * col_stride]; }
  Vector<T> row(Index i) const { return {data + i * row_stride, col_stride}; }
  Vector<T> col(Index j) const { return {data + j * col_stride, row_stride}; }
  Matrix block(Index i, Index j) const { return {data + i * row_stride + j * col_stride, row_stride, col_stride}; }
  Matrix transposed() const { return {data, col_stride, row_stride}; }
};

/// *result = x^T y, length n.
template <class T>
struct Dot {
  Index n;
  Vector<const T> x;
  Vector<const T> y;
  T* result;
};

/// *result = the norm of x, length n: NRM2 or ASUM.
template <class T>
struct Reduction {
  Index n;
  Vector<const T> x;
  T* result;
};

/// y = alpha A x + beta y, A m x k.
template <class T>
struct Gemv {
  Index m, k;
  T alpha;
  Matrix<const T> a;
  Vector<const T> x;
  T beta;
  Vector<T> y;
};

/// C = alpha A B + beta C, A m x k, B k x n, C m x n; of a complex operand its conjugate where that is asked for.
template <class T>
struct Gemm {
  Index m, n, k;
  T alpha;
  Matrix<const T> a;
  Matrix<const T> b;
  T beta;
  Matrix<T> c;
  bool conjugate_a = false, conjugate_b = false;  ///< complex only

  /// C^T = alpha B^T A^T + beta C^T.
  Gemm transposed() const {
    return {n, m, k, alpha, b.transposed(), a.transposed(), beta, c.transposed(), conjugate_b, conjugate_a};
  }
};

}  // namespace accublas
