#include "lib/base/thread_pool.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <thread>

#include "lib/base/exceptions.hpp"
#include "lib/base/fork_safe.hpp"
#include "lib/base/fp_environment.hpp"

namespace accublas {

namespace {

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Waits a while for `same` to become false before the caller sleeps, because a wake-up costs up to 50 microseconds. It
/// first spends some 5 to 15 microseconds on pause instructions, and then lets every other thread of the core run
/// before each look.
template <class Same>
void linger(Same&& same) {
  constexpr int spins = 200;
  constexpr auto patience = std::chrono::microseconds(50);
  for (int spin = 0; spin < spins && same(); ++spin) relax();
  if (!same()) return;
  const auto start = std::chrono::steady_clock::now();
  while (same() && std::chrono::steady_clock::now() - start < patience) sched_yield();
}

/// Bytes of a worker's stack. Library code needs less than 64 KiB. OpenBLAS, which small matrices of a batch call on
/// workers, needs less than as much again. The rest is for the thread-local variables of the program's libraries, which
/// the C library puts there too. The system's default would not do: a program may have set it to a small number.
constexpr std::size_t worker_stack = std::size_t{1} << 20;

/// A job is published by opening `door` and withdrawn by closing it. A worker that wakes too late finds the door
/// closed, so the caller waits only for workers that entered. door = open places * 2^32 + workers inside.
class Pool {
 public:
  void run(std::int64_t tasks, int threads, TaskFunction function, void* body) {
    threads = static_cast<int>(std::min<std::int64_t>({threads, tasks, most_threads}));
    if (threads <= 1 || inside_ || held_.exchange(true, std::memory_order_acquire)) {
      for (std::int64_t task = 0; task < tasks; ++task) function(body, task, 0);
      return;
    }
    const int helpers = std::min(threads - 1, hire(threads - 1));
    tasks_ = tasks;
    function_ = function;
    body_ = body;
    failed_.store(false, std::memory_order_relaxed);
    failure_ = nullptr;
    places_ = helpers;
    next_.store(0, std::memory_order_relaxed);
    door_.store(static_cast<std::uint64_t>(helpers) << 32, std::memory_order_release);
    generation_.fetch_add(1, std::memory_order_release);
    for (int i = 0; i < helpers; ++i) generation_.notify_one();

    inside_ = true;
    work(0);
    inside_ = false;

    // Close the door, then wait for the workers inside.
    door_.fetch_and(0xFFFFFFFFu, std::memory_order_acq_rel);
    const auto any_inside = [&] { return door_.load(std::memory_order_acquire) != 0; };
    linger(any_inside);
    while (any_inside()) {
      const std::uint32_t seen = left_.load(std::memory_order_acquire);
      if (any_inside()) left_.wait(seen, std::memory_order_acquire);
    }
    signal_exceptions(signalled_.exchange(exceptions::none, std::memory_order_relaxed));
    const std::exception_ptr failure = failure_;
    failure_ = nullptr;
    held_.store(false, std::memory_order_release);
    if (failure) std::rethrow_exception(failure);
  }

  /// Starts the pool anew in a forked child, where only the forking thread lives on. It may have held the pool, and so
  /// may a thread that is gone.
  void restart() {
    workers_ = 0;
    signalled_.store(exceptions::none);
    door_.store(0);
    held_.store(inside_);
  }

 private:
  /// Ensures that there are `wanted` workers, if the system has them, and returns how many there are. Only the thread
  /// that holds the pool calls this.
  int hire(int wanted) {
    while (workers_ < wanted) {
      // The program's signals are not delivered to workers.
      sigset_t all, old;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &old);
      pthread_attr_t attributes;
      pthread_attr_init(&attributes);
      pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
      pthread_attr_setstacksize(&attributes, worker_stack);
      pthread_t thread;
      const int failed = pthread_create(
          &thread, &attributes,
          [](void* pool) -> void* {
            static_cast<Pool*>(pool)->serve();
            return nullptr;
          },
          this);
      pthread_attr_destroy(&attributes);
      pthread_sigmask(SIG_SETMASK, &old, nullptr);
      if (failed) break;
      ++workers_;
    }
    return workers_;
  }

  [[noreturn]] void serve() {
    FpEnvironment::enter();
    inside_ = true;
    std::uint32_t seen = 0;  // a job published while this worker started is seen as new
    for (;;) {
      linger([&] { return generation_.load(std::memory_order_acquire) == seen; });
      generation_.wait(seen, std::memory_order_acquire);
      seen = generation_.load(std::memory_order_acquire);
      std::uint64_t door = door_.load(std::memory_order_acquire);
      while (door >> 32) {
        if (!door_.compare_exchange_weak(door, door - (std::uint64_t{1} << 32) + 1, std::memory_order_acq_rel))
          continue;
        work(places_ - static_cast<int>(door >> 32) + 1);
        if (const unsigned signalled = take_exceptions(); signalled != exceptions::none)
          signalled_.fetch_or(signalled, std::memory_order_relaxed);
        if ((door_.fetch_sub(1, std::memory_order_acq_rel) & 0xFFFFFFFFu) == 1) {
          left_.fetch_add(1, std::memory_order_release);
          left_.notify_one();
        }
        break;
      }
    }
  }

  void work(int thread) {
    try {
      for (;;) {
        const std::int64_t task = next_.fetch_add(1, std::memory_order_relaxed);
        if (task >= tasks_) return;
        function_(body_, task, thread);
      }
    } catch (...) {
      next_.store(tasks_, std::memory_order_relaxed);  // the rest is not begun
      if (!failed_.exchange(true, std::memory_order_relaxed)) failure_ = std::current_exception();
    }
  }

  static thread_local bool inside_;  ///< this thread runs a body: nested calls stay on it

  alignas(64) std::atomic<std::int64_t> next_{0};
  alignas(64) std::atomic<std::uint64_t> door_{0};
  alignas(64) std::atomic<std::uint32_t> generation_{0};
  std::atomic<std::uint32_t> left_{0};
  std::atomic<bool> held_{false};
  std::int64_t tasks_ = 0;
  TaskFunction function_ = nullptr;
  void* body_ = nullptr;
  int places_ = 0;
  int workers_ = 0;
  std::atomic<unsigned> signalled_{exceptions::none};  ///< exceptions of results of the workers
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;  ///< the first one; written before its thread leaves
};

thread_local bool Pool::inside_ = false;

/// The pool is never destroyed: workers sleep in it until the process ends.
constinit Lazy<Pool> pool;
[[maybe_unused]] const int restart_registered = pthread_atfork(nullptr, nullptr, [] {
  if (Pool* const known = pool.known()) known->restart();
});

int omp_num_threads() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  const long count = text ? std::strtol(text, nullptr, 10) : 0;
  return count > 0 && count < 100000 ? static_cast<int>(count) : 100000;
}

int affinity_threads() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

void parallel_for_erased(std::int64_t tasks, int threads, TaskFunction function, void* body) {
  if (threads <= 1 || tasks <= 1) {
    for (std::int64_t task = 0; task < tasks; ++task) function(body, task, 0);
    return;
  }
  pool.get().run(tasks, threads, function, body);
}

int default_threads() {
  static constinit Lazy<const int> count;
  return count.get([] { return std::make_unique<const int>(std::min(affinity_threads(), omp_num_threads())); });
}

bool in_openmp_parallel_region(bool look_again) {
  using Query = int (*)();
  static std::atomic<Query> query{nullptr};
  Query found = query.load(std::memory_order_relaxed);
  if (!found && look_again) {
    found = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "omp_in_parallel"));
    query.store(found, std::memory_order_relaxed);
  }
  return found && found() != 0;
}

}  // namespace accublas
