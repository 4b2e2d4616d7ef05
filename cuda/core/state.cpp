#include "cuda/core/state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "cuda/core/call_state.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/cublas.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/totals.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda {

State::State(int device) : model_(device_model(device)) {
  const DeviceScope scope(device);
  call_state_ = static_cast<CallState*>(capture_memory_.zeroed(5 * sizeof(CallState)));
  captured_state_ = call_state_ + 1;
  totals_ = call_state_ + 2;
  own_state_ = call_state_ + 4;
  for (Last& last : last_call_) check(cudaEventCreateWithFlags(&last.done, cudaEventDisableTiming), "cudaEventCreate");
}

State::~State() {
  // A forked child has the handles, but the driver state behind them is gone.
  if (forked_from_user()) {
    if (native_graphs_) new std::shared_ptr<NativeGraphs>(std::move(native_graphs_));  // never destroyed
    for (std::optional<OwnStream>* stream : {&own_stream_, &side_stream_})
      if (*stream) new OwnStream(std::move(**stream));
    cublas_.release();
    capture_memory_.abandon();
    return;
  }
  try {
    const DeviceScope scope(device());
    wait_for_calls();
    native_graphs_.reset();
    cublas_.reset();
    multiple_precision_.reset();
    marks_.destroy();
    for (const Last& last : last_call_) cudaEventDestroy(last.done);
    own_stream_.reset();
    side_stream_.reset();
    capture_memory_.release();
  } catch (const Error&) {  // the device is lost, and all of this with it
  }
}

Cublas& State::cublas() {
  if (!cublas_) cublas_ = std::make_unique<Cublas>(device());
  return *cublas_;
}

State& State::companion(std::size_t number, int device) {
  if (companions_.size() <= number) companions_.resize(number + 1);
  std::unique_ptr<State>& found = companions_[number];
  if (found && found->device() != device) found.reset();
  if (!found) {
    require_device(device);
    found = std::make_unique<State>(device);
  }
  return *found;
}

cudaStream_t State::own_stream() {
  if (!own_stream_) own_stream_.emplace();
  return *own_stream_;
}

cudaStream_t State::side_stream() {
  if (!side_stream_) side_stream_.emplace(true);
  return *side_stream_;
}

/// Streams are compared by their numbers, since a new stream may have the handle of one that is gone. CUDA gives no
/// numbers for captured streams, so those are compared by their handles.
void State::enter(cudaStream_t stream, bool own) {
  const Capturing capturing_now = capturing(stream);
  if (capturing_now == Capturing::forbids)
    throw Error(
        ACCUBLAS_ERROR_DEVICE,
        "the context's stream is the legacy default stream, which CUDA forbids to use while another stream, one "
        "that waits for it, is captured: set a stream");
  stream_ = stream;
  own_ = own;
  begun_ = false;
  captured_ = capturing_now == Capturing::yes;
  now_ = {};
  if (captured_) {
    cudaStreamCaptureStatus status{};
    check(cudaStreamGetCaptureInfo(stream, &status, &now_.capture), "cudaStreamGetCaptureInfo");
    now_.stream = reinterpret_cast<std::uintptr_t>(stream);
  } else {
    check(cudaStreamGetId(stream, &now_.stream), "cudaStreamGetId");
  }
  const Last& last = last_call_[captured_];
  if (last.stream != 0 && last.stream != now_.stream && last.capture == now_.capture)
    check(cudaStreamWaitEvent(stream, last.done, 0), "cudaStreamWaitEvent");
}

/// A failed call may have left work on the stream, so its end is recorded as well.
void State::leave() noexcept {
  Last& last = last_call_[captured_];
  if (cudaEventRecord(last.done, stream_) != cudaSuccess) {
    cudaGetLastError();
    return;
  }
  last.stream = now_.stream;
  last.capture = now_.capture;
}

cudaError_t State::wait_for_calls() const {
  const Last& last = last_call_[0];
  return last.stream != 0 ? cudaEventSynchronize(last.done) : cudaSuccess;
}

/// Sets `captured` if the user's stream is being captured into a graph.
cudaError_t State::wait_for_users_stream(bool& captured) const {
  const Capturing now = capturing(users_stream_);
  captured = now == Capturing::yes;
  // CUDA forbids waiting for a captured stream, and for the legacy one during a blocking capture. The legacy stream has
  // no calls then.
  return now == Capturing::no ? cudaStreamSynchronize(users_stream_) : cudaSuccess;
}

std::size_t State::blas_bytes() const { return captured_ ? Cublas::workspace_bytes(model_.major) : 0; }

void State::require_not_captured(const char* what) const {
  if (captured_) throw Error(ACCUBLAS_ERROR_DEVICE, std::string(what) + " waits, which a captured stream cannot");
}

void State::begin(int report_level) {
  pending_ = begun_ = true;
  last_captured_ = captured_;
  last_ = nullptr;
  last_vector_ = nullptr;
  if (in_batch_) return;  // the level and the times belong to the batch
  level_ = captured_ ? 0 : report_level;
  if (!in_parts_) marks_.clear();
}

void State::begin_parts() {
  marks_.clear();
  in_parts_ = true;
}

CallState* State::begin_call(int report_level) {
  if (rehearses()) return call_state_;
  begin(report_level);
  last_ = captured_ ? captured_state_ : own_ ? own_state_ : call_state_;
  check(cudaMemsetAsync(last_, 0, offsetof(CallState, missed_target), stream_), "cudaMemsetAsync");
  if (level_ >= 1 && !in_batch_) marks_.mark(nullptr, stream_);
  return last_;
}

VectorState* State::begin_vector_call(int report_level) {
  if (!vectors_) {
    // The owner zeroes this state once. A captured call must not contain the zeroing.
    vectors_ = static_cast<VectorState*>(capture_memory_.zeroed(2 * sizeof(VectorState)));
  }
  if (rehearses()) return vectors_;
  begin(report_level);
  last_vector_ = vectors_ + captured_;
  if (level_ >= 1 && !in_batch_) marks_.mark(nullptr, stream_);
  return last_vector_;
}

void State::begin_native_call(int report_level) {
  if (in_batch_) {  // the batch's totals need a state of every call
    begin_call(report_level);
    return;
  }
  if (rehearses()) return;
  begin(report_level);
  if (level_ >= 1) marks_.mark(nullptr, stream_);
}

void State::phase(double accublas_report_t::*member) {
  if (level_ < 2 || rehearses() || marks_.last() == member) return;
  marks_.mark(member, stream_);
}

void State::begin_batch(int report_level) {
  if (rehearses()) return;
  begin_call(report_level);
  check(cudaMemsetAsync(totals_ + captured_, 0, sizeof(CallState), stream_), "cudaMemsetAsync");
  in_batch_ = true;
}

void State::end_batch() {
  if (rehearses()) return;
  in_batch_ = false;
  end_call();
  last_ = totals_ + captured_;
  last_vector_ = nullptr;
}

void State::end_call() {
  if (rehearses()) return;
  if (in_batch_) {
    const unsigned long long* const undecided = last_vector_ ? &last_vector_->undecided : nullptr;
    return add_to_totals(last_, undecided, totals_ + captured_, stream_);
  }
  if (level_ >= 1) marks_.mark(nullptr, stream_);
}

void State::complete(accublas_report_t& report) {
  const DeviceScope scope(device());
  if (!pending_) return;
  if (last_captured_) {  // replays run on the user's stream
    bool captured = false;
    check(wait_for_users_stream(captured), "waiting for a call");
    if (captured) throw Error(ACCUBLAS_ERROR_DEVICE, "the report of a call that is being captured is not known yet");
  } else {
    check(wait_for_calls(), "waiting for a call");
  }
  const cudaStream_t stream = own_stream();
  CallState state{};
  unsigned long long undecided = 0;
  if (last_)
    check(cudaMemcpyAsync(&state, last_, sizeof state, cudaMemcpyDeviceToHost, stream), "reading the state of a call");
  if (last_vector_)
    check(cudaMemcpyAsync(&undecided, &last_vector_->undecided, sizeof undecided, cudaMemcpyDeviceToHost, stream),
          "reading the state of a call");
  check(cudaStreamSynchronize(stream), "waiting for a call");
  add_to_report(state, report);
  report.undecided += static_cast<std::int64_t>(undecided);
  if (!marks_.timed()) return;
  report.ms_total = marks_.total();
  add_phases(report);
}

void State::copy_state(CallState* to) {
  const char* const what = "copying the state of a call";
  if (last_) return check(cudaMemcpyAsync(to, last_, sizeof *to, cudaMemcpyDeviceToHost, stream_), what);
  // A call of cuBLAS alone has no state. A product of one row or column in dot2 was a call on vectors, whose only count
  // is `undecided`.
  *to = CallState{};
  if (!last_vector_) return;
  check(
      cudaMemcpyAsync(&to->undecided, &last_vector_->undecided, sizeof to->undecided, cudaMemcpyDeviceToHost, stream_),
      what);
}

void State::forget_call() {
  if (last_ == own_state_)
    check(cudaMemsetAsync(&last_->missed_target, 0, sizeof(CallState) - offsetof(CallState, missed_target), stream_),
          "cudaMemsetAsync");
  pending_ = in_parts_ = false;
  last_ = nullptr;
  last_vector_ = nullptr;
}

void add_to_report(const CallState& state, accublas_report_t& report) {
  report.bits = std::max(report.bits, state.bits);
  report.parts = std::max(report.parts, state.parts);
  report.rejected += static_cast<std::int64_t>(state.rejected_in_all);
  report.undecided += static_cast<std::int64_t>(state.undecided);
  report.bound_componentwise = std::max(report.bound_componentwise, state.bound_componentwise);
  if (!state.prefers_native) return;
  // The report then gives cuBLAS's bound, which has no relative part, and its name. Parts of the call that the
  // emulation served promise at least as much.
  report.bound_relative = 0;
  std::strcpy(report.engine, "native");
}

accublas_status State::synchronize(std::string& message) {
  if (forked_from_user()) return ACCUBLAS_SUCCESS;
  const DeviceScope scope(device());
  bool captured = false;
  cudaError_t waited = wait_for_users_stream(captured);
  if (captured) {
    message = "the stream is being captured: none of its work runs yet";
    return ACCUBLAS_ERROR_DEVICE;
  }
  if (waited == cudaSuccess) waited = wait_for_calls();
  return outcome(waited, message);
}

accublas_status State::finish(std::string& message) {
  if (forked_from_user()) return ACCUBLAS_SUCCESS;
  const DeviceScope scope(device());
  return outcome(wait_for_calls(), message);
}

accublas_status State::outcome(cudaError_t waited, std::string& message) {
  constexpr std::size_t first = offsetof(CallState, missed_target);
  CallState copies[2] = {};
  if (waited == cudaSuccess) {
    const cudaStream_t stream = own_stream();
    const auto flags = [&](CallState* of) { return reinterpret_cast<std::byte*>(of) + first; };
    const std::size_t bytes = sizeof(CallState) - first;
    for (int i = 0; i < 2 && waited == cudaSuccess; ++i)
      waited = cudaMemcpyAsync(flags(&copies[i]), flags(&call_state_[i]), bytes, cudaMemcpyDeviceToHost, stream);
    if (waited == cudaSuccess) waited = cudaStreamSynchronize(stream);
    for (int i = 0; i < 2 && waited == cudaSuccess; ++i)
      if (copies[i].missed_target || copies[i].not_covered)
        waited = cudaMemsetAsync(flags(&call_state_[i]), 0, bytes, stream);
    if (waited == cudaSuccess) waited = cudaStreamSynchronize(stream);
  }
  if (waited != cudaSuccess) {
    message = std::string("the device failed: ") + cudaGetErrorString(waited);
    cudaGetLastError();
    return pending_ ? ACCUBLAS_ERROR_C_UNDEFINED : ACCUBLAS_ERROR_DEVICE;
  }
  if (copies[0].not_covered || copies[1].not_covered) {
    message = not_covered_message;
    return ACCUBLAS_ERROR_C_UNDEFINED;
  }
  if (copies[0].missed_target || copies[1].missed_target) {
    message = "the target could not be promised on the data of a call, which wrote nothing";
    return ACCUBLAS_ERROR_ACCURACY;
  }
  return ACCUBLAS_SUCCESS;
}

}  // namespace accublas::cuda
