// The drop-in for cuBLAS without a GPU, on a stub of cuBLAS and operands in host memory: what accublas is asked for has
// the C interface's bits, and what it does not serve reaches cuBLAS. The mode is the environment's.
#include <cublas_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "accublas.h"

extern "C" const char* stub_called;
extern "C" cublasMath_t stub_math;

namespace {

constexpr int n = 7, ld = 9, col = ACCUBLAS_COL_MAJOR, N = ACCUBLAS_NO_TRANS, T = ACCUBLAS_TRANS,
              C = ACCUBLAS_CONJ_TRANS, U = ACCUBLAS_UPPER, L = ACCUBLAS_LOWER, left = ACCUBLAS_LEFT,
              right = ACCUBLAS_RIGHT, unit = ACCUBLAS_UNIT, stored = ACCUBLAS_NON_UNIT;
const cublasHandle_t handle = reinterpret_cast<cublasHandle_t>(&stub_called);
using Z = cuDoubleComplex;

template <class E>
std::vector<E> numbers(int seed) {
  std::vector<E> v(2 * ld * ld);
  double* const words = reinterpret_cast<double*>(v.data());
  for (std::size_t i = 0; i < v.size() * sizeof(E) / sizeof(double); ++i)
    words[i] =
        std::ldexp((static_cast<int>(i) * 7919 + seed * 104729) % 20011 - 10007, (static_cast<int>(i) * 31) % 40 - 20);
  return v;
}
const std::vector<double> a = numbers<double>(1), b = numbers<double>(2);
const std::vector<Z> za = numbers<Z>(3), zb = numbers<Z>(4);
const double alpha = 1.5, beta = -0.75;
const Z zalpha{1.5, 0.5}, zbeta{-0.75, 2}, plain{1.25, 0};

/// What both leave in a copy of the same array.
template <class E, class Served, class Public>
void same(const char* name, const std::vector<E>& c, Served served, Public by_interface) {
  auto mine = c, expected = c;
  stub_called = "";
  EXPECT_EQ(served(mine.data()), CUBLAS_STATUS_SUCCESS) << name;
  EXPECT_EQ(by_interface(expected.data()), ACCUBLAS_SUCCESS) << name;
  EXPECT_STREQ(stub_called, "") << name;
  EXPECT_EQ(std::memcmp(mine.data(), expected.data(), c.size() * sizeof(E)), 0) << name;
  EXPECT_NE(std::memcmp(mine.data(), c.data(), c.size() * sizeof(E)), 0) << name;
}
#define SAME(c, served, expected) \
  same(                           \
      #served, c, [&](auto* r) { return served; }, [&](auto* r) { return expected; })

TEST(Served, Products) {
  const double *pa = a.data(), *pb = b.data();
  const Z *qa = za.data(), *qb = zb.data();
  SAME(b, cublasDgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, 5, 6, &alpha, pa, ld, pb, ld, &beta, r, ld),
       accublas_dgemm(nullptr, col, N, T, n, 5, 6, &alpha, pa, ld, pb, ld, &beta, r, ld));
  SAME(zb, cublasZgemm_v2_64(handle, CUBLAS_OP_C, CUBLAS_OP_N, n, 5, 6, &zalpha, qa, ld, qb, ld, &zbeta, r, ld),
       accublas_zgemm(nullptr, col, C, N, n, 5, 6, &zalpha, qa, ld, qb, ld, &zbeta, r, ld));
  SAME(zb, cublasZgemm3m(handle, CUBLAS_OP_C, CUBLAS_OP_N, n, 5, 6, &zalpha, qa, ld, qb, ld, &zbeta, r, ld),
       accublas_zgemm(nullptr, col, C, N, n, 5, 6, &zalpha, qa, ld, qb, ld, &zbeta, r, ld));
  SAME(zb,
       cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, 5, 6, static_cast<const void*>(&zalpha), qa, CUDA_C_64F, ld,
                    qb, CUDA_C_64F, ld, &zbeta, r, CUDA_C_64F, ld, CUBLAS_COMPUTE_64F, CUBLAS_GEMM_DEFAULT),
       accublas_zgemm(nullptr, col, T, N, n, 5, 6, &zalpha, qa, ld, qb, ld, &zbeta, r, ld));
  SAME(b,
       cublasDgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, 4, 5, 6, &alpha, pa, ld, 11, pb, ld, 0, &beta, r, ld,
                                 60, 2),
       accublas_dgemm_strided_batched(nullptr, col, N, T, 4, 5, 6, &alpha, pa, ld, 11, pb, ld, 0, &beta, r, ld, 60, 2));
  SAME(b,
       cublasGemmStridedBatchedEx_64(handle, CUBLAS_OP_N, CUBLAS_OP_T, 4, 5, 6, &alpha, pa, CUDA_R_64F, ld, 11, pb,
                                     CUDA_R_64F, ld, 0, &beta, r, CUDA_R_64F, ld, 60, 2, CUBLAS_COMPUTE_64F,
                                     CUBLAS_GEMM_DEFAULT),
       accublas_dgemm_strided_batched(nullptr, col, N, T, 4, 5, 6, &alpha, pa, ld, 11, pb, ld, 0, &beta, r, ld, 60, 2));
  const double *as[] = {pa, pa + 1}, *bs[] = {pb, pb + 2};
  const auto results = [](double* r) { return std::vector<double*>{r, r + 70}; };
  SAME(b,
       cublasDgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, 4, 5, 6, &alpha, as, ld, bs, ld, &beta, results(r).data(),
                          ld, 2),
       accublas_dgemm_batched(nullptr, col, N, T, 4, 5, 6, &alpha, as, ld, bs, ld, &beta, results(r).data(), ld, 2));
}

TEST(Served, Level3) {
  const double *pa = a.data(), *pb = b.data();
  const Z *qa = za.data(), *qb = zb.data();
  const cublasFillMode_t upper = CUBLAS_FILL_MODE_UPPER, lower = CUBLAS_FILL_MODE_LOWER;
  SAME(b, cublasDsymm_v2(handle, CUBLAS_SIDE_RIGHT, lower, 5, n, &alpha, pa, ld, pb, ld, &beta, r, ld),
       accublas_dsymm(nullptr, col, right, L, 5, n, &alpha, pa, ld, pb, ld, &beta, r, ld));
  SAME(zb, cublasZhemm_v2(handle, CUBLAS_SIDE_LEFT, upper, n, 5, &zalpha, qa, ld, qb, ld, &zbeta, r, ld),
       accublas_zhemm(nullptr, col, left, U, n, 5, &zalpha, qa, ld, qb, ld, &zbeta, r, ld));
  SAME(b, cublasDsyrk_v2_64(handle, upper, CUBLAS_OP_T, n, 5, &alpha, pa, ld, &beta, r, ld),
       accublas_dsyrk(nullptr, col, U, T, n, 5, &alpha, pa, ld, &beta, r, ld));
  SAME(zb, cublasZherk_v2(handle, lower, CUBLAS_OP_C, n, 5, &alpha, qa, ld, &beta, r, ld),
       accublas_zherk(nullptr, col, L, C, n, 5, &alpha, qa, ld, &beta, r, ld));
  SAME(b, cublasDsyr2k_v2(handle, upper, CUBLAS_OP_N, n, 5, &alpha, pa, ld, pb, ld, &beta, r, ld),
       accublas_dsyr2k(nullptr, col, U, N, n, 5, &alpha, pa, ld, pb, ld, &beta, r, ld));
  SAME(zb, cublasZher2k_v2(handle, lower, CUBLAS_OP_N, n, 5, &zalpha, qa, ld, qb, ld, &beta, r, ld),
       accublas_zher2k(nullptr, col, L, N, n, 5, &zalpha, qa, ld, qb, ld, &beta, r, ld));
  SAME(b,
       cublasDtrsm_v2(handle, CUBLAS_SIDE_LEFT, upper, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, n, 5, &alpha, pa, ld, r, ld),
       accublas_dtrsm(nullptr, col, left, U, T, stored, n, 5, &alpha, pa, ld, r, ld));
  SAME(zb,
       cublasZtrmm_v2(handle, CUBLAS_SIDE_LEFT, lower, CUBLAS_OP_C, CUBLAS_DIAG_UNIT, n, 5, &zalpha, qa, ld, r, ld, r,
                      ld),
       accublas_ztrmm(nullptr, col, left, L, C, unit, n, 5, &zalpha, qa, ld, r, ld));
}

/// B stays as it is; C's rows beyond the matrix, too.
TEST(Served, TrmmOutOfPlace) {
  auto from = b, c = a, expected = b;
  ASSERT_EQ(cublasDtrmm_v2(handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 5, n,
                           &alpha, a.data(), ld, from.data(), ld, c.data(), 6),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(accublas_dtrmm(nullptr, col, right, U, N, stored, 5, n, &alpha, a.data(), ld, expected.data(), ld), 0);
  EXPECT_EQ(from, b);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < 6; ++i) EXPECT_EQ(c[i + 6 * j], i < 5 ? expected[i + ld * j] : a[i + 6 * j]) << i << ", " << j;
}

TEST(Served, Vectors) {
  const double *pa = a.data(), *pb = b.data();
  const Z *qa = za.data(), *qb = zb.data();
  const cublasFillMode_t upper = CUBLAS_FILL_MODE_UPPER, lower = CUBLAS_FILL_MODE_LOWER;
  SAME(b, cublasDdot_v2(handle, n, pa, 2, pb, -1, r), accublas_ddot(nullptr, n, pa, 2, pb, -1, r));
  SAME(zb, cublasZdotc_v2(handle, n, qa, 2, qb, -1, r), accublas_zdotc(nullptr, n, qa, 2, qb, -1, r));
  SAME(b, cublasDnrm2_v2_64(handle, n, pa, 2, r), accublas_dnrm2(nullptr, n, pa, 2, r));
  SAME(b, cublasDzasum_v2(handle, n, qa, 2, r), accublas_dzasum(nullptr, n, qa, 2, r));
  SAME(b, cublasDgemv_v2(handle, CUBLAS_OP_T, n, 5, &alpha, pa, ld, pb, 2, &beta, r, -3),
       accublas_dgemv(nullptr, col, T, n, 5, &alpha, pa, ld, pb, 2, &beta, r, -3));
  SAME(zb, cublasZhemv_v2(handle, lower, n, &zalpha, qa, ld, qb, 2, &zbeta, r, 1),
       accublas_zhemv(nullptr, col, L, n, &zalpha, qa, ld, qb, 2, &zbeta, r, 1));
  SAME(b, cublasDtrmv_v2(handle, upper, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, n, pa, ld, r, 2),
       accublas_dtrmv(nullptr, col, U, T, unit, n, pa, ld, r, 2));
  SAME(b, cublasDtrsv_v2(handle, lower, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, pa, ld, r, 1),
       accublas_dtrsv(nullptr, col, L, N, stored, n, pa, ld, r, 1));
  SAME(zb, cublasZgerc_v2(handle, n, 5, &zalpha, qa, 1, qb, 2, r, ld),
       accublas_zgerc(nullptr, col, n, 5, &zalpha, qa, 1, qb, 2, r, ld));
  SAME(zb, cublasZher_v2(handle, upper, n, &alpha, qa, -1, r, ld),
       accublas_zher(nullptr, col, U, n, &alpha, qa, -1, r, ld));
  SAME(b, cublasDsyr2_v2(handle, lower, n, &alpha, pa, 1, pb, 2, r, ld),
       accublas_dsyr2(nullptr, col, L, n, &alpha, pa, 1, pb, 2, r, ld));
}

/// The stub answers with a status that accublas never gives.
#define FORWARDED(name, call)                              \
  do {                                                     \
    stub_called = "";                                      \
    EXPECT_EQ(call, CUBLAS_STATUS_LICENSE_ERROR) << #call; \
    EXPECT_STREQ(stub_called, name);                       \
  } while (false)

TEST(Forwarded, BadArgumentsAndNothingToDo) {
  auto c = b;
  const double* const pa = a.data();
  const auto gemm = [&](int op, int m, int lda) {
    return cublasDgemm_v2(handle, static_cast<cublasOperation_t>(op), CUBLAS_OP_N, m, 5, 6, &alpha, pa, lda, pa, ld,
                          &beta, c.data(), ld);
  };
  FORWARDED("cublasDgemm_v2", gemm(CUBLAS_OP_CONJG, n, ld));
  FORWARDED("cublasDgemm_v2", gemm(CUBLAS_OP_N, -1, ld));
  FORWARDED("cublasDgemm_v2", gemm(CUBLAS_OP_N, n, n - 1));
  FORWARDED("cublasDgemm_v2", gemm(CUBLAS_OP_N, 0, ld));
  FORWARDED("cublasDdot_v2_64", cublasDdot_v2_64(handle, 0, pa, 1, pa, 1, c.data()));
  FORWARDED("cublasDgemv_v2", cublasDgemv_v2(handle, CUBLAS_OP_N, n, n, &alpha, pa, ld, pa, 0, &beta, c.data(), 1));
  EXPECT_EQ(c, b);
}

TEST(Forwarded, OtherArithmetic) {
  auto c = b;
  const float one = 1;
  const void* const pa = a.data();
  const auto gemm = [&](cublasComputeType_t compute, cudaDataType type, cudaDataType type_c) {
    return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, static_cast<const void*>(&one), pa, type, ld, pa,
                        type, ld, &one, c.data(), type_c, ld, compute, CUBLAS_GEMM_DEFAULT);
  };
  FORWARDED("cublasGemmEx", gemm(CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F));
  FORWARDED("cublasGemmEx", gemm(CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_16F));
  FORWARDED("cublasGemmEx", gemm(CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_32F));
  stub_math = CUBLAS_TF32_TENSOR_OP_MATH;
  FORWARDED("cublasGemmEx", gemm(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F));
  const double two = 2;
  EXPECT_EQ(
      cublasDgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &two, a.data(), ld, a.data(), ld, &two, c.data(), ld),
      0);
  stub_math = CUBLAS_DEFAULT_MATH;
  EXPECT_EQ(gemm(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
}

TEST(Forwarded, LookedUpNames) {
  Dl_info stub, served;
  void* const library = dlopen("libcublas.so.13", RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  ASSERT_TRUE(dladdr(dlsym(library, "cublasDgemm_v2"), &served));
  EXPECT_NE(std::string(served.dli_fname).find("libaccublas_cublas"), std::string::npos) << served.dli_fname;
  ASSERT_TRUE(dladdr(dlsym(library, "cublasGetMathMode"), &stub));
  EXPECT_NE(std::string(stub.dli_fname).find("libcublas.so"), std::string::npos) << stub.dli_fname;
  EXPECT_EQ(dlsym(library, "cublasNoSuchName"), nullptr);
  // Relative to the caller, this program, the drop-in comes first.
  ASSERT_TRUE(dladdr(dlsym(RTLD_NEXT, "cublasDgemm_v2"), &served));
  EXPECT_NE(std::string(served.dli_fname).find("libaccublas_cublas"), std::string::npos) << served.dli_fname;
}

/// In mode native; and where accublas fails and may fall back.
TEST(Env, DISABLED_AllForwarded) {
  auto c = b;
  FORWARDED("cublasDgemm_v2", cublasDgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, a.data(), ld, a.data(),
                                             ld, &beta, c.data(), ld));
  FORWARDED("cublasDnrm2_v2", cublasDnrm2_v2(handle, 2, a.data(), 1, c.data()));
}

TEST(Env, DISABLED_AllFail) {
  auto c = b;
  stub_called = "";
  EXPECT_EQ(cublasDgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, a.data(), ld, a.data(), ld, &beta,
                           c.data(), ld),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_STREQ(stub_called, "");
  EXPECT_EQ(c, b);
}

}  // namespace
