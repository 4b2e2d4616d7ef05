// accublas-cublas-overhead: what the drop-in for cuBLAS adds to a call that cuBLAS serves: microseconds of the host by
// the hooked name and by cuBLAS's own, in the mode of the environment (without one: native). One line a routine.
// usage: accublas-cublas-overhead [rounds]
#include <cublas_v2.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "perf/gpu/device.hpp"

namespace {

using namespace gpu_bench;

/// dlvsym passes the drop-in by.
template <class F>
F* real(F*, const char* name) {
  for (const char* library : {"libcublas.so.13", "libcublas.so.12"})
    if (void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD))
      if (void* const function = dlvsym(loaded, name, library)) return reinterpret_cast<F*>(function);
  throw std::runtime_error(std::string("cuBLAS has no ") + name);
}
#define REAL(name) real(&name, #name)

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
}

double us_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

struct Calls {
  const char* name;
  std::function<cublasStatus_t()> hooked, by_cublas;
};

/// The least mean of a row of calls, which the device keeps up with; the two in turn.
void print_overhead(const Calls& calls, int rounds) {
  constexpr int count = 200;
  const std::function<cublasStatus_t()>* const each[] = {&calls.by_cublas, &calls.hooked};
  double best[2] = {1e30, 1e30};
  for (int round = -1; round < rounds; ++round)  // the first warms up
    for (int which = 0; which < 2; ++which) {
      require(cudaDeviceSynchronize(), "synchronize");
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < count; ++i) check((*each[which])());
      if (round >= 0) best[which] = std::min(best[which], us_since(start) / count);
    }
  std::printf("%-28s %8.2f %8.2f %8.2f\n", calls.name, best[0], best[1], best[1] - best[0]);
}

/// A handle, its first call, and the end of both.
template <class Gemm, class Destroy>
double first_use_us(Gemm gemm, Destroy destroy, const double* factor, double* x) {
  require(cudaDeviceSynchronize(), "synchronize");
  const auto start = std::chrono::steady_clock::now();
  cublasHandle_t handle;
  check(cublasCreate_v2(&handle));
  check(gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 16, 16, 16, factor, x, 16, x, 16, factor, x + 256, 16));
  require(cudaDeviceSynchronize(), "synchronize");
  check(destroy(handle));
  return us_since(start);
}

}  // namespace

int main(int count, char** arguments) try {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 100;
  if (rounds < 1) throw std::runtime_error("usage: accublas-cublas-overhead [rounds]");
  setenv("ACCUBLAS_MODE", "native", 0);
  double* x = nullptr;
  require(cudaMalloc(reinterpret_cast<void**>(&x), 4096 * sizeof *x), "cudaMalloc");
  require(cudaMemset(x, 0, 4096 * sizeof *x), "cudaMemset");
  cublasHandle_t h;
  check(cublasCreate_v2(&h));
  const double factor = 1;
  constexpr int n = 16;
  const auto gemm = [&](auto* f) {
    return [&, f] { return f(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &factor, x, n, x, n, &factor, x + 1024, n); };
  };
  const auto strided = [&](auto* f) {
    return [&, f] {
      return f(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &factor, x, n, 0, x, n, 0, &factor, x + 1024, n, n * n, 4);
    };
  };
  const auto gemv = [&](auto* f) {
    return [&, f] { return f(h, CUBLAS_OP_N, n, n, &factor, x, n, x, 1, &factor, x + 1024, 1); };
  };
  const auto trsm = [&](auto* f) {
    return [&, f] {
      return f(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, n, n, &factor, x, n,
               x + 1024, n);
    };
  };
  std::printf("microseconds, mode %-8s %10s %8s %8s\n", std::getenv("ACCUBLAS_MODE"), "cuBLAS", "drop-in", "more");
  print_overhead({"cublasDgemm_v2", gemm(&cublasDgemm_v2), gemm(REAL(cublasDgemm_v2))}, rounds);
  print_overhead(
      {"cublasDgemmStridedBatched", strided(&cublasDgemmStridedBatched), strided(REAL(cublasDgemmStridedBatched))},
      rounds);
  print_overhead({"cublasDgemv_v2", gemv(&cublasDgemv_v2), gemv(REAL(cublasDgemv_v2))}, rounds);
  print_overhead({"cublasDtrsm_v2", trsm(&cublasDtrsm_v2), trsm(REAL(cublasDtrsm_v2))}, rounds);
  double best[2] = {1e30, 1e30};
  for (int round = 0; round < std::min(rounds, 20); ++round) {
    best[0] = std::min(best[0], first_use_us(REAL(cublasDgemm_v2), REAL(cublasDestroy_v2), &factor, x));
    best[1] = std::min(best[1], first_use_us(&cublasDgemm_v2, &cublasDestroy_v2, &factor, x));
  }
  std::printf("%-28s %8.2f %8.2f %8.2f\n", "a handle and its first call", best[0], best[1], best[1] - best[0]);
  check(cublasDestroy_v2(h));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
