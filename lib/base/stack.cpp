#include "lib/base/stack.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "lib/base/error.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ACCUBLAS_ADDRESS_SANITIZER
#elif __has_feature(thread_sanitizer)
#define ACCUBLAS_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ACCUBLAS_ADDRESS_SANITIZER
#elif defined(__SANITIZE_THREAD__)
#define ACCUBLAS_THREAD_SANITIZER
#endif
#if defined(ACCUBLAS_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#elif defined(ACCUBLAS_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace accublas {

namespace {

/// The size of a separate stack in bytes. The system provides only the memory that is used; OpenBLAS's GETRF needed 4.7
/// MiB.
constexpr std::size_t own_stack = std::size_t{8} << 20;
/// The lowest bytes of a stack cannot be accessed. They are more than a page, since pages may have 64 KiB.
constexpr std::size_t guard = std::size_t{64} << 10;

/// The range of a stack, from its lowest address to beyond its highest one.
struct Bounds {
  std::uintptr_t low, high;
};
constinit thread_local Bounds bounds{0, 0};  // not looked up yet

/// Returns the range of the thread's own stack. It is empty if the system does not know it, as for the main thread
/// without /proc.
Bounds own_bounds() {
  Bounds found{1, 1};
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return found;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(low);
    found = {address, address + size};
  }
  pthread_attr_destroy(&attributes);
  return found;
}

/// Stacks of earlier calls, which are kept because the page faults of a new one take longer than a small product.
constinit std::atomic<char*> spares[8]{};

/// A separate stack in use, from its lowest address.
class Stack {
 public:
  Stack() {
    for (std::atomic<char*>& spare : spares)
      if ((low_ = spare.exchange(nullptr, std::memory_order_acquire))) return;
    constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    void* const memory = mmap(nullptr, own_stack, PROT_READ | PROT_WRITE, kind, -1, 0);
    if (memory == MAP_FAILED) refuse();
    low_ = static_cast<char*>(memory);
    if (mprotect(low_, guard, PROT_NONE) != 0) {
      const int reason = errno;
      munmap(low_, own_stack);
      errno = reason;
      refuse();
    }
  }
  ~Stack() {
    for (std::atomic<char*>& spare : spares) {
      char* none = nullptr;
      if (spare.compare_exchange_strong(none, low_, std::memory_order_release, std::memory_order_relaxed)) return;
    }
    munmap(low_, own_stack);
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  char* begin() const { return low_ + guard; }
  static constexpr std::size_t size() { return own_stack - guard; }

 private:
  [[noreturn]] static void refuse() {
    throw Error(ACCUBLAS_ERROR_MEMORY,
                std::string("the caller's stack is too small for the real BLAS, and there is no memory for a separate "
                            "one of 8 MiB: ") +
                    std::strerror(errno));
  }

  char* low_ = nullptr;
};

/// Tells a sanitizer which stack the thread is on. Its functions are inline, since a call would enter on one stack and
/// return on the other.
class Announced {
 public:
#if defined(ACCUBLAS_ADDRESS_SANITIZER)
  [[gnu::always_inline]] void before_entry(const Stack& stack) {
    __sanitizer_start_switch_fiber(&fake_, stack.begin(), stack.size());
  }
  [[gnu::always_inline]] void after_entry() { __sanitizer_finish_switch_fiber(nullptr, &callers_, &callers_size_); }
  [[gnu::always_inline]] void before_exit() { __sanitizer_start_switch_fiber(nullptr, callers_, callers_size_); }
  [[gnu::always_inline]] void after_exit() { __sanitizer_finish_switch_fiber(fake_, nullptr, nullptr); }

 private:
  void* fake_ = nullptr;
  const void* callers_ = nullptr;
  std::size_t callers_size_ = 0;
#elif defined(ACCUBLAS_THREAD_SANITIZER)
  [[gnu::always_inline]] void before_entry(const Stack&) { __tsan_switch_to_fiber(own_, 0); }
  [[gnu::always_inline]] void after_entry() {}
  [[gnu::always_inline]] void before_exit() { __tsan_switch_to_fiber(callers_, 0); }
  [[gnu::always_inline]] void after_exit() { __tsan_destroy_fiber(own_); }

 private:
  void* callers_ = __tsan_get_current_fiber();
  void* own_ = __tsan_create_fiber(0);
#else
  [[gnu::always_inline]] void before_entry(const Stack&) {}
  [[gnu::always_inline]] void after_entry() {}
  [[gnu::always_inline]] void before_exit() {}
  [[gnu::always_inline]] void after_exit() {}
#endif
};

struct Errand {
  void (*function)(void*);
  void* body;
  std::fenv_t environment;
  std::exception_ptr failure;
  Announced announced;
  ucontext_t caller;
};

/// The first function on a separate stack. No exception can pass it, since nothing is below it.
void run_errand(unsigned high, unsigned low) {
  Errand& errand =
      *reinterpret_cast<Errand*>(static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | std::uint64_t{low}));
  errand.announced.after_entry();
  try {
    errand.function(errand.body);
  } catch (...) {
    errand.failure = std::current_exception();
  }
  std::fegetenv(&errand.environment);
  errand.announced.before_exit();
  setcontext(&errand.caller);
}

}  // namespace

bool stack_has(std::size_t bytes) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (bounds.high == 0) bounds = own_bounds();
  return here < bounds.high && here >= bounds.low && here - bounds.low >= bytes;
}

// Switches stacks on the caller's thread; it does not start a thread. Only the memory for the stack can fail. The
// caller's locks stay its own: a new thread that loads OpenBLAS would wait for the loader's lock if the caller is a
// library's constructor, which holds it. CPU affinity, OpenMP's settings and everything else that belongs to a thread
// stay too. A switch is also faster than a thread.
void on_own_stack(void (*function)(void*), void* body) {
  const Stack stack;
  Errand errand{function, body, {}, nullptr, {}, {}};
  ucontext_t own;
  if (getcontext(&own) != 0) throw Error(ACCUBLAS_ERROR_INTERNAL, "getcontext failed");
  own.uc_stack.ss_sp = stack.begin();
  own.uc_stack.ss_size = stack.size();
  own.uc_link = nullptr;  // run_errand does not return
  const auto address = std::uint64_t{reinterpret_cast<std::uintptr_t>(&errand)};
  makecontext(&own, reinterpret_cast<void (*)()>(run_errand), 2, static_cast<unsigned>(address >> 32),
              static_cast<unsigned>(address));
  // Cancelling the thread would unwind a stack that ends where the caller's should follow.
  int cancellable = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
  const auto low = reinterpret_cast<std::uintptr_t>(stack.begin());
  const Bounds callers = std::exchange(bounds, Bounds{low, low + stack.size()});
  errand.announced.before_entry(stack);
  const bool switched = swapcontext(&errand.caller, &own) == 0;
  errand.announced.after_exit();
  bounds = callers;
  pthread_setcancelstate(cancellable, nullptr);
  if (!switched) throw Error(ACCUBLAS_ERROR_INTERNAL, "swapcontext failed: nothing was done");
  std::fesetenv(&errand.environment);
  if (errand.failure) std::rethrow_exception(errand.failure);
}

}  // namespace accublas
