// Sums of the terms of unknowns of substitution in several words, for resolve.hpp and known_terms.cu.
//
// Each lane passes its own `terms`: right_side(), count(), and for q < count() entry(q) of the matrix and known(q), the
// unknown that it is multiplied by.
#pragma once

#include <cstring>
#include <type_traits>

#include "cuda/sums/bounded_pair.hpp"
#include "cuda/sums/grid_chain.hpp"
#include "cuda/trsm/solve_kernels.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/substitution.hpp"
#include "lib/numerics/word_sum.hpp"

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

/// Subtracts a right-hand side from the sums of its parts. If alpha is real, a part is not read for the other one: the
/// imaginary parts on the diagonal of Cholesky's A may be NaN.
template <class E, int words>
__device__ __forceinline__ void subtract_right_side(WordSum<words> (&sums)[parts_of<E>], const E& alpha, const E& b) {
  if constexpr (is_complex<E>) {
    sums[0].step(-alpha.re, b.re);
    sums[1].step(-alpha.re, b.im);
    if (is_zero(alpha.im)) return;
    sums[0].step(alpha.im, b.im);
    sums[1].step(-alpha.im, b.re);
  } else {
    sums[0].step(-alpha, b);
  }
}

/// A thread's share of the terms, which are those with numbers first, first + stride, ...
struct TermShare {
  Index first, stride;
};

/// Adds the thread's share of the terms to the sums. Both factors of real products in double precision are multiplied
/// by `factor`, a power of two.
template <class E, class Terms, int words>
__device__ ACCUBLAS_NOINLINE void add_share(const Terms& terms, TermShare share, double factor,
                                            WordSum<words> (&sums)[parts_of<E>]) {
  // This many loads are in flight together, since the matrix may be stored across the terms.
  constexpr int together = 8;
  WordSum<words> chain[parts_of<E>];
  for (int part = 0; part < parts_of<E>; ++part) chain[part] = sums[part];
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
  for (int part = 0; part < parts_of<E>; ++part) sums[part] = chain[part];
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

/// Sums of one unknown have this many words before exact sums are used. They decide numerators down to some 2^-240 of
/// their terms.
inline constexpr int most_words = 6;

/// Returns to lane i < apart the sum over lanes i, i + apart, ... of the warp. `apart` is a power of two.
template <int words>
__device__ WordSum<words> sum_of_lanes(WordSum<words> sum, int apart) {
  for (int half = 16; half >= apart; half /= 2) {
    WordSum<words> other;
#pragma unroll
    for (int i = 0; i < words; ++i) other.word[i] = __shfl_down_sync(0xFFFFFFFFu, sum.word[i], half);
    other.error = __shfl_down_sync(0xFFFFFFFFu, sum.error, half);
    sum.add(other);
  }
  return sum;
}
/// Returns the numerator from sums that hold minus the numerator.
template <int words>
__device__ TripleSum minus(const WordSum<words>& sum) {
  const TripleSum leading = sum.leading();
  return {-leading.a1, -leading.a2, -leading.a3, leading.error};
}

/// Adds a share of minus the numerator of an unknown: its terms, and less its right-hand side in the first share. In
/// double precision both factors of real products are multiplied by `factor`, a power of two.
template <class E, class Terms, int words>
__device__ void add_share_of_numerator(const E& alpha, const Terms& terms, TermShare share, double factor,
                                       WordSum<words> (&sums)[parts_of<E>]) {
  if (share.first == 0) {
    const E b = terms.right_side();
    if constexpr (std::is_same_v<E, double>)
      subtract_right_side(sums, alpha * factor, b * factor);
    else
      subtract_right_side(sums, alpha, b);
  }
  add_share<E>(terms, share, factor, sums);
}

/// Computes the numerators alpha b - sum of the parts of one unknown in most_words words; all lanes get them. They are
/// scaled by 2^lift if `lifted`.
template <class E, class Terms>
__device__ ACCUBLAS_NOINLINE void numerators_of_terms(const E& alpha, const Terms& terms, bool lifted,
                                                      TripleSum (&numerators)[parts_of<E>]) {
  WordSum<most_words> sums[parts_of<E>];
  add_share_of_numerator(alpha, terms, {threadIdx.x % 32, 32}, lifting_factor(lifted), sums);
  // The words depend on the order of the lanes, and all lanes must decide alike.
  for (int part = 0; part < parts_of<E>; ++part) numerators[part] = of_lane(minus(sum_of_lanes(sums[part], 1)), 0);
}

/// One warp's shares of the numerators of 32 unknowns.
template <class E, int words>
using WarpShares = WordSum<words>[parts_of<E>][32];

/// Returns the position of the set bit that has `before` set bits below it. There must be one.
__device__ inline int position_of_bit(unsigned bits, int before) {
  for (int i = 0; i < before; ++i) bits &= bits - 1;
  return __ffs(static_cast<int>(bits)) - 1;
}

/// Computes the numerators of the unknowns of the lanes in `which`, at least one, in `words` words. The numerators of a
/// lane are scaled by 2^lift if `lifted`. The `warps` warps of a thread block call this for the same unknowns, and in
/// each of them a lane in `which` gets the numerators of its unknown. Each thread adds up a share of the terms of one
/// unknown. `shares` has an element for each warp. It is in use until the next synchronisation after the call.
template <class E, int words, class Terms, class Synchronise>
__device__ void numerators_by_warps(unsigned which, const E& alpha, const Terms& terms, bool lifted, int warps,
                                    WarpShares<E, words>* shares, Synchronise&& synchronise,
                                    TripleSum (&numerators)[parts_of<E>]) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32), count = __popc(which);
  int lanes = 32;  // lanes / 2 < count <= lanes; lane i has the unknown of rank i % lanes, if there is one
  while (lanes / 2 >= count) lanes /= 2;
  const int rank = lane % lanes, of = position_of_bit(which, min(rank, count - 1)), splits = 32 / lanes;
  const Terms theirs = of_lane(terms, of);
  const double factor = lifting_factor(__shfl_sync(0xFFFFFFFFu, lifted, of));
  WordSum<words> sums[parts_of<E>];
  if (rank < count) add_share_of_numerator(alpha, theirs, {lane / lanes + splits * warp, splits * warps}, factor, sums);
  for (int part = 0; part < parts_of<E>; ++part) {
    const WordSum<words> sum = sum_of_lanes(sums[part], lanes);
    if (lane < count) shares[warp][part][lane] = sum;
  }
  synchronise();
  if ((which >> lane & 1) == 0) return;
  const int own = __popc(which & ((1u << lane) - 1));
  for (int part = 0; part < parts_of<E>; ++part) {
    WordSum<words> sum = shares[0][part][own];
    for (int w = 1; w < warps; ++w) sum.add(shares[w][part][own]);
    numerators[part] = minus(sum);
  }
}

/// Returns the two leading words of a sum. The rest is added to the error.
template <class T>
__device__ BoundedPair<T, true> leading_pair(const TripleSum& sum) {
  const DoublePair x = two_sum(sum.a2, sum.a3), y = two_sum(sum.a1, x.high), z = two_sum(y.low, x.low),
                   w = two_sum(y.high, z.high);
  return {{w.high, w.low}, __dadd_ru(sum.error, fabs(z.low))};
}

}  // namespace accublas::cuda
