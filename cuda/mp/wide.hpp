// Outputs whose exponents pass what one band holds: the terms of equal exponents are summed at a time, largest first,
// and the sums are added up exactly until the rounded result is known (lib/numerics/sparse_sum.hpp). By a team of
// threads each; slow and exact.
#pragma once

#include "cuda/mp/output.hpp"
#include "lib/numerics/sparse_sum.hpp"

namespace accublas::cuda {

using MpWideSum = SparseSum<std::uint32_t>;

/// Bits of alpha Y, and limbs of the accumulator for such terms and for beta c.
ACCUBLAS_HD inline int term_bits(const MpFormat& format, const MpBasis& basis) {
  return 32 * (basis.limbs + format.limbs);
}
ACCUBLAS_HD inline int sum_limbs(const MpFormat& format, const MpBasis& basis) {
  return MpWideSum::capacity(format.precision, term_bits(format, basis));
}

/// Words of shared memory of a team for an output with bands.
inline int wide_words(const MpFormat& format, const MpBasis& basis) {
  return 2 * sum_limbs(format, basis) + format.limbs + 1;
}

#ifdef __CUDACC__

/// Terms q of output (o, r).
struct WideTerms {
  static constexpr long long none = -1;
  const MpFinish& g;
  Index o;
  int r;
  __device__ Index of_a(Index q) const { return g.transposed ? o * g.aligned.ld + q : q * g.aligned.ld + o; }
  /// Bits above the exponents of row (or column) and vector; none where the product is zero.
  __device__ long long above(Index q) const {
    const Index i = g.transposed ? element_at(g.block_a, q, o) : element_at(g.block_a, o, q);
    if (mp::is_special(g.a.exponent[i]) || mp::is_special(g.b.exponent[element_at(g.block_b, q, g.first + r)]))
      return none;
    const long long a = g.aligned.band ? static_cast<long long>(matrix_band) * g.aligned.band[of_a(q)] : 0;
    return a + static_cast<long long>(g.width) * static_cast<std::uint32_t>(g.z_band[r * g.z_stride + q]);
  }
  __device__ std::uint32_t a(Index q, int k) const { return g.aligned.a[k * g.aligned.plane + of_a(q)]; }
  __device__ std::uint32_t z(Index q, int k) const {
    return g.z[(static_cast<Index>(r) * g.basis.moduli + k) * g.z_stride + q];
  }
};

/// The largest above() below `limit`, or none; in all threads.
template <bool one_warp>
__device__ long long next_group(const Team<one_warp>& team, const WideTerms& terms, long long limit) {
  long long most = WideTerms::none;
  for (Index q = team.rank(); q < terms.g.terms; q += team.size()) {
    const long long above = terms.above(q);
    if (above < limit) most = max(most, above);
  }
  return team.largest(most);
}

/// Residue of the group's sum modulo modulus `rank`; the threads beyond the moduli take other terms.
template <bool one_warp>
__device__ std::uint32_t group_residue(const Team<one_warp>& team, const WideTerms& terms, long long group,
                                       std::uint32_t* shared) {
  const int moduli = terms.g.basis.moduli, parts = team.size() / moduli, k = team.rank() % moduli,
            part = team.rank() / moduli;
  const RnsModulus modulus = load_modulus(terms.g.basis.modulus + k);
  Sum96 sum;
  if (part < parts)
    for (Index q = part; q < terms.g.terms; q += parts)
      if (terms.above(q) == group) sum.add_product(terms.a(q, k), terms.z(q, k));
  team.sync();
  shared[team.rank()] = sum.modulo(modulus);
  team.sync();
  if (team.rank() >= moduli) return 0;
  std::uint64_t total = 0;
  for (int i = 0; i < parts; ++i) total += shared[i * moduli + k];
  return rns_reduce(total, modulus);
}

/// Writes output o of column r, `out` as examine_output has it. `shared`: wide_words words. A function of its own,
/// which gets values: the kernel that calls it keeps its registers.
template <bool one_warp>
__device__ __noinline__ void store_wide(const Team<one_warp> team, const MpFinish& g, Index o, int r, const Output out,
                                        const NumberScratch scratch, std::uint32_t* shared) {
  const int size = team.size(), rank = team.rank(), limbs = sum_limbs(g.format, g.basis);
  std::uint32_t *const accumulator = shared, *const magnitude = accumulator + limbs, *const result = magnitude + limbs;
  const MpCall& call = *g.call;
  const WideTerms terms{g, o, r};
  // Only the sign of S is wanted where alpha is infinite.
  const bool scaled = !out.infinite, addend = out.addend && scaled;
  const bool by_alpha = scaled && !g.plain;
  const std::int64_t unscaled = g.scale[o] + call.vector[r].least,
                     unit = unscaled + (by_alpha ? call.alpha.exponent : 0);
  const std::int64_t largest = unit + term_bits(g.format, g.basis);  // a group's alpha Y is below 2^(largest + above)
  MpWideSum sum(g.format.precision, mp::least_exponent, accumulator, magnitude, limbs, result);
  const auto add = [&](const SignedNumber& x, std::int64_t rest) {
    const int bits = team.bit_length(x.limb);
    team.sync();
    scratch.first[rank] = x.limb;
    team.sync();
    const bool decided = rank == 0 && sum.add({scratch.first, size, bits, x.exponent, x.negative}, rest);
    return team.broadcast(decided, 0) != 0;
  };
  bool waiting = addend;  // beta c has not been added
  SignedNumber c{};
  std::int64_t c_top = 0;
  if (addend) {
    c = scaled_addend(team, g, out, scratch);
    c_top = c.exponent + team.bit_length(c.limb);
  }
  int groups = 0;
  long long group = next_group(team, terms, LLONG_MAX);
  while (true) {
    // All groups from this one on are below 2^(largest + group + 1).
    const std::int64_t of_groups = group == WideTerms::none ? MpWideSum::no_rest : largest + group + 1;
    if (waiting && c_top >= of_groups) {
      waiting = false;
      if (add(c, of_groups)) break;
    }
    if (group == WideTerms::none) break;
    ++groups;
    SignedNumber x{0, false, unscaled + group};
    const std::uint32_t residue = group_residue(team, terms, group, scratch.second);
    x.limb = limb_from_residues(team, g.basis, residue, scratch, &x.negative);
    if (scaled) times_alpha(team, g, x, g.basis.limbs, scratch);
    group = next_group(team, terms, group);
    std::int64_t rest = group == WideTerms::none ? MpWideSum::no_rest : largest + group + 1;
    if (waiting) rest = max(rest, c_top) + 1;
    if (add(x, rest)) break;
  }
  while (group != WideTerms::none) {
    ++groups;
    group = next_group(team, terms, group);
  }
  if (rank == 0) {
    atomicMax(&g.call->bands, groups);
    if (groups > 1) atomicAdd(&g.call->in_bands, 1ull);
  }
  // Thread 0 knows the sum.
  const bool nothing_added = groups == 0 && !addend;
  const bool zero = nothing_added || team.broadcast(rank == 0 && sum.is_zero(), 0) != 0;
  const bool negative = team.broadcast(rank == 0 && sum.negative(), 0) != 0;
  if (out.infinite) {
    store_infinite(team, g, out, zero, negative, scratch);
    return;
  }
  const bool vanishes = zero || team.broadcast(rank == 0 && sum.underflow(), 0) != 0;
  const std::int64_t exponent = static_cast<std::int64_t>(
      static_cast<std::uint64_t>(team.broadcast(static_cast<std::uint32_t>(sum.exponent() >> 32), 0)) << 32 |
      team.broadcast(static_cast<std::uint32_t>(sum.exponent()), 0));
  const std::int32_t code = vanishes                           ? mp::exponent_zero
                            : exponent > mp::greatest_exponent ? mp::exponent_infinity
                                                               : static_cast<std::int32_t>(exponent);
  const std::uint32_t limb = rank < (g.format.precision + 31) / 32 ? result[rank] : 0;
  store_element(team, g.format, g.c, out.at, limb, code, negative && !zero, scratch);
}

#endif

}  // namespace accublas::cuda
