// The caller's stack: how much of it is left, and calls on a stack of our own where that is too little. Foreign code,
// such as OpenBLAS, may need megabytes (its GETRF by threads 528 KiB a level of its recursion), where accublas promises
// its callers to need 64 KiB.
#pragma once

#include <cstddef>

namespace accublas {

/// Whether the calling thread's stack has at least `bytes` left. False where the thread is on another stack than its
/// own (a coroutine's, a signal handler's), whose end is unknown.
bool stack_has(std::size_t bytes);

/// Calls function(body) on a thread of its own, on which stack_has is always true, and waits for its end. Exceptions
/// pass. The thread begins with the caller's floating-point environment, CPU affinity and number of OpenMP threads, and
/// the exceptions that it raises are the caller's; signals of the program do not run on it. Throws
/// Error(ACCUBLAS_ERROR_MEMORY) where no thread can be made.
void on_own_stack(void (*function)(void* body), void* body);

}  // namespace accublas
