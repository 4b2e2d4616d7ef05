// The host's part of the composition: sizes, and the order of the products.
#include "cuda/multiword/portable.hpp"

#include "lib/base/integers.hpp"
#include "lib/base/test_hooks_gpu.hpp"

namespace accublas::cuda {
namespace {

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
  constexpr Index longest_chunk = 16384;
  const std::size_t entry = word_bytes(mode) * static_cast<std::size_t>(mode.words());
  return fitting_blocks<MultiwordBlocks>(m, n, k, longest_chunk, available, [&](MultiwordBlocks& b) {
    const auto total = [](Index count, std::size_t bytes) {
      return round_up(static_cast<std::size_t>(count) * bytes, 256);
    };
    b.row_bytes = total(b.rows * b.terms, entry);
    b.col_bytes = total(b.cols * b.terms, entry);
    b.sum_bytes = total(b.rows * b.cols, size_of_sum(mode));
  });
}

template <class T>
void multiword_pass(Cublas& cublas, const MultiwordMode& mode, const MultiwordBlocks& blocks,
                    const ExactArguments<T>& pass, void* workspace, cudaStream_t stream) {
  std::byte* const row_words = static_cast<std::byte*>(workspace);
  std::byte* const col_words = row_words + blocks.row_bytes;
  std::byte* const sums = col_words + blocks.col_bytes;
  cublas.scalars_on_device(false);
  for_product_parts(
      pass.rows.count, pass.cols.count, pass.rows.k, blocks,
      [&](const ProductPart& part) { split_words(mode, part.of_rows(pass.rows), pass.row_lines, row_words, stream); },
      [&](const ProductPart& part) { split_words(mode, part.of_cols(pass.cols), pass.col_lines, col_words, stream); },
      [&](const ProductPart& part) {
        const std::size_t word = word_bytes(mode) * static_cast<std::size_t>(part.padded());
        const std::byte* const second_rows = row_words + static_cast<std::size_t>(part.rows) * word;
        const std::byte* const second_cols = col_words + static_cast<std::size_t>(part.cols) * word;
        bool add = part.p0 > 0 && !mutant(GpuMutant::multiword_chunk);
        const auto multiply_words = [&](const std::byte* of_rows, const std::byte* of_cols) {
          multiply(cublas, mode, of_rows, of_cols, sums, part.rows, part.cols, part.padded(), add);
          add = true;
        };
        // The smallest first.
        if (mode.products == 4) multiply_words(second_rows, second_cols);
        if (mode.products >= 3) {
          if (!mutant(GpuMutant::multiword_product)) multiply_words(second_rows, col_words);
          multiply_words(row_words, second_cols);
        }
        multiply_words(row_words, col_words);
      },
      [&](const ProductPart& part) { finish_sums(mode, pass, sums, part, stream); });
}

template void multiword_pass(Cublas&, const MultiwordMode&, const MultiwordBlocks&, const ExactArguments<double>&,
                             void*, cudaStream_t);
template void multiword_pass(Cublas&, const MultiwordMode&, const MultiwordBlocks&, const ExactArguments<float>&, void*,
                             cudaStream_t);

}  // namespace accublas::cuda
