#include "lib/runtime/operand_exceptions.hpp"

#include <limits>
#include <new>
#include <string>

#include "lib/runtime/solution_exceptions.hpp"

namespace accublas {

namespace {

using namespace exceptions;
using Signal = std::function<void()>;

/// The first and the last position of some terms of a line.
struct Positions {
  Index first = std::numeric_limits<Index>::max(), last = -1;
  void add(Index p) { first = std::min(first, p), last = std::max(last, p); }
  /// Returns whether one of the terms is in a range. The range must begin with the line's first term or end with its
  /// last.
  bool within(const TermRange& range) const { return first < range.end && last >= range.first; }
};

/// The positions of NaN and of special values in a line, on which the exceptions of results depend.
struct LineKinds {
  Positions nan, special;

  template <class E>
  void add(Index p, const E& entry) {
    for_parts(entry, [&](int, auto x) {
      if (is_nan(x)) nan.add(p);
      if (!is_finite(x)) special.add(p);
    });
  }
  void add_to(OperandKinds& kinds, const TermRange& range) const {
    kinds.add({nan.within(range), !special.within(range)});
  }
};

/// Signals the exceptions of a product. C has the results, and `before` the numbers that they overwrote.
template <class E>
void signal_product(Product<E> p, const Matrix<E>& before, int threads) {
  if (!holds_special(p.c, p.m, p.n, p.wanted, threads)) return;
  if (p.in_place) p.a.stored = read_only(before);
  const ProductLines<E> row_lines = rows_of(p), col_lines = columns_of(p);
  std::vector<LineKinds> rows(static_cast<std::size_t>(p.m)), cols(static_cast<std::size_t>(p.n));
  parallel_for(p.m + p.n, threads, [&](Index line, int) {
    const bool row = line < p.m;
    const Index j = line - p.m;
    const TermRange range = row ? TermRange{0, p.pairs() * p.k} : terms_of_column(p, j);
    LineKinds& kinds = row ? rows[static_cast<std::size_t>(line)] : cols[static_cast<std::size_t>(j)];
    for (Index t = range.first; t < range.end; ++t) kinds.add(t, row ? row_lines(line, t) : col_lines(j, t));
  });
  parallel_for(p.n, threads, [&](Index j, int) {
    const TermRange range = terms_of_column(p, j);
    for (Index i = 0; i < p.m; ++i) {
      if (!holds(p.wanted, i, j) || finite_number(p.c(i, j))) continue;
      OperandKinds of_terms;
      add_parts(of_terms, p.alpha);
      rows[static_cast<std::size_t>(i)].add_to(of_terms, range);
      cols[static_cast<std::size_t>(j)].add_to(of_terms, range);
      for_parts(p.c(i, j), [&](int part, auto result) {
        OperandKinds kinds = of_terms;
        if (p.beta != 0) add_product(kinds, p.beta, before(i, j), part);
        signal_exceptions(kinds.exceptions_of(result));
      });
    }
  });
}

template <class E>
Signal watch_product(const Product<E>& p, int threads) {
  Overwritten<E> before(p.c, p.m, p.n, p.wanted, p.in_place || p.beta != 0, threads);
  return [p, threads, before = std::move(before)]() mutable { signal_product(p, before.matrix(), threads); };
}
template <class E>
Signal watch_system(const TriangularSystem<E>& s, int threads) {
  Overwritten<E> before(s.x, s.order, s.sides, Triangle::all, true, threads);
  return [s, threads, before = std::move(before)]() mutable { signal_system(s, before.matrix(), threads); };
}

template <class E>
Signal watch(const Gemm<E>& g, const Mode&, const Execution& execution) {
  return watch_product(product_of(g), execution.threads);
}
template <class E>
Signal watch(const GemmBatch<E>& batch, const Mode&, const Execution& execution) {
  std::vector<Signal> signals;
  for (Index i = 0; i < batch.count; ++i) signals.push_back(watch_product(product_of(batch[i]), execution.threads));
  return [signals = std::move(signals)] {
    for (const Signal& signal : signals) signal();
  };
}
template <class E>
Signal watch(const Gemv<E>& g, const Mode&, const Execution& execution) {
  Gemm<E> product{g.m, 1, g.k, g.alpha, g.a, {g.x.data, g.x.stride, 0}, g.beta, {g.y.data, g.y.stride, 0}};
  return watch_product(product_of(product), execution.threads);
}
template <class E>
Signal watch(const Dot<E>& d, const Mode&, const Execution& execution) {
  const Gemm<E> product{1, 1, d.n, E{1}, {d.x.data, 0, d.x.stride}, {d.y.data, d.y.stride, 0}, E{}, {d.result, 0, 0}};
  return watch_product(product_of(product), execution.threads);
}
template <class T>
Signal watch(const MixedDot<T>& d, const Mode&, const Execution&) {
  return [=] {
    if (is_finite(*d.result)) return;
    OperandKinds kinds;
    kinds.add(d.addend);
    for (Index i = 0; i < d.n; ++i) kinds.add(d.x[i]), kinds.add(d.y[i]);
    signal_exceptions(kinds.exceptions_of(*d.result));
  };
}
template <class T>
Signal watch(const Reduction<T>& r, const Mode&, const Execution&) {
  return [=] {
    if (is_finite(*r.result)) return;
    OperandKinds kinds;
    for (Index i = 0; i < r.n; ++i) kinds.add(r.x[i]);
    signal_exceptions(kinds.exceptions_of(*r.result));
  };
}
template <class E>
Signal watch(const Level2<E>& l, const Mode&, const Execution& execution) {
  return l.kind == Operation::trsv ? watch_system(system_of(l), execution.threads)
                                   : watch_product(product_of(l), execution.threads);
}
template <class E>
Signal watch(const Level3<E>& l, const Mode&, const Execution& execution) {
  return l.kind == Operation::trsm ? watch_system(system_of(l), execution.threads)
                                   : watch_product(product_of(l), execution.threads);
}
template <class E>
Signal watch(const Factorization<E>& f, const Mode& mode, const Execution& execution) {
  const int threads = execution.threads;
  const bool factors = has_factor(f.kind), solves = has_solution(f.kind);
  const Triangle part = is_cholesky(f.kind) ? Triangle::upper : Triangle::all;
  Overwritten<E> a(is_cholesky(f.kind) ? f.cholesky_factor() : f.a, f.rows(), f.n, part, factors, threads);
  // Complex LU chooses a pivot by the sum of its parts' magnitudes. This may overflow if A and its factors are finite.
  // So may the sums among which LU searches the pivot, so A is copied even if it is finite.
  if (is_complex<E> && finds_pivots(f.kind)) a.copy(f.a, f.n, part);
  Overwritten<E> b(f.b, f.n, f.nrhs, Triangle::all, false, threads);
  if (solves) b.copy(f.b, f.nrhs, Triangle::all);
  return [=, &mode, &execution, a = std::move(a), b = std::move(b)]() mutable {
    if (factors) signal_factor(f, a, threads);
    if (solves && f.succeeded()) signal_solution(f, b.matrix(), mode, execution);
  };
}
template <class E>
Signal watch(const FactorizationBatch<E>& batch, const Mode& mode, const Execution& execution) {
  std::vector<Signal> signals;
  for (Index i = 0; i < batch.count; ++i) signals.push_back(watch(batch[i], mode, execution));
  return [signals = std::move(signals)] {
    for (const Signal& signal : signals) signal();
  };
}
/// QR is a sequence of calls in the modes that define bits, and these signal its exceptions.
template <class E>
Signal watch(const Orthogonal<E>&, const Mode&, const Execution&) {
  return [] {};
}
template <class E>
Signal watch(const OrthogonalBatch<E>&, const Mode&, const Execution&) {
  return [] {};
}

}  // namespace

std::function<void()> watch_exceptions(const AnyCall& any, const Execution& execution) {
  return
      [signal = std::visit([&](const auto* call) { return watch(call->problem, call->mode, execution); }, any.call)] {
        const auto fail = [](const std::string& cause) {
          throw Error(ACCUBLAS_ERROR_C_UNDEFINED,
                      "the results are complete, but their floating-point exceptions are not known: " + cause);
        };
        try {
          signal();
        } catch (const Error& error) {
          fail(error.what());
        } catch (const std::bad_alloc&) {
          fail("there is no host memory to decide them");
        }
      };
}

}  // namespace accublas
