// Computes one component of alpha S + beta c from both components of S: by products of doubles if these decide, else
// exactly (lib/numerics/component_sum.hpp). Device code; lanes 2 i and 2 i + 1 of a warp have the real and the
// imaginary part of a number.
#pragma once

#include <math_constants.h>

#include "cuda/exact/combined_parts.hpp"
#include "cuda/exact/round_between.hpp"
#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/eft.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// A number in [head + tail - error, head + tail + error], with abs(tail) <= 2^-52 abs(head). If `error` is not finite,
/// nothing is known.
struct LeadingSum {
  double head, tail, error;
};

/// Returns the leading bits of (sum +- error) 2^exponent.
template <int L>
__device__ LeadingSum leading_sum(const Wide<L>& sum, double error, int exponent) {
  const bool negative = wide_negative(sum);
  const WideTop top = wide_top(wide_negate_if(sum, negative));
  if (top.high == 0 && error == 0) return {0, 0, 0};
  const int unit = exponent + top.shift;
  if (unit < -700 || unit > 700 || exponent < -900 || exponent > 900) return {0, 0, CUDART_INF};
  const std::uint64_t next = (top.high & 0x7FF) << 42 | top.low >> 22;
  const double head = __dmul_rn(static_cast<double>(top.high >> 11), power_of_two(unit + 75)),
               tail = __dmul_rn(static_cast<double>(next), power_of_two(unit + 22));
  const bool more = top.lost || (top.low & 0x3FFFFF) != 0;
  const double bound = __fma_rn(error, power_of_two(exponent), more ? power_of_two(unit + 22) : 0);
  return {negative ? -head : head, negative ? -tail : tail, __dmul_rn(bound, 1 + 0x1p-50)};
}

/// Adds up to four products of a factor and a number, with a bound of the error.
template <class T>
class LeadingCombination {
 public:
  /// Adds factor x; a zero factor adds no term.
  __device__ void add(T factor, const LeadingSum& x) {
    const double f = factor;
    if (f == 0 || (x.head == 0 && x.error == 0 && is_finite(f))) return;
    const double p = __dmul_rn(f, x.head);
    good_ = good_ && (within(p, -900, 1000) || (p == 0 && x.head == 0));
    const double low = __fma_rn(f, x.tail, __fma_rn(f, x.head, -p));
    const DoublePair s = two_sum(head_, p);
    head_ = s.high;
    tail_ = __dadd_rn(tail_, __dadd_rn(s.low, low));
    size_ = __dadd_rn(size_, fabs(p));
    error_ = __fma_ru(fabs(f), x.error, error_);  // an error that underflows is not zero
  }
  /// Rounds the sum; returns false if it is not decided.
  __device__ bool round(T* out) const {
    *out = T(0);
    if (size_ == 0 && error_ == 0) return good_;
    // The bound covers eight sums and products, each below 2^-51 of the sizes, whose errors are 2^-53 of them.
    const double bound = __fma_rn(size_, 0x1p-98, __dmul_rn(error_, 1 + 0x1p-40));
    return good_ && round_between(head_, tail_, bound, 0, out) && !is_zero(*out);
  }

 private:
  double head_ = 0, tail_ = 0, size_ = 0, error_ = 0;
  bool good_ = true;
};

/// The factors of a lane's component: alpha and beta for its own part and for the other part.
template <class T>
struct CombineFactors {
  T own_alpha, other_alpha, own_beta, other_beta;
  bool reads_c;
  bool leaves_c;  ///< alpha is zero: only the scaling is to be done

  __device__ CombineFactors(const CombinedParts<T>& combined, bool imaginary) {
    const Complex<T> alpha = combined.alpha.get(), beta = combined.beta.get();
    own_alpha = alpha.re, own_beta = beta.re;
    other_alpha = imaginary ? alpha.im : -alpha.im, other_beta = imaginary ? beta.im : -beta.im;
    reads_c = !(beta == T(0));
    leaves_c = alpha == T(0);
  }
};

template <class T>
__device__ const T* addend_at(const CombinedParts<T>& combined, Index row, Index col, const T* at) {
  return combined.addend ? combined.addend + row * combined.addend_stride + col : at;
}

/// A component's addends, both parts of c. All lanes of a warp construct it together.
template <class T>
struct CombineAddend {
  T own, other;

  /// Reads the addends of element (row, col), whose address is `at`.
  __device__ CombineAddend(const CombinedParts<T>& combined, const CombineFactors<T>& f, bool inside, Index row,
                           Index col, const T* at) {
    own = inside && f.reads_c ? *addend_at(combined, row, col, at) : T(0);
    other = __shfl_xor_sync(0xFFFFFFFFu, own, 1);
  }
};

/// Computes RN(alpha S + beta c) by `own` and `other`; returns false if they do not decide.
template <class T>
__device__ bool combine_leading(const CombineFactors<T>& f, const LeadingSum& own, const LeadingSum& other,
                                const CombineAddend<T>& c, T* out) {
  LeadingCombination<T> sum;
  sum.add(f.own_alpha, own);
  sum.add(f.other_alpha, other);
  sum.add(f.own_beta, {c.own, 0, 0});
  sum.add(f.other_beta, {c.other, 0, 0});
  return sum.round(out);
}

/// Computes RN(alpha S + beta c) from exact sums: add(to, part, factor) adds factor S to the sum; part 1 is the other
/// part.
template <class T, class Add>
__device__ ACCUBLAS_NOINLINE T combine_exactly(const CombineFactors<T>& f, const CombineAddend<T>& c, Add add) {
  ComponentSum<T> sum;
  add(sum, 0, f.own_alpha);
  add(sum, 1, f.other_alpha);
  sum.add(f.own_beta, c.own);
  sum.add(f.other_beta, c.other);
  return sum.round();
}

#endif

}  // namespace accublas::cuda
