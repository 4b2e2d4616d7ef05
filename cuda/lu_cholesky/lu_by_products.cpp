#include "cuda/lu_cholesky/lu_by_products.hpp"

#include "lib/base/integers.hpp"

namespace accublas::cuda {

template <class E>
void LuByProducts<E>::lay_out(Carver& carver) {
  words_ = carver.take<FlaggedWord>(count_of_words());
  moves_ = carver.take<RowMoves>(1);
  origins_ = {carver.take<int>(m_ * most_levels), 1, m_};
  lists_ = carver.take<ListedMove>(2 * order_);
  counts_ = carver.take<int>(ceil_div(order_, width));
}

template <class E>
void LuByProducts<E>::begin() const {
  set_on_stream(words_, 0, static_cast<std::size_t>(count_of_words()) * sizeof *words_, stream(),
                "clearing what thread blocks exchange");
}

template <class E>
void LuByProducts<E>::factor(const Matrix<E>& a, Index first, Index count, Index end, std::int64_t* pivots) {
  a_ = a, pivots_ = pivots;
  const Index next = first + count;
  most_listed_ = std::min(most_listed_columns(a_), end > next ? count : count - 1);
  if (count > tuning_.block_columns || end > next) begin_origins(model(), origins_, m_, most_levels, stream());
  factor_columns(first, count, 0);
  apply_moves(first, count, next, end);
  solve_above(first, count, next, end);
}

/// Returns the size of the first half of `count` columns; it is the larger half.
template <class E>
Index LuByProducts<E>::half_of(Index count) {
  return round_up(ceil_div(count, Index{2}), width);
}

/// Returns how many columns a level of `count` columns factors first.
template <class E>
Index LuByProducts<E>::first_of(Index count) const {
  return looks_ahead(count) ? tuning_.ahead_columns : half_of(count);
}

/// Factors columns first .. first + count - 1 from row `first` on. The contributions of the columns to their left are
/// subtracted already. The moves go to the origins of `level`, unless there are more than a list holds.
template <class E>
void LuByProducts<E>::factor_columns(Index first, Index count, Index level) {
  const Index below = level + (count <= most_listed_ ? 1 : 0);
  if (count <= tuning_.block_columns) {
    block_ = {first, first + count, below};
    factor_block(first, count);
  } else if (looks_ahead(count)) {
    factor_ahead(first, count, below);
  } else {
    const Index half = half_of(count), middle = first + half, end = first + count;
    factor_columns(first, half, below);
    apply_moves(first, half, middle, end);
    update(first, half, middle, end);
    factor_columns(middle, end - middle, below);
    apply_moves(middle, end - middle, first, middle);
  }
  if (below > level) list_moves(model(), &origins_(0, level), first, m_, list_of(first), stream());
}

/// Returns whether a level looks ahead. In large matrices only parts do: in products of more terms the emulation
/// saves more.
template <class E>
bool LuByProducts<E>::looks_ahead(Index count) const {
  return ahead_ && count > tuning_.ahead_columns &&
         count <= (order_ <= tuning_.small_order ? tuning_.small_order : tuning_.most_ahead);
}

/// Factors columns first .. first + count - 1 in steps. The next columns of each step are factored concurrently with
/// the update of the other columns by the columns before.
template <class E>
void LuByProducts<E>::factor_ahead(Index first, Index count, Index level) {
  const Index end = first + count;
  Index begin = first, next = first + tuning_.ahead_columns;
  factor_columns(begin, next - begin, level);
  while (next < end) {
    const Index known = next - begin, after = std::min(next + tuning_.ahead_columns, end);
    apply_moves(begin, known, next, after);
    update(begin, known, next, after);
    products_.concurrently([&] { factor_columns(next, after - next, level); });
    apply_moves(begin, known, first, begin);
    apply_moves(begin, known, after, end);
    update(begin, known, after, end);
    products_.join();
    begin = next, next = after;
  }
  apply_moves(begin, end - begin, first, begin);
}

/// Factors the columns of one block by recursion on halves.
template <class E>
void LuByProducts<E>::factor_block(Index first, Index count) {
  if (count <= width) return factor_few_columns(first, static_cast<int>(count));
  const Index half = half_of(count), middle = first + half, end = first + count;
  factor_block(first, half);
  update(first, half, middle, end);
  factor_block(middle, end - middle);
}

/// Updates columns from .. end - 1 by columns first .. first + count - 1 of L.
template <class E>
void LuByProducts<E>::update(Index first, Index count, Index from, Index end) {
  const Index next = first + count;
  solve_above(first, count, from, end);
  steps_.subtract(m_ - next, end - from, count, read_only(a_.block(next, first)), read_only(a_.block(first, from)),
                  a_.block(next, from), false);
}

/// Computes rows first .. first + count - 1 of U in columns from .. end - 1.
template <class E>
void LuByProducts<E>::solve_above(Index first, Index count, Index from, Index end) {
  steps_.solve({count,
                end - from,
                E{RealOf<E>(1)},
                {read_only(a_.block(first, first)), false, Structure::triangular, Triangle::lower, true},
                a_.block(first, from)});
}

/// Applies the moves of columns first .. first + count - 1 to columns from .. end - 1.
template <class E>
void LuByProducts<E>::apply_moves(Index first, Index count, Index from, Index end) {
  if (end <= from) return;
  if (count > most_listed_) {
    const Index part = first_of(count);
    for (Index at = 0; at < count; at += part) apply_moves(first + at, std::min(part, count - at), from, end);
    return;
  }
  move_listed_rows(model(), list_of(first), std::min(2 * count, m_ - first), a_.block(0, from), end - from, stream());
}

template <class E>
void LuByProducts<E>::factor_few_columns(Index first, int count) {
  factor_panel(model(), PlainPanel<E>{a_, m_, first, count, words_, moves_, pivots_, &outcome_->info}, panel_steps_,
               stream());
  move_rows(model(), moves_, a_.block(0, block_.first), block_.end - block_.first, stream(), origins_, block_.levels);
  steps_.wrote = true;
}

#define ACCUBLAS_INSTANTIATE(E) template class LuByProducts<E>;
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
