// Numbers on the device: from residues to limbs and back, by teams of threads (cuda/mp/team.hpp).
#pragma once

#include "cuda/mp/kernels.hpp"
#include "cuda/mp/team.hpp"
#include "lib/numerics/mp_eval.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// Limbs of a team's working memory besides team_words(size).
constexpr int number_words(int size) { return 3 * size; }

/// Working memory of what follows.
struct NumberScratch {
  std::uint32_t *digits, *first, *second;  ///< `size` words each
  __device__ NumberScratch(std::uint32_t* shared, int size)
      : digits(shared), first(shared + size), second(shared + 2 * size) {}
};

/// Limb of abs(S) for the integer S with the given residue (thread k has that of modulus k), abs(S) < M / 2 (1 -
/// 2^-17).
///
/// The quotient q of sum d_k M_k by M is estimated in units of 2^-48: d_k barrett_k / 2^64 is at most 2^-33 below d_k /
/// m_k, and the sum of 544 such errors below 2^-23.
template <bool one_warp>
__device__ std::uint32_t limb_from_residues(const Team<one_warp>& team, const MpBasis& basis, std::uint32_t residue,
                                            const NumberScratch& scratch, bool* negative) {
  const int rank = team.rank();
  std::uint64_t fraction = 0;
  if (rank < basis.moduli) {
    const RnsModulus modulus = load_modulus(basis.modulus + rank);
    const std::uint32_t d = rns_mul(residue, load_factor(basis.inverse + rank), modulus);
    scratch.digits[rank] = d;
    fraction = d * modulus.barrett >> 16;
  }
  const std::uint64_t sum = team.sum(fraction);
  const std::uint32_t quotient = static_cast<std::uint32_t>((sum + (std::uint64_t{1} << 47)) >> 48);
  team.sync();
  Sum96 s;
  if (rank < basis.limbs) {
    const std::uint32_t* column = basis.cofactor + rank;
#pragma unroll 8
    for (int k = 0; k < basis.moduli; ++k, column += basis.limbs) s.add_product(scratch.digits[k], __ldg(column));
    s.add_product(quotient, __ldg(basis.minus_product + rank));
  }
  std::uint32_t limb = team.carried(s);
  *negative = team.broadcast(limb, basis.limbs - 1) >> 31 != 0;
  if (*negative) limb = team.carried(~limb, 1);
  return rank < basis.limbs ? limb : 0;
}

/// Limb of X of an element that is finite and not zero.
template <bool one_warp>
__device__ std::uint32_t limb_of_element(const Team<one_warp>& team, const MpFormat& format,
                                         const mp::Elements& elements, std::int64_t at, const NumberScratch& scratch) {
  const int rank = team.rank();
  const std::uint32_t residue = rank < format.basis.moduli ? elements.digits[rank * elements.stride + at] : 0;
  bool negative;
  return limb_from_residues(team, format.basis, residue, scratch, &negative);
}

/// The leading 64 bits of X.
__device__ __forceinline__ std::uint64_t leading_bits(const std::uint32_t* limb, const MpFormat& format) {
  const int from = format.precision - 64, at = from / 32, shift = from % 32;
  const std::uint32_t low = limb[at], middle = limb[at + 1], high = shift != 0 ? limb[at + 2] : 0;
  return static_cast<std::uint64_t>(__funnelshift_r(middle, high, shift)) << 32 | __funnelshift_r(low, middle, shift);
}

/// Writes element `at`: X by its limbs (finite), or a special code with X = 0.
template <bool one_warp>
__device__ void store_element(const Team<one_warp>& team, const MpFormat& format, const mp::Elements& to,
                              std::int64_t at, std::uint32_t limb, std::int32_t exponent, bool negative,
                              const NumberScratch& scratch) {
  const int rank = team.rank();
  const bool special = mp::is_special(exponent);
  team.sync();
  scratch.first[rank] = special ? 0 : limb;
  team.sync();
  if (rank < format.basis.moduli) {
    std::uint32_t residue = 0;
    if (!special) {
      Sum96 s;
      const std::uint32_t* power = format.power + rank;
#pragma unroll 4
      for (int l = 0; l < format.limbs; ++l, power += format.line) s.add_product(scratch.first[l], __ldg(power));
      residue = s.modulo(load_modulus(format.basis.modulus + rank));
    }
    to.digits[rank * to.stride + at] = residue;
  }
  if (rank == 0) {
    to.exponent[at] = exponent;
    to.sign[at] = exponent != mp::exponent_nan && negative;
    const Interval bounds = special ? Interval{0, 0} : evaluate(leading_bits(scratch.first, format), format.eval);
    to.eval[at] = bounds.lower;
    to.eval[to.length + at] = bounds.upper;
  }
}

/// Writes the finite number +-(N + rest) 2^exponent, 0 <= rest < 1 and rest > 0 only if `rest`, rounded to nearest
/// even; N stands in the team's limbs. Where there is a rest, N has more than precision + 1 bits. Zero: +0.
template <bool one_warp>
__device__ void store_rounded(const Team<one_warp>& team, const MpFormat& format, const mp::Elements& to,
                              std::int64_t at, std::uint32_t limb, bool negative, std::int64_t exponent, bool rest,
                              const NumberScratch& scratch) {
  const int rank = team.rank(), precision = format.precision;
  const int length = team.bit_length(limb);
  if (length == 0) return store_element(team, format, to, at, 0, mp::exponent_zero, false, scratch);
  const std::int64_t by = length - precision;
  team.sync();
  scratch.first[rank] = limb;
  team.sync();
  std::uint32_t x = team.shifted(scratch.first, team.size(), by);
  std::int64_t e = exponent + length;  // of the number before rounding
  bool exact_power = false;
  if (by > 0) {
    const std::int64_t half = by - 1;
    const bool half_set = scratch.first[half >> 5] >> (half & 31) & 1;
    const bool below = team.loses(limb, half) || rest;
    const bool odd = team.broadcast(x, 0) & 1;
    // A power of two: one bit, the highest, and no rest.
    exact_power = !half_set && !below;
    if (half_set && (below || odd)) {
      x = team.carried(x, 1);
      // 2^p: its only bit is the one above.
      if (team.bit_length(x) > precision) {
        x = rank == (precision - 1) / 32 ? 1u << ((precision - 1) % 32) : 0;
        if (e >= mp::least_exponent) ++e;
      }
    }
  } else {
    exact_power = true;
  }
  if (e > mp::greatest_exponent)
    return store_element(team, format, to, at, 0, mp::exponent_infinity, negative, scratch);
  if (e < mp::least_exponent) {
    // Above half of the least number: to that; at half or below: to zero.
    const std::uint32_t top = rank == (precision - 1) / 32 ? 1u << ((precision - 1) % 32) : 0;
    exact_power = exact_power && !team.any(x != top);
    if (e < mp::least_exponent - 1 || exact_power)
      return store_element(team, format, to, at, 0, mp::exponent_zero, negative, scratch);
    return store_element(team, format, to, at, top, mp::least_exponent, negative, scratch);
  }
  store_element(team, format, to, at, x, static_cast<std::int32_t>(e), negative, scratch);
}

#endif

}  // namespace accublas::cuda
