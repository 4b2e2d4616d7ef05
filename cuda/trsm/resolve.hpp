// Resolves unknowns of substitution that the current sums do not decide: by sums of their terms in three words, then in
// six words, and then by exact sums. For sums in six words and exact sums, all lanes of a warp work on one unknown at a
// time. For .cu files.
#pragma once

#include <type_traits>

#include "cuda/exact/round_between.hpp"
#include "cuda/trsm/term_sums.hpp"

namespace accublas::cuda {

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

/// Returns whether its numerators decide an unknown, which `result` becomes then. They are scaled by 2^lift if
/// `lifted`. `unknown` needs no b.
template <class E>
__device__ bool decided_by_numerators(const Unknown<E>& unknown, const TripleSum (&numerators)[parts_of<E>],
                                      bool lifted, E& result) {
  for (const TripleSum& numerator : numerators)
    if (!triple_known(numerator)) return false;
  if constexpr (is_complex<E>)
    return unknown.approximate_quotient(numerators, result);  // never lifted
  else
    return unknown.approximate_quotient_apart(numerators[0], lifted ? lift : 0, result);
}

/// Returns whether the sums of the terms in most_words words decide an unknown, which `result` becomes then; all lanes
/// of the warp compute it together. `lifted`: the numerators are surely so small that they must be scaled.
template <class E, class Terms>
__device__ bool decided_by_terms(const Unknown<E>& unknown, const Terms& terms, bool lifted, E& result) {
  TripleSum numerators[parts_of<E>];
  numerators_of_terms(unknown.alpha, terms, lifted, numerators);
  if (decided_by_numerators(unknown, numerators, lifted, result)) return true;
  if (lifted || !is_lifted<E>(numerators[0].a1)) return false;
  numerators_of_terms(unknown.alpha, terms, true, numerators);
  return decided_by_numerators(unknown, numerators, true, result);
}

/// Returns an undecided unknown of cr, which all lanes of the warp compute together, from the sums of its terms in
/// most_words words or exactly. `unknown` needs no b. Adds the number of unknowns that exact sums computed to
/// *undecided, unless null. The function is not inlined: code that runs once in a million unknowns must not push other
/// code out of the instruction cache.
template <class E, class Terms>
__device__ ACCUBLAS_NOINLINE E resolve_one(Unknown<E> unknown, Terms terms, bool exactly,
                                           unsigned long long* undecided) {
  E result{};
  if (!exactly && decided_by_terms(unknown, terms, false, result)) return result;
  unknown.b = terms.right_side();
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

template <class E>
__device__ __forceinline__ bool have_equal_bits(const E& x, const E& y) {
  bool equal = true;
  for (int part = 0; part < parts_of<E>; ++part) equal &= to_bits(part_of(x, part)) == to_bits(part_of(y, part));
  return equal;
}

/// Returns whether a guess is the unknown that these sums decide; `unknown` needs no b.
template <class E>
__device__ __forceinline__ bool is_proved(const E& guess, const Unknown<E>& unknown,
                                          const Chain<RealOf<E>, true> (&sums)[parts_of<E>]) {
  TripleSum numerator[parts_of<E>];
#pragma unroll
  for (int part = 0; part < parts_of<E>; ++part) numerator[part] = minus(sums[part]);
  E value{};
  return quotient_of_sums(unknown, numerator, value) && have_equal_bits(value, guess);
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
