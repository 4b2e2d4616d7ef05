#include "lib/certified/eigenvalues.hpp"

#include "lib/base/error.hpp"
#include "lib/certified/results.hpp"
#include "lib/certified/spectrum.hpp"
#include "lib/numerics/powers_of_two.hpp"

namespace accublas {

using namespace certified;

namespace {

constexpr double half_pi_up = 1.5707963267948968;  // no angle between a vector and a subspace is larger

/// Reads A and divides it by 2^exponent, so that its largest element lies in [1/2, 1). Returns whether A is finite.
template <class E>
bool load_scaled(const Operand<E>& a, HermitianMatrix& to, int& exponent, const Calls& calls) {
  const Index rows = to.rows();
  Place& place = calls.place();
  place.load(a, to.n, to.a.data());
  std::vector<int> exponents(static_cast<std::size_t>(rows)), zeros(static_cast<std::size_t>(rows));
  place.exponents(rows, rows, {to.a.data(), 1, rows}, nullptr, exponents.data());
  const int largest = *std::max_element(exponents.begin(), exponents.end());
  if (largest > greatest_exponent) return false;
  exponent = largest == no_exponent ? 0 : largest;
  std::fill(exponents.begin(), exponents.end(), -exponent);
  to.inexact = place.scale(rows, to.a.data(), exponents.data(), zeros.data());
  return true;
}

/// Writes eigenvector k rounded, and returns a bound of its angle to the span of the eigenvectors of its cluster.
template <class E>
double put_vector(const CertifiedEigenvalues<E>& p, const Spectrum& s, Index k, const Array& lost) {
  using T = RealOf<E>;
  const Index rows = is_complex<E> ? 2 * p.n : p.n;
  const double* const x = s.pairs.x.data() + k * rows;
  const double* const x_low = s.pairs.parts == 2 ? s.pairs.x_low.data() + k * rows : nullptr;
  for (Index i = 0; i < rows; ++i) {
    const T rounded = static_cast<T>(x[i]);
    if constexpr (is_complex<E>)
      (i < p.n ? p.v(i, k).re : p.v(i - p.n, k).im) = rounded;
    else
      p.v(i, k) = rounded;
    lost[i] = (x[i] - static_cast<double>(rounded)) + (x_low ? x_low[i] : 0);
  }
  // Each number of `lost` passed two roundings.
  const double moved = mul_up(norm_up(rows, lost.data()), 1 + 0x1p-51);
  const double least_norm = below(sqrt_down(below(1 - s.bounds.contraction)) - moved);
  const double sine = div_up(add_up(s.outside[k], moved), least_norm);
  if (!(sine < 0.75)) return s.outside[k] < HUGE_VAL ? half_pi_up : HUGE_VAL;
  return div_up(sine, sqrt_down(below(1 - mul_up(sine, sine))));  // the tangent, which is no smaller than the angle
}

template <class E>
void put_nothing(const CertifiedEigenvalues<E>& p) {
  using T = RealOf<E>;
  for (Index k = 0; k < p.n; ++k) {
    p.w[k] = canonical_nan<T>();
    p.radius[k] = std::numeric_limits<T>::infinity();
    if (!p.vectors) continue;
    p.angle[k] = std::numeric_limits<T>::infinity();
    p.cluster[k] = 1;
    for (Index i = 0; i < p.n; ++i) {
      p.v(i, k) = E{canonical_nan<T>()};
      if constexpr (is_complex<E>) p.v(i, k).im = canonical_nan<T>();
    }
  }
}

/// Fills in the certificate of a spectrum that was divided by 2^exponent, except for the reason.
void put_certificate(const Spectrum& s, Index n, int exponent, accublas_certificate_t* certificate) {
  const EigenBounds& b = s.bounds;
  certificate->iterations = s.steps;
  certificate->parts = static_cast<std::int32_t>(s.pairs.parts);
  certificate->contraction = b.contraction;
  certificate->residual = scale_up(b.residual, exponent);
  certificate->condition = HUGE_VAL;
  if (!(b.residual < HUGE_VAL)) return;
  const double gap = std::ldexp(b.gap, exponent);
  certificate->gap = std::ldexp(gap, -exponent) > b.gap ? std::nextafter(gap, 0) : gap;
  const auto reach = [&](Index k) { return add_up(std::fabs(s.center[k]), s.radius[k]); };
  const double norm = std::max(reach(0), reach(n - 1));
  if (b.gap > 0) certificate->condition = div_up(norm, b.gap);
  certificate->positive_definite = s.center[0] > 0 && s.radius[0] < s.center[0];
}

/// Certifies eigenvalues with all arrays in host memory. Sets all of *certificate except for the reason, which it
/// returns.
template <class E>
accublas_reason certify_eigenvalues_on_host(const CertifiedEigenvalues<E>& p, const Calls& calls,
                                            accublas_certificate_t* certificate) {
  using T = RealOf<E>;
  HermitianMatrix a{p.n, is_complex<E>, {}};
  a.a = Array(a.rows() * a.rows());
  int exponent = 0;
  if (!load_scaled(p.a, a, exponent, calls)) {
    put_nothing(p);
    certificate->condition = certificate->contraction = certificate->residual = HUGE_VAL;
    return ACCUBLAS_REASON_NOT_FINITE;
  }
  const Spectrum s = spectrum_of(a, {is_single_precision<E>, p.vectors}, calls);
  put_certificate(s, p.n, exponent, certificate);
  const bool proved = s.bounds.residual < HUGE_VAL;
  bool overflow = false;
  const Array lost(a.rows());
  for (Index k = 0; k < p.n; ++k) {
    const Ball<T> ball = scaled<T>(s.center[k], s.radius[k], exponent);
    p.w[k] = ball.center;
    p.radius[k] = ball.radius;
    overflow |= !is_finite(ball.radius);
    if (!p.vectors) continue;
    p.angle[k] = rounded_up<T>(put_vector(p, s, k, lost));
    p.cluster[k] = proved ? s.bounds.cluster[static_cast<std::size_t>(k)] + 1 : 1;
  }
  if (overflow) return s.radius[0] < HUGE_VAL ? ACCUBLAS_REASON_OVERFLOW : ACCUBLAS_REASON_NOT_ORTHOGONAL;
  return ACCUBLAS_REASON_NONE;
}

/// Certifies eigenvalues with all arrays in memory of the device, of which `run` knows, by copies in host memory.
template <class E>
accublas_reason certify_eigenvalues_on_copies(const CertifiedEigenvalues<E>& p, const Run& run, Calls& calls,
                                              accublas_certificate_t* certificate) {
  using T = RealOf<E>;
  const auto size = static_cast<std::size_t>(p.n);
  std::vector<E> matrices(2 * size * size);
  std::vector<T> numbers(3 * size);
  std::vector<std::int64_t> cluster(size);
  const Compact<E> a(p.a.stored, p.n, p.n, matrices.data()), v(p.v, p.n, p.n, matrices.data() + p.n * p.n);
  calls.move_to(run);
  a.from(p.a.stored, calls.place());
  calls.move_to_host();
  CertifiedEigenvalues<E> here{p.n,       p.a,        numbers.data(),           numbers.data() + p.n,
                               p.vectors, v.matrix(), numbers.data() + 2 * p.n, cluster.data()};
  here.a.stored = read_only(a.matrix());
  const accublas_reason reason = certify_eigenvalues_on_host(here, calls, certificate);
  calls.move_to(run);
  const auto put = [&](auto* to, const auto* from) {
    const std::size_t bytes = size * sizeof *from;
    calls.place().copy(to, bytes, from, bytes, bytes, 1);
  };
  put(p.w, here.w);
  put(p.radius, here.radius);
  if (p.vectors) {
    v.to(p.v, calls.place());
    put(p.angle, here.angle);
    put(p.cluster, here.cluster);
  }
  return reason;
}

[[noreturn]] void refuse_eigenvalues(accublas_reason reason) {
  const char* const why = reason == ACCUBLAS_REASON_NOT_FINITE ? "A has an infinity or a NaN"
                          : reason == ACCUBLAS_REASON_OVERFLOW ? "one or its radius is beyond the largest number"
                                                               : "LAPACK's eigenvectors are too far from orthogonal";
  throw Error(ACCUBLAS_ERROR_NOT_CERTIFIED, std::string("the eigenvalues are not certified: ") + why);
}

}  // namespace

template <class E>
void certify_eigenvalues(Context& context, const CertifiedEigenvalues<E>& p, const accublas_options* options,
                         accublas_certificate_t* certificate) {
  const accublas_options inner = lapack::inner_options(options);
  Run run(context, {Operation::getrf, Type::d}, &inner);
  Calls calls(context, &inner);  // scalars lie in host memory from here on, whatever the caller's pointer mode
  run.sizes(p.n, p.n, p.n);
  *certificate = {};
  if (p.n > 0) {
    std::vector<Named> operands{{"a", p.a.stored.data}, {"w", p.w}, {"radius", p.radius}};
    if (p.vectors) operands.insert(operands.end(), {{"v", p.v.data}, {"angle", p.angle}, {"cluster", p.cluster}});
    run.operands(operands, {}, CallShape(p.n, p.n, p.n));
  }
  run.certify({Operation::syev_certified, type_of<E>}, [&] {
    if (p.n == 0) return run.backend() == ACCUBLAS_BACKEND_CUDA;
    certificate->reason = run.on_device() ? certify_eigenvalues_on_copies(p, run, calls, certificate)
                                          : certify_eigenvalues_on_host(p, calls, certificate);
    if (certificate->reason != ACCUBLAS_REASON_NONE) refuse_eigenvalues(certificate->reason);
    return false;
  });
  run.finish();
}

#define ACCUBLAS_CERTIFIED_EIGENVALUES(E)                                                              \
  template void certify_eigenvalues(Context&, const CertifiedEigenvalues<E>&, const accublas_options*, \
                                    accublas_certificate_t*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_CERTIFIED_EIGENVALUES)

}  // namespace accublas
