// The moduli of the multiple-precision arrays are the primes below 2^31 in descending order, generated on demand.
#pragma once

#include <cstdint>

#include "lib/numerics/rns.hpp"

namespace accublas::mp {

inline constexpr int min_precision = 64;
inline constexpr int max_precision = 8192;

/// The bits needed are 2 8192 bits of a product, 63 bits of spread on either side, 2^40 terms, sign and margin: 16552
/// bits in words of 31.
inline constexpr int max_moduli = 544;

/// A shift by fewer bits than this is a product with a table's entry.
inline constexpr int shifts = 64;

/// 2^s mod m for s < 64.
struct RnsPowers {
  RnsFactor factor[shifts];
};

/// Returns the first `count` moduli, count <= max_moduli. The address never changes, and a longer table starts with the
/// same entries. The table is generated at first use; the function is thread-safe. Primality is decided by Miller and
/// Rabin's test, which is deterministic below 2^32 with the bases 2, 7, 61.
const RnsModulus* moduli(int count);

/// Returns the powers of two modulo the first `count` moduli.
const RnsPowers* powers(int count);

/// Returns the least count of moduli whose product M holds integers abs(S) < 2^bits: M > 2^(bits + 1) (1 + 2^-16). The
/// margin 2^-16 allows the quotient of the Chinese remainder theorem to be estimated in doubles (lib/mp/basis.hpp).
int moduli_for_bits(int bits);

/// The constant factor w < m with its quotient.
RnsFactor make_factor(std::uint32_t w, const RnsModulus& modulus);
/// base^exponent mod m; 1 / a mod m for 0 < a < m.
std::uint32_t rns_power(std::uint32_t base, std::uint64_t exponent, const RnsModulus& modulus);
std::uint32_t rns_inverse(std::uint32_t a, const RnsModulus& modulus);

}  // namespace accublas::mp
