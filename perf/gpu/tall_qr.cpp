#include "perf/gpu/tall_qr.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "perf/gpu/context.hpp"
#include "perf/gpu/cusolver.hpp"
#include "perf/gpu/measure.hpp"

namespace gpu_bench {
namespace {

struct TallShape {
  Index m, n;
  double least;  ///< ratio of cuSOLVER's time for Q and R; 0: no target
};
constexpr TallShape tall_shapes[] = {{100000, 64, 0}, {1000000, 32, 0}, {1000000, 128, 5}, {200000, 512, 0}};

bool measure(const TallShape& shape, int repetitions) {
  const auto [m, n, least] = shape;
  const Stream stream;
  const DeviceArray<double> kept(m * n), a(m * n), tau(n), r(n * n);
  const DeviceArray<int> info(2);
  fill_random(Side::a, kept.data(), m, n, stream);
  CuSolver cusolver(stream, n, a.data(), m);
  const Context context("dp", stream, 0);
  const auto time_of = [&](auto&& factor) {
    std::vector<double> ms;
    for (int round = 0; round <= repetitions; ++round) {
      require(cudaMemcpyAsync(a.data(), kept.data(), static_cast<std::size_t>(m * n) * sizeof(double),
                              cudaMemcpyDeviceToDevice, stream),
              "operands");
      stream.wait();
      const Event start, end;
      start.record(stream);
      factor();
      end.record(stream);
      const double time = end.since(start);
      if (round > 0) ms.push_back(time);  // the first call loads kernels
    }
    return median(ms);
  };
  bool met = true;
  for (const bool makes_q : {false, true}) {
    const double theirs = time_of([&] { cusolver.factor_tall(m, n, a.data(), tau.data(), info.data(), makes_q); });
    const double ours = time_of([&] {
      context.need(makes_q ? accublas_dqr_explicit(context, ACCUBLAS_COL_MAJOR, m, n, a.data(), m, r.data(), n)
                           : accublas_dgeqrf(context, ACCUBLAS_COL_MAJOR, m, n, a.data(), m, tau.data()));
    });
    std::printf("%-11s %8lld x %-4lld  cusolver %9.2f ms  dp %9.2f ms  %6.2f", makes_q ? "qr_explicit" : "geqrf",
                static_cast<long long>(m), static_cast<long long>(n), theirs, ours, theirs / ours);
    if (makes_q && least > 0) {
      met = theirs / ours >= least;
      std::printf("  target %g: %s", least, met ? "met" : "NOT MET");
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  return met;
}

}  // namespace

bool print_tall_qr(const std::vector<Index>& columns, int repetitions) {
  bool met = true;
  for (const TallShape& shape : tall_shapes)
    if (columns.empty() || std::find(columns.begin(), columns.end(), shape.n) != columns.end())
      met = measure(shape, repetitions) && met;
  return met;
}

}  // namespace gpu_bench
