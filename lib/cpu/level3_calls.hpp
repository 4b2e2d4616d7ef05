// One call of a product of level 3 of the real BLAS: column-major arguments, already checked. As in
// lib/cpu/blas_calls.hpp, what accublas promises is seen to here: alpha = 0 or k = 0 reads no operand, beta = 0 does
// not read C.
#pragma once

#include "lib/call/level3.hpp"
#include "lib/call/scale_result.hpp"
#include "lib/cpu/blas_calls.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu {

/// GEMMT by strips of columns: GEMM for what lies beside the diagonal, squares on it in memory of their own. The
/// reference BLAS has no GEMMT. OpenBLAS 0.3.26's takes B^T for B^H and refuses good leading dimensions, and its older
/// ones take a GEMV for each column.
template <class E>
void call_gemm_for_triangle(const RealBlas& blas, const Level3<E>& l) {
  const Index edge = tuning().native.triangle_columns;
  const bool upper = l.part() == Triangle::upper;
  const Matrix<E> c = l.result();
  const auto multiply = [&](Index i, Index m, Index j, Index n, E beta, E* to, Index ld) {
    const E* const a = l.a + (l.transa == ACCUBLAS_NO_TRANS ? i : i * l.lda);
    const E* const b = l.b + (l.transb == ACCUBLAS_NO_TRANS ? j * l.ldb : j);
    call_gemm(blas, op_letter<E>(l.transa), op_letter<E>(l.transb), m, n, l.k, l.alpha, a, l.lda, b, l.ldb, beta, to,
              ld);
  };
  for (Index j = 0; j < l.n; j += edge) {
    const Index n = l.n - j < edge ? l.n - j : edge;
    const Index first = upper ? 0 : j + n, count = upper ? j : l.n - first;
    multiply(first, count, j, n, l.beta, &c(first, j), l.ldc);
    E square[edge * edge];
    multiply(j, n, j, n, E{}, square, edge);
    for (Index q = 0; q < n; ++q)
      for (Index r = upper ? 0 : q; r < (upper ? q + 1 : n); ++r) {
        E& element = c(j + r, j + q);
        const E& product = square[r + q * edge];
        if (l.beta == 0) {
          element = product;
        } else {
          const E scaled = l.beta * element;
          if constexpr (is_complex<E>)
            element = {product.re + scaled.re, product.im + scaled.im};
          else
            element = product + scaled;
        }
      }
  }
}

template <class E>
void call_level3(const RealBlas& blas, Level3<E> l) {
  const Matrix<E> c = l.result();
  const bool product = l.alpha != 0 && l.terms() != 0;
  if (l.rows() == 0 || l.n == 0 || (!product && l.beta == 1)) return;
  const auto scale = [&] { scale_part(l.beta, l.rows(), l.n, c, l.wanted(), l.hermitian_result()); };
  if (!product) return scale();
  blas.require(l.routine());
  if (l.beta == 0 && blas.reads_result && !is_in_place(l.kind)) {
    scale();
    l.beta = E{1};
  }
  if (l.kind == Operation::gemmt) return call_gemm_for_triangle(blas, l);
  const Routine routine = l.routine();
  const char side = l.side == ACCUBLAS_LEFT ? 'L' : 'R', uplo = l.uplo == ACCUBLAS_UPPER ? 'U' : 'L';
  const char op_a = op_letter<E>(l.transa), diag = l.diag == ACCUBLAS_UNIT ? 'U' : 'N';
  // A number's real part, which Hermitian products take, lies first.
  if (is_symm(l.kind))
    blas.call(routine, side, uplo, l.m, l.n, l.alpha, l.a, l.lda, l.b, l.ldb, l.beta, l.c, l.ldc);
  else if (is_syrk(l.kind))
    blas.call(routine, uplo, op_a, l.n, l.k, l.alpha, l.a, l.lda, l.beta, l.c, l.ldc);
  else if (is_syr2k(l.kind))
    blas.call(routine, uplo, op_a, l.n, l.k, l.alpha, l.a, l.lda, l.b, l.ldb, l.beta, l.c, l.ldc);
  else
    blas.call(routine, side, uplo, op_a, diag, l.m, l.n, l.alpha, l.a, l.lda, l.c, l.ldb);
}

}  // namespace accublas::cpu
