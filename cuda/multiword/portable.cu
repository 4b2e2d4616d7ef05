// The kernels of the composition: words of a block, and the end of its sums.
#include <cuda_fp16.h>

#include "cuda/core/check.hpp"
#include "cuda/core/operand_tiles.hpp"
#include "cuda/elements/open_elements.hpp"
#include "cuda/multiword/portable.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cuda {
namespace {

template <class Word, class T>
__global__ void __launch_bounds__(OperandTile::side* OperandTile::rows)
    split_kernel(MultiwordMode mode, OperandBlock<T> x, Lines lines, bool along_terms, Word* words) {
  const Index all = x.count * x.terms_padded;
  for_entries(x, along_terms, [&](Index i, Index p, T entry) {
    const Index line = x.first + i, at = i * x.terms_padded + p;
    const T finite = lines.special[line] != 0 ? T(0) : entry;
    const auto split = words_of(mode.format, multiword_scaled(finite, multiword_scale(mode, lines.exponent[line])));
    words[at] = static_cast<Word>(split.first);  // exact
    if (mode.words() > 1) words[all + at] = static_cast<Word>(split.second);
  });
}

template <class Sum, class T>
__global__ void finish_kernel(MultiwordMode mode, MultiwordPass<T> pass, const Sum* sums, Index first_row, Index rows,
                              Index first_col, Index cols) {
  if (leaves_c(*pass.state, pass.alpha)) return;
  const T alpha = pass.alpha.get(), beta = pass.beta.get();
  const Index pitch = OpenBits::words_per_row(pass.cols.count);
  for (Index r = blockIdx.y; r < rows; r += gridDim.y) {
    const Index row = first_row + r;
    if (pass.row_lines.special[row] != 0) continue;
    for (Index c = blockIdx.x * Index{blockDim.x} + threadIdx.x; c < cols; c += Index{gridDim.x} * blockDim.x) {
      const Index col = first_col + c;
      if (pass.col_lines.special[col] != 0) continue;
      const Sum sum = sums[r * cols + c];
      if (!is_finite(sum)) {
        atomicOr(pass.open + row * pitch + col / 32, 1u << (col % 32));
        atomicAdd(&pass.state->rejected, 1ull);
        continue;
      }
      T* const at = element(pass.at, row, col);
      const Decoded s = decode(sum);
      const auto mantissa = static_cast<std::int64_t>(s.mantissa);
      const int scale =
          multiword_scale(mode, pass.row_lines.exponent[row]) + multiword_scale(mode, pass.col_lines.exponent[col]);
      *at = finish(alpha, wide_from<1>(s.negative ? -mantissa : mantissa), s.exponent - scale, beta,
                   read_addend(beta, at));
    }
  }
}

template <class Word, class T>
void launch_split(const MultiwordMode& mode, const OperandBlock<T>& block, const Lines& lines, void* words,
                  cudaStream_t stream) {
  split_kernel<<<tile_blocks(block), dim3(OperandTile::side, OperandTile::rows), 0, stream>>>(
      mode, block, lines, lies_along_terms(block.operand), static_cast<Word*>(words));
  check_launch("split_words");
}

unsigned at_most(Index blocks, Index most) { return static_cast<unsigned>(blocks < most ? blocks : most); }

}  // namespace

template <>
void split_words(const MultiwordMode& mode, const OperandBlock<float>& block, const Lines& lines, void* words,
                 cudaStream_t stream) {
  if (mode.format == MultiwordFormat::tf32)
    launch_split<float>(mode, block, lines, words, stream);
  else
    launch_split<__half>(mode, block, lines, words, stream);
}
template <>
void split_words(const MultiwordMode& mode, const OperandBlock<double>& block, const Lines& lines, void* words,
                 cudaStream_t stream) {
  launch_split<double>(mode, block, lines, words, stream);
}

template <class T>
void finish_sums(const MultiwordMode& mode, const MultiwordPass<T>& pass, const void* sums, Index first_row, Index rows,
                 Index first_col, Index cols, cudaStream_t stream) {
  constexpr int threads = 128;
  // Sums are of the result's type: FP32 for TF32 and FP16, FP64 for TF64.
  const dim3 blocks(at_most(ceil_div(cols, Index{threads}), 1024), at_most(rows, 65535));
  finish_kernel<<<blocks, threads, 0, stream>>>(mode, pass, static_cast<const T*>(sums), first_row, rows, first_col,
                                                cols);
  check_launch("finish_sums");
}

template void finish_sums(const MultiwordMode&, const MultiwordPass<double>&, const void*, Index, Index, Index, Index,
                          cudaStream_t);
template void finish_sums(const MultiwordMode&, const MultiwordPass<float>&, const void*, Index, Index, Index, Index,
                          cudaStream_t);

}  // namespace accublas::cuda
