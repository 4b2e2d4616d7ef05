// The contexts in which the drop-in computes: one for each thread, handle and device.
#pragma once

#include "include/accublas.h"

namespace accublas::cublas {

/// Returns this thread's context for a handle of cuBLAS or cublasLt on the current device. Threads share no context, so
/// no call waits for another thread's; the context orders the work of one handle on several streams. Returns null if
/// there is no memory or the context cannot be made, and sets `status` then. May be called until the process ends, also
/// by destructors of static variables.
accublas_context* context_of(const void* handle, accublas_status& status) noexcept;

/// Destroys the contexts of a handle, which no thread uses any more.
void forget(const void* handle) noexcept;

}  // namespace accublas::cublas
