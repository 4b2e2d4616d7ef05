// How many moduli a sum needs. No bit of a result depends on it.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas {

/// log2 of the largest abs(S) that the first `count` moduli are used for: P / 2 / crt_margin, rounded down.
double int8_capacity(int count);

/// The same for every number of moduli, as a kernel's argument.
struct Capacities {
  double log2[max_moduli + 1];

  /// The least number of moduli for abs(S) <= 2^log2_bound, or `most` where that many do not suffice either.
  ACCUBLAS_HD int moduli_for(double log2_bound, int most) const {
    int count = 1;
    while (count < most && !(log2[count] >= log2_bound)) ++count;
    return count;
  }
};
const Capacities& int8_capacities();

/// The least number of moduli for abs(S) <= 2^log2_bound; 0 if all 49 do not suffice.
int int8_moduli_for(double log2_bound);

/// Upper bound of log2 of the Euclidean norm of a' = the integers nearest to x 2^t, from an upper bound of the norm of
/// x: every entry is moved by at most 1/2.
ACCUBLAS_HD inline double int8_log2_norm(double norm, int t, std::int64_t k) {
  return log2(scalbn(norm, t) + 0.5 * sqrt(static_cast<double>(k))) + 1e-9;
}

}  // namespace accublas
