// The threads that copy numbers between the user's memory and pinned buffers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "lib/base/thread_pool.hpp"

namespace accublas::cuda {

/// Starts a thread to which the program's signals are not delivered. Throws std::system_error.
std::thread start_quiet_thread(std::function<void()> body);

/// Runs tasks on the threads of the pool, or on threads of its own. The pool serves one caller at a time, so flows that
/// copy concurrently need their own. The threads start at the first use, and end with the object. A body must not
/// throw.
class CopyThreads {
 public:
  CopyThreads(int threads, bool own) : threads_(threads), own_(own) {}
  ~CopyThreads();
  CopyThreads(const CopyThreads&) = delete;
  CopyThreads& operator=(const CopyThreads&) = delete;

  /// Calls body(task) for every task in [0, tasks), and returns when all are done.
  template <class Body>
  void run(std::int64_t tasks, Body&& body) {
    if (!own_) return parallel_for(tasks, threads_, [&](std::int64_t task, int) { body(task); });
    using B = std::remove_reference_t<Body>;
    run_erased(
        tasks, [](void* b, std::int64_t task) { (*static_cast<B*>(b))(task); },
        const_cast<void*>(static_cast<const void*>(&body)));
  }

 private:
  using Task = void (*)(void* body, std::int64_t task);
  void run_erased(std::int64_t tasks, Task function, void* body);
  void serve(std::uint64_t seen);
  void work();

  const int threads_;
  const bool own_;
  std::vector<std::thread> team_;
  std::mutex mutex_;
  std::condition_variable begun_, done_;
  // The mutex guards these, except that a running job's tasks are taken from next_.
  std::uint64_t job_ = 0;
  std::size_t working_ = 0;
  bool ends_ = false;
  Task function_ = nullptr;
  void* body_ = nullptr;
  std::int64_t tasks_ = 0;
  std::atomic<std::int64_t> next_{0};
};

}  // namespace accublas::cuda
