// Computes squares of a batch in which several elements are pending, by dot2's chains with bounds of their errors. The
// error of a chain is relative to the sum of the terms' magnitudes. The error of digits is relative to the largest
// entries of the row and the column, so most elements of decaying matrices are pending. A square takes the time of two
// or three single sums (batch_exact.cu). The counterpart for single matrices is cuda/dot2/tile_elements.cu.
#include "cuda/batch/batch_kernels.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/exact/decide_sum.hpp"
#include "cuda/exact/finish_element.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/dot2_block.hpp"

namespace accublas::cuda {

namespace {

constexpr int square_warps = 8, square_blocks = 2;
/// A square is computed if it has at least this many pending elements.
constexpr int least_of_square = 4;

/// The lines of a thread's four elements of a square. Element 2 h + e has row h and column e. The last line replaces
/// lines that do not exist.
template <class T>
struct SquareLines {
  const T *row[2], *col[2];
  T* at[4];
};

template <class T>
__device__ SquareLines<T> lines_of(const BatchProblem<T>& p, const BatchTiles& tiles, Index number) {
  const int lane = static_cast<int>(threadIdx.x) % 32, down = tiles.rows / 16;
  const Index tile = number / tiles.squares(), matrix = tile / tiles.of_a_matrix(), inside = tile % tiles.of_a_matrix();
  const int square = static_cast<int>(number % tiles.squares());
  const Index row = inside % tiles.row_tiles * tiles.rows + 16 * (square % down) + lane / 4;
  const Index col = inside / tiles.row_tiles * tiles.cols + 8 * (square / down) + 2 * (lane % 4);
  SquareLines<T> lines;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    lines.row[h] = p.a[matrix] + min(row + 8 * h, p.m - 1) * p.a_row;
    lines.col[h] = p.b[matrix] + min(col + h, p.n - 1) * p.b_col;
  }
#pragma unroll
  for (int q = 0; q < 4; ++q) lines.at[q] = p.c[matrix] + (row + 8 * (q / 2)) * p.c_row + (col + q % 2) * p.c_col;
  return lines;
}

/// Computes this thread's sums of a square.
template <class T>
__device__ __forceinline__ void sum_square_pairs(const BatchProblem<T>& p, const SquareLines<T>& lines,
                                                 BoundedPair<T, true> (&sum)[4]) {
  const int terms = static_cast<int>(p.k), block = static_cast<int>(dot2_block);
  const T *x0 = lines.row[0], *x1 = lines.row[1], *y0 = lines.col[0], *y1 = lines.col[1];
#pragma unroll 1
  for (int first = 0; first < terms; first += block) {
    Chain<T, true> chain[4];
    const int last = min(first + block, terms);
#pragma unroll 4
    for (int i = first; i < last; ++i, x0 += p.a_term, x1 += p.a_term, y0 += p.b_term, y1 += p.b_term) {
      const T x[2] = {*x0, *x1}, y[2] = {*y0, *y1};
#pragma unroll
      for (int q = 0; q < 4; ++q) chain[q].step(x[q / 2], y[q % 2]);
    }
#pragma unroll
    for (int q = 0; q < 4; ++q) sum[q].add(chain[q].bounded());
  }
}

template <class T>
__global__ void __launch_bounds__(32 * square_warps, square_blocks)
    squares_kernel(BatchProblem<T> p, BatchTiles tiles, std::uint32_t* open, Index squares, CallState* state) {
  await_predecessor();
  // Other thread blocks may have decided elements already. If no element is pending, this block has nothing to do.
  const volatile unsigned long long& pending = state->open[0];
  if (!__syncthreads_or(pending != 0)) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const T alpha = p.alpha.get(), beta = p.beta.get();
  const Index step = static_cast<Index>(gridDim.x) * square_warps;
  unsigned decided = 0;
  for (Index number = static_cast<Index>(blockIdx.x) * square_warps + threadIdx.x / 32; number < squares;
       number += step) {
    uint4* const words = reinterpret_cast<uint4*>(open) + number;
    const uint4 bits = *words;
    const unsigned word[4] = {bits.x, bits.y, bits.z, bits.w};
    if (__popc(bits.x) + __popc(bits.y) + __popc(bits.z) + __popc(bits.w) < least_of_square) continue;
    const SquareLines<T> lines = lines_of(p, tiles, number);
    BoundedPair<T, true> sum[4];
    sum_square_pairs(p, lines, sum);
    unsigned left[4];
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const bool done = (word[q] >> lane & 1) != 0 && decide_sum(sum[q], 0, alpha, beta, lines.at[q]);
      const unsigned now = __ballot_sync(0xFFFFFFFFu, done);
      left[q] = word[q] & ~now;
      decided += static_cast<unsigned>(__popc(now));
    }
    if (lane == 0) *words = make_uint4(left[0], left[1], left[2], left[3]);
  }
  if (lane == 0 && decided != 0) atomicAdd(&state->open[0], ~static_cast<unsigned long long>(decided) + 1);
}

}  // namespace

template <class T>
void batch_squares(const DeviceModel& model, const BatchProblem<T>& p, const BatchTiles& tiles, std::uint32_t* open,
                   CallState* state, cudaStream_t stream) {
  const Index squares = p.count * tiles.of_a_matrix() * tiles.squares();
  const Index blocks = ceil_div(squares, Index{square_warps}), places = Index{square_blocks} * model.processors;
  launch(model, "squares of a batch", squares_kernel<T>,
         {static_cast<unsigned>(blocks < places ? blocks : places), 32 * square_warps}, stream, p, tiles, open, squares,
         state);
}

template void batch_squares<double>(const DeviceModel&, const BatchProblem<double>&, const BatchTiles&, std::uint32_t*,
                                    CallState*, cudaStream_t);
template void batch_squares<float>(const DeviceModel&, const BatchProblem<float>&, const BatchTiles&, std::uint32_t*,
                                   CallState*, cudaStream_t);

}  // namespace accublas::cuda
