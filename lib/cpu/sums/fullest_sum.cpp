// Elements of cr that faster sums leave undecided, one by one: sums on three grids, of scaled entries if products leave
// the range, and exact accumulators at last.
#include "lib/cpu/sums/fullest_sum.hpp"

#include <algorithm>
#include <cmath>

#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/powers_of_two.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas::cpu {

template <class T>
TripleSum fullest_sum(Isa isa, Index k, Vector<const T> row, Vector<const T> col, TermScale scale) {
  const CrKernels<T>& kernels = kernels_for<CrKernels<T>>(isa);
  T row_copy[VectorTuning::packed_terms], col_copy[VectorTuning::packed_terms];
  TripleSum sum{0, 0, 0, 0};
  bool lost = false;
  for (Index p = 0; p < k; p += VectorTuning::packed_terms) {
    const Index terms = std::min(VectorTuning::packed_terms, k - p);
    auto contiguous = [=, &lost](Vector<const T> x, int exponent, T* copy) -> const T* {
      if (x.stride == 1 && exponent == 0) return &x[p];
      const T factor = static_cast<T>(power_of_two(exponent)), inverse = static_cast<T>(power_of_two(-exponent));
      for (Index i = 0; i < terms; ++i) {
        copy[i] = x[p + i] * factor;
        lost |= copy[i] * inverse != x[p + i];
      }
      return copy;
    };
    const T *const a = contiguous(row, scale.row, row_copy), *const x = contiguous(col, scale.col, col_copy);
    const double last_bit = kernels.last_bit(terms, a);
    TripleSum part;
    kernels.deep_rows(1, terms, a, terms, x, {&last_bit, kernels.last_bit(terms, x)}, &part);
    triple_add(sum, part);
  }
  // An entry loses at most 2^-1075, and its partner is below 2^scaled_down.
  if (lost) sum.error += static_cast<double>(k) * std::ldexp(1.0, scaled_down - 1073);
  return sum;
}

template <class T>
TermScale scale_of(Index k, Vector<const T> row, Vector<const T> col, const TripleSum& sum) {
  const auto exponent_above_all = [=](const Vector<const T>& x) {
    T largest = 0;
    for (Index p = 0; p < k; ++p)
      if (!(std::fabs(x[p]) <= largest) && !is_nan(largest)) largest = std::fabs(x[p]);  // a NaN stays
    return exponent_of(largest);
  };
  const int of_row = exponent_above_all(row), of_col = exponent_above_all(col);
  if (sizeof(T) != sizeof(double) || std::max(of_row, of_col) > greatest_exponent) return {};
  if (!triple_known(sum)) return {std::min(0, scaled_down - of_row), std::min(0, scaled_down - of_col)};
  // A sum that may have underflowed has an error below 2^-1000, which is at least 2^-174 times the limits of its chains
  // (Grid::deep_error). So these are below 2^-826. Twice 860 lifts them to 2^894, where the kernels' grids do not
  // overflow. No line is scaled down, because its least entries might lose bits.
  const auto lift = [](int exponent) { return std::clamp(1000 - exponent, 0, 860); };
  return {lift(of_row), lift(of_col)};
}

/// Sets *out to RN(alpha sum + beta c) of an element by its fullest sums. Returns whether they decide it.
template <class T>
bool decide_element(Isa isa, Index k, T alpha, Vector<const T> row, Vector<const T> col, T beta, T addend, T* out) {
  const TripleSum sum = fullest_sum(isa, k, row, col);
  if (ziv_test(alpha, sum, beta, addend, out)) return true;
  const TermScale scale = leaves_range(sum) ? scale_of(k, row, col, sum) : TermScale{};
  return scale && ziv_test(alpha, fullest_sum(isa, k, row, col, scale), beta, addend, out, -scale.product());
}

template <class T>
T cr_element(Isa isa, Index k, T alpha, Vector<const T> row, Vector<const T> col, T beta, const T* c) {
  T result = 0;
  const bool decided = decide_element(isa, k, alpha, row, col, beta, read_addend(beta, c), &result);
  return decided ? result : exact_element<T>(k, alpha, row, col, beta, c);
}

#define ACCUBLAS_INSTANTIATE(T)                                                            \
  template TripleSum fullest_sum(Isa, Index, Vector<const T>, Vector<const T>, TermScale); \
  template TermScale scale_of(Index, Vector<const T>, Vector<const T>, const TripleSum&);  \
  template bool decide_element(Isa, Index, T, Vector<const T>, Vector<const T>, T, T, T*); \
  template T cr_element(Isa, Index, T, Vector<const T>, Vector<const T>, T, const T*);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
