// The last rounding in batches of small matrices, by the leading bits of a sum, which decide nearly every element.
// Device code.
#pragma once

#include "cuda/batch/batch_kernels.hpp"
#include "cuda/int8/finish_leading.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// The properties of alpha and beta that elements need.
template <class T>
struct Scalars {
  T alpha, beta;
  bool power;     ///< beta = 0, alpha = +-2^e, normal
  int exponent;   ///< e
  unsigned sign;  ///< 2^31 for a negative one
  __device__ Scalars(T a, T b) : alpha(a), beta(b) {
    using F = FloatFormat<T>;
    const auto bits = to_bits(a);
    const int field = static_cast<int>((bits & F::infinity) >> (F::digits - 1));
    power = is_zero(b) && (bits & ~(F::sign | F::infinity)) == 0 && field != 0 && is_finite(a);
    exponent = field + F::min_exponent + F::digits - 2;
    sign = (bits & F::sign) != 0 ? 0x80000000u : 0;
  }
};

/// Returns high + low 2^-48 for 0 <= low < 2^48 and abs(high) <= 2^53.
__device__ __forceinline__ LeadingPart leading_part(long long high, long long low) {
  return {__ll2double_rn(high),
          __hiloint2double(static_cast<int>(0x40300000u | static_cast<unsigned>(low >> 32)), static_cast<int>(low)) -
              0x1p4};  // 48 bits above 2^4 in units of 2^-48
}

/// Computes RN(alpha (sum +- bound) 2^shift + beta c); returns false if a few operations do not decide it. bound = 0:
/// the sum is complete, or an odd last bit of its tail marks that it is not.
template <class T>
__device__ __forceinline__ bool finish_leading(const LeadingPart& sum, double bound, int shift, const Scalars<T>& x,
                                               const T* at, T* out) {
  const int power = shift + x.exponent;
  if (x.power) {
    const unsigned scale = (static_cast<unsigned>(power) << 20) + x.sign;
    return abs(power) <= 800 && (bound == 0 ? round_power_of_two<T, true>(sum, 0, scale, out)
                                            : round_power_of_two<T, false>(sum, bound, scale, out));
  }
  return abs(shift) <= 800 &&
         round_general(x.alpha, x.beta, sum, bound + leading_slack<false>, shift, read_addend(x.beta, at), out);
}

#endif

}  // namespace accublas::cuda
