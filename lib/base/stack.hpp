// The caller's stack: how much of it is left, and calls on a stack of our own where that is too little. Foreign code,
// such as OpenBLAS, may need megabytes (its GETRF by threads 528 KiB a level of its recursion), where accublas promises
// its callers to need 64 KiB.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace accublas {

/// Whether the calling thread's stack has at least `bytes` left. False where the thread is on another stack than its
/// own (a coroutine's, a signal handler's), whose end is unknown.
bool stack_has(std::size_t bytes);

/// Calls function(body) on a stack of 8 MiB of our own. The thread stays the caller's, with its thread-local variables,
/// its locks, its signals and its floating-point environment, whose changes it keeps. Exceptions pass. Throws
/// Error(ACCUBLAS_ERROR_MEMORY), before function is called, if there is no memory for a stack.
void on_own_stack(void (*function)(void* body), void* body);

/// Calls body() where at least `bytes` of stack are left: where it is called, or else on a stack of our own, of which
/// on_own_stack speaks. With bytes = 0 any stack will do.
template <class Body>
void with_stack(std::size_t bytes, Body&& body) {
  if (bytes == 0 || stack_has(bytes)) [[likely]]
    return body();
  using B = std::remove_reference_t<Body>;
  on_own_stack([](void* b) { (*static_cast<B*>(b))(); },
               const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

}  // namespace accublas
