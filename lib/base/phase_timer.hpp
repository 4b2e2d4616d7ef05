// Measures the times that a report contains.
#pragma once

#include <chrono>
#include <optional>

namespace accublas {

class Stopwatch {
 public:
  double milliseconds() const { return std::chrono::duration<double, std::milli>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Adds the milliseconds of a scope to a phase of an execution's report at report level 2; costs nothing below.
class PhaseTimer {
 public:
  template <class Execution, class Report>
  PhaseTimer(Execution& execution, double Report::*phase) : sum_(execution.report.*phase) {
    if (execution.report.level >= 2) watch_.emplace();
  }
  ~PhaseTimer() {
    if (watch_) sum_ += watch_->milliseconds();
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  double& sum_;
  std::optional<Stopwatch> watch_;
};

}  // namespace accublas
