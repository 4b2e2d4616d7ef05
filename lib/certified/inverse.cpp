#include "lib/certified/inverse.hpp"

namespace accublas::certified {

namespace {

constexpr double u = 0x1p-53;
constexpr double good = 0.5;  // contraction that refinement is quick with
constexpr int weightings = 4, improvements = 3;

/// The bounds of G, whose elements cr has rounded: g for the weights v, and the contraction.
void bound_contraction(const System& s, const double* g_rounded, Inverse& inverse, const Calls& calls) {
  const Index n = s.n;
  Array v(n), g(n);
  std::fill_n(v.data(), n, 1.0);
  for (int round = 0; round < weightings; ++round) {
    calls.row_sums_up(n, n, {g_rounded, 1, n}, v.data(), g.data());
    double sum = 0, largest = 0, contraction = 0;
    for (Index j = 0; j < n; ++j) sum = add_up(sum, v[j]);
    for (Index i = 0; i < n; ++i) {
      // The rounding of G's elements, and of those of A.
      double lost = mul_up(least_subnormal, sum);
      if (s.inexact) lost = add_up(lost, mul_up(mul_up(least_subnormal, inverse.row_sums[i]), sum));
      g[i] = add_up(mul_up(g[i], 1 + 2 * u), lost);
      const double ratio = div_up(g[i], v[i]);
      contraction = ratio < HUGE_VAL ? std::max(contraction, ratio) : HUGE_VAL;  // NaN proves nothing
      largest = std::max(largest, g[i]);
    }
    if (contraction < inverse.contraction) {
      inverse.contraction = contraction;
      inverse.weights = std::move(v);
      inverse.product = std::move(g);
      v = Array(n);
      g = Array(n);
      std::copy_n(inverse.product.data(), n, g.data());
    }
    if (!(largest > 0 && largest < HUGE_VAL) || contraction <= good) break;
    for (Index i = 0; i < n; ++i) v[i] = std::max(g[i] / largest, 0x1p-20);
  }
}

/// work = I - R A, every element rounded once, and what follows from it.
void judge(const System& s, Inverse& inverse, double* work, const Calls& calls) {
  const Index n = s.n;
  inverse.row_sums = Array(n);
  calls.row_sums_up(n, inverse.parts * n, {inverse.r.data, inverse.r.row_stride, inverse.r.col_stride}, nullptr,
                    inverse.row_sums.data());
  inverse.norm = 0;
  for (Index i = 0; i < n; ++i)
    inverse.norm = inverse.row_sums[i] < HUGE_VAL ? std::max(inverse.norm, inverse.row_sums[i]) : HUGE_VAL;
  Array copies;
  if (inverse.parts > 1) copies = stacked(n, s.a.data(), inverse.parts);
  const double* const a = inverse.parts > 1 ? copies.data() : s.a.data();
  set_identity(n, work);
  calls.product(n, n, inverse.parts * n, -1, {inverse.r.data, inverse.r.row_stride, inverse.r.col_stride},
                {a, 1, inverse.parts * n}, 1, {work, 1, n});
  bound_contraction(s, work, inverse, calls);
}

/// R = X X^T rounded once an element, where A = U^T U was factored and X = U^-1: R is within a rounding of a matrix
/// that is positive semidefinite.
bool invert_cholesky(const System& s, Inverse& inverse, double* work, const Calls& calls) {
  const Index n = s.n;
  std::copy_n(s.a.data(), n * n, work);
  Array x(n * n);
  if (!calls.inverse_cholesky(n, work, x.data())) return false;
  inverse.memory = Array(n * n);
  double* const r = inverse.memory.data();
  calls.square(n, x.data(), r);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < j; ++i) r[j + i * n] = r[i + j * n];
  inverse.r = {r, 1, n};
  return true;
}

/// The rounding of X X^T moves I - R A by at most (u abs(R) + 2^-1075) abs(A).
bool is_definite(const System& s, const Inverse& inverse, const Calls& calls) {
  const Index n = s.n;
  if (!(inverse.contraction < 1)) return false;
  Array av(n), rav(n);
  calls.row_sums_up(n, n, {s.a.data(), 1, n}, inverse.weights.data(), av.data());
  double sum_v = 0, sum = 0;
  for (Index j = 0; j < n; ++j) sum_v = add_up(sum_v, inverse.weights[j]);
  for (Index j = 0; j < n; ++j) {
    if (s.inexact) av[j] = add_up(av[j], mul_up(least_subnormal, sum_v));
    sum = add_up(sum, av[j]);
  }
  calls.row_sums_up(n, n, {inverse.r.data, inverse.r.row_stride, inverse.r.col_stride}, av.data(), rav.data());
  for (Index i = 0; i < n; ++i) {
    const double moved = add_up(mul_up(u, rav[i]), mul_up(least_subnormal, sum));
    if (!(div_up(add_up(inverse.product[i], moved), inverse.weights[i]) < 1)) return false;
  }
  return true;
}

void invert_lu(Index n, double* factored, double* x, Index& zero_pivots, const Calls& calls) {
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
  zero_pivots = calls.factor(n, factored, pivots.data());
  calls.left_inverse(n, factored, pivots.data(), x);
}

/// A better inverse (Rump), in two parts: of P = R A, which is `work` = I - R A taken from I, X = P^-1, and X R in two
/// parts.
Inverse improved(const System& s, const Inverse& last, double* work, const Calls& calls) {
  const Index n = s.n, parts = last.parts;
  for (Index i = 0; i < n * n; ++i) work[i] = -work[i];
  for (Index i = 0; i < n; ++i) work[i * (n + 1)] += 1;
  Inverse next;
  next.parts = 2;
  next.memory = Array(2 * n * n);
  next.r = {next.memory.data(), 1, n};
  {
    Array x(n * n), copies, below;
    Index zeros = 0;
    invert_lu(n, work, x.data(), zeros, calls);
    Matrix<const double> left{x.data(), n, 1}, right{last.r.data, last.r.row_stride, last.r.col_stride};
    if (parts > 1) {  // X R = (X, X) (R_1; R_2); the parts of R lie beside each other
      copies = stacked(n, x.data(), parts);
      below = Array(parts * n * n);
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < parts * n; ++i) below[i + j * parts * n] = last.r(i % n, j + i / n * n);
      left = {copies.data(), parts * n, 1}, right = {below.data(), 1, parts * n};
    }
    double *const high = next.memory.data(), *const low = high + n * n;
    calls.product(n, n, parts * n, 1, left, right, 0, {high, 1, n});
    std::copy_n(high, n * n, low);
    calls.product(n, n, parts * n, 1, left, right, -1, {low, 1, n});
  }
  judge(s, next, work, calls);
  return next;
}

}  // namespace

Array stacked(Index n, const double* a, Index copies) {
  Array result(copies * n * n);
  for (Index j = 0; j < n; ++j)
    for (Index copy = 0; copy < copies; ++copy) std::copy_n(a + j * n, n, result.data() + (j * copies + copy) * n);
  return result;
}

Inverses invert(const System& system, bool may_be_definite, const Calls& calls) {
  const Index n = system.n;
  Inverses result;
  Inverse& first = result.best;
  Array work(n * n);
  const bool cholesky = may_be_definite && invert_cholesky(system, first, work.data(), calls);
  if (!cholesky) {
    std::copy_n(system.a.data(), n * n, work.data());
    first.memory = Array(n * n);
    invert_lu(n, work.data(), first.memory.data(), result.zero_pivots, calls);
    first.r = {first.memory.data(), n, 1};
  }
  judge(system, first, work.data(), calls);
  result.definite = cholesky && is_definite(system, first, calls);
  if (mutant(Mutant::certified_definite)) result.definite = system.symmetric && first.contraction < 1;
  // R is rounded: where that makes it singular, so is P, and the next inverse no better, but its successor.
  Inverse worse;
  const Inverse* last = &first;
  for (int step = 0; step < improvements && !(first.contraction <= good) && is_finite(last->norm); ++step) {
    Inverse next = improved(system, *last, work.data(), calls);
    const bool better = next.contraction < first.contraction;
    Inverse& place = better ? first : worse;
    place = std::move(next);
    last = &place;
  }
  Array sums(n);
  calls.row_sums_up(n, n, {system.a.data(), 1, n}, nullptr, sums.data());
  result.condition = mul_up(first.norm, *std::max_element(sums.data(), sums.data() + n));
  return result;
}

}  // namespace accublas::certified
