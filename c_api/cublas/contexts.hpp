// The contexts in which the drop-in computes: one for each thread, handle and device.
#pragma once

#include <cublas_api.h>

#include "include/accublas.h"

namespace accublas::cublas {

/// Returns this thread's context for the handle on the current device. Threads share no context, so no call waits for
/// another thread's; the context orders the work of one handle on several streams. Returns null if there is no memory
/// or the context cannot be made, and sets `status` then. May be called until the process ends, also by destructors of
/// static variables.
accublas_context* context_of(cublasHandle_t handle, accublas_status& status) noexcept;

/// Destroys the contexts of a handle, which no thread uses any more.
void forget(cublasHandle_t handle) noexcept;

}  // namespace accublas::cublas
