// A call of level 3 as BLAS has it, column-major, and the description of those other than GEMM by lib/call/product.hpp.
#pragma once

#include <utility>

#include "lib/call/arguments.hpp"
#include "lib/call/product.hpp"
#include "lib/call/routine.hpp"

namespace accublas {

constexpr bool is_hermitian(Operation kind) { return between(kind, Operation::hemm, Operation::her2k); }
/// These functions name groups of operations: SYMM and HEMM; SYRK and HERK; SYR2K and HER2K.
constexpr bool is_symm(Operation kind) { return kind == Operation::symm || kind == Operation::hemm; }
constexpr bool is_syrk(Operation kind) { return kind == Operation::syrk || kind == Operation::herk; }
constexpr bool is_syr2k(Operation kind) { return kind == Operation::syr2k || kind == Operation::her2k; }

/// Whether the routine is TRMM or TRSM, with a triangular matrix and B, which the result overwrites.
constexpr bool is_in_place(Operation kind) { return kind == Operation::trmm || kind == Operation::trsm; }

/// All arguments that are not elements of the matrices. An argument that a routine lacks has its default value. n is
/// the order of a result that has a triangle.
struct Level3Shape {
  Operation kind;
  bool complex;
  accublas_side side = ACCUBLAS_LEFT;
  accublas_uplo uplo = ACCUBLAS_UPPER;
  accublas_transpose transa = ACCUBLAS_NO_TRANS, transb = ACCUBLAS_NO_TRANS;
  accublas_diag diag = ACCUBLAS_NON_UNIT;
  std::int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
  bool transposed_call = false;  ///< see Level3::transpose

  /// Returns the order of the operand that is square.
  std::int64_t order() const { return side == ACCUBLAS_LEFT ? m : n; }
};

/// Returns the shape of a call of SYMM, HEMM, TRMM or TRSM. TRMM and TRSM have no C; SYMM and HEMM have no
/// transposition and no diagonal.
constexpr Level3Shape shape_with_side(Operation kind, bool complex, accublas_side side, accublas_uplo uplo,
                                      accublas_transpose transa, accublas_diag diag, std::int64_t m, std::int64_t n,
                                      std::int64_t lda, std::int64_t ldb, std::int64_t ldc) {
  return {kind, complex, side, uplo, transa, ACCUBLAS_NO_TRANS, diag, m, n, 0, lda, ldb, ldc};
}
/// Returns the shape of a call of a product with a triangle of C. Only GEMMT has transb; SYRK and HERK have no B.
constexpr Level3Shape shape_with_triangle(Operation kind, bool complex, accublas_uplo uplo, accublas_transpose transa,
                                          accublas_transpose transb, std::int64_t n, std::int64_t k, std::int64_t lda,
                                          std::int64_t ldb, std::int64_t ldc) {
  return {kind, complex, ACCUBLAS_LEFT, uplo, transa, transb, ACCUBLAS_NON_UNIT, 0, n, k, lda, ldb, ldc};
}

constexpr bool valid_side(accublas_side side) { return side == ACCUBLAS_LEFT || side == ACCUBLAS_RIGHT; }
constexpr bool valid_uplo(accublas_uplo uplo) { return uplo == ACCUBLAS_UPPER || uplo == ACCUBLAS_LOWER; }
constexpr bool valid_diag(accublas_diag diag) { return diag == ACCUBLAS_NON_UNIT || diag == ACCUBLAS_UNIT; }

/// Whether transa is valid: a complex symmetric product has no conjugates, and a Hermitian one no plain transposes.
constexpr bool valid_transpose_a(const Level3Shape& s) {
  const bool of_c = is_syrk(s.kind) || is_syr2k(s.kind);
  const accublas_transpose none = !of_c || !s.complex ? 0 : is_hermitian(s.kind) ? ACCUBLAS_TRANS : ACCUBLAS_CONJ_TRANS;
  return valid_transpose(s.transa) && s.transa != none;
}

/// Whether A, or B, of a product without a side is stored with n rows, as C, and not with k.
constexpr bool tall_a(const Level3Shape& s) { return s.transa == ACCUBLAS_NO_TRANS; }
constexpr bool tall_b(const Level3Shape& s) {
  return s.kind == Operation::gemmt ? s.transb != ACCUBLAS_NO_TRANS : tall_a(s);
}

/// Checks the arguments in netlib's order: side and uplo for SYMM and HEMM, uplo and trans for SYRK and its kind, side,
/// uplo, transa and diag for TRMM and TRSM, uplo, transa and transb for GEMMT; then m (if there is a side) and n, k (if
/// there is no side); then alpha, a, lda, b, ldb, beta, c, ldc, as many as the routine has. GEMM's are check_gemm's.
constexpr BadArgument check_level3(accublas_layout layout, const Level3Shape& s) {
  if (s.kind == Operation::gemm) return check_gemm(layout, s.transa, s.transb, s.m, s.n, s.k, s.lda, s.ldb, s.ldc);
  if (!valid(layout)) return {"layout", 0};
  const bool sides = is_symm(s.kind) || is_in_place(s.kind), gemmt = s.kind == Operation::gemmt;
  int number = 0;
  if (sides && (++number, !valid_side(s.side))) return {"side", number};
  if (++number; !valid_uplo(s.uplo)) return {"uplo", number};
  if (!is_symm(s.kind)) {
    const char* const name = is_syrk(s.kind) || is_syr2k(s.kind) ? "trans" : "transa";
    if (++number; !valid_transpose_a(s)) return {name, number};
  }
  if (gemmt && (++number, !valid_transpose(s.transb))) return {"transb", number};
  if (is_in_place(s.kind) && (++number, !valid_diag(s.diag))) return {"diag", number};
  if (sides && (++number, s.m < 0)) return {"m", number};
  if (++number; s.n < 0) return {"n", number};
  if (!sides && (++number, s.k < 0)) return {"k", number};
  number += 3;  // alpha, a
  const std::int64_t a_rows = sides       ? s.order()
                              : tall_a(s) ? s.n
                                          : s.k,
                     a_cols = sides       ? s.order()
                              : tall_a(s) ? s.k
                                          : s.n;
  if (bad_ld(layout, a_rows, a_cols, s.lda)) return {"lda", number};
  if (!is_syrk(s.kind)) {
    number += 2;  // b
    const std::int64_t b_rows = sides ? s.m : tall_b(s) ? s.n : s.k, b_cols = sides || !tall_b(s) ? s.n : s.k;
    if (bad_ld(layout, b_rows, b_cols, s.ldb)) return {"ldb", number};
  }
  if (is_in_place(s.kind)) return {};
  number += 3;  // beta, c
  if (bad_ld(layout, sides ? s.m : s.n, s.n, s.ldc)) return {"ldc", number};
  return {};
}

/// A call of level 3. `c` holds the B of TRMM and TRSM; `b` is null there.
template <class E>
struct Level3 : Level3Shape {
  E alpha{};
  const E *a = nullptr, *b = nullptr;
  E beta{};
  E* c = nullptr;
  bool conjugate_alpha = false;  ///< alpha's conjugate is meant

  Triangle part() const { return uplo == ACCUBLAS_UPPER ? Triangle::upper : Triangle::lower; }
  Triangle wanted() const {
    return kind == Operation::gemm || is_symm(kind) || is_in_place(kind) ? Triangle::all : part();
  }
  /// Whether a factor is a real number although the elements are complex.
  bool real_alpha() const { return kind == Operation::herk; }
  bool real_beta() const { return hermitian_result(); }
  bool hermitian_result() const { return kind == Operation::herk || kind == Operation::her2k; }
  Routine routine() const { return {kind, type_of<E>}; }
  /// These functions return C as it is stored, and its sizes.
  std::int64_t rows() const { return wanted() == Triangle::all ? m : n; }
  std::int64_t cols() const { return n; }
  Matrix<E> result() const { return {c, 1, is_in_place(kind) ? ldb : ldc}; }
  /// These functions return C's sizes as the caller counts them.
  std::int64_t caller_rows() const { return transposed_call ? cols() : rows(); }
  std::int64_t caller_cols() const { return transposed_call ? rows() : cols(); }
  /// Whether transpose() exchanges the operands, so that A is the caller's B.
  bool exchanges() const { return kind == Operation::gemmt || kind == Operation::gemm; }
  /// Returns the inner dimension of a product.
  std::int64_t inner() const { return is_symm(kind) || is_in_place(kind) ? order() : k; }
  /// Returns the number of terms of an element.
  std::int64_t terms() const { return is_syr2k(kind) ? 2 * k : inner(); }

  /// Replaces the arguments of a row-major call by those of the column-major call that reads the same memory:
  /// everything is transposed.
  void transpose() {
    transposed_call = !transposed_call;
    uplo = uplo == ACCUBLAS_UPPER ? ACCUBLAS_LOWER : ACCUBLAS_UPPER;
    if (is_symm(kind) || is_in_place(kind)) {
      side = side == ACCUBLAS_LEFT ? ACCUBLAS_RIGHT : ACCUBLAS_LEFT;
      std::swap(m, n);
    } else if (exchanges()) {
      if (kind == Operation::gemm) std::swap(m, n);
      std::swap(transa, transb);
      std::swap(a, b);
      std::swap(lda, ldb);
    } else {
      const accublas_transpose other = hermitian_result() ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_TRANS;
      transa = transa == ACCUBLAS_NO_TRANS ? other : ACCUBLAS_NO_TRANS;
      conjugate_alpha = hermitian_result();
    }
  }
};

template <class E>
Operand<E> triangular_operand(const Level3<E>& l) {
  return triangular_operand(l.a, l.lda, l.part(), l.transa, l.diag);
}

/// Returns the triangular system of TRSM. If the triangular matrix stands on the right, everything is transposed.
template <class E>
TriangularSystem<E> system_of(const Level3<E>& l) {
  const Operand<E> a = triangular_operand(l);
  if (l.side == ACCUBLAS_LEFT) return {l.m, l.n, l.alpha, a, l.result()};
  return {l.n, l.m, l.alpha, a.transposed(), l.result().transposed()};
}

/// Returns the product of a call, which is neither GEMM nor TRSM.
template <class E>
Product<E> product_of(const Level3<E>& l) {
  const Matrix<E> c = l.result();
  Product<E> p{l.rows(), l.n, l.k, l.alpha, {}, {}, l.beta, c};
  p.wanted = l.wanted();
  p.hermitian = l.hermitian_result();
  switch (l.kind) {
    case Operation::symm:
    case Operation::hemm: {
      p.a = {{l.a, 1, l.lda}, false, is_hermitian(l.kind) ? Structure::hermitian : Structure::symmetric, l.part()};
      p.b = operand_of(l.b, l.ldb, ACCUBLAS_NO_TRANS);
      if (l.side == ACCUBLAS_RIGHT) std::swap(p.a, p.b);
      p.k = l.order();
      break;
    }
    case Operation::trmm: {
      // B stands left of the product, or B^T does: its lines are rows (Product::in_place).
      const Operand<E> a = triangular_operand(l);
      p.k = l.order();
      p.b = a;
      if (l.side == ACCUBLAS_LEFT) {
        std::swap(p.m, p.n);
        p.b = a.transposed();
        p.c = c.transposed();
        p.transposed = true;
      }
      p.a = {{p.c.data, p.c.row_stride, p.c.col_stride}};
      p.in_place = true;
      break;
    }
    case Operation::gemmt:
      p.a = operand_of(l.a, l.lda, l.transa);
      p.b = operand_of(l.b, l.ldb, l.transb);
      break;
    default: {
      const E* const other = is_syrk(l.kind) ? l.a : l.b;
      const std::int64_t ld_other = is_syrk(l.kind) ? l.lda : l.ldb;
      const accublas_transpose transposed = p.hermitian ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_TRANS;
      const bool plain = l.transa == ACCUBLAS_NO_TRANS;
      const accublas_transpose left = plain ? ACCUBLAS_NO_TRANS : transposed,
                               right = plain ? transposed : ACCUBLAS_NO_TRANS;
      p.a = operand_of(l.a, l.lda, left);
      p.b = operand_of(other, ld_other, right);
      if (is_syr2k(l.kind)) {
        p.two_pairs = true;
        p.a2 = operand_of(other, ld_other, left);
        p.b2 = operand_of(l.a, l.lda, right);
      }
    }
  }
  // Transposing the call does not change the order of an element's terms.
  p.transposed = p.transposed != l.transposed_call;
  if (l.transposed_call && p.two_pairs) {
    std::swap(p.a, p.a2);
    std::swap(p.b, p.b2);
    p.alpha = conjugate_if(p.hermitian, p.alpha);
  }
  return p;
}

}  // namespace accublas
