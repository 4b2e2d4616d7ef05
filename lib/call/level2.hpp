// A call of level 2 as BLAS has it, column-major, and the description of those other than GEMV by lib/call/product.hpp:
// products with one column, and updates by products of one term.
#pragma once

#include <utility>

#include "lib/call/arguments.hpp"
#include "lib/call/level3.hpp"

namespace accublas {

/// These functions name groups of operations: GER, GERU and GERC; SYMV and HEMV; TRMV and TRSV; SYR2 and HER2; these
/// with SYR and HER.
constexpr bool is_ger(Operation kind) { return kind == Operation::ger || kind == Operation::gerc; }
constexpr bool is_symv(Operation kind) { return kind == Operation::symv || kind == Operation::hemv; }
constexpr bool is_triangular(Operation kind) { return kind == Operation::trmv || kind == Operation::trsv; }
constexpr bool is_syr2(Operation kind) { return kind == Operation::syr2 || kind == Operation::her2; }
constexpr bool is_syr(Operation kind) { return is_syr2(kind) || kind == Operation::syr || kind == Operation::her; }
/// Whether the routine conjugates an operand by its definition, as GERC and the Hermitian routines do.
constexpr bool is_conjugating(Operation kind) { return between(kind, Operation::gerc, Operation::her2); }
/// Whether the routine updates A, so that C is A.
constexpr bool is_update(Operation kind) { return is_ger(kind) || is_syr(kind); }

/// All arguments that are not elements of matrix and vectors. An argument that a routine lacks has its default value. A
/// is m x n for GEMV, GER and its kind, else of order n.
struct Level2Shape {
  Operation kind;
  bool complex;
  accublas_uplo uplo = ACCUBLAS_UPPER;
  accublas_transpose trans = ACCUBLAS_NO_TRANS;
  accublas_diag diag = ACCUBLAS_NON_UNIT;
  std::int64_t m = 0, n = 0, lda = 0, incx = 1, incy = 1;
  /// Whether transpose() has moved the conjugate to the other operand: it then conjugates A of GEMV, HEMV, TRMV and
  /// TRSV, and of the vectors of GERC, HER and HER2 the one that the routine itself does not conjugate.
  bool conjugated = false;
  bool transposed_call = false;  ///< see Level2::transpose
};

/// These functions return the lengths of x and y.
constexpr std::int64_t length_of_x(const Level2Shape& s) {
  return s.kind == Operation::gemv ? (s.trans == ACCUBLAS_NO_TRANS ? s.n : s.m) : is_ger(s.kind) ? s.m : s.n;
}
constexpr std::int64_t length_of_y(const Level2Shape& s) {
  return s.kind == Operation::gemv && s.trans == ACCUBLAS_NO_TRANS ? s.m : s.n;
}

/// Checks netlib's arguments in order: uplo, trans and diag, m, n, as many as the routine has; then alpha, a, lda, x,
/// incx, beta, y, incy, or for updates alpha, x, incx, y, incy, a, lda. GEMV's are check_gemv's.
constexpr BadArgument check_level2(accublas_layout layout, const Level2Shape& s) {
  if (s.kind == Operation::gemv) return check_gemv(layout, s.trans, s.m, s.n, s.lda, s.incx, s.incy);
  if (!valid(layout)) return {"layout", 0};
  const bool update = is_update(s.kind), triangular = is_triangular(s.kind);
  int number = 0;
  if (!is_ger(s.kind) && (++number, !valid_uplo(s.uplo))) return {"uplo", number};
  if (triangular && (++number, !valid_transpose(s.trans))) return {"trans", number};
  if (triangular && (++number, !valid_diag(s.diag))) return {"diag", number};
  if (is_ger(s.kind) && (++number, s.m < 0)) return {"m", number};
  if (++number; s.n < 0) return {"n", number};
  if (!triangular) ++number;  // alpha
  const bool bad_lda = bad_ld(layout, is_ger(s.kind) ? s.m : s.n, s.n, s.lda);
  if (!update && (number += 2, bad_lda)) return {"lda", number};
  if (number += 2; s.incx == 0) return {"incx", number};
  if (is_symv(s.kind)) ++number;  // beta
  if ((is_symv(s.kind) || is_ger(s.kind) || is_syr2(s.kind)) && (number += 2, s.incy == 0)) return {"incy", number};
  if (update && (number += 2, bad_lda)) return {"lda", number};
  return {};
}

/// A vector as BLAS passes it: with a negative increment element 0 is at the far end. The function computes on
/// addresses as integers, since a vector that is not read may have any increment.
template <class T>
Vector<T> blas_vector(std::int64_t n, T* data, std::int64_t increment) {
  if (!data || increment >= 0 || n <= 1) return {data, n > 1 ? increment : 1};
  const std::uint64_t back = static_cast<std::uint64_t>(n - 1) * static_cast<std::uint64_t>(increment) * sizeof(T);
  return {reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(data) - back), increment};
}

/// A call of level 2. `c` is the operand that the routine overwrites: y of SYMV and HEMV, x of TRMV and TRSV, A of
/// updates. The member with the operand's own name is null.
template <class E>
struct Level2 : Level2Shape {
  E alpha{1};
  const E *a = nullptr, *x = nullptr, *y = nullptr;
  E beta{1};
  E* c = nullptr;
  static constexpr bool conjugate_alpha = false;  ///< see Level3

  Routine routine() const { return {kind, type_of<E>}; }
  Triangle part() const { return uplo == ACCUBLAS_UPPER ? Triangle::upper : Triangle::lower; }
  Triangle wanted() const { return is_syr(kind) ? part() : Triangle::all; }
  bool hermitian_result() const { return kind == Operation::her || kind == Operation::her2; }
  /// These functions return C's sizes, and its elements as they are stored.
  std::int64_t rows() const { return is_ger(kind) ? m : length_of_y(*this); }
  std::int64_t cols() const { return is_update(kind) ? n : 1; }
  Matrix<E> result() const {
    if (is_update(kind)) return {c, 1, lda};
    const Vector<E> vector = blas_vector(rows(), c, is_triangular(kind) ? incx : incy);
    return {vector.data, vector.stride, 0};
  }
  /// These functions return C's sizes as the caller counts them.
  std::int64_t caller_rows() const { return transposed_call && is_ger(kind) ? cols() : rows(); }
  std::int64_t caller_cols() const { return transposed_call && is_ger(kind) ? rows() : cols(); }
  /// Whether transpose() exchanges the vectors, so that x is the caller's y.
  bool exchanges() const { return is_ger(kind) || kind == Operation::her2; }
  /// Inner dimension of a product, and the number of terms of an element.
  std::int64_t inner() const { return is_update(kind) ? 1 : length_of_x(*this); }
  std::int64_t terms() const { return is_syr2(kind) ? 2 : inner(); }

  /// Replaces the arguments of a row-major call by those of the column-major call that reads the same memory: A is
  /// transposed.
  void transpose() {
    transposed_call = !transposed_call;
    uplo = uplo == ACCUBLAS_UPPER ? ACCUBLAS_LOWER : ACCUBLAS_UPPER;
    conjugated = is_conjugating(kind) || (is_complex<E> && trans == ACCUBLAS_CONJ_TRANS);
    trans = trans == ACCUBLAS_NO_TRANS ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS;
    if (is_ger(kind) || kind == Operation::gemv) std::swap(m, n);
    if (exchanges()) {
      std::swap(x, y);
      std::swap(incx, incy);
    }
  }
};

template <class E>
Operand<E> triangular_operand(const Level2<E>& l) {
  Operand<E> a = triangular_operand(l.a, l.lda, l.part(), l.trans, l.diag);
  a.conjugate = a.conjugate != l.conjugated;
  return a;
}

/// Returns the triangular system of TRSV.
template <class E>
TriangularSystem<E> system_of(const Level2<E>& l) {
  return {l.n, 1, l.alpha, triangular_operand(l), l.result()};
}

/// Returns the product of a call, which is neither GEMV nor TRSV.
template <class E>
Product<E> product_of(const Level2<E>& l) {
  const Matrix<E> c = l.result();
  Product<E> p{l.rows(), l.cols(), l.inner(), l.alpha, {}, {}, l.beta, c};
  p.wanted = l.wanted();
  p.hermitian = l.hermitian_result();
  const auto vector = [&](const E* data, std::int64_t count, std::int64_t increment) {
    const Vector<const E> v = blas_vector(count, data, increment);
    return Operand<E>{{v.data, v.stride, 0}};
  };
  switch (l.kind) {
    case Operation::symv:
    case Operation::hemv:
      p.a = {{l.a, 1, l.lda},
             l.conjugated,
             is_symv(l.kind) && is_complex<E> ? Structure::hermitian : Structure::symmetric,
             l.part()};
      p.b = vector(l.x, l.n, l.incx);
      break;
    case Operation::trmv:
      // TRMV is arranged as TRMM is: x^T stands left of the product (Product::in_place).
      std::swap(p.m, p.n);
      p.c = c.transposed();
      p.a = {{p.c.data, p.c.row_stride, p.c.col_stride}};
      p.b = triangular_operand(l).transposed();
      p.beta = E{};
      p.in_place = p.transposed = true;
      break;
    default: {
      const Operand<E> x = vector(l.x, p.m, l.incx);
      const Operand<E> y = l.y ? vector(l.y, p.n, l.incy) : x;
      const bool of_left = l.conjugated, of_right = l.conjugated != is_conjugating(l.kind);
      const auto column = [&](Operand<E> v) { return v.conjugate = of_left, v; };
      const auto row = [&](Operand<E> v) { return v.conjugate = of_right, v.transposed(); };
      p.a = column(x);
      p.b = row(y);
      if (is_syr2(l.kind)) {
        p.two_pairs = true;
        p.a2 = column(y);
        p.b2 = row(x);
      }
    }
  }
  return p;
}

}  // namespace accublas
