// The drop-in for cuBLAS without a GPU, on a stub of cuBLAS and operands in host memory: what accublas is asked for has
// the C interface's bits, and what it does not serve reaches cuBLAS. The mode is the environment's.
#include <cublas_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "accublas.h"
#include "test/cublas/routines.hpp"

extern "C" const char* stub_called;
extern "C" cublasMath_t stub_math;
extern "C" cublasPointerMode_t stub_pointers;

namespace {

using accublas::test::Address;
using accublas::test::Arguments;
using accublas::test::factor;
using accublas::test::numbers;
using accublas::test::Row;
using accublas::test::rows;
using accublas::test::with_variants;

constexpr int n = 7, ld = 9;
const cublasHandle_t handle = reinterpret_cast<cublasHandle_t>(&stub_called);
const std::vector<double> a(200, 1.25), b(200, -0.75);
const double alpha = 1.5, beta = -0.75;

/// In host memory; `c` holds the result, or `number` does.
struct Memory {
  explicit Memory(const Row& row)
      : alpha(factor(row, 1.5, 0.5)),
        beta(factor(row, -0.75, 2)),
        a(numbers(row, 1)),
        b(numbers(row, 2)),
        c(numbers(row, 3)),
        number(16) {
    const std::size_t matrix = Arguments::elements / 2 * row.bytes();
    as = {a.data(), a.data() + row.bytes()};
    bs = {b.data(), b.data() + matrix};
    cs = {c.data(), c.data() + matrix};
  }
  Arguments arguments(const Row& row, Arguments x) {
    x.handle = handle;
    x.type_c = row.type();
    x.compute = row.compute();
    x.alpha = {alpha.data()}, x.beta = {beta.data()}, x.result = {number.data()};
    x.a = {a.data()}, x.b = {row.kind == Row::copied ? c.data() : b.data()}, x.c = {c.data()};
    x.as = {as.data()}, x.bs = {bs.data()}, x.cs = {cs.data()};
    return x;
  }
  std::vector<char> alpha, beta, a, b, c, number;
  std::vector<char*> as, bs, cs;
};

/// Calls that the C interface refuses, such as CUBLAS_OP_T of a Hermitian product, are left to cuBLAS.
TEST(Served, EveryRoutine) {
  for (const Row& row : rows())
    with_variants({}, [&](const Arguments& variant) {
      Memory mine(row), expected(row);
      stub_called = "";
      const accublas_status status = row.by_interface(expected.arguments(row, variant));
      const cublasStatus_t served = row.call(row.hooked, mine.arguments(row, variant));
      if (status == ACCUBLAS_SUCCESS) {
        EXPECT_EQ(served, CUBLAS_STATUS_SUCCESS) << row.name;
        EXPECT_STREQ(stub_called, "");
        EXPECT_NE(std::make_pair(expected.c, expected.number), std::make_pair(Memory(row).c, Memory(row).number));
      } else {
        EXPECT_EQ(status, ACCUBLAS_ERROR_ARGUMENT) << row.name;
        EXPECT_EQ(served, CUBLAS_STATUS_LICENSE_ERROR);
        EXPECT_STREQ(stub_called, row.name);
      }
      EXPECT_EQ(mine.c, expected.c) << row.name;
      EXPECT_EQ(mine.number, expected.number) << row.name;
    });
}

TEST(Served, EveryNameHasARow) {
  std::set<std::string> names = {"cublasDestroy_v2", "cublasLtDestroy", "cublasLtMatmul", "dlsym"};
  for (const Row& row : rows()) names.insert(row.name);
  std::ifstream list(CUBLAS_NAMES);
  const std::set<std::string> exported{std::istream_iterator<std::string>(list), {}};
  EXPECT_EQ(names, exported);
}

cublasHandle_t handle_number(int i) {
  static char places[64];
  return reinterpret_cast<cublasHandle_t>(places + i);
}

bool is_served(cublasHandle_t by) {
  double c[4] = {1, 2, 3, 4};
  return cublasDgemm_v2(by, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, a.data(), ld, b.data(), ld, &beta, c, 2) ==
             CUBLAS_STATUS_SUCCESS &&
         c[0] == 1.5 * 2 * 1.25 * -0.75 - 0.75;
}

/// Programs keep handles in static variables, which are destroyed after those of the thread.
struct StaticHandles {
  bool used = false;
  ~StaticHandles() {
    if (!used) return;
    bool good = true;
    for (int i = 60; i < 64; ++i)
      good = is_served(handle_number(i)) && cublasDestroy_v2(handle_number(i)) == CUBLAS_STATUS_LICENSE_ERROR && good;
    if (!good) _exit(1);
  }
} static_handles;

TEST(Served, UntilTheProcessEnds) {
  for (int i = 60; i < 64; ++i) EXPECT_TRUE(is_served(handle_number(i)));
  static_handles.used = true;
}

/// Handles are destroyed by other threads than use them, and new ones have the addresses of those.
TEST(Served, HandlesAndThreadsComeAndGo) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    std::vector<char> good(6);
    for (int t = 0; t < 6; ++t)
      threads.emplace_back([&, t] {
        bool all = is_served(handle_number(50));
        for (int i = 0; i < 4; ++i) all = is_served(handle_number(8 * t + i)) && all;
        cublasDestroy_v2(handle_number(8 * t + round % 4));
        good[static_cast<std::size_t>(t)] = all && is_served(handle_number(8 * t + round % 4));
      });
    for (std::thread& thread : threads) thread.join();
    for (const char each : good) EXPECT_TRUE(each);
    for (int i = round % 2; i <= 50; i += 2) cublasDestroy_v2(handle_number(i));
    EXPECT_TRUE(is_served(handle_number(50)));
  }
}

/// B stays as it is; C's rows beyond the matrix, too.
TEST(Served, TrmmOutOfPlace) {
  auto from = b, c = a, expected = b;
  ASSERT_EQ(cublasDtrmm_v2(handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 5, n,
                           &alpha, a.data(), ld, from.data(), ld, c.data(), 6),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(accublas_dtrmm(nullptr, ACCUBLAS_COL_MAJOR, ACCUBLAS_RIGHT, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS,
                           ACCUBLAS_NON_UNIT, 5, n, &alpha, a.data(), ld, expected.data(), ld),
            0);
  EXPECT_EQ(from, b);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < 6; ++i) EXPECT_EQ(c[i + 6 * j], i < 5 ? expected[i + ld * j] : a[i + 6 * j]) << i << ", " << j;
}

/// A call without a factor that it has, in both pointer modes, is refused as cuBLAS refuses it.
TEST(Served, NoFactors) {
  for (const Row& row : rows())
    for (const cublasPointerMode_t pointers : {CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE})
      for (Address Arguments::*const factor : row.factors()) {
        if (row.kind == Row::number && pointers == CUBLAS_POINTER_MODE_DEVICE) continue;  // there is no device
        Memory memory(row);
        Arguments x = memory.arguments(row, {});
        x.*factor = {};
        if (row.kind == Row::copied) x.b = {memory.b.data()};
        stub_called = "";
        stub_pointers = pointers;
        EXPECT_EQ(row.call(row.hooked, x), CUBLAS_STATUS_INVALID_VALUE) << row.name << ", pointers " << pointers;
        EXPECT_STREQ(stub_called, "");
        EXPECT_EQ(memory.c, Memory(row).c) << row.name;
        EXPECT_EQ(memory.number, Memory(row).number) << row.name;
      }
  stub_pointers = CUBLAS_POINTER_MODE_HOST;
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
  FORWARDED("cublasDgemmStridedBatched", cublasDgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha,
                                                                   pa, ld, 0, pa, ld, 0, &beta, c.data(), ld, 1, 2));
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
  stub_math = CUBLAS_TENSOR_OP_MATH;
  FORWARDED("cublasGemmEx", gemm(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F));
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
  void* const library = dlopen(CUBLAS_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
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
