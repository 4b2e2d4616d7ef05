// The state of a deep product, which its steps share (lib/cpu/sums/deep_gemm.cpp): the blocks of C, the sums that each
// element waits for, and the memory of threads.
#pragma once

#include <algorithm>
#include <atomic>

#include "lib/base/thread_pool.hpp"
#include "lib/cpu/sums/cr_panels.hpp"
#include "lib/cpu/sums/deep_lines.hpp"
#include "lib/cpu/sums/scaled_results.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/exact_sum.hpp"

namespace accublas::cpu {

template <class T>
class Deep {
 public:
  Deep(const DeepGemm<T>& g, const Mode& mode, Execution& execution)
      : g_(g),
        mode_(mode),
        execution_(execution),
        kernel_(kernels_for<CrGemmKernel<T>>(execution.isa)),
        panels_(kernels_for<CrPanelKernels>(execution.isa)),
        triples_(kernels_for<RoundKernel<T>>(execution.isa)),
        parts_(g.complex ? 2 : 1),
        rows_side_{g.rows, g.m, g.k, g.complex, nullptr},
        cols_side_{g.cols, g.n, g.k, g.complex, nullptr},
        one_side_(cols_side_.is_line_of(rows_side_)),
        one_survey_(cols_side_.has_entries_of(rows_side_)) {}

  /// Takes all memory. Returns false if there is not enough.
  bool divide();
  /// Computes the product.
  void run();

 private:
  /// The state of an element of C: final, or waiting for sums of the entries as given, or of rounded entries.
  enum Element : std::uint8_t { final, as_given, rounded };

  struct Range {
    Index begin, count;
  };

  bool surveys() const { return mode_.kind != ACCUBLAS_MODE_CR; }
  /// Returns whether the certificate's sums are computed: for the modes that rest on it, and for fixed:T with a target.
  bool certifies() const { return surveys() && (mode_.kind != ACCUBLAS_MODE_FIXED || execution_.target > 0); }

  Index panel_bytes() const { return kernel_.lines * terms_ * Index{sizeof(double)}; }
  Index thread_bytes() const {
    return CrPanels::bytes(rows_, terms_) + CrPanels::bytes(parts_ * cols_, terms_) + panel_bytes() +
           round_up(deep_copies(kernel_.lines, terms_) * Index{sizeof(T)}, 64);
  }
  unsigned char* memory_of(int thread) const { return memory_ + thread * thread_bytes(); }
  // A thread's memory has the panels of rows and columns, one more panel, and copies of entries.
  CrPanels row_panels(unsigned char* memory, Index terms) const { return {memory, kernel_.lines, rows_, terms}; }
  CrPanels col_panels(unsigned char* memory, Index terms) const {
    return {memory + CrPanels::bytes(rows_, terms_), kernel_.lines, parts_ * cols_, terms};
  }
  double* spare_panel(unsigned char* memory) const {
    return reinterpret_cast<double*>(memory + CrPanels::bytes(rows_, terms_) + CrPanels::bytes(parts_ * cols_, terms_));
  }
  T* copies(unsigned char* memory) const { return reinterpret_cast<T*>(spare_panel(memory) + kernel_.lines * terms_); }

  /// Returns how many elements of C are computed; a complex one counts twice.
  Index elements_wanted() const { return parts_ * elements_in(g_.wanted, g_.m, g_.n); }
  /// Returns how many sums a block has. Each part of a result has one sum, or two if the conjugate of alpha multiplies
  /// the terms from k / 2 on: these terms then have a separate sum.
  Index block_size() const { return ranges() * parts_ * rows_ * cols_; }
  Index ranges() const { return g_.conjugate_second ? 2 : 1; }
  Index terms_of_range() const { return g_.k / ranges(); }
  Index chains_of_range() const { return ceil_div(terms_of_range(), terms_); }
  Range rows_of(Index block) const {
    const Index begin = block % ceil_div(g_.m, rows_) * rows_;
    return {begin, std::min(rows_, g_.m - begin)};
  }
  Range cols_of(Index block) const {
    const Index begin = block / ceil_div(g_.m, rows_) * cols_;
    return {begin, std::min(cols_, g_.n - begin)};
  }
  bool wanted(Index i, Index j, Index part) const { return holds(g_.wanted, i + part * g_.imaginary_shift, j); }
  /// Returns the part of results that needs this part of sums wherever it is wanted. If the conjugate of alpha
  /// multiplies some terms, real results of the diagonal need imaginary parts of sums.
  Index part_of_sums(Index part) const { return ranges() == 2 ? 0 : part; }
  bool has_sum(Index i, Index j, Index part) const { return wanted(i, j, part_of_sums(part)); }
  bool any_wanted(Range rows, Range cols, Index part) const {
    return holds_some(g_.wanted, rows.begin + part * g_.imaginary_shift, rows.count, cols.begin, cols.count);
  }
  Index index(Index i, Index j, Index part) const { return i + (j + part * g_.n) * g_.m; }
  std::uint8_t& element(Index i, Index j, Index part) const { return elements_[index(i, j, part)]; }
  T* result(Index i, Index j, Index part) const { return &g_.c(i, j) + part; }

  /// Returns whether a part of a result has terms of both parts of the sum or of C.
  bool joins_parts() const { return !is_zero(g_.alpha.im) || keeps_addends(); }
  /// Returns whether a part of a result has terms of both parts of C. Copies of C are then kept, because one part is
  /// written before the other.
  bool keeps_addends() const { return !is_zero(g_.beta.im); }
  /// Returns the part of C that a part of a result adds, as it was before the call.
  T addend(Index i, Index j, Index part) const {
    return keeps_addends() ? addends_[index(i, j, part)] : read_addend(g_.beta.re, result(i, j, part));
  }
  /// Returns the other part of C, or zero if the result has no term of it: another thread may then write that part.
  T other_addend(Index i, Index j, Index part) const {
    return keeps_addends() ? addends_[index(i, j, 1 - part)] : T(0);
  }
  /// Calls body(row, column, part, index in its sums) for all elements of a block.
  template <class Body>
  void for_elements(Index block, Body&& body) const {
    const Range rows = rows_of(block), cols = cols_of(block);
    for (Index part = 0; part < parts_; ++part)
      for (Index j = 0; j < cols.count; ++j)
        for (Index i = 0; i < rows.count; ++i)
          body(rows.begin + i, cols.begin + j, part, (part * cols_ + j) * rows_ + i);
  }

  /// For each block that is hard, calls add(block, piece, thread, sums) for all pieces of the terms, and then
  /// finish(block, sums). The sums are `size` doubles, which start at zero. Several tasks may share the pieces of a
  /// block; join(sums, others) then adds their sums.
  template <class Add, class Join, class Finish>
  void for_sums(Index pieces, Index size, Add&& add, Join&& join, Finish&& finish) {
    parallel_for(blocks_ * splits_, threads_, [&](Index task, int thread) {
      const Index block = task / splits_, split = task % splits_;
      if (!hard_[block]) return;
      double* const sums = sums_ + (splits_ > 1 ? task : thread) * size;
      std::fill_n(sums, size, 0.0);
      for (Index piece = pieces * split / splits_; piece < pieces * (split + 1) / splits_; ++piece)
        add(block, piece, thread, sums);
      if (splits_ == 1) finish(block, sums);
    });
    if (splits_ == 1) return;
    for (Index block = 0; block < blocks_; ++block) {
      if (!hard_[block]) continue;
      double* const sums = sums_ + block * splits_ * size;
      for (Index split = 1; split < splits_; ++split) join(sums, sums + split * size);
      finish(block, sums);
    }
  }

  // The triple sums of one part of a block's column are four arrays of rows_ numbers: a1, a2, a3 and the error.
  static constexpr Index arrays = sizeof(TripleSum) / sizeof(double);
  /// Returns the arrays of the column that holds element `at` of a block, from that element on.
  template <class Double>
  Double* triple(Double* sums, Index at) const {
    return sums + at / rows_ * arrays * rows_ + at % rows_;
  }
  TripleSum triple_sum(const double* sums, Index at) const {
    const double* const a1 = triple(sums, at);
    return {a1[0], a1[rows_], a1[2 * rows_], a1[3 * rows_]};
  }
  /// Returns the sum over all terms of element `at`; those from k / 2 on are subtracted if `difference`.
  TripleSum whole_sum(const double* sums, Index at, bool difference) const {
    TripleSum sum = triple_sum(sums, at);
    if (ranges() == 2) {
      const TripleSum second = triple_sum(sums, at + block_size() / 2);
      triple_add(sum, difference ? TripleSum{-second.a1, -second.a2, -second.a3, second.error} : second);
    }
    return sum;
  }

  /// Finds the exponents of all lines, and what else the mode needs of them.
  void measure_lines();
  /// Makes the sums of entries as given those of scaled entries. Lines have been measured.
  void scale_lines();
  /// Finds T and the elements that take its sums.
  void survey();
  void certify();
  void add_bytes(Index block, Index piece, int thread, double* sums) const;
  void judge(Index block, const double* sums);
  void join_rejected();
  void fixed_bound();

  void compute(Element which);
  void add_up(Speed speed);
  void make_panels(const DeepSide<T>& side, Range range, Index first, Index k, unsigned char* memory,
                   const CrPanels* as_rows, const CrPanels* as_cols) const;
  void add_chains(Speed speed, Index block, Index chain, int thread, double* sums) const;
  void join_triples(double* sums, const double* others) const;
  void finish_block(Index block, const double* sums);
  std::uint64_t round_column(Range rows, Index j, Index part, Index at, const double* sums);
  bool round(Index i, Index j, Index part, const TripleSum (&sums)[2], const ComponentTerms<T>& terms, T* out) const;
  std::uint64_t round_in_place(Range rows, Index j, Index part, Index at, const double* sums, std::uint64_t open,
                               T* out) const;
  void sums_of(const double* sums, Index at, Index part, TripleSum (&to)[2]) const;
  /// Returns room for this part of results, and sets result r to that of element (i, j).
  ScaledResults<T> scaled_results(Index part) const {
    using Terms = ComponentTerms<T>;
    return {triples_, Terms::factors(g_.alpha, part == 1), Terms::factors(g_.beta, part == 1)};
  }
  void set(ScaledResults<T>& results, Index r, Index i, Index j, Index part, const TripleSum (&sums)[2]) const {
    results.set(r, sums[part], sums[1 - part], exponent(i, j), {addend(i, j, part), other_addend(i, j, part)});
  }
  /// Calls body(r) for each bit r that is set.
  template <class Body>
  static void for_bits(std::uint64_t bits, Body&& body) {
    for (; bits != 0; bits &= bits - 1) body(static_cast<Index>(std::countr_zero(bits)));
  }

  /// Returns the exponent of the power of two that the entries of a line of an operand are divided by before they are
  /// summed. Entries as given lose no bits.
  int unit(bool of_columns, Index i) const {
    const Line& line = (of_columns ? cols_side_ : rows_side_).known[i];
    return which_ == rounded ? line.exponent
           : scaled_         ? -exact_scale(line.exponent, line.last_bit, top_[of_columns])
                             : 0;
  }
  /// Returns the exponent of the unit of an element's sum.
  int exponent(Index i, Index j) const { return unit(false, i) + unit(true, j); }
  bool special(Index i, Index j) const { return rows_side_.known[i].special || cols_side_.known[j].special; }
  /// Returns how a line's entries as stored become those of an operand: a row's, or a column's for one part of the
  /// results.
  CrChange change(bool of_columns, Index part) const;
  void resolve();
  void resolve_element(Index i, Index j, Index part, unsigned char* memory);
  T finish_exact(const ExactSum<double>& exact, Index i, Index j, Index part) const;
  T joined(const ExactSum<double> (&exact)[2], Index i, Index j, Index part) const;
  void read(bool of_columns, Index line, Index part, Index first, Index terms, bool by_definition, T* entries,
            double* to) const;

  const DeepGemm<T>& g_;
  const Mode& mode_;
  Execution& execution_;
  const DeepTuning& tuning_ = tuning().deep;
  const CrGemmKernel<T>& kernel_;
  const CrPanelKernels& panels_;
  const RoundKernel<T>& triples_;
  const Index parts_;  ///< parts of a result, 2 if it is complex
  DeepSide<T> rows_side_, cols_side_;
  const bool one_side_, one_survey_;  ///< both operands have the same lines, or lines with the same entries
  int threads_ = 1;
  Index terms_ = 0, rows_ = 0, cols_ = 0;  ///< terms of a chain; rows and columns of a block
  Index blocks_ = 0, splits_ = 1;          ///< blocks of C, and tasks of each
  unsigned char* memory_ = nullptr;        ///< thread_bytes() for each thread
  double* sums_ = nullptr;
  std::uint8_t *hard_ = nullptr, *elements_ = nullptr;  ///< whether a step computes a block; the Element of each part
  T* addends_ = nullptr;                                ///< copies of C, if they are kept
  DeepSegment* segments_ = nullptr;
  int bits_ = 0;  ///< T, T*
  Element which_ = as_given;
  bool scaled_ = false;                    ///< entries as given are scaled
  int top_[2] = {scaled_top, scaled_top};  ///< to magnitudes below this power of two, in rows and in columns
  // Counts that the threads share.
  std::atomic<std::int64_t> undecided_{0}, rejected_{0};
  std::atomic<bool> leaves_range_{false};  ///< terms of pending elements left the range of the kernels
  std::atomic<int> rung_{-1};
  std::atomic<double> worst_{0};
};

}  // namespace accublas::cpu
