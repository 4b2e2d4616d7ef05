// What a context keeps of its device: stream, the state of the last call, times of its phases, memory of captured
// graphs.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/memory.hpp"
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
  /// Calls from here on are ordered behind those before, which had another stream. That one is not touched: it may be
  /// gone.
  void set_stream(void* stream) override { users_stream_ = static_cast<cudaStream_t>(stream); }
  void* stream() const override { return users_stream_; }
  accublas_status synchronize(std::string& message) override;
  accublas_status finish(std::string& message) override;
  void complete(accublas_report_t& report) override;

  const DeviceModel& model() const { return model_; }
  /// Of the call under way.
  cudaStream_t cuda_stream() const { return stream_; }
  /// An urgent one beside it, for cuda/core/beside.hpp.
  cudaStream_t side_stream();
  CaptureMemory& capture_memory() { return capture_memory_; }
  Cublas& cublas();
  /// What cuda/native/native_behind.hpp keeps with the context.
  std::shared_ptr<NativeGraphs>& native_graphs() { return native_graphs_; }
  /// What cuBLAS is to compute where a call that is served as a GEMM is left to it; null: that GEMM.
  const NativeProduct*& native_product() { return native_product_; }
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
  /// Also whether the call under way goes into a graph.
  bool captured() const override { return captured_; }
  /// Whether the call under way may have put work on its stream.
  bool begun() const { return begun_; }
  /// What cuBLAS must be given in the call under way: in capture memory of its own that stays; else its handle has
  /// some.
  std::size_t blas_bytes() const;
  /// Throws Error where the call under way goes into a graph: it would have to wait.
  void require_not_captured(const char* what) const;

  /// The calls from here to end_batch are one to the report: their counts add up. A batch that fails is ended by
  /// abandon_batch.
  void begin_batch(int report_level);
  void end_batch();
  void abandon_batch() noexcept { in_batch_ = false; }
  bool in_batch() const { return in_batch_; }

  /// Puts a copy of the call's state, as the device has it then, on the stream; `to` is pinned host memory.
  void copy_state(CallState* to);
  /// The calls from here to forget_call are parts of one, whose phases are theirs together.
  void begin_parts();
  /// Adds the phases of a call that has ended on the device.
  void add_phases(accublas_report_t& report) const;
  /// The report has all of the call already, one on the own stream, and its failures were told.
  void forget_call();

  /// Marks the start of a phase of the running call, at report level 2; the phase ends where the next one starts.
  void phase(double accublas_report_t::*member);

 private:
  friend class CallScope;
  struct Mark {
    double accublas_report_t::*member;  ///< null: the end
    cudaEvent_t event;
  };
  /// The last call of those that share memory: those that ran at once, or those in graphs.
  struct Last {
    cudaEvent_t done = nullptr;
    unsigned long long stream = 0;   ///< its number or handle; 0: there was no call
    unsigned long long capture = 0;  ///< number of the graph's capture; 0: it ran at once
  };
  void enter(cudaStream_t stream, bool own);
  void leave() noexcept;
  cudaStream_t own_stream();
  void begin(int report_level);
  void clear_marks();
  void mark(double accublas_report_t::*member);
  cudaError_t wait_for_calls() const;
  cudaError_t wait_for_users_stream(bool& captured) const;
  accublas_status outcome(cudaError_t waited, std::string& message);

  const DeviceModel& model_;
  cudaStream_t users_stream_ = nullptr;
  cudaStream_t stream_ = nullptr;                      ///< of the call under way, or the last one
  std::optional<OwnStream> own_stream_, side_stream_;  ///< made at their first use
  Last last_call_[2];                                  ///< that ran at once; in a graph
  Last now_;                                           ///< the call under way
  std::unique_ptr<Cublas> cublas_;
  std::shared_ptr<NativeGraphs> native_graphs_;
  const NativeProduct* native_product_ = nullptr;
  CaptureMemory capture_memory_;
  std::shared_ptr<void> multiple_precision_;
  CallState* call_state_ = nullptr;      ///< of calls that run at once
  CallState* captured_state_ = nullptr;  ///< of calls in graphs
  CallState* own_state_ = nullptr;       ///< of calls on the own stream, whose failures are told by the calls
  CallState* totals_ = nullptr;          ///< of batches; two, as above
  bool in_batch_ = false;
  bool in_parts_ = false;
  VectorState* vectors_ = nullptr;      ///< two, as above
  CallState* last_ = nullptr;           ///< of the last call, or the totals of a batch; else null
  VectorState* last_vector_ = nullptr;  ///< of the last call, or null
  bool pending_ = false;                ///< a call began, and its report was not told yet
  bool captured_ = false;               ///< the call under way, or the last one
  bool own_ = false;                    ///< it has the own stream
  bool begun_ = false;                  ///< it began
  bool last_captured_ = false;          ///< the call that last_ and last_vector_ are of
  int level_ = 0;
  std::vector<Mark> marks_;          ///< of the last call
  std::vector<cudaEvent_t> events_;  ///< spare ones
};

/// Around every call of a context that puts work on a stream: the device is current, and the call is ordered behind the
/// context's calls before it, which share its memory, whatever streams they had. Calls into a graph are ordered by the
/// graph; what they share with others is the user's workspace, whose user orders replays.
class CallScope {
 public:
  enum class Stream {
    users,
    own,  ///< private: host operands, which no stream of the user's has to do with
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

/// Of ACCUBLAS_ERROR_C_UNDEFINED where CallState::not_covered is set.
inline constexpr const char* not_covered_message =
    "a defect in accublas: a plan of the device needed more blocks than were launched";

/// Adds what the device knows of a call.
void add_to_report(const CallState& state, accublas_report_t& report);

}  // namespace accublas::cuda
