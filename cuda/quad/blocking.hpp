// How the residues of a product beyond double precision are cut into blocks of rows, columns and terms. No bit of a
// result depends on it.
#pragma once

#include "cuda/int8/blocking.hpp"

namespace accublas::cuda {

struct QuadBlocking {
  Index rows, cols;  ///< of a block of C, multiples of line_group
  Index terms;       ///< of a chunk of k, a multiple of 128

  std::size_t row_bytes(int planes) const { return static_cast<std::size_t>(rows * terms * planes); }
  std::size_t col_bytes(int planes) const { return static_cast<std::size_t>(cols * terms * planes); }
  std::size_t result_bytes(int planes) const { return static_cast<std::size_t>(rows * cols * planes); }
  /// A number of 32 bits for each element of the list of those that are not decided.
  std::size_t list_bytes() const { return static_cast<std::size_t>(rows * cols) * sizeof(std::uint32_t); }
  std::size_t bytes(int planes) const {
    return row_bytes(planes) + col_bytes(planes) + result_bytes(planes) + list_bytes();
  }
};

/// The largest blocks within `budget` bytes, or the least ones if not even these fit.
inline QuadBlocking quad_blocking(Index m, Index n, Index k, int planes, std::size_t budget) {
  constexpr Index step = 128, long_chunk = 4096;
  QuadBlocking b{padded_lines(m), padded_lines(n), round_up(k, step)};
  if (b.terms > product_most_terms) b.terms = product_most_terms;
  const auto halve = [](Index& x, Index unit) { x = round_up(ceil_div(x, Index{2}), unit); };
  const auto numbered = [&] { return b.rows * b.cols < Index{1} << 32; };  // by the list's numbers
  while (b.bytes(planes) > budget || !numbered()) {
    const bool lines_shrink = b.rows > line_group || b.cols > line_group;
    const bool lines_are_more = b.row_bytes(planes) + b.col_bytes(planes) > b.result_bytes(planes);
    if (numbered() && b.terms > step && ((lines_are_more && b.terms > long_chunk) || !lines_shrink))
      halve(b.terms, step);
    else if (lines_shrink)
      halve(b.rows >= b.cols ? b.rows : b.cols, line_group);
    else
      break;
  }
  return b;
}

}  // namespace accublas::cuda
