// cuBLAS, loaded when it is first needed: a build with CUDA also runs on a node without it. Every status is checked.
#pragma once

#include <cublas_v2.h>

#include <cstddef>

#include "lib/call/level2.hpp"
#include "lib/call/level3.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cuda {

/// A column-major matrix as BLAS names it.
template <class T>
struct BlasMatrix {
  T* data;
  cublasOperation_t op;
  Index ld;
};

/// A handle of one context on one device. Not for two threads at a time. Statuses of cuBLAS are thrown as Error:
/// ACCUBLAS_ERROR_DEVICE with cuBLAS's text, ACCUBLAS_ERROR_MEMORY where it found no memory, in a product after others
/// since begin() ACCUBLAS_ERROR_C_UNDEFINED.
///
/// The process keeps the handles that contexts gave back for the next ones: to make one takes milliseconds, and to
/// destroy one waits for the whole device, which ends captures of other threads.
class Cublas {
 public:
  /// On a device, which must be current. Throws Error(ACCUBLAS_ERROR_UNAVAILABLE), naming the libraries tried, where
  /// there is no cuBLAS.
  explicit Cublas(int device);
  /// What was put on streams with the handle must be done.
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// What begin() should be given: what NVIDIA recommends for a device of this generation.
  static std::size_t workspace_bytes(int major) { return std::size_t{major >= 9 ? 32u : 4u} << 20; }

  /// Calls from here on run on `stream` with `workspace` (256-byte aligned) as cuBLAS's own: with it cuBLAS allocates
  /// nothing, and a graph that captured the calls depends on nothing but what it was given. Null: the handle's own
  /// workspace, which serves one stream at a time and may allocate in capture.
  void begin(cudaStream_t stream, void* workspace, std::size_t bytes);

  /// Where alpha, beta and the result of dot, nrm2, asum live; set before every use.
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
  /// The same for `count` matrices, `stride` elements apart.
  template <class T>
  struct Batch {
    BlasMatrix<const T> a, b;
    T* c;
    Index ldc, stride_a, stride_b, stride_c, count;
  };
  void gemm_batched(Index m, Index n, Index k, const double* alpha, const Batch<double>&, const double* beta);
  void gemm_batched(Index m, Index n, Index k, const float* alpha, const Batch<float>&, const float* beta);
  /// By arrays of pointers in device memory.
  template <class T>
  struct PointerBatch {
    BlasMatrix<const T*const> a, b;
    T* const* c;
    Index ldc, count;
  };
  void gemm_batched(Index m, Index n, Index k, const double* alpha, const PointerBatch<double>&, const double* beta);
  void gemm_batched(Index m, Index n, Index k, const float* alpha, const PointerBatch<float>&, const float* beta);
  /// A and B of IEEE half precision (their bits), C and the accumulation of single precision.
  void gemm_half(Index m, Index n, Index k, const float* alpha, BlasMatrix<const std::uint16_t> a,
                 BlasMatrix<const std::uint16_t> b, const float* beta, float* c, Index ldc);
  /// A and B of TF32 numbers, C and the accumulation of single precision.
  void gemm_tf32(Index m, Index n, Index k, const float* alpha, BlasMatrix<const float> a, BlasMatrix<const float> b,
                 const float* beta, float* c, Index ldc);
  /// A routine of level 3 but GEMMT: column-major, alpha and beta the problem's, or where these are not null in device
  /// memory.
  template <class E>
  void level3(const Level3<E>&, const E* alpha = nullptr, const E* beta = nullptr);
  /// A routine of level 2 beside GEMV, likewise; what is to be conjugated beside its transposition cuBLAS cannot say.
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
  int products_ = 0;  ///< since begin()
  cublasHandle_t handle_ = nullptr;
  bool begun_ = false;  ///< with these:
  cudaStream_t stream_ = nullptr;
  void* workspace_ = nullptr;
};

}  // namespace accublas::cuda
