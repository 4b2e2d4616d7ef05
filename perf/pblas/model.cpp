#include "perf/pblas/model.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "include/accublas.h"

namespace bench {
namespace {

/// Returns the operations a second of a product of order n in a mode on this process.
double measured_rate(const char* mode, int n) {
  std::mt19937_64 random(1);
  std::vector<double> a(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)), b = a, c = a;
  for (std::vector<double>* matrix : {&a, &b})
    for (double& x : *matrix) x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random()) >> 11), -52);
  accublas_set_mode_name(nullptr, mode);
  const double one = 1, zero = 0;
  double best = INFINITY;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    accublas_dgemm(nullptr, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, &one, a.data(), n,
                   b.data(), n, &zero, c.data(), n);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return 2.0 * n * n * n / best;
}

/// The share of computation in a product of order n on P processes, each of which receives `words` in `messages`.
double efficiency(double n, double processes, double rate, double words, double messages, double bandwidth,
                  double latency) {
  const double computing = 2 * n * n * n / processes / rate;
  return computing / (computing + 8 * words / bandwidth + messages * latency);
}

}  // namespace

void print_model(double gigabytes, double microseconds) {
  constexpr int of_process = 2048, block = 64;
  const double native = measured_rate("native", of_process), cr = measured_rate("cr", of_process),
               bandwidth = gigabytes * 1e9, latency = microseconds * 1e-6;
  std::printf("one process: native %.1f, cr %.1f Gflop/s; a process receives %.1f GB/s, %.1f microseconds a message\n",
              native * 1e-9, cr * 1e-9, gigabytes, microseconds);
  for (const bool weak : {true, false}) {
    std::printf("%s\n%6s %8s %10s %10s %10s %12s\n", weak ? "order 2048 sqrt(P)" : "order 32768", "P", "n", "cr",
                "PDGEMM", "COSMA", "cr, GB/rank");
    for (int side = 2; side <= 64; side *= 2) {
      const double processes = double{1} * side * side, n = weak ? of_process * side : 32768;
      const double panels = 2 * n * n * (side - 1) / processes;
      const double ours = efficiency(n, processes, cr, panels, 2.0 * (side - 1), bandwidth, latency);
      const double theirs =
          efficiency(n, processes, native, panels, 2 * n / block * std::log2(side), bandwidth, latency);
      // The volume of a product cut into cubes, given enough memory for copies (COSMA, Kwasniewski and others 2019).
      const double cosma = efficiency(n, processes, native, 3 * n * n / std::pow(processes, 2.0 / 3),
                                      3 * std::cbrt(processes), bandwidth, latency);
      std::printf("%6.0f %8.0f %10.2f %10.2f %10.2f %12.2f\n", processes, n, ours, theirs, cosma,
                  8e-9 * 2 * n * n / side * 3);
    }
  }
}

}  // namespace bench
