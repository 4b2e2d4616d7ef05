#include "cuda/state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "cuda/batch/batch_kernels.hpp"
#include "cuda/check.hpp"
#include "cuda/cublas.hpp"
#include "cuda/vector/vector_kernels.hpp"
#include "lib/error.hpp"

namespace accublas::cuda {

State::State(int device) : model_(device_model(device)) {
  const DeviceScope scope(device);
  check(cudaMalloc(reinterpret_cast<void**>(&call_state_), 4 * sizeof(CallState)), "state of a context");
  captured_state_ = call_state_ + 1;
  totals_ = call_state_ + 2;
  check(cudaMemset(call_state_, 0, 4 * sizeof(CallState)), "state of a context");
}

State::~State() {
  // A forked child has the handles, but nothing behind them.
  if (forked_from_user()) {
    if (native_graphs_) new std::shared_ptr<NativeGraphs>(std::move(native_graphs_));  // never destroyed
    cublas_.release();
    capture_memory_.abandon();
    return;
  }
  int before = -1;
  cudaGetDevice(&before);
  cudaSetDevice(device());
  cudaDeviceSynchronize();
  native_graphs_.reset();
  cublas_.reset();
  for (const Mark& mark : marks_) cudaEventDestroy(mark.event);
  for (cudaEvent_t event : events_) cudaEventDestroy(event);
  cudaFree(call_state_);
  capture_memory_.release();
  if (before >= 0) cudaSetDevice(before);
}

Cublas& State::cublas() {
  if (!cublas_) cublas_ = std::make_unique<Cublas>();
  return *cublas_;
}

void State::begin(int report_level) {
  captured_ = is_capturing(stream_);
  pending_ = true;
  last_ = nullptr;
  last_vector_ = nullptr;
  if (in_batch_) return;  // level and times are the batch's
  level_ = captured_ ? 0 : report_level;
  for (const Mark& mark : marks_) events_.push_back(mark.event);
  marks_.clear();
}

CallState* State::begin_call(int report_level) {
  begin(report_level);
  last_ = captured_ ? captured_state_ : call_state_;
  check(cudaMemsetAsync(last_, 0, offsetof(CallState, missed_target), stream_), "cudaMemsetAsync");
  if (level_ >= 1 && !in_batch_) mark(nullptr);
  return last_;
}

VectorState* State::begin_vector_call(int report_level) {
  if (!vectors_) {
    // Its owner zeroes it once; a captured call must not hold the zeroing.
    vectors_ = static_cast<VectorState*>(capture_memory_.zeroed(2 * sizeof(VectorState)));
  }
  begin(report_level);
  last_vector_ = vectors_ + captured_;
  if (level_ >= 1 && !in_batch_) mark(nullptr);
  return last_vector_;
}

void State::begin_native_call(int report_level) {
  if (in_batch_) {  // whose totals want a state of every call
    begin_call(report_level);
    return;
  }
  begin(report_level);
  if (level_ >= 1) mark(nullptr);
}

void State::mark(double accublas_report_t::*member) {
  if (events_.empty()) {
    cudaEvent_t event;
    check(cudaEventCreate(&event), "cudaEventCreate");
    events_.push_back(event);
  }
  marks_.push_back({member, events_.back()});
  events_.pop_back();
  check(cudaEventRecord(marks_.back().event, stream_), "cudaEventRecord");
}

void State::phase(double accublas_report_t::*member) {
  if (level_ < 2) return;
  if (marks_.back().member == member) return;
  mark(member);
}

void State::begin_batch(int report_level) {
  begin_call(report_level);
  check(cudaMemsetAsync(totals_ + captured_, 0, sizeof(CallState), stream_), "cudaMemsetAsync");
  in_batch_ = true;
}

void State::end_batch() {
  in_batch_ = false;
  end_call();
  last_ = totals_ + captured_;
  last_vector_ = nullptr;
}

void State::end_call() {
  if (in_batch_) {
    const unsigned long long* const undecided = last_vector_ ? &last_vector_->undecided : nullptr;
    return add_to_totals(last_, undecided, totals_ + captured_, stream_);
  }
  if (level_ >= 1) mark(nullptr);
}

void State::complete(accublas_report_t& report) {
  const DeviceScope scope(device());
  if (!pending_) return;
  if (is_capturing(stream_))
    throw Error(ACCUBLAS_ERROR_DEVICE, "the report of a call that is being captured is not known yet");
  CallState state{};
  unsigned long long undecided = 0;
  if (last_)
    check(cudaMemcpyAsync(&state, last_, sizeof state, cudaMemcpyDeviceToHost, stream_), "reading the state of a call");
  if (last_vector_)
    check(cudaMemcpyAsync(&undecided, &last_vector_->undecided, sizeof undecided, cudaMemcpyDeviceToHost, stream_),
          "reading the state of a call");
  check(cudaStreamSynchronize(stream_), "waiting for a call");
  add_to_report(state, report);
  report.undecided += static_cast<std::int64_t>(undecided);
  if (marks_.size() < 2) return;
  float ms = 0;
  check(cudaEventElapsedTime(&ms, marks_.front().event, marks_.back().event), "cudaEventElapsedTime");
  report.ms_total = ms;
  for (std::size_t i = 1; i + 1 < marks_.size(); ++i) {
    if (!marks_[i].member) continue;
    check(cudaEventElapsedTime(&ms, marks_[i].event, marks_[i + 1].event), "cudaEventElapsedTime");
    report.*marks_[i].member += ms;
  }
}

void State::copy_state(CallState* to) {
  const char* const what = "copying the state of a call";
  if (last_) return check(cudaMemcpyAsync(to, last_, sizeof *to, cudaMemcpyDeviceToHost, stream_), what);
  // cuBLAS alone has nothing to tell; a product of one row or column in dot2 was a call on vectors, which counts one
  // thing.
  *to = CallState{};
  if (!last_vector_) return;
  check(
      cudaMemcpyAsync(&to->undecided, &last_vector_->undecided, sizeof to->undecided, cudaMemcpyDeviceToHost, stream_),
      what);
}

void State::forget_call() {
  if (last_) check(cudaMemset(&last_->missed_target, 0, sizeof last_->missed_target), "cudaMemset");
  pending_ = false;
  last_ = nullptr;
  last_vector_ = nullptr;
}

void add_to_report(const CallState& state, accublas_report_t& report) {
  report.bits = std::max(report.bits, state.bits);
  report.moduli = std::max(report.moduli, state.moduli);
  report.rejected += static_cast<std::int64_t>(state.rejected_in_all);
  report.undecided += static_cast<std::int64_t>(state.undecided);
  report.bound_componentwise = std::max(report.bound_componentwise, state.bound_componentwise);
  if (!state.prefers_native) return;
  // Its bound, which has no other part, and its name; parts of a call that the emulation served promise as much.
  report.bound_relative = 0;
  std::strcpy(report.engine, "native");
}

accublas_status State::synchronize(std::string& message) {
  if (forked_from_user()) return ACCUBLAS_SUCCESS;
  const DeviceScope scope(device());
  return outcome(cudaStreamSynchronize(stream_), message);
}

accublas_status State::finish(std::string& message) {
  if (forked_from_user()) return ACCUBLAS_SUCCESS;
  const DeviceScope scope(device());
  // Not the stream, which may be gone; and an event after every call would take a microsecond of the device each.
  // Freeing memory and destroying cuBLAS's handle wait for the device all the same.
  return outcome(cudaDeviceSynchronize(), message);
}

accublas_status State::outcome(cudaError_t waited, std::string& message) {
  std::int32_t missed[2] = {0, 0};
  for (int i = 0; i < 2 && waited == cudaSuccess; ++i) {
    std::int32_t* const flag = &call_state_[i].missed_target;
    waited = cudaMemcpy(&missed[i], flag, sizeof missed[i], cudaMemcpyDeviceToHost);
    if (waited == cudaSuccess && missed[i]) waited = cudaMemset(flag, 0, sizeof *flag);
  }
  if (waited != cudaSuccess) {
    message = std::string("the device failed: ") + cudaGetErrorString(waited);
    cudaGetLastError();
    return pending_ ? ACCUBLAS_ERROR_C_UNDEFINED : ACCUBLAS_ERROR_DEVICE;
  }
  if (missed[0] || missed[1]) {
    message = "the target could not be promised on the data of a call, which wrote nothing";
    return ACCUBLAS_ERROR_ACCURACY;
  }
  return ACCUBLAS_SUCCESS;
}

}  // namespace accublas::cuda
