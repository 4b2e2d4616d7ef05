// Flows of one call that run concurrently, each on a device.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

namespace accublas::cuda {

/// Ends a flow because another flow of the call failed.
struct FlowStopped {};

/// The flows of a call, and their order. No flow writes to C before all have put their first product on a stream:
/// until then each has found its memory, or the call fails with C as it was.
class FlowGroup {
 public:
  explicit FlowGroup(std::size_t flows) : flows_(flows) {}

  /// Runs body(i) for every flow i < flows, on a thread each; `on_caller` runs on the calling thread. Returns when all
  /// have ended. If one fails, the others stop soon, and its exception is rethrown. Can be called several times.
  void run(std::size_t on_caller, const std::function<void(std::size_t)>& body);

  /// Signals that a flow has put its first product on its stream.
  void started();
  /// Waits until all flows have started. From then on C counts as written. Throws FlowStopped if a flow failed.
  void begin_writing();
  /// Makes the other flows stop.
  void fail() noexcept;
  bool failed() const;
  /// Throws FlowStopped if a flow failed.
  void require_running() const {
    if (failed()) throw FlowStopped();
  }
  bool written() const;
  /// Waits until ready(), which change() may bring about, and calls it under the group's lock. Throws FlowStopped if a
  /// flow failed.
  void await(const std::function<bool()>& ready);
  /// Runs body() under the group's lock.
  void change(const std::function<void()>& body);

  std::size_t flows() const { return flows_; }

 private:
  const std::size_t flows_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t started_ = 0;
  bool failed_ = false, written_ = false;
};

}  // namespace accublas::cuda
