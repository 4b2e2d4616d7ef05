// The state of a context on its device: stream, the state of the last call, times of its phases, memory of captured
// graphs.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/core/phase_marks.hpp"
#include "cuda/core/stream.hpp"
#include "lib/call/backend.hpp"

namespace accublas::cuda {

class Cublas;
class NativeGraphs;
struct NativeProduct;

class State final : public BackendState {
 public:
  explicit State(int device);
  ~State() override;

  int device() const override { return model_.device; }
  /// Orders later calls behind the earlier ones, which ran on another stream. The old stream is not touched, since it
  /// may be gone.
  void set_stream(void* stream) override { users_stream_ = static_cast<cudaStream_t>(stream); }
  void* stream() const override { return users_stream_; }
  accublas_status synchronize(std::string& message) override;
  accublas_status finish(std::string& message) override;
  void complete(accublas_report_t& report) override;

  const DeviceModel& model() const { return model_; }
  /// Returns the stream of the current call.
  cudaStream_t cuda_stream() const { return stream_; }
  /// Returns a high-priority side stream, for cuda/core/side_stream.hpp.
  cudaStream_t side_stream();
  CaptureMemory& capture_memory() { return capture_memory_; }
  Cublas& cublas();
  /// Returns the state that calls of this context have on a device that shares a product with this one. `number` counts
  /// such states, which may be on one device. It is made at its first use. Throws Error(ACCUBLAS_ERROR_NO_DEVICE).
  State& companion(std::size_t number, int device);
  /// Returns the graphs that cuda/native/native_behind.hpp keeps with the context.
  std::shared_ptr<NativeGraphs>& native_graphs() { return native_graphs_; }
  /// Returns the product that cuBLAS computes if a call that is served as a GEMM is left to cuBLAS; null: the GEMM
  /// itself.
  const NativeProduct*& native_product() { return native_product_; }
  /// Returns the data that calls on multiple-precision arrays keep with the context.
  std::shared_ptr<void>& multiple_precision() { return multiple_precision_; }

  /// Begins a call. Its state is in device memory, zeroed on the stream; a captured call has a separate state. In a
  /// rehearsal (cuda/core/rehearsal.hpp) this function and the others that begin, end or divide calls do nothing.
  CallState* begin_call(int report_level);
  /// Begins a call of DOT, GEMV or a norm. Their kernels keep a separate state and leave it clean, so nothing is
  /// zeroed.
  VectorState* begin_vector_call(int report_level);
  /// Begins a call that is served by cuBLAS alone. It keeps no state on the device, so nothing is zeroed before it.
  /// Zeroing would take 2 us (DGEMV at n = 2048 takes 8 us by cuBLAS).
  void begin_native_call(int report_level);
  /// Ends a call whose work is all on the stream.
  void end_call();
  /// Returns whether the context is captured, that is, whether the current call goes into a graph.
  bool captured() const override { return captured_; }
  /// Returns whether the current call may have put work on its stream.
  bool begun() const { return begun_; }
  /// Returns how many bytes of workspace the current call must give cuBLAS. Under capture cuBLAS needs capture memory
  /// that stays; otherwise its handle has a workspace and the result is 0.
  std::size_t blas_bytes() const;
  /// Throws Error if the current call goes into a graph; `what` names the operation that would have to wait.
  void require_not_captured(const char* what) const;

  /// Begins a batch: the report counts the calls from here to end_batch as one, and adds up their counts. If a batch
  /// fails, abandon_batch ends it.
  void begin_batch(int report_level);
  void end_batch();
  void abandon_batch() noexcept { in_batch_ = false; }
  bool in_batch() const { return in_batch_; }

  /// Puts a copy of the call's state on the stream; the copy holds the state as of that point. `to` is pinned host
  /// memory.
  void copy_state(CallState* to);
  /// Begins a call in parts: the calls from here to forget_call are parts of one call, and their phases add up.
  void begin_parts();
  /// Adds the phases of a call that has ended on the device to the report.
  void add_phases(accublas_report_t& report) const { marks_.add_phases(report); }
  /// Marks the call's report as complete and its failures as reported. It is for a call on the context's own stream.
  void forget_call();

  /// Marks the start of a phase of the running call, at report level 2; the phase ends where the next one starts.
  void phase(double accublas_report_t::*member);

 private:
  friend class CallScope;
  /// The last call of a group that shares memory: the calls that ran immediately, or those in graphs.
  struct Last {
    cudaEvent_t done = nullptr;
    unsigned long long stream = 0;   ///< number or handle of its stream; 0: there was no call
    unsigned long long capture = 0;  ///< number of the graph's capture; 0: the call ran immediately
  };
  void enter(cudaStream_t stream, bool own);
  void leave() noexcept;
  cudaStream_t own_stream();
  void begin(int report_level);
  cudaError_t wait_for_calls() const;
  cudaError_t wait_for_users_stream(bool& captured) const;
  accublas_status outcome(cudaError_t waited, std::string& message);

  const DeviceModel& model_;
  cudaStream_t users_stream_ = nullptr;
  cudaStream_t stream_ = nullptr;                      ///< stream of the current call, or of the last one
  std::optional<OwnStream> own_stream_, side_stream_;  ///< created at their first use
  /// [0] the last call that ran immediately; [1] the last call in a graph
  Last last_call_[2];
  Last now_;  ///< the current call
  std::unique_ptr<Cublas> cublas_;
  std::shared_ptr<NativeGraphs> native_graphs_;
  const NativeProduct* native_product_ = nullptr;
  std::vector<std::unique_ptr<State>> companions_;
  CaptureMemory capture_memory_;
  std::shared_ptr<void> multiple_precision_;
  CallState* call_state_ = nullptr;      ///< for calls that run immediately
  CallState* captured_state_ = nullptr;  ///< for calls in graphs
  CallState* own_state_ = nullptr;       ///< for calls on the own stream, which report their failures themselves
  CallState* totals_ = nullptr;          ///< totals of batches: [0] immediate, [1] in graphs
  bool in_batch_ = false;
  bool in_parts_ = false;
  VectorState* vectors_ = nullptr;      ///< [0] for immediate calls, [1] for calls in graphs
  CallState* last_ = nullptr;           ///< state of the last call, or the totals of a batch; else null
  VectorState* last_vector_ = nullptr;  ///< state of the last call on vectors, or null
  bool pending_ = false;                ///< a call began, and its report has not been read yet
  bool captured_ = false;               ///< the current call, or the last one, goes into a graph
  bool own_ = false;                    ///< the call runs on the own stream
  bool begun_ = false;                  ///< the call has begun
  bool last_captured_ = false;          ///< last_ and last_vector_ belong to a captured call
  int level_ = 0;
  PhaseMarks<accublas_report_t> marks_;  ///< of the last call
};

/// Encloses every call of a context that puts work on a stream. It makes the device current. It orders the call behind
/// the context's earlier calls, whatever streams they had, since they share memory. A graph orders the calls captured
/// into it. Those calls share only the user's workspace with others; the user must order replays.
class CallScope {
 public:
  enum class Stream {
    users,
    own,  ///< private: for host operands, which involve no stream of the user
  };
  explicit CallScope(State& state, Stream stream = Stream::users) : device_(state.device()), state_(state) {
    const bool own = stream == Stream::own;
    state.enter(own ? state.own_stream() : state.users_stream_, own);
  }
  ~CallScope() { state_.leave(); }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  const DeviceScope device_;
  State& state_;
};

/// The message of ACCUBLAS_ERROR_C_UNDEFINED if CallState::not_covered is set.
inline constexpr const char* not_covered_message =
    "a defect in accublas: a plan of the device needed more blocks than were launched";

/// Adds the device's findings about a call to the report.
void add_to_report(const CallState& state, accublas_report_t& report);

}  // namespace accublas::cuda
