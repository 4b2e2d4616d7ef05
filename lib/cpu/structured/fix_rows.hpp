// Rows with Inf or NaN of a product with a triangular operand. The written lines of that operand have zeros for entries
// that are no terms, and these must not be multiplied by an Inf or a NaN.
#pragma once

#include <cmath>

#include "lib/base/exceptions.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/call/product.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/numerics/parts.hpp"

namespace accublas::cpu {

template <class T>
bool is_finite_row(const Vector<const T>& row, Index terms) {
  bool finite = true;
  for (Index t = 0; t < terms; ++t) finite &= std::isfinite(row[t]);
  return finite;
}

/// Computes the elements of rows with Inf or NaN once more, over their terms alone. `g` is one component of p's block
/// from column `col` on, with adjacent terms and beta = 0. If the product had exceptions, those of the other rows are
/// signalled here.
template <class E>
void fix_rows(const Product<E>& p, Index col, const Gemm<RealOf<E>>& g, bool had_exceptions, int threads) {
  using T = RealOf<E>;
  parallel_for(g.m, threads, [&](Index i, int) {
    const bool finite = is_finite_row(g.a.row(i), g.k);
    if (finite && !had_exceptions) return;
    for (Index j = 0; j < g.n; ++j) {
      const TermRange range = terms_of_column(p, col + j);
      const Index first = parts_of<E> * range.first, count = parts_of<E> * (range.end - range.first);
      const Vector<const T> x{g.a.row(i).data + first, 1}, y{g.b.col(j).data + first, 1};
      if (finite)
        signal_element(g.c(i, j), count, g.alpha, x, y, T(0), T(0));
      else
        g.c(i, j) = exact_element<T>(count, g.alpha, x, y, T(0), nullptr);
    }
  });
}

}  // namespace accublas::cpu
