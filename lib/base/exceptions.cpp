#include "lib/base/exceptions.hpp"

#include <limits>
#include <utility>

namespace accublas {

namespace {

constinit thread_local unsigned current_exceptions = exceptions::none;

}  // namespace

void add_exceptions(unsigned raised) { current_exceptions |= raised; }

unsigned take_exceptions() { return std::exchange(current_exceptions, exceptions::none); }

/// The operations raise the flags where the program's own arithmetic has them: feraiseexcept of glibc raises overflow
/// in the x87 unit.
void raise_flags(unsigned raised) {
  volatile double zero = 0, one = 1, most = std::numeric_limits<double>::max();
  [[maybe_unused]] volatile double result;
  if ((raised & exceptions::invalid) != 0) result = zero / zero;
  if ((raised & exceptions::division_by_zero) != 0) result = one / zero;
  if ((raised & exceptions::overflow) != 0) result = most * most;
}

}  // namespace accublas
