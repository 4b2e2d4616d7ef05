// Decides the floating-point exceptions of a result from what its operands are (docs/modes.md, "Floating-point
// exceptions").
#pragma once

#include "lib/base/exceptions.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas {

/// Tells of the operands of a result what its exceptions depend on.
struct OperandKinds {
  bool any_nan = false, all_finite = true;

  template <class T>
  ACCUBLAS_HD constexpr void add(T x) {
    any_nan |= is_nan(x);
    all_finite &= is_finite(x);
  }
  ACCUBLAS_HD constexpr void add(const OperandKinds& others) {
    any_nan |= others.any_nan;
    all_finite &= others.all_finite;
  }
  /// Returns the exceptions of a result that is rounded from the operands.
  template <class T>
  ACCUBLAS_HD constexpr unsigned exceptions_of(T result) const {
    if (is_finite(result)) return exceptions::none;
    if (is_nan(result)) return any_nan ? exceptions::none : exceptions::invalid;
    return all_finite ? exceptions::overflow : exceptions::none;
  }
};

}  // namespace accublas
