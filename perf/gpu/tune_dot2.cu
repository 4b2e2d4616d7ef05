// tune_dot2: the tile shapes of dot2's GEMM on this device. Times every candidate below, says why it cannot be or was
// not chosen, and prints rows for cuda/dot2/dot2_gemm_table.hpp, the fastest first.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/dot2/dot2_gemm_kernel.hpp"
#include "perf/gpu/data.hpp"
#include "perf/gpu/device.hpp"
#include "perf/gpu/fp64_limit.hpp"

namespace gpu_bench {
namespace {

using namespace accublas::cuda;
using accublas::Matrix;

/// rows, cols, thread_rows, thread_cols, step, stages, unroll, resident, tensor.
struct Candidates {
  // clang-format off
  static constexpr Dot2Row rows[] = {
      {0, 0, false, {64, 64, 4, 4, 16, 2, 1, 2}, 0},
      {0, 0, false, {64, 64, 4, 4, 16, 2, 2, 2}, 0},
      {0, 0, false, {64, 64, 4, 4, 8, 3, 2, 2}, 0},
      {0, 0, false, {64, 32, 4, 4, 8, 3, 2, 4}, 0},
      {0, 0, false, {32, 32, 4, 4, 8, 2, 2, 8}, 0},
      {0, 0, false, {64, 32, 4, 4, 16, 2, 2, 3}, 0},
      {0, 0, false, {64, 32, 4, 4, 16, 2, 4, 3}, 0},
      {0, 0, false, {32, 32, 4, 4, 16, 2, 2, 6}, 0},
      {0, 0, false, {64, 64, 8, 4, 16, 2, 2, 2}, 0},
      {0, 0, false, {64, 32, 4, 2, 8, 2, 4, 3}, 0},
      {0, 0, false, {128, 128, 4, 4, 16, 2, 2, 1}, 0},
      {0, 0, true, {64, 64, 8, 8, 8, 2, 8, 4}, 0},
      {0, 0, true, {64, 64, 8, 4, 8, 2, 8, 3}, 0},
      {0, 0, true, {64, 32, 4, 4, 8, 2, 4, 4}, 0},
      {0, 0, true, {128, 128, 16, 4, 16, 2, 1, 1, true}, 0},
      {0, 0, true, {128, 64, 16, 4, 16, 2, 1, 2, true}, 0},
      {0, 0, true, {128, 128, 8, 8, 16, 2, 1, 1, true}, 0},
      {0, 0, true, {64, 64, 8, 4, 16, 2, 1, 2, true}, 0},
      {0, 0, true, {64, 64, 8, 4, 16, 2, 1, 3, true}, 0},
      {0, 0, true, {64, 64, 16, 4, 16, 2, 1, 3, true}, 0},
      {0, 0, true, {64, 64, 8, 4, 32, 2, 1, 2, true}, 0},
  };
  // clang-format on
};

struct Figure {
  Dot2Row row;
  double ms;
};

std::string text(const Dot2Shape& s) {
  char out[80];
  std::snprintf(out, sizeof out, "{%d, %d, %d, %d, %d, %d, %d, %d%s}", s.rows, s.cols, s.thread_rows, s.thread_cols,
                s.step, s.stages, s.unroll, s.resident, s.tensor ? ", true" : "");
  return out;
}

/// Operands and all that the kernel asks of a call.
template <class T>
struct Problem {
  Index n;
  DeviceArray<T> a, b, c;
  DeviceArray<std::int32_t> exponent;
  DeviceArray<std::uint8_t> special;
  DeviceArray<std::uint32_t> open;
  DeviceArray<CallState> state;
  ExactArguments<T> arguments{};

  Problem(Index size, cudaStream_t stream)
      : n(size),
        a(n * n),
        b(n * n),
        c(n * n),
        exponent(padded_lines(n)),
        special(padded_lines(n)),
        open(n * n / 32),
        state(1) {
    fill_random(Side::a, a.data(), n, n, stream);
    fill_random(Side::b, b.data(), n, n, stream);
    require(cudaMemsetAsync(exponent.data(), 0, padded_lines(n) * 4, stream), "memset");
    require(cudaMemsetAsync(special.data(), 0, padded_lines(n), stream), "memset");
    require(cudaMemsetAsync(state.data(), 0, sizeof(CallState), stream), "memset");
    // The lines are those of a column-major call without transpositions: rows are B's columns, columns A's rows.
    Lines lines{};
    lines.count = lines.k = n;
    lines.exponent = exponent.data();
    lines.special = special.data();
    arguments = {{b.data(), n, 1, n, n}, {a.data(), 1, n, n, n}, lines,       lines,       {c.data(), n, 1},
                 {T(1), nullptr},        {T(0), nullptr},        open.data(), state.data()};
  }
};

/// Milliseconds of one product, the median of `times`; throws with the reason where the shape cannot run.
template <class T, int index>
double time_shape(const Problem<T>& problem, int times, cudaStream_t stream) {
  constexpr Dot2Shape shape = Candidates::rows[index].shape;
  constexpr int bytes = shape.shared_bytes(compensated<T>);
  constexpr auto kernel = dot2_gemm_kernel<T, Candidates, index, Dot2Compare::high_words>;
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "shared memory");
  int resident = 0;
  require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, shape.threads(), bytes), "occupancy");
  if (resident < shape.resident)
    throw std::runtime_error("a multiprocessor holds " + std::to_string(resident) + " of its blocks");
  const Index tiles = ((problem.n + shape.rows - 1) / shape.rows) * ((problem.n + shape.cols - 1) / shape.cols);
  const Index all = (problem.n + dot2_block_terms - 1) / dot2_block_terms;
  const Dot2Blocks blocks{0, all, all, nullptr};
  std::vector<double> ms;
  for (int i = 0; i <= times; ++i) {
    const Event start, end;
    start.record(stream);
    kernel<<<static_cast<unsigned>(tiles), shape.threads(), bytes, stream>>>(problem.arguments, blocks);
    end.record(stream);
    require(cudaGetLastError(), "launch");
    if (i > 0) ms.push_back(end.since(start));
  }
  std::sort(ms.begin(), ms.end());
  return ms[ms.size() / 2];
}

template <class T, int index = 0>
void time_all(const Problem<T>& problem, int times, double limit, double operations, cudaStream_t stream,
              std::vector<Figure>& out) {
  if constexpr (index < static_cast<int>(std::size(Candidates::rows))) {
    constexpr Dot2Row row = Candidates::rows[index];
    if constexpr (row.single == !compensated<T>) {
      constexpr const char* fault = dot2_shape_fault(row.shape, !row.single);
      std::printf("  %-36s ", text(row.shape).c_str());
      if constexpr (fault != nullptr) {
        std::printf("rejected: %s\n", fault);
      } else {
        try {
          const double ms = time_shape<T, index>(problem, times, stream);
          const double terms = static_cast<double>(problem.n) * problem.n * problem.n;
          cudaFuncAttributes attributes{};
          require(cudaFuncGetAttributes(&attributes, dot2_gemm_kernel<T, Candidates, index, Dot2Compare::high_words>),
                  "attributes");
          std::printf("%9.3f ms, %.3f of the limit, %d registers\n", ms, operations * terms / (1e-3 * ms) / limit,
                      attributes.numRegs);
          out.push_back({row, ms});
        } catch (const std::exception& error) {
          cudaGetLastError();
          std::printf("rejected: %s\n", error.what());
        }
      }
      std::fflush(stdout);
    }
    time_all<T, index + 1>(problem, times, limit, operations, stream, out);
  }
}

template <class T>
void tune(Index n, int times, double operations, const cudaDeviceProp& device, cudaStream_t stream) {
  const double limit = fp64_operations_per_second(0.3, stream);
  std::printf("%s, n = %lld; limit %.4g FP64 operations/s, %g of them a term\n", compensated<T> ? "dgemm" : "sgemm",
              static_cast<long long>(n), limit, operations);
  const Problem<T> problem(n, stream);
  std::vector<Figure> figures;
  time_all<T>(problem, times, limit, operations, stream, figures);
  std::sort(figures.begin(), figures.end(), [](const Figure& x, const Figure& y) { return x.ms < y.ms; });
  // Cycles of a multiprocessor at the clock that the limit ran at: 64 operations a cycle on data-centre devices.
  const double cycles_per_ms = limit * 1e-3 / 64;
  for (const Figure& f : figures)
    std::printf("      {%d, %d, %s, %s, %.0f},\n", device.major, device.minor, f.row.single ? "true" : "false",
                text(f.row.shape).c_str(), 1000 * f.ms * cycles_per_ms / (static_cast<double>(n) * n * n));
}

}  // namespace
}  // namespace gpu_bench

/// tune_dot2 [n] [repetitions]
int main(int count, char** arguments) {
  using namespace gpu_bench;
  const Index n = count > 1 ? std::atoll(arguments[1]) : 4096;
  const int times = count > 2 ? std::atoi(arguments[2]) : 5;
  try {
    cudaDeviceProp device{};
    require(cudaGetDeviceProperties(&device, 0), "device");
    std::printf("%s, %d multiprocessors\n", device.name, device.multiProcessorCount);
    const Stream stream;
    tune<double>(n, times, 10, device, stream);
    tune<float>(n, times, 1, device, stream);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tune_dot2: %s\n", error.what());
    return 2;
  }
  return 0;
}
