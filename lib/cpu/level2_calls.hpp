// One call of a routine of level 2 of the real BLAS: column-major arguments, already checked, vectors from their lowest
// addresses as BLAS has them. As in lib/cpu/blas_calls.hpp, what accublas promises is seen to here: alpha = 0 reads no
// operand, beta = 0 does not read y. Conjugates for which BLAS has no letter are made in copies, or in place and back.
#pragma once

#include <cstdlib>
#include <type_traits>
#include <vector>

#include "lib/call/level2.hpp"
#include "lib/call/scale_result.hpp"
#include "lib/cpu/blas_calls.hpp"

namespace accublas::cpu {

/// Changes the signs of the imaginary parts of n elements of a vector as BLAS has it.
template <class E>
void conjugate_in_place(Index n, E* x, Index increment) {
  if constexpr (is_complex<E>)
    for (Index i = 0; i < n; ++i) x[i * std::abs(increment)].im = -x[i * std::abs(increment)].im;
}

/// The conjugates of BLAS's vector, side by side in its order of memory.
template <class E>
std::vector<E> conjugates(Index n, const E* x, Index increment) {
  std::vector<E> copy;
  for (Index i = 0; i < n; ++i) copy.push_back(conjugate_if(true, x[i * std::abs(increment)]));
  return copy;
}

/// HEMV or SYMV without the last unknown. Its products with the last row and column of A are added here.
template <class E, class Call>
void call_without_last(const Level2<E>& l, Call&& call) {
  const Index n = l.n, rest = n - 1;
  const bool upper = l.uplo == ACCUBLAS_UPPER;
  const E& last_x = element_of(l.x, n, l.incx, rest);
  E diagonal = l.a[rest + rest * l.lda];
  if constexpr (is_complex<E>) diagonal = E{diagonal.re};
  E &last_y = element_of(l.c, n, l.incy, rest), sum{}, factor{};
  scale_result(l.beta, 1, 1, Matrix<E>{&last_y, 1, 1});
  if (rest > 0) call(rest, without_last(l.x, l.incx), without_last(l.c, l.incy));
  add_product(factor, l.alpha, last_x);
  for (Index i = 0; i < rest; ++i) {
    const E above = upper ? l.a[i + rest * l.lda] : conjugate_if(true, l.a[rest + i * l.lda]);
    add_product(element_of(l.c, n, l.incy, i), factor, above);
    add_product(sum, conjugate_if(true, above), element_of(l.x, n, l.incx, i));
  }
  add_product(sum, diagonal, last_x);
  add_product(last_y, l.alpha, sum);
}

/// GEMV. A row-major call's conjugate transpose, y = alpha conj(A) x + beta y, is made of the conjugates of all else.
template <class E>
void call_gemv(const RealBlas& blas, const Level2<E>& l) {
  const auto call = [&](E alpha, const E* x, Index incx, E beta) {
    call_gemv(blas, op_letter<E>(l.trans), l.m, l.n, alpha, l.a, l.lda, x, incx, beta, l.c, l.incy);
  };
  if (!l.conjugated) return call(l.alpha, l.x, l.incx, l.beta);
  std::vector<E> conjugate_x;
  if (l.m > 0 && !(l.alpha == 0)) conjugate_x = conjugates(l.n, l.x, l.incx);
  if (l.m > 0 && l.n > 0 && !(l.beta == 0)) conjugate_in_place(l.m, l.c, l.incy);
  call(conjugate_if(true, l.alpha), conjugate_x.data(), l.incx < 0 ? -1 : 1, conjugate_if(true, l.beta));
  if (l.m > 0 && l.n > 0) conjugate_in_place(l.m, l.c, l.incy);
}

/// Every routine but GEMV.
template <class E>
void call_level2(const RealBlas& blas, Level2<E> l) {
  if (l.rows() == 0 || l.n == 0 || (l.alpha == 0 && l.beta == 1)) return;
  const auto scale = [&] { scale_result(l.beta, l.n, 1, Matrix<E>{l.c, std::abs(Index{l.incy}), 0}); };
  if (l.alpha == 0) return scale();
  // The routine and the memory for copies may be missing: they are asked for before anything is written.
  blas.require(l.routine());
  if (l.conjugated) {
    // conj(c) = ... of the conjugates of all else, or vectors of their own.
    const auto copy = [](std::vector<E>& to, Index n, const E*& vector, std::int64_t& increment) {
      to = conjugates(n, vector, increment);
      vector = to.data();
      increment = increment < 0 ? -1 : 1;
    };
    std::vector<E> of_x, of_y;
    l.conjugated = false;
    if (l.x) copy(of_x, l.kind == Operation::gerc ? l.m : l.n, l.x, l.incx);
    if (l.y && l.kind == Operation::her2) copy(of_y, l.n, l.y, l.incy);
    if (is_update(l.kind)) {
      if (l.kind == Operation::gerc) l.kind = Operation::ger;
      return call_level2(blas, l);
    }
    const Index increment = is_triangular(l.kind) ? l.incx : l.incy;
    l.alpha = conjugate_if(true, l.alpha);
    l.beta = conjugate_if(true, l.beta);
    if (is_triangular(l.kind) || !(l.beta == 0)) conjugate_in_place(l.n, l.c, increment);
    call_level2(blas, l);
    return conjugate_in_place(l.n, l.c, increment);
  }
  if (l.beta == 0) {
    scale();
    l.beta = E{1};
  }
  const Routine routine = l.routine();
  const char uplo = l.uplo == ACCUBLAS_UPPER ? 'U' : 'L', op = op_letter<E>(l.trans);
  const char diag = l.diag == ACCUBLAS_UNIT ? 'U' : 'N';
  // A number's real part, which HER takes, lies first.
  if (is_ger(l.kind)) {
    blas.call(routine, l.m, l.n, l.alpha, l.x, l.incx, l.y, l.incy, l.c, l.lda);
  } else if (is_symv(l.kind)) {
    const auto of_order = [&](Index order, const E* x, E* y) {
      blas.call(routine, uplo, order, l.alpha, l.a, l.lda, x, l.incx, l.beta, y, l.incy);
    };
    // All but DSYMV read beside their operands in some OpenBLAS (lib/cpu/blas_calls.hpp).
    if constexpr (!std::is_same_v<E, double>)
      call_without_last(l, of_order);
    else
      of_order(l.n, l.x, l.c);
  } else if (is_triangular(l.kind)) {
    blas.call(routine, uplo, op, diag, l.n, l.a, l.lda, l.c, l.incx);
  } else if (is_syr2(l.kind)) {
    blas.call(routine, uplo, l.n, l.alpha, l.x, l.incx, l.y, l.incy, l.c, l.lda);
  } else {
    blas.call(routine, uplo, l.n, l.alpha, l.x, l.incx, l.c, l.lda);
  }
}

}  // namespace accublas::cpu
