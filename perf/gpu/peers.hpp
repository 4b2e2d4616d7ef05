// The vendor's routines to measure against: cuBLAS's GEMM, GEMV, SYMV, HEMV, TRMV, DOT, NRM2 and ASUM, and cublasLt's
// INT8 product with INT32 results.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>

namespace gpu_bench {

/// Loaded at run time. Throws std::runtime_error where the libraries are missing or a call fails.
class CuBlas {
 public:
  explicit CuBlas(cudaStream_t stream);
  ~CuBlas();
  CuBlas(const CuBlas&) = delete;
  CuBlas& operator=(const CuBlas&) = delete;

  /// C = A B, column-major with the least leading dimensions; emulation and TF32 off.
  void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, const double* b, double* c);
  void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c);

  /// The product of matrices of complex numbers, which are pairs of reals.
  void complex_gemm(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, const double* b, double* c);
  void complex_gemm(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c);

  /// `products` products of TF32 numbers (what A and B are rounded to), or of those in IEEE half precision (their
  /// bits), added up in C: the multiword composition without its words.
  void gemm_tf32(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c,
                 int products);
  void gemm_half(std::int64_t m, std::int64_t n, std::int64_t k, const std::uint16_t* a, const std::uint16_t* b,
                 float* c, int products);

  /// `count` products of order n, one after the other.
  void gemm_batched(std::int64_t n, const double* a, const double* b, double* c, std::int64_t count);
  void gemm_batched(std::int64_t n, const float* a, const float* b, float* c, std::int64_t count);

  /// Results in device memory. A is column-major, m x n, with the least leading dimension; y = op(A) x.
  void dot(std::int64_t n, const double* x, const double* y, double* result);
  void dot(std::int64_t n, const float* x, const float* y, float* result);
  void nrm2(std::int64_t n, const double* x, double* result);
  void nrm2(std::int64_t n, const float* x, float* result);
  void asum(std::int64_t n, const double* x, double* result);
  void asum(std::int64_t n, const float* x, float* result);
  void gemv(bool transposed, std::int64_t m, std::int64_t n, const double* a, const double* x, double* y);
  void gemv(bool transposed, std::int64_t m, std::int64_t n, const float* a, const float* x, float* y);
  /// A is symmetric in SYMV, and triangular without a unit diagonal in TRMV. The upper triangle is read. TRMV
  /// overwrites x by A x.
  void symv(std::int64_t n, const double* a, const double* x, double* y);
  void symv(std::int64_t n, const float* a, const float* x, float* y);
  void trmv(std::int64_t n, const double* a, double* x);
  void trmv(std::int64_t n, const float* a, float* x);
  /// Routines for complex numbers: DOTC, GEMV with op N, T or C, HEMV and TRMV.
  void complex_dot(std::int64_t n, const double* x, const double* y, double* result);
  void complex_dot(std::int64_t n, const float* x, const float* y, float* result);
  void complex_gemv(char op, std::int64_t m, std::int64_t n, const double* a, const double* x, double* y);
  void complex_gemv(char op, std::int64_t m, std::int64_t n, const float* a, const float* x, float* y);
  void hemv(std::int64_t n, const double* a, const double* x, double* y);
  void hemv(std::int64_t n, const float* a, const float* x, float* y);
  void complex_trmv(std::int64_t n, const double* a, double* x);
  void complex_trmv(std::int64_t n, const float* a, float* x);
  std::string version() const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

/// C (INT32, column-major m x n) = A^T B, A k x m and B k x n bytes: the layout that cublasLt is fastest with. The
/// fastest of its first suggestions.
class Int8Product {
 public:
  Int8Product(std::int64_t m, std::int64_t n, std::int64_t k, const std::int8_t* a, const std::int8_t* b,
              std::int32_t* c, cudaStream_t stream);
  ~Int8Product();
  Int8Product(const Int8Product&) = delete;
  Int8Product& operator=(const Int8Product&) = delete;
  void run();

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace gpu_bench
