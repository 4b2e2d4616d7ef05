// The certificate's test of an element (docs/modes.md, dp), exact. For .cu files.
//
// T suffices where factor X - (lambda + mu) >= least (lib/numerics/certificate.hpp), factor = (k + 1) 2^s. While lambda
// + mu is at most 2^53, a double holds it and `least`, and one fused multiply-add decides: it rounds the left side, but
// not where that is an integer below 2^53, so it never crosses `least`. Beyond, (k + 1) X >= ceil((lambda + mu + least)
// / 2^s) decides in 64-bit integers: X < 2^31, so for k < 2^31 nothing there reaches 2^63.
#pragma once

#include "cuda/core/operand.hpp"
#include "lib/numerics/certificate.hpp"

namespace accublas::cuda {

struct Rung {
  double factor, least;
  std::int64_t integer_least;
  int t, shift;
};
struct Rungs {
  int count;
  Rung rung[6];
};
template <class T>
Rungs make_rungs(Index k, int most) {
  constexpr CertificateRungs list = certificate_rungs<T>();
  Rungs r{};
  r.count = list.count < most ? list.count : most;
  for (int i = 0; i < r.count; ++i) {
    const CertificateTest test = certificate_test(list.t[i], list.digits, k);
    r.rung[i] = {static_cast<double>(test.factor), static_cast<double>(test.least), test.least, list.t[i],
                 list.t[i] + 11 - list.digits};
  }
  return r;
}
/// lambda and mu are at most k 2^24.
constexpr bool long_sums(Index k) { return k > Index{1} << 28; }

#ifdef __CUDACC__

/// No line needs so many bits.
inline constexpr int never = 0x7FFFFFFF;

/// Facts about a vector (row of A or column of B). One with Inf or NaN needs more bits than there are.
struct LineFacts {
  double lambda;
  int needed;
};
__device__ inline LineFacts facts_of(const Lines& lines, Index i) {
  return {lines.lambda[i], lines.special[i] != 0 ? never : lines.exponent[i] - lines.last_bit[i]};
}

/// Whether a rung suffices where bits are dropped. `Long`: long_sums.
template <bool Long>
__device__ inline bool suffices(const Rung& rung, double lambda, double mu, std::int32_t sum, Index terms) {
  if constexpr (Long) {
    const std::int64_t bound = static_cast<std::int64_t>(lambda) + static_cast<std::int64_t>(mu) + rung.integer_least;
    return sum * (terms + 1) >= (bound + ((std::int64_t{1} << rung.shift) - 1)) >> rung.shift;
  } else {
    // The sum as a double, without the slow conversion.
    const double x = __hiloint2double(0x43300000, sum) - 0x1p52;
    return __fma_rn(rung.factor, x, -(lambda + mu)) >= rung.least;
  }
}

/// The findings of a thread. Only the largest rung that an accepted element needs is wanted, and what suffices at a
/// rung suffices above: so elements are tried at the largest so far.
struct Found {
  int rung;
  bool accepted;  ///< some element was
  unsigned rejected;

  /// `known`: CallState::largest_rung at the start, which others may have raised.
  __device__ explicit Found(int known) : rung(known > 0 ? known - 1 : 0), accepted(false), rejected(0) {}

  /// An element of finite lines: true if one of so many rungs lets it pass, which `rung` then is at least.
  /// enough(rung): whether a rung does.
  template <class Enough>
  __device__ bool accept(int rungs, Enough&& enough) {
    if (!enough(rung)) {
      if (!enough(rungs - 1)) return false;
      while (!enough(rung)) ++rung;
    }
    return accepted = true;
  }
};

#endif

}  // namespace accublas::cuda
