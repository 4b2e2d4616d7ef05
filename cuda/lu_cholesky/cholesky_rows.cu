// This kernel computes X in tiles of 64 x 64. A thread block processes one column of tiles, top down. For each tile it
// first multiplies the contributions of the tiles above on the tensor cores, whose binary64 products are chains of
// FMAs; then it substitutes the tile's unknowns. The thread blocks that have the tiles of the diagonal factor those.
// All tiles to their right wait for them. These thread blocks are the first, and wait for none but those before them.
// Two products of 64 terms and two ways through global memory lie between a tile of the diagonal and the next.
#include "cuda/core/launch.hpp"
#include "cuda/core/ptx_portable.hpp"
#include "cuda/lu_cholesky/cholesky_rows.hpp"
#include "cuda/trsm/substitution.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

constexpr int edge = static_cast<int>(cholesky_tile), rows_warps = 8, rows_threads = 32 * rows_warps, group = 16,
              groups = edge / group, pitch = edge + 4;  // lanes that read 4 rows of 4 columns have no bank conflicts

struct RowsJob {
  Matrix<double> x;  ///< begins at the first row's diagonal
  int tiles;         ///< number of tiles on the diagonal
  Index rows, columns, first;
  RowsProgress* progress;
  std::uint32_t steps;
  long long* info;
};

using Tile = double[edge][pitch];

struct RowsStorage {
  Tile other, own;  ///< a tile of another column of tiles, and the block's current tile
  double reciprocal[edge];
  int column, rows;
};

/// A warp keeps sums of 16 rows and 32 columns of a tile. They are laid out as in ptx::mma_16x8x16, with columns 8 n ..
/// 8 n + 7 in sums[n].
using Sums = double[4][4];

class Rows {
 public:
  __device__ Rows(const RowsJob& job, RowsStorage& storage) : job_(job), s_(storage) {}

  __device__ void run() {
    if (threadIdx.x == 0) s_.column = static_cast<int>(atomicAdd(&job_.progress->taken, 1u) - job_.steps);
    __syncthreads();
    const int column = s_.column;
    const bool on_diagonal = column < job_.tiles;
    Sums square;
    if (on_diagonal) load_sums(square, column, column);
    for (int row = 0; row < min(column, job_.tiles); ++row) {
      Sums sums;
      load_sums(sums, row, column);
      subtract_above(sums, row, column);
      await_tiles(row, row + 1);
      Numbers diagonal;
      load(diagonal, row, row);
      __syncthreads();
      put_sums(s_.own, sums);
      put(s_.other, diagonal);
      __syncthreads();
      if (threadIdx.x < edge) s_.reciprocal[threadIdx.x] = reciprocal_of(s_.other[threadIdx.x][threadIdx.x]);
      __syncthreads();
      solve();
      store(row, column, edge);
      if (!on_diagonal) continue;
      subtract(square, s_.own, s_.own);
      __syncthreads();
      if (row + 1 < column) set_flag(column, row + 1);
    }
    if (!on_diagonal) return;
    put_sums(s_.own, square);
    __syncthreads();
    if (edge * Index{column + 1} > job_.rows) {
      // Rows beyond the last one get ones on the diagonal.
      const int at = static_cast<int>(threadIdx.x);
      if (at < edge && edge * Index{column} + at >= job_.rows) s_.own[at][at] = 1;
      __syncthreads();
    }
    // The last warp sets this flag while other warps begin to factor the tile.
    if (column > 0) set_flag(column, column);
    const int made = factor();
    store(column, column, made);
    const Index failed = edge * Index{column} + made;
    if (threadIdx.x == 0 && made < edge)
      atomicCAS(reinterpret_cast<unsigned long long*>(job_.info), 0ull,
                static_cast<unsigned long long>(job_.first + failed + 1));
    __syncthreads();
    set_flag(column, column + 1);
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }

  // ---- flags between thread blocks ----

  /// Sets the flag that `made` tiles of the block's column are in memory. The last warp does so, after a barrier of the
  /// block.
  __device__ void set_flag(int column, int made) const {
    if (threadIdx.x == rows_threads - 1)
      ptx::store_release(&job_.progress->made[column], job_.steps + static_cast<std::uint32_t>(made));
  }
  /// Waits until `made` tiles of a column are in memory. The flag's last value of that column is kept.
  __device__ void await_tiles(int column, int made) {
    const std::uint32_t wanted = job_.steps + static_cast<std::uint32_t>(made);
    if (column != flag_column_) flag_column_ = column, flag_ = job_.steps;
    if (lane() == 0)
      while (static_cast<std::int32_t>(flag_ - wanted) < 0) flag_ = ptx::load_acquire(&job_.progress->made[column]);
    __syncwarp();
  }

  // ---- tiles in memory, without branches, so that many loads are in flight at a time; 0 beyond the end ----

  __device__ bool by_columns() const { return job_.x.row_stride == 1; }
  /// A thread's part of a tile: `count` numbers, 4 rows (or columns) apart. A warp has 8 neighbours in memory in each
  /// of 4 rows (or columns).
  struct Part {
    double* from;
    Index step;
    int count, row, column;
  };
  __device__ Part part_of(int row, int column) const {
    const int fast = lane() % 4 + lane() / 16 * 4 + 8 * warp(), slow = lane() / 4 % 4;
    const int r = by_columns() ? fast : slow, c = by_columns() ? slow : fast;
    const Index first_row = edge * Index{row}, first_column = edge * Index{column};
    const int rows = static_cast<int>(min(Index{edge}, job_.rows - first_row)),
              columns = static_cast<int>(min(Index{edge}, job_.columns - first_column));
    const int lines = by_columns() ? columns : rows, length = by_columns() ? rows : columns;
    return {&job_.x(first_row + r, first_column + c), 4 * (by_columns() ? job_.x.col_stride : job_.x.row_stride),
            fast < length ? (lines - slow + 3) / 4 : 0, r, c};
  }
  __device__ int step_in_tile() const { return by_columns() ? 4 : 4 * pitch; }
  struct Numbers {
    double number[edge / 4];
    int count;
  };
  /// Loads a thread's part through L2, since other blocks have written it. Nothing waits for the numbers before put().
  __device__ void load(Numbers& numbers, int row, int column) const {
    const Part part = part_of(row, column);
    numbers.count = part.count;
#pragma unroll
    for (int i = 0; i < edge / 4; ++i)
      numbers.number[i] = __ldcg(i < part.count ? part.from + i * part.step : job_.x.data);
  }
  __device__ void put(Tile& tile, const Numbers& numbers) const {
    const Part part = part_of(0, 0);
    double* const at = &tile[part.row][part.column];
#pragma unroll
    for (int i = 0; i < edge / 4; ++i) at[i * step_in_tile()] = i < numbers.count ? numbers.number[i] : 0;
  }
  /// Stores the first `count` rows of the block's tile; of a tile on the diagonal only the upper triangle.
  __device__ void store(int row, int column, int count) const {
    const Part part = part_of(row, column);
    const double* const at = &s_.own[part.row][part.column];
#pragma unroll
    for (int i = 0; i < edge / 4; ++i) {
      const int r = part.row + (by_columns() ? 0 : 4 * i), c = part.column + (by_columns() ? 4 * i : 0);
      if (i < part.count && r < count && (r <= c || row < column)) part.from[i * part.step] = at[i * step_in_tile()];
    }
  }

  // ---- sums ----

  template <class Body>
  __device__ static void for_sums(Sums& sums, Body&& body) {
    const int first_row = group * (warp() % groups) + lane() / 4,
              first_column = 32 * (warp() / groups) + lane() % 4 * 2;
#pragma unroll
    for (int n = 0; n < 4; ++n)
#pragma unroll
      for (int at = 0; at < 4; ++at) body(sums[n][at], first_row + 8 * (at / 2), first_column + 8 * n + at % 2);
  }
  __device__ void load_sums(Sums& sums, int row, int column) const {
    const Index first_row = edge * Index{row}, first_column = edge * Index{column};
    const double* const from = &job_.x(first_row, first_column);
    for_sums(sums, [&](double& sum, int r, int c) {
      const bool there = first_row + r < job_.rows && first_column + c < job_.columns;
      sum = __ldcg(there ? from + r * job_.x.row_stride + c * job_.x.col_stride : job_.x.data);
      sum = there ? sum : 0;
    });
  }
  __device__ static void put_sums(Tile& tile, Sums& sums) {
    for_sums(sums, [&](double& sum, int r, int c) { tile[r][c] = sum; });
  }
  /// Subtracts the contributions of the tiles above. The loads of the next two tiles are in flight while two are
  /// multiplied.
  __device__ void subtract_above(Sums& sums, int row, int column) {
    Numbers other, own;
    const auto fetch = [&](int above) {
      await_tiles(row, above + 1);
      load(other, above, row);
      load(own, above, column);
    };
    if (row > 0) fetch(0);
    for (int above = 0; above < row; ++above) {
      __syncthreads();
      put(s_.other, other);
      put(s_.own, own);
      __syncthreads();
      if (above + 1 < row) fetch(above + 1);
      subtract(sums, s_.other, s_.own);
    }
  }
  /// Computes sums -= X^T Y.
  __device__ static void subtract(Sums& sums, const Tile& x, const Tile& y) {
    const int rows = group * (warp() % groups), columns = 32 * (warp() / groups);
#pragma unroll
    for (int first = 0; first < edge; first += group) {
      double of_x[8];
      take_terms(of_x, x, first, rows);
#pragma unroll
      for (int n = 0; n < 4; ++n) subtract_terms(sums[n], of_x, y, first, columns + 8 * n);
    }
  }
  /// Loads 16 terms of 16 of X's columns, negated.
  __device__ static void take_terms(double (&of_x)[8], const Tile& x, int first, int column) {
#pragma unroll
    for (int at = 0; at < 8; ++at)
      of_x[at] = negated(x[first + lane() % 4 + 4 * (at / 2)][column + lane() / 4 + 8 * (at % 2)]);
  }
  __device__ static void subtract_terms(double (&sums)[4], const double (&of_x)[8], const Tile& y, int first,
                                        int column) {
    double of_y[4];
#pragma unroll
    for (int q = 0; q < 4; ++q) of_y[q] = y[first + lane() % 4 + 4 * q][column + lane() / 4];
    ptx::mma_16x8x16(sums, of_x, of_y);
  }
  /// Subtracts the contributions of rows first .. first + 15 from rows 16 below .. + 15 of y, for columns 8 n .. 8 n +
  /// 7.
  __device__ static void subtract_group(const Tile& x, Tile& y, int first, int below, int n) {
    double of_x[8], sums[4];
    take_terms(of_x, x, first, group * below);
    double* const upper = &y[group * below + lane() / 4][8 * n + lane() % 4 * 2];
    double* const lower = upper + 8 * pitch;
    sums[0] = upper[0], sums[1] = upper[1], sums[2] = lower[0], sums[3] = lower[1];
    subtract_terms(sums, of_x, y, first, 8 * n);
    upper[0] = sums[0], upper[1] = sums[1], lower[0] = sums[2], lower[1] = sums[3];
  }

  // The following functions compute the unknowns of a tile, and of a diagonal tile, 16 rows at a time, by a few warps.
  // The contributions of these rows to the next 16 are subtracted at once; the other warps subtract the rest while the
  // next rows are computed.

  __device__ void solve() {
#pragma unroll 1
    for (int g = 0; g < groups; ++g) {
      const int first = group * g, side = static_cast<int>(threadIdx.x);
      if (side < edge) {
        substitute<group>([&](int i, int j) { return s_.other[first + j][first + i]; },
                          [&](int i) -> double& { return s_.own[first + i][side]; },
                          [&](int i) { return s_.reciprocal[first + i]; });
      } else if (g > 0) {
        for (int at = warp() - 2; at < 8 * (groups - 1 - g); at += rows_warps - 2)
          subtract_group(s_.other, s_.own, first - group, g + 1 + at / 8, at % 8);
      }
      __syncthreads();
      if (g + 1 < groups) subtract_group(s_.other, s_.own, first, g + 1, warp());
      __syncthreads();
    }
  }

  /// Computes rows of X in s_.own over those of A. Returns the number of rows before the first without a pivot.
  __device__ int factor() {
    if (threadIdx.x == 0) s_.rows = edge;
#pragma unroll 1
    for (int g = 0; g < groups; ++g) {
      const int first = group * g, makers = max(1, groups - 1 - g);
      double number[group];
      bool sure = true;
      if (warp() < makers) {
        sure = factor_group(number, first);
      } else if (g > 0) {
        int turn = makers;
        for (int below = g + 1; below < groups; ++below)
          for (int n = 2 * below; n < edge / 8; ++n) {
            if (turn == warp()) subtract_group(s_.own, s_.own, first - group, below, n);
            turn = turn + 1 < rows_warps ? turn + 1 : makers;
          }
      }
      sure = __syncthreads_and(sure);
      if (sure && warp() < makers) put_group(number, first);
      if (!sure && warp() == 0) factor_with_care(first);
      __syncthreads();
      if (s_.rows < edge) break;
      const int n = 2 * (g + 1) + warp();
      if (n < edge / 8) subtract_group(s_.own, s_.own, first, g + 1, n);
      __syncthreads();
    }
    return s_.rows;
  }
  /// Returns the lane's column of rows first .. first + 15. The first 16 lanes of every warp have the diagonal's
  /// columns; the other lanes have columns of their own.
  __device__ static int column_of(int first) { return first + lane() + (lane() < group ? 0 : group * warp()); }
  /// Returns whether all numbers are in the range of divide_by_reciprocal.
  __device__ bool factor_group(double (&number)[group], int first) {
    const int column = column_of(first);
#pragma unroll
    for (int r = 0; r < group; ++r) number[r] = column < edge ? s_.own[first + r][column] : 0;
    bool sure = true;
    // Every lane computes the pivot and the numbers of the next pivot for itself, since all lanes wait for them.
    double pivot = __shfl_sync(0xFFFFFFFFu, number[0], 0), beside = __shfl_sync(0xFFFFFFFFu, number[0], 1),
           next = __shfl_sync(0xFFFFFFFFu, number[1], 1);
#pragma unroll
    for (int r = 0; r < group; ++r) {
      sure &= pivot > 0 & is_moderate(pivot) & (lane() <= r | is_moderate_or_zero(number[r]));
      const double reciprocal = rsqrt(pivot), half = 0.5 * reciprocal;
      const double estimate = __dmul_rn(pivot, reciprocal);
      const double root = __fma_rn(__fma_rn(-estimate, estimate, pivot), half, estimate);
      const double x_next = divide_by_reciprocal(beside, root, reciprocal);
      pivot = __fma_rn(-x_next, x_next, next);
      number[r] = lane() == r ? root : divide_by_reciprocal(number[r], root, reciprocal);
#pragma unroll
      for (int p = r + 1; p < group; ++p) {
        const double x = p == r + 1 ? x_next : __shfl_sync(0xFFFFFFFFu, number[r], p);
        number[p] = __fma_rn(-x, number[r], number[p]);
        if (p == r + 2) {
          beside = __shfl_sync(0xFFFFFFFFu, number[r + 1], p);
          next = __shfl_sync(0xFFFFFFFFu, number[p], p);
        }
      }
    }
    return sure;
  }
  __device__ void put_group(const double (&number)[group], int first) {
    const int column = column_of(first);
    if (column >= edge || (lane() < group && warp() > 0)) return;
#pragma unroll
    for (int r = 0; r < group; ++r)
      if (first + r <= column) s_.own[first + r][column] = number[r];
  }

  /// Factors the group of rows from `first` on for any numbers, with divisions and roots of IEEE.
  __device__ void factor_with_care(int first) {
#pragma unroll 1
    for (int r = first; r < first + group; ++r) {
      const double pivot = s_.own[r][r];
      __syncwarp();
      if (!(pivot > 0)) {
        if (lane() == 0) s_.rows = r;
        return;
      }
      const double root = __dsqrt_rn(pivot);
      for (int q = r + lane(); q < edge; q += 32) s_.own[r][q] = q == r ? root : __ddiv_rn(s_.own[r][q], root);
      __syncwarp();
      for (int p = r + 1; p < first + group; ++p)
        for (int q = r + lane(); q < edge; q += 32)
          if (q >= p) s_.own[p][q] = __fma_rn(-s_.own[r][p], s_.own[r][q], s_.own[p][q]);
      __syncwarp();
    }
  }

  const RowsJob& job_;
  RowsStorage& s_;
  int flag_column_ = -1;
  std::uint32_t flag_ = 0;
};

/// `each`: number of thread blocks that a multiprocessor holds at a time.
template <int each>
__global__ void __launch_bounds__(rows_threads, each) cholesky_rows_kernel(const __grid_constant__ RowsJob job) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  Rows(job, *reinterpret_cast<RowsStorage*>(memory)).run();
}

}  // namespace

void cholesky_rows(const DeviceModel& model, const Matrix<double>& x, Index first, Index count, Index end,
                   RowsProgress* progress, std::uint32_t& steps, long long* info, cudaStream_t stream) {
  const char* const what = "rows of Cholesky's factorization";
  const auto blocks = static_cast<unsigned>(ceil_div(end - first, Index{edge}));
  // One thread block a multiprocessor is faster if all blocks fit; two share its registers.
  const auto kernel =
      blocks <= static_cast<unsigned>(model.processors) ? cholesky_rows_kernel<1> : cholesky_rows_kernel<2>;
  allow_shared_bytes(kernel, sizeof(RowsStorage), what);
  launch(model, what, kernel, {blocks, rows_threads, sizeof(RowsStorage)}, stream,
         RowsJob{x.block(first, first), static_cast<int>(ceil_div(count, Index{edge})), count, end - first, first,
                 progress, steps, info});
  steps += blocks;
}

}  // namespace accublas::cuda
