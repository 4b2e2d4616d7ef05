#include "lib/runtime/counters.hpp"

#include <cinttypes>
#include <cstdio>

namespace accublas {

void reset_counters() noexcept {
  for (auto& routine : call_counters)
    for (auto& engine : routine)
      for (auto& counter : engine) counter.store(0, std::memory_order_relaxed);
}

void print_counters() {
  for (Routine routine : all_routines)
    for (int engine = 0; engine < engine_count; ++engine)
      for (bool on_device : {false, true})
        if (const std::uint64_t calls = calls_of(routine, engine, on_device))
          std::fprintf(stderr, "accublas: %s backend=%s engine=%s calls=%" PRIu64 "\n", routine_name(routine),
                       on_device ? "cuda" : "cpu", engine_name(engine), calls);
}

}  // namespace accublas
