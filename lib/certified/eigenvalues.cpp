#include "lib/certified/eigenvalues.hpp"

#include "lib/certified/spectrum_results.hpp"
#include "lib/cpu/eigensystem.hpp"

namespace accublas {

using namespace certified;

namespace {

/// Reads a matrix, and divides it by 2^exponent as scale_to_one() does. Returns whether it is finite.
template <class E>
bool load(const Operand<E>& from, Index n, bool even, HermitianMatrix& to, int& exponent, const Calls& calls) {
  to = {n, is_complex<E>, {}};
  const Index rows = to.rows();
  to.a = numbers_at(calls, rows, rows);
  load_parts(from, n, n, to.a.data(), calls);
  return scale_to_one(rows, rows, to.a.data(), even, exponent, to.inexact, calls);
}

/// A bound of the root of the norm of B, by which norms of vectors may be larger in that of B.
double stretch_of(const HermitianMatrix& b, const Calls& calls) {
  const Norms norms(b.rows(), b.rows(), b.a.data(), calls);
  return sqrt_up(add_up(norms.all, underflow_of(2, b.rows())));
}

/// Writes the results of a matrix that is not finite.
template <class E>
accublas_reason put_nothing(const CertifiedEigenvalues<E>& p, const Calls& calls, accublas_certificate_t* certificate) {
  const Index count = p.part.most(p.n);
  if (p.vectors) put_nan(p.v, p.n, count, calls);
  SpectrumNumbers<RealOf<E>>(count).put(p.w, p.radius, p.vectors, p.angle, p.cluster, calls);
  if (p.found) *p.found = count;
  return put_not_finite(certificate);
}

/// Certifies eigenvalues in the place of `calls`. Sets all of *certificate except for the reason, which it returns.
template <class E>
accublas_reason certify(const CertifiedEigenvalues<E>& p, const Calls& calls, accublas_certificate_t* certificate) {
  if (!calls.place().on_device()) cpu::require_eigensystem(p.n, is_complex<E>, p.general);
  HermitianPair m;
  int exponent = 0, exponent_of_b = 0;
  if (!load(p.a, p.n, false, m.a, exponent, calls) || (p.general && !load(p.b, p.n, true, m.b, exponent_of_b, calls)))
    return put_nothing(p, calls, certificate);
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
  const Index count = part.count();
  bool finite = true, bounded = true;
  SpectrumNumbers<RealOf<E>> numbers(count);
  for (Index k = 0; k < count; ++k)
    finite &= numbers.set(k, s.center[part.first + k], s.radius[part.first + k], exponent);
  if (p.vectors && count > 0) {
    VectorScale scale;
    if (p.general) scale = {stretch_of(m.b, calls), -exponent_of_b / 2};
    const PlacedResult<E> v(p.v, p.n, count, calls);
    const VectorColumns<E> columns{p.n, s.pairs, part.first, count, scale.exponent};
    const Array lost = columns.lost(calls);
    for (Index k = 0; k < count; ++k) {
      const Index of = part.first + k;
      const auto at = static_cast<std::size_t>(k);
      numbers.angle[at] = rounded_up<RealOf<E>>(angle_of_rounded(s.outside[of], s.bounds.contraction, lost[k], scale));
      bounded &= is_finite(numbers.angle[at]);
      if (proved) numbers.cluster[at] = s.bounds.cluster[static_cast<std::size_t>(of)] + 1;
    }
    // Nothing can lack memory from here on.
    columns.write(v.matrix(), false, calls);
    v.deliver();
  }
  numbers.put(p.w, p.radius, p.vectors, p.angle, p.cluster, calls);
  if (p.found) *p.found = count;
  if (!(s.radius[0] < HUGE_VAL) || !bounded)
    return p.general ? ACCUBLAS_REASON_ILL_CONDITIONED : ACCUBLAS_REASON_NOT_ORTHOGONAL;
  if (!part.proved) return ACCUBLAS_REASON_INTERVAL;
  return finite ? ACCUBLAS_REASON_NONE : ACCUBLAS_REASON_OVERFLOW;
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
  run_spectrum(context, call, options, certificate, [&](const Calls& calls) { return certify(p, calls, certificate); });
  if (p.n == 0 && p.found) *p.found = 0;
}

#define ACCUBLAS_CERTIFIED_EIGENVALUES(E)                                                              \
  template void certify_eigenvalues(Context&, const CertifiedEigenvalues<E>&, const accublas_options*, \
                                    accublas_certificate_t*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_CERTIFIED_EIGENVALUES)

}  // namespace accublas
