#include "lib/certified/general.hpp"

#include "lib/cpu/eigensystem.hpp"

namespace accublas::certified {

namespace {

/// Upper bounds of the norms of the columns of a matrix, and of its own norm.
struct Norms {
  Array columns;
  double all = 0;

  Norms(Index rows, Index cols, const double* m, const Calls& calls) : columns(cols) {
    if (m)
      column_norms_up(rows, cols, m, columns.data(), calls);
    else
      std::fill_n(columns.data(), cols, 0.0);
    all = norm_up(cols, columns.data());
  }
};

/// W = B X in two parts, and bounds of the norms of the columns of B X - W.
struct Image {
  Eigenpairs w;
  Array errors;
};

Image image_of(const HermitianMatrix& b, const Eigenpairs& pairs, double x_norm, const Calls& calls) {
  const Index n = b.n, rows = b.rows(), count = rows * n;
  Image image{{Array(count), Array(count), Array(n), Array(n), 2}, Array(n)};
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
  std::copy_n(high, count, low);
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
  bounds.e = Array(rows * n);
  calls.place().run(FillStep<double>{{bounds.e.data(), 1, rows}, 1}, rows, n);
  if (a.complex) {
    bounds.left = Array(rows * rows);
    write_left(pairs.x.data(), n, n, bounds.left.data());
  }
  const double* const left = a.complex ? bounds.left.data() : pairs.x.data();
  calls.product(rows, n, rows, -1, {left, rows, 1}, {w.x.data(), 1, rows}, 1, {bounds.e.data(), 1, rows});
  return add_up(mul_up(Norms(rows, n, bounds.e.data(), calls).all, 1 + 2 * unit_roundoff_double),
                underflow_of(1, rows));
}

template <class E>
void system_of_parts(const HermitianPair& m, Eigenpairs& pairs) {
  const Index n = m.a.n;
  if constexpr (is_complex<E>) {
    std::vector<E> a = joined_parts(n, n, m.a.a.data(), m.a.rows()), b = joined_parts(n, n, m.b.a.data(), m.b.rows());
    cpu::general_eigensystem(n, a.data(), b.data(), pairs.d.data());
    split_parts(n, n, a.data(), pairs.x.data());
  } else {
    const Array b(n * n);
    std::copy_n(m.a.a.data(), n * n, pairs.x.data());
    std::copy_n(m.b.a.data(), n * n, b.data());
    cpu::general_eigensystem(n, pairs.x.data(), b.data(), pairs.d.data());
  }
}

}  // namespace

Eigenpairs first_general_pairs(const HermitianPair& m) {
  const Index n = m.a.n;
  Eigenpairs pairs{Array(m.a.rows() * n), {}, Array(n), Array(n)};
  std::fill_n(pairs.d.data(), n, 0.0);
  std::fill_n(pairs.d_low.data(), n, 0.0);
  m.a.complex ? system_of_parts<Complex<double>>(m, pairs) : system_of_parts<double>(m, pairs);
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
  for (Index j = 0; j < n; ++j) {
    // F is A X - W D and what W lacks, and the error of A is multiplied by X.
    const double d = add_up(std::fabs(pairs.d[j]), std::fabs(pairs.d_low[j]));
    const double more = add_up(mul_up(image.errors[j], d), m.a.inexact ? mul_up(underflow_of(2, rows), x_norm) : 0);
    const double residual = add_up(bounds.residuals[j], more), wrong = add_up(bounds.errors[j], more);
    double sum = 0;
    for (Index i = j * rows; i < (j + 1) * rows; ++i) sum += pairs.x[i] * bounds.f[i];
    const double rounding = mul_up(static_cast<double>(2 * rows) * unit_roundoff_double, x.columns[j]);
    double error = mul_up(add_up(rounding, x_low.columns[j]), residual);
    error = add_up(error, add_up(mul_up(add_up(x.columns[j], x_low.columns[j]), wrong), mul_up(a, std::fabs(sum))));
    bounds.corrections[j] = sum;
    bounds.correction_errors[j] = div_up(add_up(error, underflow_of(1, rows)), rest);
    bounds.residuals[j] = mul_up(inverse, residual);
  }
  bounds.residual = div_up(norm_up(n, bounds.residuals.data()), sqrt_down(rest));
  if (bounds.residual < HUGE_VAL) find_clusters(pairs, n, bounds);
  return bounds;
}

}  // namespace accublas::certified
