// This is the last step of complex products in dot2 whose alpha or beta has an imaginary part. A part of a result then
// has terms with both parts of S (docs/modes.md, "Complex types"). dot2's GEMM writes the pairs of both parts for a
// block of C. Vector kernels combine the pairs with alpha and beta and round nearly all results. PairCombiner computes
// the others one by one.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "lib/base/thread_pool.hpp"
#include "lib/cpu/dot2/dot2.hpp"
#include "lib/cpu/structured/written_lines.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/ziv_component.hpp"

namespace accublas::cpu {

/// The pairs of both parts of the sums of a block of C. If A2 B2 has conj(alpha) (HER2K), Re alpha multiplies S, and Im
/// alpha multiplies the difference A B - A2 B2.
class CombinedPairs {
 public:
  /// Constructs the pairs of a product with elements of type E, or none if the product's components are not combined.
  template <class E>
  explicit CombinedPairs(const Product<E>& p) : arrays_(compensated<RealOf<E>> ? 2 : 1) {
    if constexpr (is_complex<E>) {
      const bool apart = p.hermitian && p.two_pairs;
      sums_[0] = combines_components(p) && (!apart || !is_zero(p.alpha.re));
      sums_[1] = combines_components(p) && apart;
    }
  }

  /// Returns whether pairs of S, or of the difference, are needed.
  bool needs(bool difference) const { return sums_[difference]; }
  bool any() const { return sums_[0] || sums_[1]; }
  /// Returns how many doubles the pairs of a block of C take.
  std::size_t numbers(Index rows, Index cols) const {
    return any() ? static_cast<std::size_t>((sums_[0] + sums_[1]) * 2 * arrays_ * rows * cols + round_step) : 0;
  }
  /// Takes memory for the pairs of blocks of at most rows x cols.
  void take(Workspace& workspace, Index rows, Index cols) {
    memory_ = workspace.template take<double>(numbers(rows, cols));
    rows_ = rows;
    size_ = rows * cols;
  }

  /// Returns where the pairs of a part of a sum are, from element (i, j) of the block on.
  Dot2Pairs pairs(bool difference, Index part, Index i, Index j) const {
    double* const first = memory_ + ((difference && sums_[0] ? 2 : 0) + part) * arrays_ * size_;
    return {{first + i + j * rows_, 1, rows_}, size_};
  }
  /// Makes all pairs of row i of a block with n columns NaN, so that its results take cr's values.
  void discard_row(Index i, Index n) {
    for (Index sum = 0; sum < 2 * (sums_[0] + sums_[1]); ++sum)
      for (Index j = 0; j < n; ++j)
        memory_[sum * arrays_ * size_ + i + j * rows_] = std::numeric_limits<double>::quiet_NaN();
  }

 private:
  bool sums_[2] = {false, false};
  Index arrays_;  ///< arrays for a part of a sum: s, and c if it is not zero
  double* memory_ = nullptr;
  Index rows_ = 0, size_ = 0;  ///< rows and elements of the largest block
};

/// Combines the pairs of a block of C, whose first element is (row, col).
template <class T>
class PairCombiner {
 public:
  PairCombiner(const Product<Complex<T>>& p, Index row, Index col, const CombinedPairs& pairs, Isa isa)
      : p_(p),
        c_(p.c.block(row, col)),
        row_(row),
        col_(col),
        pairs_(pairs),
        kernel_(kernels_for<RoundKernel<T>>(isa)),
        apart_(p.hermitian && p.two_pairs) {}

  /// Writes the wanted results of m x n elements. compute(i, j) computes element (i, j) of the block by itself.
  template <class Compute>
  void run(Index m, Index n, int threads, Compute&& compute) const {
    parallel_for(n, m * n < tuning().structured.update_elements ? 1 : threads, [&](Index j, int) {
      const Index diagonal = col_ + j - row_;
      const Index begin = p_.wanted == Triangle::lower ? std::max<Index>(diagonal, 0) : 0,
                  end = p_.wanted == Triangle::upper ? std::min(diagonal + 1, m) : m;
      for (Index i = begin; i < end; i += round_most)
        run_column(i, std::min(round_most, end - i), j, p_.hermitian ? diagonal : -1, compute);
    });
  }

 private:
  using Terms = ComponentTerms<T>;

  /// Returns the terms of results with a part of a sum and of C.
  RoundTerms<T> terms(T alpha, bool difference, Index part, Index i, Index j, T beta, const T* c) const {
    RoundTerms<T> terms{alpha, beta};
    terms.c = c;
    if (is_zero(alpha)) return terms;
    const Dot2Pairs pairs = pairs_.pairs(difference, part, i, j);
    terms.a1 = pairs.s.data;
    if (compensated<T>) terms.a2 = pairs.s.data + pairs.to_c;
    return terms;
  }
  /// Returns the pair of result i, as a triple sum without an error.
  static TripleSum sum_of(const RoundTerms<T>& terms, Index i) {
    return {terms.a1 ? terms.a1[i] : 0, terms.a2 ? terms.a2[i] : 0, 0, 0};
  }

  /// Writes `count` results of column j from row i on. The element in row `real` has no imaginary part.
  template <class Compute>
  void run_column(Index i, Index count, Index j, Index real, Compute&& compute) const {
    T c[2][round_most], out[2][round_most];
    if (!is_zero(p_.beta))
      for (Index r = 0; r < count; ++r) {
        const Complex<T>& old = c_(i + r, j);
        c[0][r] = old.re;
        c[1][r] = i + r == real ? T(0) : old.im;
      }
    std::uint64_t open = 0;
    for (Index part = 0; part < 2; ++part) {
      const auto alpha = Terms::factors(p_.alpha, part == 1), beta = Terms::factors(p_.beta, part == 1);
      const RoundRun<T> run{count, terms(alpha.own, false, part, i, j, beta.own, c[part]),
                            terms(alpha.other, apart_, 1 - part, i, j, beta.other, c[1 - part]), out[part]};
      for (std::uint64_t left = kernel_.round(run); left != 0; left &= left - 1) {
        const Index r = std::countr_zero(left);
        if (i + r == real && part == 1) continue;
        const Terms result{alpha, beta, {sum_of(run.own, r), sum_of(run.other, r)}, 0, {c[part][r], c[1 - part][r]}};
        if (!result.ziv_test(&out[part][r])) open |= std::uint64_t{1} << r;
      }
    }
    for (Index r = 0; r < count; ++r) {
      if ((open >> r & 1) != 0)
        compute(i + r, j);
      else
        c_(i + r, j) = {out[0][r], i + r == real ? T(0) : out[1][r]};
    }
  }

  const Product<Complex<T>>& p_;
  const Matrix<Complex<T>> c_;
  const Index row_, col_;
  const CombinedPairs& pairs_;
  const RoundKernel<T>& kernel_;
  const bool apart_;
};

}  // namespace accublas::cpu
