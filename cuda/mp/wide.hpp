// Computes outputs whose exponents exceed the range of one band. The terms of equal exponents are summed at a time,
// largest first. The sums are added up exactly until the rounded result is known (lib/numerics/sparse_sum.hpp). A team
// of threads computes each output, from the sums of cuda/mp/bands.cu or, slowly, from the terms.
#pragma once

#include "cuda/mp/output.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/sparse_sum.hpp"

namespace accublas::cuda {

using MpWideSum = SparseSum<std::uint32_t>;

/// term_bits returns the bits of alpha Y; sum_limbs returns the limbs of the accumulator for such terms and for beta c.
ACCUBLAS_HD inline int term_bits(const MpFormat& format, const MpBasis& basis) {
  return 32 * (basis.limbs + format.limbs);
}
ACCUBLAS_HD inline int sum_limbs(const MpFormat& format, const MpBasis& basis) {
  return MpWideSum::capacity(format.precision, term_bits(format, basis));
}

/// Returns how many words of shared memory a team needs for an output with bands.
inline int wide_words(const MpFormat& format, const MpBasis& basis) {
  return round_up(2 * sum_limbs(format, basis) + format.limbs + 1, 4);
}

#ifdef __CUDACC__

/// The terms q of output (o, r).
struct WideTerms {
  static constexpr long long none = -1;
  const MpFinish& g;
  Index o;
  int r;
  __device__ Index of_a(Index q) const { return g.transposed ? o * g.aligned.ld + q : q * g.aligned.ld + o; }
  /// Returns the bits above the exponents of row (or column) and vector, or `none` if the product is zero.
  __device__ long long above(Index q) const {
    const Index i = g.transposed ? element_at(g.block_a, q, o) : element_at(g.block_a, o, q);
    if (mp::is_special(g.a.exponent[i]) || mp::is_special(g.b.exponent[element_at(g.block_b, q, g.first + r)]))
      return none;
    const int band = g.aligned.band         ? g.aligned.band[of_a(q)]
                     : g.aligned.small_band ? g.aligned.small_band[of_a(q)]
                                            : 0;
    return static_cast<long long>(matrix_band) * band +
           static_cast<long long>(g.width) * static_cast<std::uint32_t>(g.z_band[r * g.z_stride + q]);
  }
  __device__ std::uint32_t a(Index q, int k) const { return g.aligned.a[k * g.aligned.plane + of_a(q)]; }
  __device__ std::uint32_t z(Index q, int k) const {
    return g.z[(static_cast<Index>(r) * g.basis.moduli + k) * g.z_stride + q];
  }
};

/// Returns the largest above() below `limit`, or none; all threads get the result.
template <int width>
__device__ long long next_group(const Team<width>& team, const WideTerms& terms, long long limit) {
  long long most = WideTerms::none;
  for (Index q = team.rank(); q < terms.g.terms; q += team.size()) {
    const long long above = terms.above(q);
    if (above < limit) most = max(most, above);
  }
  return team.largest(most);
}

/// Returns the residue of the group's sum modulo modulus `rank`; the threads beyond the moduli take other terms.
template <int width>
__device__ std::uint32_t group_residue(const Team<width>& team, const WideTerms& terms, long long group,
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

/// Groups of terms are ordered from the top by the number `above order_step + group`. The group is 0 if groups are
/// found from the terms. A group of precomputed sums is one of equal bands; several of them may have one `above`.
constexpr long long order_step = 1 << 16;

template <int width>
__device__ long long next_sum(const Team<width>& team, const MpFinish& g, Index o, int r, long long limit) {
  const MpBandSums& sums = g.band_sums;
  const MpVector& v = g.call->vector[r];
  const int bands = static_cast<int>((v.greatest - v.least) / g.width) + 1;
  long long most = WideTerms::none;
  for (int group = team.rank(); group < sums.groups; group += team.size()) {
    bool occurs = false;
    for (int s = 0; s < sums.segments; ++s) {
      const Index at = mp_band_mask_at(sums, g.columns, g.y_stride, s, group / mp_band_window, r) + o;
      occurs = occurs || (sums.mask[at] >> (group % mp_band_window) & 1) != 0;
    }
    const long long above =
        static_cast<long long>(matrix_band) * (group / bands) + static_cast<long long>(g.width) * (group % bands);
    const long long order = above * order_step + group;
    if (occurs && order < limit) most = max(most, order);
  }
  return team.largest(most);
}

/// Returns the residue of a group's sum modulo modulus `rank`.
__device__ inline std::uint32_t sum_residue(const MpFinish& g, Index o, int r, int group, int rank) {
  const MpBandSums& sums = g.band_sums;
  if (rank >= g.basis.moduli) return 0;
  std::uint64_t sum = 0;
#pragma unroll 4
  for (int s = 0; s < sums.segments; ++s)
    sum += __ldcg(sums.sum + mp_band_sum_at(sums, g.columns, g.basis.moduli, g.y_stride, s, group, r, rank) + o);
  return rns_reduce(sum, load_modulus(g.basis.modulus + rank));
}

/// Returns whether the sums of column r were made.
__device__ inline bool sums_made(const MpFinish& g, const MpVector& v) {
  return g.band_sums.groups > 0 && mp_band_groups(v, g.width, g.matrix->largest_band, g.band_sums.groups) > 0;
}

/// The sum of an output's groups, by a team: groups are added from the top until the rounded result is known.
template <int width>
class WideOutput {
 public:
  /// `shared`: wide_words words.
  __device__ WideOutput(const Team<width>& team, const MpFinish& g, Index o, int r, const Output& out,
                        const NumberScratch& scratch, std::uint32_t* shared)
      : team_(team),
        g_(g),
        o_(o),
        r_(r),
        out_(out),
        scratch_(scratch),
        terms_{g, o, r},
        made_(sums_made(g, g.call->vector[r])),
        scaled_(!out.infinite),
        unscaled_(g.scale[o] + g.call->vector[r].least),
        largest_(unscaled_ + (scaled_ && !g.plain ? g.call->alpha.exponent : 0) + term_bits(g.format, g.basis)),
        result_(shared + 2 * sum_limbs(g.format, g.basis)),
        sum_(g.format.precision, mp::least_exponent, shared, shared + sum_limbs(g.format, g.basis),
             sum_limbs(g.format, g.basis), result_) {}

  /// Adds beta c and the groups, those of greater bounds first.
  __device__ void add_up() {
    bool waiting = has_addend();  // beta c has not been added yet
    SignedNumber c{};
    std::int64_t c_top = 0;
    if (waiting) {
      c = scaled_addend(team_, g_, out_, scratch_);
      c_top = c.exponent + team_.bit_length(c.limb);
    }
    const BasisWords words = basis_words(g_.basis, team_.rank());
    long long group = next(LLONG_MAX);
    while (true) {
      if (waiting && c_top >= bound(group)) {
        waiting = false;
        if (add(c, bound(group))) break;
      }
      if (group == WideTerms::none) break;
      count(group);
      const SignedNumber x = group_value(group, words);
      group = next(group);
      std::int64_t rest = bound(group);
      if (waiting) rest = max(rest, c_top) + 1;
      if (add(x, rest)) break;
    }
    for (; group != WideTerms::none; group = next(group)) count(group);
  }

  /// Stores the result; call this after add_up().
  __device__ void store() {
    const int rank = team_.rank();
    if (rank == 0) {
      atomicMax(&g_.call->bands, groups_);
      if (groups_ > 1) atomicAdd(&g_.call->in_bands, 1ull);
    }
    // Only thread 0 knows the sum; it has written the result to memory.
    team_.sync();
    const bool nothing_added = groups_ == 0 && !has_addend();
    const bool zero = nothing_added || team_.broadcast(rank == 0 && sum_.is_zero(), 0) != 0;
    const bool negative = team_.broadcast(rank == 0 && sum_.negative(), 0) != 0;
    if (out_.infinite) return store_infinite(team_, g_, out_, zero, negative);
    const bool vanishes = zero || team_.broadcast(rank == 0 && sum_.underflow(), 0) != 0;
    const std::int64_t exponent = static_cast<std::int64_t>(
        static_cast<std::uint64_t>(team_.broadcast(static_cast<std::uint32_t>(sum_.exponent() >> 32), 0)) << 32 |
        team_.broadcast(static_cast<std::uint32_t>(sum_.exponent()), 0));
    const std::int32_t code = vanishes                           ? mp::exponent_zero
                              : exponent > mp::greatest_exponent ? mp::exponent_infinity
                                                                 : static_cast<std::int32_t>(exponent);
    const std::uint32_t limb = rank < ceil_div(g_.format.precision, 32) ? result_[rank] : 0;
    store_element(team_, g_.format, format_words(g_.format, rank), g_.c, out_.at, limb, code, negative && !zero,
                  scratch_);
  }

 private:
  /// Returns whether beta c is to be added. If alpha is infinite, only the sign of S matters.
  __device__ bool has_addend() const { return out_.addend && scaled_; }

  /// Returns the first group after `limit`, or none.
  __device__ long long next(long long limit) const {
    if (made_) return next_sum(team_, g_, o_, r_, limit);
    const long long above = next_group(team_, terms_, limit / order_step);
    return above == WideTerms::none ? WideTerms::none : above * order_step;
  }

  /// Returns a bound: all groups from this one on are below 2^bound. Precomputed groups share an `above` up to 2^8
  /// times.
  __device__ std::int64_t bound(long long group) const {
    return group == WideTerms::none ? MpWideSum::no_rest : largest_ + group / order_step + (made_ ? 9 : 1);
  }

  __device__ void count(long long group) {
    if (counted_ != group / order_step) ++groups_;
    counted_ = group / order_step;
  }

  /// Returns the group's sum, times alpha if alpha is finite.
  __device__ SignedNumber group_value(long long group, const BasisWords& words) const {
    const int rank = team_.rank();
    SignedNumber x{0, false, unscaled_ + group / order_step};
    const std::uint32_t residue = made_ ? sum_residue(g_, o_, r_, static_cast<int>(group % order_step), rank)
                                        : group_residue(team_, terms_, group / order_step, scratch_.second);
    x.limb =
        limb_from_residues(team_, g_.basis, words, first_cofactors(g_.basis, rank), residue, scratch_, &x.negative);
    if (scaled_) times_alpha(team_, g_, x, g_.basis.limbs, scratch_);
    return x;
  }

  /// Adds x and returns whether the result is known; all later summands together are below 2^rest.
  __device__ bool add(const SignedNumber& x, std::int64_t rest) {
    const int bits = team_.bit_length(x.limb), rank = team_.rank();
    team_.sync();
    scratch_.first[rank] = x.limb;
    team_.sync();
    const bool decided = rank == 0 && sum_.add({scratch_.first, team_.size(), bits, x.exponent, x.negative}, rest);
    return team_.broadcast(decided, 0) != 0;
  }

  const Team<width>& team_;
  const MpFinish& g_;
  const Index o_;
  const int r_;
  const Output& out_;
  const NumberScratch& scratch_;
  const WideTerms terms_;
  const bool made_, scaled_;
  const std::int64_t unscaled_, largest_;  ///< exponents: of a sum's unit; a group's alpha Y < 2^(largest + above)
  std::uint32_t* const result_;
  MpWideSum sum_;  ///< used by thread 0 only
  int groups_ = 0;
  long long counted_ = WideTerms::none;  ///< group that groups_ counted last
};

/// Writes output o of column r; `out` is the result of examine_output. `shared`: wide_words words. The function is not
/// inlined and takes values, so that the kernel that calls it keeps its registers.
template <int width>
__device__ __noinline__ void store_wide(const Team<width> team, const MpFinish& g, Index o, int r, const Output out,
                                        const NumberScratch scratch, std::uint32_t* shared) {
  WideOutput<width> wide(team, g, o, r, out, scratch, shared);
  wide.add_up();
  wide.store();
}

#endif

}  // namespace accublas::cuda
