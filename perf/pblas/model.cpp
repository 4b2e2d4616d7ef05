#include "perf/pblas/model.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "include/accublas.h"

namespace bench {
namespace {

constexpr int block = 64;  ///< ScaLAPACK broadcasts panels of so many terms

/// The speed of a process of the model: operations and bytes a second, and the seconds of a message.
struct Rates {
  double native, cr, bandwidth, latency;
};

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

/// Returns the predicted share of computation of PDGEMM in `cr`, or by ScaLAPACK, on a grid of p x q processes.
double predicted_share(double n, double p, double q, bool cr, const Rates& r) {
  const double processes = p * q, panels = n * n * ((p - 1) + (q - 1)) / processes;
  return cr ? efficiency(n, processes, r.cr, panels, (p - 1) + (q - 1), r.bandwidth, r.latency)
            : efficiency(n, processes, r.native, panels, n / block * (std::log2(p) + std::log2(q)), r.bandwidth,
                         r.latency);
}

/// Returns the seconds of a call of `body` that all processes make at the same time: those of the slowest one.
template <class Body>
double slowest(Body&& body) {
  double best = INFINITY;
  for (int i = 0; i < 4; ++i) {  // the first call warms up
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    body();
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (i > 0) best = std::min(best, seconds);
  }
  return best;
}

}  // namespace

void print_model(double gigabytes, double microseconds) {
  constexpr int of_process = 2048;
  const Rates rates{measured_rate("native", of_process), measured_rate("cr", of_process), gigabytes * 1e9,
                    microseconds * 1e-6};
  std::printf("one process: native %.1f, cr %.1f Gflop/s; a process receives %.1f GB/s, %.1f microseconds a message\n",
              rates.native * 1e-9, rates.cr * 1e-9, gigabytes, microseconds);
  for (const bool weak : {true, false}) {
    std::printf("%s\n%6s %8s %10s %10s %10s %12s\n", weak ? "order 2048 sqrt(P)" : "order 32768", "P", "n", "cr",
                "PDGEMM", "COSMA", "cr, GB/rank");
    for (int side = 2; side <= 64; side *= 2) {
      const double processes = double{1} * side * side, n = weak ? of_process * side : 32768;
      const double ours = predicted_share(n, side, side, true, rates),
                   theirs = predicted_share(n, side, side, false, rates);
      // The volume of a product cut into cubes, given enough memory for copies (COSMA, Kwasniewski and others 2019).
      const double cosma = efficiency(n, processes, rates.native, 3 * n * n / std::pow(processes, 2.0 / 3),
                                      3 * std::cbrt(processes), rates.bandwidth, rates.latency);
      std::printf("%6.0f %8.0f %10.2f %10.2f %10.2f %12.2f\n", processes, n, ours, theirs, cosma,
                  8e-9 * 2 * n * n / side * 3);
    }
  }
}

Prediction::Prediction(int order) {
  int size = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double operations = 2.0 * order * order * order;
  const auto rate = [&](const char* mode) {
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = operations / measured_rate(mode, order);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return operations / seconds;
  };
  native_ = rate("native"), cr_ = rate("cr");
  // Each process sends to the next one.
  std::vector<char> sent(std::size_t{1} << 23), received(sent);
  const auto pass = [&](int bytes) {
    return slowest([&] {
      MPI_Sendrecv(sent.data(), bytes, MPI_BYTE, (rank + 1) % size, 0, received.data(), bytes, MPI_BYTE,
                   (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
  };
  latency_ = pass(8);
  bandwidth_ = static_cast<double>(sent.size()) / pass(static_cast<int>(sent.size()));
}

std::string Prediction::rates() const {
  char text[160];
  std::snprintf(text, sizeof text, "one process: native %.1f, cr %.1f Gflop/s; receives %.2f GB/s, %.1f microseconds",
                native_ * 1e-9, cr_ * 1e-9, bandwidth_ * 1e-9, latency_ * 1e6);
  return text;
}

double Prediction::predicted(double n, int p, int q, bool cr) const {
  return predicted_share(n, p, q, cr, {native_, cr_, bandwidth_, latency_});
}

double Prediction::measured(double n, int p, int q, bool cr, double seconds) const {
  return 2 * n * n * n / (double{1} * p * q) / (cr ? cr_ : native_) / seconds;
}

}  // namespace bench
