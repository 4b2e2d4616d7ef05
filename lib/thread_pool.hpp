// The one thread pool of the process. Idle workers sleep; none spins, so that OpenBLAS's own threads are not disturbed.
#pragma once

#include <cstdint>
#include <type_traits>

namespace accublas {

/// Calls body(task, thread) for every task in [0, tasks), on at most `threads` threads (the caller among them; thread
/// numbers are below `threads`), and returns when all are done. Tasks are handed out dynamically, in increasing order. Every
/// worker runs in accublas's floating-point environment (round to nearest, FTZ and DAZ off, traps masked). An exception
/// of a body is rethrown here. Nested calls and calls while another thread holds the pool run on the caller alone. In a
/// forked child the pool starts anew.
using TaskFunction = void (*)(void* body, std::int64_t task, int thread);
void parallel_for_erased(std::int64_t tasks, int threads, TaskFunction function, void* body);

template <class Body>
void parallel_for(std::int64_t tasks, int threads, Body&& body) {
  using B = std::remove_reference_t<Body>;
  parallel_for_erased(
      tasks, threads, [](void* b, std::int64_t task, int thread) { (*static_cast<B*>(b))(task, thread); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace accublas
