// How C is cut into blocks of rows and columns whose residues fit the buffers: one function for the plan on the device
// and for the host, which must launch enough blocks. No bit of a result depends on it.
#pragma once

#include <cstddef>

#include "cuda/core/operand.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/capacity.hpp"

namespace accublas::cuda {

/// The longest sum of products of two bytes below 256 that 32 bits hold (66,051), rounded down to the kernels' step.
inline constexpr Index product_most_terms = 65920;

/// Sizes of the residue buffers in bytes.
struct Buffers {
  std::size_t rows_bytes, cols_bytes, result_bytes;
  Index k_padded;  ///< bytes of a line and modulus: terms of a chunk of k, a multiple of 128
};

struct Block {
  Index rows, cols;  ///< multiples of line_group
};

/// The largest block with `planes` planes; its blocks are of equal size as far as line_group allows. rows_bytes and
/// cols_bytes hold line_group lines, result_bytes a square of them.
ACCUBLAS_HD inline Block fit_block(const Buffers& buffers, int planes, Index m, Index n) {
  const auto lines_in = [&](std::size_t bytes, Index line) {
    return static_cast<Index>(bytes) / line / line_group * line_group;
  };
  const auto least = [](Index a, Index b) { return a < b ? a : b; };
  const auto equal = [](Index all, Index block) {
    const Index blocks = ceil_div(all, block);
    return padded_lines(ceil_div(all, blocks));
  };
  const Index all_rows = padded_lines(m), all_cols = padded_lines(n);
  Index rows = least(lines_in(buffers.rows_bytes, buffers.k_padded * planes), all_rows);
  rows = least(rows, lines_in(buffers.result_bytes, line_group * planes));
  rows = equal(all_rows, rows);
  Index cols = least(lines_in(buffers.cols_bytes, buffers.k_padded * planes), all_cols);
  cols = least(cols, lines_in(buffers.result_bytes, rows * planes));
  return {rows, equal(all_cols, cols)};
}

ACCUBLAS_HD constexpr Index blocks_in(Index lines, Index block) { return ceil_div(lines, block); }

/// The launch by the host of a pass whose plan is made on the device. The plan must keep to it.
struct PassLaunch {
  Buffers buffers{};
  int moduli = 0;                        ///< at most
  Index row_blocks = 0, col_blocks = 0;  ///< along each side: what no plan with so many moduli passes
  ResidueKind residues = ResidueKind::real;
  bool same_lines = false;  ///< of both sides, which may share residues (cuda/int8/convert.hpp)

  PassLaunch() = default;  ///< of no pass
  /// complex: m and n lines of complex numbers.
  PassLaunch(const Buffers& of_call, int most_moduli, Index m, Index n, ResidueKind of = ResidueKind::real)
      : buffers(of_call), moduli(most_moduli), residues(of) {
    for (int taken = 1; taken <= most_moduli; ++taken) {
      const Block block = fit_block(buffers, planes_of(residues, taken), m, n);
      const Index rows = blocks_in(m, block.rows), cols = blocks_in(n, block.cols);
      if (rows > row_blocks) row_blocks = rows;
      if (cols > col_blocks) col_blocks = cols;
    }
  }
  ACCUBLAS_HD bool covers(int taken, Block block, Index m, Index n) const {
    return taken <= moduli && blocks_in(m, block.rows) <= row_blocks && blocks_in(n, block.cols) <= col_blocks;
  }
};

}  // namespace accublas::cuda
