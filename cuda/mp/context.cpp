#include "cuda/mp/context.hpp"

#include <algorithm>
#include <memory>

#include "cuda/core/check.hpp"

namespace accublas::cuda {

MpContext& MpContext::of(State& state) {
  std::shared_ptr<void>& kept = state.multiple_precision();
  if (!kept) kept = std::make_shared<MpContext>();
  return *static_cast<MpContext*>(kept.get());
}

MpContext::MpContext() : call_(static_cast<MpCall*>(zeroed_memory(sizeof(MpCall)))) {}

MpContext::~MpContext() {
  if (forked_from_user()) return;
  marks_.destroy();
  cudaFree(call_);
}

DeviceBlock MpContext::scratch(State& state, std::size_t bytes) {
  constexpr std::size_t most_kept = std::size_t{32} << 20;
  if (bytes > most_kept || state.captured()) return DeviceBlock(state, bytes);
  if (bytes > scratch_bytes_) {
    const std::size_t wanted = std::min(most_kept, std::max(bytes, 2 * scratch_bytes_));
    scratch_ = DeviceBlock(wanted);  // the old block is released when its calls are complete
    scratch_bytes_ = wanted;
  }
  return DeviceBlock::borrowed(scratch_.data());
}

void MpContext::begin(cudaStream_t stream, int level, bool counts) {
  stream_ = stream;
  counts_ = counts;
  marks_.clear();
  level_ = level >= 1 && !is_capturing(stream) ? level : 0;
  if (level_ == 1) marks_.mark(nullptr, stream_);
}

void MpContext::phase(Phase phase) {
  if (level_ >= 2) marks_.mark(phase, stream_);
}

void MpContext::end() {
  if (level_ >= 1) marks_.mark(nullptr, stream_);
}

void MpContext::report(accublas_mp_report_t& report) const {
  if (!marks_.timed()) return;
  report.ms_total = marks_.total();
  report.ms_align = report.ms_product = report.ms_finish = 0;
  marks_.add_phases(report);
}

}  // namespace accublas::cuda
