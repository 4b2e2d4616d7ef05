#include "lib/certified/eigenvalues.hpp"

#include "lib/certified/spectrum_results.hpp"

namespace accublas {

using namespace certified;

namespace {

/// Reads a matrix, and divides it by 2^exponent as scale_to_one() does. Returns whether it is finite.
template <class E>
bool load(const Operand<E>& from, Index n, bool even, HermitianMatrix& to, int& exponent, const Calls& calls) {
  to = {n, is_complex<E>, {}};
  const Index rows = to.rows();
  to.a = Array(rows * rows);
  calls.place().load(from, n, to.a.data());
  return scale_to_one(rows, rows, to.a.data(), even, exponent, to.inexact, calls);
}

/// A bound of the root of the norm of B, by which norms of vectors may be larger in that of B.
double stretch_of(const HermitianMatrix& b, const Calls& calls) {
  const Array norms(b.rows());
  column_norms_up(b.rows(), b.rows(), b.a.data(), norms.data(), calls);
  return sqrt_up(add_up(norm_up(b.rows(), norms.data()), underflow_of(2, b.rows())));
}

/// Certifies eigenvalues with all arrays in host memory. Sets all of *certificate except for the reason, which it
/// returns.
template <class E>
accublas_reason certify_eigenvalues_on_host(const CertifiedEigenvalues<E>& p, const Calls& calls,
                                            accublas_certificate_t* certificate) {
  using T = RealOf<E>;
  HermitianPair m;
  int exponent = 0, exponent_of_b = 0;
  if (!load(p.a, p.n, false, m.a, exponent, calls) || (p.general && !load(p.b, p.n, true, m.b, exponent_of_b, calls))) {
    SpectrumNumbers<T>{p.w, p.radius, p.vectors, p.angle, p.cluster}.put_nothing(p.n);
    if (p.vectors) fill_with_nan(p.v, p.n, p.n);
    return put_not_finite(certificate);
  }
  exponent -= exponent_of_b;
  const EigenGoal goal{is_single_precision<E>, p.vectors};
  const EigenSpectrum s = p.general ? general_spectrum_of(m, goal, calls) : spectrum_of(m.a, goal, calls);
  put_certificate(s, s.bounds, s.pairs.parts, p.n, exponent, certificate);
  const bool proved = s.bounds.residual < HUGE_VAL;
  certificate->positive_definite =
      p.general ? s.bounds.contraction < 1 : proved && s.center[0] > 0 && s.radius[0] < s.center[0];
  bool overflow = false;
  const Array lost(m.a.rows());
  VectorScale scale;
  if (p.general) scale = {stretch_of(m.b, calls), -exponent_of_b / 2};
  for (Index k = 0; k < p.n; ++k) {
    const Ball<T> ball = scaled<T>(s.center[k], s.radius[k], exponent);
    p.w[k] = ball.center;
    p.radius[k] = ball.radius;
    overflow |= !is_finite(ball.radius);
    if (!p.vectors) continue;
    const auto write = [&](Index i, bool imaginary, T value) { write_part(p.v(i, k), imaginary, value); };
    p.angle[k] = rounded_up<T>(put_vector<E>(p.n, s.pairs, k, s.outside[k], s.bounds.contraction, lost, write, scale));
    p.cluster[k] = proved ? s.bounds.cluster[static_cast<std::size_t>(k)] + 1 : 1;
  }
  if (!overflow) return ACCUBLAS_REASON_NONE;
  if (s.radius[0] < HUGE_VAL) return ACCUBLAS_REASON_OVERFLOW;
  return p.general ? ACCUBLAS_REASON_ILL_CONDITIONED : ACCUBLAS_REASON_NOT_ORTHOGONAL;
}

/// Certifies eigenvalues with all arrays in memory of the device, of which `run` knows, by copies in host memory.
template <class E>
accublas_reason certify_eigenvalues_on_copies(const CertifiedEigenvalues<E>& p, const Run& run, Calls& calls,
                                              accublas_certificate_t* certificate) {
  HostCopies copies(run, calls);
  CertifiedEigenvalues<E> here = p;
  here.a.stored = copies.fetch(p.a.stored, p.n, p.n);
  if (p.general) here.b.stored = copies.fetch(p.b.stored, p.n, p.n);
  here.w = copies.result(p.w, p.n);
  here.radius = copies.result(p.radius, p.n);
  if (p.vectors) {
    here.v = copies.result(p.v, p.n, p.n);
    here.angle = copies.result(p.angle, p.n);
    here.cluster = copies.result(p.cluster, p.n);
  }
  return copies.run([&] { return certify_eigenvalues_on_host(here, calls, certificate); });
}

}  // namespace

template <class E>
void certify_eigenvalues(Context& context, const CertifiedEigenvalues<E>& p, const accublas_options* options,
                         accublas_certificate_t* certificate) {
  SpectrumCall call{{p.general ? Operation::sygv_certified : Operation::syev_certified, type_of<E>},
                    "eigenvalues",
                    p.n,
                    p.n,
                    {{"a", p.a.stored.data}, {"w", p.w}, {"radius", p.radius}}};
  if (p.general) call.operands.push_back({"b", p.b.stored.data});
  if (p.vectors)
    call.operands.insert(call.operands.end(), {{"v", p.v.data}, {"angle", p.angle}, {"cluster", p.cluster}});
  run_spectrum(context, call, options, certificate, [&](const Run& run, Calls& calls) {
    return run.on_device() ? certify_eigenvalues_on_copies(p, run, calls, certificate)
                           : certify_eigenvalues_on_host(p, calls, certificate);
  });
}

#define ACCUBLAS_CERTIFIED_EIGENVALUES(E)                                                              \
  template void certify_eigenvalues(Context&, const CertifiedEigenvalues<E>&, const accublas_options*, \
                                    accublas_certificate_t*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_CERTIFIED_EIGENVALUES)

}  // namespace accublas
