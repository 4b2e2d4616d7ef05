#include "lib/certified/eigenvalues.hpp"
#include "lib/certified/spectrum_results.hpp"
#include "lib/cpu/eigensystem.hpp"

namespace accublas {

using namespace certified;

namespace {

/// Reads A, or A^H if it is wide, in parts.
template <class E>
RectangularMatrix load(const CertifiedSingularValues<E>& p, const Calls& calls) {
  const bool wide = p.m < p.n;
  RectangularMatrix a{std::max(p.m, p.n), std::min(p.m, p.n), is_complex<E>, {}};
  a.a = numbers_at(calls, a.parts().rows(), a.parts().inner());
  const Operand<E> from{wide ? p.a.transposed() : p.a, wide};
  load_parts(from, a.m, a.n, a.a.data(), calls);
  return a;
}

/// The columns of a matrix in the reverse order.
template <class E>
Matrix<E> reversed(const Matrix<E>& m, Index cols) {
  return {m.data + (cols - 1) * m.col_stride, m.row_stride, -m.col_stride};
}

/// Writes the singular vectors, and sets the bounds of the angles of both sides. Returns whether all are finite.
template <class E>
bool put_vectors(const CertifiedSingularValues<E>& p, const SingularSpectrum& s, Index count,
                 SpectrumNumbers<RealOf<E>>& numbers, const Calls& calls) {
  const bool wide = p.m < p.n;
  const Triplets& t = s.triplets;
  const PlacedResult<E> u(p.u, p.m, count, calls), vt(p.vt, count, p.n, calls);
  const VectorColumns<E> left_columns{p.m, wide ? t.right : t.left, 0, count},
      right_columns{p.n, wide ? t.left : t.right, 0, count};
  const Array of_u = left_columns.lost(calls), of_v = right_columns.lost(calls);
  const double left = (wide ? s.bounds.right : s.bounds.left).contraction,
               right = (wide ? s.bounds.left : s.bounds.right).contraction;
  bool bounded = true;
  for (Index i = 0; i < count; ++i) {
    const Index k = count - 1 - i;
    const double angle =
        std::max(angle_of_rounded(s.outside[k], left, of_u[k], {}), angle_of_rounded(s.outside[k], right, of_v[k], {}));
    numbers.angle[static_cast<std::size_t>(i)] = rounded_up<RealOf<E>>(angle);
    bounded &= is_finite(numbers.angle[static_cast<std::size_t>(i)]);
  }
  // Nothing can lack memory from here on.
  left_columns.write(reversed(u.matrix(), count), false, calls);
  right_columns.write(reversed(vt.matrix().transposed(), count), true, calls);
  u.deliver();
  vt.deliver();
  return bounded;
}

/// Certifies singular values in the place of `calls`. Sets all of *certificate except for the reason, which it returns.
template <class E>
accublas_reason certify(const CertifiedSingularValues<E>& p, const Calls& calls, accublas_certificate_t* certificate) {
  const Index count = std::min(p.m, p.n);
  if (!calls.place().on_device()) cpu::require_singular_system(std::max(p.m, p.n), count, is_complex<E>);
  SpectrumNumbers<RealOf<E>> numbers(count);
  const auto put_numbers = [&] { numbers.put(p.s, p.radius, p.vectors, p.angle, p.cluster, calls); };
  RectangularMatrix a = load(p, calls);
  int exponent = 0;
  if (!scale_to_one(a.parts().rows(), a.parts().inner(), a.a.data(), false, exponent, a.inexact, calls)) {
    if (p.vectors) {
      put_nan(p.u, p.m, count, calls);
      put_nan(p.vt, count, p.n, calls);
    }
    put_numbers();
    return put_not_finite(certificate);
  }
  const SingularSpectrum s = singular_values_of(a, {is_single_precision<E>, p.vectors}, calls);
  const EigenBounds& bounds = s.bounds.both;
  put_certificate(s, bounds, s.triplets.left.parts, count, exponent, certificate);
  bool finite = true, bounded = true;
  for (Index i = 0; i < count; ++i) {
    const Index k = count - 1 - i;
    finite &= numbers.set(i, s.center[k], s.radius[k], exponent);
    if (bounds.residual < HUGE_VAL)
      numbers.cluster[static_cast<std::size_t>(i)] =
          count - bounds.end_of(bounds.cluster[static_cast<std::size_t>(k)]) + 1;
  }
  if (p.vectors) bounded = put_vectors(p, s, count, numbers, calls);
  put_numbers();
  if (!(s.radius[0] < HUGE_VAL) || !bounded) return ACCUBLAS_REASON_NOT_ORTHOGONAL;
  return finite ? ACCUBLAS_REASON_NONE : ACCUBLAS_REASON_OVERFLOW;
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
  run_spectrum(context, call, options, certificate, [&](const Calls& calls) { return certify(p, calls, certificate); });
}

#define ACCUBLAS_CERTIFIED_SINGULAR_VALUES(E)                                                                 \
  template void certify_singular_values(Context&, const CertifiedSingularValues<E>&, const accublas_options*, \
                                        accublas_certificate_t*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_CERTIFIED_SINGULAR_VALUES)

}  // namespace accublas
