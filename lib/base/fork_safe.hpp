// Objects that a process shares between its threads, made such that a forked child, in which only the forking thread
// lives on, never waits for a thread that is gone. lib/ and c_api/ have no other mutexes. They have no static variables
// in functions that are initialised at run time either, because the compiler guards these by a lock of its own.
// test/tools/fork_test.py checks both.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace accublas {

/// The locks of the process, in the order in which a thread that needs several takes them.
enum class ForkSafe { mp_basis, mp_moduli, mp_memory, workspace_pool, failure_handler, count };

/// Holds a lock for a scope. fork() takes all locks, so that the child finds the data that they guard consistent and no
/// lock held. Since fork() waits for the locks, a scope neither loads libraries (whose own handlers of fork() may be
/// running), nor calls the user's code.
class ForkSafeLock {
 public:
  explicit ForkSafeLock(ForkSafe which) noexcept;
  ~ForkSafeLock();
  ForkSafeLock(const ForkSafeLock&) = delete;
  ForkSafeLock& operator=(const ForkSafeLock&) = delete;

 private:
  const ForkSafe which_;
};

/// An object that is made at its first use and never destroyed, without a lock. If several threads come first together,
/// each makes one, and all but one are dropped.
template <class T>
class Lazy {
 public:
  /// make() returns a std::unique_ptr to a new object. If it throws, the exception passes through, and the next call
  /// tries again.
  template <class Make>
  T& get(Make&& make) {
    if (T* const known = known_.load(std::memory_order_acquire)) return *known;
    auto made = std::forward<Make>(make)();
    T* first = nullptr;
    if (known_.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) return *made.release();
    return *first;
  }
  T& get() {
    return get([] { return std::make_unique<T>(); });
  }
  /// Returns the object, or null if there is none yet.
  T* known() const noexcept { return known_.load(std::memory_order_acquire); }

 private:
  std::atomic<T*> known_{nullptr};
};

}  // namespace accublas
