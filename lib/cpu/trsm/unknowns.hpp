// Unknowns of one pivot that are rounded together, from sums over the unknowns before them. Vector kernels decide
// nearly all of them (lib/cpu/kernels/round.cpp); Unknown decides the others one by one.
#pragma once

#include "lib/cpu/kernels/round_kernels.hpp"
#include "lib/numerics/substitution.hpp"

namespace accublas::cpu {

template <class E>
class Unknowns {
  using T = RealOf<E>;
  static constexpr int parts = parts_of<E>;

 public:
  static constexpr Index most = round_most;
  /// Fewer unknowns are faster one by one.
  static constexpr Index least = is_complex<E> ? 1 : 4;

  /// Takes what `count` unknowns share; each has another right-hand side.
  Unknowns(const Unknown<E>& shared, Index count, Isa isa)
      : unit_(shared.unit),
        kernel_(kernels_for<RoundKernel<T>>(isa)),
        good_(count >= least && (unit_ || shared.reciprocal_of_pivot(reciprocal_))) {
    if (!good_) return;
    for (int part = 0; part < parts; ++part) {
      RoundRun<T>& run = run_[part];
      run.own = {-1, part_of(shared.alpha, 0), sum_[part][0], sum_[part][1], sum_[part][2], sum_[part][3], b_[part]};
      if constexpr (is_complex<E>) {
        run.other.beta = part == 0 ? -shared.alpha.im : shared.alpha.im;
        run.other.c = b_[1 - part];
      }
      run.out = x_[part];
    }
  }
  Unknowns(const Unknowns&) = delete;
  Unknowns& operator=(const Unknowns&) = delete;

  /// Part p of unknown i's sum is sums[p apart + i], and its right-hand side b(i). Rounds `count` unknowns. Returns
  /// those that stay undecided, a bit each.
  template <class B>
  std::uint64_t round(Index count, const TripleSum* sums, Index apart, B&& b) {
    if (!good_) return ~std::uint64_t{0};
    for (int part = 0; part < parts; ++part) {
      run_[part].count = count;
      for (Index i = 0; i < count; ++i) {
        const TripleSum& sum = sums[part * apart + i];
        sum_[part][0][i] = sum.a1, sum_[part][1][i] = sum.a2, sum_[part][2][i] = sum.a3, sum_[part][3][i] = sum.error;
      }
    }
    for (Index i = 0; i < count; ++i) {
      const E right = b(i);
      for (int part = 0; part < parts; ++part) b_[part][i] = part_of(right, part);
    }
    if constexpr (is_complex<E>)
      return unit_ ? kernel_.round(run_[0]) | kernel_.round(run_[1]) : kernel_.divide_complex(run_, reciprocal_);
    else
      return unit_ ? kernel_.round(run_[0]) : kernel_.divide(run_[0], reciprocal_[0]);
  }

  /// The unknown i of those that were rounded.
  E operator[](Index i) const {
    if constexpr (is_complex<E>)
      return {x_[0][i], x_[1][i]};
    else
      return x_[0][i];
  }

 private:
  const bool unit_;
  const RoundKernel<T>& kernel_;
  Approximation reciprocal_[parts];
  const bool good_;  ///< the kernels can round these unknowns
  RoundRun<T> run_[parts];
  double sum_[parts][4][most];
  T b_[parts][most], x_[parts][most];
};

}  // namespace accublas::cpu
