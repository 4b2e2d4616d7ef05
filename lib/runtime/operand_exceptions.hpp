// The floating-point exceptions of a call on host operands that a device computes (docs/modes.md, "Floating-point
// exceptions"). A device signals none, so the host decides them from the operands and the results.
#pragma once

#include <functional>

#include "lib/call/backend.hpp"
#include "lib/call/execution.hpp"

namespace accublas {

/// Returns a function that signals the exceptions of the call's results once these are in host memory. The mode defines
/// bits. Numbers that the results overwrite are copied here, if the exceptions may depend on them. Throws
/// std::bad_alloc; the function throws Error(ACCUBLAS_ERROR_C_UNDEFINED) if there is no memory.
std::function<void()> watch_exceptions(const AnyCall& call, const Execution& execution);

}  // namespace accublas
