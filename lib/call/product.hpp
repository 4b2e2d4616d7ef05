// One description for every product of level 3: how the stored part of an operand defines the whole matrix, which
// triangle of C is wanted, and a second pair of operands. The engines of GEMM read it through lines that are written
// out (lib/cpu/structured/product.cpp).
#pragma once

#include "include/accublas.h"
#include "lib/call/problem.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas {

template <class E>
constexpr E conjugate_if(bool conjugate, const E& z) {
  if constexpr (is_complex<E>)
    return {z.re, conjugate ? -z.im : z.im};
  else
    return z;
}

/// The structure of a matrix, which defines the entries outside the stored part.
enum class Structure { general, symmetric, hermitian, triangular };

/// A matrix op(X): `stored` has op()'s transposition in its strides. The imaginary parts of the diagonal of a Hermitian
/// matrix are not read, nor is the diagonal of a triangular matrix with a unit diagonal.
template <class E>
struct Operand {
  Matrix<const E> stored;
  bool conjugate = false;
  Structure structure = Structure::general;
  Triangle part = Triangle::all;
  bool unit = false;

  /// Whether an entry is a term: a triangular operand's other triangle contributes no terms.
  bool is_term(Index i, Index j) const { return structure != Structure::triangular || holds(part, i, j); }

  ACCUBLAS_HD E operator()(Index i, Index j) const {
    const bool held = holds(part, i, j);
    if (structure == Structure::triangular && (!held || (unit && i == j))) return E{held ? RealOf<E>(1) : RealOf<E>(0)};
    E entry = held ? stored(i, j) : stored(j, i);
    if constexpr (is_complex<E>)
      if (structure == Structure::hermitian && i == j) entry.im = 0;
    return conjugate_if(conjugate != (structure == Structure::hermitian && !held), entry);
  }

  Operand transposed() const { return {stored.transposed(), conjugate, structure, accublas::transposed(part), unit}; }
};

/// C = alpha (A B + A2 B2) + beta C in the wanted part of C; A, A2 m x k and B, B2 k x n. If a Hermitian result is
/// wanted, A2 B2 has conj(alpha), beta is real, and the imaginary parts of C's diagonal are not read and become +0.
template <class E>
struct Product {
  Index m, n, k;
  E alpha;
  Operand<E> a, b;
  E beta;
  Matrix<E> c;
  Triangle wanted = Triangle::all;
  bool hermitian = false;
  bool two_pairs = false;
  Operand<E> a2{}, b2{};
  bool in_place = false;  ///< C is A's memory
  /// The product is the transpose of the one that was asked for: of the two terms that an element's imaginary part has
  /// for each p, B's comes first (dot2 is a sequence of operations).
  bool transposed = false;

  ACCUBLAS_HD Index pairs() const { return two_pairs ? 2 : 1; }
};

/// Returns the terms of column j: only B may be triangular.
template <class E>
ACCUBLAS_HD TermRange terms_of_column(const Product<E>& p, Index j) {
  const Index all = p.pairs() * p.k;
  if (p.b.structure != Structure::triangular) return {0, all};
  return p.b.part == Triangle::upper ? TermRange{0, j + 1} : TermRange{j, all};
}

/// Returns op(X) of a matrix with its leading dimension.
template <class E>
Operand<E> operand_of(const E* x, Index ld, accublas_transpose trans) {
  const Matrix<const E> stored{x, 1, ld};
  return {trans == ACCUBLAS_NO_TRANS ? stored : stored.transposed(), trans == ACCUBLAS_CONJ_TRANS};
}
/// Returns op(A) of a triangular matrix; `part` is the triangle that is stored.
template <class E>
Operand<E> triangular_operand(const E* a, Index lda, Triangle part, accublas_transpose trans, accublas_diag diag) {
  Operand<E> operand = operand_of(a, lda, trans);
  operand.structure = Structure::triangular;
  operand.part = trans == ACCUBLAS_NO_TRANS ? part : transposed(part);
  operand.unit = diag == ACCUBLAS_UNIT;
  return operand;
}

template <class E>
Product<E> product_of(const Gemm<E>& g) {
  return {g.m, g.n, g.k, g.alpha, {g.a, g.conjugate_a}, {g.b, g.conjugate_b}, g.beta, g.c};
}

/// M X = alpha B, M triangular, X in B's memory with a column for each right-hand side.
template <class E>
struct TriangularSystem {
  Index order, sides;
  E alpha;
  Operand<E> m;
  Matrix<E> x;
};

/// The rows of A and A2 side by side, or the columns of B and B2: entry (line, p), p < pairs k.
template <class E>
struct ProductLines {
  Operand<E> first, second;  ///< a line is a row of both
  Index k;
  bool negate_second = false;

  ACCUBLAS_HD E operator()(Index line, Index p) const {
    if (p < k) return first(line, p);
    E entry = second(line, p - k);
    if constexpr (is_complex<E>)
      return negate_second ? E{-entry.re, -entry.im} : entry;
    else
      return entry;
  }
};

template <class E>
ProductLines<E> rows_of(const Product<E>& p) {
  return {p.a, p.a2, p.k};
}
template <class E>
ProductLines<E> columns_of(const Product<E>& p) {
  return {p.b.transposed(), p.b2.transposed(), p.k};
}

}  // namespace accublas
