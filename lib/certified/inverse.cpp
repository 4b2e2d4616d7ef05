#include "lib/certified/inverse.hpp"

#include "lib/certified/wide.hpp"

namespace accublas::certified {

namespace {

constexpr double u = 0x1p-53;
constexpr double good = 0.5;  // the contraction with which refinement is quick
constexpr int weightings = 4, improvements = 3;
// For binary128, whose unknowns need twice as many bits and whose matrices may have larger condition numbers.
constexpr double good_of_wide = 0x1p-4;
constexpr int improvements_of_wide = 5;

/// Computes the bounds of G, whose elements cr has rounded: g for the weights v, and the contraction.
void bound_contraction(const System& s, const double* g_rounded, Inverse& inverse, const Calls& calls) {
  const Index n = s.n;
  Array v(n), g(n);
  std::fill_n(v.data(), n, 1.0);
  for (int round = 0; round < weightings; ++round) {
    calls.row_sums_up(n, n, {g_rounded, 1, n}, v.data(), g.data());
    double sum = 0, largest = 0, contraction = 0;
    for (Index j = 0; j < n; ++j) sum = add_up(sum, v[j]);
    for (Index i = 0; i < n; ++i) {
      // `lost` covers the rounding of G's elements, and of those of A.
      double lost = mul_up(least_subnormal<double>(), sum);
      if (s.inexact) lost = add_up(lost, mul_up(mul_up(least_subnormal<double>(), inverse.row_sums[i]), sum));
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

/// Returns copies of A (n x n, columns adjacent) above each other.
Placed stacked(Index n, const double* a, Index copies, const Calls& calls) {
  Placed result(calls.place(), copies * n * n);
  for (Index copy = 0; copy < copies; ++copy) calls.copy(n, n, {a, 1, n}, {result.data() + copy * n, 1, copies * n});
  return result;
}

/// Computes work = I - R A, every element rounded once, and the bounds that follow from it.
void judge(const System& s, Inverse& inverse, double* work, const Calls& calls) {
  const Index n = s.n;
  inverse.row_sums = Array(n);
  calls.row_sums_up(n, inverse.parts * n, inverse.r, nullptr, inverse.row_sums.data());
  inverse.norm = 0;
  for (Index i = 0; i < n; ++i)
    inverse.norm = inverse.row_sums[i] < HUGE_VAL ? std::max(inverse.norm, inverse.row_sums[i]) : HUGE_VAL;
  calls.set_identity(n, work);
  if (s.wide) {
    multiply(*s.wide, n, n, inverse.parts * n, -1, view(inverse.r),
             view(copies_above(s, inverse.parts).data(), inverse.parts * n), 1, view(work, n));
  } else {
    Placed copies;
    if (inverse.parts > 1) copies = stacked(n, s.a.data(), inverse.parts, calls);
    const double* const a = inverse.parts > 1 ? copies.data() : s.a.data();
    calls.product(n, n, inverse.parts * n, -1, inverse.r, {a, 1, inverse.parts * n}, 1, {work, 1, n});
  }
  bound_contraction(s, work, inverse, calls);
}

/// Computes R = X X^T, where A = U^T U was factored and X = U^-1. Each element is rounded once, so R is within one
/// rounding of a matrix that is positive semidefinite.
bool invert_cholesky(const System& s, Inverse& inverse, double* work, const Calls& calls) {
  const Index n = s.n;
  calls.copy(n * n, s.a.data(), work);
  Placed x(calls.place(), n * n);
  if (!calls.inverse_cholesky(n, work, x.data())) return false;
  inverse.memory = Placed(calls.place(), n * n);
  double* const r = inverse.memory.data();
  calls.square(n, x.data(), r);
  calls.place().run(CopyStep<double>{{r, n, 1}, {r, 1, n}, Triangle::upper, 0, false}, n, n);
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
    if (s.inexact) av[j] = add_up(av[j], mul_up(least_subnormal<double>(), sum_v));
    sum = add_up(sum, av[j]);
  }
  calls.row_sums_up(n, n, inverse.r, av.data(), rav.data());
  for (Index i = 0; i < n; ++i) {
    const double moved = add_up(mul_up(u, rav[i]), mul_up(least_subnormal<double>(), sum));
    if (!(div_up(add_up(inverse.product[i], moved), inverse.weights[i]) < 1)) return false;
  }
  return true;
}

/// Changes elements in host memory by up to 2^-44 of their size, as their positions and `seed` decide. Rounding may
/// make an inverse exactly singular, and then no product with it is nonsingular. A matrix whose last bits have no
/// pattern is not singular.
void disturb(Index n, double* m, std::uint64_t seed) {
  std::uint64_t state = seed;
  for (Index i = 0; i < n * n; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's generator
    m[i] += m[i] * (static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-107);
  }
}

void invert_lu(Index n, double* factored, double* x, Index& zero_pivots, const Calls& calls) {
  const Placed pivots(calls.place(), n);
  zero_pivots = calls.factor(n, factored, pivots);
  calls.left_inverse(n, factored, pivots, x);
}

/// Computes a better inverse (Rump) in two or, for binary128, four parts: P = R A is taken from `work` = I - R A, X is
/// P^-1, and the inverse is X R in so many parts. `step` counts from 0.
Inverse improved(const System& s, const Inverse& last, int step, double* work, const Calls& calls) {
  const Index n = s.n, parts = last.parts;
  calls.place().run(ScaleStep<double>{{work, 1, n}, -1}, n, n);
  calls.change_diagonal(n, work, [n](const Mirrored& diagonal) {
    for (Index i = 0; i < n; ++i) diagonal[i] += 1;
  });
  Inverse next;
  next.parts = s.wide && step > 0 ? 4 : 2;
  next.memory = Placed(calls.place(), next.parts * n * n);
  next.r = {next.memory.data(), 1, n};
  {
    const Placed x(calls.place(), n * n);
    Placed copies, below;
    Index zeros = 0;
    invert_lu(n, work, x.data(), zeros, calls);
    if (s.wide) disturb(n, x.data(), static_cast<std::uint64_t>(step));
    Matrix<const double> left{x.data(), n, 1}, right = last.r;
    if (parts > 1) {  // X R = (X, X) (R_1; R_2); the parts of R are adjacent
      copies = stacked(n, x.data(), parts, calls);
      below = Placed(calls.place(), parts * n * n);
      for (Index part = 0; part < parts; ++part)
        calls.copy(n, n, last.r.block(0, part * n), {below.data() + part * n, 1, parts * n});
      left = {copies.data(), parts * n, 1}, right = {below.data(), 1, parts * n};
    }
    double *const high = next.memory.data(), *const low = high + n * n;
    calls.product(n, n, parts * n, 1, left, right, 0, {high, 1, n});
    calls.copy(n * n, high, low);
    calls.product(n, n, parts * n, 1, left, right, -1, {low, 1, n});
    if (next.parts == 4) {  // the last two are the pair of what the first two leave
      calls.copy(2 * n * n, high, high + 2 * n * n);
      quad::Operand rest{quad::Format::pair, high + 2 * n * n, high + 3 * n * n, 1, n, 1};
      multiply(*s.wide, n, n, parts * n, 1, view(left), view(right), -1, rest);
    }
  }
  judge(s, next, work, calls);
  return next;
}

}  // namespace

Inverses invert(const System& system, bool may_be_definite, const Calls& calls) {
  const Index n = system.n;
  Inverses result;
  Inverse& first = result.best;
  const Placed work(calls.place(), n * n);
  const bool cholesky = may_be_definite && invert_cholesky(system, first, work.data(), calls);
  if (!cholesky) {
    calls.copy(n * n, system.a.data(), work.data());
    first.memory = Placed(calls.place(), n * n);
    invert_lu(n, work.data(), first.memory.data(), result.zero_pivots, calls);
    first.r = {first.memory.data(), n, 1};
  }
  judge(system, first, work.data(), calls);
  result.definite = cholesky && is_definite(system, first, calls);
  // R is rounded. If that makes R singular, then P is singular too, and the next inverse is no better, but the one
  // after it is.
  Inverse worse;
  const Inverse* last = &first;
  const int steps = system.wide ? improvements_of_wide : improvements;
  const double wanted = system.wide ? good_of_wide : good;
  if (system.wide && !(first.contraction <= wanted)) {
    Inverse disturbed;
    disturbed.memory = std::move(first.memory);
    disturbed.r = first.r;
    disturb(n, disturbed.memory.data(), improvements_of_wide);
    first = std::move(disturbed);
    judge(system, first, work.data(), calls);
  }
  for (int step = 0; step < steps && !(first.contraction <= wanted) && is_finite(last->norm); ++step) {
    Inverse next = improved(system, *last, step, work.data(), calls);
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
