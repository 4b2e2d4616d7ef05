// Engine native on a device: plain cuBLAS. Operands whose strides BLAS cannot express are copied, block by block, into
// scratch memory.
#pragma once

#include "cuda/core/cublas.hpp"
#include "cuda/core/operand.hpp"

namespace accublas::cuda {

/// Device memory lent to a call, 256-byte aligned; null if none is needed.
struct Scratch {
  void* data;
  std::size_t bytes;
};

/// Returns how many bytes of scratch native needs for a problem: 0 if cuBLAS reads the operands in place, else at most
/// `cap` if blocks of 64 fit there. More scratch is not used; less is an error.
template <class T>
std::size_t native_scratch_bytes(const Gemm<T>&, std::size_t cap);
template <class T>
std::size_t native_scratch_bytes(const Gemv<T>&, std::size_t cap);
template <class T>
std::size_t native_scratch_bytes(const Dot<T>&, std::size_t cap);

/// Computes the problem on device pointers; its own alpha and beta are not used; m, n, k >= 1. Call it after
/// Cublas::begin on the same stream and before the next begin. alpha and beta are both by value or both in device
/// memory. GEMV's increments must not be zero.
template <class T>
void native_gemm(Cublas&, const Gemm<T>&, Scalar<T> alpha, Scalar<T> beta, Scratch, cudaStream_t);
template <class T>
void native_gemv(Cublas&, const Gemv<T>&, Scalar<T> alpha, Scalar<T> beta, Scratch, cudaStream_t);
/// Computes DOT; the result goes to device memory, problem.result; n >= 1.
template <class T>
void native_dot(Cublas&, const Dot<T>&, Scratch, cudaStream_t);
/// Returns whether cuBLAS can compute a complex GEMV or DOT: it must be able to express the strides and the
/// conjugation, and numbers must be aligned to their size, since cuBLAS loads them so.
template <class T>
bool native_has(const Gemv<Complex<T>>&);
template <class T>
bool native_has(const Dot<Complex<T>>&);
template <class T>
void native_gemv(Cublas&, const Gemv<Complex<T>>&, Scalar<Complex<T>> alpha, Scalar<Complex<T>> beta);
template <class T>
void native_dot(Cublas&, const Dot<Complex<T>>&);
/// These functions compute NRM2 and ASUM. cuBLAS returns zero for an increment of zero, which native_has_norm()
/// therefore excludes.
template <class T>
bool native_has_norm(const Reduction<T>&);
template <class T>
void native_nrm2(Cublas&, const Reduction<T>&);
template <class T>
void native_asum(Cublas&, const Reduction<T>&);

}  // namespace accublas::cuda
