// The lines of a block of a structured product (product.cpp). They are read where the operands are stored if the
// engines can read them there. Otherwise they are written to memory.
#pragma once

#include <utility>

#include "lib/cpu/structured/written_lines.hpp"

namespace accublas::cpu {

template <class E>
class BlockLines {
  using T = RealOf<E>;

 public:
  static constexpr Index components = is_complex<E> ? 2 : 1;

  BlockLines(const Product<E>& p, int threads)
      : terms(components * p.pairs() * p.k),
        p_(p),
        threads_(threads),
        row_lines_(rows_of(p)),
        col_lines_(columns_of(p)) {}

  bool is_vector() const { return p_.n == 1 || p_.m == 1; }
  /// Returns how many of the block's rows and columns are written, and how many numbers they have.
  Index rows_written(Index rows) const { return rows_as_stored() ? 0 : rows; }
  Index cols_written(Index cols) const { return cols_as_stored() ? 0 : cols; }
  Index written(Index rows, Index cols) const { return rows_written(rows) + cols_written(cols); }
  std::size_t numbers(Index lines) const { return static_cast<std::size_t>(lines * terms); }

  /// Takes memory for the lines that are written of a block.
  void take(Workspace& workspace, Index rows, Index cols) {
    if (rows_written(rows) > 0) row_memory_ = workspace.template take<T>(numbers(rows));
    if (cols_written(cols) > 0) col_memory_ = workspace.template take<T>(numbers(cols));
  }

  /// Returns the lines of rows first .. first + count - 1.
  Matrix<const T> rows(Index first, Index count) const {
    if (rows_as_stored())
      return {components_of(&p_.a.stored(first, 0)), components * p_.a.stored.row_stride,
              is_complex<E> ? 1 : p_.a.stored.col_stride};
    if (row_memory_ == nullptr) return unwritten();
    if constexpr (is_complex<E>)
      if (plain(p_.a))
        return write_lines<E>(first, count, terms, threads_, row_memory_,
                              [&](Index line) { return row_entries(p_.a.stored.row(line), p_.a.conjugate); });
    return write_lines<E>(first, count, terms, threads_, row_memory_, [&](Index line) {
      if constexpr (is_complex<E>)
        return RowLine<T>{row_lines_, line};
      else
        return RealLine<E>{row_lines_, line};
    });
  }

  /// Returns the lines of columns first .. first + count - 1 for one component.
  Matrix<const T> columns(Index first, Index count, bool imaginary) const {
    if (cols_as_stored())
      return {components_of(&p_.b.stored(0, first)), p_.b.stored.col_stride, p_.b.stored.row_stride};
    if (col_memory_ == nullptr) return unwritten();
    const bool conjugate_row = rows_as_stored() && p_.a.conjugate;
    if constexpr (is_complex<E>)
      if (plain(p_.b) && !p_.transposed)
        return write_lines<E>(first, count, terms, threads_, col_memory_, [&](Index line) {
          return column_entries(p_.b.stored.col(line), imaginary, conjugate_row, p_.b.conjugate);
        });
    return write_lines<E>(first, count, terms, threads_, col_memory_, [&](Index line) {
      if constexpr (is_complex<E>)
        return ColumnLine<T>{col_lines_, line, imaginary, p_.transposed, conjugate_row};
      else
        return RealLine<E>{col_lines_, line};
    });
  }

  /// Swaps re and im in `count` written rows, for the imaginary parts of a transposed product. A second call undoes it.
  void swap_components(Index count) {
    for (Index t = 0; t < count * terms; t += 2) std::swap(row_memory_[t], row_memory_[t + 1]);
  }

  /// Changes the signs of the second operand's terms in `count` written columns. A second call undoes it.
  void negate_second(Index count) {
    for (Index j = 0; j < count; ++j)
      for (Index t = terms / 2; t < terms; ++t) col_memory_[j * terms + t] = -col_memory_[j * terms + t];
  }

  const Index terms;  ///< terms of a component

 private:
  /// Returns whether rows are read in place. Complex rows with adjacent elements are lines already; the column's line
  /// has the signs of a conjugation (ColumnLine). Real rows are lines with any strides, but in products with a vector
  /// contiguous rows are faster.
  bool rows_as_stored() const {
    if (!plain(p_.a) || p_.in_place) return false;
    const bool adjacent = p_.a.stored.col_stride == 1;
    return is_complex<E> ? adjacent && !p_.transposed : adjacent || !is_vector();
  }
  bool cols_as_stored() const { return !is_complex<E> && plain(p_.b) && (p_.b.stored.row_stride == 1 || !is_vector()); }
  /// Returns whether the lines of an operand are its stored entries.
  bool plain(const Operand<E>& x) const { return x.structure == Structure::general && !p_.two_pairs; }
  /// Returns lines for a rehearsal, in which only the strides count and no memory is read.
  Matrix<const T> unwritten() const { return {components_of(p_.c.data), terms, 1}; }

  const Product<E>& p_;
  const int threads_;
  const ProductLines<E> row_lines_, col_lines_;
  T *row_memory_ = nullptr, *col_memory_ = nullptr;
};

}  // namespace accublas::cpu
