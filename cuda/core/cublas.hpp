// cuBLAS is loaded when it is first needed, so that a build with CUDA also runs on a node without it. Every status is
// checked.
#pragma once

#include <cublas_v2.h>

#include <cstddef>

#include "lib/call/level2.hpp"
#include "lib/call/level3.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cuda {

/// A column-major matrix in the notation of BLAS.
template <class T>
struct BlasMatrix {
  T* data;
  cublasOperation_t op;
  Index ld;
};

/// A cuBLAS handle of one context on one device. Two threads must not use it at a time. A failing status is thrown as
/// Error. The status is ACCUBLAS_ERROR_MEMORY if cuBLAS found no memory, but ACCUBLAS_ERROR_C_UNDEFINED if that happens
/// in a product after others since begin(). Any other failure is ACCUBLAS_ERROR_DEVICE with cuBLAS's text.
///
/// In a rehearsal (cuda/core/rehearsal.hpp) routines and settings do nothing.
///
/// The process keeps the handles that contexts gave back and hands them to the next contexts. Creating a handle takes
/// milliseconds. Destroying one waits for the whole device, which ends captures of other threads.
class Cublas {
 public:
  /// Makes a handle on `device`, which must be current. Throws Error(ACCUBLAS_ERROR_UNAVAILABLE), naming the libraries
  /// tried, if there is no cuBLAS.
  explicit Cublas(int device);
  /// All work that was put on streams with the handle must be complete before the handle is destroyed.
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// Returns the workspace size in bytes to pass to begin(): NVIDIA's recommendation for a device of this generation.
  static std::size_t workspace_bytes(int major) { return std::size_t{major >= 9 ? 32u : 4u} << 20; }

  /// Later calls run on `stream` with `workspace` (256-byte aligned) as the workspace of cuBLAS. With a workspace
  /// cuBLAS allocates nothing, and a graph that captured the calls depends only on its arguments. With null cuBLAS uses
  /// the handle's own workspace, which serves one stream at a time and may allocate during capture.
  void begin(cudaStream_t stream, void* workspace, std::size_t bytes);

  /// Sets whether alpha, beta and the results of dot, nrm2 and asum are in device memory. Call it before every product
  /// or sum.
  void scalars_on_device(bool on_device);

  /// C = alpha op(A) op(B) + beta C, column-major, in IEEE arithmetic of the type.
  void gemm(Index m, Index n, Index k, const double* alpha, BlasMatrix<const double> a, BlasMatrix<const double> b,
            const double* beta, double* c, Index ldc);
  void gemm(Index m, Index n, Index k, const float* alpha, BlasMatrix<const float> a, BlasMatrix<const float> b,
            const float* beta, float* c, Index ldc);
  void gemm(Index m, Index n, Index k, const Complex<double>* alpha, BlasMatrix<const Complex<double>> a,
            BlasMatrix<const Complex<double>> b, const Complex<double>* beta, Complex<double>* c, Index ldc);
  void gemm(Index m, Index n, Index k, const Complex<float>* alpha, BlasMatrix<const Complex<float>> a,
            BlasMatrix<const Complex<float>> b, const Complex<float>* beta, Complex<float>* c, Index ldc);
  /// Computes C_i = alpha op(A_i) op(B_i) + beta C_i for `count` matrices; the strides between matrices count elements.
  template <class T>
  struct Batch {
    BlasMatrix<const T> a, b;
    T* c;
    Index ldc, stride_a, stride_b, stride_c, count;
  };
  void gemm_batched(Index m, Index n, Index k, const double* alpha, const Batch<double>&, const double* beta);
  void gemm_batched(Index m, Index n, Index k, const float* alpha, const Batch<float>&, const float* beta);
  /// A batch whose matrices are given by arrays of pointers in device memory.
  template <class T>
  struct PointerBatch {
    BlasMatrix<const T*const> a, b;
    T* const* c;
    Index ldc, count;
  };
  void gemm_batched(Index m, Index n, Index k, const double* alpha, const PointerBatch<double>&, const double* beta);
  void gemm_batched(Index m, Index n, Index k, const float* alpha, const PointerBatch<float>&, const float* beta);
  /// Same product with A and B in IEEE half precision (passed as bits); C and the accumulation are in single precision.
  void gemm_half(Index m, Index n, Index k, const float* alpha, BlasMatrix<const std::uint16_t> a,
                 BlasMatrix<const std::uint16_t> b, const float* beta, float* c, Index ldc);
  /// Same product with A and B of TF32 numbers; C and the accumulation are in single precision.
  void gemm_tf32(Index m, Index n, Index k, const float* alpha, BlasMatrix<const float> a, BlasMatrix<const float> b,
                 const float* beta, float* c, Index ldc);
  /// Runs a routine of level 3 other than GEMMT on column-major matrices. The arguments `alpha` and `beta`, if not
  /// null, are pointers to device memory; otherwise the problem's values are used.
  template <class E>
  void level3(const Level3<E>&, const E* alpha = nullptr, const E* beta = nullptr);
  /// Runs a routine of level 2 other than GEMV, with the problem's alpha and beta. cuBLAS cannot conjugate an operand
  /// without transposing it, so calls that need this must not come here.
  template <class E>
  void level2(const Level2<E>&);
  void gemv(Index m, Index n, const double* alpha, BlasMatrix<const double> a, const double* x, Index incx,
            const double* beta, double* y, Index incy);
  void gemv(Index m, Index n, const float* alpha, BlasMatrix<const float> a, const float* x, Index incx,
            const float* beta, float* y, Index incy);
  template <class T>
  void gemv(Index m, Index n, const Complex<T>* alpha, BlasMatrix<const Complex<T>> a, const Complex<T>* x, Index incx,
            const Complex<T>* beta, Complex<T>* y, Index incy);
  void dot(Index n, const double* x, Index incx, const double* y, Index incy, double* result);
  void dot(Index n, const float* x, Index incx, const float* y, Index incy, float* result);
  template <class T>
  void dot(bool conjugate_x, Index n, const Complex<T>* x, Index incx, const Complex<T>* y, Index incy,
           Complex<T>* result);
  void nrm2(Index n, const double* x, Index incx, double* result);
  void nrm2(Index n, const float* x, Index incx, float* result);
  void asum(Index n, const double* x, Index incx, double* result);
  void asum(Index n, const float* x, Index incx, float* result);

 private:
  void check_product(cublasStatus_t status, const char* what);

  int device_;
  int products_ = 0;  ///< products since begin()
  cublasHandle_t handle_ = nullptr;
  bool begun_ = false;  ///< begin() was called with the following two values
  cudaStream_t stream_ = nullptr;
  void* workspace_ = nullptr;
};

}  // namespace accublas::cuda
