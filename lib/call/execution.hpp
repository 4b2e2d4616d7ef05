// How a call runs: everything an engine may use besides the problem and the mode. None of it changes the bits of a
// bit-defined mode.
#pragma once

#include <chrono>

#include "lib/base/isa.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/base/workspace.hpp"
#include "lib/call/mode.hpp"

namespace accublas {

struct Execution {
  int threads;   ///< for parallel_for
  cpu::Isa isa;  ///< highest instruction set that may be used
  Workspace& workspace;
  accublas_report_t& report;  ///< engines add: bits, moduli, rejected, undecided, copied_bytes, ms_*, bounds
  double target = 0;          ///< > 0: an engine whose bound depends on the data throws ACCUBLAS_ERROR_ACCURACY, before
                              ///< writing C, where it cannot promise `target` componentwise
  bool engine_forced = false;  ///< the caller named the engine: a backend may not take another one after all

  /// The same in another workspace.
  Execution within(Workspace& other) const { return {threads, isa, other, report, target, engine_forced}; }
};

/// Adds the milliseconds of a scope to a phase of the report at report level 2; costs nothing below.
class PhaseTimer {
 public:
  PhaseTimer(Execution& execution, double accublas_report_t::*phase)
      : sum_(execution.report.level >= 2 ? &(execution.report.*phase) : nullptr) {
    if (sum_) start_ = std::chrono::steady_clock::now();
  }
  ~PhaseTimer() {
    if (sum_) *sum_ += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  double* sum_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace accublas
