// A call of LAPACK's factorizations, and of the solutions and inverses that use them.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/call/arguments.hpp"
#include "lib/call/level3.hpp"
#include "lib/call/product.hpp"
#include "lib/call/routine.hpp"

namespace accublas {

/// Whether the routine uses Cholesky's factorization. GETRF, GETRS and GESV use LU with partial pivoting; the inverses
/// compute no factorization.
constexpr bool is_cholesky(Operation kind) { return between(kind, Operation::potrf, Operation::posv); }
/// Whether the routine overwrites A.
constexpr bool has_factor(Operation kind) { return kind != Operation::potrs && kind != Operation::getrs; }
constexpr bool has_solution(Operation kind) {
  return !is_inverse(kind) && kind != Operation::potrf && kind != Operation::getrf;
}
/// Whether the routine reports an info value. The other routines cannot fail.
constexpr bool has_info(Operation kind) { return has_factor(kind) && kind != Operation::lauum; }
/// Whether the routine uses one triangle of A. The other routines have pivots, which the routines that find them write.
constexpr bool has_uplo(Operation kind) { return is_cholesky(kind) || (is_inverse(kind) && kind != Operation::getri); }
constexpr bool finds_pivots(Operation kind) { return kind == Operation::getrf || kind == Operation::gesv; }

/// All arguments that are not elements of the matrices. An argument that a routine lacks has its default value. Only
/// GETRF has m.
struct FactorizationShape {
  Operation kind;
  bool complex;
  accublas_uplo uplo = ACCUBLAS_UPPER;
  accublas_transpose trans = ACCUBLAS_NO_TRANS;
  std::int64_t m = 0, n = 0, nrhs = 0, lda = 0, ldb = 0;
  accublas_diag diag = ACCUBLAS_NON_UNIT;  ///< of TRTRI
  /// Batched routines alone have the following members. Without pointers to the matrices there are strides.
  std::int64_t stride_a = 0, stride_b = 0, batch_count = 1;
};

/// Checks the arguments in LAPACK's order: uplo or trans, diag, m, n, nrhs, a, lda, ipiv, b, ldb, info, as many as the
/// routine has.
constexpr BadArgument check_factorization(accublas_layout layout, const FactorizationShape& s) {
  if (!valid(layout)) return {"layout", 0};
  int number = 0;
  if (has_uplo(s.kind) && (++number, !valid_uplo(s.uplo))) return {"uplo", number};
  if (s.kind == Operation::trtri && (++number, !valid_diag(s.diag))) return {"diag", number};
  if (s.kind == Operation::getrs && (++number, !valid_transpose(s.trans))) return {"trans", number};
  const bool own_m = s.kind == Operation::getrf;
  if (own_m && (++number, s.m < 0)) return {"m", number};
  if (++number; s.n < 0) return {"n", number};
  if (has_solution(s.kind) && (++number, s.nrhs < 0)) return {"nrhs", number};
  number += 2;  // a
  if (bad_ld(layout, own_m ? s.m : s.n, s.n, s.lda)) return {"lda", number};
  if (!has_uplo(s.kind)) ++number;  // ipiv
  if (has_solution(s.kind) && (number += 2, bad_ld(layout, s.n, s.nrhs, s.ldb))) return {"ldb", number};
  return {};
}

/// LAPACK's ipiv, whose integers have 32 or 64 bits: row i was exchanged with row at(i), counted from 0 here. On a
/// device the integers have 64 bits.
struct Pivots {
  void* data = nullptr;
  bool narrow = false;

  std::int64_t at(std::int64_t i) const {
    return (narrow ? static_cast<const std::int32_t*>(data)[i] : static_cast<const std::int64_t*>(data)[i]) - 1;
  }
  void put(std::int64_t i, std::int64_t row) const {
    if (narrow)
      static_cast<std::int32_t*>(data)[i] = static_cast<std::int32_t>(row + 1);
    else
      static_cast<std::int64_t*>(data)[i] = row + 1;
  }
};

/// Checks pivots in host memory that a caller passes: a row outside of the matrix would be exchanged in other memory.
inline void require_pivots(const Pivots& pivots, std::int64_t rows) {
  for (std::int64_t i = 0; i < rows; ++i)
    if (pivots.at(i) < 0 || pivots.at(i) >= rows)
      throw Error(ACCUBLAS_ERROR_ARGUMENT, "argument ipiv must be rows from 1 to " + std::to_string(rows));
}

/// A call of a factorization. The matrices are views of the caller's; `uplo` names the stored triangle of A's view.
template <class E>
struct Factorization : FactorizationShape {
  Matrix<E> a{}, b{};
  Pivots pivots{};
  std::int64_t* info = nullptr;  ///< LAPACK's, where no argument is bad; null: the routine has none
  E* work = nullptr;             ///< of GETRI by the real LAPACK: n columns of A at most, n numbers at least
  std::int64_t lwork = 0;        ///< numbers of it
  bool info_on_device = false;

  Routine routine() const { return {kind, type_of<E>}; }
  std::int64_t rows() const { return kind == Operation::getrf ? m : n; }
  std::int64_t cols() const { return has_solution(kind) ? nrhs : n; }
  std::int64_t order() const { return rows() < n ? rows() : n; }
  std::int64_t inner() const { return order(); }
  /// Returns how many numbers of work are best for LAPACK's GETRI: 2^62 for those beyond every address space.
  std::int64_t best_work() const {
    return n > 1 ? product_up_to(std::int64_t{1} << 62, n, std::min<std::int64_t>(n, 64)) : 1;
  }

  void put_info(std::int64_t found) const {
    if (info) *info = found;
  }
  /// Returns whether a finished call on the host found no fault.
  bool succeeded() const { return !info || *info == 0; }
  /// Returns X with A = X^H X, in the memory of A's stored triangle.
  Matrix<E> cholesky_factor() const { return uplo == ACCUBLAS_UPPER ? a : a.transposed(); }
};

/// The matrices of the two triangular systems that solve A X = B with A = X^H X, in order.
template <class E>
std::array<Operand<E>, 2> cholesky_solves(const Factorization<E>& f) {
  const Matrix<E> x = f.cholesky_factor();
  Operand<E> upper{{x.data, x.row_stride, x.col_stride}, false, Structure::triangular, Triangle::upper};
  Operand<E> lower = upper.transposed();
  // X is the factor of A^T if the lower triangle is stored: A = conj(X^H X).
  const bool conjugated = is_complex<E> && f.uplo == ACCUBLAS_LOWER;
  lower.conjugate = is_complex<E> && !conjugated;
  upper.conjugate = conjugated;
  return {lower, upper};
}

/// The two triangular matrices whose systems solve op(A) X = B with the rows of A exchanged, A = L U.
template <class E>
std::array<Operand<E>, 2> lu_solves(const Factorization<E>& f) {
  const Matrix<const E> a{f.a.data, f.a.row_stride, f.a.col_stride};
  Operand<E> l{a, false, Structure::triangular, Triangle::lower, true},
      u{a, false, Structure::triangular, Triangle::upper};
  if (f.trans == ACCUBLAS_NO_TRANS) return {l, u};
  l = l.transposed(), u = u.transposed();
  l.conjugate = u.conjugate = is_complex<E> && f.trans == ACCUBLAS_CONJ_TRANS;
  return {u, l};
}

/// Exchanges rows i and pivots.at(i) in columns `first` to `end` - 1, for i = 0 .. count - 1 or in reverse order.
template <class E>
void swap_rows(const Matrix<E>& b, std::int64_t first, std::int64_t end, const Pivots& pivots, std::int64_t from,
               std::int64_t count, bool backwards) {
  const auto swap = [&](std::int64_t step, std::int64_t j) {
    const std::int64_t i = from + (backwards ? count - 1 - step : step), other = pivots.at(i);
    if (i != other) std::swap(b(i, j), b(other, j));
  };
  if (b.row_stride == 1) {
    for (std::int64_t j = first; j < end; ++j)
      for (std::int64_t step = 0; step < count; ++step) swap(step, j);
  } else {
    for (std::int64_t step = 0; step < count; ++step)
      for (std::int64_t j = first; j < end; ++j) swap(step, j);
  }
}

/// Exchanges rows forwards in all n columns except for `first` to `end` - 1, by threads of the pool.
template <class E>
void swap_rows_outside(const Matrix<E>& a, std::int64_t n, std::int64_t first, std::int64_t end, const Pivots& pivots,
                       std::int64_t from, std::int64_t count, int threads) {
  constexpr std::int64_t step = 32;
  const std::int64_t others = n - (end - first);
  parallel_for(ceil_div(others, step), threads, [&](std::int64_t task, int) {
    // Tasks take the columns to the left first, then those to the right.
    const std::int64_t left = task * step, right = std::min(others, left + step);
    swap_rows(a, std::min(left, first), std::min(right, first), pivots, from, count, false);
    swap_rows(a, std::max(left, first) + end - first, std::max(right, first) + end - first, pivots, from, count, false);
  });
}

}  // namespace accublas
