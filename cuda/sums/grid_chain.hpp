// A lane's chain of the grid sum of cr; the CPU's counterpart is lib/cpu/kernels/cr_chain.hpp. It takes 12 operations
// in binary64 a term (exact products: 9).
//
// Bound: Grid of lib/numerics/bounds.hpp with H = 7, for chains of at most 2^(H-1) = 64 terms. The rest of a product
// and its error enter the second grid as one number. If a product reaches the limit L, the chain is added to the total
// and starts again with a larger L. So every added product is below the L of its grids, and no chain is longer. Each
// chain errs by at most L grid.error(64, 64), however short it was, and triple_add counts the losses of the total. A
// chain that leaves nothing below its grids, as on data with few bits, has no error at all, so that ties are decided.
// NaN, Inf and products from 2^900 on make the limit infinite and the sum NaN.
#pragma once

#include "cuda/core/loads.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/triple_sum.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

inline constexpr int chain_group = 8;  ///< products that are compared with the limit at once
inline constexpr int chain_terms = 64;

/// With `Exact` products have no error (binary32 operands). With `Uniform` the warp has one limit, and its lanes share
/// a sum; otherwise every lane has its own limit.
template <bool Exact, bool Uniform>
struct GridChain {
  double s1 = 0, s2 = 0, c = 0;
  std::uint32_t limit_high = 0;  ///< high word of the limit, a power of two (0: none yet)
  int groups = 0;
  std::uint32_t below = 0;  ///< not zero if a number other than zero was added to c
  TripleSum total{0, 0, 0, 0};

  /// Adds the sum of a[i] x[i]; all lanes of a warp call it together.
  __device__ void add(const double (&a)[chain_group], const double (&x)[chain_group]) {
    double p[chain_group], e[chain_group];
    std::uint32_t high = 0, low = ~0u;
#pragma unroll
    for (int i = 0; i < chain_group; ++i) {
      p[i] = mul_rn(a[i], x[i]);
      if constexpr (!Exact) e[i] = fma_rn(a[i], x[i], -p[i]);
      const std::uint32_t magnitude = static_cast<std::uint32_t>(__double2hiint(p[i])) & 0x7FFFFFFFu;
      high = magnitude > high ? magnitude : high;
      low = magnitude < low ? magnitude : low;
    }
    if (!Exact && __any_sync(full_warp, low < least_exact)) note_underflow(a, x, p);
    const bool passed = __any_sync(full_warp, high >= limit_high);
    if (passed || groups == chain_terms / chain_group) {
      if (Uniform && passed) high = lanes_max(high);
      flush(high >= limit_high ? limit_above(high) : limit_high);
    }
    ++groups;
#pragma unroll
    for (int i = 0; i < chain_group; ++i) {
      to_grid(s1, p[i]);
      if constexpr (Exact) {
        to_grid(s2, p[i]);
        note_rest(p[i]);
      } else {
        const double t = add_rn(s2, add_rn(p[i], e[i])), d = add_rn(t, -s2);
        s2 = t;
        note_rest(add_rn(add_rn(p[i], -d), e[i]));
      }
    }
  }

  /// Returns the sum of all that was added.
  __device__ TripleSum result() {
    flush(limit_high);
    return total;
  }

 private:
  static constexpr Grid grid{7};
  static_assert(chain_terms == 1 << (grid.headroom - 1));

  /// Adds v, rounded to the grid of s, to s; v becomes the rest.
  __device__ static void to_grid(double& s, double& v) {
    const double t = add_rn(s, v);
    v = add_rn(v, -add_rn(t, -s));
    s = t;
  }

  __device__ void note_rest(double rest) {
    c = add_rn(c, rest);
    below |= static_cast<std::uint32_t>(__double2hiint(rest)) | static_cast<std::uint32_t>(__double2loint(rest));
  }

  /// Products from 2^-960 on, and those with a zero, are exactly p + e; the others may lose bits to underflow.
  static constexpr std::uint32_t least_exact = (1023 - 960) << 20;
  __device__ void note_underflow(const double (&a)[chain_group], const double (&x)[chain_group],
                                 const double (&p)[chain_group]) {
#pragma unroll
    for (int i = 0; i < chain_group; ++i)
      if (fabs(p[i]) < 0x1p-960 && !is_zero(a[i]) && !is_zero(x[i])) total.error += product_underflow;
  }

  /// Returns the high word of a limit for products whose largest high word is `high`. The limit is 16 to 32 times as
  /// large, so that it is seldom exceeded; it is at least 2^-960, and infinite for products from 2^900 on.
  __device__ static std::uint32_t limit_above(std::uint32_t high) {
    constexpr std::uint32_t least = (1023 - 960) << 20, largest = (1023 + 900) << 20;
    const std::uint32_t power = (high & 0x7FF00000u) + (5u << 20);
    return high >= largest ? 0x7FF00000u : power < least ? least : power;
  }

  /// Adds the chain to the total, and starts an empty one on the grids of the next limit.
  __device__ void flush(std::uint32_t next_high) {
    constexpr double base1 = grid.base1(), base2 = grid.base2(), error = grid.error(chain_terms, chain_terms);
    const double limit = __hiloint2double(static_cast<int>(limit_high), 0);
    const double b1 = mul_rn(limit, base1), b2 = mul_rn(limit, base2);
    triple_add(total, {add_rn(s1, -b1), add_rn(s2, -b2), c, below != 0 ? mul_rn(limit, error) : 0.0});
    const double next = __hiloint2double(static_cast<int>(next_high), 0);
    s1 = mul_rn(next, base1);
    s2 = mul_rn(next, base2);
    c = 0;
    below = 0;
    limit_high = next_high;
    groups = 0;
  }
};

/// Returns to lane i < apart the sum over lanes i, i + apart, ... of the warp. `apart` is a power of two.
__device__ inline TripleSum warp_sum(TripleSum sum, int apart = 1) {
  for (int half = 16; half >= apart; half /= 2) {
    const TripleSum other{__shfl_down_sync(full_warp, sum.a1, half), __shfl_down_sync(full_warp, sum.a2, half),
                          __shfl_down_sync(full_warp, sum.a3, half), __shfl_down_sync(full_warp, sum.error, half)};
    triple_add(sum, other);
  }
  return sum;
}

/// Loads a sum from scratch, in the way that last_to_arrive requires.
__device__ inline TripleSum load_sum(const TripleSum* p) {
  const double2* const q = reinterpret_cast<const double2*>(p);
  const double2 u = __ldcg(q), v = __ldcg(q + 1);
  return {u.x, u.y, v.x, v.y};
}

#endif

}  // namespace accublas::cuda
