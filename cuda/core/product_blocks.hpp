// Cuts C = sum of products of parts (digits, slices, words) for the engines that call cuBLAS. C is cut into blocks
// whose parts and sums are in memory at a time, and the inner dimension into chunks.
#pragma once

#include <algorithm>
#include <cstddef>

#include "cuda/core/operand_tiles.hpp"
#include "cuda/tuning/numbers.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

struct ProductBlocks {
  static constexpr Index term_step = 64;  ///< chunks are padded with zeros to a multiple of this
  static constexpr Index line_step = 32;

  Index rows, cols;  ///< size of a block
  Index terms;       ///< length of a chunk

  static constexpr Index padded(Index terms) { return round_up(terms, term_step); }
};

/// Returns the largest blocks with b.bytes() <= available, or the least blocks. It starts from all of C in chunks of at
/// most `longest_chunk` terms. It first shortens the edges while they are long, then chunks and edges in turn. size(b)
/// updates b.bytes() for the current lengths.
template <class Blocks, class Size>
Blocks fitting_blocks(const PartsTuning& tuning, Index m, Index n, Index k, Index longest_chunk, std::size_t available,
                      Size&& size) {
  constexpr Index step = ProductBlocks::line_step;
  Blocks b{};
  b.rows = round_up(m, step);
  b.cols = round_up(n, step);
  b.terms = std::min(ProductBlocks::padded(k), longest_chunk);
  for (size(b); b.bytes() > available; size(b)) {
    Index& longer = b.rows >= b.cols ? b.rows : b.cols;
    if (longer > tuning.long_edge || (longer > step && b.terms <= tuning.long_edge)) {
      longer = std::max(step, longer > tuning.long_edge ? round_up(longer / 2, step) : longer - step);
    } else if (b.terms > ProductBlocks::term_step) {
      b.terms = ProductBlocks::padded(b.terms / 2);
    } else {
      break;
    }
  }
  return b;
}

/// A block of C with a chunk of its inner dimension: terms p0 .. p0 + terms - 1.
struct ProductPart {
  Index row, rows, col, cols, p0, terms;

  template <class T>
  OperandBlock<T> of_rows(const Operand<T>& x) const {
    return {x, row, rows, p0, terms, padded()};
  }
  template <class T>
  OperandBlock<T> of_cols(const Operand<T>& x) const {
    return {x, col, cols, p0, terms, padded()};
  }
  Index padded() const { return ProductBlocks::padded(terms); }
};

/// Walks over all of C. For every chunk of a block it calls form_rows(part), form_cols(part) and multiply(part). After
/// the last chunk, when the block's sums are complete, it calls finish(part). It does not form parts of rows again that
/// are still in memory.
template <class FormRows, class FormCols, class Multiply, class Finish>
void for_product_parts(Index m, Index n, Index k, const ProductBlocks& blocks, FormRows&& form_rows,
                       FormCols&& form_cols, Multiply&& multiply, Finish&& finish) {
  for (Index row = 0; row < m; row += blocks.rows) {
    for (Index col = 0; col < n; col += blocks.cols) {
      ProductPart part{row, std::min(blocks.rows, m - row), col, std::min(blocks.cols, n - col), 0, 0};
      for (; part.p0 < k; part.p0 += blocks.terms) {
        part.terms = std::min(blocks.terms, k - part.p0);
        if (col == 0 || blocks.terms < k) form_rows(part);
        form_cols(part);
        multiply(part);
      }
      finish(part);
    }
  }
}

}  // namespace accublas::cuda
