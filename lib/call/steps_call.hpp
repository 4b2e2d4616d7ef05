// The memory and the threads of a call that consists of steps with a workspace each, and is not a Run: accumulators,
// and products beyond double precision.
#pragma once

#include "lib/call/execution.hpp"

namespace accublas {

/// Threads, and the workspace of the steps of a call, one after another.
struct StepsCall {
  int threads;
  cpu::Isa isa;
  std::size_t cap;
  void* buffer;  ///< the caller's workspace, or null for the library's
  std::size_t buffer_bytes;
  const char* what = "the accumulator";  ///< for messages
  std::size_t peak = 0;
  accublas_report_t* report = nullptr;  ///< null: the engines' numbers are not wanted

  /// Calls body(Execution&) with a workspace, and once more with the least plan if the first one does not fit. The body
  /// takes its memory before it changes anything.
  template <class Body>
  void run(Body&& body) {
    Workspace workspace(cap, buffer, buffer_bytes);
    accublas_report_t unused{};
    Execution execution{workspace.lanes(threads), isa, workspace, report ? *report : unused};
    try {
      body(execution);
    } catch (const TooSmall&) {
      workspace.restart_least(cap);
      try {
        body(execution);
      } catch (const TooSmall&) {
        throw TooSmall(ACCUBLAS_ERROR_MEMORY, "the workspace of " + std::to_string(buffer ? buffer_bytes : cap) +
                                                  " bytes is too small for a step of " + what);
      }
    }
    if (workspace.peak() > peak) peak = workspace.peak();
  }
};

}  // namespace accublas
