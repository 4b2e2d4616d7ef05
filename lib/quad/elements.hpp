// ElementSums of a product by exact sums of all their terms: small and narrow products, and the elements that residues
// leave undecided.
#pragma once

#include <memory>
#include <vector>

#include "lib/quad/finish.hpp"

namespace accublas::quad {

/// Computes elements of C one after another, for one thread.
class ElementSums {
 public:
  /// Rows that a pass over the terms takes side by side: adjacent entries of a column are read together.
  static constexpr int rows_at_once = 4;

  explicit ElementSums(const Product& product) : product_(product), finish_(product.alpha, product.beta, format()) {}

  /// Writes the wanted ones of the elements (i, j) ... (i + rows - 1, j), rows <= rows_at_once.
  void compute(Index i, int rows, Index j);
  /// The exact sum of element (i, j), whose terms must be finite. It is valid until the next call.
  SignedLimbs sum(Index i, Index j);
  /// Writes element (i, j) whose sum has a NaN among its operands.
  void put_nan(Index i, Index j);

  Finish& finish() { return finish_; }
  Number addend(Index i, Index j) const { return product_.beta.is_zero() ? Number{} : product_.c(i, j); }

 private:
  Format format() const { return product_.c.place.format; }
  void add_terms(Index i, int rows, Index j);
  bool add_binary128(Index i, int rows, Index p, Index j);

  const Product& product_;
  WideSum sums_[rows_at_once];
  TermClasses classes_[rows_at_once];
  Finish finish_;
  std::uint64_t value_[WideSum::limbs];
};

/// Returns how many threads so many terms are worth.
inline int useful_threads(double terms, int threads) {
  constexpr double thread_terms = 20000;
  return terms < thread_terms ? 1 : threads;
}

/// One for each thread.
using ElementWorkers = std::vector<std::unique_ptr<ElementSums>>;
ElementWorkers element_workers(const Product& product, int threads);

/// Adds x y to a sum, or to the classes of its terms if a factor is infinite or NaN.
inline void add_term(WideSum& sum, TermClasses& classes, const Number& x, const Number& y, bool negate = false) {
  if (!x.finite() || !y.finite()) {
    Number negated = y;
    negated.negative = y.negative != negate;
    return classes.add(x, negated);
  }
  for (int i = 0; i < x.parts; ++i)
    for (int j = 0; j < y.parts; ++j) sum.add_product(x.part[i], y.part[j], negate);
}

/// Writes all wanted elements of C.
void compute_elements(const Product& product, int threads);
/// Writes the wanted elements of C = beta C, for a product without terms.
void scale_elements(const Product& product, int threads);
}  // namespace accublas::quad
