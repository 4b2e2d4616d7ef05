#include "lib/certified/certified.hpp"

#include <limits>

#include "lib/base/error.hpp"
#include "lib/certified/refine.hpp"

namespace accublas {

using namespace certified;

namespace {

constexpr Index least_block = 64;  // right-hand sides at a time: no more unknowns than A has elements, but these

/// Reads A and B; returns whether A is finite. Sides of B that are not finite become zero and are marked.
template <class E>
bool load(const CertifiedSystem<E>& p, System& s, std::vector<bool>& side_is_finite) {
  bool finite = true;
  for (Index j = 0; j < p.n; ++j)
    for (Index i = 0; i < p.n; ++i) {
      const E z = p.a(i, j);
      if constexpr (is_complex<E>) {
        // (x + i y) (u + i v): the matrix ((x, -y), (y, x)) times (u, v).
        const double x = z.re, y = z.im;
        double* const at = s.a.data() + i + j * s.n;
        at[0] = at[p.n * (s.n + 1)] = x;
        at[p.n] = y;
        at[p.n * s.n] = -y;
        finite &= is_finite(x) && is_finite(y);
      } else {
        s.a[i + j * s.n] = z;
        finite &= is_finite(z);
      }
    }
  for (Index c = 0; c < p.nrhs; ++c) {
    double* const column = s.b.data() + c * s.n;
    for (Index i = 0; i < p.n; ++i) {
      const E z = p.b(i, c);
      if constexpr (is_complex<E>) {
        column[i] = z.re;
        column[i + p.n] = z.im;
      } else {
        column[i] = z;
      }
    }
    const bool good = std::all_of(column, column + s.n, [](double v) { return is_finite(v); });
    if (!good) std::fill_n(column, s.n, 0.0);
    side_is_finite.push_back(good);
  }
  return finite;
}

template <class T>
struct Ball {
  T center, radius;
};

/// 2^e times abs(y - center) <= radius in the type of the result; radius infinity where the center overflows.
template <class T>
Ball<T> scaled(double center, double radius, int e) {
  const double moved = std::ldexp(center, e);
  const T x = static_cast<T>(moved);
  if (!(radius < HUGE_VAL) || !is_finite(x)) return {x, std::numeric_limits<T>::infinity()};
  double r = scale_up(radius, e);
  if (std::ldexp(moved, -e) != center) r = add_up(r, least_subnormal);
  // Both numbers lie in single precision's reach of each other: their difference is exact.
  if (const double rounded = std::fabs(moved - static_cast<double>(x)); rounded > 0) r = add_up(r, rounded);
  T result = static_cast<T>(r);
  if (static_cast<double>(result) < r) result = from_bits<T>(to_bits(result) + 1);
  return {x, result};
}

template <class E>
void put(const CertifiedSystem<E>& p, Index row, Index side, const Ball<RealOf<E>>& ball) {
  const auto write = [&](const Matrix<E>& m, RealOf<E> value) {
    if constexpr (is_complex<E>)
      (row < p.n ? m(row, side).re : m(row - p.n, side).im) = value;
    else
      m(row, side) = value;
  };
  write(p.x, ball.center);
  write(p.radius, ball.radius);
}

[[noreturn]] void refuse(accublas_certificate_t& certificate, accublas_reason reason) {
  certificate.reason = reason;
  const auto why = [reason] {
    switch (reason) {
      case ACCUBLAS_REASON_NOT_FINITE:
        return "A or B has an infinity or a NaN";
      case ACCUBLAS_REASON_SINGULAR:
        return "a pivot of A is zero";
      case ACCUBLAS_REASON_OVERFLOW:
        return "an unknown or its radius is beyond the largest number";
      default:
        return "A is too ill-conditioned";
    }
  };
  throw Error(ACCUBLAS_ERROR_NOT_CERTIFIED, std::string("the solution is not certified: ") + why());
}

}  // namespace

template <class E>
void solve_certified(Context& context, const CertifiedSystem<E>& p, const accublas_options* options,
                     accublas_certificate_t* certificate) {
  using T = RealOf<E>;
  const Calls calls(context, options);
  *certificate = {};
  certificate->positive_definite = p.n == 0 && p.a.structure != Structure::general;
  if (p.n == 0) return;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr Index parts = is_complex<E> ? 2 : 1;
  System s{parts * p.n, p.nrhs, Array(parts * p.n * parts * p.n), Array(parts * p.n * p.nrhs),
           p.a.structure != Structure::general};
  std::vector<bool> side_is_finite;
  if (!load(p, s, side_is_finite)) {
    for (Index c = 0; c < p.nrhs; ++c)
      for (Index i = 0; i < s.n; ++i) put(p, i, c, {canonical_nan<T>(), infinity});
    certificate->condition = certificate->contraction = HUGE_VAL;
    refuse(*certificate, ACCUBLAS_REASON_NOT_FINITE);
  }
  const bool may_be_definite = s.scale(calls);
  const Inverses inverses = invert(s, may_be_definite, calls);
  const Inverse& inverse = inverses.best;
  certificate->positive_definite = inverses.definite;
  certificate->parts = static_cast<std::int32_t>(inverse.parts);
  certificate->condition = inverses.condition;
  certificate->contraction = inverse.contraction;
  const Index block = std::max(least_block, s.n);
  std::vector<Balls> blocks;
  for (Index first = 0; first < p.nrhs; first += block) {
    blocks.push_back(refine(s, inverse, first, std::min(p.nrhs, first + block), calls));
    certificate->iterations = std::max<std::int64_t>(certificate->iterations, blocks.back().iterations);
  }
  // Nothing fails from here on.
  bool overflow = false;
  for (Index c = 0; c < p.nrhs; ++c) {
    const Balls& balls = blocks[static_cast<std::size_t>(c / block)];
    const int scale = balls.scale[static_cast<std::size_t>(c % block)];
    const bool given = side_is_finite[static_cast<std::size_t>(c)];
    for (Index i = 0; i < s.n; ++i) {
      const Index at = i + c % block * s.n;
      Ball<T> ball{canonical_nan<T>(), infinity};
      if (given) ball = scaled<T>(balls.center[at], balls.radius[at], scale + s.column[static_cast<std::size_t>(i)]);
      overflow |= given && !is_finite(ball.radius);
      put(p, i, c, ball);
    }
  }
  if (!(inverse.contraction < 1))
    refuse(*certificate, inverses.zero_pivots > 0 ? ACCUBLAS_REASON_SINGULAR : ACCUBLAS_REASON_ILL_CONDITIONED);
  if (!std::all_of(side_is_finite.begin(), side_is_finite.end(), [](bool good) { return good; }))
    refuse(*certificate, ACCUBLAS_REASON_NOT_FINITE);
  if (overflow) refuse(*certificate, ACCUBLAS_REASON_OVERFLOW);
}

#define ACCUBLAS_CERTIFIED(E) \
  template void solve_certified(Context&, const CertifiedSystem<E>&, const accublas_options*, accublas_certificate_t*);
ACCUBLAS_CERTIFIED(double)
ACCUBLAS_CERTIFIED(float)
ACCUBLAS_CERTIFIED(Complex<double>)
ACCUBLAS_CERTIFIED(Complex<float>)

}  // namespace accublas
