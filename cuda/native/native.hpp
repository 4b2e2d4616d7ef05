// Engine native on a device: cuBLAS as it is. Strides that BLAS has no name for are copied, block by block, into
// scratch memory.
#pragma once

#include "cuda/core/cublas.hpp"
#include "cuda/core/operand.hpp"

namespace accublas::cuda {

/// Device memory lent to a call, 256-byte aligned; null where none is needed.
struct Scratch {
  void* data;
  std::size_t bytes;
};

/// What native needs as scratch for a problem: 0 where cuBLAS reads the operands as they are; else at most `cap` if
/// blocks of 64 fit there. More than this is of no use, less than this is an error.
template <class T>
std::size_t native_scratch_bytes(const Gemm<T>&, std::size_t cap);
template <class T>
std::size_t native_scratch_bytes(const Gemv<T>&, std::size_t cap);
template <class T>
std::size_t native_scratch_bytes(const Dot<T>&, std::size_t cap);

/// The problem on device pointers, its alpha and beta unused; m, n, k >= 1. Between Cublas::begin on the same stream
/// and the next. alpha and beta are both by value or both in device memory. GEMV's increments are not zero.
template <class T>
void native_gemm(Cublas&, const Gemm<T>&, Scalar<T> alpha, Scalar<T> beta, Scratch, cudaStream_t);
template <class T>
void native_gemv(Cublas&, const Gemv<T>&, Scalar<T> alpha, Scalar<T> beta, Scratch, cudaStream_t);
/// The result goes to device memory, problem.result; n >= 1.
template <class T>
void native_dot(Cublas&, const Dot<T>&, Scratch, cudaStream_t);
/// Complex GEMV and DOT likewise, where cuBLAS has names for strides and conjugation, and numbers are aligned to their
/// size, as it loads them.
template <class T>
bool native_has(const Gemv<Complex<T>>&);
template <class T>
bool native_has(const Dot<Complex<T>>&);
template <class T>
void native_gemv(Cublas&, const Gemv<Complex<T>>&, Scalar<Complex<T>> alpha, Scalar<Complex<T>> beta);
template <class T>
void native_dot(Cublas&, const Dot<Complex<T>>&);
/// NRM2 and ASUM; the same. cuBLAS returns zero for an increment of zero, which native_has_norm() therefore excludes.
template <class T>
bool native_has_norm(const Reduction<T>&);
template <class T>
void native_nrm2(Cublas&, const Reduction<T>&);
template <class T>
void native_asum(Cublas&, const Reduction<T>&);

}  // namespace accublas::cuda
