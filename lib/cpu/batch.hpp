// A batch of products or factorizations on the CPU: small matrices one a thread, large ones one after another with all
// threads.
#pragma once

#include "lib/call/accuracy.hpp"
#include "lib/call/backend.hpp"

namespace accublas::cpu {

/// How one matrix is served: the backend's call of an engine.
template <class Batch, class E>
using ServeMatrix = void (*)(const Call<typename Batch::Problem, E>&, Execution&);

/// Every matrix by `serve`, the same bits whatever the threads. The report is that of the whole: counts add up, of
/// moduli, bits and bounds the largest. All memory is taken before the first matrix is begun, so that a failure to get
/// it leaves every result as it was; ACCUBLAS_ERROR_C_UNDEFINED for a failure after that. A matrix that misses the
/// target is left as it was, and the error is thrown when the others are done.
template <class Batch, class E>
void run_batch(const Call<Batch, E>& call, ServeMatrix<Batch, E> serve, Execution& execution);

/// The reports of a call's parts: each begins with what the mode promises of the whole, which its engine may better;
/// added up, times as `share` of theirs, the bounds are the largest.
class PartReports {
 public:
  explicit PartReports(accublas_report_t& all) : all_(all), promise_(bound_of(all)) { put_bound(all, {}); }
  accublas_report_t begin() const {
    accublas_report_t part{};
    part.level = all_.level;
    put_bound(part, promise_);
    return part;
  }
  static void add(const accublas_report_t& part, double share, accublas_report_t& to);
  void add(const accublas_report_t& part) { add(part, 1, all_); }

 private:
  accublas_report_t& all_;
  const Bound promise_;
};

/// How the work is shared out. No bit depends on it.
struct BatchPlan {
  int threads;           ///< that take matrices, one at a time; 1: one after another
  int threads_a_matrix;  ///< for each of them
  Index a_task;          ///< matrices that a thread takes at once
  std::size_t bytes;     ///< workspace of a thread
};
BatchPlan plan_batch(Index m, Index n, Index k, Index count, bool native, int threads, std::size_t workspace);

}  // namespace accublas::cpu
