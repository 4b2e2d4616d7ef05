// Ziv's test of cr's engines that sum in floating point, with the test build's hooks.
#pragma once

#include "lib/base/test_hooks.hpp"
#include "lib/numerics/triple_sum.hpp"

namespace accublas {

/// RN(alpha S + beta c) and true, where the interval of `sum` decides it.
template <class T>
ACCUBLAS_HD bool ziv_test(T alpha, TripleSum sum, T beta, T c, T* out) {
  if (mutant(Mutant::ziv_half)) sum.error *= 0x1p-40;
  if (!triple_known(sum)) return false;
  bool decided = finish_triple(alpha, sum, 0, beta, c, out) && !hook_all_undecided();
  if (mutant(Mutant::skipped_undecided)) {
    sum.error = 0;
    finish_triple(alpha, sum, 0, beta, c, out);
    decided = true;
  }
  return decided;
}

}  // namespace accublas
