// Deliberate defects of the multiple-precision arrays: what lib/base/test_hooks.hpp is for the other routines.
// ACCUBLAS_TEST_MUTANT=mp_* runs the test build with one of them, and test/mutants/suite_mutants.py proves that the
// suites catch every one. In the library that is installed the query is the constant false.
#pragma once

#include "lib/base/hooked_source.hpp"
#include "lib/base/host_device.hpp"

namespace accublas {

/// The name of each defect, which ACCUBLAS_TEST_MUTANT has with mp_ before it, and its effect.
#define ACCUBLAS_MP_MUTANTS(X)                                                                     \
  X(tie_away, "sparse sum: halfway cases rounded away from zero")                                  \
  X(sticky, "sparse sum: what lies below the half is forgotten")                                   \
  X(carry_exponent, "sparse sum: a last place that carries to a power of two leaves the exponent") \
  X(tie_rest, "sparse sum: the sign of what follows a midpoint is not looked for")                 \
  X(rest_bound, "finish: the bound on what follows a term too small")                              \
  X(zero_sign, "finish: an exact zero is -0")                                                      \
  X(overflow, "finish: the largest exponent counts as an overflow")                                \
  X(underflow, "finish: what is below the least number is a zero")                                 \
  X(beta_zero, "finish: C read where beta is 0")                                                   \
  X(inf_times_zero, "wide sums: Inf times 0 taken as 0")                                           \
  X(lost_band, "wide sums: the lowest band of an output is dropped")                               \
  X(lost_column, "product: the lowest band of a vector is dropped")                                \
  X(dropped_modulus, "product: one modulus too few")                                               \
  X(spread, "align: shifts above 31 lose 32")                                                      \
  X(stale_aligned, "array: an aligned form outlives a write")                                      \
  X(stale_digits, "transfer: digits below those of a double keep what they held")                  \
  X(leading_limb, "transfer: limbs of a top limb without its leading bit taken as they are")       \
  X(limb_order, "transfer: halves of 64-bit limbs exchanged")                                      \
  X(interval_decides, "compare: overlapping intervals taken as equal numbers")

#define ACCUBLAS_ENUMERATOR(name, what) name,
enum class MpMutant { none, ACCUBLAS_MP_MUTANTS(ACCUBLAS_ENUMERATOR) };
#undef ACCUBLAS_ENUMERATOR

#ifdef ACCUBLAS_TEST_HOOKS
bool mutant(MpMutant which) noexcept;  ///< whether ACCUBLAS_TEST_MUTANT names this one
#else
ACCUBLAS_HD constexpr bool mutant(MpMutant) noexcept { return false; }
#endif

}  // namespace accublas
