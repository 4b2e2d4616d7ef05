#include "lib/certified/spectrum.hpp"

#include <functional>
#include <memory>

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

/// The eigenvalues that lie below the first one: none; or, of singular values, their negatives alone, or also the
/// eigenvalue 0, which rows beyond the columns bring.
enum class Below { nothing, negatives, zero };

/// Eigenpairs and the bounds that one proof gives.
struct Proof {
  const Eigenpairs& pairs;
  const EigenBounds& bounds;
  Below below_first = Below::nothing;
  bool at_zero = false;  ///< the first cluster is not proved to differ from what lies below it

  bool proves() const { return bounds.contraction < 1 && bounds.residual < HUGE_VAL; }
};

/// Takes the bound abs(lambda - d - d_low - shift) <= radius of eigenvalue k if it is the best so far.
void offer(Spectrum& s, const Proof& proof, Index k, double shift, double radius) {
  const DoublePair first = two_sum(proof.pairs.d[k], shift), second = two_sum(first.low, proof.pairs.d_low[k]),
                   sum = two_sum(first.high, second.high);
  const double total = add_up(add_up(std::fabs(sum.low), std::fabs(second.low)), radius);
  if (!(total < s.radius[k])) return;
  s.radius[k] = total;
  s.center[k] = sum.high;
}

/// Bounds eigenvalue k and its vector in the cluster first .. end - 1.
void judge_pair(Spectrum& s, const Proof& proof, Index k, Index first, Index end) {
  const EigenBounds& b = proof.bounds;
  const double w = b.residual;
  double to_left = first == 0 ? HUGE_VAL : below(distance_down(proof.pairs, first - 1, k) - w);
  const double to_right =
      end == static_cast<Index>(b.cluster.size()) ? HUGE_VAL : below(distance_down(proof.pairs, k, end) - w);
  const double to_clusters = std::min(to_left, to_right);
  // A step before this one may have proved the first number to be positive.
  const bool positive = !proof.at_zero || s.center[0] > s.radius[0];
  if (proof.below_first != Below::nothing && first == 0 && positive)
    to_left = below(proof.pairs.d[k] - std::fabs(proof.pairs.d_low[k]));
  const double distance = std::min(to_left, to_right);
  // (u, -v) has the same parts as (u, v).
  const double apart = proof.below_first == Below::negatives ? to_clusters : distance;
  s.outside[k] = apart == HUGE_VAL ? 0 : div_up(b.residuals[k], apart);
  offer(s, proof, k, 0, w);
  if (end > first + 1 || (first == 0 && proof.at_zero)) return;
  // Kato and Temple: the Rayleigh quotient errs by the square of the residual over the distance.
  const double correction = b.corrections[k], error = b.correction_errors[k];
  const double size = div_up(b.residuals[k], sqrt_down(below(1 - b.contraction)));
  if (distance == HUGE_VAL) return offer(s, proof, k, correction, error);
  const double rest = below(distance - add_up(std::fabs(correction), error));
  if (rest > 0) offer(s, proof, k, correction, add_up(error, div_up(mul_up(size, size), rest)));
}

/// Takes what a proof allows. Returns whether the goal is reached, or nothing is proved.
bool judge_spectrum(Spectrum& s, const Proof& proof, Index n, const EigenGoal& goal) {
  std::fill_n(s.outside.data(), n, HUGE_VAL);
  if (s.steps == 0) std::copy_n(proof.pairs.d.data(), n, s.center.data());
  if (!proof.proves()) return true;
  for (Index first = 0; first < n; first = proof.bounds.end_of(first)) {
    const Index end = proof.bounds.end_of(first);
    for (Index k = first; k < end; ++k) judge_pair(s, proof, k, first, end);
  }
  bool done = true;
  const Part part = goal.wanted ? goal.wanted->part(s.center, s.radius) : Part{0, n};
  for (Index k = part.first; k < part.end; ++k) {
    // Tighter bounds may decide which eigenvalues lie in an interval.
    done &= is_tight(s.center[k], s.radius[k], goal.single && part.proved);
    done &= !goal.vectors || s.outside[k] <= (goal.single ? vector_goal_of_single : vector_goal);
  }
  return done;
}

/// Proves and improves until the goal is reached or a step does not halve the residual. prove() returns a Proof.
/// copy_of_pairs() returns a function that restores the current pairs. If a step proves nothing, the pairs
/// before it are proved once more, so that they have bounds, and the certificate is theirs.
template <class Prove, class Improve, class Copy>
void refine(Spectrum& s, Index n, const EigenGoal& goal, Prove&& prove, Improve&& improve, Copy&& copy_of_pairs) {
  s.center = Array(n);
  s.radius = Array(n);
  s.outside = Array(n);
  std::fill_n(s.radius.data(), n, HUGE_VAL);
  std::function<void()> restore;
  for (double last = HUGE_VAL;;) {
    const Proof proof = prove();
    const bool done = judge_spectrum(s, proof, n, goal);
    if (restore && !proof.proves()) {
      restore();
      judge_spectrum(s, prove(), n, goal);
      break;
    }
    if (done || s.steps == most_steps || !(proof.bounds.residual <= 0.5 * last)) break;
    last = proof.bounds.residual;
    ++s.steps;
    restore = nullptr;  // frees the old copy before the new one takes memory
    restore = copy_of_pairs();
    improve();
  }
  // Intervals of separate eigenvalues may overlap if one of them was proved by Rayleigh's quotient.
  for (Index k = 1; k < n; ++k)
    if (const double above_next = s.center[k - 1] - s.center[k]; above_next > 0) {
      s.radius[k] = add_up(s.radius[k], above(above_next));
      s.center[k] = s.center[k - 1];
    }
}

/// Returns a function that restores the current pairs, whose columns have `rows` numbers.
std::function<void()> restorer_of(Eigenpairs& pairs, Index rows, Index count, const Calls& calls) {
  const auto copy = std::make_shared<Eigenpairs>(copy_of(pairs, rows, count, calls));
  return [&pairs, copy] { pairs = std::move(*copy); };
}

}  // namespace

EigenSpectrum spectrum_of(const HermitianMatrix& a, const EigenGoal& goal, const Calls& calls) {
  EigenSpectrum s{{}, first_eigenpairs(a, calls), {}};
  const auto prove = [&] {
    s.bounds = {};  // frees the old bounds before the new ones take memory
    s.bounds = bound_eigenpairs(a, s.pairs, calls);
    return Proof{s.pairs, s.bounds};
  };
  refine(
      s, a.n, goal, prove, [&] { improve_eigenpairs(a, s.pairs, s.bounds, calls); },
      [&] { return restorer_of(s.pairs, a.rows(), a.n, calls); });
  return s;
}

EigenSpectrum general_spectrum_of(const HermitianPair& m, const EigenGoal& goal, const Calls& calls) {
  EigenSpectrum s{{}, first_general_pairs(m, calls), {}};
  const auto prove = [&] {
    s.bounds = {};
    s.bounds = bound_general_pairs(m, s.pairs, calls);
    return Proof{s.pairs, s.bounds};
  };
  refine(
      s, m.a.n, goal, prove, [&] { improve_eigenpairs(m.a, s.pairs, s.bounds, calls); },
      [&] { return restorer_of(s.pairs, m.a.rows(), m.a.n, calls); });
  return s;
}

namespace {

/// Whether triplets are about as good as those of a backward stable method.
bool is_good_start(const SingularSpectrum& s) {
  constexpr double good = 0x1p-30;
  return s.bounds.both.contraction <= good && s.bounds.both.residual <= good;
}

}  // namespace

SingularSpectrum singular_values_of(const RectangularMatrix& a, const EigenGoal& goal, const Calls& calls) {
  SingularSpectrum s{{}, first_triplets(a, true, calls), {}};
  const auto prove = [&] {
    s.bounds = {};
    s.bounds = bound_triplets(a, s.triplets, calls);
    if (calls.place().on_device() && s.steps == 0 && !is_good_start(s)) {
      s.bounds = {};
      s.triplets = first_triplets(a, false, calls);
      s.bounds = bound_triplets(a, s.triplets, calls);
    }
    return Proof{s.triplets.left, s.bounds.both, a.tall() ? Below::zero : Below::negatives, s.bounds.at_zero};
  };
  refine(
      s, a.n, goal, prove, [&] { improve_triplets(a, s.triplets, s.bounds, calls); },
      [&]() -> std::function<void()> {
        const PartsMatrix parts = a.parts();
        const auto left = restorer_of(s.triplets.left, parts.rows(), a.n, calls);
        const auto right = restorer_of(s.triplets.right, parts.inner(), a.n, calls);
        return [=] {
          left();
          right();
        };
      });
  for (Index k = 0; k < a.n; ++k) s.outside[k] = mul_up(sqrt_2_up, s.outside[k]);  // of u and v, not of (u, v) / sqrt 2
  return s;
}

}  // namespace accublas::certified
