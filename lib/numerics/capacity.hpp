// How many moduli a sum needs. No bit of a result depends on it.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/complex_moduli.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas {

/// Whose residues: of real sums, or of complex ones (lib/numerics/complex_moduli.hpp).
enum class ResidueKind : std::int32_t { real, complex };

ACCUBLAS_HD constexpr int most_moduli(ResidueKind of) { return of == ResidueKind::real ? max_moduli : complex_moduli; }
/// Planes of the first `count` moduli.
ACCUBLAS_HD constexpr int planes_of(ResidueKind of, int count) {
  return of == ResidueKind::real ? count : complex_planes(count);
}

/// log2 of the largest abs(S), of a component, that the first `count` moduli are used for: P / 2 / crt_margin, rounded
/// down.
double int8_capacity(int count, ResidueKind = ResidueKind::real);

/// The same for every number of moduli, as a kernel's argument; beyond the last of them its value.
struct Capacities {
  double log2[max_moduli + 1];

  /// The least number of moduli for abs(S) <= 2^log2_bound, or `most` where that many do not suffice either.
  ACCUBLAS_HD int moduli_for(double log2_bound, int most) const {
    int count = 1;
    while (count < most && !(log2[count] >= log2_bound)) ++count;
    return count;
  }
};
const Capacities& int8_capacities(ResidueKind = ResidueKind::real);

/// The least number of moduli for abs(S) <= 2^log2_bound; 0 if all of them do not suffice.
int int8_moduli_for(double log2_bound, ResidueKind = ResidueKind::real);

/// Upper bound of log2 of the Euclidean norm of a' = the integers nearest to x 2^t, from an upper bound of the norm of
/// x: every entry is moved by at most 1/2.
ACCUBLAS_HD inline double int8_log2_norm(double norm, int t, std::int64_t k) {
  return log2(scalbn(norm, t) + 0.5 * sqrt(static_cast<double>(k))) + 1e-9;
}

}  // namespace accublas
