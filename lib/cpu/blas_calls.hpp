// One call of the real BLAS, for the engines and for the drop-in: column-major arguments as Fortran has them, already
// checked. What accublas promises and implementations of BLAS do not all keep is seen to here:
//   - alpha = 0 or k = 0: A and B are not read (OpenBLAS's kernels for small matrices multiply by alpha = 0)
//   - beta = 0: C is not read (some GEMV of OpenBLAS scale y by it)
//   - GEMV with a dimension of 0 leaves y alone, sums over nothing are +0
//   - a norm of infinities without a NaN is +Inf (a BLAS that scales by the largest entry returns NaN)
//   - no memory beside the operands is read (OpenBLAS 0.3.21 reads one element beyond the vectors of complex DOT and
//     GEMV, and of HEMV, and beyond the matrix of SSYMV on CPUs that it does not know): such a call leaves out the last
//     element, which is added here
// The caller has seen to the stack (stack_of_blas in lib/cpu/real_blas.hpp).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>

#include "include/accublas.h"
#include "lib/call/scale_result.hpp"
#include "lib/cpu/real_blas.hpp"

namespace accublas::cpu {

/// netlib's letter of a transposition: of a real matrix the conjugate transpose is the transpose.
template <class E>
char op_letter(accublas_transpose t) {
  return t == ACCUBLAS_NO_TRANS ? 'N' : is_complex<E> && t == ACCUBLAS_CONJ_TRANS ? 'C' : 'T';
}

/// C = alpha op(A) op(B) + beta C; op is 'N', 'T' or, of complex matrices, 'C'.
template <class T>
void call_gemm(const RealBlas& blas, char op_a, char op_b, Index m, Index n, Index k, T alpha, const T* a, Index lda,
               const T* b, Index ldb, T beta, T* c, Index ldc) {
  const bool product = alpha != 0 && k != 0;
  if (m == 0 || n == 0 || (!product && beta == 1)) return;
  const Matrix<T> result{c, 1, ldc};
  if (!product) return scale_result(beta, m, n, result);
  if (beta == 0 && blas.reads_result) {
    scale_result(beta, m, n, result);
    beta = T{1};
  }
  blas.call({Operation::gemm, type_of<T>}, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// to += x z
template <class T>
void add_product(T& to, const T& x, const T& z) {
  to += x * z;
}
/// to += x z, as BLAS multiplies complex numbers.
template <class T>
void add_product(Complex<T>& to, const Complex<T>& x, const Complex<T>& z) {
  to.re += x.re * z.re - x.im * z.im;
  to.im += x.re * z.im + x.im * z.re;
}

/// Element i of a vector of n, which begins at its lowest address.
template <class E>
E& element_of(E* x, Index n, Index increment, Index i) {
  return x[increment < 0 ? (i - n + 1) * increment : i * increment];
}
/// A vector that begins at its lowest address without the last element of n.
template <class E>
E* without_last(E* x, Index increment) {
  return increment < 0 ? x - increment : x;
}

/// y = alpha op(A) x + beta y, A m x n, op as in call_gemm; x and y begin at their lowest addresses.
template <class T>
void call_gemv(const RealBlas& blas, char op, Index m, Index n, T alpha, const T* a, Index lda, const T* x, Index incx,
               T beta, T* y, Index incy) {
  if (m == 0 || n == 0 || (alpha == 0 && beta == 1)) return;
  constexpr Routine gemv{Operation::gemv, type_of<T>};
  // y is little beside A: it is cleared whatever the BLAS does.
  if (alpha == 0 || beta == 0) {
    scale_result(beta, op == 'N' ? m : n, 1, Matrix<T>{y, std::abs(Index{incy}), 0});
    if (alpha == 0) return;
    beta = T{1};
  }
  if constexpr (is_complex<T>) {
    if (op == 'N') {
      const Index rest = n - 1;
      if (rest == 0)
        scale_result(beta, m, 1, Matrix<T>{y, std::abs(Index{incy}), 0});
      else
        blas.call(gemv, op, m, rest, alpha, a, lda, without_last(x, incx), incx, beta, y, incy);
      T factor{};
      add_product(factor, alpha, element_of(x, n, incx, rest));
      for (Index i = 0; i < m; ++i) add_product(element_of(y, m, incy, i), factor, a[i + rest * lda]);
      return;
    }
  }
  blas.call(gemv, op, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

/// x^T y, or x^H y; x and y begin at their lowest addresses.
template <class E>
E call_dot(const RealBlas& blas, [[maybe_unused]] bool conjugate_x, Index n, const E* x, Index incx, const E* y,
           Index incy) {
  if (n <= 0) return E{};
  if constexpr (is_complex<E>) {
    const Index rest = n - 1;
    E last{};
    add_product(last, conjugate_if(conjugate_x, element_of(x, n, incx, rest)), element_of(y, n, incy, rest));
    if (rest == 0) return last;
    const Operation dot = conjugate_x ? Operation::dotc : Operation::dotu;
    const auto result = blas.call<F77Complex<RealOf<E>>>({dot, type_of<E>}, rest, without_last(x, incx), incx,
                                                         without_last(y, incy), incy);
    return {__real__ result + last.re, __imag__ result + last.im};
  } else {
    return blas.call<E>({Operation::dot, type_of<E>}, n, x, incx, y, incy);
  }
}

/// addend + x^T y by products and sums in double precision: SDSDOT in T = float, DSDOT in double, which adds nothing.
/// The BLAS has them (RealBlas::lacks).
template <class T>
T call_mixed_dot(const RealBlas& blas, Index n, T addend, const float* x, Index incx, const float* y, Index incy) {
  if (n <= 0) return addend;
  constexpr Routine routine{Operation::mixed_dot, type_of<T>};
  if constexpr (is_single_precision<T>)
    return blas.call<T>(routine, n, addend, x, incx, y, incy);
  else
    return blas.call<T>(routine, n, x, incx, y, incy);
}

/// A norm of n > 0 entries that the BLAS found to be `norm`: +Inf where it is NaN by infinities alone.
template <class E>
RealOf<E> norm_of_infinities(RealOf<E> norm, Index n, const E* x, Index incx) {
  if (!std::isnan(norm)) return norm;
  bool infinite = false;
  const auto any_nan = [&](auto a) {
    infinite = infinite || std::isinf(a);
    return std::isnan(a);
  };
  for (Index i = 0; i < n; ++i) {
    const E& entry = x[i * incx];
    if constexpr (is_complex<E>) {
      if (any_nan(entry.re) || any_nan(entry.im)) return norm;
    } else if (any_nan(entry)) {
      return norm;
    }
  }
  return infinite ? std::numeric_limits<RealOf<E>>::infinity() : norm;
}

/// NRM2 or ASUM as the BLAS has it, whatever that makes of an increment that is not positive.
template <class E>
RealOf<E> call_norm(const RealBlas& blas, Operation norm, Index n, const E* x, Index incx) {
  if (n <= 0) return 0;
  const RealOf<E> found = blas.call<RealOf<E>>({norm, type_of<E>}, n, x, incx);
  return incx > 0 ? norm_of_infinities(found, n, x, incx) : found;
}
template <class E>
RealOf<E> call_nrm2(const RealBlas& blas, Index n, const E* x, Index incx) {
  return call_norm(blas, Operation::nrm2, n, x, incx);
}
/// On AVX-512 cores OpenBLAS's SCASUM (before 0.3.26) leaves out some components of consecutive numbers and adds others
/// twice. SASUM adds the 2 n components in two halves, since 2 n may be too large an integer.
template <class E>
RealOf<E> call_asum(const RealBlas& blas, Index n, const E* x, Index incx) {
  if constexpr (type_of<E> == Type::c)
    if (incx == 1 && n > 0) {
      const auto* const components = reinterpret_cast<const float*>(x);
      return call_asum(blas, n, components, 1) + call_asum(blas, n, components + n, 1);
    }
  return call_norm(blas, Operation::asum, n, x, incx);
}

}  // namespace accublas::cpu
