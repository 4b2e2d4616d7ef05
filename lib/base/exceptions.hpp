// Floating-point exceptions of results (docs/modes.md, "Floating-point exceptions"). The arithmetic inside a call
// raises flags that mean nothing, so the flags of the hardware are not used. The functions that write an infinity or a
// NaN know why, and signal the exception. If a device computes results for the host, lib/runtime/operand_exceptions.hpp
// signals their exceptions. The call raises the caller's flags at its end.
#pragma once

#include "lib/base/host_device.hpp"

namespace accublas {

/// Exceptions of IEEE 754 as bits of an integer.
namespace exceptions {
inline constexpr unsigned none = 0, invalid = 1, overflow = 2, division_by_zero = 4;
}

/// Adds exceptions to those of the current thread. `parallel_for` passes the exceptions of its workers to the caller.
void add_exceptions(unsigned raised);
/// Returns the exceptions of the current thread, which has none afterwards.
unsigned take_exceptions();
/// Raises the flags of exceptions in the current floating-point environment. An exception whose trap is enabled there
/// traps.
void raise_flags(unsigned raised);

/// Signals the exceptions of a result. Device code signals none.
ACCUBLAS_HD inline void signal_exceptions([[maybe_unused]] unsigned signalled) {
#ifndef __CUDA_ARCH__
  if (signalled != exceptions::none) add_exceptions(signalled);
#endif
}

/// Calls body(), and returns its exceptions instead of signalling them.
template <class Body>
unsigned collect_exceptions(Body&& body) {
  const unsigned before = take_exceptions();
  body();
  const unsigned collected = take_exceptions();
  signal_exceptions(before);
  return collected;
}

}  // namespace accublas
