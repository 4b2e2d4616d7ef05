// dot2's pair on the device (docs/modes.md, dot2): step, combine and the final rounding.
#pragma once

#include "lib/numerics/eft.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// Whether pairs of a type have a compensation. binary32 has plain sums in binary64, and its c stays 0.
template <class T>
constexpr bool compensated = sizeof(T) == sizeof(double);

/// A sum s and its compensation c.
struct Pair {
  double s, c;
};

/// Returns the exact error of s = RN(a + b), s finite. It uses Dekker's sequence on the ordered operands, because
/// TwoSum's can overflow if b is the largest finite number. In binary64 it also takes fewer operations than TwoSum: a
/// comparison and two additions.
__device__ inline double sum_error(double a, double b, double s) {
  const bool swap = fabs(a) < fabs(b);
  const double large = swap ? b : a, small = swap ? a : b;
  return add_rn(small, -add_rn(s, -large));
}

/// Adds x y to a pair (step of docs/modes.md).
template <class T>
__device__ void step(Pair& pair, T x, T y) {
  if constexpr (compensated<T>) {
    const double p = mul_rn(x, y), s = add_rn(pair.s, p);
    pair.c = add_rn(pair.c, add_rn(sum_error(pair.s, p, s), fma_rn(x, y, -p)));
    pair.s = s;
  } else {
    pair.s = fma_rn(x, y, pair.s);  // the product is exact: one rounding, as s + x y has
  }
}

/// Returns combine(left, right) of docs/modes.md.
template <class T>
__device__ Pair combine(Pair left, Pair right) {
  const double s = add_rn(left.s, right.s);
  return {s, compensated<T> ? add_rn(add_rn(left.c, right.c), sum_error(left.s, right.s, s)) : 0.0};
}

/// These functions load and store pairs in scratch, in the way that last_to_arrive requires.
__device__ inline Pair load_pair(const Pair* p) {
  const double2 v = __ldcg(reinterpret_cast<const double2*>(p));
  return {v.x, v.y};
}
__device__ inline void store_pair(Pair* p, Pair pair) { *reinterpret_cast<double2*>(p) = {pair.s, pair.c}; }

/// Returns RN(alpha (s + c) + beta addend). It is not inlined, since it needs more registers than the kernels.
template <class T>
__device__ __noinline__ T round_general(T alpha, Pair pair, T beta, T addend) {
  return finish_pair(alpha, pair.s, pair.c, beta, addend);
}

/// Returns RN(alpha (s + c) + beta *y) for a finite pair.
template <class T>
__device__ T round_pair(T alpha, Pair pair, T beta, const T* y) {
  // Hardware adds and converts as RN does, and s and c are never -0, so that an exact zero is +0.
  return alpha == T(1) && is_zero(beta) ? static_cast<T>(add_rn(pair.s, pair.c))
                                        : round_general(alpha, pair, beta, read_addend(beta, y));
}

#endif

}  // namespace accublas::cuda
