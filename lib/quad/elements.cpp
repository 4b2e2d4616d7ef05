#include "lib/quad/elements.hpp"

#include <algorithm>

#include "lib/base/integers.hpp"
#include "lib/base/thread_pool.hpp"

namespace accublas::quad {

void ElementSums::add_terms(Index i, int rows, Index j) {
  for (int r = 0; r < rows; ++r) {
    sums_[r].clear();
    classes_[r] = {};
  }
  const bool both = product_.a.format == Format::binary128 && product_.b.format == Format::binary128;
  for (Index p = 0; p < product_.k; ++p) {
    if (both && add_binary128(i, rows, p, j)) continue;
    const Number y = product_.b(p, j);
    for (int r = 0; r < rows; ++r) add_term(sums_[r], classes_[r], product_.a(i + r, p), y);
  }
}

/// Adds the terms p of all rows. Returns false, with nothing added, if an entry is not finite.
bool ElementSums::add_binary128(Index i, int rows, Index p, Index j) {
  const Binary128 y = product_.b.binary128(p, j);
  Binary128 x[rows_at_once];
  bool finite = is_finite(y);
  for (int r = 0; r < rows; ++r) {
    x[r] = product_.a.binary128(i + r, p);
    finite &= is_finite(x[r]);
  }
  if (!finite) return false;
  const Decoded128 of_y = decode128(y);
  for (int r = 0; r < rows; ++r)
    if (!is_zero(x[r]) && of_y.mantissa != 0) sums_[r].add_product(decode128(x[r]), of_y);
  return true;
}

void ElementSums::compute(Index i, int rows, Index j) {
  // A triangle of a column is an interval of rows.
  while (rows > 0 && !holds(product_.elements, i, j)) ++i, --rows;
  while (rows > 0 && !holds(product_.elements, i + rows - 1, j)) --rows;
  add_terms(i, rows, j);
  for (int r = 0; r < rows; ++r)
    product_.c.put(i + r, j, finish_.finish(sums_[r].value(value_), classes_[r], addend(i + r, j)));
}

SignedLimbs ElementSums::sum(Index i, Index j) {
  add_terms(i, 1, j);
  return sums_[0].value(value_);
}

void ElementSums::put_nan(Index i, Index j) {
  TermClasses classes;
  classes.any_nan = true;
  product_.c.put(i, j, finish_.finish({nullptr, 0, 0, false}, classes, addend(i, j)));
}

ElementWorkers element_workers(const Product& product, int threads) {
  ElementWorkers workers;
  for (int t = 0; t < threads; ++t) workers.push_back(std::make_unique<ElementSums>(product));
  return workers;
}

void compute_elements(const Product& product, int threads) {
  const Index down = ceil_div(product.m, ElementSums::rows_at_once);
  const double terms = static_cast<double>(product.m) * static_cast<double>(product.n) * static_cast<double>(product.k);
  const int useful = useful_threads(terms, threads);
  const ElementWorkers workers = element_workers(product, useful);
  parallel_for(down * product.n, useful, [&](Index task, int thread) {
    const Index i = task % down * ElementSums::rows_at_once;
    const Index rows = std::min<Index>(ElementSums::rows_at_once, product.m - i);
    workers[static_cast<std::size_t>(thread)]->compute(i, static_cast<int>(rows), task / down);
  });
}

void scale_elements(const Product& product, int threads) {
  const double elements = static_cast<double>(product.m) * static_cast<double>(product.n);
  const int useful = useful_threads(elements, threads);
  const ElementWorkers workers = element_workers(product, useful);
  parallel_for(product.n, useful, [&](Index j, int thread) {
    ElementSums& worker = *workers[static_cast<std::size_t>(thread)];
    for (Index i = 0; i < product.m; ++i)
      if (holds(product.elements, i, j)) product.c.put(i, j, worker.finish().scaled(worker.addend(i, j)));
  });
}

}  // namespace accublas::quad
