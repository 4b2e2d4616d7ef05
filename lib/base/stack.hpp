// Measures how much of the caller's stack is left, and runs calls on a separate stack if that is too little. Foreign
// code, such as OpenBLAS, may need megabytes (its GETRF with threads takes 528 KiB a level of its recursion), but
// accublas promises that 64 KiB suffice for its callers.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace accublas {

/// Whether the calling thread's stack has at least `bytes` left. The answer is no if the thread is on another stack
/// than its own (a coroutine's, a signal handler's), whose end is unknown.
bool stack_has(std::size_t bytes);

/// Calls function(body) on a separate stack of 8 MiB. The thread stays the caller's, with its thread-local variables,
/// locks, signals and floating-point environment; changes of that environment last. Exceptions pass. Throws
/// Error(ACCUBLAS_ERROR_MEMORY), before function is called, if there is no memory for a stack.
void on_own_stack(void (*function)(void* body), void* body);

/// Calls body() on the caller's stack if at least `bytes` of it are left, and otherwise by on_own_stack. With bytes = 0
/// any stack will do.
template <class Body>
void with_stack(std::size_t bytes, Body&& body) {
  if (bytes == 0 || stack_has(bytes)) [[likely]]
    return body();
  using B = std::remove_reference_t<Body>;
  on_own_stack([](void* b) { (*static_cast<B*>(b))(); },
               const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

}  // namespace accublas
