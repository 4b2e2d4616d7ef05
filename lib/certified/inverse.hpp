// An approximate inverse R of a scaled matrix, and the bounds that are proved of G = I - R A (docs/certified.md, "The
// inverse").
#pragma once

#include "lib/certified/system.hpp"

namespace accublas::certified {

/// R is the sum of its parts, unevaluated, and with a vector v > 0: abs(G) v <= g <= contraction v, element by element.
struct Inverse {
  Index parts = 1;
  Placed memory;
  Matrix<const double> r{};  ///< n x parts n, the parts side by side
  double contraction = HUGE_VAL;
  Array weights, product;  ///< v and g
  Array row_sums;          ///< at least those of the parts' magnitudes
  double norm = HUGE_VAL;  ///< the largest of them
};

struct Inverses {
  Inverse best;
  Index zero_pivots = 0;
  bool definite = false;  ///< A is proved to be positive definite
  double condition = HUGE_VAL;
};

/// Computes R in one part, and in two parts if one does not contract well.
Inverses invert(const System& system, bool may_be_definite, const Calls& calls);

}  // namespace accublas::certified
