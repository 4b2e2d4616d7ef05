// The state that a context keeps for calls on multiple-precision arrays: data that the kernels of a product pass to
// each other, and the times at which the phases of the last call began.
#pragma once

#include "cuda/core/state.hpp"
#include "cuda/mp/kernels.hpp"
#include "cuda/mp/memory.hpp"

namespace accublas::cuda {

class MpContext {
 public:
  using Phase = PhaseMarks<accublas_mp_report_t>::Phase;

  /// Returns the context of `state`, created at its first call.
  static MpContext& of(State& state);
  /// Returns the context of `state`, or null if there was no call.
  static MpContext* existing(State& state) { return static_cast<MpContext*>(state.multiple_precision().get()); }

  MpContext();
  ~MpContext();
  MpContext(const MpContext&) = delete;
  MpContext& operator=(const MpContext&) = delete;

  /// Returns the call's numbers in device memory; at the end they are the last call's. Calls are ordered.
  MpCall* call() const { return call_; }

  /// Returns memory of a product on the stream of `state`. Up to 32 MiB it is one block that the context keeps, since
  /// taking memory from the pool and giving it back costs 3 us. Captured calls do not share that block.
  DeviceBlock scratch(State& state, std::size_t bytes);

  /// Begins a call on the stream. Report level 1 times the call, level 2 its phases too; captured calls are not timed.
  /// `counts`: the call leaves numbers in call().
  void begin(cudaStream_t stream, int level, bool counts);
  bool counts() const { return counts_; }
  /// Starts a phase, which ends where the next one starts.
  void phase(Phase phase);
  void end();
  /// Sets the times of the last call; the caller has waited for it.
  void report(accublas_mp_report_t& report) const;

 private:
  MpCall* call_ = nullptr;
  DeviceBlock scratch_;
  std::size_t scratch_bytes_ = 0;
  cudaStream_t stream_ = nullptr;
  int level_ = 0;
  bool counts_ = false;
  PhaseMarks<accublas_mp_report_t> marks_;  ///< of the last call
};

}  // namespace accublas::cuda
