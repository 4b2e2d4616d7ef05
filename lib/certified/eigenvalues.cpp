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

/// Certifies eigenvalues with operands in host memory. results_for(count) returns the problem with host memory for as
/// many results. Sets all of *certificate except for the reason, which it returns.
template <class E, class Results>
accublas_reason certify_eigenvalues_on_host(const CertifiedEigenvalues<E>& p, const Calls& calls,
                                            accublas_certificate_t* certificate, Results&& results_for) {
  using T = RealOf<E>;
  HermitianPair m;
  int exponent = 0, exponent_of_b = 0;
  if (!load(p.a, p.n, false, m.a, exponent, calls) || (p.general && !load(p.b, p.n, true, m.b, exponent_of_b, calls))) {
    const Index count = p.part.most(p.n);
    const CertifiedEigenvalues<E> to = results_for(count);
    SpectrumNumbers<T>{to.w, to.radius, p.vectors, to.angle, to.cluster}.put_nothing(count);
    if (p.vectors) fill_with_nan(to.v, p.n, count);
    if (p.found) *p.found = count;
    return put_not_finite(certificate);
  }
  exponent -= exponent_of_b;
  const Wanted wanted(p.part, p.n, exponent);
  const EigenGoal goal{is_single_precision<E>, p.vectors, &wanted};
  const EigenSpectrum s = p.general ? general_spectrum_of(m, goal, calls) : spectrum_of(m.a, goal, calls);
  put_certificate(s, s.bounds, s.pairs.parts, p.n, exponent, certificate);
  const bool proved = s.bounds.residual < HUGE_VAL;
  // A finite radius is the proof of some step, and the last step may have proved nothing.
  certificate->positive_definite =
      p.general ? s.bounds.contraction < 1 || s.radius[0] < HUGE_VAL : s.radius[0] < s.center[0];
  const Part part = wanted.part(s.center, s.radius);
  const CertifiedEigenvalues<E> to = results_for(part.count());
  bool overflow = false;
  const Array lost(m.a.rows());
  VectorScale scale;
  if (p.general) scale = {stretch_of(m.b, calls), -exponent_of_b / 2};
  for (Index k = part.first; k < part.end; ++k) {
    const Index at = k - part.first;
    const Ball<T> ball = scaled<T>(s.center[k], s.radius[k], exponent);
    to.w[at] = ball.center;
    to.radius[at] = ball.radius;
    overflow |= !is_finite(ball.radius);
    if (!p.vectors) continue;
    const auto write = [&](Index i, bool imaginary, T value) { write_part(to.v(i, at), imaginary, value); };
    to.angle[at] =
        rounded_up<T>(put_vector<E>(p.n, s.pairs, k, s.outside[k], s.bounds.contraction, lost, write, scale));
    to.cluster[at] = proved ? s.bounds.cluster[static_cast<std::size_t>(k)] + 1 : 1;
  }
  if (p.found) *p.found = part.count();
  if (!(s.radius[0] < HUGE_VAL)) return p.general ? ACCUBLAS_REASON_ILL_CONDITIONED : ACCUBLAS_REASON_NOT_ORTHOGONAL;
  if (!part.proved) return ACCUBLAS_REASON_INTERVAL;
  return overflow ? ACCUBLAS_REASON_OVERFLOW : ACCUBLAS_REASON_NONE;
}

/// Certifies eigenvalues with all arrays in memory of the device, of which `run` knows, by copies in host memory.
template <class E>
accublas_reason certify_eigenvalues_on_copies(const CertifiedEigenvalues<E>& p, const Run& run, Calls& calls,
                                              accublas_certificate_t* certificate) {
  HostCopies copies(run, calls);
  CertifiedEigenvalues<E> here = p;
  here.a.stored = copies.fetch(p.a.stored, p.n, p.n);
  if (p.general) here.b.stored = copies.fetch(p.b.stored, p.n, p.n);
  const auto results_for = [&](Index count) {
    if (count == 0) return here;
    here.w = copies.result(p.w, count);
    here.radius = copies.result(p.radius, count);
    if (p.vectors) {
      here.v = copies.result(p.v, p.n, count);
      here.angle = copies.result(p.angle, count);
      here.cluster = copies.result(p.cluster, count);
    }
    return here;
  };
  return copies.run([&] { return certify_eigenvalues_on_host(here, calls, certificate, results_for); });
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
                           : certify_eigenvalues_on_host(p, calls, certificate, [&](Index) { return p; });
  });
  if (p.n == 0 && p.found) *p.found = 0;
}

#define ACCUBLAS_CERTIFIED_EIGENVALUES(E)                                                              \
  template void certify_eigenvalues(Context&, const CertifiedEigenvalues<E>&, const accublas_options*, \
                                    accublas_certificate_t*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_CERTIFIED_EIGENVALUES)

}  // namespace accublas
