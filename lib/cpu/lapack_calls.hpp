// One call of LAPACK's factorizations, solutions and inverses as the real BLAS has them: column-major arguments,
// already checked. Routines of LAPACK that are made of others are so here: its own would find the drop-in's where that
// is preloaded. info is what accublas.h says, whatever the library makes of NaN: OpenBLAS's POTRF passes over pivots
// that are NaN, its TRTRI and GELS may miss a zero beside a NaN, its GETRF may find a zero where none stands.
#pragma once

#include <algorithm>
#include <cmath>

#include "lib/call/factorization.hpp"
#include "lib/call/orthogonal.hpp"
#include "lib/cpu/level3_calls.hpp"

namespace accublas::cpu {

namespace detail {

/// The number of the first of n diagonal elements that is zero, counted from 1, or 0.
template <class E>
Index first_zero(const Matrix<E>& a, Index n) {
  for (Index i = 0; i < n; ++i)
    if (a(i, i) == 0) return i + 1;
  return 0;
}

/// POTRF's info where the library returned `info`: the root of a pivot that is NaN is NaN.
template <class E>
Index cholesky_info(const Factorization<E>& f, Index info) {
  const Index good = info > 0 ? info - 1 : f.n;
  for (Index i = 0; i < good; ++i) {
    const E& root = f.a(i, i);
    if constexpr (is_complex<E>) {
      if (std::isnan(root.re)) return i + 1;
    } else if (std::isnan(root)) {
      return i + 1;
    }
  }
  return info;
}

/// GELS's info by R's diagonal, or L's. Where A is zero LAPACK has not factored it.
template <class E>
Index least_squares_info(const Orthogonal<E>& o) {
  if (std::min({o.m, o.n, o.nrhs}) == 0) return 0;
  const Index first = first_zero(o.a, o.reflectors());
  if (first != 1) return first;
  for (Index j = 0; j < o.n; ++j)
    for (Index i = 0; i < o.m; ++i)
      if (!(o.a(i, j) == 0)) return first;
  return 0;
}

/// A triangular matrix's inverse in its place; LAPACK's info.
template <class E>
Index call_trtri(const RealBlas& blas, const Factorization<E>& f, char uplo) {
  if (f.diag == ACCUBLAS_NON_UNIT)
    if (const Index singular = first_zero(f.a, f.n)) return singular;
  BlasInteger info = blas.lapack_integer(0);
  blas.call({Operation::trtri, type_of<E>}, uplo, f.diag == ACCUBLAS_UNIT ? 'U' : 'N', f.n, f.a.data, f.lda,
            info.address());
  return info.value();
}

/// U U^H, or L^H L, of a triangle in its place, from the first block of rows of U (columns of L) on. OpenBLAS 0.3.21's
/// LAUUM of complex numbers reads beyond the matrix.
template <class E>
void square_triangle(const RealBlas& blas, const Factorization<E>& f) {
  constexpr Index edge = 32;
  const bool upper = f.uplo == ACCUBLAS_UPPER;
  // U's element (i, j), of which L^H has the conjugate.
  const auto at = [&](Index i, Index j) -> E& { return upper ? f.a(i, j) : f.a(j, i); };
  for (Index first = 0; first < f.n; first += edge) {
    const Index count = std::min(edge, f.n - first), end = first + count, rest = f.n - end;
    E* const block = &f.a(first, first);
    E* const above = &at(0, first);
    E* const beside = &at(first, end < f.n ? end : first);
    Level3<E> product{shape_with_side(Operation::trmm, true, upper ? ACCUBLAS_RIGHT : ACCUBLAS_LEFT, f.uplo,
                                      ACCUBLAS_CONJ_TRANS, ACCUBLAS_NON_UNIT, upper ? first : count,
                                      upper ? count : first, f.lda, f.lda, 0)};
    product.alpha = E{1};
    product.a = block;
    product.c = above;
    call_level3(blas, product);
    // A row of the block takes the elements beside its diagonal before these change.
    for (Index i = first; i < end; ++i)
      for (Index j = i; j < end; ++j) {
        E sum{};
        for (Index q = j; q < end; ++q) add_product(sum, at(i, q), conjugate_if(true, at(j, q)));
        if (i == j) sum.im = 0;
        at(i, j) = sum;
      }
    if (rest == 0) continue;
    if (first > 0) {
      const E* const far = &at(0, end);
      if (upper)
        call_gemm(blas, 'N', 'C', first, count, rest, E{1}, far, f.lda, beside, f.lda, E{1}, above, f.lda);
      else
        call_gemm(blas, 'C', 'N', count, first, rest, E{1}, beside, f.lda, far, f.lda, E{1}, above, f.lda);
    }
    const accublas_transpose trans = upper ? ACCUBLAS_NO_TRANS : ACCUBLAS_CONJ_TRANS;
    Level3<E> square{
        shape_with_triangle(Operation::herk, true, f.uplo, trans, ACCUBLAS_NO_TRANS, count, rest, f.lda, 0, f.lda)};
    square.alpha = square.beta = E{1};
    square.a = beside;
    square.c = block;
    call_level3(blas, square);
  }
}

template <class E>
void call_lauum(const RealBlas& blas, const Factorization<E>& f, [[maybe_unused]] char uplo) {
  if constexpr (is_complex<E>) {
    square_triangle(blas, f);
  } else {
    BlasInteger info = blas.lapack_integer(0);
    blas.call({Operation::lauum, type_of<E>}, uplo, f.n, f.a.data, f.lda, info.address());
  }
}

/// X P with X L = V, by blocks of columns from the last one on: V, the upper triangle of A, has zeros where L was, of
/// which f.work holds a block.
template <class E>
void solve_by_l(const RealBlas& blas, const Factorization<E>& f) {
  const Index n = f.n, width = f.lwork / n;
  for (Index end = n, begin = 0; end > 0; end = begin) {
    begin = (end - 1) / width * width;
    const Index count = end - begin;
    for (Index j = 0; j < count; ++j)
      for (Index i = begin + j + 1; i < n; ++i) f.work[i + j * n] = std::exchange(f.a(i, begin + j), E{});
    call_gemm(blas, 'N', 'N', n, count, n - end, E{-1}, f.a.data + end * f.lda, f.lda, f.work + end, n, E{1},
              f.a.data + begin * f.lda, f.lda);
    Level3<E> solution{shape_with_side(Operation::trsm, is_complex<E>, ACCUBLAS_RIGHT, ACCUBLAS_LOWER,
                                       ACCUBLAS_NO_TRANS, ACCUBLAS_UNIT, n, count, n, f.lda, 0)};
    solution.alpha = E{1};
    solution.a = f.work + begin;
    solution.c = f.a.data + begin * f.lda;
    call_level3(blas, solution);
  }
  swap_rows(f.a.transposed(), 0, n, f.pivots, 0, n, true);
}

}  // namespace detail

/// LAPACK's info, which is not negative. Its integers are the library's: `pivots` has them as wide as they are there.
template <class E>
std::int64_t call_lapack(const RealBlas& blas, const Factorization<E>& f) {
  blas.require(f.routine());
  const char uplo = f.uplo == ACCUBLAS_UPPER ? 'U' : 'L', op = op_letter<E>(f.trans);
  Index info = 0;
  BlasInteger found = blas.lapack_integer(0);
  if (f.kind == Operation::getrf) {
    blas.call(f.routine(), f.m, f.n, f.a.data, f.lda, f.pivots.data, found.address());
    info = detail::first_zero(f.a, f.order());
  } else if (f.kind == Operation::getrs) {
    blas.call(f.routine(), op, f.n, f.nrhs, f.a.data, f.lda, f.pivots.data, f.b.data, f.ldb, found.address());
    info = found.value();
  } else if (f.kind == Operation::gesv) {
    Factorization<E> part = f;
    part.kind = Operation::getrf;
    part.m = f.n;
    info = call_lapack(blas, part);
    part.kind = Operation::getrs;
    if (info == 0 && f.nrhs > 0) call_lapack(blas, part);
  } else if (is_inverse(f.kind)) {
    if (f.kind != Operation::lauum) info = detail::call_trtri(blas, f, f.kind == Operation::getri ? 'U' : uplo);
    if (f.kind == Operation::lauum || (f.kind == Operation::potri && info == 0)) detail::call_lauum(blas, f, uplo);
    if (f.kind == Operation::getri && info == 0 && f.n > 0) detail::solve_by_l(blas, f);
  } else {
    if (has_factor(f.kind)) {
      blas.call({Operation::potrf, type_of<E>}, uplo, f.n, f.a.data, f.lda, found.address());
      info = detail::cholesky_info(f, found.value());
    }
    const accublas_transpose first = f.uplo == ACCUBLAS_UPPER ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_NO_TRANS;
    for (const accublas_transpose trans : {first, ACCUBLAS_NO_TRANS + ACCUBLAS_CONJ_TRANS - first}) {
      if (!has_solution(f.kind) || info != 0) break;
      Level3<E> solution{shape_with_side(Operation::trsm, is_complex<E>, ACCUBLAS_LEFT, f.uplo, trans,
                                         ACCUBLAS_NON_UNIT, f.n, f.nrhs, f.lda, f.ldb, 0)};
      solution.alpha = E{1};
      solution.a = f.a.data;
      solution.c = f.b.data;
      call_level3(blas, solution);
    }
  }
  return info;
}

/// Calls a routine of QR, with LAPACK's workspace. If lwork = -1, the wanted length goes to work[0].
template <class E>
std::int64_t call_lapack(const RealBlas& blas, const Orthogonal<E>& o) {
  blas.require(o.routine());
  const char side = o.side == ACCUBLAS_LEFT ? 'L' : 'R', op = op_letter<E>(o.trans);
  const Routine routine = o.routine();
  BlasInteger info = blas.lapack_integer(0);
  switch (o.kind) {
    case Operation::geqrf:
      blas.call(routine, o.m, o.n, o.a.data, o.lda, o.tau, o.work, o.lwork, info.address());
      break;
    case Operation::orgqr:
      blas.call(routine, o.m, o.n, o.k, o.a.data, o.lda, o.tau, o.work, o.lwork, info.address());
      break;
    case Operation::ormqr:
      blas.call(routine, side, op, o.m, o.n, o.k, o.a.data, o.lda, o.tau, o.c.data, o.ldc, o.work, o.lwork,
                info.address());
      break;
    default:
      blas.call(routine, op, o.m, o.n, o.nrhs, o.a.data, o.lda, o.c.data, o.ldc, o.work, o.lwork, info.address());
      if (o.lwork != -1) return detail::least_squares_info(o);
  }
  return info.value();
}

}  // namespace accublas::cpu
