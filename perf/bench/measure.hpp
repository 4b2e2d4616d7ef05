// Times a routine in several modes against OpenBLAS's on the same data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "accublas.h"

namespace bench {

struct Case {
  /// ddot, dnrm2, dasum, dgemv:n, dgemv:t, dgemm, dgemm:batch, dgemm:1000x4x1000 (m, n, k), or these with s for d; or
  /// of product_names().
  std::string routine;
  std::int64_t size;  ///< size of all dimensions
  std::string data;   ///< see data.hpp
  int threads;
};

struct Result {
  std::string mode;
  double seconds, openblas_seconds;  ///< of one call: the least over the rounds
  accublas_report_t report;
  std::string error;  ///< why there is no figure, empty if there is one
  double ratio() const { return seconds / openblas_seconds; }
};

/// Makes OpenBLAS's idle workers sleep after 2 ms, unless the environment says otherwise. Call this before anything
/// else. Its own threads are built to spin for 2^28 ticks of the CPU's clock, 134 ms at 2 GHz, on the very cores that
/// the next contender's workers wake up on. Within OpenBLAS's turn one call follows the other at once, so the workers
/// stay awake.
void let_openblas_sleep();

/// OpenBLAS and all modes take turns of 50 ms, round by round, for `seconds` and three rounds at least (one where a
/// call takes longer than `seconds`). A contender whose first call takes 8 times `seconds` has no turns. Short calls
/// are timed in batches of a tenth of a millisecond. The time is the thread's own; with several threads it is that of
/// the wall clock, and a pause before each turn lets the others' idle workers fall asleep.
std::vector<Result> measure(const Case& what, const std::vector<std::string>& modes, double seconds);

/// The reports of one call in each mode.
std::vector<Result> report(const Case&, const std::vector<std::string>& modes);

/// Nanoseconds that a call by the drop-in's name takes beyond OpenBLAS's own, n = 8.
struct Overhead {
  std::string routine, mode;
  double openblas_ns, dropin_ns;
};
std::vector<Overhead> measure_dropin_overhead();

/// These functions name the CPU and the BLAS that the program runs on.
std::string cpu_name();
std::string blas_name();
/// Why the ratios flatter accublas: OpenBLAS took kernels without AVX on a CPU that has AVX2. Empty if it did not.
std::string slow_blas();

}  // namespace bench
