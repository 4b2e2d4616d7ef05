// The scaling of panels of cr's GEMM by sums by powers of two, and the rounding of their lines in fixed:T.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/kernels/fixed_kernels.hpp"
#include "lib/cpu/sums/cr_panels.hpp"
#include "lib/numerics/float_bits.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cpu {

/// Returns whether products of two lines may lose bits below the subnormal numbers, or exceed what chains can add.
inline bool leave_range(const CrPanels& a, Index rows, const CrPanels& b, Index cols) {
  const auto extremes = [](const CrPanels& x, Index count) {
    double largest = 0, last = 0x1p1023;
    for (Index i = 0; i < count; ++i) {
      if (is_finite(x.largest[i])) largest = std::max(largest, x.largest[i]);
      last = std::min(last, x.last_bit[i]);
    }
    return std::pair(largest, last);
  };
  const auto [a_largest, a_last] = extremes(a, rows);
  const auto [b_largest, b_last] = extremes(b, cols);
  return a_last * b_last == 0 || a_largest * b_largest > 0x1p900;
}

/// Calls function(exponent, last bit) for line i of an operand, with the numbers that `exact_scale` asks for. A line
/// with an Inf or a NaN counts as zeros.
template <class Function>
int of_line(const CrPanels& x, Index i, Function&& function) {
  const double largest = x.largest[i], last_bit = x.last_bit[i];
  if (!is_finite(largest) || largest == 0) return function(0, 0);
  const auto exponent = [](double normal) { return static_cast<int>(to_bits(normal) >> 52) - 1023; };
  if (last_bit >= std::numeric_limits<double>::min()) return function(exponent(largest) + 1, exponent(last_bit));
  return function(exponent_above(largest), exponent_of_last_bit(last_bit));
}
/// Returns by how much scaled lines exceed 2^scaled_top.
inline int excess(const CrPanels& x, Index count) {
  int most = 0;
  for (Index i = 0; i < count; ++i) most = std::max(most, of_line(x, i, scaled_excess));
  return most;
}
/// Scales lines by powers of two to entries below 2^top, as far as that is exact.
inline void scale_lines(const CrPanelKernels& kernels, const CrPanels& x, Index count, int top) {
  for (Index first = 0; first < count; first += x.lines) {
    CrScale scale;
    for (Index i = 0; i < x.lines; ++i) {
      const auto exact = [=](int exponent, int last_bit) { return exact_scale(exponent, last_bit, top); };
      const int e = first + i < count ? std::clamp(of_line(x, first + i, exact), -1000, 1000) : 0;
      scale.first[i] = power_of_two(e);
      scale.second[i] = 1;
      x.unscale[first + i] = power_of_two(-e);
    }
    CrChange change;
    change.scale = &scale;
    kernels.change(x.k, count - first, x.entry(first), change, x.entry(first), x.known(first));
  }
}

/// Returns whether rounding drops a bit of a finite row while some column is finite, or of a finite column while some
/// row is.
inline bool drop_bits(const CrPanels& a, Index rows, const CrPanels& b, Index cols, int bits) {
  const auto judge = [&](const CrPanels& x, Index count) {
    bool finite = false, drops = false;
    for (Index i = 0; i < count; ++i) {
      if (!is_finite(x.largest[i])) continue;
      finite = true;
      drops |= of_line(x, i, [](int exponent, int last_bit) { return exponent - last_bit; }) > bits;
    }
    return std::pair(finite, drops);
  };
  const auto [a_finite, a_drops] = judge(a, rows);
  const auto [b_finite, b_drops] = judge(b, cols);
  return (a_drops && b_finite) || (b_drops && a_finite);
}

/// Rounds lines to `bits` bits, in units of 2^exponent, in which their entries are below 1. The exponents are those of
/// all lines of the operand, of which `from` is the panel's first, or null for measured lines. A unit of more than
/// 2^+-1000 would leave no double that undoes it, so such a line stays in units of 2^+-1000.
inline void round_lines(const CrPanelKernels& kernels, const CrPanels& x, Index count, int bits,
                        const std::int32_t* exponents, Index from) {
  constexpr int most = 1000;
  for (Index first = 0; first < count; first += x.lines) {
    CrScale scale, back;
    CrChange change;
    bool extreme = false;
    for (Index i = 0; i < x.lines; ++i) {
      const Index line = first + i;
      const int exponent = line >= count ? 0
                           : exponents   ? exponents[from + line]
                                         : of_line(x, line, [](int above, int) { return above; });
      const int unit = std::clamp(exponent, -most, most);
      const FixedScale rounding = fixed_scale(exponent, bits);
      scale.first[i] = rounding.factor1;
      scale.second[i] = rounding.factor2;
      change.magic = rounding.magic;
      x.unscale[line] = power_of_two(unit);
      back.first[i] = power_of_two(exponent - unit);
      back.second[i] = 1;
      extreme |= exponent != unit;
    }
    change.scale = &scale;
    kernels.change(x.k, count - first, x.entry(first), change, x.entry(first), x.known(first));
    if (!extreme) continue;
    change.scale = &back;
    change.magic = 0;  // nothing is rounded
    kernels.change(x.k, count - first, x.entry(first), change, x.entry(first), x.known(first));
  }
}

}  // namespace accublas::cpu
