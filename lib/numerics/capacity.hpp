// This header says how many moduli a sum needs. No bit of a result depends on it.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/complex_moduli.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas {

/// Whether residues belong to real sums or to complex ones (lib/numerics/complex_moduli.hpp).
enum class ResidueKind : std::int32_t { real, complex };

ACCUBLAS_HD constexpr int most_moduli(ResidueKind of) { return of == ResidueKind::real ? max_moduli : complex_moduli; }
/// Planes of the first `count` moduli.
ACCUBLAS_HD constexpr int planes_of(ResidueKind of, int count) {
  return of == ResidueKind::real ? count : complex_planes(count);
}

/// log2 of the largest abs(S) that the first `count` moduli are used for: P / 2 / crt_margin, rounded down. For a
/// complex sum S is one of its components.
double int8_capacity(int count, ResidueKind = ResidueKind::real);

/// Values of `int8_capacity` for every number of moduli, in a form that a kernel can take as an argument. Entries
/// beyond the last modulus repeat the last value.
struct Capacities {
  double log2[max_moduli + 1];

  /// Returns the least number of moduli for abs(S) <= 2^log2_bound, or `most` if that many do not suffice.
  ACCUBLAS_HD int moduli_for(double log2_bound, int most) const {
    int count = 1;
    while (count < most && !(log2[count] >= log2_bound)) ++count;
    return count;
  }
};
const Capacities& int8_capacities(ResidueKind = ResidueKind::real);

/// The least number of moduli for abs(S) <= 2^log2_bound; 0 if all of them do not suffice.
int int8_moduli_for(double log2_bound, ResidueKind = ResidueKind::real);

/// Upper bound of log2 of the Euclidean norm of a' = the integers nearest to x 2^t, given an upper bound of the norm of
/// x. Rounding moves every entry by at most 1/2.
ACCUBLAS_HD inline double int8_log2_norm(double norm, int t, std::int64_t k) {
  return log2(scalbn(norm, t) + 0.5 * sqrt(static_cast<double>(k))) + 1e-9;
}

}  // namespace accublas
