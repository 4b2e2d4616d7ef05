// The moduli of dp and sp for even data, which are certified by their rows and columns alone.
#pragma once

#include "lib/call/problem.hpp"
#include "lib/numerics/capacity.hpp"

namespace accublas::cuda {

struct EvenModuli {
  int least, most;
};

/// The bound (k + 2) u leaves more room the longer the sums are.
constexpr EvenModuli even_moduli(bool single, Index k, ResidueKind residues = ResidueKind::real) {
  if (residues == ResidueKind::complex) return single ? EvenModuli{6, 7} : EvenModuli{14, 15};
  const int least = single ? 6 : 13;
  return {least, k <= 2560 ? least + 1 : least};
}

}  // namespace accublas::cuda
