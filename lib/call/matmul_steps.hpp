// Steps on elements (lib/call/element_steps.hpp) before and after the product of a cublasLtMatmul: they copy C, and
// compute the epilogue, ReLU's mask and the gradient of a bias. docs/cublas.md defines the results. Column numbers
// count the columns of all matrices of a batch: column j of matrix b is column j + b cols of the step.
#pragma once

#include <cstdint>

#include "lib/call/problem.hpp"
#include "lib/numerics/eft.hpp"
#include "lib/numerics/gelu.hpp"

namespace accublas {

/// The matrices of a batch, `stride` elements apart.
template <class T>
struct MatrixBatch {
  Matrix<T> first;
  Index stride;
  Index cols;  ///< columns of one matrix

  /// Returns the element in row i and in column j, which counts the columns of all matrices.
  ACCUBLAS_HD T& operator()(Index i, Index j) const {
    const Index matrix = j / cols;
    return first.data[i * first.row_stride + (j - matrix * cols) * first.col_stride + matrix * stride];
  }
};

/// Copies C to D, unless `beta` is not null and *beta is zero.
template <class E>
struct AddendStep {
  Matrix<E> to;
  Index to_stride;
  Matrix<const E> from;
  Index from_stride, cols;
  const E* beta;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    if (beta && *beta == RealOf<E>(0)) return;
    MatrixBatch<E>{to, to_stride, cols}(i, j) = MatrixBatch<const E>{from, from_stride, cols}(i, j);
  }
};

/// Replaces x by max(x, 0); a NaN stays.
template <class T>
ACCUBLAS_HD void apply_relu(T& x) {
  if (x <= 0) x = 0;
}

/// The functions of an epilogue. A gradient multiplies the product by the derivative.
enum class Activation : std::uint8_t { none, relu, gelu, relu_gradient, gelu_gradient };

/// Adds the bias of row i, if there is a bias, and applies the activation.
template <class E>
struct EpilogueStep {
  Matrix<E> to;
  Index stride, cols;
  Activation activation = Activation::none;
  const E* bias = nullptr;
  Index bias_stride = 0;  ///< distance of the biases of two matrices
  /// GELU's arguments. `gelu` writes them, unless this is null, and `gelu_gradient` reads them.
  E* argument = nullptr;
  /// ReLU's mask with a bit for each element, which `relu_gradient` reads.
  const std::uint8_t* mask = nullptr;
  Index aux_ld = 0, aux_stride = 0;  ///< strides of `argument` in elements, or of `mask` in bits

  ACCUBLAS_HD void operator()(Index i, Index j) const {
    E& x = MatrixBatch<E>{to, stride, cols}(i, j);
    const Index matrix = j / cols, aux = i + (j - matrix * cols) * aux_ld + matrix * aux_stride;
    if (bias) add(x, bias[i + matrix * bias_stride]);
    if constexpr (!is_complex<E>) {
      switch (activation) {
        case Activation::none:
          return;
        case Activation::relu:
          apply_relu(x);
          return;
        case Activation::gelu:
          if (argument) argument[aux] = x;
          x = static_cast<E>(gelu(x));
          return;
        case Activation::relu_gradient:
          if (!(mask[aux / 8] >> (aux % 8) & 1)) x = 0;
          return;
        case Activation::gelu_gradient:
          x = static_cast<E>(mul_rn(x, gelu_derivative(argument[aux])));
          return;
      }
    }
  }

 private:
  ACCUBLAS_HD static void add(E& x, const E& y) {
    if constexpr (is_complex<E>) {
      x.re += y.re;
      x.im += y.im;
    } else {
      x += y;
    }
  }
};

/// Applies ReLU, and writes its mask: a bit is set if the element was not negative. An element of this step is a byte
/// of the mask. Row i is byte i of a column, which has the bits of rows 8 i to 8 i + 7.
template <class E>
struct ReluMaskStep {
  Matrix<E> to;
  Index stride, rows, cols;
  std::uint8_t* mask;
  Index ld, mask_stride;  ///< strides of the mask in bits
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    if constexpr (!is_complex<E>) {
      const Index matrix = j / cols, first = 8 * i, count = rows - first < 8 ? rows - first : 8;
      unsigned bits = 0;
      for (Index bit = 0; bit < count; ++bit) {
        E& x = MatrixBatch<E>{to, stride, cols}(first + bit, j);
        if (!(x < 0)) bits |= 1u << bit;
        apply_relu(x);
      }
      mask[i + ((j - matrix * cols) * ld + matrix * mask_stride) / 8] = static_cast<std::uint8_t>(bits);
    }
  }
};

/// Writes the sum of row i of matrix j, which has `terms` columns. The sum is Sum2 of Ogita, Rump and Oishi (2005),
/// algorithm 4.4, in binary64 and in the order of the columns. It is rounded to the type. E must be real: for complex E
/// the step does nothing.
template <class E>
struct SumStep {
  E* sums;
  Index sums_stride;
  Matrix<const E> from;
  Index stride, terms;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    if constexpr (!is_complex<E>) {
      const E* const row = from.data + i * from.row_stride + j * stride;
      DoublePair sum{0, 0};
      for (Index p = 0; p < terms; ++p) {
        const DoublePair next = two_sum(sum.high, row[p * from.col_stride]);
        sum = {next.high, add_rn(sum.low, next.low)};
      }
      // If a term is an infinity or a NaN, the low part is a NaN.
      sums[i + j * sums_stride] = static_cast<E>(is_finite(sum.high) ? add_rn(sum.high, sum.low) : sum.high);
    }
  }
};

}  // namespace accublas
