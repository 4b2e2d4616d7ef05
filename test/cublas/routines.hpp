// The routines that the drop-in for cuBLAS serves, one row a name: the call as a program writes it, and accublas's own.
#pragma once

#include <cublas_api.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "accublas.h"

namespace accublas::test {

/// An address that passes for a pointer of any type.
struct Address {
  const void* where = nullptr;
  template <class T>
  operator T*() const {
    return static_cast<T*>(const_cast<void*>(where));
  }
};

/// Arguments of any routine. Matrices are stored with the leading dimension 9 and have room for nine columns twice.
struct Arguments {
  static constexpr std::int64_t order = 9, elements = 2 * order * order;

  cublasHandle_t handle = nullptr;
  accublas_context* context = nullptr;
  cublasOperation_t transa = CUBLAS_OP_N, transb = CUBLAS_OP_T;
  cublasFillMode_t uplo = CUBLAS_FILL_MODE_UPPER;
  cublasSideMode_t side = CUBLAS_SIDE_LEFT;
  cublasDiagType_t diag = CUBLAS_DIAG_NON_UNIT;
  std::int64_t m = 7, n = 5, k = 6, lda = order, ldb = order, ldc = order, incx = 2, incy = -1, count = 2;
  cudaDataType_t type_c{};  ///< that of A and B is the row's
  cublasComputeType_t compute{};
  Address alpha, beta, a, b, c, as, bs, cs, result;

  accublas_transpose op_a() const { return ACCUBLAS_NO_TRANS + int{transa}; }
  accublas_transpose op_b() const { return ACCUBLAS_NO_TRANS + int{transb}; }
  accublas_uplo triangle() const { return uplo == CUBLAS_FILL_MODE_UPPER ? ACCUBLAS_UPPER : ACCUBLAS_LOWER; }
  accublas_side at() const { return side == CUBLAS_SIDE_LEFT ? ACCUBLAS_LEFT : ACCUBLAS_RIGHT; }
  accublas_diag diagonal() const { return diag == CUBLAS_DIAG_UNIT ? ACCUBLAS_UNIT : ACCUBLAS_NON_UNIT; }
};

struct Row {
  enum Kind {
    product,   ///< GEMM's relatives and GEMV: factors are read in stream order
    on_host,   ///< factors in device memory are waited for
    number,    ///< DOT and the norms: `result` is where factors are
    in_place,  ///< of two operands
    copied     ///< TRMM: B may be another matrix than C
  };
  const char* name;
  char letter;  ///< of the matrices: S D C Z
  Kind kind;
  void* hooked;  ///< the function that the program is linked with
  cublasStatus_t (*call)(void* function, const Arguments&);
  accublas_status (*by_interface)(const Arguments&);

  bool is_complex() const { return letter == 'C' || letter == 'Z'; }
  bool is_single() const { return letter == 'S' || letter == 'C'; }
  std::size_t bytes() const { return (is_single() ? 4u : 8u) * (is_complex() ? 2u : 1u); }
  bool has(const char* part) const { return std::strstr(name, part) != nullptr; }
  /// The arguments that the pointer mode is about.
  std::vector<Address Arguments::*> factors() const {
    if (kind == number) return {&Arguments::result};
    if (has("trmv") || has("trsv")) return {};
    if (kind == product || has("emv") || has("symv") || has("her2k")) return {&Arguments::alpha, &Arguments::beta};
    return {&Arguments::alpha};
  }
  cudaDataType_t type() const {
    return letter == 'D' ? CUDA_R_64F : letter == 'S' ? CUDA_R_32F : letter == 'Z' ? CUDA_C_64F : CUDA_C_32F;
  }
  cublasComputeType_t compute() const { return is_single() ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F; }
};

/// Numbers of a row's type with all bits in use; a large diagonal, so that triangles are well conditioned.
inline std::vector<char> numbers(const Row& row, std::uint64_t seed) {
  std::vector<char> bytes(Arguments::elements * row.bytes());
  const std::size_t parts = row.is_complex() ? 2 : 1;
  for (std::size_t i = 0; i < Arguments::elements * parts; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    double value = std::ldexp(static_cast<double>(static_cast<std::int64_t>(seed)), -63 - static_cast<int>(i % 5));
    if (i % parts == 0 && i / parts % (Arguments::order + 1) == 0) value += 4;
    const float rounded = static_cast<float>(value);
    if (row.is_single())
      std::memcpy(bytes.data() + 4 * i, &rounded, 4);
    else
      std::memcpy(bytes.data() + 8 * i, &value, 8);
  }
  return bytes;
}

/// A factor of a row's type; routines that take a real one read the first part.
inline std::vector<char> factor(const Row& row, double real, double imaginary) {
  std::vector<char> bytes(row.bytes());
  const double parts[] = {real, imaginary};
  const float rounded[] = {static_cast<float>(real), static_cast<float>(imaginary)};
  std::memcpy(bytes.data(), row.is_single() ? static_cast<const void*>(rounded) : parts, bytes.size());
  return bytes;
}

// GemmEx and its relatives are overloaded in C++.
template <class Int>
using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, Int, Int, Int, const void*,
                                  const void*, cudaDataType, Int, const void*, cudaDataType, Int, const void*, void*,
                                  cudaDataType, Int, cublasComputeType_t, cublasGemmAlgo_t);
template <class Int>
using GemmBatchedEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, Int, Int, Int,
                                         const void*, const void* const*, cudaDataType, Int, const void* const*,
                                         cudaDataType, Int, const void*, void* const*, cudaDataType, Int, Int,
                                         cublasComputeType_t, cublasGemmAlgo_t);
template <class Int>
using GemmStridedBatchedEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, Int, Int, Int,
                                                const void*, const void*, cudaDataType, Int, long long, const void*,
                                                cudaDataType, Int, long long, const void*, void*, cudaDataType, Int,
                                                long long, Int, cublasComputeType_t, cublasGemmAlgo_t);

#define CALL_BY(Function, arguments) \
  [](void* f, [[maybe_unused]] const Arguments& x) { return reinterpret_cast<Function>(f) arguments; }
#define ROW(letter, kind, function, arguments, by_interface) \
  {#function,                                                \
   letter,                                                   \
   Row::kind,                                                \
   reinterpret_cast<void*>(&function),                       \
   CALL_BY(decltype(&function), arguments),                  \
   [](const Arguments& x) { return by_interface; }},         \
      {#function "_64",                                      \
       letter,                                               \
       Row::kind,                                            \
       reinterpret_cast<void*>(&function##_64),              \
       CALL_BY(decltype(&function##_64), arguments),         \
       [](const Arguments& x) { return by_interface; }},
#define ROW_OF_TYPES(letter, Type, function, arguments, by_interface)       \
  {#function,                                                               \
   letter,                                                                  \
   Row::product,                                                            \
   reinterpret_cast<void*>(static_cast<Type<int>>(&function)),              \
   CALL_BY(Type<int>, arguments),                                           \
   [](const Arguments& x) { return by_interface; }},                        \
      {#function "_64",                                                     \
       letter,                                                              \
       Row::product,                                                        \
       reinterpret_cast<void*>(static_cast<Type<int64_t>>(&function##_64)), \
       CALL_BY(Type<int64_t>, arguments),                                   \
       [](const Arguments& x) { return by_interface; }},

// These macros hold the arguments that both sides of a row share. A batch has two matrices; both products of a strided
// batch have the same B.
#define CUBLAS_GEMM x.handle, x.transa, x.transb, x.m, x.n, x.k, x.alpha
#define TYPES_OF(letter) Row{"", letter, Row::product, nullptr, nullptr, nullptr}.type()
#define BY_GEMM(p)                                                                                               \
  accublas_##p##gemm(x.context, ACCUBLAS_COL_MAJOR, x.op_a(), x.op_b(), x.m, x.n, x.k, x.alpha, x.a, x.lda, x.b, \
                     x.ldb, x.beta, x.c, x.ldc)
#define BY_BATCHED(p)                                                                                                \
  accublas_##p##gemm_batched(x.context, ACCUBLAS_COL_MAJOR, x.op_a(), x.op_b(), x.m, x.n, x.k, x.alpha, x.as, x.lda, \
                             x.bs, x.ldb, x.beta, x.cs, x.ldc, x.count)
#define BY_STRIDED(p)                                                                                                \
  accublas_##p##gemm_strided_batched(x.context, ACCUBLAS_COL_MAJOR, x.op_a(), x.op_b(), x.m, x.n, x.k, x.alpha, x.a, \
                                     x.lda, 11, x.b, x.ldb, 0, x.beta, x.c, x.ldc, 81, x.count)
#define STRIDED_ARGUMENTS \
  (CUBLAS_GEMM, x.a, x.lda, 11, x.b, x.ldb, 0, x.beta, x.c, x.ldc, 81, static_cast<int>(x.count))

#define GEMM_ROWS(P, p, L)                                                                                          \
  ROW(L, product, cublas##P##gemm_v2, (CUBLAS_GEMM, x.a, x.lda, x.b, x.ldb, x.beta, x.c, x.ldc), BY_GEMM(p))        \
  ROW(L, product, cublas##P##gemmBatched, (CUBLAS_GEMM, x.as, x.lda, x.bs, x.ldb, x.beta, x.cs, x.ldc, x.count),    \
      BY_BATCHED(p))                                                                                                \
  ROW(L, product, cublas##P##gemmStridedBatched, STRIDED_ARGUMENTS, BY_STRIDED(p))                                  \
  ROW_OF_TYPES(L, GemmEx, cublasGemmEx,                                                                             \
               (CUBLAS_GEMM, x.a, TYPES_OF(L), x.lda, x.b, TYPES_OF(L), x.ldb, x.beta, x.c, x.type_c, x.ldc,        \
                x.compute, CUBLAS_GEMM_DEFAULT),                                                                    \
               BY_GEMM(p))                                                                                          \
  ROW_OF_TYPES(L, GemmBatchedEx, cublasGemmBatchedEx,                                                               \
               (CUBLAS_GEMM, x.as, TYPES_OF(L), x.lda, x.bs, TYPES_OF(L), x.ldb, x.beta, x.cs, x.type_c, x.ldc,     \
                x.count, x.compute, CUBLAS_GEMM_DEFAULT),                                                           \
               BY_BATCHED(p))                                                                                       \
  ROW_OF_TYPES(L, GemmStridedBatchedEx, cublasGemmStridedBatchedEx,                                                 \
               (CUBLAS_GEMM, x.a, TYPES_OF(L), x.lda, 11, x.b, TYPES_OF(L), x.ldb, 0, x.beta, x.c, x.type_c, x.ldc, \
                81, x.count, x.compute, CUBLAS_GEMM_DEFAULT),                                                       \
               BY_STRIDED(p))

#define SYMM_ROW(L, function, routine)                                                                                 \
  ROW(L, product, function, (x.handle, x.side, x.uplo, x.m, x.n, x.alpha, x.a, x.lda, x.b, x.ldb, x.beta, x.c, x.ldc), \
      accublas_##routine(x.context, ACCUBLAS_COL_MAJOR, x.at(), x.triangle(), x.m, x.n, x.alpha, x.a, x.lda, x.b,      \
                         x.ldb, x.beta, x.c, x.ldc))
#define SYRK_ROW(L, function, routine)                                                                                 \
  ROW(L, product, function, (x.handle, x.uplo, x.transa, x.n, x.k, x.alpha, x.a, x.lda, x.beta, x.c, x.ldc),           \
      accublas_##routine(x.context, ACCUBLAS_COL_MAJOR, x.triangle(), x.op_a(), x.n, x.k, x.alpha, x.a, x.lda, x.beta, \
                         x.c, x.ldc))
#define SYR2K_ROW(L, kind, function, routine)                                                                         \
  ROW(L, kind, function, (x.handle, x.uplo, x.transa, x.n, x.k, x.alpha, x.a, x.lda, x.b, x.ldb, x.beta, x.c, x.ldc), \
      accublas_##routine(x.context, ACCUBLAS_COL_MAJOR, x.triangle(), x.op_a(), x.n, x.k, x.alpha, x.a, x.lda, x.b,   \
                         x.ldb, x.beta, x.c, x.ldc))
#define LEVEL3_ROWS(P, p, L)                                                                                    \
  SYMM_ROW(L, cublas##P##symm_v2, p##symm)                                                                      \
  SYRK_ROW(L, cublas##P##syrk_v2, p##syrk)                                                                      \
  SYR2K_ROW(L, product, cublas##P##syr2k_v2, p##syr2k)                                                          \
  ROW(L, copied, cublas##P##trmm_v2,                                                                            \
      (x.handle, x.side, x.uplo, x.transa, x.diag, x.m, x.n, x.alpha, x.a, x.lda, x.b, x.ldb, x.c, x.ldc),      \
      accublas_##p##trmm(x.context, ACCUBLAS_COL_MAJOR, x.at(), x.triangle(), x.op_a(), x.diagonal(), x.m, x.n, \
                         x.alpha, x.a, x.lda, x.c, x.ldc))                                                      \
  ROW(L, in_place, cublas##P##trsm_v2,                                                                          \
      (x.handle, x.side, x.uplo, x.transa, x.diag, x.m, x.n, x.alpha, x.a, x.lda, x.c, x.ldc),                  \
      accublas_##p##trsm(x.context, ACCUBLAS_COL_MAJOR, x.at(), x.triangle(), x.op_a(), x.diagonal(), x.m, x.n, \
                         x.alpha, x.a, x.lda, x.c, x.ldc))

#define NORM_ROW(L, function, routine)                             \
  ROW(L, number, function, (x.handle, x.n, x.a, x.incx, x.result), \
      accublas_##routine(x.context, x.n, x.a, x.incx, x.result))
#define DOT_ROW(L, function, routine)                                           \
  ROW(L, number, function, (x.handle, x.n, x.a, x.incx, x.b, x.incy, x.result), \
      accublas_##routine(x.context, x.n, x.a, x.incx, x.b, x.incy, x.result))
#define TRIANGLE_ROW(L, function, routine)                                                                          \
  ROW(L, in_place, function, (x.handle, x.uplo, x.transa, x.diag, x.n, x.a, x.lda, x.c, x.incx),                    \
      accublas_##routine(x.context, ACCUBLAS_COL_MAJOR, x.triangle(), x.op_a(), x.diagonal(), x.n, x.a, x.lda, x.c, \
                         x.incx))
#define SYMV_ROW(L, function, routine)                                                                               \
  ROW(L, on_host, function, (x.handle, x.uplo, x.n, x.alpha, x.a, x.lda, x.b, x.incx, x.beta, x.c, x.incy),          \
      accublas_##routine(x.context, ACCUBLAS_COL_MAJOR, x.triangle(), x.n, x.alpha, x.a, x.lda, x.b, x.incx, x.beta, \
                         x.c, x.incy))
#define GER_ROW(L, function, routine)                                                            \
  ROW(L, on_host, function, (x.handle, x.m, x.n, x.alpha, x.a, x.incx, x.b, x.incy, x.c, x.ldc), \
      accublas_##routine(x.context, ACCUBLAS_COL_MAJOR, x.m, x.n, x.alpha, x.a, x.incx, x.b, x.incy, x.c, x.ldc))
#define SYR_ROW(L, function, routine)                                                  \
  ROW(L, on_host, function, (x.handle, x.uplo, x.n, x.alpha, x.a, x.incx, x.c, x.ldc), \
      accublas_##routine(x.context, ACCUBLAS_COL_MAJOR, x.triangle(), x.n, x.alpha, x.a, x.incx, x.c, x.ldc))
#define SYR2_ROW(L, function, routine)                                                                             \
  ROW(L, on_host, function, (x.handle, x.uplo, x.n, x.alpha, x.a, x.incx, x.b, x.incy, x.c, x.ldc),                \
      accublas_##routine(x.context, ACCUBLAS_COL_MAJOR, x.triangle(), x.n, x.alpha, x.a, x.incx, x.b, x.incy, x.c, \
                         x.ldc))
#define VECTOR_ROWS(P, p, L)                                                                                          \
  ROW(L, product, cublas##P##gemv_v2,                                                                                 \
      (x.handle, x.transa, x.m, x.n, x.alpha, x.a, x.lda, x.b, x.incx, x.beta, x.c, x.incy),                          \
      accublas_##p##gemv(x.context, ACCUBLAS_COL_MAJOR, x.op_a(), x.m, x.n, x.alpha, x.a, x.lda, x.b, x.incx, x.beta, \
                         x.c, x.incy))                                                                                \
  TRIANGLE_ROW(L, cublas##P##trmv_v2, p##trmv)                                                                        \
  TRIANGLE_ROW(L, cublas##P##trsv_v2, p##trsv)

#define REAL_ROWS(P, p, L)                 \
  GEMM_ROWS(P, p, L)                       \
  LEVEL3_ROWS(P, p, L)                     \
  VECTOR_ROWS(P, p, L)                     \
  NORM_ROW(L, cublas##P##nrm2_v2, p##nrm2) \
  NORM_ROW(L, cublas##P##asum_v2, p##asum) \
  DOT_ROW(L, cublas##P##dot_v2, p##dot)    \
  GER_ROW(L, cublas##P##ger_v2, p##ger)    \
  SYMV_ROW(L, cublas##P##symv_v2, p##symv) \
  SYR_ROW(L, cublas##P##syr_v2, p##syr)    \
  SYR2_ROW(L, cublas##P##syr2_v2, p##syr2)
#define COMPLEX_ROWS(P, p, L, Norm, norm)                                                                   \
  GEMM_ROWS(P, p, L)                                                                                        \
  ROW(L, product, cublas##P##gemm3m, (CUBLAS_GEMM, x.a, x.lda, x.b, x.ldb, x.beta, x.c, x.ldc), BY_GEMM(p)) \
  LEVEL3_ROWS(P, p, L)                                                                                      \
  SYMM_ROW(L, cublas##P##hemm_v2, p##hemm)                                                                  \
  SYRK_ROW(L, cublas##P##herk_v2, p##herk)                                                                  \
  SYR2K_ROW(L, on_host, cublas##P##her2k_v2, p##her2k)                                                      \
  VECTOR_ROWS(P, p, L)                                                                                      \
  NORM_ROW(L, cublas##Norm##nrm2_v2, norm##nrm2)                                                            \
  NORM_ROW(L, cublas##Norm##asum_v2, norm##asum)                                                            \
  DOT_ROW(L, cublas##P##dotu_v2, p##dotu)                                                                   \
  DOT_ROW(L, cublas##P##dotc_v2, p##dotc)                                                                   \
  GER_ROW(L, cublas##P##geru_v2, p##geru)                                                                   \
  GER_ROW(L, cublas##P##gerc_v2, p##gerc)                                                                   \
  SYMV_ROW(L, cublas##P##hemv_v2, p##hemv)                                                                  \
  SYR_ROW(L, cublas##P##her_v2, p##her)                                                                     \
  SYR2_ROW(L, cublas##P##her2_v2, p##her2)
#define TYPED_ROW(L, function, p) \
  ROW(L, product, function,       \
      (CUBLAS_GEMM, x.a, TYPES_OF(L), x.lda, x.b, TYPES_OF(L), x.ldb, x.beta, x.c, x.type_c, x.ldc), BY_GEMM(p))

inline const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      // clang-format off
      REAL_ROWS(D, d, 'D') REAL_ROWS(S, s, 'S')
      COMPLEX_ROWS(Z, z, 'Z', Dz, dz) COMPLEX_ROWS(C, c, 'C', Sc, sc)
      TYPED_ROW('S', cublasSgemmEx, s) TYPED_ROW('C', cublasCgemmEx, c) TYPED_ROW('C', cublasCgemm3mEx, c)
      ROW('C', product, cublasCgemm3mBatched, (CUBLAS_GEMM, x.as, x.lda, x.bs, x.ldb, x.beta, x.cs, x.ldc, x.count), BY_BATCHED(c))
      ROW('C', product, cublasCgemm3mStridedBatched, STRIDED_ARGUMENTS, BY_STRIDED(c))
      // clang-format on
  };
  return all;
}

/// Calls try_it(arguments) with the combinations of transposition, triangle, side, diagonal and increments.
template <class F>
void with_variants(const Arguments& common, F try_it) {
  for (int v = 0; v < 12; ++v) {
    Arguments x = common;
    x.transa = static_cast<cublasOperation_t>(v % 3);
    x.transb = static_cast<cublasOperation_t>(v / 3 % 3);
    x.uplo = v % 2 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    x.side = v / 2 % 2 ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
    x.diag = v / 6 ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    x.incx = v % 4 < 2 ? 1 : 2;
    x.incy = v % 4 == 0 ? 3 : -1;
    try_it(x);
  }
}

}  // namespace accublas::test
