// How many moduli a sum needs. No bit of a result depends on it.
#pragma once

#include <cstdint>

namespace accublas {

/// log2 of the largest abs(S) that the first `count` moduli are used for: P / 2 / crt_margin, rounded down.
double int8_capacity(int count);

/// The least number of moduli for abs(S) <= 2^log2_bound; 0 if all 49 do not suffice.
int int8_moduli_for(double log2_bound);

/// Upper bound of log2 of the Euclidean norm of a' = the integers nearest to x 2^t, from an upper bound of the norm of
/// x: every entry is moved by at most 1/2.
double int8_log2_norm(double norm, int t, std::int64_t k);

}  // namespace accublas
