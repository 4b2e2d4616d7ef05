// The memory and the threads of a call that consists of steps with a workspace each, and is not a Run: accumulators,
// and products beyond double precision.
#pragma once

#include <functional>
#include <string>

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
  /// In a rehearsal (Workspace::rehearses) the bodies return when they have taken their memory.
  bool bodies_rehearse = false;
  std::function<void(Execution&)> all_steps{};  ///< rehearses all steps of the call if it has several; may be empty

  /// The bytes that steps may plan with.
  std::size_t plannable() const { return buffer ? buffer_bytes : cap; }

  /// Calls body(Execution&) with a workspace, and once more with the least plan if the first one does not fit. The body
  /// takes its memory before it changes anything. If neither fits, the function throws TooSmall, with the bytes that
  /// suffice if bodies rehearse.
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
        std::string why =
            "the workspace of " + std::to_string(plannable()) + " bytes is too small for a step of " + what;
        if (bodies_rehearse) why += ": " + std::to_string(sufficient(body)) + " bytes suffice";
        throw TooSmall(ACCUBLAS_ERROR_MEMORY, why);
      }
    }
    if (workspace.peak() > peak) peak = workspace.peak();
  }

 private:
  /// Returns the bytes of the least plan of a body, wherever a user's workspace begins.
  template <class Body>
  std::size_t sufficient(Body&& body) const {
    constexpr std::size_t alignment = 64;
    Workspace unlimited(Workspace::unlimited(nullptr));
    accublas_report_t unused{};
    Execution execution{threads, isa, unlimited, unused};
    all_steps ? all_steps(execution) : body(execution);
    return unlimited.peak() + alignment - 1;
  }
};

}  // namespace accublas
