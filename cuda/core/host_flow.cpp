#include "cuda/core/host_flow.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

#include "cuda/core/call_state.hpp"
#include "cuda/core/copy_threads.hpp"
#include "lib/base/error.hpp"
#include "lib/numerics/certificate.hpp"

namespace accublas::cuda {

namespace {

/// Pinned copies of the products' states, written by copies on the stream.
class PinnedStates {
 public:
  explicit PinnedStates(std::size_t count) {
    check(cudaHostAlloc(reinterpret_cast<void**>(&base_), count * sizeof(CallState), cudaHostAllocPortable),
          "pinned host memory");
  }
  ~PinnedStates() { cudaFreeHost(base_); }
  PinnedStates(const PinnedStates&) = delete;
  PinnedStates& operator=(const PinnedStates&) = delete;
  CallState* operator+(std::size_t i) const { return base_ + i; }

 private:
  CallState* base_ = nullptr;
};

/// Whether a device's copy of a host matrix is stored by columns. If the host matrix has contiguous rows or columns,
/// its copy is stored in the same order.
template <class T>
bool by_columns(const Matrix<T>& host) {
  return host.row_stride == 1 || host.col_stride != 1;
}

/// Copies a host matrix to a device matrix with contiguous rows or columns.
template <class T>
void upload(Lane& lane, const Matrix<const T>& from, const Matrix<T>& to, Index rows, Index cols, bool columns) {
  columns ? lane.upload(from, to.data, rows, cols, to.col_stride)
          : lane.upload(from.transposed(), to.data, cols, rows, to.row_stride);
}

template <class T>
Matrix<T> writable(const Matrix<const T>& copy) {
  return {const_cast<T*>(copy.data), copy.row_stride, copy.col_stride};
}

}  // namespace

/// The memory, streams and events of a flow on its device.
template <class T>
struct HostFlow<T>::Resources {
  Resources(HostFlow& flow, bool concurrent)
      : up(pinned, 0, flow.threads_, concurrent, true),
        down(pinned, 2, flow.threads_, concurrent, true),
        workspace(flow.execution_.workspace.cap(), nullptr, 0),
        states(flow.schedule_.steps.size()),
        events(flow.schedule_.steps.size()) {
    const HostSchedule& s = flow.schedule_;
    const Index k = flow.product_ ? flow.call_.problem.k : 0;
    memory.emplace(
        [&](Carver& carver) {
          T* const a = carver.take<T>(s.rows * k);
          T* const b = carver.take<T>(k * s.cols);
          flow.a_ = by_columns(flow.call_.problem.a) ? Matrix<const T>{a, 1, s.rows} : Matrix<const T>{a, k, 1};
          flow.b_ = by_columns(flow.call_.problem.b) ? Matrix<const T>{b, 1, k} : Matrix<const T>{b, s.cols, 1};
          flow.c_ = {carver.take<T>(s.rows * s.c_cols), 1, s.rows};
        },
        flow.state_);
    // The memory is available once the state's stream has reached this point.
    const Event available;
    record(available, flow.state_.cuda_stream());
    stream_waits(up.stream(), available);
  }

  PinnedBuffers pinned;
  Lane up, down;
  Workspace workspace;
  PinnedStates states;
  std::vector<StepEvents> events;
  std::optional<ArrayMemory<CallMemory>> memory;
};

template <class T>
HostFlow<T>::HostFlow(State& state, const Call<Gemm<T>, T>& call, const Region& region, const HostSchedule& schedule,
                      const Execution& execution, int threads, accublas_report_t& report, FlowGroup& group,
                      DeviceGemmFunction<T> serve)
    : state_(state),
      call_(call),
      region_(region),
      schedule_(schedule),
      execution_(execution),
      threads_(threads),
      report_(report),
      group_(group),
      serve_(serve),
      product_(!no_product(call)),
      read_c_(!(call.problem.beta == 0)) {}

template <class T>
HostFlow<T>::~HostFlow() = default;

template <class T>
void HostFlow<T>::pass(const Mode& mode, SharedBits* shared) {
  const bool measuring = shared && shared->measuring;
  served_ = fetched_ = 0;
  finite_ = 0;
  stopped_ = false;
  std::thread fetcher;
  try {
    const bool several = schedule_.steps.size() > 1;
    if (!resources_) resources_ = std::make_unique<Resources>(*this, several || group_.flows() > 1);
    state_.begin_parts();
    if (several && !measuring) fetcher = fetching_thread();
    serve_steps(mode, shared);
    if (!several && !measuring) {
      if (judged()) read_states(false);
      group_.begin_writing();
      fetch(0);
    }
    if (fetcher.joinable()) fetcher.join();
    if (download_error_) std::rethrow_exception(download_error_);
    if (!measuring && fetched_ < schedule_.steps.size()) throw FlowStopped();
    read_states(measuring);
    if (!measuring) {
      for (std::size_t i = 0; i < schedule_.steps.size(); ++i) add_to_report(*(resources_->states + i), report_);
      state_.add_phases(report_);
    }
    state_.forget_call();
    uploaded_ = schedule_.resident(region_.rows, region_.cols);
  } catch (...) {
    group_.fail();
    stop();
    if (fetcher.joinable()) fetcher.join();
    drain();
    if (download_error_) std::rethrow_exception(download_error_);
    throw;
  }
}

template <class T>
void HostFlow<T>::serve_steps(const Mode& mode, SharedBits* shared) {
  const cudaStream_t compute = state_.cuda_stream();
  Resources& r = *resources_;
  accublas_report_t unused = report_;
  const bool measuring = shared && shared->measuring;
  Execution execution = execution_.within(r.workspace, measuring ? unused : report_);
  execution.shared = shared;
  for (std::size_t i = 0; i < schedule_.steps.size(); ++i) {
    group_.require_running();
    const HostStep& step = schedule_.steps[i];
    bring(step, measuring);
    record(r.events[i].copied, r.up.stream());
    stream_waits(compute, r.events[i].copied);
    const Gemm<T> product = product_of_step(step);
    serve_(state_, Call<Gemm<T>, T>{product, call_.alpha, call_.beta, true, true, mode, call_.engine}, execution);
    state_.copy_state(r.states + i);
    record(r.events[i].computed, compute);
    if (i == 0) group_.started();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      served_ = i + 1;
    }
    changed_.notify_all();
  }
}

/// Puts the uploads of a step on the lane's stream. The state's stream waits for downloads that the step's product
/// would overwrite.
template <class T>
void HostFlow<T>::bring(const HostStep& step, bool measuring) {
  const Gemm<T>& g = call_.problem;
  Resources& r = *resources_;
  const auto computed = [&](Index i) -> const Event& { return r.events[static_cast<std::size_t>(i)].computed; };
  if (product_ && !uploaded_ && step.a_rows > 0) {
    if (step.a_after >= 0) stream_waits(r.up.stream(), computed(step.a_after));
    upload(r.up, g.a.block(region_.row + step.a_row, 0), writable(a_.block(step.a_at, 0)), step.a_rows, g.k,
           by_columns(g.a));
    report_.copied_bytes += bytes_of(step.a_rows * g.k);
  }
  if (product_ && !uploaded_ && step.b_cols > 0) {
    if (step.b_after >= 0) stream_waits(r.up.stream(), computed(step.b_after));
    upload(r.up, g.b.block(0, region_.col + step.b_col), writable(b_.block(0, step.b_at)), g.k, step.b_cols,
           by_columns(g.b));
    report_.copied_bytes += bytes_of(g.k * step.b_cols);
  }
  if (measuring) return;
  if (step.c_after >= 0) {
    wait_fetched(step.c_after);
    const Event& fetched = r.events[static_cast<std::size_t>(step.c_after)].fetched;
    stream_waits(r.up.stream(), fetched);
    stream_waits(state_.cuda_stream(), fetched);
  }
  const Region& p = step.product;
  if (read_c_)
    upload(r.up, read_only(g.c.block(region_.row + p.row, region_.col + p.col)), c_.block(step.row_at, step.c_at),
           p.rows, p.cols, true);
  report_.copied_bytes += (read_c_ ? 2 : 1) * bytes_of(p.rows * p.cols);
}

template <class T>
Gemm<T> HostFlow<T>::product_of_step(const HostStep& step) const {
  const Gemm<T>& g = call_.problem;
  const Matrix<const T> none{};
  return {step.product.rows,
          step.product.cols,
          g.k,
          g.alpha,
          product_ ? a_.block(step.row_at, 0) : none,
          product_ ? b_.block(0, step.col_at) : none,
          g.beta,
          c_.block(step.row_at, step.c_at),
          g.conjugate_a,
          g.conjugate_b};
}

/// Downloads the result of a step, and returns when it is in C.
template <class T>
void HostFlow<T>::fetch(std::size_t index) {
  const HostStep& step = schedule_.steps[index];
  Resources& r = *resources_;
  const Region& p = step.product;
  stream_waits(r.down.stream(), r.events[index].computed);
  const Matrix<T> to = call_.problem.c.block(region_.row + p.row, region_.col + p.col);
  r.down.download(c_.block(step.row_at, step.c_at).data, to, p.rows, p.cols, c_.col_stride);
  record(r.events[index].fetched, r.down.stream());
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    fetched_ = index + 1;
  }
  changed_.notify_all();
  if (execution_.finite_results && r.down.all_finite(to, p.rows, p.cols)) finite_ += p.rows * p.cols;
}

template <class T>
std::thread HostFlow<T>::fetching_thread() {
  try {
    return start_quiet_thread([this] { fetch_steps(); });
  } catch (const std::system_error&) {
    throw Error(ACCUBLAS_ERROR_MEMORY, "the system has no thread left for the downloads of results");
  }
}

/// Downloads all steps in their order.
template <class T>
void HostFlow<T>::fetch_steps() {
  try {
    const DeviceScope scope(state_.device());
    for (std::size_t i = 0; i < schedule_.steps.size(); ++i) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return stopped_ || served_ > i; });
        if (stopped_) return;
      }
      if (i == 0) group_.begin_writing();
      fetch(i);
    }
  } catch (const FlowStopped&) {
    stop();
  } catch (...) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      download_error_ = std::current_exception();
    }
    stop();
  }
}

template <class T>
void HostFlow<T>::wait_fetched(Index step) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || fetched_ > static_cast<std::size_t>(step); });
  if (stopped_) throw FlowStopped();
}

/// Waits for the products and checks their reports from the device.
template <class T>
void HostFlow<T>::read_states(bool measuring) {
  check(cudaStreamSynchronize(state_.cuda_stream()), "waiting for a call");
  for (std::size_t i = 0; i < served_; ++i) {
    const CallState& found = *(resources_->states + i);
    if (found.not_covered) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, not_covered_message);
    if (found.missed_target) throw Error(ACCUBLAS_ERROR_ACCURACY, "the target cannot be promised on this data");
    if (!measuring) continue;
    constexpr CertificateRungs rungs = certificate_rungs<RealOf<T>>();
    if (found.largest_rung > 0) measured_.bits = std::max(measured_.bits, rungs.t[found.largest_rung - 1]);
    measured_.rejected += static_cast<std::int64_t>(found.rejected_in_all);
  }
}

template <class T>
void HostFlow<T>::stop() noexcept {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

/// Waits for the streams before the flow's memory is given back, since a copy may still use it.
template <class T>
void HostFlow<T>::drain() noexcept {
  try {
    state_.forget_call();
  } catch (const Error&) {  // the device is lost, and the call's own error says so
  }
  if (resources_) {
    cudaStreamSynchronize(resources_->up.stream());
    cudaStreamSynchronize(resources_->down.stream());
  }
  cudaStreamSynchronize(state_.cuda_stream());
}

#define ACCUBLAS_INSTANTIATE(E) template class HostFlow<E>;
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
