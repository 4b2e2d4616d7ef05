// Resolves unknowns of substitution that the current sums do not decide: by sums of their terms in three words, and
// then by exact ones. All lanes of a warp work on one unknown at a time. For .cu files.
//
// Each lane passes its own `terms`: right_side(), count(), and for q < count() entry(q) of the matrix and known(q), the
// unknown that it is multiplied by.
#pragma once

#include <cstring>
#include <type_traits>

#include "cuda/exact/round_between.hpp"
#include "cuda/sums/grid_chain.hpp"
#include "cuda/sums/triple_chain.hpp"
#include "cuda/trsm/solve_kernels.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/substitution.hpp"

namespace accublas::cuda {

/// Returns one lane's value to all lanes.
template <class Value>
__device__ Value of_lane(const Value& value, int lane) {
  constexpr int words = static_cast<int>(sizeof(Value) / sizeof(std::uint32_t));
  static_assert(sizeof(Value) % sizeof(std::uint32_t) == 0);
  std::uint32_t word[words];
  std::memcpy(word, &value, sizeof(Value));
  for (int i = 0; i < words; ++i) word[i] = __shfl_sync(0xFFFFFFFFu, word[i], lane);
  Value result;
  std::memcpy(&result, word, sizeof(Value));
  return result;
}

/// Adds the product of entry a and unknown x: one product to a real sum, two to either part of a complex one.
template <class Sum, class T>
__device__ __forceinline__ void add_term(Sum (&chain)[1], T a, T x) {
  chain[0].step(a, x);
}
template <class Sum, class T>
__device__ __forceinline__ void add_term(Sum (&chain)[2], const Complex<T>& a, const Complex<T>& x) {
  chain[0].step(a.re, x.re);
  chain[0].step(-a.im, x.im);
  chain[1].step(a.im, x.re);
  chain[1].step(a.re, x.im);
}

/// Adds the lane's share of minus the sum of the terms to one part.
template <class E, class Terms>
__device__ void add_terms(const Terms& terms, int part, ExactSum<double>& above) {
  for (Index q = threadIdx.x % 32; q < terms.count(); q += 32) {
    const E entry = terms.entry(q), known = terms.known(q);
    if constexpr (is_complex<E>) {
      above.add(part == 0 ? -entry.re : -entry.im, known.re);
      above.add(part == 0 ? entry.im : -entry.re, known.im);
    } else {
      above.add(-entry, known);
    }
  }
}
/// Adds up the shares of all lanes; all lanes get the sum.
__device__ inline void join_lanes(ExactSum<double>& sum) {
  sum.add_up([](auto word) {
    // Most words are zero.
    if (!__any_sync(0xFFFFFFFFu, word != 0)) return word;
    for (int offset = 16; offset > 0; offset /= 2) word += __shfl_xor_sync(0xFFFFFFFFu, word, offset);
    return word;
  });
}

/// Returns the unknown from minus its exact sums: of dot2's pairs, or of the terms in cr and if a pair is not finite.
template <class E, bool cr, class Terms>
__device__ ACCUBLAS_NOINLINE E exact_unknown(const Unknown<E>& unknown, const Pair (&pairs)[parts_of<E>],
                                             const Terms& terms) {
  ExactSum<double> above[parts_of<E>];
  for (int part = 0; part < parts_of<E>; ++part) {
    const Pair& pair = pairs[part];
    if (!cr && is_finite(pair.s) && is_finite(pair.c)) {
      if (threadIdx.x % 32 == 0) {
        above[part].add(1, -pair.s);
        above[part].add(1, -pair.c);
      }
    } else {
      add_terms<E>(terms, part, above[part]);
    }
    join_lanes(above[part]);
  }
  return unknown.exact(above);
}

/// A thread's share of the terms, which are those with numbers first, first + stride, ...
struct TermShare {
  Index first, stride;
};

/// Adds up the thread's share of the terms in three words. Both factors of real products in double precision are
/// multiplied by `factor`, a power of two.
template <class E, class Terms>
__device__ ACCUBLAS_NOINLINE void add_share(const Terms& terms, TermShare share, double factor,
                                            TripleSum (&sums)[parts_of<E>]) {
  // This many loads are in flight together, since the matrix may be stored across the terms.
  constexpr int together = 8;
  TripleChain chain[parts_of<E>];
  for (Index q = share.first; q < terms.count(); q += together * share.stride) {
    E entry[together]{}, known[together]{};
#pragma unroll
    for (int i = 0; i < together; ++i)
      if (const Index at = q + i * share.stride; at < terms.count())
        entry[i] = terms.entry(at), known[i] = terms.known(at);
#pragma unroll
    for (int i = 0; i < together; ++i) {
      if constexpr (std::is_same_v<E, double>) entry[i] *= factor, known[i] *= factor;
      add_term(chain, entry[i], known[i]);
    }
  }
  for (int part = 0; part < parts_of<E>; ++part) sums[part] = chain[part].sum;
}

/// Computes the sums of the terms of one unknown in three words, as add_share does; all lanes get them.
template <class E, class Terms>
__device__ void sums_of_terms(const Terms& terms, double factor, TripleSum (&sums)[parts_of<E>]) {
  add_share<E>(terms, {threadIdx.x % 32, 32}, factor, sums);
  // The words depend on the order of the lanes, and all lanes must decide alike.
  for (int part = 0; part < parts_of<E>; ++part) sums[part] = of_lane(warp_sum(sums[part]), 0);
}

/// Near underflow products may have bits below the least subnormal number, or be zero. So the sums of unknowns whose
/// numerators are below 2^-800 are scaled by 2^lift: each factor of a product is scaled by 2^(lift / 2).
inline constexpr int lift = 1700;
template <class E>
__device__ bool is_lifted(double numerator) {
  return std::is_same_v<E, double> && fabs(numerator) < 0x1p-800;
}
/// Returns an upper bound of the magnitude of a numerator whose sum is in a chain.
template <class E, class T>
__device__ double magnitude_of(const Chain<T, true>& sum) {
  return sum.magnitude * power_of_two(-sum_lift<E>);
}
__device__ inline double lifting_factor(bool lifted) { return lifted ? power_of_two(lift / 2) : 1; }

/// Returns whether the sums of its terms decide an unknown, which `result` becomes then. The sums are scaled by 2^lift
/// if `lifted`.
template <class E>
__device__ bool decided_by_sums(const Unknown<E>& unknown, const TripleSum (&sums)[parts_of<E>], bool lifted,
                                E& result) {
  return lifted ? unknown.approximate_scaled(sums, lift, result) : unknown.approximate(sums, result);
}

/// Returns whether the sums of the terms in three words decide an unknown, which `result` becomes then; all lanes of
/// the warp compute it together.
template <class E, class Terms>
__device__ bool decided_by_terms(const Unknown<E>& unknown, const Terms& terms, E& result) {
  TripleSum sums[parts_of<E>];
  sums_of_terms<E>(terms, 1, sums);
  if (decided_by_sums(unknown, sums, false, result)) return true;
  if constexpr (std::is_same_v<E, double>) {
    if (!is_lifted<E>(sums[0].a1 - unknown.alpha * unknown.b)) return false;
    sums_of_terms<E>(terms, lifting_factor(true), sums);
    return decided_by_sums(unknown, sums, true, result);
  } else {
    return false;
  }
}

/// Returns an undecided unknown of cr, which all lanes of the warp compute together, from the sums of its terms in
/// three words or exactly. `unknown` needs no b. Adds the number of unknowns that exact sums computed to *undecided,
/// unless null. The function is not inlined: code that runs once in a million unknowns must not push other code out of
/// the instruction cache.
template <class E, class Terms>
__device__ ACCUBLAS_NOINLINE E resolve_one(Unknown<E> unknown, Terms terms, bool exactly,
                                           unsigned long long* undecided) {
  unknown.b = terms.right_side();
  E result{};
  if (!exactly && decided_by_terms(unknown, terms, result)) return result;
  const Pair none[parts_of<E>]{};
  result = exact_unknown<E, true>(unknown, none, terms);
  if (threadIdx.x % 32 == 0 && undecided) atomicAdd(undecided, 1ull);
  return result;
}

/// Resolves the undecided unknowns of the lanes in `hard`.
template <class E, class Terms>
__device__ ACCUBLAS_NOINLINE E resolve_lanes(unsigned hard, Unknown<E> unknown, E value, bool exactly, Terms terms,
                                             unsigned long long* undecided) {
  for (; hard != 0; hard &= hard - 1) {
    const int of = __ffs(static_cast<int>(hard)) - 1;
    const E found = resolve_one(of_lane(unknown, of), of_lane(terms, of), exactly, undecided);
    if (static_cast<int>(threadIdx.x % 32) == of) value = found;
  }
  return value;
}

/// One warp's shares of the sums of 32 unknowns.
template <class E>
using WarpShares = TripleSum[parts_of<E>][32];

/// Returns the position of the set bit that has `before` set bits below it. There must be one.
__device__ inline int position_of_bit(unsigned bits, int before) {
  for (int i = 0; i < before; ++i) bits &= bits - 1;
  return __ffs(static_cast<int>(bits)) - 1;
}

/// Computes the sums of the terms of the unknowns of the lanes in `which`, at least one, in three words. The sums of a
/// lane are scaled by 2^lift if `lifted`. The `warps` warps of a thread block call this for the same unknowns, and in
/// each of them a lane in `which` gets the sums of its unknown. Each thread adds up a share of the terms of one
/// unknown. `shares` has an element for each warp. It is in use until the next synchronisation after the call.
template <class E, class Terms, class Synchronise>
__device__ void sums_by_warps(unsigned which, const Terms& terms, bool lifted, int warps, WarpShares<E>* shares,
                              Synchronise&& synchronise, TripleSum (&sums)[parts_of<E>]) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32), count = __popc(which);
  int lanes = 32;  // lanes / 2 < count <= lanes; lane i has the unknown of rank i % lanes, if there is one
  while (lanes / 2 >= count) lanes /= 2;
  const int rank = lane % lanes, of = position_of_bit(which, min(rank, count - 1)), splits = 32 / lanes;
  const Terms theirs = of_lane(terms, of);
  const double factor = lifting_factor(__shfl_sync(0xFFFFFFFFu, lifted, of));
  for (int part = 0; part < parts_of<E>; ++part) sums[part] = {0, 0, 0, 0};
  if (rank < count) add_share<E>(theirs, {lane / lanes + splits * warp, splits * warps}, factor, sums);
  for (int part = 0; part < parts_of<E>; ++part) {
    sums[part] = warp_sum(sums[part], lanes);
    if (lane < count) shares[warp][part][lane] = sums[part];
  }
  synchronise();
  if ((which >> lane & 1) == 0) return;
  const int own = __popc(which & ((1u << lane) - 1));
  for (int part = 0; part < parts_of<E>; ++part) {
    sums[part] = shares[0][part][own];
    for (int w = 1; w < warps; ++w) triple_add(sums[part], shares[w][part][own]);
  }
}

/// dot2's unknown, with the sums that define it.
template <class E>
struct OfPairs {
  Unknown<E> unknown;
  E value;
  Pair pairs[parts_of<E>];
};

/// Computes the undecided unknowns of dot2 of the lanes in `hard`.
template <class E, class Terms>
__device__ ACCUBLAS_NOINLINE E exact_lanes(unsigned hard, OfPairs<E> mine, Terms terms, unsigned long long* undecided) {
  for (; hard != 0; hard &= hard - 1) {
    const int of = __ffs(static_cast<int>(hard)) - 1;
    const OfPairs<E> theirs = of_lane(mine, of);
    const E found = exact_unknown<E, false>(theirs.unknown, theirs.pairs, of_lane(terms, of));
    if (threadIdx.x % 32 == 0) atomicAdd(undecided, 1ull);
    if (static_cast<int>(threadIdx.x % 32) == of) mine.value = found;
  }
  return mine.value;
}

/// Returns dot2's unknown of each lane that wants one, from its sums. `exactly`: use exact sums in any case. Adds the
/// number of unknowns that exact sums computed to *undecided.
template <class E, class Terms>
__device__ __forceinline__ E resolved_pairs(const Unknown<E>& unknown, const Pair (&pairs)[parts_of<E>], bool wanted,
                                            bool exactly, const Terms& terms, unsigned long long* undecided) {
  OfPairs<E> mine{unknown, {}, {}};
  TripleSum sums[parts_of<E>];
#pragma unroll
  for (int part = 0; part < parts_of<E>; ++part) {
    mine.pairs[part] = pairs[part];
    sums[part] = {pairs[part].s, pairs[part].c, 0, 0};
  }
  const bool decided = unknown.approximate(sums, mine.value) && !exactly;
  const unsigned hard = __ballot_sync(0xFFFFFFFFu, wanted && !decided);
  return hard == 0 ? mine.value : exact_lanes(hard, mine, terms, undecided);
}

/// Returns the numerator from sums that hold minus the numerator.
template <class T>
__device__ __forceinline__ TripleSum minus(const BoundedPair<T, true>& sum) {
  return {-sum.pair.s, -sum.pair.c, 0, sum.error};
}
template <class T>
__device__ __forceinline__ TripleSum minus(const Chain<T, true>& sum) {
  return minus(sum.bounded());
}

/// Unknowns of the lanes, and which of them are undecided.
template <class E>
struct Tried {
  E value;
  unsigned hard;
};

/// Returns whether its numerator decides an unknown, which `value` becomes then. The numerator is scaled by 2^sum_lift.
/// `unknown` needs no b.
template <class E>
__device__ __forceinline__ bool quotient_of_sums(const Unknown<E>& unknown, const TripleSum (&numerator)[parts_of<E>],
                                                 E& value) {
  bool decided = unknown.approximate_quotient(numerator, value);
  if constexpr (sum_lift<E> != 0) {
    // A subnormal result has fewer bits than the quotient was rounded to.
    decided &= fabs(value) >= power_of_two(sum_lift<E> - 1022) || value == 0;
    value *= power_of_two(-sum_lift<E>);
  }
  return decided;
}

/// Decides the real unknowns in `hard` whose numerators or quotients lie too far from 1 for the usual test.
template <class E>
__device__ ACCUBLAS_NOINLINE Tried<E> try_quotients_apart(unsigned hard, Unknown<E> unknown, TripleSum numerator,
                                                          E value) {
  const bool wanted = (hard >> threadIdx.x % 32 & 1) != 0;
  E small = value;
  const bool decided = wanted && unknown.approximate_quotient_apart(numerator, sum_lift<E>, small);
  return {decided ? small : value, __ballot_sync(0xFFFFFFFFu, wanted && !decided)};
}

/// Computes each lane's unknown from minus its numerator. `unknown` needs no b. An unknown is undecided if the lane
/// wants it and the numerator does not decide it, or if the lane wants it and `exactly`.
template <class E, class Sum>
__device__ __forceinline__ Tried<E> try_numerator(const Unknown<E>& unknown, const Sum (&sums)[parts_of<E>],
                                                  bool wanted, bool exactly) {
  TripleSum numerator[parts_of<E>];
#pragma unroll
  for (int part = 0; part < parts_of<E>; ++part) numerator[part] = minus(sums[part]);
  Tried<E> tried{};
  const bool decided = quotient_of_sums(unknown, numerator, tried.value) && !exactly;
  tried.hard = __ballot_sync(0xFFFFFFFFu, wanted && !decided);
  if constexpr (std::is_same_v<E, double>)
    if (tried.hard != 0 && !exactly) tried = try_quotients_apart(tried.hard, unknown, numerator[0], tried.value);
  return tried;
}

/// Returns the unknown of each lane that wants one, from minus its numerator. `unknown` needs no b. `exactly`: use
/// exact sums in any case. Adds the number of unknowns that exact sums computed to *undecided, unless null.
template <class E, class Sum, class Terms>
__device__ __forceinline__ E resolved_numerator(const Unknown<E>& unknown, const Sum (&sums)[parts_of<E>], bool wanted,
                                                bool exactly, const Terms& terms, unsigned long long* undecided) {
  const Tried<E> tried = try_numerator(unknown, sums, wanted, exactly);
  return tried.hard == 0 ? tried.value : resolve_lanes(tried.hard, unknown, tried.value, exactly, terms, undecided);
}

// ---- Unknowns that are guessed first and proved later ---------------------------------------------------------------

/// Returns minus a sum over a pivot, right but in rare cases. `over` is 1 / pivot, or near it.
template <class T>
__device__ __forceinline__ T guessed_quotient(const Pair& sum, T pivot, double over) {
  const double first = -sum.s * over, rest = __fma_rn(-first, static_cast<double>(pivot), -sum.s);
  // The sum may be a zero of either sign.
  return sum.s == -sum.c ? T(0) : static_cast<T>(first + (rest - sum.c) * over);
}

/// Returns whether a guess is the unknown that these sums decide; `unknown` needs no b.
template <class E>
__device__ __forceinline__ bool is_proved(const E& guess, const Unknown<E>& unknown,
                                          const Chain<RealOf<E>, true> (&sums)[parts_of<E>]) {
  TripleSum numerator[parts_of<E>];
#pragma unroll
  for (int part = 0; part < parts_of<E>; ++part) numerator[part] = minus(sums[part]);
  E value{};
  bool proved = quotient_of_sums(unknown, numerator, value);
  for (int part = 0; part < parts_of<E>; ++part)
    proved &= to_bits(part_of(value, part)) == to_bits(part_of(guess, part));
  return proved;
}
/// Same contract as `is_proved`, for real unknowns anywhere in the range. It takes more operations, and returns false
/// for complex unknowns.
template <class E>
__device__ ACCUBLAS_NOINLINE bool is_proved_apart(E guess, Unknown<E> unknown,
                                                  const Chain<RealOf<E>, true> (&sums)[parts_of<E>]) {
  if constexpr (is_complex<E>) {
    return false;
  } else {
    E value{};
    return unknown.approximate_quotient_apart(minus(sums[0]), sum_lift<E>, value) && to_bits(value) == to_bits(guess);
  }
}

}  // namespace accublas::cuda
