#include "lib/certified/eigenvalues.hpp"
#include "lib/certified/spectrum_results.hpp"

namespace accublas {

using namespace certified;

namespace {

/// Reads A, or A^H if it is wide, in parts.
template <class E>
RectangularMatrix load(const CertifiedSingularValues<E>& p) {
  const bool wide = p.m < p.n;
  RectangularMatrix a{std::max(p.m, p.n), std::min(p.m, p.n), is_complex<E>, {}};
  const Index rows = a.parts().rows();
  a.a = Array(rows * a.parts().inner());
  for (Index j = 0; j < a.n; ++j)
    for (Index i = 0; i < a.m; ++i) {
      const E z = conjugate_if(wide, wide ? p.a(j, i) : p.a(i, j));
      if constexpr (is_complex<E>) {
        a.a[i + j * rows] = a.a[i + a.m + (j + a.n) * rows] = z.re;
        a.a[i + a.m + j * rows] = z.im;
        a.a[i + (j + a.n) * rows] = -static_cast<double>(z.im);
      } else {
        a.a[i + j * rows] = z;
      }
    }
  return a;
}

/// Writes singular vector i from column `from` of the triplets, and returns a bound of the angles of both.
template <class E>
double put_vectors(const CertifiedSingularValues<E>& p, const SingularSpectrum& s, Index i, Index from,
                   const Array& lost) {
  using T = RealOf<E>;
  const bool wide = p.m < p.n;
  const auto put = [&](Index length, const Eigenpairs& pairs, const EigenBounds& bounds, auto&& write) {
    return put_vector<E>(length, pairs, from, s.outside[from], bounds.contraction, lost, write);
  };
  const double left = put(p.m, wide ? s.triplets.right : s.triplets.left, wide ? s.bounds.right : s.bounds.left,
                          [&](Index row, bool imaginary, T value) { write_part(p.u(row, i), imaginary, value); });
  const double right =
      put(p.n, wide ? s.triplets.left : s.triplets.right, wide ? s.bounds.left : s.bounds.right,
          [&](Index col, bool imaginary, T value) { write_part(p.vt(i, col), imaginary, imaginary ? -value : value); });
  return std::max(left, right);
}

/// Certifies singular values with all arrays in host memory. Sets all of *certificate except for the reason, which it
/// returns.
template <class E>
accublas_reason certify_singular_values_on_host(const CertifiedSingularValues<E>& p, const Calls& calls,
                                                accublas_certificate_t* certificate) {
  using T = RealOf<E>;
  const SpectrumNumbers<T> numbers{p.s, p.radius, p.vectors, p.angle, p.cluster};
  RectangularMatrix a = load(p);
  const Index count = a.n;
  int exponent = 0;
  if (!scale_to_one(a.parts().rows(), a.parts().inner(), a.a.data(), false, exponent, a.inexact, calls)) {
    numbers.put_nothing(count);
    if (p.vectors) {
      fill_with_nan(p.u, p.m, count);
      fill_with_nan(p.vt, count, p.n);
    }
    return put_not_finite(certificate);
  }
  const SingularSpectrum s = singular_values_of(a, {is_single_precision<E>, p.vectors}, calls);
  const EigenBounds& bounds = s.bounds.both;
  put_certificate(s, bounds, s.triplets.left.parts, count, exponent, certificate);
  const bool proved = bounds.residual < HUGE_VAL;
  bool overflow = false;
  const Array lost(a.parts().rows());
  for (Index i = 0; i < count; ++i) {
    const Index k = count - 1 - i;
    const Ball<T> ball = scaled<T>(s.center[k], s.radius[k], exponent);
    p.s[i] = ball.center;
    p.radius[i] = ball.radius;
    overflow |= !is_finite(ball.radius);
    if (!p.vectors) continue;
    p.angle[i] = rounded_up<T>(put_vectors(p, s, i, k, lost));
    p.cluster[i] = proved ? count - bounds.end_of(bounds.cluster[static_cast<std::size_t>(k)]) + 1 : 1;
  }
  if (overflow) return s.radius[0] < HUGE_VAL ? ACCUBLAS_REASON_OVERFLOW : ACCUBLAS_REASON_NOT_ORTHOGONAL;
  return ACCUBLAS_REASON_NONE;
}

/// Certifies singular values with all arrays in memory of the device, of which `run` knows, by copies in host memory.
template <class E>
accublas_reason certify_singular_values_on_copies(const CertifiedSingularValues<E>& p, const Run& run, Calls& calls,
                                                  accublas_certificate_t* certificate) {
  const Index count = std::min(p.m, p.n);
  HostCopies copies(run, calls);
  CertifiedSingularValues<E> here = p;
  here.a = copies.fetch(p.a, p.m, p.n);
  here.s = copies.result(p.s, count);
  here.radius = copies.result(p.radius, count);
  if (p.vectors) {
    here.u = copies.result(p.u, p.m, count);
    here.vt = copies.result(p.vt, count, p.n);
    here.angle = copies.result(p.angle, count);
    here.cluster = copies.result(p.cluster, count);
  }
  return copies.run([&] { return certify_singular_values_on_host(here, calls, certificate); });
}

}  // namespace

template <class E>
void certify_singular_values(Context& context, const CertifiedSingularValues<E>& p, const accublas_options* options,
                             accublas_certificate_t* certificate) {
  SpectrumCall call{{Operation::gesvd_certified, type_of<E>},
                    "singular values",
                    p.m,
                    p.n,
                    {{"a", p.a.data}, {"s", p.s}, {"radius", p.radius}}};
  if (p.vectors)
    call.operands.insert(call.operands.end(),
                         {{"u", p.u.data}, {"vt", p.vt.data}, {"angle", p.angle}, {"cluster", p.cluster}});
  run_spectrum(context, call, options, certificate, [&](const Run& run, Calls& calls) {
    return run.on_device() ? certify_singular_values_on_copies(p, run, calls, certificate)
                           : certify_singular_values_on_host(p, calls, certificate);
  });
}

#define ACCUBLAS_CERTIFIED_SINGULAR_VALUES(E)                                                                 \
  template void certify_singular_values(Context&, const CertifiedSingularValues<E>&, const accublas_options*, \
                                        accublas_certificate_t*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_CERTIFIED_SINGULAR_VALUES)

}  // namespace accublas
