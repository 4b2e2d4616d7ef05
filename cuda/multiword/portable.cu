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

constexpr int scan_threads = 256, scan_words = 4;  // scan_words: words of the bitmap that a warp has at a time

__global__ void __launch_bounds__(scan_threads)
    find_not_finite(Matrix<float> at, Index rows, Index cols, std::uint32_t* open, CallState* state) {
  const Index pitch = OpenBits::words_per_row(cols), words = rows * pitch;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Index warps = Index{gridDim.x} * (scan_threads / 32);
  unsigned count = 0;
  for (Index first = (Index{blockIdx.x} * (scan_threads / 32) + threadIdx.x / 32) * scan_words; first < words;
       first += warps * scan_words) {
    float x[scan_words];
#pragma unroll
    for (int q = 0; q < scan_words; ++q) {
      const Index row = (first + q) / pitch, col = (first + q) % pitch * 32 + lane;
      x[q] = first + q < words && col < cols ? __ldcs(at.data + row * at.row_stride + col) : 0.0f;
    }
#pragma unroll
    for (int q = 0; q < scan_words; ++q) {
      const unsigned bits = __ballot_sync(0xFFFFFFFFu, !is_finite(x[q]));
      if (lane == 0 && first + q < words) open[first + q] = bits;
      count += static_cast<unsigned>(__popc(bits));
    }
  }
  if (lane == 0 && count != 0) atomicAdd(&state->rejected, static_cast<unsigned long long>(count));
}

/// One thread block: special lines are rare.
__global__ void __launch_bounds__(1024)
    count_again(Lines rows, Lines cols, const std::uint32_t* open, CallState* state) {
  if (state->rows.special == 0 && state->cols.special == 0) return;
  __shared__ unsigned long long total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const Index pitch = OpenBits::words_per_row(cols.count), words = rows.count * pitch;
  unsigned long long count = 0;
  for (Index w = threadIdx.x; w < words; w += blockDim.x) {
    if (open[w] == 0 || rows.special[w / pitch] != 0) continue;
    for (std::uint32_t rest = open[w]; rest != 0; rest &= rest - 1)
      count += cols.special[w % pitch * 32 + __ffs(static_cast<int>(rest)) - 1] == 0;
  }
  if (count != 0) atomicAdd(&total, count);
  __syncthreads();
  if (threadIdx.x == 0) state->rejected = total;
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

void open_not_finite(const Matrix<float>& at, Index rows, Index cols, std::uint32_t* open, CallState* state,
                     cudaStream_t stream) {
  if (rehearses()) return;
  const Index of_block = scan_threads / 32 * scan_words;
  const unsigned blocks = at_most(ceil_div(rows * OpenBits::words_per_row(cols), of_block), 4096);
  find_not_finite<<<blocks, scan_threads, 0, stream>>>(at, rows, cols, open, state);
  check_launch("open_not_finite");
}

void count_finite_lines(const Lines& rows, const Lines& cols, const std::uint32_t* open, CallState* state,
                        cudaStream_t stream) {
  if (rehearses()) return;
  count_again<<<1, 1024, 0, stream>>>(rows, cols, open, state);
  check_launch("count_finite_lines");
}

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
