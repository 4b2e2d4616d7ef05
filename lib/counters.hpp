// Calls by routine and engine, process wide.
#pragma once

#include <atomic>
#include <cstdint>

#include "lib/mode.hpp"
#include "lib/routine.hpp"

namespace accublas {

constexpr int engine_count = ACCUBLAS_ENGINE_EXACT + 1;
inline std::atomic<std::uint64_t> call_counters[routine_count][engine_count];

inline void count_call(Routine routine, accublas_engine engine) noexcept {
  call_counters[static_cast<int>(routine)][engine].fetch_add(1, std::memory_order_relaxed);
}

void reset_counters() noexcept;

/// Prints them on standard error (ACCUBLAS_VERBOSE=summary, at exit).
void print_counters();

}  // namespace accublas
