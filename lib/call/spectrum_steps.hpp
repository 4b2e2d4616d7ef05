// Steps on the elements of matrices of eigenvectors and singular vectors (lib/certified). operator()(i, j) is the work
// of element (i, j) of rows x cols; elements do not depend on each other. A complex matrix is given by its parts: each
// column has its real parts, and then its imaginary parts. Vectors of numbers are in the memory space of the matrices.
#pragma once

#include <cmath>
#include <variant>

#include "lib/call/problem.hpp"
#include "lib/numerics/complex.hpp"
#include "lib/numerics/eft.hpp"

namespace accublas {

/// Adds x to a number in two parts.
ACCUBLAS_HD inline void add_to_parts(double& high, double& low, double x) {
  const DoublePair sum = two_sum(high, x), parts = two_sum(sum.high, sum.low + low);
  high = parts.high;
  low = parts.low;
}

/// Numbers D in two parts.
struct TwoParts {
  const double *high, *low;
  /// Approximates d_j - d_i.
  ACCUBLAS_HD double difference(Index i, Index j) const { return (high[j] - high[i]) + (low[j] - low[i]); }
  ACCUBLAS_HD double sum(Index i, Index j) const { return (high[j] + high[i]) + (low[j] + low[i]); }
};

/// Computes F = X_1 D_1 with every element rounded.
struct FirstProductStep {
  Matrix<double> to;
  Matrix<const double> x;
  const double* d;
  ACCUBLAS_HD void operator()(Index i, Index j) const { first_product(to(i, j), x(i, j), d[j]); }
  ACCUBLAS_HD static void first_product(double& f, double x, double d) { f = x * d; }
};

/// Subtracts from F, which has X_1 D_1 as FirstProductStep rounds it, what that lacks of X D. The data of x_low are
/// null if X has one part.
struct RestStep {
  Matrix<double> to;
  Matrix<const double> x, x_low;
  TwoParts d;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    const bool two_parts = x_low.data != nullptr;
    subtract_rest(to(i, j), x(i, j), two_parts ? x_low(i, j) : 0, two_parts, d.high[j], d.low[j]);
  }
  ACCUBLAS_HD static void subtract_rest(double& f, double x, double x_low, bool two_parts, double d, double d_low) {
    double rest = two_product(x, d).low + x * d_low;
    if (two_parts) rest += x_low * d + x_low * d_low;
    f -= rest;
  }
};

/// Adds a matrix to X in two parts.
struct AddToPartsStep {
  Matrix<double> to, low;
  Matrix<const double> change;
  ACCUBLAS_HD void operator()(Index i, Index j) const { add_to_parts(to(i, j), low(i, j), change(i, j)); }
};

/// Adds `factor` times the element of `from`, divided by divisors[j] if that is not null.
struct AddColumnsStep {
  Matrix<double> to;
  Matrix<const double> from;
  double factor = 1;
  const double* divisors = nullptr;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    to(i, j) += factor * (divisors ? from(i, j) / divisors[j] : from(i, j));
  }
};

/// Writes the real matrix that multiplies as a complex X of `rows` rows and `cols` columns does.
struct LeftStep {
  Matrix<double> to;
  Matrix<const double> x;
  Index rows, cols;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    const double re = x(i, j), im = x(i + rows, j);
    to(i, j) = to(i + rows, j + cols) = re;
    to(i + rows, j) = im;
    to(i, j + cols) = -im;
  }
};

/// Joins the parts of a complex matrix.
struct JoinStep {
  Matrix<Complex<double>> to;
  Matrix<const double> re, im;
  ACCUBLAS_HD void operator()(Index i, Index j) const { to(i, j) = {re(i, j), im(i, j)}; }
};

/// Writes the parts of a complex matrix of `rows` rows, or of its conjugate.
struct SplitStep {
  Matrix<double> to;
  Matrix<const Complex<double>> from;
  Index rows;
  bool conjugate = false;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    const Complex<double> z = from(i, j);
    to(i, j) = z.re;
    to(i + rows, j) = conjugate ? -z.im : z.im;
  }
};

/// Copies column order[j] of `from` to column j.
struct PermuteStep {
  Matrix<double> to;
  Matrix<const double> from;
  const double* order;
  ACCUBLAS_HD void operator()(Index i, Index j) const { to(i, j) = from(i, static_cast<Index>(order[j])); }
};

/// Turns H = X^H F into Y (docs/eigenvalues.md, "Refinement"). X has `count` columns, and group[j] is the first number
/// of the group of d_j. The data of e are null after the first step.
struct CorrectionStep {
  Matrix<double> to;
  Matrix<const double> e;
  Index count;
  TwoParts d;
  const double* group;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    const Index k = i % count;
    double& y = to(i, j);
    y = group[k] != group[j] ? y / d.difference(k, j) : e.data ? 0.5 * e(i, j) : 0;
  }
};

/// Turns P = U^H R and Q = V^H S into the coefficients of the corrections of U and V. Y belongs to the vectors (u, v),
/// and Z to (u, -v), whose eigenvalues are the negative singular values. e and g are I - U^H U and I - V^H V, whose
/// data are null after the first step. The first `at_zero` singular values are close to zero. If A is `tall`, the part
/// of R outside of U's columns belongs to the eigenvalue 0 and is added apart.
struct TripletCorrectionStep {
  Matrix<double> to, q;
  Matrix<const double> e, g;
  Index count, at_zero;
  bool tall;
  TwoParts d;
  const double* group;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    const Index k = i % count;
    double &p = to(i, j), &of_v = q(i, j);
    const double of_e = e.data ? 0.25 * e(i, j) : 0, of_g = g.data ? 0.25 * g(i, j) : 0;
    const double y = group[k] == group[j] ? of_e + of_g : 0.5 * (p + of_v) / d.difference(k, j);
    const double z = k < at_zero && j < at_zero ? of_e - of_g : 0.5 * (p - of_v) / d.sum(k, j);
    const double outside = tall && j >= at_zero ? p / d.high[j] : 0;
    p = y + z - outside;
    of_v = y - z;
  }
};

/// Writes the Hermitian matrix X^H A X - origin of the `size` columns from `first` on, in parts. H approximates X^H F
/// of all `count` columns, and shift[j] is d_j - origin; if it is null, the diagonal is zero.
struct GroupStep {
  Matrix<double> to;
  Matrix<const double> h;
  Index first, size, count;
  bool complex;
  const double* shift;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    const Index p = first + i, q = first + j;
    double re = 0.5 * (h(p, q) + h(q, p));
    if (i == j) re = shift ? re + shift[q] : 0;
    to(i, j) = re;
    if (complex) to(i + size, j) = 0.5 * (h(p + count, q) - h(q + count, p));
  }
};

/// Rounds 2^exponent x to the type of the results.
template <class T>
ACCUBLAS_HD T rounded_result(double x, int exponent) {
  return static_cast<T>(std::ldexp(x, exponent));
}

/// Writes what rounded_result() loses of X. X is in two parts unless the data of x_low are null.
template <class T>
struct LostStep {
  Matrix<double> to;
  Matrix<const double> x, x_low;
  int exponent;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    const T rounded = rounded_result<T>(x(i, j), exponent);
    to(i, j) = (x(i, j) - std::ldexp(static_cast<double>(rounded), -exponent)) + (x_low.data ? x_low(i, j) : 0);
  }
};

/// Writes 2^exponent X, or its conjugate, rounded to the caller's type E. A complex X has `rows` complex rows.
template <class E>
struct RoundStep {
  Matrix<E> to;
  Matrix<const double> x;
  Index rows;
  int exponent;
  bool conjugate;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    const auto rounded = [&](Index row) { return rounded_result<RealOf<E>>(x(row, j), exponent); };
    if constexpr (is_complex<E>) {
      const RealOf<E> im = rounded(i + rows);
      to(i, j) = {rounded(i), conjugate ? -im : im};
    } else {
      to(i, j) = rounded(i);
    }
  }
};

using SpectrumStep =
    std::variant<FirstProductStep, RestStep, AddToPartsStep, AddColumnsStep, LeftStep, JoinStep, SplitStep, PermuteStep,
                 CorrectionStep, TripletCorrectionStep, GroupStep, LostStep<double>, LostStep<float>, RoundStep<double>,
                 RoundStep<float>, RoundStep<Complex<double>>, RoundStep<Complex<float>>>;

}  // namespace accublas
