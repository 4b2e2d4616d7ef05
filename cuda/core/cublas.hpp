// cuBLAS is loaded when it is first needed, so that a build with CUDA also runs on a node without it. Every status is
// checked.
#pragma once

#include <cublas_v2.h>

#include <cstddef>

#include "cuda/core/rehearsal.hpp"
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

/// A number aligned to its size, as cuBLAS loads numbers from host memory. Complex is not aligned so.
template <class E>
struct alignas(sizeof(E)) AlignedNumber {
  E number;
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
  template <class E>
  void gemm(Index m, Index n, Index k, const E* alpha, BlasMatrix<const E> a, BlasMatrix<const E> b, const E* beta,
            E* c, Index ldc) {
    call<E>(Operation::gemm, a.op, b.op, m, n, k, alpha, a.data, a.ld, b.data, b.ld, beta, c, ldc);
  }
  /// Computes C_i = alpha op(A_i) op(B_i) + beta C_i for `count` matrices; the strides between matrices count elements.
  template <class T>
  struct Batch {
    BlasMatrix<const T> a, b;
    T* c;
    Index ldc, stride_a, stride_b, stride_c, count;
  };
  template <class T>
  void gemm_batched(Index m, Index n, Index k, const T* alpha, const Batch<T>&, const T* beta);
  /// A batch whose matrices are given by arrays of pointers in device memory.
  template <class T>
  struct PointerBatch {
    BlasMatrix<const T*const> a, b;
    T* const* c;
    Index ldc, count;
  };
  template <class T>
  void gemm_batched(Index m, Index n, Index k, const T* alpha, const PointerBatch<T>&, const T* beta);
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
  template <class E>
  void gemv(Index m, Index n, const E* alpha, BlasMatrix<const E> a, const E* x, Index incx, const E* beta, E* y,
            Index incy) {
    call<E>(Operation::gemv, a.op, m, n, alpha, a.data, a.ld, x, incx, beta, y, incy);
  }
  /// `operation`: dot, or dotu and dotc of complex numbers.
  template <class E>
  void dot(Operation operation, Index n, const E* x, Index incx, const E* y, Index incy, E* result) {
    call<E>(operation, n, x, incx, y, incy, result);
  }
  /// `operation`: nrm2 or asum.
  template <class T>
  void norm(Operation operation, Index n, const T* x, Index incx, T* result) {
    call<T>(operation, n, x, incx, result);
  }

 private:
  /// Calls cuBLAS's routine of this operation for type E.
  template <class E, class... Arguments>
  void call(Operation operation, Arguments... arguments) {
    const Routine routine{operation, type_of<E>};
    call_function(function_of(routine), routine_name(routine), arguments...);
  }
  template <class... Arguments>
  void call_function(void* function, const char* name, Arguments... arguments) {
    if (rehearses()) return;
    check_product(reinterpret_cast<cublasStatus_t (*)(cublasHandle_t, Arguments...)>(function)(handle_, arguments...),
                  name);
  }
  static void* function_of(Routine);
  void check_product(cublasStatus_t status, const char* name);

  int device_;
  int products_ = 0;  ///< products since begin()
  cublasHandle_t handle_ = nullptr;
  bool begun_ = false;  ///< begin() was called with the following two values
  cudaStream_t stream_ = nullptr;
  void* workspace_ = nullptr;
};

}  // namespace accublas::cuda
