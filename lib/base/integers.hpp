// Divisions of nonnegative numbers that round up.
#pragma once

#include "lib/base/host_device.hpp"

namespace accublas {

/// The least integer that is not below a / b; b > 0.
template <class A, class B>
ACCUBLAS_HD constexpr auto ceil_div(A a, B b) {
  return (a + b - 1) / b;
}

/// The least multiple of `multiple` that is not below x.
template <class A, class B>
ACCUBLAS_HD constexpr auto round_up(A x, B multiple) {
  return ceil_div(x, multiple) * multiple;
}

}  // namespace accublas
