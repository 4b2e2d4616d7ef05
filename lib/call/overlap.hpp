// Finds whether a result shares memory with an operand. Matrices of one array, such as the blocks of a factorization or
// interleaved rows, may interleave without sharing an element, so these functions compare elements and not ranges of
// addresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/call/product.hpp"
#include "lib/numerics/wide.hpp"

namespace accublas {

/// The elements of an operand, in bytes: `cols` columns that are col_step apart, each with `rows` pieces of `width`
/// bytes that are row_step apart. For a triangle only `part` counts.
struct Footprint {
  std::uintptr_t begin = 0;  ///< of the lowest address
  std::int64_t width = 0, rows = 0, row_step = 0, cols = 0, col_step = 0;
  Triangle part = Triangle::all;
  bool unit = false;  ///< without the triangle's diagonal

  bool empty() const { return rows <= 0 || cols <= 0; }
  std::uintptr_t end() const {
    return begin + static_cast<std::uintptr_t>((cols - 1) * col_step + (rows - 1) * row_step + width);
  }
  /// Whether the columns have no holes and the same length.
  bool is_grid() const { return rows == 1 && part == Triangle::all; }
};

/// m x n elements of `size` bytes with any strides, or a triangle of them.
struct Elements {
  const void* data;
  std::int64_t size, row_stride, col_stride, m, n;
  Triangle part = Triangle::all;
  bool unit = false;  ///< without the triangle's diagonal
};
template <class T>
Elements elements_of(const Matrix<T>& x, std::int64_t m, std::int64_t n, Triangle part = Triangle::all,
                     bool unit = false) {
  return {x.data, sizeof(T), x.row_stride, x.col_stride, m, n, part, unit};
}
template <class T>
Elements elements_of(const Vector<T>& x, std::int64_t n) {
  return elements_of(Matrix<T>{x.data, x.stride, 0}, n, 1);
}
/// n adjacent elements.
template <class T>
Elements elements_of(T* x, std::int64_t n) {
  return elements_of(Matrix<T>{x, 1, 0}, n, 1);
}

/// Returns the footprint of elements. A footprint larger than every address space is empty, since no such operand
/// exists.
inline Footprint footprint(const Elements& x) {
  constexpr std::int64_t most = std::int64_t{1} << 61;
  const std::int64_t size = x.size;
  std::int64_t rows = x.m, cols = x.n, row_step = x.row_stride, col_step = x.col_stride;
  Triangle part = x.part;
  if (rows <= 0 || cols <= 0 || !x.data) return {};
  auto begin = reinterpret_cast<std::uintptr_t>(x.data);
  for (auto [count, step] : {std::pair{&rows, &row_step}, {&cols, &col_step}}) {
    if (*step == 0 || *count == 1) *count = 1, *step = 1;
    if (*step > most / size || *step < -most / size || std::abs(*step) * size > most / *count) return {};
    if (*step < 0) begin -= static_cast<std::uintptr_t>((*count - 1) * (*step = -*step) * size);
  }
  if (rows > 1 && cols > 1 ? row_step > col_step : rows == 1 && cols > 1) {
    std::swap(rows, cols);
    std::swap(row_step, col_step);
    part = transposed(part);
  }
  Footprint f{begin, size, rows, row_step * size, cols, col_step * size, part, x.unit};
  if (part != Triangle::all) return f;
  if (f.row_step == f.width || rows == 1) f.width *= rows, f.rows = 1;
  if (f.rows > 1 && f.cols == 1) f = {f.begin, f.width, 1, f.width, f.rows, f.row_step};
  if (f.is_grid() && f.col_step == f.width) f.width *= f.cols, f.cols = 1;
  return f;
}
template <class... Arguments>
Footprint footprint(const Arguments&... arguments) {
  return footprint(elements_of(arguments...));
}

/// Returns the least x >= 0 with low <= step x mod modulus <= high, for 0 <= step < modulus and 0 <= low <= high <
/// modulus; -1 if there is none. It takes as many steps as Euclid's algorithm.
inline std::int64_t first_in_range(std::int64_t step, std::int64_t modulus, std::int64_t low, std::int64_t high) {
  if (low == 0) return 0;
  if (step == 0) return -1;
  const std::int64_t x = (low - 1) / step + 1;
  if (x <= high / step) return x;
  // The least y for which a multiple of `step` lies between low + modulus y and high + modulus y.
  const std::int64_t y = first_in_range(modulus % step, step, step - high % step, step - low % step);
  if (y < 0) return -1;
  const Uint128 least = static_cast<Uint128>(modulus) * static_cast<Uint128>(y) + static_cast<Uint128>(low);
  return static_cast<std::int64_t>((least - 1) / static_cast<Uint128>(step)) + 1;
}

/// Whether one of `count` pieces of `width` bytes, `step` apart from `low` on, shares a byte with a grid.
inline bool overlaps_grid(std::uintptr_t low, std::int64_t width, std::int64_t count, std::int64_t step,
                          const Footprint& grid) {
  // Let x be the position of a piece, counted from the first byte that shares one with the grid. The piece shares a
  // byte if x modulo the grid's step is at most `most`, and x is at most `last`.
  const std::int64_t x = static_cast<std::int64_t>(low - grid.begin) + width - 1, most = grid.width + width - 2,
                     last = (grid.cols - 1) * grid.col_step + most;
  const std::int64_t first = x < 0 ? (-x - 1) / step + 1 : 0;
  if (last < x || first > std::min(count - 1, (last - x) / step)) return false;
  if (grid.cols == 1 || most >= grid.col_step - 1) return true;
  const std::int64_t at = (x + first * step) % grid.col_step, target = at == 0 ? 0 : grid.col_step - at;
  if (target == 0 || target + most >= grid.col_step) return true;
  const std::int64_t more = first_in_range(step % grid.col_step, grid.col_step, target, target + most);
  return more >= 0 && more <= std::min(count - 1, (last - x) / step) - first;
}

/// Whether two operands with the same steps share an element: some number of rows and of columns leads from an element
/// of p to one of q.
inline bool share_by_steps(const Footprint& p, const Footprint& q) {
  const std::int64_t apart = static_cast<std::int64_t>(q.begin - p.begin), step = p.row_step;
  for (std::int64_t cols = 1 - p.cols; cols < q.cols; ++cols) {
    const std::int64_t left = apart + cols * p.col_step, nearest = -left / step;
    for (std::int64_t rows = nearest - 1; rows <= nearest + 1; ++rows)
      if (rows > -p.rows && rows < q.rows && left + rows * step < p.width && left + rows * step > -q.width) return true;
  }
  return false;
}

/// Whether two triangles of one kind, with their diagonals and equal steps, share an element.
inline bool share_by_steps_of_triangles(const Footprint& p, const Footprint& q) {
  const std::int64_t apart = static_cast<std::int64_t>(q.begin - p.begin), step = p.row_step;
  for (std::int64_t cols = 1 - p.cols; cols < q.cols; ++cols) {
    const std::int64_t left = apart + cols * p.col_step, nearest = -left / step;
    for (std::int64_t rows = nearest - 1; rows <= nearest + 1; ++rows) {
      if (left + rows * step >= p.width || left + rows * step <= -q.width) continue;
      // Element (i, j) of p meets (i + rows, j + cols) of q. Of all such pairs the one in a corner lies in both
      // triangles, if any does.
      const std::int64_t low_i = std::max<std::int64_t>(0, -rows), high_i = std::min(p.rows, q.rows - rows) - 1;
      const std::int64_t low_j = std::max<std::int64_t>(0, -cols), high_j = std::min(p.cols, q.cols - cols) - 1;
      if (low_i > high_i || low_j > high_j) continue;
      const std::int64_t beyond = std::max<std::int64_t>(0, rows - cols),
                         below = std::min<std::int64_t>(0, rows - cols);
      if (p.part == Triangle::upper ? low_i + beyond <= high_j : high_i + below >= low_j) return true;
    }
  }
  return false;
}

/// Whether two operands share an element. The answer is never true by mistake. It is exact, except for two operands
/// with unequal steps that both have holes in their rows and their columns (the strided forms); of these it finds a
/// shared first element, and gaps of the same columns. Of two triangles it compares those of one kind with equal steps.
/// The cost is a comparison if the ranges of addresses are apart. Otherwise it is a few operations, or those of a
/// greatest common divisor for each row or each column.
inline bool share_element(Footprint p, Footprint q) {
  if (p.empty() || q.empty() || p.begin >= q.end() || q.begin >= p.end()) return false;
  if (p.is_grid() && (!q.is_grid() || p.cols > q.cols)) std::swap(p, q);
  if (!q.is_grid()) {
    if (p.part != Triangle::all || q.part != Triangle::all)
      return p.part == q.part && !p.unit && !q.unit && p.row_step == q.row_step && p.col_step == q.col_step &&
             share_by_steps_of_triangles(p, q);
    if (p.row_step != q.row_step) return p.begin == q.begin;
    if (p.col_step == q.col_step || p.cols == 1 || q.cols == 1) {
      if (p.cols == 1) p.col_step = q.col_step;
      return share_by_steps(p, q);
    }
    // Elements may lie in the gaps of the other operand's rows.
    const std::int64_t step = p.row_step, apart = static_cast<std::int64_t>(q.begin - p.begin) % step;
    const bool multiples = (p.cols == 1 || p.col_step % step == 0) && (q.cols == 1 || q.col_step % step == 0);
    if (!multiples || apart != 0) return p.begin == q.begin;
    const auto without_gaps = [step](const Footprint& f) {
      return Footprint{f.begin, f.rows * step, 1, step, f.cols, f.col_step};
    };
    return share_element(without_gaps(p), without_gaps(q));
  }
  if (p.part == Triangle::all) {
    if (p.rows < p.cols) std::swap(p.rows, p.cols), std::swap(p.row_step, p.col_step);
    for (std::int64_t j = 0; j < p.cols; ++j)
      if (overlaps_grid(p.begin + static_cast<std::uintptr_t>(j * p.col_step), p.width, p.rows, p.row_step, q))
        return true;
    return false;
  }
  // A triangle's columns have no holes, but each has its own length.
  for (std::int64_t j = 0; j < p.cols; ++j) {
    const std::int64_t first = p.part == Triangle::upper ? 0 : j + p.unit;
    const std::int64_t count = p.part == Triangle::upper ? j + !p.unit : p.rows - first;
    const std::uintptr_t column = p.begin + static_cast<std::uintptr_t>(j * p.col_step + first * p.row_step);
    if (count > 0 && overlaps_grid(column, count * p.width, 1, 1, q)) return true;
  }
  return false;
}

/// Returns the footprint of a piece of a matrix over a batch: one grid, whose columns are the pieces of its matrices. A
/// footprint larger than every address space is empty.
inline Footprint over_batch(std::uintptr_t begin, std::int64_t width, std::int64_t count, std::int64_t step) {
  if (step == 0 || count == 1) return {begin, width, 1, width, 1, width};
  if (std::abs(step) > (std::int64_t{1} << 61) / count) return {};
  if (step < 0) begin -= static_cast<std::uintptr_t>((count - 1) * (step = -step));
  return {begin, width, 1, width, count, step};
}

/// Whether a matrix of one batch shares an element with one of another. In both batches the matrices are a constant
/// number of bytes apart. The answer is never true by mistake. It is exact if one matrix of each batch has few pieces
/// without holes; for other batches the function compares the first and the last matrices. The cost does not depend on
/// `count`.
inline bool batches_share_element(const Footprint& p, std::int64_t p_step, const Footprint& q, std::int64_t q_step,
                                  std::int64_t count) {
  if (p.empty() || q.empty()) return false;
  const auto whole = [count](const Footprint& f, std::int64_t step) {
    return over_batch(f.begin, static_cast<std::int64_t>(f.end() - f.begin), count, step);
  };
  if (!share_element(whole(p, p_step), whole(q, q_step))) return false;
  constexpr double most_pieces = 1 << 16;
  const auto pieces = [](const Footprint& f) { return static_cast<double>(f.rows) * static_cast<double>(f.cols); };
  if (pieces(p) * pieces(q) > most_pieces) {
    const auto at = [](Footprint f, std::int64_t bytes) {
      f.begin += static_cast<std::uintptr_t>(bytes);
      return f;
    };
    return share_element(p, q) || share_element(at(p, (count - 1) * p_step), at(q, (count - 1) * q_step));
  }
  const auto any_piece = [count](const Footprint& f, std::int64_t step, auto&& body) {
    for (std::int64_t j = 0; j < f.cols; ++j)
      for (std::int64_t i = 0; i < f.rows; ++i)
        if (body(over_batch(f.begin + static_cast<std::uintptr_t>(j * f.col_step + i * f.row_step), f.width, count,
                            step)))
          return true;
    return false;
  };
  return any_piece(p, p_step, [&](const Footprint& of_p) {
    return any_piece(q, q_step, [&](const Footprint& of_q) { return share_element(of_p, of_q); });
  });
}

/// An operand under the name of its argument. Matrices of a batch have a number.
struct NamedFootprint {
  const char* name;
  Footprint elements;
  bool written;
  std::int64_t number = -1;

  std::string text() const { return number < 0 ? name : name + ("[" + std::to_string(number)) + "]"; }
};

/// Throws the error of a result that shares an element with another operand.
[[noreturn]] inline void refuse_shared(const std::string& result, const std::string& other) {
  throw Error(ACCUBLAS_ERROR_ARGUMENT, "argument " + result + " shares memory with argument " + other +
                                           ": a result needs memory of its own, copy one of them");
}

/// Throws Error(ACCUBLAS_ERROR_ARGUMENT) if an operand that is written shares an element with another operand.
inline void require_apart(std::span<const NamedFootprint> operands) {
  for (auto p = operands.begin(); p != operands.end(); ++p)
    for (auto q = operands.begin(); q != p; ++q)
      if ((p->written || q->written) && share_element(p->elements, q->elements)) {
        const auto& result = p->written ? *p : *q;
        const auto& other = p->written ? *q : *p;
        refuse_shared(result.text(), other.text());
      }
}
inline void require_apart(std::initializer_list<NamedFootprint> operands) {
  require_apart(std::span(operands.begin(), operands.size()));
}

/// `count` elements of `size` bytes, one after the other.
inline NamedFootprint named_array(const char* name, const void* data, std::int64_t count, std::int64_t size,
                                  bool written) {
  return {name, footprint(Elements{data, size, 1, count, count, 1}), written};
}

/// Throws that error if one of `arrays` shares an element with another one or with a matrix. matrix(i): the i-th of
/// `count` matrices. by_stride: all of them lie between the first one and the last one.
template <class MatrixOf>
void require_arrays_apart(std::span<const NamedFootprint> arrays, std::int64_t count, bool by_stride,
                          MatrixOf&& matrix) {
  require_apart(arrays);
  const auto touch = [](const Footprint& x, const Footprint& y) {
    return !x.empty() && !y.empty() && x.begin < y.end() && y.begin < x.end();
  };
  if (by_stride && count > 1) {
    const Footprint first = matrix(0).elements, last = matrix(count - 1).elements;
    if (first.empty()) return;
    Footprint all = first.begin < last.begin ? first : last;
    all = {all.begin, static_cast<std::int64_t>(std::max(first.end(), last.end()) - all.begin), 1, 1, 1, 1};
    if (std::none_of(arrays.begin(), arrays.end(), [&](const auto& array) { return touch(array.elements, all); }))
      return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const NamedFootprint one = matrix(i);
    for (const NamedFootprint& array : arrays)
      if (touch(one.elements, array.elements)) require_apart({one, array});
  }
}

/// Throws that error for neighbours in memory alone, of many operands. Sorts them by address.
inline void require_neighbours_apart(std::span<NamedFootprint> operands) {
  std::sort(operands.begin(), operands.end(),
            [](const auto& x, const auto& y) { return x.elements.begin < y.elements.begin; });
  for (std::size_t i = 1; i < operands.size(); ++i) require_apart({operands[i - 1], operands[i]});
}

}  // namespace accublas
