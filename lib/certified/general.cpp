#include "lib/certified/general.hpp"

#include "lib/certified/decompositions.hpp"

namespace accublas::certified {

namespace {

/// W = B X in two parts, and bounds of the norms of the columns of B X - W.
struct Image {
  Eigenpairs w;
  Array errors;
};

Image image_of(const HermitianMatrix& b, const Eigenpairs& pairs, double x_norm, const Calls& calls) {
  const Index n = b.n, rows = b.rows(), count = rows * n;
  Image image{{numbers_at(calls, rows, n), numbers_at(calls, rows, n), Array(n), Array(n), 2}, Array(n)};
  double *const high = image.w.x.data(), *const low = image.w.x_low.data();
  const Matrix<const double> left = matrix_of_parts(b).a;
  const double lost = add_up(underflow_of(4, rows), b.inexact ? mul_up(underflow_of(2, rows), x_norm) : 0);
  std::fill_n(image.errors.data(), n, lost);
  const auto add_rounding = [&] {
    const Norms norms(rows, n, low, calls);
    for (Index j = 0; j < n; ++j)
      image.errors[j] = add_up(image.errors[j], mul_up(unit_roundoff_double, norms.columns[j]));
  };
  calls.product(rows, n, rows, 1, left, {pairs.x.data(), 1, rows}, 0, {high, 1, rows});
  calls.copy(count, high, low);
  calls.product(rows, n, rows, 1, left, {pairs.x.data(), 1, rows}, -1, {low, 1, rows});
  add_rounding();
  if (pairs.parts == 2) {
    calls.product(rows, n, rows, 1, left, {pairs.x_low.data(), 1, rows}, 1, {low, 1, rows});
    add_rounding();
  }
  std::copy_n(pairs.d.data(), n, image.w.d.data());
  std::copy_n(pairs.d_low.data(), n, image.w.d_low.data());
  return image;
}

/// Computes E = I - X^H W for the high parts, and returns a bound of its norm.
double bound_gram(const HermitianMatrix& a, const Eigenpairs& pairs, const Eigenpairs& w, EigenBounds& bounds,
                  const Calls& calls) {
  const Index n = a.n, rows = a.rows();
  bounds.e = numbers_at(calls, rows, n);
  calls.place().run(FillStep<double>{{bounds.e.data(), 1, rows}, 1}, rows, n);
  if (a.complex) bounds.left = left_of(pairs.x.data(), n, n, calls);
  const double* const left = a.complex ? bounds.left.data() : pairs.x.data();
  calls.product(rows, n, rows, -1, {left, rows, 1}, {w.x.data(), 1, rows}, 1, {bounds.e.data(), 1, rows});
  return add_up(mul_up(Norms(rows, n, bounds.e.data(), calls).all, 1 + 2 * unit_roundoff_double),
                underflow_of(1, rows));
}

}  // namespace

Eigenpairs first_general_pairs(const HermitianPair& m, const Calls& calls) {
  const Index n = m.a.n, rows = m.a.rows();
  Eigenpairs pairs{numbers_at(calls, rows, n), {}, Array(n), Array(n)};
  std::fill_n(pairs.d.data(), n, 0.0);
  std::fill_n(pairs.d_low.data(), n, 0.0);
  const auto view = [&](const HermitianMatrix& of) {
    return PartsView{of.complex, n, n, read_columns(of.a.data(), rows), n};
  };
  general_eigensystem_of_parts(view(m.a), view(m.b), pairs.d.data(), pairs.x.data(), calls);
  return pairs;
}

EigenBounds bound_general_pairs(const HermitianPair& m, const Eigenpairs& pairs, const Calls& calls) {
  const Index n = m.a.n, rows = m.a.rows();
  EigenBounds bounds;
  if (!ascends(pairs, n)) return bounds;
  const Norms x(rows, n, pairs.x.data(), calls), x_low(rows, n, pairs.parts == 2 ? pairs.x_low.data() : nullptr, calls);
  const double x_norm = add_up(x.all, x_low.all);
  if (!(x_norm < HUGE_VAL)) return bounds;
  const Image image = image_of(m.b, pairs, x_norm, calls);
  const Norms w(rows, n, image.w.x.data(), calls);
  Norms w_low(rows, n, image.w.x_low.data(), calls);
  const double lost = norm_up(n, image.errors.data()), gram = bound_gram(m.a, pairs, image.w, bounds, calls);
  const double beside = add_up(w_low.all, lost);
  const double a = add_up(gram, add_up(mul_up(x.all, beside), mul_up(x_low.all, add_up(w.all, beside))));
  bounds.contraction = a < HUGE_VAL ? a : HUGE_VAL;
  if (!(a < 1)) return bounds;
  bounds.high_size = w.all;
  bounds.low_norms = std::move(w_low.columns);
  bounds = bound_residual_columns(matrix_of_parts(m.a), n, image.w, pairs, std::move(bounds), calls);
  const double rest = below(1 - a), inverse = div_up(x_norm, sqrt_down(rest));  // at least the norm of L^-1
  calls.place().column_products(rows, n, pairs.x.data(), bounds.f.data(), bounds.corrections.data());
  for (Index j = 0; j < n; ++j) {
    // F is A X - W D and what W lacks, and the error of A is multiplied by X.
    const double d = add_up(std::fabs(pairs.d[j]), std::fabs(pairs.d_low[j]));
    const double more = add_up(mul_up(image.errors[j], d), m.a.inexact ? mul_up(underflow_of(2, rows), x_norm) : 0);
    const double residual = add_up(bounds.residuals[j], more), wrong = add_up(bounds.errors[j], more);
    const double sum = bounds.corrections[j];
    const double rounding = mul_up(static_cast<double>(2 * rows) * unit_roundoff_double, x.columns[j]);
    double error = mul_up(add_up(rounding, x_low.columns[j]), residual);
    error = add_up(error, add_up(mul_up(add_up(x.columns[j], x_low.columns[j]), wrong), mul_up(a, std::fabs(sum))));
    bounds.correction_errors[j] = div_up(add_up(error, underflow_of(1, rows)), rest);
    bounds.residuals[j] = mul_up(inverse, residual);
  }
  bounds.residual = div_up(norm_up(n, bounds.residuals.data()), sqrt_down(rest));
  if (bounds.residual < HUGE_VAL) find_clusters(pairs, n, bounds);
  return bounds;
}

}  // namespace accublas::certified
