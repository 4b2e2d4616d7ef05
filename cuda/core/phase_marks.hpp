// Measures the times of a call's phases by events on its stream.
#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "cuda/core/check.hpp"

namespace accublas::cuda {

/// The marks at which the phases of a call begin. A phase ends at the next mark.
template <class Report>
class PhaseMarks {
 public:
  /// The member of the report to which the time of a phase is added; null: none.
  using Phase = double Report::*;

  /// Forgets the marks of the last call.
  void clear() {
    for (const Mark& mark : marks_) spare_.push_back(mark.event);
    marks_.clear();
  }

  void mark(Phase phase, cudaStream_t stream) {
    if (spare_.empty()) {
      cudaEvent_t event;
      check(cudaEventCreate(&event), "cudaEventCreate");
      spare_.push_back(event);
    }
    marks_.push_back({phase, spare_.back()});
    spare_.pop_back();
    check(cudaEventRecord(marks_.back().event, stream), "cudaEventRecord");
  }

  Phase last() const { return marks_.back().phase; }
  /// Returns whether a call was timed.
  bool timed() const { return marks_.size() >= 2; }
  /// Returns the milliseconds from the first mark to the last one.
  float total() const { return time(marks_.front(), marks_.back()); }
  void add_phases(Report& report) const {
    for (std::size_t i = 0; i + 1 < marks_.size(); ++i)
      if (marks_[i].phase) report.*marks_[i].phase += time(marks_[i], marks_[i + 1]);
  }

  /// Destroys the events. The owner calls it, unless the process is forked from one that used CUDA.
  void destroy() noexcept {
    for (const Mark& mark : marks_) cudaEventDestroy(mark.event);
    for (cudaEvent_t event : spare_) cudaEventDestroy(event);
  }

 private:
  struct Mark {
    Phase phase;
    cudaEvent_t event;
  };

  static float time(const Mark& from, const Mark& to) {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, from.event, to.event), "cudaEventElapsedTime");
    return ms;
  }

  std::vector<Mark> marks_;
  std::vector<cudaEvent_t> spare_;
};

}  // namespace accublas::cuda
