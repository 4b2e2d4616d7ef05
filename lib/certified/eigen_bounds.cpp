// The bounds of approximate eigenpairs (docs/eigenvalues.md, "The bounds").
#include "lib/certified/eigenpairs.hpp"
#include "lib/numerics/eft.hpp"

namespace accublas::certified {

namespace {

constexpr double rounding_unit = 0x1p-53;

class EigenProof {
 public:
  EigenProof(const PartsMatrix& a, Index count, const Eigenpairs& pairs, const Eigenpairs& y, const Calls& calls)
      : a_(a),
        pairs_(pairs),
        y_(y),
        calls_(calls),
        n_(count),
        rows_(a.rows()),
        inner_(a.inner()),
        largest_(std::max(rows_, inner_)),
        gram_rows_(a.complex ? 2 * count : count) {}

  EigenBounds run() {
    if (!ascends(pairs_, n_)) return std::move(bounds_);
    bound_orthogonality();
    if (!(bounds_.contraction < 1)) return std::move(bounds_);
    bound_residuals();
    return std::move(bounds_);
  }

  /// Bounds F alone, with the bounds of X that are given.
  EigenBounds run_residuals(EigenBounds&& of_x) {
    bounds_ = std::move(of_x);
    bound_residuals();
    return std::move(bounds_);
  }

 private:
  bool two_parts() const { return pairs_.parts == 2; }
  /// Computes E = I - X^H X for the high part of X, and the bound of the norm of I - X^H X for both parts.
  void bound_orthogonality() {
    const double* const x = pairs_.x.data();
    bounds_.e = numbers_at(calls_, gram_rows_, n_);
    double* const e = bounds_.e.data();
    calls_.place().run(FillStep<double>{{e, 1, gram_rows_}, 1}, gram_rows_, n_);
    if (a_.complex) {
      bounds_.left = left_of(x, a_.m, n_, calls_);
      calls_.product(gram_rows_, n_, rows_, -1, {bounds_.left.data(), rows_, 1}, {x, 1, rows_}, 1, {e, 1, gram_rows_});
    } else {
      calls_.subtract_gram(n_, rows_, x, e);
      const Matrix<const double> upper = read_columns(e, n_).transposed();
      calls_.place().run(CopyStep<double>{columns_at(e, n_), upper, Triangle::lower, 0, false}, n_, n_);
    }
    const double high = add_up(mul_up(gram_norm(e), 1 + 2 * rounding_unit), underflow_of(1, gram_rows_));
    bounds_.low_norms = Array(n_);
    std::fill_n(bounds_.low_norms.data(), n_, 0.0);
    double low = 0;
    if (two_parts()) {
      calls_.place().column_norms(rows_, n_, pairs_.x_low.data(), bounds_.low_norms.data());
      low = norm_up(n_, bounds_.low_norms.data());
    }
    bounds_.high_size = add_up(1, high);  // at least sqrt(1 + norm(E))
    bounds_.contraction = add_up(high, mul_up(low, add_up(mul_up(2, bounds_.high_size), low)));
  }

  double gram_norm(const double* m) const {
    const Array norms(n_);
    calls_.place().column_norms(gram_rows_, n_, m, norms.data());
    return norm_up(n_, norms.data());
  }

  /// Computes F, and the bound of the norm of each column of the exact F.
  void bound_residuals() {
    const double *const x = pairs_.x.data(), *const x_low = pairs_.x_low.data();
    const double *const y = y_.x.data(), *const y_low = y_.x_low.data();
    const Sent d_there(calls_, n_, pairs_.d.data()), d_low_there(calls_, n_, pairs_.d_low.data());
    bounds_.f = numbers_at(calls_, rows_, n_);
    double* const f = bounds_.f.data();
    calls_.place().run(FirstProductStep{columns_at(f, rows_), read_columns(x, rows_), d_there.data()}, rows_, n_);
    const Array norms(n_);
    Array errors(n_);
    std::fill_n(errors.data(), n_, underflow_of(a_.inexact ? 16 : 8, largest_));
    const auto add_rounding = [&] {
      calls_.place().column_norms(rows_, n_, f, norms.data());
      for (Index j = 0; j < n_; ++j) errors[j] = add_up(errors[j], mul_up(rounding_unit, norms[j]));
    };
    calls_.product(rows_, n_, inner_, 1, a_.a, {y, 1, inner_}, -1, {f, 1, rows_});
    add_rounding();
    if (y_.parts == 2) {
      calls_.product(rows_, n_, inner_, 1, a_.a, {y_low, 1, inner_}, 1, {f, 1, rows_});
      add_rounding();
    }
    calls_.place().run(RestStep{columns_at(f, rows_),
                                read_columns(x, rows_),
                                read_columns(two_parts() ? x_low : nullptr, rows_),
                                {d_there.data(), d_low_there.data()}},
                       rows_, n_);
    add_rounding();
    bounds_.residuals = Array(n_);
    for (Index j = 0; j < n_; ++j) {
      // The number that was subtracted last has at most four terms, each of which passed at most four roundings.
      const double d = std::fabs(pairs_.d[j]), d_low = std::fabs(pairs_.d_low[j]);
      const double terms = add_up(mul_up(add_up(mul_up(rounding_unit, d), d_low), bounds_.high_size),
                                  mul_up(add_up(d, d_low), bounds_.low_norms[j]));
      errors[j] = add_up(errors[j], mul_up(6 * rounding_unit, terms));
      bounds_.residuals[j] = add_up(norms[j], errors[j]);
    }
    bound_corrections(errors);
    bounds_.errors = std::move(errors);
  }

  /// Computes x^H f / x^H x for every column. `errors` bound the norms of the errors of F's columns.
  void bound_corrections(const Array& errors) {
    const double a = bounds_.contraction, rest = below(1 - a);
    const double rounding = mul_up(static_cast<double>(2 * rows_) * rounding_unit, bounds_.high_size);
    bounds_.corrections = Array(n_);
    bounds_.correction_errors = Array(n_);
    const Array sums(n_);
    calls_.place().column_products(rows_, n_, pairs_.x.data(), bounds_.f.data(), sums.data());
    for (Index j = 0; j < n_; ++j) {
      const double sum = sums[j];
      // The magnitudes of the sum's terms add up to no more than the product of both norms.
      double error = mul_up(add_up(rounding, bounds_.low_norms[j]), bounds_.residuals[j]);
      error = add_up(error, add_up(mul_up(add_up(1, a), errors[j]), mul_up(a, std::fabs(sum))));
      bounds_.corrections[j] = sum;
      bounds_.correction_errors[j] = div_up(add_up(error, underflow_of(1, rows_)), rest);
    }
  }

  const PartsMatrix& a_;
  const Eigenpairs &pairs_, &y_;
  const Calls& calls_;
  const Index n_, rows_, inner_, largest_, gram_rows_;
  EigenBounds bounds_{};
};

}  // namespace

Eigenpairs copy_of(const Eigenpairs& pairs, Index rows, Index count, const Calls& calls) {
  Eigenpairs copy{numbers_at(calls, rows, count), {}, Array(count), Array(count), pairs.parts};
  calls.copy(rows * count, pairs.x.data(), copy.x.data());
  if (pairs.parts == 2) {
    copy.x_low = numbers_at(calls, rows, count);
    calls.copy(rows * count, pairs.x_low.data(), copy.x_low.data());
  }
  std::copy_n(pairs.d.data(), count, copy.d.data());
  std::copy_n(pairs.d_low.data(), count, copy.d_low.data());
  return copy;
}

EigenBounds bound_columns(const PartsMatrix& a, Index count, const Eigenpairs& pairs, const Eigenpairs& y,
                          const Calls& calls) {
  return EigenProof(a, count, pairs, y, calls).run();
}

EigenBounds bound_residual_columns(const PartsMatrix& a, Index count, const Eigenpairs& pairs, const Eigenpairs& y,
                                   EigenBounds&& of_x, const Calls& calls) {
  return EigenProof(a, count, pairs, y, calls).run_residuals(std::move(of_x));
}

bool ascends(const Eigenpairs& pairs, Index count) {
  for (Index k = 1; k < count; ++k)
    if (const double last = pairs.d[k - 1];
        !(last < pairs.d[k]) && !(last == pairs.d[k] && pairs.d_low[k - 1] <= pairs.d_low[k]))
      return false;
  return true;
}

EigenBounds bound_eigenpairs(const HermitianMatrix& a, const Eigenpairs& pairs, const Calls& calls) {
  EigenBounds bounds = bound_columns(matrix_of_parts(a), a.n, pairs, pairs, calls);
  if (!(bounds.contraction < 1)) return bounds;
  bounds.residual = div_up(norm_up(a.n, bounds.residuals.data()), sqrt_down(below(1 - bounds.contraction)));
  if (bounds.residual < HUGE_VAL) find_clusters(pairs, a.n, bounds);
  return bounds;
}

void find_clusters(const Eigenpairs& pairs, Index count, EigenBounds& bounds) {
  const double both = add_up(bounds.residual, bounds.residual);
  for (Index k = 0; k < count; ++k) {
    const double between = k == 0 ? 0 : below(distance_down(pairs, k - 1, k) - both);
    if (between > 0) bounds.gap = bounds.gap > 0 ? std::min(bounds.gap, between) : between;
    bounds.cluster.push_back(k == 0 || between > 0 ? k : bounds.cluster.back());
  }
}

double distance_down(const Eigenpairs& pairs, Index j, Index k) {
  const DoublePair difference = two_sum(pairs.d[k], -pairs.d[j]);
  const double low = pairs.d_low[k] - pairs.d_low[j];
  // The sum of the three numbers passes three roundings of numbers that are no larger than `size`.
  const double size = add_up(add_up(std::fabs(difference.high), std::fabs(difference.low)),
                             add_up(std::fabs(pairs.d_low[k]), std::fabs(pairs.d_low[j])));
  return below(difference.high + (difference.low + low) - mul_up(8 * rounding_unit, size));
}

}  // namespace accublas::certified
