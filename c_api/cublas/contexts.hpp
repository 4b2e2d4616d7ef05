// The contexts in which the drop-in serves: one for each thread, handle and device.
#pragma once

#include <cublas_api.h>

#include "include/accublas.h"

namespace accublas::cublas {

/// Returns this thread's context for the handle on the current device. Threads share none, so that no call waits for
/// another's; work of one handle on several streams is ordered as its context orders it. Null where there is no memory,
/// or where the context cannot be made, as `status` says then. May be called until the process is gone, by destructors
/// of static variables too.
accublas_context* context_of(cublasHandle_t handle, accublas_status& status) noexcept;

/// Destroys those of a handle, which no thread uses any more.
void forget(cublasHandle_t handle) noexcept;

}  // namespace accublas::cublas
