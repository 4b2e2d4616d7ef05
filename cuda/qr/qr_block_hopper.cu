// Applies the panels of a block of columns to each other, by products on the tensor cores. These products are too small
// for cuBLAS, each of whose calls takes as long as all products here. Columns are taken in groups of 32.
// panel_products_kernel computes V^T C for a panel's vectors V and a group C of columns to its right, or of vectors to
// its left; each thread block sums a part of the rows. apply_panel_kernel adds up these parts. It then updates C, or
// writes products of vectors to S.
#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/core/ptx_portable.hpp"
#include "cuda/qr/qr_arithmetic.hpp"
#include "cuda/qr/qr_kernels.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda::hopper {
namespace {

constexpr int group_columns = qr_panel_columns<double>, square = group_columns * group_columns, step_warps = 8,
              step_threads = step_warps * lanes, tile_rows = 16,
              line = group_columns + 4;  ///< doubles from row to row in shared memory; lanes use different banks
constexpr Index rows_of_step = step_warps * tile_rows;
static_assert(group_columns == 32);

__device__ __forceinline__ int lane_number() { return static_cast<int>(threadIdx.x) % lanes; }
__device__ __forceinline__ int warp_number() { return static_cast<int>(threadIdx.x) / lanes; }

__device__ __forceinline__ Matrix<double> from(const Matrix<double>& x, Index row, Index column) {
  return {x.data + row + column * x.col_stride, 1, x.col_stride};
}

/// The argument of the kernels that apply the panel at column `first` of a block.
struct Step {
  QrBlock<double> block;
  Index first;
  int parts;        ///< thread blocks that share the rows of a sum
  Index rows_each;  ///< rows of such a thread block

  __device__ Index rows() const { return block.rows - first; }
  __device__ int panel() const { return static_cast<int>(first / group_columns); }
  __device__ int width(int group) const {
    return static_cast<int>(min(Index{group_columns}, block.cols - Index{group} * group_columns));
  }
  /// Returns the thread block's group of columns. The grid has all groups but the panel's own along y.
  __device__ int group() const { return static_cast<int>(blockIdx.y) + (static_cast<int>(blockIdx.y) >= panel()); }
  __device__ double* sums(int part) const {
    return block.sums + (static_cast<Index>(blockIdx.y) * parts + part) * square;
  }
};

// ---- V^T C ----

/// A lane's elements of 16 rows of V and of C.
struct ProductTerms {
  double v[2][8], c[4][4];

  /// Loads rows row .. row + 15, with zeros for rows from `end` on.
  __device__ __forceinline__ void load(const Matrix<double>& of_v, int v_width, const Matrix<double>& of_c, int c_width,
                                       Index row, Index end) {
    // The loads have no branches, so that all are in flight at a time.
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const Index term = row + lane_number() % 4 + 4 * q, at = min(term, end - 1);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int column = lane_number() / 4 + 8 * i;
        const double x = of_v(at, min(column, v_width - 1)), y = of_c(at, min(column, c_width - 1));
        v[i / 2][i % 2 + 2 * q] = term < end ? x : 0;
        c[i][q] = term < end ? y : 0;
      }
    }
  }
};

__global__ void __launch_bounds__(step_threads) panel_products_kernel(const __grid_constant__ Step step) {
  await_predecessor();
  __shared__ double of_warp[step_warps / 2][square];
  const int group = step.group();
  const Matrix<double> v = from(step.block.v, step.first, step.first),
                       c = from(group < step.panel() ? step.block.v : step.block.a, step.first,
                                Index{group} * group_columns);
  const int v_width = step.width(step.panel()), c_width = step.width(group);
  const Index begin = Index{blockIdx.x} * step.rows_each, end = min(begin + step.rows_each, step.rows());
  double sum[2][4][4]{};
  ProductTerms now, next;
  Index row = begin + tile_rows * warp_number();
  if (row < end) now.load(v, v_width, c, c_width, row, end);
#pragma unroll 1
  for (; row < end; row += rows_of_step) {
    if (row + rows_of_step < end) next.load(v, v_width, c, c_width, row + rows_of_step, end);
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) ptx::mma_16x8x16(sum[i][j], now.v[i], now.c[j]);
    now = next;
  }
  // Warps w and w + 4 add up their sums first, then all threads add up those of the four pairs.
  const auto for_sums = [&](double* of, auto&& body) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int at = 0; at < 4; ++at)
          body(of[(16 * i + lane_number() / 4 + 8 * (at / 2)) * group_columns + 8 * j + lane_number() % 4 * 2 + at % 2],
               sum[i][j][at]);
  };
  double* const mine = of_warp[warp_number() % (step_warps / 2)];
  if (warp_number() >= step_warps / 2) for_sums(mine, [](double& to, double x) { to = x; });
  __syncthreads();
  if (warp_number() < step_warps / 2) for_sums(mine, [](double& to, double x) { to += x; });
  __syncthreads();
  double* const to = step.sums(static_cast<int>(blockIdx.x));
  for (int i = static_cast<int>(threadIdx.x); i < square; i += step_threads)
    to[i] = (of_warp[0][i] + of_warp[1][i]) + (of_warp[2][i] + of_warp[3][i]);
}

// ---- C - V T^T (V^T C) ----

constexpr int tiles_each = 4;  ///< tiles of a warp
constexpr Index rows_of_block = step_warps * tiles_each * tile_rows;

/// A lane's elements of 16 rows of V and of C.
struct UpdateTile {
  double v[2][8], c[4][4];

  template <class Body>
  static __device__ __forceinline__ void for_c(Index row, Body&& body) {
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int at = 0; at < 4; ++at)
        body(row + lane_number() / 4 + 8 * (at / 2), 8 * j + lane_number() % 4 * 2 + at % 2, j, at);
  }
  __device__ __forceinline__ void load(const Matrix<double>& of_v, const Matrix<double>& of_c, int c_width, Index row,
                                       Index rows) {
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int at = 0; at < 8; ++at)
        v[half][at] =
            of_v(min(row + lane_number() / 4 + 8 * (at % 2), rows - 1), 16 * half + lane_number() % 4 + 4 * (at / 2));
    for_c(row,
          [&](Index i, int column, int j, int at) { c[j][at] = of_c(min(i, rows - 1), min(column, c_width - 1)); });
  }
  __device__ __forceinline__ void store(const Matrix<double>& to, int c_width, Index row, Index rows) const {
    for_c(row, [&](Index i, int column, int j, int at) {
      if (i < rows && column < c_width) to(i, column) = c[j][at];
    });
  }
};

__global__ void __launch_bounds__(step_threads) apply_panel_kernel(const __grid_constant__ Step step) {
  await_predecessor();
  __shared__ double w[square], s[square], tau[group_columns], y[group_columns * line];
  const int group = step.group(), panel = step.panel(), thread = static_cast<int>(threadIdx.x);
  const bool left = group < panel;
  if (left && blockIdx.x > 0) return;
  const Matrix<double> c = from(step.block.a, step.first, Index{group} * group_columns),
                       v = from(step.block.v, step.first, step.first);
  const int c_width = step.width(group);
  const Index rows = step.rows();
  Index row = Index{blockIdx.x} * rows_of_block + tile_rows * warp_number();
  UpdateTile now, next;
  if (!left) now.load(v, c, c_width, row, rows);
  const double* const sums = step.sums(0);
  double total[square / step_threads]{};
#pragma unroll 4
  for (int part = 0; part < step.parts; ++part)
#pragma unroll
    for (int k = 0; k < square / step_threads; ++k) total[k] += sums[Index{part} * square + step_threads * k + thread];
  if (left) {
    // The sums are v_j^T v_i, for vectors v_i of the panel and v_j to its left.
#pragma unroll
    for (int k = 0; k < square / step_threads; ++k) {
      const int at = step_threads * k + thread, i = at / group_columns, j = at % group_columns;
      if (i < step.width(panel)) step.block.s(Index{group} * group_columns + j, step.first + i) = total[k];
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < square / step_threads; ++k) {
    const int at = step_threads * k + thread;
    w[at] = total[k];
    s[at] = at % group_columns < at / group_columns
                ? step.block.s(step.first + at % group_columns, step.first + at / group_columns)
                : 0;
  }
  if (thread < group_columns) tau[thread] = step.block.tau[step.first + thread];
  __syncthreads();
  // A lane computes a column of Y = T^T (V^T C) by substitution: T^-1 has S above its diagonal and 1 / tau on it.
  // y = -Y.
  if (thread < lanes) {
    double mine[group_columns];
#pragma unroll
    for (int j = 0; j < group_columns; ++j) {
      double sum = w[j * group_columns + thread];
#pragma unroll
      for (int i = 0; i < j; ++i) sum = fma(-s[j * group_columns + i], mine[i], sum);
      mine[j] = tau[j] * sum;
      y[j * line + thread] = -mine[j];
    }
  }
  __syncthreads();
#pragma unroll 1
  for (int tile = 0; tile < tiles_each && row < rows; ++tile, row += rows_of_step) {
    if (tile + 1 < tiles_each) next.load(v, c, c_width, row + rows_of_step, rows);
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        double of_y[4];
#pragma unroll
        for (int q = 0; q < 4; ++q)
          of_y[q] = y[(16 * half + lane_number() % 4 + 4 * q) * line + 8 * j + lane_number() / 4];
        ptx::mma_16x8x16(now.c[j], now.v[half], of_y);
      }
    now.store(c, c_width, row, rows);
    now = next;
  }
}

// ---- T ----

/// Computes T to the right of the triangles on its diagonal, in squares of 32 x 32. A thread block computes the squares
/// T_qp of one q with rising p: T_qp = -(T_qq S_qp + .. + T_q,p-1 S_p-1,p) T_pp.
__global__ void __launch_bounds__(step_threads) join_triangles_kernel(const __grid_constant__ QrBlock<double> block) {
  await_predecessor();
  __shared__ double of_all[group_columns * line];
  const int groups = static_cast<int>(gridDim.x) + 1;
  const Index own = Index{blockIdx.x} * group_columns;
  // A warp computes 16 rows and 8 columns of a square.
  const int row = warp_number() / 4 * tile_rows + lane_number() / 4, column = warp_number() % 4 * 8 + lane_number() / 4,
            term = lane_number() % 4;
  const auto at = [&](int i) { return (row + 8 * (i / 2)) * line + warp_number() % 4 * 8 + 2 * term + i % 2; };
#pragma unroll 1
  for (int p = static_cast<int>(blockIdx.x) + 1; p < groups; ++p) {
    const Index first = Index{p} * group_columns;
    const int width = static_cast<int>(min(Index{group_columns}, block.cols - first));
    double sum[4]{}, of_rows[8], of_cols[4];
#pragma unroll 4
    for (Index k = own; k < first; k += 16) {
#pragma unroll
      for (int i = 0; i < 8; ++i) of_rows[i] = block.t(own + row + 8 * (i % 2), k + term + 4 * (i / 2));
#pragma unroll
      for (int q = 0; q < 4; ++q) of_cols[q] = block.s(k + term + 4 * q, first + min(column, width - 1));
      ptx::mma_16x8x16(sum, of_rows, of_cols);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) of_all[at(i)] = sum[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[i] = 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int i = 0; i < 8; ++i) of_rows[i] = of_all[(row + 8 * (i % 2)) * line + 16 * half + term + 4 * (i / 2)];
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const int k = 16 * half + term + 4 * q;
        const double x = block.t(first + min(k, width - 1), first + min(column, width - 1));
        of_cols[q] = k < width ? x : 0;
      }
      ptx::mma_16x8x16(sum, of_rows, of_cols);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int to = warp_number() % 4 * 8 + 2 * term + i % 2;
      if (to < width) block.t(own + row + 8 * (i / 2), first + to) = -sum[i];
    }
    __syncthreads();  // the next square reads this one
  }
}

constexpr Index most_parts = 16;
int other_groups(const QrBlock<double>& block) {
  return static_cast<int>(ceil_div(block.cols, Index{group_columns})) - 1;
}

}  // namespace

Index qr_block_sums(Index cols) { return ceil_div(cols, Index{group_columns}) * most_parts * square; }

void apply_panel(const DeviceModel& model, const QrBlock<double>& block, Index first, cudaStream_t stream) {
  const int groups = other_groups(block);
  if (groups == 0) return;
  const Index rows = block.rows - first, rows_each = round_up(ceil_div(rows, most_parts), rows_of_step);
  const Step step{block, first, static_cast<int>(ceil_div(rows, rows_each)), rows_each};
  const auto along_y = static_cast<unsigned>(groups);
  launch(model, "products of a panel", panel_products_kernel,
         {{static_cast<unsigned>(step.parts), along_y}, step_threads}, stream, step);
  launch(model, "a panel applied", apply_panel_kernel,
         {{static_cast<unsigned>(ceil_div(rows, rows_of_block)), along_y}, step_threads}, stream, step);
}

void join_triangles(const DeviceModel& model, const QrBlock<double>& block, cudaStream_t stream) {
  const int groups = other_groups(block);
  if (groups == 0) return;
  launch(model, "triangles joined", join_triangles_kernel, {static_cast<unsigned>(groups), step_threads}, stream,
         block);
}

}  // namespace accublas::cuda::hopper
