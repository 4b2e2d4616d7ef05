// Kernels between integers, residues of at most 14 bits and the sums of products of 8-bit numbers. Every instruction
// set compiles the same loops (lib/mp/kernels/mp_bytes.cpp), which compilers turn into vectors. All numbers are
// integers below 2^53 in doubles, so that only quotients are rounded, and a quotient may be off by one without harm.
#pragma once

#include <cstdint>

#include "lib/cpu/kernels/kernel_tables.hpp"

namespace accublas::cpu {

/// Residues modulo primes of up to twice as many bits are two digits of so many bits.
inline constexpr int mp_digit_bits = 7, mp_digit_radix = 1 << mp_digit_bits;

/// A modulus: 256, 255, ... as in engine int8, or a prime below 2^14.
struct MpByteModulus {
  std::int32_t p;
  double inverse;         ///< 1 / p rounded
  std::int32_t cofactor;  ///< p / M mod p, for the Chinese remainder theorem
  std::int32_t of_group;  ///< m_g / p
};

/// Moduli first .. first + count - 1, which share a digit.
struct MpByteGroup {
  int first, count;
};

/// Elements of a conversion, at a time.
inline constexpr std::int64_t mp_byte_block = 512;

/// The arguments of `split`, which reduces sums of weights times the signed bytes of integers to residues: r = sign
/// (low + mp_digit_radix high + offset) mod p, for `elements` <= mp_byte_block. `high` is null for a modulus with one
/// plane. Signed residues lie in -p/2 .. p/2, with digits -64 <= low < 64 and -64 <= high <= 64. Unsigned residues lie
/// in 0 .. p - 1 with digits below mp_digit_radix. plane[0] gets the residue, or its digits high, low and high + low go
/// to the three planes.
struct MpByteSplit {
  const std::int32_t *low, *high;
  const double* sign;  ///< 1 or -1
  double offset;
  MpByteModulus modulus;
  bool is_signed;
  std::int64_t elements;
  std::uint8_t* plane[3];
};

/// The arguments of `reduce`, which reduces a tile of sums of products, with rows sum_stride apart, to d = r p / M mod
/// p in 0 .. p - 1. r is the sum modulo p. With one sum it is sum[0]. With three sums, in the order of the planes, it
/// is 2^14 high high' + 2^7 (mixed - high high' - low low') + low low'.
struct MpByteReduce {
  const std::int32_t* sum[3];
  std::int64_t sum_stride, rows, columns;
  bool digits;  ///< three sums
  MpByteModulus modulus;
  std::uint16_t* out;
  std::int64_t out_stride;
};

/// Elements whose digits a call computes, at most.
inline constexpr std::int64_t mp_byte_outputs = 256;

/// The arguments of `digits`, which adds up the d_k of `elements` <= mp_byte_outputs elements to the digits of groups,
/// digit[g digit_stride + e], and writes q to digit[groups digit_stride + e].
struct MpByteDigits {
  const std::uint16_t* d;
  std::int64_t d_stride;
  const MpByteModulus* modulus;
  const MpByteGroup* group;
  int groups;
  std::int64_t elements;
  std::uint32_t* digit;
  std::int64_t digit_stride;
};

struct MpByteKernels {
  void (*split)(const MpByteSplit&);
  void (*reduce)(const MpByteReduce&);
  void (*digits)(const MpByteDigits&);
};

ACCUBLAS_DECLARE_KERNELS(MpByteKernels)

}  // namespace accublas::cpu
