// Mode cr for flat products, whose sums have at most 128 terms, by the arithmetic of batch_cr.cu. A batch cuts the
// lines of every tile into digits. In a flat product many tiles share a line, so one kernel cuts all lines first, and
// leaves the digits in device memory in the order of shared memory. A thread block then copies the digits of a tile's
// rows, and those of its columns for each new column of tiles. Residues would move some 40 bytes an element through
// device memory; here only C moves.
#include <algorithm>

#include "cuda/batch/batch_cr_square.hpp"
#include "cuda/batch/flat_kernels.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/occupancy.hpp"
#include "cuda/exact/open_elements.hpp"

namespace accublas::cuda {

namespace {

constexpr int cut_threads = 256;

/// A tile in shared memory, and the cut lines of a side of a tile in device memory.
template <class T, int Terms>
using FlatTile = Shape<T, flat_lines, flat_lines, Terms, 1, Terms <= 64 ? 256 : 512>;
template <class T, int Terms>
using CutLines = Shape<T, flat_lines / 2, flat_lines / 2, Terms, 1, cut_threads>;

/// Cuts the lines of both sides: those of A's rows come first, and thread block i has the i-th group of lines.
template <class T, class Cut>
__global__ void __launch_bounds__(cut_threads) cut_flat_lines(BatchProblem<T> p, BatchTiles tiles, Cut* cut) {
  static_assert(Cut::lines == flat_lines && 8 * Cut::warps == flat_lines);
  await_predecessor();
  const int line = static_cast<int>(threadIdx.x) / 4;
  const bool of_rows = blockIdx.x < tiles.row_tiles;
  const Index at = (of_rows ? blockIdx.x : blockIdx.x - tiles.row_tiles) * Index{flat_lines} + line;
  const Line<T> entries =
      of_rows ? Line<T>{p.a[0] + at * p.a_row, p.a_term, at < p.m} : Line<T>{p.b[0] + at * p.b_col, p.b_term, at < p.n};
  T x[Cut::terms / 4];
  load_line(entries, 0, static_cast<int>(p.k), x);
  cut_cr_line(x, line, static_cast<int>(p.k), cut[blockIdx.x]);
}

/// Starts the copy of a group of lines to the tile's lines from `first` on.
template <class S, class Cut>
__device__ __forceinline__ void copy_lines(const Cut& from, S& to, int first) {
  constexpr int chunks = Cut::lines * Cut::pitch / 16;  // of 16 bytes, of a digit
  static_assert(Cut::pitch == S::pitch && flat_lines % (128 / Cut::terms * (Cut::terms / 16)) == 0,
                "the lines' words are in the same order");
  for (int i = static_cast<int>(threadIdx.x); i < Cut::digits * chunks; i += S::threads)
    ptx::copy_16(ptx::shared_address(&to.digit[i / chunks][first][0]) + i % chunks * 16,
                 reinterpret_cast<const uint4*>(&from.digit[i / chunks][0][0]) + i % chunks);
  const int line = static_cast<int>(threadIdx.x);
  if (line < flat_lines) {
    to.field[first + line] = from.field[line];
    to.mask[first + line] = from.mask[line];
  }
}

template <class T, class S, class Cut>
__global__ void __launch_bounds__(S::threads, S::blocks)
    flat_kernel(BatchProblem<T> p, BatchTiles tiles, const Cut* cut, std::uint32_t* open, bool all_undecided,
                CallState* state) {
  extern __shared__ uint4 memory[];
  S& shared = *reinterpret_cast<S*>(memory);
  await_predecessor();
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const Scalars<T> scalars(p.alpha.get(), p.beta.get());
  const bool scaled_only = is_zero(scalars.alpha);
  // Adjacent tiles lie one below the other, so that a thread block seldom changes its columns.
  const Index all = tiles.of_a_matrix(), first = all * blockIdx.x / gridDim.x, end = all * (blockIdx.x + 1) / gridDim.x;
  Left left;
  Index held = -1;
  for (Index t = first; t < end; ++t) {
    const Index row_tile = t % tiles.row_tiles, col_tile = t / tiles.row_tiles;
    __syncthreads();  // the lines of the tile before are not needed any more
    if (!scaled_only) {
      copy_lines(cut[row_tile], shared, 0);
      if (col_tile != held) copy_lines(cut[tiles.row_tiles + col_tile], shared, flat_lines);
      held = col_tile;
      ptx::copies_wait();
    }
    __syncthreads();
#pragma unroll 1
    for (int number = warp; number < S::squares; number += S::warps) {
      const int row = 16 * (number % (flat_lines / 16)), col = 8 * (number / (flat_lines / 16));
      const Square square{row, flat_lines + col, {0, 0}, row_tile * flat_lines + row, col_tile * flat_lines + col,
                          true};
      compute_square(p, tiles, square, scalars, all_undecided, shared, open, nullptr, &left);
    }
  }
  add_to_state<T>(left, state);
}

BatchTiles flat_tiles(Index m, Index n) {
  BatchTiles tiles{flat_lines, flat_lines, ceil_div(m, Index{flat_lines}), ceil_div(n, Index{flat_lines})};
  tiles.open_pitch = OpenBits::words_per_row(m);
  return tiles;
}

template <class T, int Terms>
void launch_flat(const DeviceModel& model, const BatchProblem<T>& p, std::byte* cut_lines, std::uint32_t* open,
                 bool all_undecided, CallState* state, cudaStream_t stream) {
  using S = FlatTile<T, Terms>;
  using Cut = CutLines<T, Terms>;
  const BatchTiles tiles = flat_tiles(p.m, p.n);
  Cut* const cut = reinterpret_cast<Cut*>(cut_lines);
  launch(model, "digits of a flat product", cut_flat_lines<T, Cut>,
         {static_cast<unsigned>(tiles.row_tiles + tiles.col_tiles), cut_threads}, stream, p, tiles, cut);
  const auto kernel = flat_kernel<T, S, Cut>;
  LaunchShape shape{1, S::threads, sizeof(S)};
  const Index resident = resident_blocks(model, "flat product", kernel, shape);
  shape.grid = static_cast<unsigned>(std::min(resident, tiles.of_a_matrix()));
  launch(model, "flat product", kernel, shape, stream, p, tiles, static_cast<const Cut*>(cut), open, all_undecided,
         state);
}

}  // namespace

bool flat_cr_serves(const DeviceModel& model, Index k) {
  const std::size_t bytes = k <= 64 ? sizeof(FlatTile<double, 64>) : sizeof(FlatTile<double, flat_terms>);
  return k <= flat_terms && bytes <= shared_limit(model);
}

std::size_t flat_line_bytes(Index m, Index n, Index k) {
  const BatchTiles tiles = flat_tiles(m, n);
  const std::size_t group = k <= 64 ? sizeof(CutLines<double, 64>) : sizeof(CutLines<double, 128>);
  return static_cast<std::size_t>(tiles.row_tiles + tiles.col_tiles) * group;
}

template <class T>
void flat_cr(const DeviceModel& model, const BatchProblem<T>& p, std::byte* cut_lines, std::uint32_t* open,
             bool all_undecided, CallState* state, cudaStream_t stream) {
  const auto start = p.k <= 64 ? launch_flat<T, 64> : launch_flat<T, 128>;
  start(model, p, cut_lines, open, all_undecided, state, stream);
}

template void flat_cr<double>(const DeviceModel&, const BatchProblem<double>&, std::byte*, std::uint32_t*, bool,
                              CallState*, cudaStream_t);
template void flat_cr<float>(const DeviceModel&, const BatchProblem<float>&, std::byte*, std::uint32_t*, bool,
                             CallState*, cudaStream_t);

}  // namespace accublas::cuda
