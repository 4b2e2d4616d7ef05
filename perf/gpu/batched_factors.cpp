#include "perf/gpu/batched_factors.hpp"

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <stdexcept>

#include "perf/gpu/context.hpp"
#include "perf/gpu/library.hpp"
#include "perf/gpu/short_call.hpp"

namespace gpu_bench {
namespace {

/// The largest ratios to the vendor's time.
struct BatchTarget {
  const char* mode;
  double ratio;
};
constexpr BatchTarget batch_targets[] = {{"dp", 1}, {"cr", 3}};

struct BatchOrder {
  Index order, count;
};
constexpr BatchOrder batch_orders[] = {{4, 100000}, {8, 100000}, {16, 20000}, {32, 10000}, {64, 2000},
                                       {96, 1000},  {128, 500},  {256, 100},  {512, 30}};

/// cuBLAS's LU and cuSOLVER's Cholesky factorization of a batch, with pointers in device memory.
class VendorBatches {
 public:
  explicit VendorBatches(cudaStream_t stream) {
    blas_.get(create_blas_, "cublasCreate_v2");
    blas_.get(destroy_blas_, "cublasDestroy_v2");
    blas_.get(set_blas_stream_, "cublasSetStream_v2");
    blas_.get(getrf_, "cublasDgetrfBatched");
    solver_.get(create_solver_, "cusolverDnCreate");
    solver_.get(destroy_solver_, "cusolverDnDestroy");
    solver_.get(set_solver_stream_, "cusolverDnSetStream");
    solver_.get(potrf_, "cusolverDnDpotrfBatched");
    need(create_blas_(&of_blas_));
    need(set_blas_stream_(of_blas_, stream));
    need(create_solver_(&of_solver_));
    need(set_solver_stream_(of_solver_, stream));
  }
  ~VendorBatches() {
    destroy_blas_(of_blas_);
    destroy_solver_(of_solver_);
  }
  VendorBatches(const VendorBatches&) = delete;
  VendorBatches& operator=(const VendorBatches&) = delete;

  void run(bool cholesky, Index n, double** a, int* pivots, int* info, Index count) const {
    const int order = static_cast<int>(n), matrices = static_cast<int>(count);
    if (cholesky)
      need(potrf_(of_solver_, CUBLAS_FILL_MODE_LOWER, order, a, order, info, matrices));
    else
      need(getrf_(of_blas_, order, a, order, pivots, info, matrices));
  }

 private:
  template <class Status>
  static void need(Status status) {
    if (status != Status{}) throw std::runtime_error("status " + std::to_string(static_cast<int>(status)));
  }

  Library blas_{"libcublas"}, solver_{"libcusolver"};
  decltype(&cublasCreate_v2) create_blas_;
  decltype(&cublasDestroy_v2) destroy_blas_;
  decltype(&cublasSetStream_v2) set_blas_stream_;
  decltype(&cublasDgetrfBatched) getrf_;
  decltype(&cusolverDnCreate) create_solver_;
  decltype(&cusolverDnDestroy) destroy_solver_;
  decltype(&cusolverDnSetStream) set_solver_stream_;
  decltype(&cusolverDnDpotrfBatched) potrf_;
  cublasHandle_t of_blas_ = nullptr;
  cusolverDnHandle_t of_solver_ = nullptr;
};

/// Uniform numbers; for Cholesky the diagonal dominates.
std::vector<double> matrices_of(bool cholesky, Index n, Index count) {
  std::mt19937_64 random(43);
  std::vector<double> a(static_cast<std::size_t>(n * n * count));
  for (double& x : a) x = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
  for (Index i = 0; cholesky && i < count; ++i)
    for (Index j = 0; j < n; ++j) a[static_cast<std::size_t>(i * n * n + j * (n + 1))] += static_cast<double>(2 * n);
  return a;
}

bool measure_batch(bool cholesky, const BatchOrder& size, const std::vector<std::string>& modes, int repetitions) {
  const Stream stream;
  const VendorBatches vendor(stream);
  const Index n = size.order, all = n * n * size.count;
  const std::vector<double> numbers = matrices_of(cholesky, n, size.count);
  const DeviceArray<double> given(all), a(all);
  const DeviceArray<std::int64_t> pivots(n * size.count), info(size.count);
  const DeviceArray<int> vendor_pivots(n * size.count), vendor_info(size.count);
  const DeviceArray<double*> pointers(size.count);
  std::vector<double*> at;
  for (Index i = 0; i < size.count; ++i) at.push_back(a.data() + i * n * n);
  require(cudaMemcpy(given.data(), numbers.data(), numbers.size() * sizeof(double), cudaMemcpyDefault), "copy");
  require(cudaMemcpy(pointers.data(), at.data(), at.size() * sizeof(double*), cudaMemcpyDefault), "copy");
  // A factorization overwrites its matrices, so each contender copies them first.
  const auto restore = [&] {
    require(cudaMemcpyAsync(a.data(), given.data(), static_cast<std::size_t>(all) * sizeof(double),
                            cudaMemcpyDeviceToDevice, stream),
            "copy");
  };
  std::vector<ShortCall> contenders{{"copy", restore}, {cholesky ? "cusolver" : "cublas", [&] {
                                                          restore();
                                                          vendor.run(cholesky, n, pointers.data(), vendor_pivots.data(),
                                                                     vendor_info.data(), size.count);
                                                        }}};
  std::vector<std::unique_ptr<Context>> contexts;
  for (const std::string mode : {"dp", "dp:repro", "cr"}) {
    if (!modes.empty() && std::find(modes.begin(), modes.end(), mode) == modes.end()) continue;
    contexts.push_back(std::make_unique<Context>(mode, stream, 0));
    Context* const context = contexts.back().get();
    contenders.push_back(
        {mode, [&, context] {
           restore();
           context->need(cholesky ? accublas_dpotrf_strided_batched(*context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, n,
                                                                    a.data(), n, n * n, info.data(), size.count)
                                  : accublas_dgetrf_strided_batched(*context, ACCUBLAS_COL_MAJOR, n, n, a.data(), n,
                                                                    n * n, pivots.data(), info.data(), size.count));
         }});
  }
  for (const ShortCall& contender : contenders) time_us(contender, 2, stream);
  time_in_turn(contenders, repetitions, stream);
  const double copy = median(contenders[0].row_us), peer = median(contenders[1].row_us) - copy;
  bool met = true;
  for (std::size_t q = 1; q < contenders.size(); ++q) {
    const double us = median(contenders[q].row_us) - copy, share = us / peer;
    std::string verdict;
    for (const BatchTarget& target : batch_targets)
      if (contenders[q].name == target.mode) {
        const bool kept = share <= target.ratio;
        met &= kept;
        char limit[24];
        std::snprintf(limit, sizeof limit, "<= %g ", target.ratio);
        verdict = std::string(limit) + (kept ? "met" : "NOT MET");
      }
    std::printf("%-6s %5lld %7lld %-8s %10.1f %7.2f  %s\n", cholesky ? "dpotrf" : "dgetrf", static_cast<long long>(n),
                static_cast<long long>(size.count), contenders[q].name.c_str(), us, share, verdict.c_str());
  }
  std::fflush(stdout);
  return met;
}

}  // namespace

bool print_batched_factors(const std::vector<std::string>& routines, const std::vector<Index>& orders,
                           const std::vector<std::string>& modes, int repetitions) {
  std::printf(
      "us: of a call among calls back to back, without the copy that restores its matrices. times: over the vendor's\n"
      "%-6s %5s %7s %-8s %10s %7s  %s\n",
      "", "n", "count", "mode", "us", "times", "target");
  bool met = true;
  for (const std::string& routine : routines)
    for (const BatchOrder& size : batch_orders)
      if (orders.empty() || std::find(orders.begin(), orders.end(), size.order) != orders.end())
        met &= measure_batch(routine == "dpotrf", size, modes, repetitions);
  return met;
}

}  // namespace gpu_bench
