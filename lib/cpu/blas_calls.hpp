// One call of the real BLAS, for the engines and for the drop-in: column-major arguments as Fortran has them, already
// checked. What accublas promises and implementations of BLAS do not all keep is seen to here:
//   - alpha = 0 or k = 0: A and B are not read (OpenBLAS's kernels for small matrices multiply by alpha = 0)
//   - beta = 0: C is not read (some GEMV of OpenBLAS scale y by it)
//   - GEMV with a dimension of 0 leaves y alone, sums over nothing are +0
//   - a norm of infinities without a NaN is +Inf (a BLAS that scales by the largest entry returns NaN)
//   - no memory beside the operands is read (OpenBLAS 0.3.21 reads one element beyond the vectors of complex DOT and
//     GEMV, and of HEMV): such a call leaves out the last element, which is added here
//   - the caller's floating-point environment stays as it is
// The caller has seen to the stack (stack_of_blas in lib/cpu/native.hpp).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>

#include "include/accublas.h"
#include "lib/base/fp_environment.hpp"
#include "lib/call/scale_result.hpp"
#include "lib/cpu/native.hpp"

namespace accublas::cpu {

/// netlib's letter of a transposition: of a real matrix the conjugate transpose is the transpose.
template <class E>
char op_letter(accublas_transpose t) {
  return t == ACCUBLAS_NO_TRANS ? 'N' : is_complex<E> && t == ACCUBLAS_CONJ_TRANS ? 'C' : 'T';
}

/// C = alpha op(A) op(B) + beta C; op is 'N', 'T' or, of complex matrices, 'C'.
template <class T>
void call_gemm(const RealBlas& blas, char op_a, char op_b, RealBlas::F77Int m, RealBlas::F77Int n, RealBlas::F77Int k,
               T alpha, const T* a, RealBlas::F77Int lda, const T* b, RealBlas::F77Int ldb, T beta, T* c,
               RealBlas::F77Int ldc) {
  const bool product = alpha != 0 && k != 0;
  if (m == 0 || n == 0 || (!product && beta == 1)) return;
  const Matrix<T> result{c, 1, ldc};
  if (!product) return scale_result(beta, m, n, result);
  if (beta == 0 && blas.reads_result) {
    scale_result(beta, m, n, result);
    beta = T{1};
  }
  const FpControl control;
  if constexpr (is_complex<T> && !is_single_precision<T>)
    blas.zgemm(&op_a, &op_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
  else if constexpr (is_complex<T>)
    blas.cgemm(&op_a, &op_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
  else if constexpr (sizeof(T) == 8)
    blas.dgemm(&op_a, &op_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
  else
    blas.sgemm(&op_a, &op_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
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

/// call_gemv's call as it is.
template <class T>
void call_whole_gemv(const RealBlas& blas, char op, RealBlas::F77Int m, RealBlas::F77Int n, T alpha, const T* a,
                     RealBlas::F77Int lda, const T* x, RealBlas::F77Int incx, T beta, T* y, RealBlas::F77Int incy) {
  const FpControl control;
  if constexpr (is_complex<T> && !is_single_precision<T>)
    blas.zgemv(&op, &m, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy);
  else if constexpr (is_complex<T>)
    blas.cgemv(&op, &m, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy);
  else if constexpr (sizeof(T) == 8)
    blas.dgemv(&op, &m, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy);
  else
    blas.sgemv(&op, &m, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy);
}

/// y = alpha op(A) x + beta y, A m x n, op as in call_gemm; x and y begin at their lowest addresses.
template <class T>
void call_gemv(const RealBlas& blas, char op, RealBlas::F77Int m, RealBlas::F77Int n, T alpha, const T* a,
               RealBlas::F77Int lda, const T* x, RealBlas::F77Int incx, T beta, T* y, RealBlas::F77Int incy) {
  if (m == 0 || n == 0 || (alpha == 0 && beta == 1)) return;
  // y is little beside A: it is cleared whatever the BLAS does.
  if (alpha == 0 || beta == 0) {
    scale_result(beta, op == 'N' ? m : n, 1, Matrix<T>{y, std::abs(Index{incy}), 0});
    if (alpha == 0) return;
    beta = T{1};
  }
  if constexpr (is_complex<T>) {
    if (op == 'N') {
      const RealBlas::F77Int rest = n - 1;
      if (rest == 0)
        scale_result(beta, m, 1, Matrix<T>{y, std::abs(Index{incy}), 0});
      else
        call_whole_gemv(blas, op, m, rest, alpha, a, lda, without_last(x, incx), incx, beta, y, incy);
      T factor{};
      add_product(factor, alpha, element_of(x, n, incx, rest));
      for (Index i = 0; i < m; ++i) add_product(element_of(y, m, incy, i), factor, a[i + rest * lda]);
      return;
    }
  }
  call_whole_gemv(blas, op, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

/// x^T y; x and y begin at their lowest addresses.
template <class T>
T call_dot(const RealBlas& blas, RealBlas::F77Int n, const T* x, RealBlas::F77Int incx, const T* y,
           RealBlas::F77Int incy) {
  if (n <= 0) return 0;
  const FpControl control;
  if constexpr (sizeof(T) == 8)
    return blas.ddot(&n, x, &incx, y, &incy);
  else
    return blas.sdot(&n, x, &incx, y, &incy);
}

/// x^T y, or x^H y.
template <class T>
Complex<T> call_dot(const RealBlas& blas, bool conjugate_x, RealBlas::F77Int n, const Complex<T>* x,
                    RealBlas::F77Int incx, const Complex<T>* y, RealBlas::F77Int incy) {
  if (n <= 0) return {};
  const FpControl control;
  const RealBlas::F77Int rest = n - 1;
  F77Complex<T> result = 0;
  Complex<T> factor = element_of(x, n, incx, rest), last{};
  if (conjugate_x) factor.im = -factor.im;
  add_product(last, factor, element_of(y, n, incy, rest));
  x = without_last(x, incx), y = without_last(y, incy);
  if (rest == 0) return last;
  if constexpr (sizeof(T) == 8)
    result = blas.zdot[conjugate_x](&rest, x, &incx, y, &incy);
  else
    result = blas.cdot[conjugate_x](&rest, x, &incx, y, &incy);
  return {__real__ result + last.re, __imag__ result + last.im};
}

/// addend + x^T y by products and sums in double precision: SDSDOT in T = float, DSDOT in double, which adds nothing.
/// The BLAS has them (RealBlas::lacks).
template <class T>
T call_mixed_dot(const RealBlas& blas, RealBlas::F77Int n, T addend, const float* x, RealBlas::F77Int incx,
                 const float* y, RealBlas::F77Int incy) {
  if (n <= 0) return addend;
  const FpControl control;
  if constexpr (sizeof(T) == 8)
    return blas.dsdot(&n, x, &incx, y, &incy);
  else
    return blas.sdsdot(&n, &addend, x, &incx, y, &incy);
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

/// A norm as the BLAS has it, whatever that makes of an increment that is not positive.
template <class E>
RealOf<E> call_norm(RealOf<E> (*norm)(const RealBlas::F77Int*, const E*, const RealBlas::F77Int*), RealBlas::F77Int n,
                    const E* x, RealBlas::F77Int incx) {
  if (n <= 0) return 0;
  const FpControl control;
  const RealOf<E> found = norm(&n, x, &incx);
  return incx > 0 ? norm_of_infinities(found, n, x, incx) : found;
}
inline double call_nrm2(const RealBlas& blas, RealBlas::F77Int n, const double* x, RealBlas::F77Int incx) {
  return call_norm(blas.dnrm2, n, x, incx);
}
inline float call_nrm2(const RealBlas& blas, RealBlas::F77Int n, const float* x, RealBlas::F77Int incx) {
  return call_norm(blas.snrm2, n, x, incx);
}
inline double call_nrm2(const RealBlas& blas, RealBlas::F77Int n, const Complex<double>* x, RealBlas::F77Int incx) {
  return call_norm(blas.dznrm2, n, x, incx);
}
inline float call_nrm2(const RealBlas& blas, RealBlas::F77Int n, const Complex<float>* x, RealBlas::F77Int incx) {
  return call_norm(blas.scnrm2, n, x, incx);
}
inline double call_asum(const RealBlas& blas, RealBlas::F77Int n, const Complex<double>* x, RealBlas::F77Int incx) {
  return call_norm(blas.dzasum, n, x, incx);
}
inline double call_asum(const RealBlas& blas, RealBlas::F77Int n, const double* x, RealBlas::F77Int incx) {
  return call_norm(blas.dasum, n, x, incx);
}
inline float call_asum(const RealBlas& blas, RealBlas::F77Int n, const float* x, RealBlas::F77Int incx) {
  return call_norm(blas.sasum, n, x, incx);
}
/// SASUM adds the 2 n components of consecutive numbers: on AVX-512 cores OpenBLAS's SCASUM (before 0.3.26) leaves out
/// some of them and adds others twice. In two halves, since 2 n may be no F77Int.
inline float call_asum(const RealBlas& blas, RealBlas::F77Int n, const Complex<float>* x, RealBlas::F77Int incx) {
  if (incx != 1 || n <= 0) return call_norm(blas.scasum, n, x, incx);
  const auto* const components = reinterpret_cast<const float*>(x);
  return call_asum(blas, n, components, 1) + call_asum(blas, n, components + n, 1);
}

}  // namespace accublas::cpu
