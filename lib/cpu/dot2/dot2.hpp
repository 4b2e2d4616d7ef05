// Code that dot2's routines share: the choice of kernels, the definition in scalar code, and the last step from a pair
// to the result.
#pragma once

#include <algorithm>
#include <cmath>

#include "lib/base/exceptions.hpp"
#include "lib/call/execution.hpp"
#include "lib/call/problem.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/dot2_kernels.hpp"
#include "lib/cpu/kernels/round_kernels.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cpu {

/// A sum s and its compensation c.
struct Dot2Pair {
  double s, c;
};

/// Returns combine(left, right) of docs/modes.md. For float c stays 0.
template <class T>
Dot2Pair dot2_combine(Dot2Pair left, Dot2Pair right);

/// The terms that the tree of DOT adds up: DOT's x_i y_i, NRM2's (factor x_i)^2, or ASUM's abs(x_i).
enum class Dot2Terms { products, squares, magnitudes };

/// A sum of n terms.
template <class T>
struct Dot2Sum {
  Dot2Terms terms;
  Index n;
  Entries<T> x;
  Entries<T> y = {};  ///< used for products only
  T factor = 1;       ///< used for squares only, a power of two
};

/// Returns the pair of an element of GEMV or GEMM as docs/modes.md defines it, one operation at a time. This is the
/// kernels' readable twin, and computes the pairs that a kernel could not.
template <class T>
Dot2Pair dot2_chain(Index k, Vector<const T> x, Vector<const T> y);
/// Returns the pair of a tree, with the contract of dot2_chain.
template <class T>
Dot2Pair dot2_tree(const Dot2Sum<T>& sum);
/// Returns dot2_chain of the terms row(t) and col(t), block by block.
template <class T, class Row, class Col>
Dot2Pair dot2_chain_of(Index terms, const Row& row, const Col& col) {
  T of_row[dot2_block], of_col[dot2_block];
  Dot2Pair pair{0, 0};
  for (Index first = 0; first < terms; first += dot2_block) {
    const Index count = terms - first < dot2_block ? terms - first : dot2_block;
    for (Index t = 0; t < count; ++t) of_row[t] = row(first + t), of_col[t] = col(first + t);
    pair = dot2_combine<T>(pair, dot2_chain<T>(count, {of_row, 1}, {of_col, 1}));
  }
  return pair;
}

/// Returns the pair of a tree, n > 0, by the kernels and threads of `execution`. It is finite if the defined one is.
template <class T>
Dot2Pair dot2_pair(const Dot2Sum<T>& sum, Execution& execution);

using accublas::is_finite;
inline bool is_finite(Dot2Pair pair) { return std::isfinite(pair.s) && std::isfinite(pair.c); }

/// Returns an output of GEMV or GEMM from its kernel's pair, for any pair and any scalars.
template <class T>
T dot2_element(Dot2Pair pair, Index k, T alpha, Vector<const T> row, Vector<const T> col, T beta, const T* y);

/// Returns RN(s + c) of a finite pair, and signals its overflow. Hardware adds and converts as RN does, and s and c are
/// never -0, so that an exact zero is +0.
template <class T>
T dot2_sum(Dot2Pair pair) {
  T sum;
  if constexpr (sizeof(T) == sizeof(double))
    sum = pair.s + pair.c;
  else
    sum = static_cast<T>(pair.s);
  if (!is_finite(sum)) signal_exceptions(exceptions::overflow);
  return sum;
}

/// Writes `count` consecutive outputs of a column of C (GEMV: of y) from their pairs: output i is row i of `a` times
/// `col`. Pairs are read up to a whole vector.
template <class T>
inline void dot2_write(Isa isa, Index count, const double* s, const double* c, Index k, T alpha,
                       const Matrix<const T>& a, Vector<const T> col, T beta, Vector<T> y) {
  const bool plain = alpha == 1 && beta == 0;
  const RoundKernel<T>& kernel = kernels_for<RoundKernel<T>>(isa);
  for (Index first = 0; first < count; first += round_most) {
    const Index some = std::min(round_most, count - first);
    T addend[round_most], out[round_most];
    std::uint64_t open = 0;
    if (plain) {
      for (Index i = 0; i < some; ++i) {
        const Dot2Pair pair = {s[first + i], c[first + i]};
        if (is_finite(pair))
          out[i] = dot2_sum<T>(pair);
        else
          open |= std::uint64_t{1} << i;
      }
    } else {
      if (beta != 0)
        for (Index i = 0; i < some; ++i) addend[i] = y[first + i];
      RoundTerms<T> terms{alpha, beta, s + first};
      if (compensated<T>) terms.a2 = c + first;
      terms.c = addend;
      open = kernel.round({some, terms, {}, out});
    }
    for (Index i = 0; i < some; ++i) {
      const Index at = first + i;
      y[at] = (open >> i & 1) == 0 ? out[i] : dot2_element({s[at], c[at]}, k, alpha, a.row(at), col, beta, &y[at]);
    }
  }
}

/// Writes the pairs of `count` consecutive outputs to `to`, with dot2_write's arguments. The kernel's s is the defined
/// one. Its c may overflow where the defined one does not (lib/cpu/kernels/dot2_kernels.hpp).
template <class T>
inline void dot2_write_pairs(Index count, const double* s, const double* c, Index k, const Matrix<const T>& a,
                             Vector<const T> col, const Dot2Pairs& to) {
  for (Index i = 0; i < count; ++i) {
    double* const out = &to.s(i, 0);
    *out = s[i];
    if (compensated<T>)
      out[to.to_c] = std::isfinite(s[i]) && !std::isfinite(c[i]) ? dot2_chain(k, a.row(i), col).c : c[i];
  }
}

/// Writes the mode's bound into the report, for `terms` terms, sums of this depth (lib/numerics/bounds.hpp) and the
/// factor alpha.
template <class T>
void dot2_report_bound(double depth, Index terms, T alpha, accublas_report_t& report);

}  // namespace accublas::cpu
