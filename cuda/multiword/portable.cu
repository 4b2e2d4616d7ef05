// The kernels of the products by cuBLAS: they split a block's entries into words, and finish its sums.
#include <cuda_fp16.h>

#include "cuda/core/check.hpp"
#include "cuda/core/operand_tiles.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/multiword/portable.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/multiword_finish.hpp"

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
__global__ void finish_kernel(MultiwordMode mode, ExactArguments<T> pass, const Sum* sums, ProductPart part) {
  if (leaves_c(*pass.state, pass.alpha)) return;
  const T alpha = pass.alpha.get(), beta = pass.beta.get();
  const Index pitch = OpenBits::words_per_row(pass.cols.count);
  for (Index r = blockIdx.y; r < part.rows; r += gridDim.y) {
    const Index row = part.row + r;
    if (pass.row_lines.special[row] != 0) continue;
    for (Index c = blockIdx.x * Index{blockDim.x} + threadIdx.x; c < part.cols; c += Index{gridDim.x} * blockDim.x) {
      const Index col = part.col + c;
      if (pass.col_lines.special[col] != 0) continue;
      const Sum sum = sums[r * part.cols + c];
      if (!is_finite(sum)) {
        atomicOr(pass.open + row * pitch + col / 32, 1u << (col % 32));
        atomicAdd(&pass.state->rejected, 1ull);
        continue;
      }
      T* const at = element(pass.at, row, col);
      const int scale =
          multiword_scale(mode, pass.row_lines.exponent[row]) + multiword_scale(mode, pass.col_lines.exponent[col]);
      *at = finish_multiword(alpha, sum, scale, beta, read_addend(beta, at));
    }
  }
}

template <class Word, class T>
void launch_split(const MultiwordMode& mode, const OperandBlock<T>& block, const Lines& lines, void* words,
                  cudaStream_t stream) {
  if (rehearses()) return;
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
void finish_sums(const MultiwordMode& mode, const ExactArguments<T>& pass, const void* sums, const ProductPart& part,
                 cudaStream_t stream) {
  if (rehearses()) return;
  constexpr int threads = 128;
  // Sums have the result's type: FP32 for TF32 and FP16, FP64 for TF64.
  const dim3 blocks(at_most(ceil_div(part.cols, Index{threads}), 1024), at_most(part.rows, 65535));
  finish_kernel<<<blocks, threads, 0, stream>>>(mode, pass, static_cast<const T*>(sums), part);
  check_launch("finish_sums");
}

template void finish_sums(const MultiwordMode&, const ExactArguments<double>&, const void*, const ProductPart&,
                          cudaStream_t);
template void finish_sums(const MultiwordMode&, const ExactArguments<float>&, const void*, const ProductPart&,
                          cudaStream_t);

}  // namespace accublas::cuda
