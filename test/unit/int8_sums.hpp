// Sums as residues hold them, in GMP integers.
#pragma once

#include "int8_reference.hpp"
#include "lib/cpu/kernels/int8_kernels.hpp"

namespace accublas_test {

/// The product of the first `count` moduli.
inline Integer product_of(int count) {
  Integer p(1);
  for (int l = 0; l < count; ++l) mpz_mul_ui(p.z_, p.z_, static_cast<unsigned long>(accublas::cpu::int8_moduli[l].p));
  return p;
}

/// The largest S that `count` moduli are used for, P / 2 / crt_margin.
inline Integer largest_sum(int count) {
  Integer s = product_of(count);
  mpz_mul_ui(s.z_, s.z_, 16);
  mpz_fdiv_q_ui(s.z_, s.z_, 33);
  return s;
}

/// The residue as the engine keeps it.
inline int residue(const Integer& s, int p) {
  int r = static_cast<int>(mpz_fdiv_ui(s.z_, static_cast<unsigned long>(p)));
  return 2 * r > p || r == 128 ? r - p : r;
}

}  // namespace accublas_test
