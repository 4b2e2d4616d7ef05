// Resolves unknowns of substitution that the current sums do not decide: by better sums of their terms, and then by
// exact ones. All lanes of a warp work on one unknown at a time. For .cu files.
//
// Each lane passes its own `terms`: count(), and for q < count() entry(q) of the matrix and known(q), the unknown that
// it is multiplied by.
#pragma once

#include <cstring>

#include "cuda/sums/bounded_pair.hpp"
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
template <bool cr, class T>
__device__ __forceinline__ void add_term(Chain<T, cr> (&chain)[1], T a, T x) {
  chain[0].step(a, x);
}
template <bool cr, class T>
__device__ __forceinline__ void add_term(Chain<T, cr> (&chain)[2], const Complex<T>& a, const Complex<T>& x) {
  chain[0].step(a.re, x.re);
  chain[0].step(-a.im, x.im);
  chain[1].step(a.im, x.re);
  chain[1].step(a.re, x.im);
}

template <class T, bool cr>
__device__ __forceinline__ TripleSum triple(const BoundedPair<T, cr>& sum) {
  return {sum.pair.s, sum.pair.c, 0, sum.error};
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

/// Returns the unknown from minus its exact sums. If dot2's pair is not finite, cr's sum is used instead.
template <class E, bool cr, class Terms>
__device__ ACCUBLAS_NOINLINE E exact_unknown(const Unknown<E>& unknown,
                                             const BoundedPair<RealOf<E>, cr> (&sums)[parts_of<E>],
                                             const Terms& terms) {
  ExactSum<double> above[parts_of<E>];
  for (int part = 0; part < parts_of<E>; ++part) {
    const Pair& pair = sums[part].pair;
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

/// Computes the sums of the terms to some 90 bits.
template <class E, class Terms>
__device__ ACCUBLAS_NOINLINE void sums_of_terms(const Terms& terms, BoundedPair<RealOf<E>, true> (&sums)[parts_of<E>]) {
  using T = RealOf<E>;
  constexpr int parts = parts_of<E>;
  const int lane = threadIdx.x % 32;
  BoundedPair<T, true> sum[parts];
  for (Index q0 = 0; q0 < terms.count(); q0 += 32 * dot2_block / parts) {
    Chain<T, true> chain[parts];
    // This many loads are in flight together, since the matrix may be stored across the terms.
    constexpr int together = 8;
    for (Index q = q0 + lane; q < min(terms.count(), q0 + 32 * dot2_block / parts); q += 32 * together) {
      E entry[together]{}, known[together]{};
#pragma unroll
      for (int i = 0; i < together; ++i)
        if (q + 32 * i < terms.count()) entry[i] = terms.entry(q + 32 * i), known[i] = terms.known(q + 32 * i);
#pragma unroll
      for (int i = 0; i < together; ++i) add_term(chain, entry[i], known[i]);
    }
    for (int part = 0; part < parts; ++part) sum[part].add(chain[part].bounded());
  }
  for (int part = 0; part < parts; ++part) {
    for (int offset = 16; offset > 0; offset /= 2) {
      const BoundedPair<T, true> mine = sum[part];
      sum[part].add(
          {{__shfl_xor_sync(0xFFFFFFFFu, mine.pair.s, offset), __shfl_xor_sync(0xFFFFFFFFu, mine.pair.c, offset)},
           __shfl_xor_sync(0xFFFFFFFFu, mine.error, offset)});
    }
    sums[part] = sum[part];
  }
}

/// An unknown, with the sums that it was computed from.
template <class E, bool cr>
struct Resolved {
  E value;
  BoundedPair<RealOf<E>, cr> sums[parts_of<E>];
};

template <class E, bool cr>
__device__ __forceinline__ bool approximate(const Unknown<E>& unknown, Resolved<E, cr>& of) {
  TripleSum triples[parts_of<E>];
#pragma unroll
  for (int part = 0; part < parts_of<E>; ++part) triples[part] = triple(of.sums[part]);
  return unknown.approximate(triples, of.value);
}

/// Resolves the unknowns of the lanes in `hard`, which are undecided. The function is not inlined: code that runs once
/// in a million unknowns must not push other code out of the instruction cache.
template <class E, bool cr, class Terms>
__device__ ACCUBLAS_NOINLINE Resolved<E, cr> resolved_by_terms(unsigned hard, Unknown<E> unknown, Resolved<E, cr> mine,
                                                               bool exactly, Terms terms,
                                                               unsigned long long* undecided) {
  const int lane = threadIdx.x % 32;
  for (; hard != 0; hard &= hard - 1) {
    const int of = __ffs(static_cast<int>(hard)) - 1;
    const Unknown<E> theirs = of_lane(unknown, of);
    const Terms their_terms = of_lane(terms, of);
    Resolved<E, cr> found = of_lane(mine, of);
    bool done = false;
    if constexpr (cr)
      if (!exactly) {
        sums_of_terms<E>(their_terms, found.sums);
        done = approximate(theirs, found);
      }
    if (!done) {
      found.value = exact_unknown<E, cr>(theirs, found.sums, their_terms);
      if (lane == 0 && undecided) atomicAdd(undecided, 1ull);
    }
    if (lane == of) mine = found;
  }
  return mine;
}

/// Returns the unknown of each lane that wants one, from its sums. Undecided sums of cr are replaced by better ones.
/// `exactly`: use exact sums in any case. Adds the number of unknowns that exact sums computed to *undecided, unless
/// null.
template <class E, bool cr, class Terms>
__device__ __forceinline__ E resolved(const Unknown<E>& unknown, BoundedPair<RealOf<E>, cr> (&sums)[parts_of<E>],
                                      bool wanted, bool exactly, const Terms& terms, unsigned long long* undecided) {
  constexpr int parts = parts_of<E>;
  Resolved<E, cr> mine{};
#pragma unroll
  for (int part = 0; part < parts; ++part) mine.sums[part] = sums[part];
  const bool decided = approximate(unknown, mine) && !exactly;
  const unsigned hard = __ballot_sync(0xFFFFFFFFu, wanted && !decided);
  if (hard == 0) return mine.value;
  mine = resolved_by_terms(hard, unknown, mine, exactly, terms, undecided);
#pragma unroll
  for (int part = 0; part < parts; ++part) sums[part] = mine.sums[part];
  return mine.value;
}

/// Makes sums minus the numerator of an unknown, by adding the right-hand side as one more term.
template <class E>
__device__ __forceinline__ void add_right_side(Chain<RealOf<E>, true> (&chain)[parts_of<E>], const E& alpha,
                                               const E& b) {
  if constexpr (is_complex<E>)
    add_term(chain, E{-alpha.re, -alpha.im}, b);
  else
    add_term(chain, -alpha, b);
}

/// Returns the numerator from sums that hold minus the numerator.
template <class T>
__device__ __forceinline__ TripleSum minus(const Chain<T, true>& sum) {
  return {-sum.pair.s, -sum.pair.c, 0, sum.bounded().error};
}

/// Resolves the unknowns of the lanes in `hard` from the terms and the right-hand side, exactly if need be.
template <class E, class Terms>
__device__ ACCUBLAS_NOINLINE E resolved_anew(unsigned hard, Unknown<E> unknown, E value, bool exactly, Terms terms,
                                             unsigned long long* undecided) {
  Resolved<E, true> mine{};
  mine.value = value;
  if ((hard >> threadIdx.x % 32 & 1) != 0) unknown.b = terms.right_side();
  return resolved_by_terms(hard, unknown, mine, exactly, terms, undecided).value;
}

/// Returns the unknown of each lane that wants one, from minus its numerator. `unknown` needs no b; `terms` have
/// right_side(), which is b. `exactly`: use exact sums in any case. Adds the number of unknowns that exact sums
/// computed to *undecided, unless null.
template <class E, class Terms>
__device__ __forceinline__ E resolved_numerator(const Unknown<E>& unknown,
                                                const Chain<RealOf<E>, true> (&chain)[parts_of<E>], bool wanted,
                                                bool exactly, const Terms& terms, unsigned long long* undecided) {
  TripleSum numerator[parts_of<E>];
#pragma unroll
  for (int part = 0; part < parts_of<E>; ++part) numerator[part] = minus(chain[part]);
  E value;
  const bool decided = unknown.approximate_quotient(numerator, value) && !exactly;
  const unsigned hard = __ballot_sync(0xFFFFFFFFu, wanted && !decided);
  return hard == 0 ? value : resolved_anew(hard, unknown, value, exactly, terms, undecided);
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
  bool proved = unknown.approximate_quotient(numerator, value);
  for (int part = 0; part < parts_of<E>; ++part)
    proved &= to_bits(part_of(value, part)) == to_bits(part_of(guess, part));
  return proved;
}

}  // namespace accublas::cuda
