// Computes GEMM with host operands: divides C among devices, and makes the decisions that hold for all of C.
#include "cuda/core/staging.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "cuda/core/device_states.hpp"
#include "cuda/core/host_flow.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda {

namespace {

template <class T>
class StagedGemm {
 public:
  StagedGemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution, DeviceGemmFunction<T> serve)
      : call_(call),
        execution_(execution),
        serve_(serve),
        // The T* of dp:repro and sp:repro belongs to all of C.
        one_rung_(is_grade(call.mode) && call.mode.reproducible),
        // An accuracy target holds for all of C or for none of it.
        judged_(call.mode.kind == ACCUBLAS_MODE_FIXED && execution.target > 0),
        // Only engine int8 measures T* in parts.
        divisible_(!judged_ && (!one_rung_ || call.engine == ACCUBLAS_ENGINE_INT8)),
        regions_(regions(state)),
        devices_(state, execution.devices, regions_.size()),
        group_(regions_.size()) {}

  void run() {
    make_schedules();
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      accublas_report_t& report = regions_.size() == 1 ? execution_.report : reports_[i];
      const int threads = std::max(1, execution_.threads / static_cast<int>(regions_.size()));
      flows_.push_back(std::make_unique<HostFlow<T>>(*devices_.states[i], call_, regions_[i], schedules_[i], execution_,
                                                     threads, report, group_, serve_));
    }
    try {
      one_rung_&& parts() > 1 ? measure_and_pass() : pass(call_.mode, nullptr);
    } catch (const Error& error) {
      if (group_.written() && error.status() != ACCUBLAS_ERROR_ACCURACY)
        throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
      throw;
    } catch (const std::bad_alloc&) {
      if (group_.written()) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, "no host memory");
      throw;
    }
    if (regions_.size() > 1) report_devices(reports_, execution_);
    if (execution_.finite_results)
      for (const auto& flow : flows_) *execution_.finite_results += flow->finite();
  }

 private:
  std::vector<Region> regions(const State& state) const {
    const Gemm<T>& g = call_.problem;
    const double operations = 2 * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
    if (divisible_ && !no_product(call_) && worth_sharing(state, execution_, operations))
      return divide_result(g.m, g.n, static_cast<int>(execution_.devices.size()));
    return {{0, g.m, 0, g.n}};
  }

  /// Plans the steps of every device by its free memory, and leaves memory for its workspace.
  void make_schedules() {
    const Gemm<T>& g = call_.problem;
    const Index k = no_product(call_) ? 0 : g.k;
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      const State& on = *devices_.states[i];
      const DeviceScope scope(on.device());
      const double words =
          static_cast<double>(room_for_operands(on.device(), devices_.sharing(i), execution_.workspace.cap())) /
          sizeof(T);
      const HostTuning& tuning = on.model().tuning().host;
      const Region& r = regions_[i];
      const bool fits = static_cast<double>(r.rows) * static_cast<double>(k) +
                            static_cast<double>(k) * static_cast<double>(r.cols) +
                            static_cast<double>(r.rows) * static_cast<double>(r.cols) <=
                        words;
      // One device that has room for all operands decides on T* in one product.
      const bool whole = !divisible_ || (one_rung_ && regions_.size() == 1 && fits);
      schedules_.push_back(schedule_host(tuning, r.rows, r.cols, k, words, whole));
      reports_.push_back(report_of_part(execution_.report));
    }
  }

  std::size_t parts() const {
    std::size_t count = 0;
    for (const HostSchedule& schedule : schedules_) count += schedule.steps.size();
    return count;
  }

  void pass(const Mode& mode, SharedBits* shared) {
    devices_.run(group_, [&](std::size_t i, State&) { flows_[i]->pass(mode, shared); });
  }

  /// Computes dp:repro or sp:repro in parts. The first pass finds T* and counts rejected elements over all parts, and
  /// writes nothing. The second one computes all parts with this T*, or in cr.
  void measure_and_pass() {
    const Gemm<T>& g = call_.problem;
    SharedBits shared;
    shared.all = (is_complex<T> ? 2 : 1) * g.m * g.n;
    pass(call_.mode, &shared);
    for (const auto& flow : flows_) shared.of_block(flow->measured().bits, flow->measured().rejected);
    shared.measuring = false;
    if (!shared.fails()) return pass(call_.mode, &shared);
    Mode cr{};
    cr.kind = ACCUBLAS_MODE_CR;
    pass(cr, nullptr);
    (regions_.size() == 1 ? execution_.report : reports_[0]).rejected += shared.all;
  }

  const Call<Gemm<T>, T>& call_;
  Execution& execution_;
  const DeviceGemmFunction<T> serve_;
  const bool one_rung_, judged_, divisible_;
  const std::vector<Region> regions_;
  const DeviceStates devices_;
  FlowGroup group_;
  std::vector<HostSchedule> schedules_;
  std::vector<accublas_report_t> reports_;
  std::vector<std::unique_ptr<HostFlow<T>>> flows_;
};

}  // namespace

template <class T>
void staged_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution, DeviceGemmFunction<T> serve) {
  StagedGemm<T>(state, call, execution, serve).run();
}

#define ACCUBLAS_INSTANTIATE(E) \
  template void staged_gemm(State&, const Call<Gemm<E>, E>&, Execution&, DeviceGemmFunction<E>);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
