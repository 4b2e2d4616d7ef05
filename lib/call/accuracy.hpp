// The bounds that a mode promises whatever the data are: they become the rigorous bound of the report.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "lib/base/error.hpp"
#include "lib/call/mode.hpp"
#include "lib/call/problem.hpp"
#include "lib/call/routine.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/complex.hpp"
#include "lib/numerics/multiword.hpp"

namespace accublas {

/// abs(c - exact) <= relative abs(exact) + componentwise (abs(alpha) abs(A) abs(B) + abs(beta) abs(C)) + absolute
struct Bound {
  double relative, componentwise, absolute;
};

/// The bound of a result that is rounded once, from a value within `componentwise` of the exact one.
template <class T>
constexpr Bound rounded_once(double componentwise = 0) {
  return {unit_roundoff<T>(), componentwise, least_subnormal<T>()};
}

/// The bound of sums of k terms in any order, scaled and added to in the routine's type: dp's promise.
template <class T>
constexpr Bound any_order(Index k) {
  return {0, dp_bound(k, unit_roundoff<T>()), least_subnormal<T>()};
}

inline void put_bound(accublas_report_t& report, const Bound& bound) {
  report.bound_relative = bound.relative;
  report.bound_componentwise = bound.componentwise;
  report.bound_absolute = bound.absolute;
}

/// Reports the componentwise bound that fixed:t has on the data of a call. u is the unit roundoff of the result. Throws
/// Error(ACCUBLAS_ERROR_ACCURACY) if there is a target (above 0) and the bound misses it.
inline void put_fixed_bound(accublas_report_t& report, int t, double u, double bound, double target) {
  report.bound_componentwise = bound;
  if (target > 0 && !(u + bound <= target))
    throw Error(ACCUBLAS_ERROR_ACCURACY, "fixed:" + std::to_string(t) + " cannot promise the target on this data");
}

inline Bound bound_of(const accublas_report_t& report) {
  return {report.bound_relative, report.bound_componentwise, report.bound_absolute};
}

/// Returns the bound of a mode with k terms per element. For NRM2 and ASUM the exact result stands for abs(A) abs(B).
/// The bound is infinite for fixed and slices, whose error depends on the data: their engines put a bound in the
/// report. It is also infinite for the multiword modes that scale lines, where the error of a small entry may be large
/// relative to the entry. The bounds of native and of TF32 hold while nothing overflows or underflows.
template <class T>
Bound promised_bound(Routine routine, const Mode& mode, Index k, T alpha) {
  const double u = unit_roundoff<T>();
  if (k == 0 || alpha == 0) return rounded_once<T>();
  if (is_orthogonal(routine)) return {0, std::numeric_limits<double>::infinity(), 0};
  // In the other modes an error propagates to the elements computed later, so these modes bound only the residual.
  if (is_solve(routine) || is_factorization(routine))
    return bit_defined(mode) && mode.kind != ACCUBLAS_MODE_DOT2 ? rounded_once<T>()
                                                                : Bound{0, std::numeric_limits<double>::infinity(), 0};
  if (is_rounded_once(routine) && bit_defined(mode)) return rounded_once<T>();
  switch (mode.kind) {
    case ACCUBLAS_MODE_DP:
    case ACCUBLAS_MODE_SP:
      if (mode.reproducible && !is_gemm(routine) && !is_level3(routine)) return rounded_once<T>();
      [[fallthrough]];
    case ACCUBLAS_MODE_NATIVE:
      // A complex alpha and beta take four more roundings.
      return any_order<T>(is_complex_routine(routine) && !is_norm(routine) ? k + 4 : k);
    case ACCUBLAS_MODE_CR:
      return rounded_once<T>();
    case ACCUBLAS_MODE_DOT2: {
      const bool dot = family_of(routine) == ACCUBLAS_FAMILY_DOT;
      const Dot2Bound bound = dot2_bound(dot ? dot2_depth_dot(k) : dot2_depth_gemm(k), k, u);
      // The underflow of the products passes through alpha.
      const double scale = std::fmax(1.0, std::fabs(static_cast<double>(alpha)));
      // NRM2 scales so that such products do not occur, and ASUM has no products.
      const double absolute = is_norm(routine) ? 0 : scale * bound.absolute;
      return {bound.relative, bound.componentwise, absolute + least_subnormal<T>()};
    }
    case ACCUBLAS_MODE_TF32X1:
    case ACCUBLAS_MODE_TF32X3:
    case ACCUBLAS_MODE_TF32X4: {
      const MultiwordMode words = multiword_of(mode.kind);
      return rounded_once<T>((word_product_bound(words) + accumulation_bound(words, k)) * (1 + u));
    }
    default:
      return {0, std::numeric_limits<double>::infinity(), 0};
  }
}

/// The bound of a component of a complex result, an inner product of 2 k terms.
template <class T>
Bound promised_bound(Routine routine, const Mode& mode, Index k, Complex<T> alpha) {
  return promised_bound(routine, mode, 2 * k, std::fabs(alpha.re) + std::fabs(alpha.im));
}

/// Whether the bound keeps a target (accublas_set_target). An infinite bound keeps no target, not even infinity.
inline bool keeps(const Bound& bound, double target) {
  const double least = bound.relative + bound.componentwise;
  return std::isfinite(least) && least <= target;
}

/// Whether promised_bound knows the mode's bound, so that the target can be judged before the engine runs.
inline bool bound_is_a_priori(const Mode& mode) {
  return mode.kind != ACCUBLAS_MODE_FIXED && mode.kind != ACCUBLAS_MODE_SLICES;
}

/// The error of fixed and slices depends on the data. GEMM's engines that work in integers bound the error of fixed
/// before they write C. The other engines of these modes do not, so they cannot keep a target. Throws
/// Error(ACCUBLAS_ERROR_ACCURACY).
inline void require_no_target(const Mode& mode, double target, bool single) {
  if (target > 0 && !bound_is_a_priori(mode))
    throw Error(ACCUBLAS_ERROR_ACCURACY,
                "mode " + mode_word(mode, single) + " promises no componentwise bound with this engine");
}

}  // namespace accublas
