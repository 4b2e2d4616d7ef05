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
  for (const Mark& mark : marks_) cudaEventDestroy(mark.event);
  for (cudaEvent_t event : events_) cudaEventDestroy(event);
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
  for (const Mark& mark : marks_) events_.push_back(mark.event);
  marks_.clear();
  level_ = level >= 1 && !is_capturing(stream) ? level : 0;
  if (level_ == 1) mark(nullptr);
}

void MpContext::phase(Phase phase) {
  if (level_ >= 2) mark(phase);
}

void MpContext::end() {
  if (level_ >= 1) mark(nullptr);
}

void MpContext::mark(Phase phase) {
  if (events_.empty()) {
    cudaEvent_t event;
    check(cudaEventCreate(&event), "cudaEventCreate");
    events_.push_back(event);
  }
  marks_.push_back({phase, events_.back()});
  events_.pop_back();
  check(cudaEventRecord(marks_.back().event, stream_), "cudaEventRecord");
}

void MpContext::report(accublas_mp_report_t& report) const {
  if (marks_.size() < 2) return;
  const auto ms = [](const Mark& from, const Mark& to) {
    float time = 0;
    check(cudaEventElapsedTime(&time, from.event, to.event), "cudaEventElapsedTime");
    return static_cast<double>(time);
  };
  report.ms_total = ms(marks_.front(), marks_.back());
  report.ms_align = report.ms_product = report.ms_finish = 0;
  for (std::size_t i = 0; i + 1 < marks_.size(); ++i)
    if (marks_[i].phase) report.*marks_[i].phase += ms(marks_[i], marks_[i + 1]);
}

}  // namespace accublas::cuda
