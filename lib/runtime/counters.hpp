// Counters of calls by routine, engine and backend, process wide.
#pragma once

#include <atomic>
#include <cstdint>

#include "lib/call/engines.hpp"
#include "lib/call/routine.hpp"

namespace accublas {

inline std::atomic<std::uint64_t> call_counters[routine_count][engine_count][2];  ///< last: on a device

inline void count_call(Routine routine, accublas_engine engine, bool on_device) noexcept {
  call_counters[number_of(routine)][engine][on_device].fetch_add(1, std::memory_order_relaxed);
}

inline std::uint64_t calls_of(Routine routine, int engine, bool on_device) noexcept {
  return call_counters[number_of(routine)][engine][on_device].load(std::memory_order_relaxed);
}

void reset_counters() noexcept;

/// Prints the counters on standard error (ACCUBLAS_VERBOSE=summary, at exit).
void print_counters();

}  // namespace accublas
