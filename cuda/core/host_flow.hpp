// A product of host operands on one device: its uploads, products and downloads follow a schedule
// (cuda/core/host_schedule.hpp) and overlap.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cuda/core/copy_lane.hpp"
#include "cuda/core/flow_group.hpp"
#include "cuda/core/host_schedule.hpp"
#include "cuda/core/staging.hpp"

namespace accublas::cuda {

/// Computes a region of C = alpha A B + beta C with host operands on the device of `state`. The calling thread uploads
/// and puts products on the state's stream. If there are several steps, a second thread downloads.
template <class T>
class HostFlow {
 public:
  /// `threads`: for copies. `report` gets what the products report. All arguments must outlive the flow.
  HostFlow(State& state, const Call<Gemm<T>, T>& call, const Region& region, const HostSchedule& schedule,
           const Execution& execution, int threads, accublas_report_t& report, FlowGroup& group,
           DeviceGemmFunction<T> serve);
  ~HostFlow();
  HostFlow(const HostFlow&) = delete;
  HostFlow& operator=(const HostFlow&) = delete;

  /// Computes the region in `mode` and waits until it is in C. If `shared` is measuring, nothing is written, and
  /// measured() has the findings. Call it within a CallScope of the state. Throws Error(ACCUBLAS_ERROR_ACCURACY),
  /// before anything is written, if the only product misses the target.
  void pass(const Mode& mode, SharedBits* shared);

  /// The largest T* of the products, 0 if none has one, and the number of rejected elements.
  struct Measured {
    int bits = 0;
    std::int64_t rejected = 0;
  };
  const Measured& measured() const { return measured_; }
  /// Returns how many elements the last pass has found to be finite, if the execution asks.
  Index finite() const { return finite_; }

 private:
  struct Resources;
  /// The events of a step: its uploads are complete, its product, its download.
  struct StepEvents {
    Event copied, computed, fetched;
  };

  void serve_steps(const Mode& mode, SharedBits* shared);
  void bring(const HostStep& step, bool measuring);
  Gemm<T> product_of_step(const HostStep& step) const;
  void fetch(std::size_t index);
  std::thread fetching_thread();
  void fetch_steps();
  void wait_fetched(Index step);
  void read_states(bool measuring);
  void stop() noexcept;
  void drain() noexcept;
  std::int64_t bytes_of(Index count) const { return static_cast<std::int64_t>(sizeof(T)) * count; }
  bool judged() const { return call_.mode.kind == ACCUBLAS_MODE_FIXED && execution_.target > 0; }

  State& state_;
  const Call<Gemm<T>, T>& call_;
  const Region region_;
  const HostSchedule& schedule_;
  const Execution& execution_;
  const int threads_;
  accublas_report_t& report_;
  FlowGroup& group_;
  const DeviceGemmFunction<T> serve_;
  const bool product_, read_c_;
  Matrix<const T> a_{}, b_{};  ///< the device's copies
  Matrix<T> c_{};
  std::unique_ptr<Resources> resources_;
  bool uploaded_ = false;  ///< A and B are on the device since the previous pass
  Measured measured_;
  Index finite_ = 0;  ///< written by the thread that downloads

  std::mutex mutex_;
  std::condition_variable changed_;
  // The mutex guards these. They count steps of the current pass.
  std::size_t served_ = 0, fetched_ = 0;
  bool stopped_ = false;
  std::exception_ptr download_error_;
};

}  // namespace accublas::cuda
