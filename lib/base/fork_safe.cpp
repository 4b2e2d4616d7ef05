#include "lib/base/fork_safe.hpp"

#include <pthread.h>

#include <cstddef>
#include <mutex>

namespace accublas {

namespace {

constexpr std::size_t lock_count = static_cast<std::size_t>(ForkSafe::count);

struct alignas(64) Line {
  std::mutex mutex;
};
constinit Line lines[lock_count];

void lock_all() {
  for (Line& line : lines) line.mutex.lock();
}

void unlock_all() {
  for (std::size_t i = lock_count; i-- > 0;) lines[i].mutex.unlock();
}

// The handlers are registered when the library is loaded, not at the first use: until version 2.36 glibc's fork() keeps
// its list of handlers locked while lock_all() waits for a thread that would add to it.
[[maybe_unused]] const int locks_registered = pthread_atfork(lock_all, unlock_all, unlock_all);

}  // namespace

ForkSafeLock::ForkSafeLock(ForkSafe which) noexcept : which_(which) {
  lines[static_cast<std::size_t>(which)].mutex.lock();
}

ForkSafeLock::~ForkSafeLock() { lines[static_cast<std::size_t>(which_)].mutex.unlock(); }

}  // namespace accublas
