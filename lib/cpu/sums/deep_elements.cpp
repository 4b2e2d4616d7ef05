// The elements of a deep product (deep_gemm.cpp) one by one: Ziv's test of an element whose sums are known, and the
// elements that the sums of blocks leave pending. These take sums of their own, and exact accumulators at last.
#include "lib/cpu/kernels/fixed_kernels.hpp"
#include "lib/cpu/sums/deep.hpp"
#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/exact_sum.hpp"
#include "lib/numerics/ziv_component.hpp"

namespace accublas::cpu {

/// Rounds an element whose sum is known up to its error. Returns false if that does not decide it. `sums` has the sums
/// of both parts, which `terms` joins; if the parts are not joined, only that of `part` is read.
template <class T>
bool Deep<T>::round(Index i, Index j, Index part, const TripleSum (&sums)[2], const ComponentTerms<T>& terms,
                    T* out) const {
  return joins_parts() ? terms.ziv_test(out)
                       : ziv_test(g_.alpha.re, sums[part], g_.beta.re, addend(i, j, part), out, exponent(i, j));
}

template <class T>
void Deep<T>::resolve() {
  const Index all = parts_ * g_.m * g_.n;
  if (std::none_of(elements_, elements_ + all, [&](std::uint8_t element) { return element == which_; })) return;
  parallel_for(parts_ * g_.n, threads_, [&](Index line, int thread) {
    for (Index i = 0; i < g_.m; ++i) {
      std::uint8_t& state = elements_[line * g_.m + i];
      if (state != which_) continue;
      resolve_element(i, line % g_.n, line / g_.n, memory_of(thread));
      state = final;
    }
  });
}

/// Reads terms of a line as its operand has them, scaled, and rounded by the kernel, or as the definition says if
/// `by_definition`.
template <class T>
void Deep<T>::read(bool of_columns, Index line, Index part, Index first, Index terms, bool by_definition, T* entries,
                   double* to) const {
  const DeepSide<T>& side = of_columns ? cols_side_ : rows_side_;
  const CrChange how = change(of_columns, part);
  side.read(line, first, terms, entries);
  if (how.swapped)
    for (Index t = 0; t < terms; t += 2) std::swap(entries[t], entries[t + 1]);
  if (which_ == rounded && by_definition) {
    for (Index t = 0; t < terms; ++t) to[t] = rounded_entry(entries[t], side.known[line].exponent, bits_);
  } else {
    FixedScale scale = fixed_scale(unit(of_columns, line), bits_);
    if (which_ != rounded) scale.magic = 0;
    kernels_for<FixedKernels<T>>(execution_.isa).round(terms, entries, 1, scale, to);
  }
  for (Index odd = 0; odd < 2; ++odd)
    for (Index t = odd; how.negated[odd] && t < terms; t += 2) to[t] = -to[t];
}

template <class T>
void Deep<T>::resolve_element(Index i, Index j, Index part, unsigned char* memory) {
  double *const row = reinterpret_cast<double*>(memory), *const col = row + terms_;
  const auto for_terms = [&](Index of, bool by_definition, auto&& body) {
    for (Index p = 0; p < g_.k; p += terms_) {
      const Index terms = std::min(terms_, g_.k - p);
      read(false, i, 0, p, terms, by_definition, copies(memory), row);
      read(true, j, of, p, terms, by_definition, copies(memory), col);
      if (g_.conjugate_second && of != part)
        for (Index t = std::max<Index>(g_.k / 2 - p, 0); t < terms; ++t) col[t] = -col[t];
      body(terms);
    }
  };
  const Index first = joins_parts() ? 0 : part, end = joins_parts() ? 2 : part + 1;
  const CrKernels<double>& kernels = kernels_for<CrKernels<double>>(execution_.isa);
  TripleSum sums[2]{};
  bool any_nan = false;
  for (Index of = first; of < end; ++of)
    for_terms(of, false, [&](Index terms) {
      for (Index t = 0; t < terms; ++t) any_nan |= is_nan(row[t]) || is_nan(col[t]);
      const double last_bit = kernels.last_bit(terms, row);
      TripleSum some;
      kernels.rows[static_cast<int>(Speed::full)](1, terms, row, terms, col, {&last_bit, kernels.last_bit(terms, col)},
                                                  &some);
      triple_add(sums[of], some);
    });
  if (!any_nan) undecided_.fetch_add(1, std::memory_order_relaxed);
  ScaledResults<T> results = scaled_results(part);
  set(results, 0, i, j, part, sums);
  T out = 0;
  if (round(i, j, part, sums, results.terms(0), &out)) {
    *result(i, j, part) = out;
    return;
  }
  ExactSum<double> exact[2];
  for (Index of = first; of < end; ++of) {
    if (any_nan)
      exact[of].add(1, canonical_nan<double>());
    else
      for_terms(of, true, [&](Index terms) { exact[of].add(0, terms, row, col); });
  }
  *result(i, j, part) = joins_parts() ? joined(exact, i, j, part) : finish_exact(exact[part], i, j, part);
}

template <class T>
T Deep<T>::finish_exact(const ExactSum<double>& exact, Index i, Index j, Index part) const {
  double special = 0;
  return exact.special(special)
             ? finish_special(g_.alpha.re, static_cast<T>(special), g_.beta.re, addend(i, j, part), !exact.any_nan())
             : finish(g_.alpha.re, exact.value(), LongAccumulator::min_exponent + exponent(i, j), g_.beta.re,
                      addend(i, j, part));
}

/// Returns a part of a result that has terms of both parts of the sum or of C, from exact sums.
template <class T>
T Deep<T>::joined(const ExactSum<double> (&exact)[2], Index i, Index j, Index part) const {
  const auto alpha = ComponentTerms<T>::factors(g_.alpha, part == 1),
             beta = ComponentTerms<T>::factors(g_.beta, part == 1);
  ComponentSum<T> sum;
  const auto add = [&](T factor, Index of) {
    double special = 0;
    if (is_zero(factor)) return;
    exact[of].special(special) ? sum.add_special(factor, static_cast<T>(special), !exact[of].any_nan())
                               : sum.add(factor, exact[of].value(), LongAccumulator::min_exponent + exponent(i, j));
  };
  add(alpha.own, part);
  add(alpha.other, 1 - part);
  sum.add(beta.own, addend(i, j, part));
  sum.add(beta.other, other_addend(i, j, part));
  return sum.round();
}

#define ACCUBLAS_INSTANTIATE(T)                                                                                 \
  template bool Deep<T>::round(Index, Index, Index, const TripleSum(&)[2], const ComponentTerms<T>&, T*) const; \
  template void Deep<T>::resolve();
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
