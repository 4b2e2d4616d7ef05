// A pivot of Cholesky's factorization from the sum of the squares before it (docs/modes.md, "POTRF"): by an interval
// around that sum, which decides nearly always, or by the exact sum.
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

  /// From a sum known up to its error; false where that does not decide.
  ACCUBLAS_HD bool approximate(const TripleSum& sum, T& result) const {
    TripleSum below{-sum.a1, -sum.a2, -sum.a3, sum.error};
    triple_add(below, {static_cast<double>(a), 0, 0, 0});
    if (!triple_known(below)) return false;
    Approximation left = Approximation::of(below);
    if (!(left.high > 0) || !Approximation::in_range(left.high) || !(left.error < left.high * 0x1p-40)) return false;
    if (mutant(Mutant::cholesky_root)) left = {static_cast<double>(static_cast<T>(left.high)), 0, 0};
    // The root is first + second, where 2 first second = rest + low: abs(second) < 2^-51 first. What is left out is
    // second^2 / (2 first), and three roundings of second.
    const double first = detail::sqrt_rn(left.high), rest = fma_rn(-first, first, left.high), half = 0.5 / first;
    const double error = (left.error * half + first * 0x1p-100) * (1 + 0x1p-30);
    return ziv_test({first, (rest + left.low) * half}, error, &result);
  }

  /// From minus the sum, exactly; false where there is no positive number.
  ACCUBLAS_HD ACCUBLAS_NOINLINE bool exact(ExactSum<double>& above, T& result) const {
    above.add(1, a);
    double special = 0;
    if (above.special(special)) {
      result = static_cast<T>(special);
      return special > 0;
    }
    const Wide<LongAccumulator::limbs> left = above.value();
    if (wide_negative(left) || (wide_bit_length(left) == 0 && !mutant(Mutant::cholesky_pivot))) return false;
    result = finish_root<T>(left, false, LongAccumulator::min_exponent);
    return true;
  }
};

}  // namespace accublas
