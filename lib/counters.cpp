#include "lib/counters.hpp"

#include <cinttypes>
#include <cstdio>

namespace accublas {

void reset_counters() noexcept {
  for (auto& row : call_counters)
    for (auto& counter : row) counter.store(0, std::memory_order_relaxed);
}

void print_counters() {
  for (Routine routine : all_routines)
    for (int engine = 0; engine < engine_count; ++engine)
      if (const std::uint64_t calls = call_counters[static_cast<int>(routine)][engine].load(std::memory_order_relaxed))
        std::fprintf(stderr, "accublas: %s engine=%s calls=%" PRIu64 "\n", routine_name(routine), engine_name(engine),
                     calls);
}

}  // namespace accublas
