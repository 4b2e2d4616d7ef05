// Divisions of nonnegative numbers that round up.
#pragma once

#include <bit>

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

/// Where half l of an array of 64-bit numbers lies, if it is read and written as 32-bit numbers in the machine's order
/// of bytes. The halves count from the least significant one of the first number.
constexpr int half_position(int l) { return std::endian::native == std::endian::little ? l : l ^ 1; }

}  // namespace accublas
