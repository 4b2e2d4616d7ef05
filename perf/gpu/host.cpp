#include "perf/gpu/host.hpp"

#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include "perf/gpu/context.hpp"
#include "perf/gpu/host_array.hpp"

namespace gpu_bench {
namespace {

void print_size(Index n, bool pinned, const std::string& data, int repetitions) {
  const Stream stream;
  const std::size_t bytes = static_cast<std::size_t>(n * n) * sizeof(double);
  const HostArray a(n * n, pinned), b(n * n, pinned), c(n * n, pinned);
  const DeviceArray<double> x(n * n), y(n * n);
  const matrices::Matrix matrix = matrices::named(data);
  for (const Side side : {Side::a, Side::b}) {
    fill(matrix, side, false, x.data(), n, n, 1, stream);
    stream.wait();
    require(cudaMemcpy((side == Side::a ? a : b).data(), x.data(), bytes, cudaMemcpyDeviceToHost), "copy");
  }
  struct Row {
    std::string name;
    std::function<void()> call;
    std::vector<double> ms{};
  };
  std::vector<Row> rows{{"copies", [&] {
                           require(cudaMemcpyAsync(x.data(), a.data(), bytes, cudaMemcpyHostToDevice, stream), "copy");
                           require(cudaMemcpyAsync(y.data(), b.data(), bytes, cudaMemcpyHostToDevice, stream), "copy");
                           require(cudaMemcpyAsync(c.data(), y.data(), bytes, cudaMemcpyDeviceToHost, stream), "copy");
                           stream.wait();
                         }}};
  std::vector<std::unique_ptr<Context>> contexts;
  for (const char* mode : {"native", "dp", "dp:repro", "cr"}) {
    contexts.push_back(std::make_unique<Context>(mode, stream, 0));
    rows.push_back({mode, [&, context = contexts.back().get()] {
                      const double one = 1, zero = 0;
                      context->need(accublas_dgemm(*context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS,
                                                   n, n, n, &one, a.data(), n, b.data(), n, &zero, c.data(), n));
                    }});
  }
  for (Row& row : rows) row.call();
  for (int round = 0; round < repetitions; ++round)
    for (Row& row : rows) row.ms.push_back(1e3 * seconds_of(row.call));
  const double copies = median(rows[0].ms);
  for (const Row& row : rows) {
    const double ms = median(row.ms);
    std::printf("%6lld %-8s %-9s %9.2f %7.2f\n", static_cast<long long>(n), pinned ? "pinned" : "pageable",
                row.name.c_str(), ms, ms / copies);
  }
  std::fflush(stdout);
}

}  // namespace

void print_host(const std::string& data, int repetitions) {
  std::printf("DGEMM with host operands, %s\n%6s %-8s %-9s %9s %7s\n", data.c_str(), "n", "memory", "mode", "ms",
              "copies");
  for (const Index n : {2048, 4096, 8192, 16384})
    for (const bool pinned : {true, false}) print_size(n, pinned, data, repetitions);
}

}  // namespace gpu_bench
