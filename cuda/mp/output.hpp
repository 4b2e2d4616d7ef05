// Examines an output of a product before its sum is known: special values, the scalars, and beta c. The kernels that
// finish outputs share this header.
#pragma once

#include <algorithm>

#include "cuda/mp/align.hpp"
#include "cuda/mp/number.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

/// Returns the number of threads of a team that finishes outputs. There is a thread for each limb of alpha Y and of
/// beta c, with one more for sign and carries, and one for every modulus.
inline int finish_team_size(const MpFinish& g) {
  const int product = g.basis.limbs + (g.plain ? 0 : g.format.limbs) + 1;
  const int addend = g.plain ? g.format.limbs : g.format.basis.limbs + g.format.limbs + 1;
  const int threads = std::max({product, addend, g.basis.moduli, g.format.basis.moduli});
  return threads <= 16 ? 16 : round_up(threads, 32);
}

#ifdef __CUDACC__

/// alpha S + beta c in extended reals, as far as it is known without S.
struct Output {
  Index at;           ///< position in C
  bool known;         ///< `code` and `negative` are the result
  bool product;       ///< alpha S is part of the result, and S is finite
  bool infinite;      ///< alpha is infinite: the sign of S decides
  bool addend;        ///< beta c is part of the result, finite and not zero
  std::int32_t code;  ///< code of the result, or of beta c if that is special
  bool negative;
};

/// Returns bits for the classes of the terms of output (o, r): 1 NaN or infinity times zero, 2 +infinity, 4 -infinity.
template <int width>
__device__ int term_classes(const Team<width>& team, const MpFinish& g, Index o, int r) {
  int classes = 0;
  for (Index q = team.rank(); q < g.terms; q += team.size()) {
    const Index i = g.transposed ? element_at(g.block_a, q, o) : element_at(g.block_a, o, q);
    const Index j = element_at(g.block_b, q, g.first + r);
    const std::int32_t u = g.a.exponent[i], v = g.b.exponent[j];
    const bool infinite = u == mp::exponent_infinity || v == mp::exponent_infinity;
    const bool zero = u == mp::exponent_zero || v == mp::exponent_zero;
    if (u == mp::exponent_nan || v == mp::exponent_nan || (infinite && zero))
      classes |= 1;
    else if (infinite)
      classes |= g.a.sign[i] != g.b.sign[j] ? 4 : 2;
  }
  return (team.any(classes & 1) ? 1 : 0) | (team.any(classes & 2) ? 2 : 0) | (team.any(classes & 4) ? 4 : 0);
}

/// `special`: the matrix or the vector holds an infinity or a NaN.
template <int width>
__device__ Output examine_output(const Team<width>& team, const MpFinish& g, Index o, int r, bool special) {
  const MpOddScalar &alpha = g.call->alpha, &beta = g.call->beta;
  Output out{};
  out.at = element_at(g.block, o, g.first + r);
  if (g.plain && !special) {
    out.product = true;
    return out;
  }
  // This computes beta c; C is not read if beta is zero.
  out.code = mp::exponent_zero;
  if (!g.plain && beta.code != mp::exponent_zero) {
    const std::int32_t c = g.c.exponent[out.at];
    const bool infinite = beta.code == mp::exponent_infinity || c == mp::exponent_infinity,
               zero = c == mp::exponent_zero;
    out.negative = (beta.negative != 0) != (g.c.sign[out.at] != 0);
    if (beta.code == mp::exponent_nan || c == mp::exponent_nan || (infinite && zero))
      out.code = mp::exponent_nan;
    else if (infinite)
      out.code = mp::exponent_infinity;
    else if (!zero)
      out.code = 0, out.addend = true;
  }
  const std::int32_t alpha_code = g.plain ? 0 : alpha.code;
  const bool alpha_negative = !g.plain && alpha.negative != 0;
  if (g.terms == 0 || alpha_code == mp::exponent_zero) {
    out.known = !out.addend;
    return out;
  }
  const int classes = special ? term_classes(team, g, o, r) : 0;
  if (alpha_code == mp::exponent_nan || (classes & 1) || classes == 6 || out.code == mp::exponent_nan) {
    out.known = true;
    out.code = mp::exponent_nan;
    return out;
  }
  if (classes != 0) {
    const bool negative = (classes == 4) != alpha_negative;
    out.known = true;
    if (out.code == mp::exponent_infinity && out.negative != negative)
      out.code = mp::exponent_nan;
    else
      out.code = mp::exponent_infinity, out.negative = negative;
    return out;
  }
  out.product = true;
  out.infinite = alpha_code == mp::exponent_infinity;
  out.known = !out.infinite && out.code == mp::exponent_infinity;
  return out;
}

/// Writes an output whose alpha is infinite; S is zero, or has the given sign.
template <int width>
__device__ void store_infinite(const Team<width>& team, const MpFinish& g, const Output& out, bool zero,
                               bool negative) {
  const bool sign = negative != (g.call->alpha.negative != 0);
  const bool nan = zero || (out.code == mp::exponent_infinity && out.negative != sign);
  store_special(team, g.format, g.c, out.at, nan ? mp::exponent_nan : mp::exponent_infinity, sign);
}

/// The number +-N 2^exponent. It holds sign and exponent; the team holds N, one limb a thread.
struct SignedNumber {
  std::uint32_t limb;
  bool negative;
  std::int64_t exponent;
};

/// Returns the thread's limb of the product of the team's number, `limbs` limbs long, and the scalar's odd integer.
template <int width>
__device__ std::uint32_t times_scalar(const Team<width>& team, std::uint32_t limb, int limbs, const MpOddScalar& scalar,
                                      const NumberScratch& scratch) {
  if (scalar.limbs == 1 && scalar.limb[0] == 1) return limb;
  const int rank = team.rank();
  team.sync();
  scratch.first[rank] = limb;
  team.sync();
  Sum96 s;
  const int end = min(rank + 1, scalar.limbs);
  for (int j = max(0, rank - limbs + 1); j < end; ++j) s.add_product(scalar.limb[j], scratch.first[rank - j]);
  return team.carried(s);
}

/// Multiplies x by alpha; x has `limbs` limbs in the team.
template <int width>
__device__ void times_alpha(const Team<width>& team, const MpFinish& g, SignedNumber& x, int limbs,
                            const NumberScratch& scratch) {
  if (g.plain) return;
  const MpOddScalar& alpha = g.call->alpha;
  x.limb = times_scalar(team, x.limb, limbs, alpha, scratch);
  x.negative = x.negative != (alpha.negative != 0);
  x.exponent += alpha.exponent;
}

/// Returns beta c.
template <int width>
__device__ SignedNumber scaled_addend(const Team<width>& team, const MpFinish& g, const Output& out,
                                      const NumberScratch& scratch) {
  const MpOddScalar& beta = g.call->beta;
  const std::uint32_t limb = limb_of_element(team, g.format, g.c, out.at, scratch);
  return {times_scalar(team, limb, g.format.basis.limbs, beta, scratch), out.negative,
          static_cast<std::int64_t>(g.c.exponent[out.at]) - g.format.precision + beta.exponent};
}

#endif

}  // namespace accublas::cuda
