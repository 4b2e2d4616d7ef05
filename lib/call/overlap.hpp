// Whether a result shares memory with an operand. Matrices of one array, such as the blocks of a factorization or rows
// beside rows, interleave without sharing an element: what decides are the elements, not the ranges of addresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/call/product.hpp"

namespace accublas {

/// The elements of an operand, in bytes: `cols` columns col_step apart, each of `rows` pieces of `width` bytes row_step
/// apart. Of a triangle, only its part.
struct Footprint {
  std::uintptr_t begin = 0;  ///< of the lowest address
  std::int64_t width = 0, rows = 0, row_step = 0, cols = 0, col_step = 0;
  Triangle part = Triangle::all;
  bool unit = false;  ///< without the triangle's diagonal

  bool empty() const { return rows <= 0 || cols <= 0; }
  std::uintptr_t end() const {
    return begin + static_cast<std::uintptr_t>((cols - 1) * col_step + (rows - 1) * row_step + width);
  }
  /// Columns without holes, all of one length.
  bool is_grid() const { return rows == 1 && part == Triangle::all; }
};

/// The footprint of m x n elements with any strides. One larger than every address space is empty, since no such
/// operand exists.
template <class T>
Footprint footprint(const Matrix<T>& x, std::int64_t m, std::int64_t n, Triangle part = Triangle::all,
                    bool unit = false) {
  constexpr std::int64_t size = sizeof(T), most = std::int64_t{1} << 61;
  std::int64_t rows = m, cols = n, row_step = x.row_stride, col_step = x.col_stride;
  if (m <= 0 || n <= 0 || !x.data) return {};
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
  Footprint f{begin, size, rows, row_step * size, cols, col_step * size, part, unit};
  if (part != Triangle::all) return f;
  if (f.row_step == f.width || rows == 1) f.width *= rows, f.rows = 1;
  if (f.rows > 1 && f.cols == 1) f = {f.begin, f.width, 1, f.width, f.rows, f.row_step};
  if (f.is_grid() && f.col_step == f.width) f.width *= f.cols, f.cols = 1;
  return f;
}
/// The footprint of a vector of n elements.
template <class T>
Footprint footprint(const Vector<T>& x, std::int64_t n) {
  return footprint(Matrix<T>{x.data, x.stride, 0}, n, 1);
}
/// The footprint of n elements side by side.
template <class T>
Footprint footprint(T* x, std::int64_t n) {
  return footprint(Matrix<T>{x, 1, 0}, n, 1);
}

/// Whether `width` bytes at `low` meet a grid.
inline bool meets(std::uintptr_t low, std::int64_t width, const Footprint& grid) {
  const auto offset = static_cast<std::int64_t>(low - grid.begin);
  // The first column that ends beyond `low`.
  const std::int64_t column = offset < grid.width ? 0 : (offset - grid.width) / grid.col_step + 1;
  return column < grid.cols && column * grid.col_step < offset + width;
}

/// Whether two operands share an element. Never true without one. Exact but for two that both have holes in their rows
/// and their columns (the strided forms), of which a shared first element and equal strides are found out. The cost is
/// a comparison where the ranges of addresses are apart, else a few operations a column.
inline bool share_element(Footprint p, Footprint q) {
  if (p.empty() || q.empty() || p.begin >= q.end() || q.begin >= p.end()) return false;
  if (p.is_grid() && (!q.is_grid() || p.cols > q.cols)) std::swap(p, q);
  if (!q.is_grid()) {
    if (p.part != Triangle::all || q.part != Triangle::all) return false;
    if (p.row_step != q.row_step) return p.begin == q.begin;
    // Elements that lie in the gaps of the other's rows.
    const std::int64_t step = p.row_step, apart = static_cast<std::int64_t>(q.begin - p.begin) % step;
    const bool multiples = (p.cols == 1 || p.col_step % step == 0) && (q.cols == 1 || q.col_step % step == 0);
    if (!multiples || apart != 0) return p.begin == q.begin;
    const auto without_gaps = [step](const Footprint& f) {
      return Footprint{f.begin, f.rows * step, 1, step, f.cols, f.col_step};
    };
    return share_element(without_gaps(p), without_gaps(q));
  }
  for (std::int64_t j = 0; j < p.cols; ++j) {
    const std::uintptr_t column = p.begin + static_cast<std::uintptr_t>(j * p.col_step);
    if (p.part != Triangle::all) {
      // A triangle's columns have no holes, but a length of their own.
      const std::int64_t first = p.part == Triangle::upper ? 0 : j + p.unit;
      const std::int64_t count = p.part == Triangle::upper ? j + !p.unit : p.rows - first;
      if (count > 0 && meets(column + static_cast<std::uintptr_t>(first * p.row_step), count * p.width, q)) return true;
      continue;
    }
    for (std::int64_t i = 0; i < p.rows; ++i)
      if (meets(column + static_cast<std::uintptr_t>(i * p.row_step), p.width, q)) return true;
  }
  return false;
}

/// An operand under the name of its argument.
struct NamedFootprint {
  const char* name;
  Footprint elements;
  bool written;
};

/// Throws Error(ACCUBLAS_ERROR_ARGUMENT) where one that is written shares an element with another.
inline void require_apart(std::initializer_list<NamedFootprint> operands) {
  for (auto p = operands.begin(); p != operands.end(); ++p)
    for (auto q = operands.begin(); q != p; ++q)
      if ((p->written || q->written) && share_element(p->elements, q->elements)) {
        const auto& result = p->written ? *p : *q;
        const auto& other = p->written ? *q : *p;
        throw Error(ACCUBLAS_ERROR_ARGUMENT, std::string("argument ") + result.name + " shares memory with argument " +
                                                 other.name + ": a result needs memory of its own, copy one of them");
      }
}

}  // namespace accublas
