// Deliberate defects of the multiple-precision arrays: what lib/base/test_hooks.hpp is for the other routines.
// ACCUBLAS_MUTANT=mp_* runs the test build with one of them, and test/mutants/mp_mutants.py proves that the suites
// catch every one. In the library that is installed the query is the constant false.
#pragma once

#include "lib/base/hooked_source.hpp"
#include "lib/base/host_device.hpp"

namespace accublas {

enum class MpMutant {
  none,
  tie_away,          ///< sparse sum: halfway cases rounded away from zero
  sticky,            ///< sparse sum: what lies below the half is forgotten
  carry_exponent,    ///< sparse sum: a last place that carries to a power of two leaves the exponent
  tie_rest,          ///< sparse sum: the sign of what follows a midpoint is not looked for
  rest_bound,        ///< finish: the bound on what follows a term too small
  zero_sign,         ///< finish: an exact zero is -0
  overflow,          ///< finish: the largest exponent counts as an overflow
  underflow,         ///< finish: what is below the least number is a zero
  beta_zero,         ///< finish: C read where beta is 0
  inf_times_zero,    ///< wide sums: Inf times 0 taken as 0
  lost_band,         ///< wide sums: the lowest band of an output is dropped
  lost_column,       ///< product: the lowest band of a vector is dropped
  dropped_modulus,   ///< product: one modulus too few
  spread,            ///< align: shifts above 31 lose 32
  stale_aligned,     ///< array: an aligned form outlives a write
  stale_digits,      ///< transfer: digits below those of a double keep what they held
  leading_limb,      ///< transfer: limbs of a top limb without its leading bit taken as they are
  limb_order,        ///< transfer: halves of 64-bit limbs exchanged
  interval_decides,  ///< compare: overlapping intervals taken as equal numbers
  count
};

#ifdef ACCUBLAS_TEST_HOOKS
bool mutant(MpMutant which) noexcept;  ///< whether ACCUBLAS_MUTANT names this one
#else
ACCUBLAS_HD constexpr bool mutant(MpMutant) noexcept { return false; }
#endif

}  // namespace accublas
