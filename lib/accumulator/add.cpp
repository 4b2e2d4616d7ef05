// Adds panels to an accumulator.
//
// Complex numbers become real ones: column j of op(B) is the line of its components br, bi, as stored, and row i of
// op(A) becomes two lines, whose products with it are Re S and Im S. A conjugation changes signs of these two
// lines alone.
#include <algorithm>

#include "lib/accumulator/accumulator.hpp"
#include "lib/base/integers.hpp"
#include "lib/cpu/entries.hpp"

namespace accublas {

namespace {

/// The real lines of a panel, whose entries are the terms of real sums.
template <class E>
class PanelLines {
 public:
  using T = RealOf<E>;

  explicit PanelLines(const AccumulatorPanel<E>& panel) : panel_(panel) {}

  Index terms() const { return is_complex<E> ? 2 * panel_.k : panel_.k; }
  /// Returns line `col` of op(A).
  Entries<T> of_a(Index col) const {
    if constexpr (is_complex<E>) {
      const bool imaginary = col % 2 == 1;
      // Re S has the terms ar br and -ai bi, and Im S has ai br and ar bi.
      const bool negate_ai = panel_.conjugate_a, negate_bi = panel_.conjugate_b;
      return component_entries(panel_.a.row(col / 2), imaginary, imaginary && negate_ai,
                               imaginary ? negate_bi : negate_ai == negate_bi);
    } else {
      return Vector<const T>(panel_.a.row(col));
    }
  }
  /// Returns column `row` of op(B), without its conjugation.
  Entries<T> of_b(Index row) const {
    if constexpr (is_complex<E>)
      return component_entries(panel_.b.col(row));
    else
      return Vector<const T>(panel_.b.col(row));
  }

 private:
  const AccumulatorPanel<E>& panel_;
};

/// Returns the classes (term_plus ...) of the term x y; 0 if it is finite.
template <class T>
std::uint8_t class_of(T x, T y) {
  if (is_finite(x) && is_finite(y)) return 0;
  if (is_nan(x) || is_nan(y)) return operand_nan;
  const T product = x * y;
  return is_nan(product) ? term_made_nan : product > 0 ? term_plus : term_minus;
}

/// Finds the classes of all sums whose lines hold Inf or NaN in this panel.
template <class E>
class Classes {
 public:
  using T = RealOf<E>;
  /// special_rows[i / parts] is that of row i of op(A) as real lines.
  Classes(const PanelLines<E>& lines, const std::uint8_t* special_rows, int parts, const std::uint8_t* special_columns)
      : lines_(lines), special_rows_(special_rows), special_columns_(special_columns), parts_(parts) {}

  void add_to(Accumulator& to, int threads) const {
    to.classes.resize(static_cast<std::size_t>(to.rows() * to.cols()), 0);
    parallel_for(to.rows(), threads, [&](Index row, int) {
      const Entries<T> b = lines_.of_b(row);
      for (Index col = 0; col < to.cols(); ++col) {
        if (!special_columns_[row] && !special_rows_[col / parts_]) continue;
        to.classes[static_cast<std::size_t>(row * to.cols() + col)] |= of(row, col, b);
      }
    });
  }

 private:
  std::uint8_t of(Index row, Index col, const Entries<T>& b) const {
    if (special_columns_[row] == 2 || special_rows_[col / parts_] == 2) return operand_nan;
    const Entries<T> a = lines_.of_a(col);
    std::uint8_t all = 0;
    for (Index p = 0; p < lines_.terms(); ++p) all |= class_of(a[p], b[p]);
    return all;
  }

  const PanelLines<E>& lines_;
  const std::uint8_t *special_rows_, *special_columns_;
  int parts_;
};

bool any_special(const cpu::Int8Lines& lines) {
  return std::any_of(lines.special, lines.special + lines.count, [](std::uint8_t s) { return s != 0; });
}

}  // namespace

void beyond(const char* what, Index line, const LineExponents& e) {
  throw Error(ACCUBLAS_ERROR_ARGUMENT, std::string("the panel does not fit the exponents of the accumulator: ") + what +
                                           " " + std::to_string(line) +
                                           (e.zero() ? " should be zero"
                                                     : " should have magnitudes below 2^" + std::to_string(e.above) +
                                                           " and multiples of 2^-" + std::to_string(e.below)) +
                                           "; measure all panels before the accumulator is created");
}

template <class E>
void add_classes(Accumulator& to, const AccumulatorPanel<E>& panel, const std::uint8_t* special_rows,
                 const std::uint8_t* special_columns, int threads) {
  const PanelLines<E> lines(panel);
  Classes<E>(lines, special_rows, to.a.parts, special_columns).add_to(to, threads);
}

namespace {

std::size_t size(Index count) { return static_cast<std::size_t>(count); }

/// Throws unless the entries of all lines fit the exponents.
void require_fit(const cpu::Int8Lines& lines, const AccumulatorSide& side, const char* what) {
  for (Index i = 0; i < lines.count; ++i) {
    if (!(lines.norm[i] > 0)) continue;
    const LineExponents& e = side.exponents[static_cast<std::size_t>(i / side.parts)];
    if (!fits_exponents(e.above, e.below, lines.exponent[i], lines.last_bit[i])) beyond(what, i / side.parts, e);
  }
}

/// Adds one panel, or some terms of one.
template <class E>
void add_residues(Accumulator& to, const AccumulatorPanel<E>& panel, const cpu::Int8Operand<RealOf<E>>& rows,
                  const cpu::Int8Operand<RealOf<E>>& cols, Execution& execution) {
  const PanelLines<E> lines(panel);
  to.use_tiles();
  if (rows.k <= to.waiting.depth) to.take_waiting();
  cpu::int8_add_panel<RealOf<E>>(
      to.view(), rows, cols,
      [&](const cpu::Int8Lines& of_b, const cpu::Int8Lines& of_a) {
        require_fit(of_a, to.a, "row");
        require_fit(of_b, to.b, "column");
        if (any_special(of_a) || any_special(of_b))
          Classes<E>(lines, of_a.special, 1, of_b.special).add_to(to, execution.threads);
      },
      execution);
}

template <class T>
void add_sums(Accumulator& to, const AccumulatorPanel<T>& panel, AccumulatorCall& call) {
  const cpu::Int8Operand<T> rows{panel.b.data, panel.b.col_stride, panel.b.row_stride, to.n, panel.k},
      cols{panel.a.data, panel.a.row_stride, panel.a.col_stride, to.m, panel.k};
  call.run([&](Execution& execution) { add_residues(to, panel, rows, cols, execution); });
}

/// Throws unless all entries of a side fit the exponents.
template <class E>
void require_side_fits(Matrix<const E> x, Index k, const AccumulatorSide& side, const char* what,
                       AccumulatorCall& call) {
  std::vector<LineExponents> found(static_cast<std::size_t>(side.count));
  measure_lines(side.count, k, x, found.data(), call);
  for (Index i = 0; i < side.count; ++i) {
    const LineExponents &f = found[static_cast<std::size_t>(i)], &e = side.exponents[static_cast<std::size_t>(i)];
    if (!f.zero() && !fits_exponents(e.above, e.below, f.above, -f.below)) beyond(what, i, e);
  }
}

/// Returns for each line whether it has Inf or NaN. line_of(i) returns line i, of `terms` entries.
template <class LineOf>
std::vector<std::uint8_t> special_lines(Index count, Index terms, int threads, LineOf&& line_of) {
  std::vector<std::uint8_t> special(size(count), 0);
  parallel_for(count, threads, [&](Index i, int) {
    const auto line = line_of(i);
    for (Index p = 0; p < terms; ++p)
      if (!is_finite(line[p])) special[static_cast<std::size_t>(i)] = 1;
  });
  return special;
}

/// Copies the entries of a line. If the line has Inf or NaN anywhere in its panel (`special`), its numbers become zero.
template <class T>
void copy_line(const Entries<T>& line, Index terms, bool special, T* to) {
  cpu::copy_entries(line, 0, terms, to);
  if (special)
    std::replace_if(
        to, to + terms, [](T x) { return is_finite(x); }, T(0));
}

/// Complex terms that are written out at a time, at least.
constexpr Index least_terms = 32;

/// Writes out the real lines of complex numbers, as many terms at a time as a quarter of the workspace holds.
template <class T>
class ComplexSums {
 public:
  ComplexSums(Accumulator& to, const AccumulatorPanel<Complex<T>>& panel, AccumulatorCall& call)
      : to_(to), panel_(panel), call_(call), lines_(panel), stored_(panel.b.row_stride == 1) {}
  ~ComplexSums() { call_.all_steps = nullptr; }
  ComplexSums(const ComplexSums&) = delete;
  ComplexSums& operator=(const ComplexSums&) = delete;

  void add() {
    call_.all_steps = [this](Execution& execution) {
      for (const auto& [count, x] : {std::pair{to_.m, panel_.a}, {to_.n, panel_.b.transposed()}})
        cpu::int8_measure_lines<T>({reinterpret_cast<const T*>(x.data), 1, 1, count, panel_.k}, {}, execution);
      add_part(0, execution);
    };
    if (terms_that_fit() < panel_.k) prepare_parts();
    for (Index first = 0, taken = 0; first < panel_.k; first += taken)
      call_.run([&](Execution& execution) { taken = add_part(first, execution); });
  }

 private:
  Index terms_that_fit() const {
    const Index lines = to_.cols() + (stored_ ? 0 : to_.rows());
    const Index fit =
        static_cast<Index>(call_.plannable() / 4 / (size(2 * lines) * sizeof(T))) / least_terms * least_terms;
    return std::min(std::max(fit, least_terms), panel_.k);
  }
  /// Looks at all terms, because some are added before later ones are read, and nothing may fail between them. A line
  /// with Inf or NaN counts as zero in all of its terms, whose numbers may not fit the exponents.
  void prepare_parts() {
    if (prepared_) return;
    to_.take_waiting();
    to_.classes.reserve(size(to_.rows() * to_.cols()));
    require_side_fits(panel_.a, panel_.k, to_.a, "row", call_);
    require_side_fits(panel_.b.transposed(), panel_.k, to_.b, "column", call_);
    special_a_ = special_lines(to_.cols(), lines_.terms(), call_.threads, [&](Index i) { return lines_.of_a(i); });
    special_b_ = special_lines(to_.rows(), lines_.terms(), call_.threads, [&](Index i) { return lines_.of_b(i); });
    if (std::find(special_b_.begin(), special_b_.end(), 1) != special_b_.end()) stored_ = false;
    prepared_ = true;
  }
  /// Adds terms from `first` on, and returns how many.
  Index add_part(Index first, Execution& execution) {
    Workspace& workspace = execution.workspace;
    AccumulatorPanel<Complex<T>> part = panel_;
    part.k = std::min(workspace.least() ? least_terms : terms_that_fit(), panel_.k - first);
    const bool rehearses = workspace.rehearses();
    if (part.k < panel_.k && !rehearses) prepare_parts();
    const bool stored = stored_ && !rehearses;  // the rehearsal counts the more memory of both forms
    part.a = panel_.a.block(0, first);
    part.b = panel_.b.block(first, 0);
    const PanelLines<Complex<T>> of(part);
    const Index terms = of.terms();
    T* const a = workspace.take<T>(size(to_.cols() * terms));
    T* const b = stored ? nullptr : workspace.take<T>(size(to_.rows() * terms));
    if (!rehearses) {
      parallel_for(to_.cols(), execution.threads, [&](Index col, int) {
        copy_line(of.of_a(col), terms, prepared_ && special_a_[size(col)] != 0, a + col * terms);
      });
      parallel_for(stored ? 0 : to_.rows(), execution.threads, [&](Index row, int) {
        copy_line(of.of_b(row), terms, prepared_ && special_b_[size(row)] != 0, b + row * terms);
      });
    }
    cpu::Int8Operand<T> rows{b, terms, 1, to_.rows(), terms}, cols{a, terms, 1, to_.cols(), terms};
    if (stored) rows = {reinterpret_cast<const T*>(part.b.data), 2 * part.b.col_stride, 1, to_.rows(), terms};
    add_residues(to_, part, rows, cols, execution);
    return part.k;
  }

  Accumulator& to_;
  const AccumulatorPanel<Complex<T>>& panel_;
  AccumulatorCall& call_;
  const PanelLines<Complex<T>> lines_;
  bool stored_;  ///< columns of op(B) are used where they are
  bool prepared_ = false;
  std::vector<std::uint8_t> special_a_, special_b_;
};
template <class T>
void add_sums(Accumulator& to, const AccumulatorPanel<Complex<T>>& panel, AccumulatorCall& call) {
  ComplexSums<T>(to, panel, call).add();
}

/// Adds a panel to the exact sums of the listed elements.
template <class E>
void add_exactly(Accumulator& to, const AccumulatorPanel<E>& panel, AccumulatorCall& call) {
  require_side_fits(panel.a, panel.k, to.a, "row", call);
  require_side_fits(panel.b.transposed(), panel.k, to.b, "column", call);
  const PanelLines<E> lines(panel);
  parallel_for(static_cast<Index>(to.listed.size()), call.threads, [&](Index i, int) {
    const Index sum = to.listed[static_cast<std::size_t>(i)];
    const auto a = lines.of_a(sum % to.cols()), b = lines.of_b(sum / to.cols());
    LongAccumulator& exact = to.sums[static_cast<std::size_t>(i)];
    // The sums that the first round found to be infinite or NaN are not listed.
    for (Index p = 0; p < lines.terms(); ++p)
      if (is_finite(a[p]) && is_finite(b[p])) exact.add_product(a[p], b[p]);
  });
}

}  // namespace

void require_room(const Accumulator& to, Index k) {
  const Index added = to.second_round() ? to.added_again : to.added, most = to.second_round() ? to.added : to.k;
  if (k > most - added)
    throw Error(ACCUBLAS_ERROR_ARGUMENT, "argument k = " + std::to_string(k) + " is more than the " +
                                             std::to_string(most - added) + " terms that the accumulator has left" +
                                             (to.second_round() ? " in its second round" : ""));
}

template <class E>
void add_panel(Accumulator& to, const AccumulatorPanel<E>& panel, AccumulatorCall& call) {
  require_room(to, panel.k);
  if (panel.k > 0 && to.m > 0 && to.n > 0) {
    if (to.second_round())
      add_exactly(to, panel, call);
    else
      add_sums(to, panel, call);
  }
  (to.second_round() ? to.added_again : to.added) += panel.k;
}

#define ACCUBLAS_INSTANTIATE(E)                                                        \
  template void add_panel(Accumulator&, const AccumulatorPanel<E>&, AccumulatorCall&); \
  template void add_classes(Accumulator&, const AccumulatorPanel<E>&, const std::uint8_t*, const std::uint8_t*, int);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas
