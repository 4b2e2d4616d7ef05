// The host's part of the products by cuBLAS: sizes, and the order of the products.
#include "cuda/multiword/portable.hpp"

#include <algorithm>
#include <type_traits>

#include "lib/base/integers.hpp"

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

/// Sets sums to one product of words, or adds it. A row-major product is the transposed product for cuBLAS: its rows
/// are our columns.
void multiply(Cublas& cublas, const MultiwordMode& mode, const std::byte* row_words, const std::byte* col_words,
              std::byte* sums, Index rows, Index cols, Index terms, bool add) {
  const auto product = [&]<class Word, class Sum>(const Word*, Sum*, auto member) {
    const Sum one = 1, zero = 0;
    (cublas.*member)(cols, rows, terms, &one, {reinterpret_cast<const Word*>(col_words), CUBLAS_OP_T, terms},
                     {reinterpret_cast<const Word*>(row_words), CUBLAS_OP_N, terms}, add ? &one : &zero,
                     reinterpret_cast<Sum*>(sums), cols);
  };
  switch (mode.format) {
    case MultiwordFormat::tf32:
      return product(static_cast<float*>(nullptr), static_cast<float*>(nullptr), &Cublas::gemm_tf32);
    case MultiwordFormat::fp16:
      return product(static_cast<std::uint16_t*>(nullptr), static_cast<float*>(nullptr), &Cublas::gemm_half);
    case MultiwordFormat::tf64:
      return product(static_cast<double*>(nullptr), static_cast<double*>(nullptr), &Cublas::gemm<double>);
  }
}

bool lies_along(const Operand<float>& x) { return x.k_stride == 1 && x.stride >= x.k; }
bool lies_across(const Operand<float>& x) { return x.stride == 1 && x.k_stride >= x.count; }

/// Returns the lines from `first` on and the terms from p0 on; `as_rows`: as a matrix whose rows are the lines.
BlasMatrix<const float> entries(const Operand<float>& x, Index first, Index p0, bool as_rows) {
  const bool along = lies_along(x);
  return {x.data + first * x.stride + p0 * x.k_stride, along == as_rows ? CUBLAS_OP_T : CUBLAS_OP_N,
          along ? x.stride : x.k_stride};
}

/// Returns whether cuBLAS may form the words itself, from operands that it can read.
template <class T>
bool of_entries(const MultiwordMode& mode, const Operand<T>& rows, const Operand<T>& cols) {
  if constexpr (std::is_same_v<T, float>) {
    const auto readable = [](const Operand<float>& x) { return lies_along(x) || lies_across(x); };
    return mode.format == MultiwordFormat::tf32 && mode.products == 1 && readable(rows) && readable(cols);
  } else {
    return false;
  }
}

/// Sets sums, whose rows are sums_ld apart, to the product of the entries, or adds it.
void multiply_entries(Cublas& cublas, const Operand<float>& rows, const Operand<float>& cols, const ProductPart& part,
                      float* sums, Index sums_ld) {
  const float one = 1, zero = 0;
  cublas.gemm_tf32(part.cols, part.rows, part.terms, &one, entries(cols, part.col, part.p0, true),
                   entries(rows, part.row, part.p0, false), part.p0 > 0 ? &one : &zero, sums, sums_ld);
}

}  // namespace

template <class T>
MultiwordBlocks multiword_blocks(const PartsTuning& tuning, const MultiwordMode& mode, const Operand<T>& rows,
                                 const Operand<T>& cols, std::size_t available) {
  const bool raw = of_entries(mode, rows, cols);
  const std::size_t entry = raw ? 0 : word_bytes(mode) * static_cast<std::size_t>(mode.words());
  return fitting_blocks<MultiwordBlocks>(tuning, rows.count, cols.count, rows.k, tuning.multiword_terms, available,
                                         [&](MultiwordBlocks& b) {
                                           b.of_entries = raw;
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
  const auto form = [&](const OperandBlock<T>& block, const Lines& lines, std::byte* words) {
    if (!blocks.of_entries) split_words(mode, block, lines, words, stream);
  };
  for_product_parts(
      pass.rows.count, pass.cols.count, pass.rows.k, blocks,
      [&](const ProductPart& part) { form(part.of_rows(pass.rows), pass.row_lines, row_words); },
      [&](const ProductPart& part) { form(part.of_cols(pass.cols), pass.col_lines, col_words); },
      [&](const ProductPart& part) {
        if constexpr (std::is_same_v<T, float>)
          if (blocks.of_entries)
            return multiply_entries(cublas, pass.rows, pass.cols, part, reinterpret_cast<float*>(sums), part.cols);
        const std::size_t word = word_bytes(mode) * static_cast<std::size_t>(part.padded());
        const std::byte* const second_rows = row_words + static_cast<std::size_t>(part.rows) * word;
        const std::byte* const second_cols = col_words + static_cast<std::size_t>(part.cols) * word;
        bool add = part.p0 > 0;
        const auto multiply_words = [&](const std::byte* of_rows, const std::byte* of_cols) {
          multiply(cublas, mode, of_rows, of_cols, sums, part.rows, part.cols, part.padded(), add);
          add = true;
        };
        // The smallest products are added first.
        if (mode.products == 4) multiply_words(second_rows, second_cols);
        if (mode.products >= 3) {
          multiply_words(second_rows, col_words);
          multiply_words(row_words, second_cols);
        }
        multiply_words(row_words, col_words);
      },
      [&](const ProductPart& part) { finish_sums(mode, pass, sums, part, stream); });
}

template <class T>
bool writes_result(const MultiwordMode& mode, const EngineCall<T>& call) {
  const auto is = [](const Scalar<T>& x, T value) { return !x.pointer && x.value == value; };
  return of_entries(mode, call.rows, call.cols) && is(call.alpha, T(1)) && is(call.beta, T(0)) &&
         call.at.col_stride == 1 && call.at.row_stride >= call.cols.count;
}

void multiply_in_place(Cublas& cublas, const PartsTuning& tuning, const EngineCall<float>& call) {
  cublas.scalars_on_device(false);
  ProductPart part{0, call.rows.count, 0, call.cols.count, 0, 0};
  for (; part.p0 < call.rows.k; part.p0 += tuning.multiword_terms) {
    part.terms = std::min(tuning.multiword_terms, call.rows.k - part.p0);
    multiply_entries(cublas, call.rows, call.cols, part, call.at.data, call.at.row_stride);
  }
}

template bool writes_result(const MultiwordMode&, const EngineCall<double>&);
template bool writes_result(const MultiwordMode&, const EngineCall<float>&);
template MultiwordBlocks multiword_blocks(const PartsTuning&, const MultiwordMode&, const Operand<double>&,
                                          const Operand<double>&, std::size_t);
template MultiwordBlocks multiword_blocks(const PartsTuning&, const MultiwordMode&, const Operand<float>&,
                                          const Operand<float>&, std::size_t);
template void multiword_pass(Cublas&, const MultiwordMode&, const MultiwordBlocks&, const ExactArguments<double>&,
                             void*, cudaStream_t);
template void multiword_pass(Cublas&, const MultiwordMode&, const MultiwordBlocks&, const ExactArguments<float>&, void*,
                             cudaStream_t);

}  // namespace accublas::cuda
