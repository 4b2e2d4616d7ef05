#include <algorithm>

#include "perf/gpu/device.hpp"
#include "perf/gpu/fp64_limit.hpp"

namespace gpu_bench {
namespace {

constexpr int threads = 256, resident = 4, chains = 16, turns = 16;

/// Half of the operations are additions, half fused multiply-adds, in chains that do not depend on each other.
__global__ void __launch_bounds__(threads, resident) issue(long long rounds, double step, double* out) {
  double sum[chains];
  for (int i = 0; i < chains; ++i) sum[i] = i + threadIdx.x;
  for (long long round = 0; round < rounds; ++round) {
#pragma unroll
    for (int t = 0; t < turns; ++t)
#pragma unroll
      for (int i = 0; i < chains; ++i) sum[i] = t % 2 ? __fma_rn(sum[i], step, step) : __dadd_rn(sum[i], step);
  }
  double all = 0;
  for (int i = 0; i < chains; ++i) all += sum[i];
  if (all == 0) *out = all;  // never
}

}  // namespace

double fp64_operations_per_second(double seconds, cudaStream_t stream) {
  int device = 0, processors = 0;
  require(cudaGetDevice(&device), "device");
  require(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "device");
  const DeviceArray<double> out(1);
  const Event start, end;
  const auto run = [&](long long rounds) {
    start.record(stream);
    issue<<<static_cast<unsigned>(processors * resident), threads, 0, stream>>>(rounds, 0.5, out.data());
    end.record(stream);
    require(cudaGetLastError(), "fp64 limit");
    return 1e-3 * end.since(start);
  };
  run(1000);
  const long long rounds = std::max(1000LL, static_cast<long long>(1000 * seconds / run(1000)));
  const double time = run(rounds);
  return static_cast<double>(rounds) * turns * chains * threads * resident * processors / time;
}

}  // namespace gpu_bench
