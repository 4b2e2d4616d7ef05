// The host's part of the composition: sizes, and the order of the products.
#include "cuda/multiword/portable.hpp"

#include <algorithm>

#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

constexpr Index term_step = 64, line_step = 32;

std::size_t word_bytes(const MultiwordMode& mode) {
  switch (mode.format) {
    case MultiwordFormat::tf32:
      return sizeof(float);
    case MultiwordFormat::fp16:
      return sizeof(std::uint16_t);
    case MultiwordFormat::tf64:
      break;
  }
  return sizeof(double);
}

std::size_t size_of_sum(const MultiwordMode& mode) {
  return mode.format == MultiwordFormat::tf64 ? sizeof(double) : sizeof(float);
}

/// sums (+)= one product of words. Row-major products are cuBLAS's transposed ones: its rows are our columns.
void multiply(Cublas& cublas, const MultiwordMode& mode, const std::byte* row_words, const std::byte* col_words,
              std::byte* sums, Index rows, Index cols, Index terms, bool add) {
  const auto product = [&]<class Word, class Sum>(const Word*, Sum*, auto member) {
    const Sum one = 1, zero = 0;
    (cublas.*member)(cols, rows, terms, &one, {reinterpret_cast<const Word*>(col_words), CUBLAS_OP_T, terms},
                     {reinterpret_cast<const Word*>(row_words), CUBLAS_OP_N, terms}, add ? &one : &zero,
                     reinterpret_cast<Sum*>(sums), cols);
  };
  using Double = void (Cublas::*)(Index, Index, Index, const double*, BlasMatrix<const double>,
                                  BlasMatrix<const double>, const double*, double*, Index);
  switch (mode.format) {
    case MultiwordFormat::tf32:
      return product(static_cast<float*>(nullptr), static_cast<float*>(nullptr), &Cublas::gemm_tf32);
    case MultiwordFormat::fp16:
      return product(static_cast<std::uint16_t*>(nullptr), static_cast<float*>(nullptr), &Cublas::gemm_half);
    case MultiwordFormat::tf64:
      return product(static_cast<double*>(nullptr), static_cast<double*>(nullptr), static_cast<Double>(&Cublas::gemm));
  }
}

}  // namespace

MultiwordBlocks multiword_blocks(const MultiwordMode& mode, Index m, Index n, Index k, std::size_t available) {
  constexpr Index long_edge = 512, longest_chunk = 16384;
  MultiwordBlocks b{
      round_up(m, line_step), round_up(n, line_step), std::min(round_up(k, term_step), longest_chunk), 0, 0, 0};
  const auto size = [&] {
    const auto total = [](Index count, std::size_t bytes) {
      return round_up(static_cast<std::size_t>(count) * bytes, 256);
    };
    const std::size_t entry = word_bytes(mode) * static_cast<std::size_t>(mode.words());
    b.row_bytes = total(b.rows * b.terms, entry);
    b.col_bytes = total(b.cols * b.terms, entry);
    b.sum_bytes = total(b.rows * b.cols, size_of_sum(mode));
  };
  size();
  while (b.bytes() > available) {
    Index& longer = b.rows >= b.cols ? b.rows : b.cols;
    if (longer > long_edge || (longer > line_step && b.terms <= long_edge)) {
      longer = std::max(line_step, round_up(longer / 2, line_step));
    } else if (b.terms > term_step) {
      b.terms = round_up(b.terms / 2, term_step);
    } else {
      break;
    }
    size();
  }
  return b;
}

template <class T>
void multiword_pass(Cublas& cublas, const MultiwordMode& mode, const MultiwordBlocks& blocks,
                    const MultiwordPass<T>& pass, void* workspace, cudaStream_t stream) {
  std::byte* const row_words = static_cast<std::byte*>(workspace);
  std::byte* const col_words = row_words + blocks.row_bytes;
  std::byte* const sums = col_words + blocks.col_bytes;
  const Index m = pass.rows.count, n = pass.cols.count, k = pass.rows.k;
  cublas.scalars_on_device(false);
  for (Index row = 0; row < m; row += blocks.rows) {
    const Index rows = std::min(blocks.rows, m - row);
    for (Index col = 0; col < n; col += blocks.cols) {
      const Index cols = std::min(blocks.cols, n - col);
      for (Index p0 = 0; p0 < k; p0 += blocks.terms) {
        const Index terms = std::min(blocks.terms, k - p0), padded = round_up(terms, term_step);
        if (col == 0 || blocks.terms < k)  // else the words of these rows are in place
          split_words(mode, OperandBlock<T>{pass.rows, row, rows, p0, terms, padded}, pass.row_lines, row_words,
                      stream);
        split_words(mode, OperandBlock<T>{pass.cols, col, cols, p0, terms, padded}, pass.col_lines, col_words, stream);
        const std::size_t word = word_bytes(mode) * static_cast<std::size_t>(padded);
        const std::byte* const second_rows = row_words + static_cast<std::size_t>(rows) * word;
        const std::byte* const second_cols = col_words + static_cast<std::size_t>(cols) * word;
        bool add = p0 > 0;
        const auto multiply_words = [&](const std::byte* of_rows, const std::byte* of_cols) {
          multiply(cublas, mode, of_rows, of_cols, sums, rows, cols, padded, add);
          add = true;
        };
        // The smallest first.
        if (mode.products == 4) multiply_words(second_rows, second_cols);
        if (mode.products >= 3) {
          multiply_words(second_rows, col_words);
          multiply_words(row_words, second_cols);
        }
        multiply_words(row_words, col_words);
      }
      finish_sums(mode, pass, sums, row, rows, col, cols, stream);
    }
  }
}

template void multiword_pass(Cublas&, const MultiwordMode&, const MultiwordBlocks&, const MultiwordPass<double>&, void*,
                             cudaStream_t);
template void multiword_pass(Cublas&, const MultiwordMode&, const MultiwordBlocks&, const MultiwordPass<float>&, void*,
                             cudaStream_t);

}  // namespace accublas::cuda
