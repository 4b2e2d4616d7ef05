// Iterative refinement with proved bounds (docs/certified.md, "The radii").
#pragma once

#include "lib/certified/inverse.hpp"
#include "lib/numerics/binary128.hpp"

namespace accublas::certified {

/// The unknowns of a block of right-hand sides in the scales of the system: abs(y - center) <= radius, where the radius
/// is infinite if nothing is proved. Unknown i of side c is 2^(scale[c] + column[i]) y. The centers of a wide system
/// are `wide_center`.
struct Balls {
  Array center, radius;                  ///< n x sides
  std::vector<Binary128> wide_center{};  ///< n x sides
  std::vector<int> scale;
  Index iterations = 0;
};

/// Solves for right-hand sides first .. end - 1.
Balls refine(const System& system, const Inverse& inverse, Index first, Index end, const Calls& calls);

}  // namespace accublas::certified
