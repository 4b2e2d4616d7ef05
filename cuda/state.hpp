// What a context keeps of its device: stream, the state of the last call, times of its phases, memory of captured
// graphs.
#pragma once

#include <memory>
#include <vector>

#include "cuda/device.hpp"
#include "cuda/memory.hpp"
#include "lib/backend.hpp"

namespace accublas::cuda {

class Cublas;
class NativeGraphs;
struct VectorState;

class State final : public BackendState {
 public:
  explicit State(int device);
  ~State() override;

  int device() const override { return model_.device; }
  void set_stream(void* stream) override { stream_ = static_cast<cudaStream_t>(stream); }
  void* stream() const override { return stream_; }
  accublas_status synchronize(std::string& message) override;
  accublas_status finish(std::string& message) override;
  void complete(accublas_report_t& report) override;

  const DeviceModel& model() const { return model_; }
  cudaStream_t cuda_stream() const { return stream_; }
  CaptureMemory& capture_memory() { return capture_memory_; }
  Cublas& cublas();
  /// What cuda/native_behind.hpp keeps with the context.
  std::shared_ptr<NativeGraphs>& native_graphs() { return native_graphs_; }
  /// What calls on multiple-precision arrays keep with the context.
  std::shared_ptr<void>& multiple_precision() { return multiple_precision_; }

  /// A call begins: its state in device memory, zeroed on the stream (a captured call has one of its own).
  CallState* begin_call(int report_level);
  /// The same for DOT, GEMV and the norms, whose kernels keep a state of their own and leave it clean: nothing is
  /// zeroed.
  VectorState* begin_vector_call(int report_level);
  /// The same for a call that is cuBLAS alone: nothing is kept for it on the device, so nothing is zeroed before it,
  /// which takes 2 us (DGEMV at n = 2048: 8 us by cuBLAS).
  void begin_native_call(int report_level);
  /// The call put all of its work on the stream.
  void end_call();
  /// Whether the call that began goes into a graph.
  bool captured() const { return captured_; }

  /// The calls from here to end_batch are one to the report: their counts add up. A batch that fails is ended by
  /// abandon_batch.
  void begin_batch(int report_level);
  void end_batch();
  void abandon_batch() noexcept { in_batch_ = false; }

  /// Puts a copy of the call's state, as the device has it then, on the stream; `to` is pinned host memory.
  void copy_state(CallState* to);
  /// The report has all of the call already, and its failures were told.
  void forget_call();

  /// Marks the start of a phase of the running call, at report level 2; the phase ends where the next one starts.
  void phase(double accublas_report_t::*member);

 private:
  struct Mark {
    double accublas_report_t::*member;  ///< null: the end
    cudaEvent_t event;
  };
  void begin(int report_level);
  void mark(double accublas_report_t::*member);
  accublas_status outcome(cudaError_t waited, std::string& message);

  const DeviceModel& model_;
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<Cublas> cublas_;
  std::shared_ptr<NativeGraphs> native_graphs_;
  CaptureMemory capture_memory_;
  std::shared_ptr<void> multiple_precision_;
  CallState* call_state_ = nullptr;      ///< of calls that run at once
  CallState* captured_state_ = nullptr;  ///< of calls in graphs
  CallState* totals_ = nullptr;          ///< of batches; two, as above
  bool in_batch_ = false;
  VectorState* vectors_ = nullptr;      ///< two, as above
  CallState* last_ = nullptr;           ///< of the last call, or the totals of a batch; else null
  VectorState* last_vector_ = nullptr;  ///< of the last call, or null
  bool pending_ = false;                ///< a call began, and its report was not told yet
  bool captured_ = false;               ///< the last call
  int level_ = 0;
  std::vector<Mark> marks_;          ///< of the last call
  std::vector<cudaEvent_t> events_;  ///< spare ones
};

/// Adds what the device knows of a call.
void add_to_report(const CallState& state, accublas_report_t& report);

}  // namespace accublas::cuda
