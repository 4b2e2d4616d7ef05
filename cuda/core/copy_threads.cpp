#include "cuda/core/copy_threads.hpp"

#include <signal.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace accublas::cuda {

std::thread start_quiet_thread(std::function<void()> body) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  try {
    std::thread started(std::move(body));
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    return started;
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    throw;
  }
}

CopyThreads::~CopyThreads() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  begun_.notify_all();
  for (std::thread& thread : team_) thread.join();
}

void CopyThreads::work() {
  for (;;) {
    const std::int64_t task = next_.fetch_add(1, std::memory_order_relaxed);
    if (task >= tasks_) return;
    function_(body_, task);
  }
}

void CopyThreads::serve(std::uint64_t seen) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    begun_.wait(lock, [&] { return ends_ || job_ != seen; });
    if (ends_) return;
    seen = job_;
    lock.unlock();
    work();
    lock.lock();
    if (--working_ == 0) done_.notify_one();
  }
}

void CopyThreads::run_erased(std::int64_t tasks, Task function, void* body) {
  const std::size_t wanted = static_cast<std::size_t>(std::min<std::int64_t>(threads_, tasks));
  try {
    // A new thread takes part from the next job on, which may begin before the thread runs.
    while (team_.size() + 1 < wanted) team_.push_back(start_quiet_thread([this, seen = job_] { serve(seen); }));
  } catch (const std::exception&) {  // the system has no more threads or memory, so fewer threads do the work
  }
  if (team_.empty() || wanted <= 1) {
    for (std::int64_t task = 0; task < tasks; ++task) function(body, task);
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    tasks_ = tasks, function_ = function, body_ = body;
    next_.store(0, std::memory_order_relaxed);
    working_ = team_.size();
    ++job_;
  }
  begun_.notify_all();
  work();
  std::unique_lock<std::mutex> lock(mutex_);
  done_.wait(lock, [&] { return working_ == 0; });
}

}  // namespace accublas::cuda
