// The devices that share a call: the state of each, and their reports.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/flow_group.hpp"
#include "cuda/core/staging.hpp"
#include "cuda/core/state.hpp"
#include "lib/base/stack.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// Returns the report that a device's part of a call begins with.
inline accublas_report_t report_of_part(const accublas_report_t& all) {
  accublas_report_t part = all;
  part.bits = part.parts = 0;
  part.rejected = part.undecided = part.workspace_bytes = part.copied_bytes = 0;
  part.ms_convert = part.ms_product = part.ms_reconstruct = part.ms_exact = 0;
  return part;
}
/// Adds the report of one device to that of the call. Counts add up, and the phases are those of the first device.
inline void add_report(const accublas_report_t& part, bool first, accublas_report_t& all) {
  all.bits = std::max(all.bits, part.bits);
  all.parts = std::max(all.parts, part.parts);
  all.rejected += part.rejected;
  all.undecided += part.undecided;
  all.copied_bytes += part.copied_bytes;
  all.workspace_bytes = std::max(all.workspace_bytes, part.workspace_bytes);
  all.bound_relative = first ? part.bound_relative : std::min(all.bound_relative, part.bound_relative);
  all.bound_componentwise =
      first ? part.bound_componentwise : std::max(all.bound_componentwise, part.bound_componentwise);
  if (part.engine[0] != '\0') std::strcpy(all.engine, part.engine);
  if (!first) return;
  all.ms_convert += part.ms_convert;
  all.ms_product += part.ms_product;
  all.ms_reconstruct += part.ms_reconstruct;
  all.ms_exact += part.ms_exact;
}

/// The devices of a call, with the state of each. One of them may be the state that the call came with.
struct DeviceStates {
  std::vector<State*> states;
  std::size_t own = 0;     ///< the flow that runs on the calling thread
  bool own_given = false;  ///< its state is the call's, which is in a CallScope already

  /// Finds states on the first `count` of the listed devices.
  DeviceStates(State& given, std::span<const int> devices, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const bool take = count == 1 || (!own_given && devices[i] == given.device());
      states.push_back(take ? &given : &given.companion(i, devices[i]));
      if (!take) continue;
      own = i;
      own_given = true;
    }
    // The report of the call must not take in the last call of a state that it does not use.
    if (!own_given) given.forget_call();
  }
  /// Calls body(i, state) for every state on a thread each, within a CallScope of the state (FlowGroup::run).
  template <class Body>
  void run(FlowGroup& group, Body&& body) const {
    group.run(own, [&](std::size_t i) {
      // The threads of other flows may have small stacks.
      with_stack(needed_stack, [&] {
        State& state = *states[i];
        if (i == own && own_given) return body(i, state);
        const CallScope scope(state, CallScope::Stream::own);
        body(i, state);
      });
    });
  }
  /// Returns how many of the states are on the device of state i.
  std::size_t sharing(std::size_t i) const {
    return static_cast<std::size_t>(std::count_if(
        states.begin(), states.end(), [&](const State* other) { return other->device() == states[i]->device(); }));
  }
};

/// Puts the reports of the first devices of an execution into its own, with the list of these devices.
inline void report_devices(const std::vector<accublas_report_t>& reports, Execution& execution) {
  for (std::size_t i = 0; i < reports.size(); ++i) add_report(reports[i], i == 0, execution.report);
  const std::string text = device_text(execution.devices.first(reports.size()));
  std::strncpy(execution.report.device, text.c_str(), sizeof execution.report.device - 1);
}

/// Whether a call of so many operations is worth several devices.
inline bool worth_sharing(const State& state, const Execution& execution, double operations) {
  const HostTuning& tuning = state.model().tuning().host;
  return execution.devices.size() > 1 &&
         operations >= static_cast<double>(tuning.least_divided) * tuning.least_operations;
}

}  // namespace accublas::cuda
