// Decides the exceptions of triangular systems, factorizations and solutions by these from operands and results in host
// memory (lib/runtime/operand_exceptions.hpp).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "lib/call/backend.hpp"
#include "lib/numerics/exact_sum.hpp"
#include "lib/runtime/overwritten.hpp"

namespace accublas::exceptions {

/// Signals the exceptions of an unknown x, which is alpha b minus a sum, divided by the pivot unless `unit`. `of_sum`
/// has the kinds of the sum's operands.
template <class E>
void signal_unknown(const E& x, const OperandKinds& of_sum, const E& alpha, const E& b, bool unit, const E& pivot) {
  OperandKinds numerator[2] = {of_sum, of_sum};
  for_parts(x, [&](int part, auto) { add_product(numerator[part], alpha, b, part); });
  for_parts(x, [&](int part, auto result) {
    OperandKinds kinds = numerator[part];
    bool by_zero = false;
    if (!unit) {
      by_zero = pivot == 0;
      if constexpr (is_complex<E>) {
        // A zero part of the pivot makes no term of the dividend's product with the pivot's conjugate.
        if (!by_zero && finite_number(pivot)) {
          kinds = pivot.re != 0 ? numerator[part] : OperandKinds{};
          if (pivot.im != 0) kinds.add(numerator[1 - part]);
        } else if (!by_zero) {
          kinds.add(numerator[1 - part]);
        }
      }
      add_parts(kinds, pivot);
    }
    const unsigned signalled = kinds.exceptions_of(result);
    signal_exceptions(by_zero && signalled == exceptions::overflow ? exceptions::division_by_zero : signalled);
  });
}

/// Signals the exceptions of the unknowns (i, side) of X with wanted(i, side). No wanted unknown may depend on one that
/// is not wanted. `before` has the numbers that the unknowns overwrote.
template <class E, class Wanted>
void signal_unknowns(const TriangularSystem<E>& s, const Matrix<E>& before, int threads, Wanted&& wanted) {
  const bool lower = s.m.part == Triangle::lower;
  std::vector<OperandKinds> of_rows(static_cast<std::size_t>(s.order));
  parallel_for(s.order, threads, [&](Index i, int) {
    for (Index j = lower ? 0 : i + 1; j < (lower ? i : s.order); ++j)
      add_parts(of_rows[static_cast<std::size_t>(i)], s.m(i, j));
  });
  parallel_for(s.sides, threads, [&](Index side, int) {
    OperandKinds known;
    for (Index step = 0; step < s.order; ++step) {
      const Index i = lower ? step : s.order - 1 - step;
      if (!wanted(i, side)) continue;
      const E x = s.x(i, side);
      if (!finite_number(x)) {
        OperandKinds of_sum = known;
        of_sum.add(of_rows[static_cast<std::size_t>(i)]);
        signal_unknown(x, of_sum, s.alpha, before(i, side), s.m.unit, s.m.unit ? E{1} : s.m(i, i));
      }
      add_parts(known, x);
    }
  });
}
template <class E>
void signal_system(const TriangularSystem<E>& s, const Matrix<E>& before, int threads) {
  if (holds_special(s.x, s.order, s.sides, Triangle::all, threads))
    signal_unknowns(s, before, threads, [](Index, Index) { return true; });
}

/// Returns whether the magnitude by which LU chooses a pivot is an infinity or a NaN.
template <class E>
bool special_size(const E& pivot) {
  RealOf<E> size = 0;
  for_parts(pivot, [&](int, auto part) { size += std::abs(part); });
  return !is_finite(size);
}

/// Signals the exceptions of the sums among which LU searches a pivot, which are results that LU does not store. They
/// can be infinities or NaN only if the pivot's magnitude is one. In this case the function computes them again.
/// `before` has A with its rows exchanged. An element with a NaN among its operands has no exceptions.
template <class E>
void signal_pivot_search(const Factorization<E>& f, const Matrix<E>& before, int threads) {
  constexpr int parts = is_complex<E> ? 2 : 1;
  using T = RealOf<E>;
  const auto has_nan = [](const E& x) {
    OperandKinds kinds;
    add_parts(kinds, x);
    return kinds.any_nan;
  };
  std::vector<Index> first_nan(static_cast<std::size_t>(f.rows()), f.order());
  for (Index k = f.order() - 1; k >= 0; --k)
    for (Index i = k + 1; i < f.rows(); ++i)
      if (has_nan(f.a(i, k))) first_nan[static_cast<std::size_t>(i)] = k;
  for (Index j = 0; j < f.order(); ++j) {
    bool known = !special_size(f.a(j, j));
    for (Index k = 0; k < j && !known; ++k) known = has_nan(f.a(k, j));
    if (known) continue;
    parallel_for(f.rows() - j - 1, threads, [&](Index row, int) {
      const Index i = j + 1 + row;
      if (first_nan[static_cast<std::size_t>(i)] < j || has_nan(before(i, j))) return;
      ExactSum<double> sum[parts];
      for_parts(before(i, j), [&](int part, auto x) { sum[part].add(1.0, x); });
      for (Index k = 0; k < j; ++k) {
        const E l = f.a(i, k), u = f.a(k, j);
        if constexpr (is_complex<E>) {
          sum[0].add(-l.re, u.re), sum[0].add(l.im, u.im);
          sum[1].add(-l.re, u.im), sum[1].add(-l.im, u.re);
        } else {
          sum[0].add(-l, u);
        }
      }
      for (ExactSum<double>& of_part : sum) static_cast<void>(of_part.template round<T>());
    });
  }
}

template <class E>
void signal_factor(const Factorization<E>& f, Overwritten<E>& before, int threads) {
  if (is_cholesky(f.kind)) {
    const Matrix<E> x = f.cholesky_factor();
    if (!holds_special(x, f.n, f.n, Triangle::upper, threads)) return;
    const Operand<E> factor{{x.data, x.row_stride, x.col_stride}, false, Structure::triangular, Triangle::upper};
    const Index rows = *f.info > 0 ? *f.info - 1 : f.n;
    // The diagonal is left out: a pivot of Cholesky's factorization raises no exceptions (docs/modes.md).
    return signal_unknowns({rows, f.n, E{1}, factor.transposed(), x}, before.matrix(), threads,
                           [](Index i, Index j) { return i < j; });
  }
  bool special = holds_special(f.a, f.rows(), f.n, Triangle::all, threads);
  for (Index j = 0; j < f.order() && !special; ++j) special = special_size(f.a(j, j));
  if (!special) return;
  if (!before.all_zero()) swap_rows(before.matrix(), 0, f.n, f.pivots, 0, f.order(), false);
  const Matrix<const E> a = read_only(f.a);
  const Operand<E> l{a, false, Structure::triangular, Triangle::lower, true},
      u{a, false, Structure::triangular, Triangle::upper};
  signal_unknowns({f.order(), f.n, E{1}, l, f.a}, before.matrix(), threads, [](Index i, Index j) { return i <= j; });
  signal_unknowns({f.order(), f.rows(), E{1}, u.transposed(), f.a.transposed()}, before.matrix().transposed(), threads,
                  [](Index j, Index i) { return j < i; });
  signal_pivot_search(f, before.matrix(), threads);
}

/// Signals the exceptions of a solution. It computes the columns of X that hold infinities or NaN once more on the CPU,
/// because the unknowns of the first of the two systems are not stored. `before` has B.
template <class E>
void signal_solution(Factorization<E> f, const Matrix<E>& before, const Mode& mode, const Execution& execution) {
  std::vector<Index> special;
  for (Index j = 0; j < f.nrhs; ++j)
    if (holds_special(f.b.block(0, j), f.n, 1, Triangle::all, 1)) special.push_back(j);
  if (special.empty()) return;
  std::vector<E> b;
  for (const Index j : special)
    for (Index i = 0; i < f.n; ++i) b.push_back(before(i, j));
  std::int64_t info = 0;
  f.kind = is_cholesky(f.kind) ? Operation::potrs : Operation::getrs;
  f.nrhs = static_cast<Index>(special.size());
  f.b = {b.data(), 1, f.n};
  f.info = &info;
  Workspace workspace(default_workspace_bytes, nullptr, 0);
  accublas_report_t report{};
  Execution again = execution.within(workspace, report);
  Call<Factorization<E>, E> call{f, {}, {}, false, false, mode, ACCUBLAS_ENGINE_SUMS};
  cpu_backend().compute({&call, call.engine}, nullptr, again);
}

}  // namespace accublas::exceptions
