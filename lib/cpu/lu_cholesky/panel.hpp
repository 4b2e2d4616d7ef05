// A panel of LU with partial pivoting (docs/factorizations.md): some columns of L and U from their first row on, where
// L and U are known to their left and above. The sums over all columns to the left come first, for the whole
// panel. Each step then adds the few terms within the panel, and computes a column of L and the row of U to the right
// of its pivot. If the workspace has no room for the sums of all rows, panels are single columns, whose sums are formed
// twice: for the pivot, and for the quotients. Several processes may share the rows of a panel (shared_rows.hpp).
#pragma once

#include <algorithm>
#include <atomic>

#include "lib/call/execution.hpp"
#include "lib/call/factorization.hpp"
#include "lib/cpu/lu_cholesky/panel_shape.hpp"
#include "lib/cpu/lu_cholesky/pivot_candidate.hpp"
#include "lib/cpu/lu_cholesky/row_scales.hpp"
#include "lib/cpu/lu_cholesky/shared_rows.hpp"
#include "lib/cpu/trsm/line_sums.hpp"
#include "lib/cpu/trsm/sweep.hpp"
#include "lib/cpu/trsm/unknowns.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu {

template <class E>
class Panel {
  using T = RealOf<E>;
  using Candidate = PivotCandidate<E>;
  static constexpr int parts = parts_of<E>;

 public:
  /// Panels of an m x n matrix whose left columns, up to `order`, are factored in panels of at most `edge` columns.
  /// They take all memory: panels are narrower where there is less, at last some rows of one column.
  Panel(const Matrix<E>& a, Index m, Index order, Index edge, Execution& execution)
      : a_(a),
        execution_(execution),
        m_(m),
        line_(LineSums<E>::numbers(order)),
        threads_(std::clamp<Index>(ceil_div(m, tuning().triangular.least_rows), 1, execution.threads)) {
    const PanelShape shape = panel_shape<E>(m, order, edge, threads_, execution.workspace);
    width_ = shape.width, together_ = shape.together, by_columns_ = shape.by_columns;
    each_ = (parts + together_) * line_;
    Workspace& workspace = execution.workspace;
    const auto size = [](Index count) { return static_cast<std::size_t>(count); };
    memory_ = workspace.template take<T>(size(threads_ * each_));
    best_ = workspace.template take<Candidate>(size(threads_));
    sums_ = workspace.template take<TripleSum>(size(by_columns_ ? threads_ * parts * together_ : m * parts));
    if (by_columns_) return;
    stride_ = LineSums<E>::numbers(width_);
    before_ = workspace.template take<TripleSum>(size(m * width_ * parts));
    inner_ = workspace.template take<T>(size(m * stride_));
    inner_bits_ = workspace.template take<double>(size(m));
    row_ = workspace.template take<Index>(size(m));
    scales_ = RowScales<E>(workspace.template take<int>(size(m)));
    upper_ = workspace.template take<T>(size(width_ * stride_));
    upper_bits_ = workspace.template take<double>(size(width_));
    line_of_u_ = workspace.template take<T>(size(parts * stride_));
    line_of_l_ = workspace.template take<T>(size(parts * stride_));
  }
  ~Panel() { execution_.report.undecided += undecided_.load(); }

  Index width() const { return width_; }

  /// Columns first .. end - 1, end - first <= width(), from row `first` on, pivots and all but the exchange of rows in
  /// other columns. Returns the first column without a pivot, else -1.
  Index factor(Index first, Index end, const Pivots& pivots) {
    top_ = first, rows_ = m_ - first, u_ = a_.block(0, first);
    return factor_rows(first, end, [&](Index column, const Candidate& best) { pivots.put(column, first + best.row); });
  }

  /// Computes the same columns in the first `rows` rows of A, which are this process's part of the panel. `u` has the
  /// columns of U, whose rows above `first` are known. There must be room for the sums of all rows and columns.
  Index factor(Index first, Index end, Index rows, const Matrix<E>& u, SharedRows<E>& shared) {
    top_ = 0, rows_ = rows, u_ = u, shared_ = &shared;
    return factor_rows(first, end, [](Index, const Candidate&) {});
  }

 private:
  /// put(column, candidate) stores a pivot.
  Index factor_rows(Index first, Index end, const auto& put) {
    first_ = first, other_ = 0, own_ = 0;
    for (Index r = 0; !by_columns_ && r < rows_; ++r) row_[r] = top_ + r, inner_bits_[r] = multiple_of_all;
    tracks_ = exact_sums_;
    if (!by_columns_) {
      std::fill_n(upper_bits_, end - first, multiple_of_all);
      scales_.choose(a_.block(top_, first), rows_, end - first);
      add_up_before(first, end);
    }
    inner_speed_ = speed_ == Speed::plain ? Speed::plain : Speed::swift;
    Index none = -1;
    for (Index column = first; column < end; ++column) {
      if (hard_ > 0 && hard_.exchange(0) * tuning().triangular.hard_share > rows_) raise_speed(column, end);
      if (!tracks_ && exact_sums_) track(column, end);
      if (!by_columns_) line_sums(stride_).write(column - first_, first_, column - first_, line_of_u_);
      Candidate best = find_sizes(column);
      if (shared_) shared_->agree(column, best);
      put(column, best);
      const Index row = shared_ ? shared_->take(column, best.row, own_, rows_) : best.row;
      const bool has_pivot = row >= 0;
      if (has_pivot) exchange(column, own_++, row, end);
      u_(column, column - first_) = best.value;
      if (best.value == 0 && none < 0) none = column;
      divide(column, best.value);
      if (has_pivot) find_right(column, end);
      if (shared_) shared_->share_row(u_.block(column, column - first_ + 1), end - column - 1);
      keep_right(column, end);
    }
    return none;
  }

  static constexpr Index most_together = TriangularTuning::most_together;

  /// Rows of L are right-hand sides, the panel's columns of U lines of the matrix that they solve.
  LineSums<E> line_sums(Index stride) const {
    return {Operand<E>{{u_.data, u_.col_stride, u_.row_stride}}, m_, stride, false, execution_.isa};
  }

  /// Makes sums of the columns begin .. end - 1 more precise. Those within the panel come first, because they begin
  /// with little precision: their terms are small where those to the left cancel.
  void raise_speed(Index begin, Index end) {
    if (by_columns_ || inner_speed_ == speed_) {
      if (speed_ == Speed::deep) return;
      speed_ = CrKernels<T>::after(speed_);
      if (!by_columns_) add_up_before(begin, end);
    }
    inner_speed_ = speed_;
  }

  TripleSum* before(int part, Index c) const { return before_ + (part * width_ + c) * m_; }

  /// From the panel's column `begin` on, last bits are known.
  void track(Index begin, Index end) {
    tracks_ = true;
    if (by_columns_) return;
    const LineSums<E> sums = line_sums(stride_);
    for (Index r = own_; r < rows_; ++r) inner_bits_[r] = sums.last_bit(begin - first_, inner_ + r * stride_);
    for (Index c = begin - first_; c < end - first_; ++c)
      upper_bits_[c] = sums.last_bit(begin - first_, upper_ + c * stride_);
    add_up_before(begin, end);
  }

  /// The sums of the panel's columns begin .. end - 1 over all that lies to its left.
  void add_up_before(Index begin, Index end) {
    const Index terms = first_;
    if (terms == 0) return;
    const Index line = LineSums<E>::numbers(terms);
    const Index together = std::min(each_ / line - parts, most_rows_together<E>(terms));
    const LineSums<E> sums = line_sums(line);
    PhaseTimer timer(execution_, &accublas_report_t::ms_product);
    parallel_for(ceil_div(rows_, together), static_cast<int>(threads_), [&](Index task, int thread) {
      T *const lines = memory_ + thread * each_, *const rows = lines + parts * line;
      const Index r0 = task * together, count = std::min(together, rows_ - r0);
      load_rows(r0, count, terms, rows, line);
      double last_bits[most_together];
      find_last_bits(sums, terms, count, rows, line, last_bits);
      for (Index column = begin; column < end; ++column) {
        sums.write(column - first_, 0, terms, lines);
        TripleSum* to[parts];
        for (int part = 0; part < parts; ++part) to[part] = before(part, column - first_) + r0;
        sums.add_up(speed_, terms, lines, count, rows, line, bits_with(sums, terms, lines, last_bits), to);
      }
    });
  }

  /// Last bits of rows, `step` numbers apart, and with these that of a line, where they are tracked.
  void find_last_bits(const LineSums<E>& sums, Index terms, Index count, const T* rows, Index step, double* to) const {
    for (Index r = 0; tracks_ && r < count; ++r) to[r] = sums.last_bit(terms, rows + r * step);
  }
  LastBits bits_with(const LineSums<E>& sums, Index terms, const T* line, const double* of_rows) const {
    return tracks_ ? LastBits{of_rows, sums.last_bit(terms, line)} : LastBits{};
  }

  void load_rows(Index r0, Index count, Index terms, T* rows, Index line) const {
    const auto copy = [&](Index r, Index q) { scales_.keep(a_(row_[r0 + r], q), r0 + r, rows + r * line + parts * q); };
    if (a_.col_stride == 1) {
      for (Index r = 0; r < count; ++r)
        for (Index q = 0; q < terms; ++q) copy(r, q);
    } else {
      for (Index q = 0; q < terms; ++q)
        for (Index r = 0; r < count; ++r) copy(r, q);
    }
  }

  /// Computes U to the right of the pivot of `column`, up to the panel's end.
  void find_right(Index column, Index end) {
    const Index r = own_ - 1, inner = column - first_, count = end - column - 1;
    if (count == 0) return;
    const LineSums<E> sums = line_sums(stride_);
    const T* const row = inner_ + r * stride_;
    sums.write_entries(inner, sums.numbers_in(row), line_of_l_);
    TripleSum* to[parts];
    for (int part = 0; part < parts; ++part) to[part] = sums_ + part * m_;
    const LastBits bits = tracks_ ? LastBits{upper_bits_ + inner + 1, inner_bits_[r]} : LastBits{};
    sums.add_up(inner_speed_, inner, line_of_l_, count, upper_ + (inner + 1) * stride_, stride_, bits, to);
    for (int part = 0; part < parts && first_ > 0; ++part)
      for (Index c = 0; c < count; ++c) triple_add(to[part][c], before(part, inner + 1 + c)[r]);
    const Unknown<E> unknown = Unknown<E>::of_row(E{1}, E{1}, true);
    Unknowns<E> rounded(unknown, count, execution_.isa);
    for (Index c0 = 0, some; c0 < count; c0 += some) {
      some = std::min(Unknowns<E>::most, count - c0);
      elements(unknown, rounded, {r, column + 1 + c0, some, true}, column, 0, sums_ + c0, m_,
               [&](Index i, const E& u) { u_(column, inner + 1 + c0 + i) = u; });
    }
  }

  /// Writes the row of U to the right of the pivot to `upper_`, where the sums of later rows of U read it.
  void keep_right(Index column, Index end) {
    for (Index c = column - first_ + 1; c < end - first_; ++c) {
      const E u = u_(column, c);
      keep_parts(u, upper_ + c * stride_ + parts * (column - first_));
      if (tracks_) upper_bits_[c] = last_bit_with(upper_bits_[c], u);
    }
  }

  /// Computes the sums of the column's rows r .. r + count - 1 over all columns to its left, in `sums_`.
  void add_up_inner(Index column, Index r, Index count) {
    TripleSum* to[parts];
    for (int part = 0; part < parts; ++part) to[part] = sums_ + part * m_ + r;
    const Index inner = column - first_;
    const LastBits bits = tracks_ ? LastBits{inner_bits_ + r, upper_bits_[inner]} : LastBits{};
    line_sums(stride_).add_up(inner_speed_, inner, line_of_u_, count, inner_ + r * stride_, stride_, bits, to);
    for (int part = 0; part < parts && first_ > 0; ++part)
      for (Index i = 0; i < count; ++i) triple_add(to[part][i], before(part, inner)[r + i]);
  }

  /// Where row r of the panel lies in the columns to its left.
  Index row_of(Index r) const {
    if (!by_columns_) return row_[r];
    return top_ + (r == 0 ? other_ : r == other_ ? 0 : r);
  }

  /// body(r, count, at, step) for the rows r0 .. end - 1 of the panel, some at a time, and a column's sums of each:
  /// part p of row r + i has at[p step + i]. Where all rows have room, `fresh` ones are formed here, others stand as
  /// they were.
  template <class Body>
  void for_sums(Index column, Index r0, Index end, bool fresh, int thread, Body&& body) {
    if (!by_columns_) {
      if (fresh) add_up_inner(column, r0, end - r0);
      for (Index r = r0, count; r < end; r += count) {
        count = std::min(Unknowns<E>::most, end - r);
        body(r, count, sums_ + r, m_);
      }
      return;
    }
    const LineSums<E> sums = line_sums(line_);
    T *const lines = memory_ + thread * each_, *const rows = lines + parts * line_;
    TripleSum* const own = sums_ + thread * parts * together_;
    for (Index r = r0, count; r < end; r += count) {
      count = std::min(together_, end - r);
      for (Index i = 0; i < count; ++i)
        for (Index q = 0; q < column; ++q) keep_parts(a_(row_of(r + i), q), rows + i * line_ + parts * q);
      double last_bits[most_together];
      find_last_bits(sums, column, count, rows, line_, last_bits);
      sums.write(column - first_, 0, column, lines);
      TripleSum* to[parts];
      for (int part = 0; part < parts; ++part) to[part] = own + part * together_;
      sums.add_up(speed_, column, lines, count, rows, line_, bits_with(sums, column, lines, last_bits), to);
      body(r, count, own, together_);
    }
  }

  /// Some elements side by side in a row of the panel, or else in a column.
  struct Run {
    Index row, column, count;
    bool in_row;
  };

  /// Calls body(i, value) for the elements of a run, from their sums over `terms` columns: part p of element i has
  /// at[p step + i]. `rounded` has this unknown's pivot.
  template <class Body>
  void elements(const Unknown<E>& unknown, Unknowns<E>& rounded, const Run& run, Index terms, int thread, TripleSum* at,
                Index step, Body&& body) {
    const auto row = [&](Index i) { return run.in_row ? run.row : run.row + i; };
    const auto column = [&](Index i) { return run.in_row ? run.column + i : run.column; };
    const std::uint64_t pending =
        rounded.round(run.count, at, step, [&](Index i) { return a_(top_ + row(i), column(i)); });
    for (Index i = 0; i < run.count; ++i) {
      const bool decided = (pending >> i & 1) == 0 && (by_columns_ || scales_[row(i)] == 0);
      body(i, decided ? rounded[i] : element(unknown, column(i), row(i), terms, thread, at + i, step));
    }
  }

  /// The element in row r of the panel: an unknown from its sum over `terms` columns, of which part p is at[p step].
  E element(Unknown<E> unknown, Index column, Index r, Index terms, int thread, TripleSum* at, Index step) {
    E result{};
    unknown.b = a_(top_ + r, column);
    TripleSum own[parts];
    for (int part = 0; part < parts; ++part) own[part] = at[part * step];
    const int scale = by_columns_ ? 0 : scales_[r];
    if (unknown.approximate_scaled(own, scale, result)) return result;
    const LineSums<E> sums = line_sums(line_);
    T *const lines = memory_ + thread * each_, *const row = lines + parts * line_;
    for (Index q = 0; q < terms; ++q) keep_parts(a_(q < first_ ? row_of(r) : top_ + r, q), row + parts * q);
    sums.write(column - first_, 0, terms, lines);
    const bool decided = sums.decide(unknown, terms, lines, 0, row, own, result);
    for (int part = 0; scale == 0 && part < parts; ++part) at[part * step] = own[part];
    if (decided && speed_ != Speed::plain && lost_nothing(own))
      exact_sums_.store(true, std::memory_order_relaxed);
    else if (decided)
      hard_.fetch_add(1, std::memory_order_relaxed);
    if (decided) return result;
    undecided_.fetch_add(1, std::memory_order_relaxed);
    result = sums.exact(unknown, column - first_, terms, sums.numbers_in(row), &own);
    for (int part = 0; scale == 0 && part < parts; ++part) at[part * step] = own[part];
    return result;
  }

  /// The elements of the column from the diagonal on, rounded: the first of the largest. Its row is a row of the panel,
  /// or the position of a row that is shared.
  Candidate find_sizes(Index column) {
    const Index begin = own_, count = rows_ - begin, step = rows_at_once(count);
    const Unknown<E> unknown = Unknown<E>::of_row(E{1}, E{1}, true);
    parallel_for(ceil_div(count, step), static_cast<int>(threads_), [&](Index task, int thread) {
      const Index r0 = begin + task * step, end = std::min(rows_, r0 + step);
      Candidate best{r0, T(-1), {}};
      Unknowns<E> rounded(unknown, end - r0, execution_.isa);
      for_sums(column, r0, end, true, thread, [&](Index r, Index some, TripleSum* at, Index apart) {
        elements(unknown, rounded, {r, column, some, false}, column, thread, at, apart, [&](Index i, const E& value) {
          const Candidate other{shared_ ? shared_->positions[r + i] : r + i, pivot_size(value), value};
          if (other.passes(best)) best = other;
        });
      });
      best_[task] = best;
    });
    Candidate best{begin, T(-1), {}};  // of no row
    for (Index task = 0; task < ceil_div(count, step); ++task)
      if (best_[task].passes(best)) best = best_[task];
    return best;
  }

  /// L below the diagonal.
  void divide(Index column, const E& pivot) {
    const Index begin = own_, count = rows_ - begin, step = rows_at_once(count);
    const Unknown<E> unknown = Unknown<E>::of_row(E{1}, pivot, pivot == 0);
    parallel_for(ceil_div(count, step), static_cast<int>(threads_), [&](Index task, int thread) {
      const Index r0 = begin + task * step, end = std::min(rows_, r0 + step);
      Unknowns<E> rounded(unknown, end - r0, execution_.isa);
      for_sums(column, r0, end, false, thread, [&](Index first, Index some, TripleSum* at, Index apart) {
        elements(unknown, rounded, {first, column, some, false}, column, thread, at, apart, [&](Index i, const E& l) {
          const Index r = first + i;
          a_(top_ + r, column) = l;
          if (by_columns_) return;
          scales_.keep(l, r, inner_ + r * stride_ + parts * (column - first_));
          if (tracks_) inner_bits_[r] = scales_[r] != 0 ? 0 : last_bit_with(inner_bits_[r], l);
        });
      });
    });
  }

  Index rows_at_once(Index rows) const { return std::max(tuning().triangular.least_rows, ceil_div(rows, threads_)); }

  void exchange(Index pivot, Index r, Index other, Index end) {
    if (r == other) return;
    for (Index column = first_; column < end; ++column) std::swap(a_(top_ + r, column), a_(top_ + other, column));
    other_ = other;
    if (by_columns_) return;
    for (int part = 0; part < parts; ++part) {
      // Sums of columns up to the pivot's are not read any more.
      for (Index c = pivot - first_ + 1; c < end - first_ && first_ > 0; ++c)
        std::swap(before(part, c)[r], before(part, c)[other]);
      std::swap(sums_[part * m_ + r], sums_[part * m_ + other]);
    }
    std::swap_ranges(inner_ + r * stride_, inner_ + (r + 1) * stride_, inner_ + other * stride_);
    std::swap(inner_bits_[r], inner_bits_[other]);
    std::swap(row_[r], row_[other]);
    scales_.exchange(r, other);
  }

  const Matrix<E> a_;
  Matrix<E> u_{};  ///< the panel's columns of U from the first row on, in A's place if no row is shared
  SharedRows<E>* shared_ = nullptr;  ///< null: all rows are this process's
  Execution& execution_;
  const Index m_, line_, threads_;
  Index width_ = 0, stride_ = 0, each_ = 0;        ///< stride_: from a row of the panel to the next; each_: of a thread
  Index together_ = 0;                             ///< rows that a thread has memory for, at most
  bool by_columns_ = false;                        ///< a thread has sums of the current rows alone; the rest is null
  T* memory_ = nullptr;                            ///< rows of L to the left of the panel, and lines of U
  TripleSum *before_ = nullptr, *sums_ = nullptr;  ///< by part and row: over what lies to the left, if any; of a column
  T* inner_ = nullptr;                             ///< rows of L within the panel
  double* inner_bits_ = nullptr;                   ///< their last bits, where they are tracked
  Index* row_ = nullptr;                           ///< where the rows of the panel were
  RowScales<E> scales_;                            ///< of L's rows and their sums
  Candidate* best_ = nullptr;
  T* upper_ = nullptr;                                  ///< columns of U within the panel
  double* upper_bits_ = nullptr;                        ///< last bits of these columns, if they are tracked
  T *line_of_u_ = nullptr, *line_of_l_ = nullptr;       ///< the current column of U and row of L, for their sums
  Index first_ = 0, rows_ = 0, other_ = 0;              ///< other_: the row that the first one was exchanged with
  Index top_ = 0, own_ = 0;                             ///< the panel's first row in A; pivots that this process has
  Speed speed_ = CrKernels<T>::first_speed;             ///< of the sums over columns to the left
  Speed inner_speed_ = speed_;                          ///< of the sums within the panel, not more precise than those
  bool tracks_ = false;                                 ///< last bits are known
  std::atomic<bool> exact_sums_ = false;                ///< some sums are decided by last bits alone
  std::atomic<std::int64_t> hard_ = 0, undecided_ = 0;  ///< hard_: of a column, decided by more precise sums
};

}  // namespace accublas::cpu
