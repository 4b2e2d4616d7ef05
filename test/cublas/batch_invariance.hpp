// Products are batch-invariant under cuBLAS's names, in host or device memory.
#pragma once

#include <cublas_v2.h>

#include <complex>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "test/batch_invariance.hpp"

namespace accublas::test::invariance {

/// Returns the mode of the environment if products are batch-invariant in it, otherwise an empty word.
inline std::string invariant_mode() {
  const char* const word = std::getenv("ACCUBLAS_MODE");
  const std::string mode = word ? word : "dp";
  return mode == "native" || mode.starts_with("dp") || mode.starts_with("sp") ? "" : mode;
}

#define ACCUBLAS_CUBLAS_OF(P, E, T)                                                \
  inline auto gemm_of(E) { return cublas##P##gemm_v2; }                            \
  inline auto gemv_of(E) { return cublas##P##gemv_v2; }                            \
  inline auto gemm_batched_of(E) { return cublas##P##gemmBatched; }                \
  inline auto gemm_strided_batched_of(E) { return cublas##P##gemmStridedBatched; } \
  inline const T* numbers(const E* x) { return reinterpret_cast<const T*>(x); }    \
  inline T* numbers(E* x) { return reinterpret_cast<T*>(x); }
ACCUBLAS_CUBLAS_OF(D, double, double)
ACCUBLAS_CUBLAS_OF(S, float, float)
ACCUBLAS_CUBLAS_OF(Z, std::complex<double>, cuDoubleComplex)
ACCUBLAS_CUBLAS_OF(C, std::complex<float>, cuComplex)
#undef ACCUBLAS_CUBLAS_OF

inline accublas_status status_of(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? ACCUBLAS_SUCCESS : ACCUBLAS_ERROR_INTERNAL;
}

/// Compares a product by GEMM with its rows and columns by GEMM, GEMV and batches. synchronize() waits until the calls
/// of the handle have ended.
template <class E, template <class> class Array, class Synchronize>
void check_cublas(cublasHandle_t handle, Random& rng, const std::string& mode, int most,
                  const Synchronize& synchronize) {
  constexpr bool is_complex = typed::is_complex<E>;
  const Context context;
  const auto size = [&] { return static_cast<int>(1 + below(rng, most)); };
  const int m = size(), n = size(), k = size();
  const auto transpose = [&] { return static_cast<cublasOperation_t>(below(rng, 3)); };
  const cublasOperation_t ta = transpose(), tb = transpose();
  const auto stored = [&](cublasOperation_t trans, Index rows, Index cols) {
    return Stored<E>(rng, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS + int{trans}, rows, cols, below(rng, 4) == 0);
  };
  const Stored<E> sa = stored(ta, m, k), sb = stored(tb, k, n), sc = stored(CUBLAS_OP_N, m, n);
  const int lda = static_cast<int>(sa.ld), ldb = static_cast<int>(sb.ld), ldc = static_cast<int>(sc.ld);
  const E alpha_value = factor<E>(rng), beta_value = factor<E>(rng);
  const auto *const alpha = numbers(&alpha_value), *const beta = numbers(&beta_value);
  Array<E> array_a(sa.values), array_b(sb.values);
  const E *const a = array_a.data(), *const b = array_b.data();
  Ways<E, Array> ways(context, sc.values,
                      mode + " m " + std::to_string(m) + " n " + std::to_string(n) + " k " + std::to_string(k));
  const auto rows = [&](E* c, Index i, int count) {
    return status_of(gemm_of(E{})(handle, ta, tb, count, n, k, alpha, numbers(a + i * sa.row), lda, numbers(b), ldb,
                                  beta, numbers(c + i * sc.row), ldc));
  };
  ways.way("whole", [&](E* c) { return rows(c, 0, m); });
  ways.way("rows", [&](E* c) { return each(m, [&](Index i) { return rows(c, i, 1); }); });
  ways.way("GemmEx", [&](E* c) {
    const cudaDataType_t type =
        is_complex ? (sizeof(E) == 16 ? CUDA_C_64F : CUDA_C_32F) : (sizeof(E) == 8 ? CUDA_R_64F : CUDA_R_32F);
    const bool single = sizeof(typed::Real<E>) == 4;
    return each(m, [&](Index i) {
      return status_of(cublasGemmEx(handle, ta, tb, 1, n, k, alpha, a + i * sa.row, type, lda, b, type, ldb, beta,
                                    c + i, type, ldc, single ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F,
                                    CUBLAS_GEMM_DEFAULT));
    });
  });
  if constexpr (is_complex)
    ways.way("GEMM3M", [&](E* c) {
      return each(m, [&](Index i) {
        const auto gemm3m = [&] {
          if constexpr (sizeof(E) == 16)
            return cublasZgemm3m;
          else
            return cublasCgemm3m;
        }();
        return status_of(gemm3m(handle, ta, tb, 1, n, k, alpha, numbers(a + i * sa.row), lda, numbers(b), ldb, beta,
                                numbers(c + i), ldc));
      });
    });
  if (!is_complex || tb != CUBLAS_OP_C)
    ways.way("columns by GEMV", [&](E* c) {
      return each(n, [&](Index j) {
        return status_of(gemv_of(E{})(handle, ta, ta == CUBLAS_OP_N ? m : k, ta == CUBLAS_OP_N ? k : m, alpha,
                                      numbers(a), lda, numbers(b + j * sb.col), static_cast<int>(sb.row), beta,
                                      numbers(c + j * sc.col), 1));
      });
    });
  ways.way("a batch of rows", [&](E* c) {
    return status_of(gemm_strided_batched_of(E{})(handle, ta, tb, 1, n, k, alpha, numbers(a), lda, sa.row, numbers(b),
                                                  ldb, 0, beta, numbers(c), ldc, 1, m));
  });
  ways.way("a batch of rows by pointers", [&](E* c) {
    using Number = std::remove_pointer_t<decltype(numbers(c))>;
    std::vector<const Number*> at_a, at_b;
    std::vector<Number*> at_c;
    for (Index i = 0; i < m; ++i) {
      at_a.push_back(numbers(a + i * sa.row));
      at_b.push_back(numbers(b));
      at_c.push_back(numbers(c + i));
    }
    Array<const Number*> as(at_a), bs(at_b);
    Array<Number*> cs(at_c);
    const cublasStatus_t status =
        gemm_batched_of(E{})(handle, ta, tb, 1, n, k, alpha, as.data(), lda, bs.data(), ldb, beta, cs.data(), ldc, m);
    synchronize();  // before the pointers go
    return status_of(status);
  });
}

/// Checks products of sizes up to `few` in one round and up to `most` in the next, if products are batch-invariant in
/// the environment's mode.
template <class E, template <class> class Array, class Synchronize>
void check_rounds(cublasHandle_t handle, int rounds, int few, int most, const Synchronize& synchronize) {
  const std::string mode = invariant_mode();
  if (mode.empty()) GTEST_SKIP() << "products are not batch-invariant in this mode";
  Random rng(22);
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round)
    check_cublas<E, Array>(handle, rng, mode, round % 2 ? few : most, synchronize);
}

}  // namespace accublas::test::invariance
