// The bounds of approximate singular triplets (docs/eigenvalues.md, "Singular values").
#include "lib/certified/singular.hpp"

namespace accublas::certified {

namespace {

constexpr double sqrt_half_up = 0.7071067811865476;

/// Bounds the Rayleigh quotient of (u, v), the mean of those of u and v with weights that contraction a bounds.
void combine_corrections(Index k, double a, TripletBounds& bounds) {
  const double left = bounds.left.corrections[k], right = bounds.right.corrections[k];
  const double errors = add_up(bounds.left.correction_errors[k], bounds.right.correction_errors[k]);
  const double mean = 0.5 * (left + right);
  // The mean passes one rounding. The weights differ from 1/2 by at most a / (2 (1 - a)).
  const double apart = add_up(add_up(std::fabs(left), std::fabs(right)), errors);
  const double weight = div_up(a, 2 * below(1 - a));
  bounds.both.corrections[k] = mean;
  bounds.both.correction_errors[k] = add_up(add_up(mul_up(0.5, errors), mul_up(weight, apart)),
                                            add_up(mul_up(0x1p-52, std::fabs(mean)), least_subnormal<double>()));
}

bool is_not_negative(const Eigenpairs& pairs) {
  return pairs.d[0] > std::fabs(pairs.d_low[0]) || (pairs.d[0] == 0 && pairs.d_low[0] == 0);
}

}  // namespace

TripletBounds bound_triplets(const RectangularMatrix& a, const Triplets& triplets, const Calls& calls) {
  TripletBounds bounds;
  EigenBounds& both = bounds.both;
  if (!is_not_negative(triplets.left)) return bounds;
  const PartsMatrix parts = a.parts();
  bounds.left = bound_columns(parts, a.n, triplets.left, triplets.right, calls);
  if (!(bounds.left.contraction < 1)) return bounds;
  bounds.right = bound_columns(parts.adjoint(), a.n, triplets.right, triplets.left, calls);
  if (!(bounds.right.contraction < 1)) return bounds;
  both.contraction = std::max(bounds.left.contraction, bounds.right.contraction);
  both.residuals = Array(a.n);
  both.corrections = Array(a.n);
  both.correction_errors = Array(a.n);
  for (Index k = 0; k < a.n; ++k) {
    const double two[2] = {bounds.left.residuals[k], bounds.right.residuals[k]};
    both.residuals[k] = mul_up(sqrt_half_up, norm_up(2, two));
    combine_corrections(k, both.contraction, bounds);
  }
  both.residual = div_up(mul_up(sqrt_2_up, norm_up(a.n, both.residuals.data())), below(1 - both.contraction));
  if (!(both.residual < HUGE_VAL)) return bounds;
  find_clusters(triplets.left, a.n, both);
  bounds.at_zero = !(below(triplets.left.d[0] - std::fabs(triplets.left.d_low[0])) > both.residual);
  return bounds;
}

}  // namespace accublas::certified
