// The moduli of multiple-precision products on INT8 units. Residues modulo the 49 moduli below 2^8 of the int8 engine
// take one product of 8-bit numbers. Residues modulo primes below 2^14 are two digits of 7 bits (cpu::mp_digit_bits), r
// = high 2^7 + low, and take three (Karatsuba): high high', low low' and (high + low) (high' + low').
#pragma once

#include <cstdint>
#include <vector>

#include "lib/mp/kernels/mp_byte_kernels.hpp"

namespace accublas::mp {

/// Terms of a sum up to which the sums of 8-bit products fit into 32 bits.
std::int64_t most_byte_terms();

/// The first moduli whose product M exceeds 2^(bits + 1) (1 + 2^-16). An integer S with abs(S) < 2^bits and the
/// residues r_k is sum_k d_k M / p_k - q M with d_k = r_k p_k / M mod p_k, and q the integer nearest to sum_k d_k / p_k
/// (lib/mp/basis.hpp has the same margin, 2^-18; the sum of at most 1300 doubles has an error below 2^-32). Groups of
/// moduli share a digit below 2^31: D_g = sum of d_k m_g / p_k over the moduli of the group, whose product is m_g, so
/// that S = sum_g D_g M / m_g - q M.
struct ByteBasis {
  int count;
  int small;  ///< moduli that take one product; the others take three
  std::vector<cpu::MpByteModulus> modulus;
  std::vector<cpu::MpByteGroup> group;
  int columns;  ///< of `column`: moduli_for_bits(bits), as in the basis of residues of 31 bits
  /// Digit l of 31 bits of M / m_g modulo 2^(31 columns) at [l (groups + 1) + g], and of -M for g = groups.
  std::vector<std::uint32_t> column;

  int groups() const { return static_cast<int>(group.size()); }
  int digits() const { return groups() + 1; }
  /// Planes of 8-bit numbers, or products of them, that modulus k takes.
  int planes(int k) const { return k < small ? 1 : 3; }
  /// Planes of moduli 0 .. k - 1.
  std::int64_t first_plane(int k) const { return k <= small ? k : small + 3 * std::int64_t{k - small}; }
  /// Rows of weights of moduli 0 .. k - 1.
  int weight_rows(int k) const { return k <= small ? k : small + 2 * (k - small); }
  std::int64_t products() const { return first_plane(count); }
};

/// Returns the basis for abs(S) < 2^bits. The process keeps it.
const ByteBasis& byte_basis(int bits);

/// Weights that take integers of `bytes` bytes (a multiple of 64) to residues: 2^(8 l) mod p_k at [row bytes + l], as
/// one row of numbers below 2^8, or two rows of numbers below 2^7, the low digit first. Integers have signed bytes
/// (each byte less 128); offset[k] = 128 sum_l 2^(8 l) mod p_k is what that takes away. 32 rows more may be read.
struct ByteWeights {
  std::vector<std::uint8_t> weight;
  std::vector<double> offset;
};
/// Returns the weights of the moduli of a basis. The process keeps them.
const ByteWeights& byte_weights(const ByteBasis& basis, int bytes);

}  // namespace accublas::mp
