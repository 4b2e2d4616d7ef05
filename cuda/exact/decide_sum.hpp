// Ziv's test of a pair with a bound of its error. For .cu files.
#pragma once

#include "cuda/sums/bounded_pair.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas::cuda {

/// Writes RN(alpha S + beta *at) if Ziv's test decides it; `sum` is S 2^scale.
template <class T>
__device__ ACCUBLAS_NOINLINE bool decide_sum(BoundedPair<T, true> sum, int scale, T alpha, T beta, T* at) {
  if (is_zero(sum.error)) {  // then every product is zero
    *at = finish(alpha, Wide<1>{}, 0, beta, read_addend(beta, at));
    return true;
  }
  TripleSum s{sum.pair.s, sum.pair.c, 0, sum.error};
  if (!triple_known(s)) return false;
  if (scale != 0) {
    // A sum far from both ends of the range can be scaled back: s.a1 exactly, and the others up to 2^-1075.
    const double back = power_of_two(-scale);
    const TripleSum there{mul_rn(s.a1, back), mul_rn(s.a2, back), 0,
                          (mul_rn(s.error, back) + 0x1p-1073) * (1 + 0x1p-50)};
    if (fabs(there.a1) >= 0x1p-900 && triple_known(there)) {
      s = there;
      scale = 0;
    }
  }
  T out;
  if (!finish_triple(alpha, s, -scale, beta, read_addend(beta, at), &out)) return false;
  *at = out;
  return true;
}

}  // namespace accublas::cuda
