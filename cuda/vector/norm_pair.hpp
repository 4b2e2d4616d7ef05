// NRM2 and ASUM on the device: dot2's steps for squares and magnitudes, and the conversion of the pair to the norm, for
// dot2 and for cr (docs/modes.md; the CPU's counterpart is lib/cpu/sums/norms.cpp). All terms have one sign, so the
// pair is within about 2^-95 (float: 2^-47) of the sum, relatively. cr rounds what that bound decides; the exact kernel
// does the rest.
#pragma once

#include "cuda/sums/dot2_pair.hpp"
#include "cuda/vector/vector_device.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/finish_root.hpp"

namespace accublas::cuda {

/// Returns the relative error bound of the pair of n terms, without products that underflow.
template <class T>
double norm_error(Index n) {
  return dot2_bound(dot2_depth_dot(n), n, unit_roundoff<T>()).componentwise * (1 + 0x1p-40);
}

/// The parameters of a norm other than its terms.
struct NormCall {
  bool cr, all_undecided;  ///< mode cr; see VectorCall
  bool second_pass;        ///< squares: runs only if the first pass found that entries must be scaled
  double error;            ///< norm_error
  std::uint32_t* largest;  ///< squares of binary64: the high word of the largest magnitude, one for every thread block
  std::int32_t* scale;     ///< for the second pass: entries are scaled by 2^-scale; 0: there is nothing to do
};

#ifdef __CUDACC__

/// Adds a square. `largest` is a high word without its sign, and is kept for binary64 only.
template <class T>
__device__ void step_square(Pair& pair, T x, double scaling, std::uint32_t& largest) {
  if constexpr (compensated<T>) {
    largest = max(largest, static_cast<std::uint32_t>(__double2hiint(x)) & 0x7FFFFFFFu);
    x = mul_rn(x, scaling);
  }
  step(pair, x, x);
}

template <class T>
__device__ void step_magnitude(Pair& pair, T x) {
  const double p = fabs(x), s = add_rn(pair.s, p);
  if constexpr (compensated<T>) pair.c = add_rn(pair.c, sum_error(pair.s, p, s));
  pair.s = s;
}

/// Returns the exponent by which binary64 entries are scaled before they are squared. Its limits are powers of two, so
/// high words suffice. The result is also -600 if all entries are zero, which gives the correct +0.
__device__ inline int square_scale(std::uint32_t largest) {
  constexpr std::uint32_t least = (1023u - 400) << 20, most = (1023u + 480) << 20;
  return largest < least ? -600 : largest < most ? 0 : 600;
}

/// Rounds the norm, or leaves it pending for the exact kernel (in cr).
template <class T>
__device__ __noinline__ void round_root(const RowProblem<T>& p, const OpenRows& open, const NormCall& norm, Pair pair,
                                        int scale) {
  if (!norm.cr) {
    *p.y.data = finish_root_pair<T>(pair.s, pair.c, scale);
    return;
  }
  // Entries scaled up are multiples of 2^-474, their products of 2^-948, so nothing underflows. For float nothing ever
  // underflows.
  const double underflow = compensated<T> && scale >= 0 ? static_cast<double>(p.k) * product_underflow : 0;
  T out;
  if (!norm.all_undecided && finish_root_within(pair.s, pair.c, norm.error * pair.s + underflow, scale, &out)) {
    *p.y.data = out;
  } else {
    leave_open(open, 0);
  }
}

/// Finishes NRM2 from its pair, which was formed with `scale`; `largest` is the high word of the largest magnitude.
template <class T>
__device__ void finish_squares(const RowProblem<T>& p, const OpenRows& open, const NormCall& norm, Pair pair, int scale,
                               std::uint32_t largest) {
  const int wanted = compensated<T> ? square_scale(largest) : 0;
  // Squares add up to Inf without an Inf only if they overflow, and to NaN only with a NaN.
  const bool special = compensated<T> ? largest >= 0x7FF00000u : !is_finite(pair.s);
  if (compensated<T> && !norm.second_pass) *norm.scale = special ? 0 : wanted;
  if (special) {
    *p.y.data = is_nan(pair.s) ? canonical_nan<T>() : from_bits<T>(FloatFormat<T>::infinity);
  } else if (wanted == scale) {
    round_root(p, open, norm, pair, scale);
  }
}

/// Finishes ASUM from its pair.
template <class T>
__device__ void finish_magnitudes(const RowProblem<T>& p, const OpenRows& open, const NormCall& norm, Pair pair) {
  const bool finite = is_finite(pair.s) && is_finite(pair.c);
  T out;
  if (finite && !norm.cr) {
    *p.y.data = static_cast<T>(add_rn(pair.s, pair.c));
  } else if (finite && !norm.all_undecided &&
             finish_triple(T(1), {pair.s, pair.c, 0, norm.error * pair.s}, 0, T(0), T(0), &out)) {
    *p.y.data = out;
  } else {
    leave_open(open, 0);
  }
}

#endif

}  // namespace accublas::cuda
