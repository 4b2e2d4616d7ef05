// Results whose terms may lie anywhere in the range of numbers, rounded by vector kernels.
#pragma once

#include <bit>
#include <cmath>

#include "lib/cpu/kernels/round_kernels.hpp"
#include "lib/numerics/ziv_component.hpp"

namespace accublas::cpu {

/// Up to round_most results alpha S 2^exponent + beta c, or components of complex ones. Each is rounded in a unit near
/// its largest term (ComponentTerms::in_range), so that the kernels decide it wherever it lies.
template <class T>
class ScaledResults {
 public:
  using Terms = ComponentTerms<T>;

  ScaledResults(const RoundKernel<T>& kernel, const typename Terms::Pair& alpha, const typename Terms::Pair& beta)
      : kernel_(kernel),
        factors_(alpha, beta),
        has_grid_(sizeof(T) == sizeof(double) && alpha.other == 0 && beta.other == 0) {}

  /// Sets result r.
  void set(Index r, const TripleSum& own, const TripleSum& other, int exponent, const typename Terms::Pair& c) {
    const Terms terms = Terms::in_range(factors_, own, other, exponent, c);
    for (int of : {0, 1}) {
      const TripleSum& sum = terms.sums[of];
      sums_[of][0][r] = sum.a1, sums_[of][1][r] = sum.a2, sums_[of][2][r] = sum.a3, sums_[of][3][r] = sum.error;
    }
    c_[0][r] = terms.c.own, c_[1][r] = terms.c.other;
    unit_[r] = terms.unit;
    if (!has_grid_) return;
    grid_[r] = terms.unit >= -1500 && terms.unit <= -1023 ? std::ldexp(1.5, -1022 - terms.unit) : 0;
  }
  /// Returns the terms of result r.
  Terms terms(Index r) const {
    const auto sum = [&](int of) {
      return TripleSum{sums_[of][0][r], sums_[of][1][r], sums_[of][2][r], sums_[of][3][r]};
    };
    return {factors_.alpha, factors_.beta, {sum(0), sum(1)}, unit_[r], {c_[0][r], c_[1][r]}};
  }

  /// Writes those of the results in `wanted`, a bit each, that the errors decide. Returns the pending ones. All results
  /// from the first to the last wanted one are set.
  std::uint64_t round(std::uint64_t wanted, T* out) const {
    const Index first = std::countr_zero(wanted) / round_step * round_step, end = std::bit_width(wanted);
    const auto terms = [&](int of, T alpha, T beta) {
      const auto& sums = sums_[of];
      return RoundTerms<T>{alpha,           beta,          sums[0] + first, sums[1] + first, sums[2] + first,
                           sums[3] + first, c_[of] + first};
    };
    RoundTerms<T> other = terms(1, factors_.alpha.other, factors_.beta.other);
    if (has_grid_) other = {.alpha = 1, .a1 = grid_ + first};
    T rounded[round_most];
    const std::uint64_t pending = kernel_.round(
        RoundRun<T>{end - first, terms(0, factors_.alpha.own, factors_.beta.own), other, rounded + first});
    std::uint64_t left = wanted;
    for (std::uint64_t decided = wanted & ~(pending << first); decided != 0; decided &= decided - 1) {
      const Index r = std::countr_zero(decided);
      if (has_grid_ && grid_[r] != 0) {
        // A zero would need the sign of the exact result.
        rounded[r] -= static_cast<T>(grid_[r]);
        if (rounded[r] == 0) continue;
        rounded[r] = static_cast<T>(std::ldexp(double{rounded[r]}, unit_[r]));
      } else if (!Terms::from_unit(unit_[r], rounded[r])) {
        continue;
      }
      out[r] = rounded[r];
      left &= ~(std::uint64_t{1} << r);
    }
    return left;
  }

 private:
  const RoundKernel<T>& kernel_;
  double sums_[2][4][round_most];
  T c_[2][round_most];
  /// In place of terms with the other component, if there are none: numbers whose last place is the least subnormal
  /// number, so that the kernel rounds results that are subnormal to multiples of it; zero for other results.
  double grid_[round_most];
  int unit_[round_most];
  const typename Terms::Factors factors_;
  const bool has_grid_;
};

}  // namespace accublas::cpu
