#include "lib/certified/spectrum.hpp"

#include "lib/numerics/eft.hpp"

namespace accublas::certified {

namespace {

constexpr Index most_steps = 6;
// A radius is small enough if it is little more than half a unit in the last place, or beyond what two parts resolve.
// Results in single precision are rounded anyway.
constexpr double half_ulp_and_a_little = 0.5 + 0x1p-8, of_single = 0x1p-32, unresolved = 0x1p-96;
// A vector is good enough if what it has outside of its cluster is small beside the rounding of its elements.
constexpr double vector_goal = 0x1p-57, vector_goal_of_single = 0x1p-30;

bool is_tight(double center, double radius, bool single) {
  const double size = std::fabs(center);
  const double ulp = std::ldexp(1.0, std::max(static_cast<int>(to_bits(size) >> 52), 1) - 1075);
  return radius <= (single ? of_single * size : half_ulp_and_a_little * ulp) || radius <= unresolved;
}

/// Takes the bound abs(lambda - d - d_low - shift) <= radius of eigenvalue k if it is the best so far.
void offer(Spectrum& s, Index k, double shift, double radius) {
  const DoublePair first = two_sum(s.pairs.d[k], shift), second = two_sum(first.low, s.pairs.d_low[k]),
                   sum = two_sum(first.high, second.high);
  const double total = add_up(add_up(std::fabs(sum.low), std::fabs(second.low)), radius);
  if (!(total < s.radius[k])) return;
  s.radius[k] = total;
  s.center[k] = sum.high;
}

/// Bounds eigenvalue k and its vector in the cluster first .. end - 1.
void judge_pair(Spectrum& s, Index k, Index first, Index end) {
  const EigenBounds& b = s.bounds;
  const double w = b.residual;
  const double to_left = first == 0 ? HUGE_VAL : below(distance_down(s.pairs, first - 1, k) - w);
  const double to_right =
      end == static_cast<Index>(b.cluster.size()) ? HUGE_VAL : below(distance_down(s.pairs, k, end) - w);
  const double distance = std::min(to_left, to_right);
  s.outside[k] = distance == HUGE_VAL ? 0 : div_up(b.residuals[k], distance);
  offer(s, k, 0, w);
  if (end > first + 1) return;
  // Kato and Temple: the Rayleigh quotient errs by the square of the residual over the distance.
  const double correction = b.corrections[k], error = b.correction_errors[k];
  const double size = div_up(b.residuals[k], sqrt_down(below(1 - b.contraction)));
  if (distance == HUGE_VAL) return offer(s, k, correction, error);
  const double rest = below(distance - add_up(std::fabs(correction), error));
  if (rest > 0) offer(s, k, correction, add_up(error, div_up(mul_up(size, size), rest)));
}

/// Proves what the pairs allow. Returns whether the goal is reached, or nothing is proved.
bool judge_spectrum(Spectrum& s, const HermitianMatrix& a, const EigenGoal& goal, const Calls& calls) {
  s.bounds = {};  // its memory may do for the next
  s.bounds = bound_eigenpairs(a, s.pairs, calls);
  std::fill_n(s.outside.data(), a.n, HUGE_VAL);
  if (s.steps == 0) std::copy_n(s.pairs.d.data(), a.n, s.center.data());
  if (!(s.bounds.contraction < 1 && s.bounds.residual < HUGE_VAL)) return true;
  bool done = true;
  for (Index first = 0; first < a.n; first = s.bounds.end_of(first)) {
    const Index end = s.bounds.end_of(first);
    for (Index k = first; k < end; ++k) {
      judge_pair(s, k, first, end);
      done &= is_tight(s.center[k], s.radius[k], goal.single);
      done &= !goal.vectors || s.outside[k] <= (goal.single ? vector_goal_of_single : vector_goal);
    }
  }
  return done;
}

}  // namespace

Spectrum spectrum_of(const HermitianMatrix& a, const EigenGoal& goal, const Calls& calls) {
  Spectrum s{Array(a.n), Array(a.n), Array(a.n), first_eigenpairs(a), {}};
  std::fill_n(s.radius.data(), a.n, HUGE_VAL);
  bool done = judge_spectrum(s, a, goal, calls);
  for (double last = HUGE_VAL; !done && s.steps < most_steps && s.bounds.residual <= 0.5 * last;) {
    last = s.bounds.residual;
    ++s.steps;
    improve_eigenpairs(a, s.pairs, s.bounds, calls);
    done = judge_spectrum(s, a, goal, calls);
  }
  // Intervals of separate eigenvalues may overlap if one of them was proved by Rayleigh's quotient.
  for (Index k = 1; k < a.n; ++k)
    if (const double above_next = s.center[k - 1] - s.center[k]; above_next > 0) {
      s.radius[k] = add_up(s.radius[k], above(above_next));
      s.center[k] = s.center[k - 1];
    }
  return s;
}

}  // namespace accublas::certified
