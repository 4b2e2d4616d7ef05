// Converts numbers on the device from residues to limbs and back, by teams of threads (cuda/mp/team.hpp).
#pragma once

#include "cuda/mp/kernels.hpp"
#include "cuda/mp/team.hpp"
#include "lib/numerics/mp_eval.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// Returns the words of a team's working memory in addition to team_words(size); a multiple of 4.
constexpr int number_words(int size) { return 3 * size; }

/// The working memory of the functions below.
struct NumberScratch {
  std::uint32_t *digits, *first, *second;  ///< `size` words each
  __device__ NumberScratch(std::uint32_t* shared, int size)
      : digits(shared), first(shared + size), second(shared + 2 * size) {}
};

/// A thread's constants of a basis; they may be loaded long before the residues are available.
struct BasisWords {
  RnsModulus modulus{};
  RnsFactor inverse{};
  std::uint32_t minus_product = 0;
};
__device__ __forceinline__ BasisWords basis_words(const MpBasis& basis, int rank) {
  BasisWords w;
  if (rank < basis.moduli) {
    w.modulus = load_modulus(basis.modulus + rank);
    w.inverse = load_factor(basis.inverse + rank);
  }
  if (rank < basis.limbs) w.minus_product = __ldg(basis.minus_product + rank);
  return w;
}
/// Loads the constants before an await_predecessor() that follows.
__device__ __forceinline__ BasisWords basis_words_early(const MpBasis& basis, int rank) {
  BasisWords w;
  if (rank < basis.moduli) {
    w.modulus = load_modulus_early(basis.modulus + rank);
    w.inverse = load_factor_early(basis.inverse + rank);
  }
  if (rank < basis.limbs) w.minus_product = ptx::load_table_early(basis.minus_product + rank);
  return w;
}
/// Returns the first rows of the thread's column of cofactors.
__device__ __forceinline__ FirstQuads first_cofactors(const MpBasis& basis, int rank) {
  return first_quads(basis.cofactor, basis.limbs, rank);
}
__device__ __forceinline__ FirstQuads first_cofactors_early(const MpBasis& basis, int rank) {
  return first_quads_early(basis.cofactor, basis.limbs, rank);
}

/// Writes the team's digits of the Chinese remainder theorem; thread k writes that of modulus k from its residue.
/// Returns the thread's part of the quotient.
__device__ __forceinline__ std::uint64_t put_digit(const MpBasis& basis, const BasisWords& words, int rank,
                                                   std::uint32_t residue, const NumberScratch& scratch) {
  const std::uint32_t d = rank < basis.moduli ? rns_mul(residue, words.inverse, words.modulus) : 0;
  scratch.digits[rank] = d;
  return d * words.modulus.barrett >> 16;
}

/// Returns the thread's limb of abs(S) for the integer S = sum_k d_k M_k - q M, abs(S) < M / 2 (1 - 2^-17). The
/// arguments are the thread's word of the sum over k and its part of the quotient.
///
/// The quotient q is estimated in units of 2^-48: d_k barrett_k / 2^64 is at most 2^-33 below d_k / m_k, and the sum of
/// 544 such errors is below 2^-23.
template <int width>
__device__ std::uint32_t limb_from_sum(const Team<width>& team, const MpBasis& basis, const BasisWords& words, Sum96 s,
                                       std::uint64_t fraction, bool* negative) {
  const int rank = team.rank();
  const std::uint32_t quotient = static_cast<std::uint32_t>((team.sum(fraction) + (std::uint64_t{1} << 47)) >> 48);
  if (rank < basis.limbs) s.add_product(quotient, words.minus_product);
  std::uint32_t limb = team.carried(s);
  *negative = team.broadcast(limb, basis.limbs - 1) >> 31 != 0;
  if (*negative) limb = team.carried(~limb, 1);
  return rank < basis.limbs ? limb : 0;
}

/// Returns the thread's limb of abs(S) for the integer S with the given residue (thread k has that of modulus k).
template <int width>
__device__ std::uint32_t limb_from_residues(const Team<width>& team, const MpBasis& basis, const BasisWords& words,
                                            const FirstQuads& cofactors, std::uint32_t residue,
                                            const NumberScratch& scratch, bool* negative) {
  const int rank = team.rank();
  const std::uint64_t fraction = put_digit(basis, words, rank, residue, scratch);
  team.sync();
  Sum96 s;
  if (rank < basis.limbs) s = sum_of_words(scratch.digits, cofactors, basis.cofactor, basis.limbs, basis.moduli, rank);
  return limb_from_sum(team, basis, words, s, fraction, negative);
}

/// Returns the thread's limb of X for an element that is finite and not zero.
template <int width>
__device__ std::uint32_t limb_of_element(const Team<width>& team, const MpFormat& format, const mp::Elements& elements,
                                         std::int64_t at, const NumberScratch& scratch) {
  const int rank = team.rank();
  const std::uint32_t residue = rank < format.basis.moduli ? elements.digits[rank * elements.stride + at] : 0;
  bool negative;
  return limb_from_residues(team, format.basis, basis_words(format.basis, rank), first_cofactors(format.basis, rank),
                            residue, scratch, &negative);
}

/// Returns the leading 64 bits of X.
__device__ __forceinline__ std::uint64_t leading_bits(const std::uint32_t* limb, const MpFormat& format) {
  const int from = format.precision - 64, at = from / 32, shift = from % 32;
  const std::uint32_t low = limb[at], middle = limb[at + 1], high = shift != 0 ? limb[at + 2] : 0;
  return static_cast<std::uint64_t>(__funnelshift_r(middle, high, shift)) << 32 | __funnelshift_r(low, middle, shift);
}

/// A thread's constants for computing the residue of its modulus.
struct FormatWords {
  RnsModulus modulus{};
  FirstQuads powers;
};
__device__ __forceinline__ FormatWords format_words(const MpFormat& format, int rank) {
  const bool used = rank < format.basis.moduli;
  FormatWords w;
  if (used) w.modulus = load_modulus(format.basis.modulus + rank);
  w.powers = first_quads(format.powers_of, format.basis.moduli, rank);
  return w;
}

/// Writes element `at`: X by its limbs (finite), or a special code with X = 0.
template <int width>
__device__ void store_element(const Team<width>& team, const MpFormat& format, const FormatWords& words,
                              const mp::Elements& to, std::int64_t at, std::uint32_t limb, std::int32_t exponent,
                              bool negative, const NumberScratch& scratch) {
  const int rank = team.rank();
  const bool special = mp::is_special(exponent);
  team.sync();
  scratch.first[rank] = special ? 0 : limb;
  team.sync();
  if (rank < format.basis.moduli) {
    std::uint32_t residue = 0;
    if (!special)
      residue = sum_of_words(scratch.first, words.powers, format.powers_of, format.basis.moduli, format.limbs, rank)
                    .modulo(words.modulus);
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

/// Writes a zero, an infinity or a NaN.
template <int width>
__device__ void store_special(const Team<width>& team, const MpFormat& format, const mp::Elements& to, std::int64_t at,
                              std::int32_t code, bool negative) {
  if (team.rank() < format.basis.moduli) to.digits[team.rank() * to.stride + at] = 0;
  if (team.rank() != 0) return;
  to.exponent[at] = code;
  to.sign[at] = code != mp::exponent_nan && negative;
  to.eval[at] = to.eval[to.length + at] = 0;
}

/// Writes the finite number +-(N + rest) 2^exponent, 0 <= rest < 1, with rest > 0 only if `rest`, rounded to nearest
/// even. The team's limbs hold N. If there is a rest, N has more than precision + 1 bits. A zero is written as +0.
template <int width>
__device__ void store_rounded(const Team<width>& team, const MpFormat& format, const mp::Elements& to, std::int64_t at,
                              std::uint32_t limb, bool negative, std::int64_t exponent, bool rest,
                              const NumberScratch& scratch) {
  const int rank = team.rank(), precision = format.precision;
  const FormatWords words = format_words(format, rank);  // these loads are in flight while the number is rounded
  const int length = team.bit_length(limb);
  std::uint32_t x = 0;
  std::int64_t e = mp::exponent_zero;
  if (length == 0) {
    negative = false;
  } else {
    const std::int64_t by = length - precision;
    team.sync();
    scratch.first[rank] = limb;
    team.sync();
    x = team.shifted(scratch.first, team.size(), by);
    e = exponent + length;  // exponent of the number before rounding
    bool exact_power = true;
    if (by > 0) {
      const std::int64_t half = by - 1;
      const bool half_set = scratch.first[half >> 5] >> (half & 31) & 1;
      const bool below = team.loses(limb, half) || rest;
      const bool odd = team.broadcast(x, 0) & 1;
      // The number is a power of two if its highest bit is its only bit and there is no rest.
      exact_power = !half_set && !below;
      if (half_set && (below || odd)) {
        x = team.carried(x, 1);
        // The result is 2^p, whose only bit is the one above the precision.
        if (team.bit_length(x) > precision) {
          x = rank == (precision - 1) / 32 ? 1u << ((precision - 1) % 32) : 0;
          if (e >= mp::least_exponent) ++e;
        }
      }
    }
    if (e > mp::greatest_exponent) {
      e = mp::exponent_infinity;
    } else if (e < mp::least_exponent) {
      // Above half of the least number the result is the least number; at half or below it is zero.
      const std::uint32_t top = rank == (precision - 1) / 32 ? 1u << ((precision - 1) % 32) : 0;
      exact_power = exact_power && !team.any(x != top);
      x = top;
      e = e < mp::least_exponent - 1 || exact_power ? mp::exponent_zero : mp::least_exponent;
    }
  }
  store_element(team, format, words, to, at, x, static_cast<std::int32_t>(e), negative, scratch);
}

#endif

}  // namespace accublas::cuda
