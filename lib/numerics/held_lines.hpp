// Rules for a line of an accumulator (a row of op(A) or a column of op(B)) over all panels: its scale, whether a panel
// fits its exponents, and its error. The CPU and the GPU use the same rules, so that exported bytes agree.
#pragma once

#include <cstdint>

#include "include/accublas.h"
#include "lib/base/host_device.hpp"

namespace accublas {

/// Returns whether a line with the exponent `above` (LineExponents) has zeros only.
ACCUBLAS_HD constexpr bool is_zero_line(std::int32_t above) { return above == ACCUBLAS_EXPONENT_NONE; }

/// Returns the scale of a line whose entries are below 2^above: a' = a 2^scale has at most `bits` bits.
ACCUBLAS_HD constexpr int held_scale(std::int32_t above, int bits) { return is_zero_line(above) ? 0 : bits - above; }

/// Returns whether a line that is not zero, with entries below 2^exponent that are multiples of 2^last_bit, fits the
/// exponents `above` and `below` of the accumulator.
ACCUBLAS_HD constexpr bool fits_exponents(std::int32_t above, std::int32_t below, int exponent, int last_bit) {
  return !is_zero_line(above) && exponent <= above && -last_bit <= below;
}

/// Returns an upper bound of sum + more, which are not negative: of the errors, or the squares, of two panels.
ACCUBLAS_HD constexpr double add_upwards(double sum, double more) { return (sum + more) * (1 + 0x1p-52); }

}  // namespace accublas
