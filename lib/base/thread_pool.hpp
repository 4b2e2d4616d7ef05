// The one thread pool of the process. Idle workers go to sleep, so that they do not disturb OpenBLAS's own threads.
// Before that they wait some 50 microseconds, most of them yielding, so that back-to-back calls need not wake them.
#pragma once

#include <cstdint>
#include <type_traits>

namespace accublas {

/// The most threads that a job runs on. A call may size its work by it (threads_for in lib/runtime/settings.hpp).
constexpr int most_threads = 1024;

/// Calls body(task, thread) for every task in [0, tasks), on at most `threads` threads (the caller among them; thread
/// numbers are below `threads` and below `tasks`), and returns when all are done. Tasks are handed out dynamically, in
/// increasing order. Every worker runs in accublas's floating-point environment (round to nearest, FTZ and DAZ off,
/// traps masked). A C++ exception of a body is rethrown here, and floating-point exceptions that bodies signal
/// (lib/base/exceptions.hpp) become the caller's. Nested calls and calls while another thread holds the pool
/// run on the caller alone. In a forked child the pool starts anew.
using TaskFunction = void (*)(void* body, std::int64_t task, int thread);
void parallel_for_erased(std::int64_t tasks, int threads, TaskFunction function, void* body);

template <class Body>
void parallel_for(std::int64_t tasks, int threads, Body&& body) {
  using B = std::remove_reference_t<Body>;
  parallel_for_erased(
      tasks, threads, [](void* b, std::int64_t task, int thread) { (*static_cast<B*>(b))(task, thread); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

/// The number of threads that a call may use if none is set: the CPUs that this process may run on, but at most
/// OMP_NUM_THREADS.
int default_threads();

/// Whether the caller is inside a parallel region of the program's OpenMP runtime. Without such a runtime the answer is
/// no. `look_again` repeats the search for the runtime, which may have been loaded since.
bool in_openmp_parallel_region(bool look_again);

}  // namespace accublas
