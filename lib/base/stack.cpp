#include "lib/base/stack.hpp"

#include <pthread.h>
#include <signal.h>

#include <cfenv>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>

#include "lib/base/error.hpp"
#include "lib/base/thread_pool.hpp"

namespace accublas {

namespace {

/// The stack of a thread made here. The system provides only the memory that is used; OpenBLAS's GETRF needed 4.7 MiB.
constexpr std::size_t own_stack = std::size_t{8} << 20;

/// From the lowest address to beyond the highest one.
struct Bounds {
  std::uintptr_t low, high;
};
constinit thread_local Bounds bounds{0, 0};  // not looked up yet

/// An empty range where the system does not know it: the main thread's without /proc.
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

struct Errand {
  void (*function)(void*);
  void* body;
  int openmp_threads;
  std::fenv_t environment;
  std::exception_ptr failure;
};

void* run_errand(void* given) {
  Errand& errand = *static_cast<Errand*>(given);
  bounds = {0, UINTPTR_MAX};
  set_openmp_threads(errand.openmp_threads);
  std::fesetenv(&errand.environment);
  try {
    errand.function(errand.body);
  } catch (...) {
    errand.failure = std::current_exception();
  }
  std::fegetenv(&errand.environment);
  return nullptr;
}

}  // namespace

bool stack_has(std::size_t bytes) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (bounds.high == 0) bounds = own_bounds();
  return here < bounds.high && here >= bounds.low && here - bounds.low >= bytes;
}

void on_own_stack(void (*function)(void*), void* body) {
  Errand errand{function, body, openmp_threads(), {}, nullptr};
  std::fegetenv(&errand.environment);
  sigset_t all, old;
  sigfillset(&all);
  int cancellable = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);  // pthread_join would leave the thread behind
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, own_stack);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, run_errand, &errand);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  if (!failed) pthread_join(thread, nullptr);
  pthread_setcancelstate(cancellable, nullptr);
  if (failed)
    throw Error(
        ACCUBLAS_ERROR_MEMORY,
        std::string("the caller's stack is too small for the real BLAS, and no thread with a larger one could be "
                    "made: ") +
            std::strerror(failed));
  std::fesetenv(&errand.environment);
  if (errand.failure) std::rethrow_exception(errand.failure);
}

}  // namespace accublas
