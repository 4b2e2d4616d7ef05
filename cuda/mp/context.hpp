// What a context keeps of its calls on multiple-precision arrays: what the kernels of a product leave for each other,
// and when the phases of the last call began.
#pragma once

#include <vector>

#include "cuda/core/state.hpp"
#include "cuda/mp/kernels.hpp"
#include "cuda/mp/memory.hpp"

namespace accublas::cuda {

class MpContext {
 public:
  using Phase = double accublas_mp_report_t::*;

  /// That of `state`, made at its first call.
  static MpContext& of(State& state);
  /// The same, or null where there was no call.
  static MpContext* existing(State& state) { return static_cast<MpContext*>(state.multiple_precision().get()); }

  MpContext();
  ~MpContext();
  MpContext(const MpContext&) = delete;
  MpContext& operator=(const MpContext&) = delete;

  /// In device memory, the last call's numbers at the end. Calls are ordered.
  MpCall* call() const { return call_; }

  /// Memory of a product on the stream of `state`. Up to 32 MiB it is one block that the context keeps (calls that are
  /// captured do not share it): to ask the pool for memory and to give it back takes 3 us.
  DeviceBlock scratch(State& state, std::size_t bytes);

  /// A call begins on the stream: report level 1 times it, 2 its phases too; calls that are captured are not timed.
  /// `counts`: it leaves numbers in call().
  void begin(cudaStream_t stream, int level, bool counts);
  bool counts() const { return counts_; }
  /// A phase starts; it ends where the next one does.
  void phase(Phase phase);
  void end();
  /// Sets the times of the last call, which has been waited for.
  void report(accublas_mp_report_t& report) const;

 private:
  struct Mark {
    Phase phase;  ///< null: the end
    cudaEvent_t event;
  };
  void mark(Phase phase);

  MpCall* call_ = nullptr;
  DeviceBlock scratch_;
  std::size_t scratch_bytes_ = 0;
  cudaStream_t stream_ = nullptr;
  int level_ = 0;
  bool counts_ = false;
  std::vector<Mark> marks_;          ///< of the last call
  std::vector<cudaEvent_t> events_;  ///< spare ones
};

}  // namespace accublas::cuda
