// The problem that a routine computes, with layout, transposition and sign of increments already folded into strides.
// The boundary does that once, and no engine knows of row-major or op().
#pragma once

#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas {

using Index = std::int64_t;

/// A vector. Element i is data[i * stride]; data points to logical element 0, also if the stride is negative.
template <class T>
struct Vector {
  T* data;
  Index stride;
  T& operator[](Index i) const { return data[i * stride]; }
};

/// The real entries of a vector: its elements, or the components of complex ones, Re x_0, Im x_0, Re x_1, ... Both
/// components may be exchanged and negated. The stride counts real numbers from element to element.
template <class T>
struct Entries : Vector<const T> {
  bool pairs = false;
  bool swapped = false;
  bool negated[2] = {false, false};  ///< of a pair as it comes out

  Entries() = default;
  Entries(const T* data, Index stride) : Vector<const T>{data, stride} {}
  Entries(Vector<const T> elements) : Vector<const T>(elements) {}
  Entries(Vector<const T> first_components, bool swapped, bool negate_even, bool negate_odd)
      : Vector<const T>(first_components), pairs(true), swapped(swapped), negated{negate_even, negate_odd} {}

  T operator[](Index i) const {
    if (!pairs) return Vector<const T>::operator[](i);
    const T entry = this->data[i / 2 * this->stride + ((i % 2 == 1) != swapped)];
    return negated[i % 2] ? -entry : entry;
  }
  /// Returns the entries from an even entry on.
  Entries from(Index i) const {
    Entries rest = *this;
    rest.data += (pairs ? i / 2 : i) * this->stride;
    return rest;
  }
  /// Whether the entries are contiguous in memory and unchanged.
  bool contiguous() const {
    return pairs ? this->stride == 2 && !swapped && !negated[0] && !negated[1] : this->stride == 1;
  }
};

/// Returns the entries of a complex vector: its components as real numbers.
template <class T>
Entries<T> component_entries(Vector<const Complex<T>> x, bool swapped = false, bool negate_even = false,
                             bool negate_odd = false) {
  return {{reinterpret_cast<const T*>(x.data), 2 * x.stride}, swapped, negate_even, negate_odd};
}

/// A matrix with any strides. Element (i, j) is data[i * row_stride + j * col_stride].
template <class T>
struct Matrix {
  T* data;
  Index row_stride;
  Index col_stride;
  ACCUBLAS_HD T& operator()(Index i, Index j) const { return data[i * row_stride + j * col_stride]; }
  Vector<T> row(Index i) const { return {data + i * row_stride, col_stride}; }
  Vector<T> col(Index j) const { return {data + j * col_stride, row_stride}; }
  Matrix block(Index i, Index j) const { return {data + i * row_stride + j * col_stride, row_stride, col_stride}; }
  Matrix transposed() const { return {data, col_stride, row_stride}; }
};

template <class T>
Matrix<const T> read_only(const Matrix<T>& x) {
  return {x.data, x.row_stride, x.col_stride};
}

/// *result = x^T y, length n; x^H y of complex vectors if that is requested.
template <class T>
struct Dot {
  Index n;
  Vector<const T> x;
  Vector<const T> y;
  T* result;
  bool conjugate_x = false;  ///< complex only
};

/// *result = addend + x^T y: DSDOT, which adds nothing, in T = double, SDSDOT in float.
template <class T>
struct MixedDot {
  Index n;
  T addend;
  Vector<const float> x;
  Vector<const float> y;
  T* result;
};

enum class Norm { nrm2, asum };

/// *result = the norm of x, n real entries.
template <class T>
struct Reduction {
  Index n;
  Entries<T> x;
  T* result;
  Norm norm = Norm::nrm2;

  /// Returns the number of elements of the vector, real or complex.
  Index length() const { return x.pairs ? n / 2 : n; }
};

/// y = alpha A x + beta y, A m x k; the conjugate of a complex A if that is requested.
template <class T>
struct Gemv {
  Index m, k;
  T alpha;
  Matrix<const T> a;
  Vector<const T> x;
  T beta;
  Vector<T> y;
  bool conjugate_a = false;  ///< complex only
};

/// Part of a matrix, the diagonal included.
enum class Triangle { all, upper, lower };

constexpr bool holds(Triangle part, Index i, Index j) {
  return part == Triangle::all || (part == Triangle::upper ? i <= j : i >= j);
}
/// Returns whether the part has an element (holds_some) or all elements (holds_all) of the m x n rectangle at (i, j).
constexpr bool holds_some(Triangle part, Index i, Index m, Index j, Index n) {
  return holds(part, i, j + n - 1) || holds(part, i + m - 1, j);
}
constexpr bool holds_all(Triangle part, Index i, Index m, Index j, Index n) {
  return holds(part, i, j + n - 1) && holds(part, i + m - 1, j);
}
/// Returns how many elements a part of an m x n matrix has, which is square if the part is a triangle.
constexpr Index elements_in(Triangle part, Index m, Index n) { return part == Triangle::all ? m * n : n * (n + 1) / 2; }
constexpr Triangle transposed(Triangle part) {
  return part == Triangle::all ? part : part == Triangle::upper ? Triangle::lower : Triangle::upper;
}

/// The terms p with first <= p < end.
struct TermRange {
  Index first, end;
};

/// The zeros of a triangular operand of a product: entry (p, j) of B, or (j, p) of A, is zero for p > j + diagonal
/// (upper) or p < j + diagonal (lower). If the entries are components of complex numbers, j and p count the numbers.
struct KnownZeros {
  Triangle part = Triangle::all;  ///< none are known
  bool of_a = false;
  Index diagonal = 0;
  bool paired_lines = false, paired_terms = false;  ///< lines, or terms, 2 i and 2 i + 1 are those of number i

  /// Returns the range of the k terms outside of which lines `line` to line + count - 1 have only zeros; end <= first
  /// if all terms are zeros.
  ACCUBLAS_HD TermRange terms(Index line, Index count, Index k) const {
    if (part == Triangle::all) return {0, k};
    const Index last = line + count - 1, parts = paired_terms ? 2 : 1;
    if (part == Triangle::lower) return {parts * ((paired_lines ? line / 2 : line) + diagonal), k};
    const Index end = parts * ((paired_lines ? last / 2 : last) + diagonal + 1);
    return {0, end < k ? end : k};
  }
};

/// A real product may be the product of the parts of complex numbers. The entries (u, v) of B in rows 2 p and 2 p + 1
/// are then multiplied by the entries of A's rows 2 i and 2 i + 1: (x, y) and (-y, x) in columns 2 p and 2 p + 1, or
/// with `conjugated` (x, y) and (y, -x). An engine may make use of this.
enum class RowPairs { none, complex, conjugated };

/// A type of each backend: alpha and beta that combine both parts of such numbers before the rounding.
template <class T>
struct CombinedParts;

/// C = alpha A B + beta C, A m x k, B k x n, C m x n; the conjugate of a complex operand if that is requested.
template <class T>
struct Gemm {
  Index m, n, k;
  T alpha;
  Matrix<const T> a;
  Matrix<const T> b;
  T beta;
  Matrix<T> c;
  bool conjugate_a = false, conjugate_b = false;  ///< of complex numbers
  /// For a real product of such parts as row_pairs has, adjacent in C's columns: A and B are the numbers as they are
  /// stored. Entry (2 i, 2 p) of A and entry (2 p, j) of B, which are real parts of numbers, are at the positions that
  /// the strides give, and are conjugated as conjugate_a and conjugate_b say. Only an engine that supports this may get
  /// it (cuda/int8/gemm_int8.hpp).
  bool numbers_as_stored = false;
  RowPairs row_pairs = RowPairs::none;  ///< real only
  /// The wanted part of C, whose diagonal may be real. If adjacent rows are the parts of numbers, it is that of the
  /// numbers. Only an engine that supports this may get it (cuda/int8/gemm_int8.hpp), and one that leaves C alone if
  /// alpha, in device memory, is zero.
  Triangle wanted = Triangle::all;
  bool real_diagonal = false;
  KnownZeros zeros{};                          ///< an engine may use them
  const CombinedParts<T>* combined = nullptr;  ///< in place of alpha and beta, which are 1 and 0 then

  /// C^T = alpha B^T A^T + beta C^T.
  Gemm transposed() const {
    Gemm g{n, m, k, alpha, b.transposed(), a.transposed(), beta, c.transposed(), conjugate_b, conjugate_a};
    g.wanted = accublas::transposed(wanted);
    g.real_diagonal = real_diagonal;
    g.zeros = zeros;
    g.zeros.of_a = !zeros.of_a;
    return g;
  }
};

}  // namespace accublas
