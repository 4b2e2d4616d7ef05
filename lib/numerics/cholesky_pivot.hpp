// This header computes a pivot of Cholesky's factorization from the sum of the squares before it (docs/modes.md,
// "POTRF"). It first tries an interval around that sum, which decides nearly always, and otherwise needs the exact sum.
#pragma once

#include "lib/numerics/exact_sum.hpp"
#include "lib/numerics/finish_root.hpp"
#include "lib/numerics/quotient.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas {

/// RN(sqrt(a - sum)), where a - sum is positive.
template <class T>
struct CholeskyPivot {
  T a;

  /// Computes the pivot from a sum that is known up to its error. Returns false if the interval does not decide.
  ACCUBLAS_HD bool approximate(const TripleSum& sum, T& result) const {
    TripleSum below{-sum.a1, -sum.a2, -sum.a3, sum.error};
    triple_add(below, {static_cast<double>(a), 0, 0, 0});
    if (!triple_known(below)) return false;
    const Approximation left = Approximation::of(below);
    return root_of({left.high, left.low}, left.error, 1 / detail::sqrt_rn(left.high), result);
  }

  /// Computes the root of a - sum, which lies within `error` of left.high + left.low; y is 1 / sqrt(left.high) up to a
  /// relative error of 2^-52, if left.high is in range. Returns false if the interval does not decide.
  ACCUBLAS_HD static bool root_of(DoublePair left, double error, double y, T& result) {
    const double high = left.high;
    if (!(high > 0) || !Approximation::in_range(high) || !(error < high * 0x1p-40) ||
        !(absolute(left.low) < high * 0x1p-20))
      return false;
    // The root is first + second - d, 2 first second = rest + left.low, 0 <= d < second^2 / (1.9 first). y / 2 is 1 /
    // (2 first) up to 2^-50.6; with its two roundings `second` errs by 2^-50. rest is below 2^-50 high.
    const double first = left.high * y, rest = fma_rn(-first, first, left.high), half = 0.5 * y,
                 second = (rest + left.low) * half;
    error = (error * half + second * second * y + absolute(second) * 0x1p-50 + first * 0x1p-103) * (1 + 0x1p-30);
    return ziv_test({first, second}, error, &result);
  }

  /// Computes the pivot exactly; `above` holds minus the sum. Returns false if a - sum is not a positive number.
  ACCUBLAS_HD ACCUBLAS_NOINLINE bool exact(ExactSum<double>& above, T& result) const {
    above.add(1, a);
    double special = 0;
    if (above.special(special)) {
      result = static_cast<T>(special);
      return special > 0;
    }
    const Wide<LongAccumulator::limbs> left = above.value();
    if (wide_negative(left) || wide_bit_length(left) == 0) return false;
    result = finish_root<T>(left, false, LongAccumulator::min_exponent);
    return true;
  }
};

}  // namespace accublas
