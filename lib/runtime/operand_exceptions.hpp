// The floating-point exceptions of a call on host operands that a device computes (docs/modes.md, "Floating-point
// exceptions"). A device signals none, so the host decides them from the operands and the results.
#pragma once

#include <functional>

#include "lib/call/backend.hpp"
#include "lib/call/execution.hpp"

namespace accublas {

/// Returns a function that signals the exceptions of the call's results. Call watch_exceptions before the results are
/// written, and the returned function when they are in host memory. The mode must define bits. watch_exceptions copies
/// the numbers that the results overwrite, if the exceptions may depend on them. If there is no memory it throws
/// std::bad_alloc, and the returned function throws Error(ACCUBLAS_ERROR_C_UNDEFINED).
std::function<void()> watch_exceptions(const AnyCall& call, const Execution& execution);

}  // namespace accublas
