// The lines of one operand of a deep product (lib/cpu/sums/deep_gemm.cpp). They are packed some terms at a time, and
// surveyed for fixed:T and for the certificate of dp:repro.
#pragma once

#include <algorithm>

#include "lib/base/integers.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/sums/integer_line.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu {

/// Returns 2^(shift - exponent(i)) for the lines of a panel, as two factors, because it may be about 2^1600.
template <class Exponent>
CrScale scale_of(Index lines, int shift, Exponent&& exponent) {
  CrScale scale;
  std::fill_n(scale.first, CrScale::most_lines, 1.0);
  std::fill_n(scale.second, CrScale::most_lines, 1.0);
  for (Index i = 0; i < lines; ++i) {
    const int e = shift - exponent(i), half = e / 2;
    scale.first[i] = power_of_two(half);
    scale.second[i] = power_of_two(e - half);
  }
  return scale;
}

template <class T>
class DeepSide {
 public:
  DeepLines<T> from;
  Index count, k;  ///< lines, and their terms
  bool complex;    ///< terms 2 p and 2 p + 1 are the parts of number p
  Line* known;     ///< findings of the survey, for each line

  /// Returns whether the lines have the entries of x's lines in any order, apart from signs.
  bool has_entries_of(const DeepSide& x) const {
    return is_line_of(x) || (stored(x) && same(from.stored, x.from.second) && same(from.second, x.from.stored) &&
                             from.terms == k / 2 && x.from.terms == k / 2);
  }
  /// Returns whether the lines have the entries of x's lines in the same order, apart from signs.
  bool is_line_of(const DeepSide& x) const {
    return stored(x) && same(from.stored, x.from.stored) && same(from.second, x.from.second);
  }

  /// Returns the powers of two that scale the lines from `line` on to magnitudes below 2^shift.
  CrScale scale(Index line, Index lines, int shift) const;
  /// Packs `terms` terms from `first` on of lines line .. line + lines - 1 into a panel; both numbers are even if the
  /// lines are complex. `copies` holds deep_copies(lines of a panel, terms) entries.
  void pack(const CrGemmKernel<T>& kernel, Index line, Index lines, Index first, Index terms, double* panel,
            T* copies) const;
  /// Copies `terms` terms of one line from `first` on to contiguous memory.
  void read(Index line, Index first, Index terms, T* to) const;

 private:
  bool stored(const DeepSide& x) const { return count == x.count && !from.copy && !x.from.copy; }
  static bool same(const Matrix<const T>& a, const Matrix<const T>& b) {
    return a.data == b.data && a.row_stride == b.row_stride && a.col_stride == b.col_stride;
  }
  template <class Body>
  void for_storage(Index first, Index terms, Body&& body) const;
};

/// Returns the distance of copied lines, chosen so that they do not share sets of the first-level cache.
constexpr Index deep_copy_stride(Index terms) { return terms + 8; }
/// Returns how many entries copied lines take.
constexpr Index deep_copies(Index lines, Index terms) { return lines * deep_copy_stride(terms); }

/// Findings in a segment of the terms of a panel's lines.
struct DeepSegment {
  double largest[CrScale::most_lines], last_bit[CrScale::most_lines];
  int exponent[CrScale::most_lines];
  std::int64_t lambda[CrScale::most_lines];  ///< lambda for `exponent`; -1 if some terms are left out
};

/// Returns in how many segments each line is surveyed.
inline Index deep_segments(Index k, int threads) {
  const DeepTuning& deep = tuning().deep;
  return std::min(ceil_div(k, deep.segment_terms), deep.segments_a_thread * threads);
}

/// Fills side.known, with lambda only if that is wanted. `segments` holds deep_segments for each panel. A thread's
/// memory, thread_bytes apart, has room for a panel of DeepTuning::survey_terms and, after it, for its copies.
template <class T>
void deep_survey(const DeepSide<T>& side, Isa isa, bool want_lambda, int threads, DeepSegment* segments,
                 unsigned char* memory, Index thread_bytes);

}  // namespace accublas::cpu
