// How C is cut into blocks of rows and columns whose residues fit the buffers: one function for the plan on the device
// and for the host, which must launch enough blocks. No bit of a result depends on it.
#pragma once

#include <cstddef>

#include "cuda/gemm/operand.hpp"

namespace accublas::cuda {

ACCUBLAS_HD constexpr Index round_up(Index x, Index multiple) { return (x + multiple - 1) / multiple * multiple; }

/// Sizes of the residue buffers in bytes.
struct Buffers {
  std::size_t rows_bytes, cols_bytes, result_bytes;
  Index k_padded;  ///< bytes of a line and modulus: terms of a chunk of k, a multiple of 128
};

struct Block {
  Index rows, cols;  ///< multiples of line_group
};

/// The largest block with `moduli` planes; its blocks are of equal size as far as line_group allows. rows_bytes and
/// cols_bytes hold line_group lines, result_bytes a square of them.
ACCUBLAS_HD inline Block fit_block(const Buffers& buffers, int moduli, Index m, Index n) {
  const auto lines_in = [&](std::size_t bytes, Index line) {
    return static_cast<Index>(bytes) / line / line_group * line_group;
  };
  const auto least = [](Index a, Index b) { return a < b ? a : b; };
  const auto equal = [](Index all, Index block) {
    const Index blocks = (all + block - 1) / block;
    return padded_lines((all + blocks - 1) / blocks);
  };
  const Index all_rows = padded_lines(m), all_cols = padded_lines(n);
  Index rows = least(lines_in(buffers.rows_bytes, buffers.k_padded * moduli), all_rows);
  rows = least(rows, lines_in(buffers.result_bytes, line_group * moduli));
  rows = equal(all_rows, rows);
  Index cols = least(lines_in(buffers.cols_bytes, buffers.k_padded * moduli), all_cols);
  cols = least(cols, lines_in(buffers.result_bytes, rows * moduli));
  return {rows, equal(all_cols, cols)};
}

/// Blocks that a pass with at most `most_moduli` moduli can need along each side.
inline Block most_blocks(const Buffers& buffers, int most_moduli, Index m, Index n) {
  Block most{0, 0};
  for (int moduli = 1; moduli <= most_moduli; ++moduli) {
    const Block block = fit_block(buffers, moduli, m, n);
    const Index rows = (m + block.rows - 1) / block.rows, cols = (n + block.cols - 1) / block.cols;
    if (rows > most.rows) most.rows = rows;
    if (cols > most.cols) most.cols = cols;
  }
  return most;
}

}  // namespace accublas::cuda
