#include <algorithm>
#include <type_traits>

#include "cuda/core/launch.hpp"
#include "cuda/core/ptx_double.hpp"
#include "cuda/core/ptx_portable.hpp"
#include "cuda/lapack/tall_columns.hpp"
#include "cuda/lu_cholesky/small_factors.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/anchored_sum.hpp"

namespace accublas::cuda {
namespace {

constexpr int tall_threads = 256, tall_warps = tall_threads / 32;
constexpr int edge = 8;  ///< of the tiles of matrix instructions
constexpr Index most_tall_columns = 128, most_tall_rows = Index{1} << 27;
constexpr Index most_gram_blocks = 160;

// ---- products of columns --------------------------------------------------------------------------------------------

/// `tiles` x `tiles` tiles of the Gram matrix, of which those below the diagonal and on it are computed. Some warps
/// share the terms of a few rows: each has two rows of tiles, which have tiles + 1 tiles together. Groups of such warps
/// take turns at the rows.
template <int tiles>
struct GramShape {
  static constexpr int warps = tiles / 2, groups = tall_warps / warps, of_warp = tiles + 1;
  static constexpr int columns = tiles * edge, rows = 512 / tiles, pitch = rows + 4;  // without bank conflicts
  static constexpr int stages = 3, stage = columns * pitch;
  static constexpr int numbers = warps * of_warp * edge * edge;  ///< of a group's result
  static constexpr std::size_t bytes = std::size_t{stages} * stage * sizeof(double);
};

/// The anchor of sums whose terms' magnitudes add up to 2 at most. The columns' norms are at most 1, or the sums are
/// found to be too large.
constexpr double gram_anchor = 0x1.8p3;

/// A thread's two sums of a tile. With `exactly` each has the rests of its roundings.
template <bool exactly>
struct GramSums {
  double sum[2];
  __device__ void begin() { sum[0] = sum[1] = 0; }
  __device__ void add(double row, double col) { ptx::mma_8x8x4(sum, row, col); }
  __device__ double2 result(int e) const { return {sum[e], 0}; }
};
/// The products of four rows are added up by one instruction. Sums around an anchor collect these.
template <>
struct GramSums<true> {
  AnchoredSum sum[2];
  __device__ void begin() { sum[0] = sum[1] = AnchoredSum::from(0, gram_anchor); }
  __device__ void add(double row, double col) {
    double of_four[2] = {0, 0};
    ptx::mma_8x8x4(of_four, row, col);
    sum[0].add(of_four[0]), sum[1].add(of_four[1]);
  }
  __device__ double2 result(int e) const {
    const DoublePair pair = sum[e].sum(gram_anchor);
    return {pair.high, pair.low};
  }
};

template <int tiles, bool exactly>
class GramBlock {
  using Shape = GramShape<tiles>;

 public:
  __device__ GramBlock(const TallGram<double>& job, double* stages) : job_(job), stages_(stages) {}

  __device__ void run() {
    switch (warp() % Shape::warps) {
      case 0:
        return run_warp<0>();
      case 1:
        return run_warp<1>();
      case 2:
        return run_warp<2>();
      case 3:
        return run_warp<3>();
      case 4:
        return run_warp<4>();
      case 5:
        return run_warp<5>();
      case 6:
        return run_warp<6>();
      default:
        return run_warp<7>();
    }
  }

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
  static __device__ int warp() { return static_cast<int>(threadIdx.x) / 32; }

  /// Tile t of a warp is in row `first` up to its diagonal, and from there on in row tiles - 1 - first.
  static constexpr int row_of(int first, int t) { return t <= first ? first : tiles - 1 - first; }
  static constexpr int column_of(int first, int t) { return t <= first ? t : t - first - 1; }

  template <int first>
  __device__ void run_warp() {
    if constexpr (first < Shape::warps) {
      GramSums<exactly> sums[Shape::of_warp];
#pragma unroll
      for (int t = 0; t < Shape::of_warp; ++t) sums[t].begin();
      const Index parts = ceil_div(job_.m, Index{Shape::rows}), step = gridDim.x;
      Index fetched = blockIdx.x;
#pragma unroll
      for (int s = 0; s < Shape::stages - 1; ++s, fetched += step) fetch(fetched, s);
      int at = 0;
#pragma unroll 1
      for (Index part = blockIdx.x; part < parts; part += step, fetched += step) {
        ptx::copies_wait_but<Shape::stages - 2>();
        __syncthreads();
        fetch(fetched, at == 0 ? Shape::stages - 1 : at - 1);
        add<first>(sums, stages_ + at * Shape::stage);
        at = at + 1 == Shape::stages ? 0 : at + 1;
      }
      store<first>(sums);
    }
  }
  template <int first>
  __device__ void add(GramSums<exactly> (&sums)[Shape::of_warp], const double* stage) const {
#pragma unroll 1
    for (int k = 4 * (warp() / Shape::warps); k < Shape::rows; k += 4 * Shape::groups) {
      double terms[tiles];
#pragma unroll
      for (int t = 0; t < tiles - first; ++t) terms[t] = stage[(edge * t + lane() / 4) * Shape::pitch + k + lane() % 4];
#pragma unroll
      for (int t = 0; t < Shape::of_warp; ++t) sums[t].add(terms[row_of(first, t)], terms[column_of(first, t)]);
    }
  }
  template <int first>
  __device__ void store(const GramSums<exactly> (&sums)[Shape::of_warp]) const {
    double2* const to = reinterpret_cast<double2*>(job_.memory) +
                        (Index{blockIdx.x} * Shape::groups + warp() / Shape::warps) * Shape::numbers;
#pragma unroll
    for (int t = 0; t < Shape::of_warp; ++t)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int row = edge * row_of(first, t) + lane() / 4,
                  column = edge * column_of(first, t) + 2 * (lane() % 4) + e;
        to[number_of(row, column)] = sums[t].result(e);
      }
  }
  /// Begins to copy a part of the rows to a stage; rows and columns that the matrix does not have are zero.
  __device__ void fetch(Index part, int stage) const {
    constexpr int entries = Shape::columns * Shape::rows;
    const bool by_columns = job_.a.row_stride == 1;
    double* const to = stages_ + stage * Shape::stage;
    const Index first = part * Shape::rows;
    if (first < job_.m)
#pragma unroll 4
      for (int at = static_cast<int>(threadIdx.x); at < entries; at += tall_threads) {
        const int row = by_columns ? at % Shape::rows : at / Shape::columns,
                  column = by_columns ? at / Shape::rows : at % Shape::columns;
        const bool there = first + row < job_.m && column < job_.n;
        ptx::copy_8(ptx::shared_address(to + column * Shape::pitch + row),
                    there ? &job_.a(first + row, column) : job_.a.data, there);
      }
    ptx::copies_commit();
  }

 public:
  /// Returns the number of an element, whose row is not above its column's tile, in a group's result.
  static __device__ int number_of(int row, int column) {
    const int i = row / edge, j = column / edge;
    return (i * (i + 1) / 2 + j) * edge * edge + row % edge * edge + column % edge;
  }

 private:
  const TallGram<double>& job_;
  double* const stages_;
};

template <int tiles, bool exactly>
__global__ void __launch_bounds__(tall_threads, 1) gram_kernel(const __grid_constant__ TallGram<double> job) {
  await_predecessor();
  extern __shared__ __align__(16) double gram_stages[];
  GramBlock<tiles, exactly>(job, gram_stages).run();
}

/// Adds up the results of all groups, each element by one thread.
template <int tiles>
__global__ void __launch_bounds__(tall_threads)
    gram_total_kernel(const __grid_constant__ TallGram<double> job, int results) {
  await_predecessor();
  using Shape = GramShape<tiles>;
  const int at = static_cast<int>(blockIdx.x * tall_threads + threadIdx.x), row = at / Shape::columns,
            column = at % Shape::columns;
  if (row >= job.n || column > row) return;
  const double2* const from =
      reinterpret_cast<const double2*>(job.memory) + GramBlock<tiles, true>::number_of(row, column);
  DoublePair sum{job.less_one && row == column ? -1.0 : 0.0, 0};
  for (int i = 0; i < results; ++i) {
    const double2 part = from[Index{i} * Shape::numbers];
    const DoublePair next = two_sum(sum.high, part.x);
    sum = {next.high, add_rn(sum.low, add_rn(next.low, part.y))};
  }
  job.gram(row, column) = job.gram(column, row) = add_rn(sum.high, sum.low);
}

template <int tiles>
void launch_gram(const DeviceModel& model, const TallGram<double>& job, cudaStream_t stream) {
  using Shape = GramShape<tiles>;
  const auto blocks =
      static_cast<unsigned>(std::min({Index{model.processors}, most_gram_blocks, ceil_div(job.m, Index{Shape::rows})}));
  const auto kernel = job.less_one ? gram_kernel<tiles, true> : gram_kernel<tiles, false>;
  allow_shared_bytes(kernel, Shape::bytes, "products of columns");
  launch(model, "products of columns", kernel, {blocks, tall_threads, Shape::bytes}, stream, job);
  launch(model, "sums of products of columns", gram_total_kernel<tiles>,
         {static_cast<unsigned>(ceil_div(Shape::columns * Shape::columns, tall_threads)), tall_threads}, stream, job,
         static_cast<int>(blocks) * Shape::groups);
}

// ---- solutions ------------------------------------------------------------------------------------------------------

/// The triangle in shared memory, as terms of matrix instructions: term q of the pair s of a tile's column is row 2 q +
/// s of the tile, so that the sums of one instruction are the rows of the next. All tiles of the triangle are negated;
/// the inverses are not. The tiles on the diagonal have their inverses beside them.
template <int tiles>
struct DivideShape {
  static constexpr int columns = tiles * edge, tile = edge * edge;
  static constexpr int diagonals = tiles * (tiles + 1) / 2, numbers = (diagonals + tiles) * tile;
  static constexpr std::size_t bytes = numbers * sizeof(double);
  static __device__ int tile_at(int i, int j) { return (j * (j + 1) / 2 + i) * tile; }
  static __device__ int inverse_at(int j) { return (diagonals + j) * tile; }
  static __device__ int element_at(int row, int column) { return row % 2 * 32 + column * 4 + row / 2; }
};

struct DivideJob {
  Matrix<double> a;
  Matrix<const double> r;
  Index m;
  int n;
};

/// Divides rows by the triangle, 16 at a time by a warp: tile after tile subtracts the products of the unknowns before
/// it, and is multiplied by the inverse of the diagonal's tile. The rest of that solution is solved once more, so that
/// it is as good as a substitution even if the tile is nearly singular.
template <int tiles>
class DivideBlock {
  using Shape = DivideShape<tiles>;
  static constexpr int halves = 2;  ///< of 8 rows

 public:
  __device__ DivideBlock(const DivideJob& job, double* triangle) : job_(job), triangle_(triangle) {}

  __device__ void run() {
    load_triangle();
    const Index groups = ceil_div(job_.m, Index{halves * edge}), step = Index{gridDim.x} * tall_warps;
#pragma unroll 1
    for (Index group = Index{blockIdx.x} * tall_warps + threadIdx.x / 32; group < groups; group += step)
      divide(group * halves * edge);
  }

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }

  __device__ double entry(int i, int j) const { return i < job_.n && j < job_.n ? job_.r(i, j) : i == j ? 1.0 : 0.0; }
  __device__ void load_triangle() {
    for (int at = static_cast<int>(threadIdx.x); at < Shape::columns * Shape::columns; at += tall_threads) {
      const int row = at % Shape::columns, column = at / Shape::columns, i = row / edge, j = column / edge;
      if (i > j) continue;
      const double x = row <= column ? entry(row, column) : 0.0;
      triangle_[Shape::tile_at(i, j) + Shape::element_at(row % edge, column % edge)] = -x;
    }
    // A thread computes a column of an inverse.
    if (const int column = static_cast<int>(threadIdx.x); column < Shape::columns) {
      const int first = column / edge * edge;
      double x[edge];
#pragma unroll
      for (int i = edge - 1; i >= 0; --i) {
        double sum = first + i == column ? 1 : 0;
#pragma unroll
        for (int k = i + 1; k < edge; ++k) sum = fma(-entry(first + i, first + k), x[k], sum);
        x[i] = first + i > column ? 0 : sum / entry(first + i, first + i);
        triangle_[Shape::inverse_at(column / edge) + Shape::element_at(i, column % edge)] = x[i];
      }
    }
    __syncthreads();
  }

  __device__ void divide(Index first) {
    double x[tiles][halves][2];
#pragma unroll
    for (int j = 0; j < tiles; ++j)
#pragma unroll
      for (int h = 0; h < halves; ++h)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const Index row = first + h * edge + lane() / 4;
          const int column = j * edge + 2 * (lane() % 4) + e;
          x[j][h][e] = row < job_.m && column < job_.n ? job_.a(row, column) : 0.0;
        }
#pragma unroll
    for (int j = 0; j < tiles; ++j) {
#pragma unroll
      for (int i = 0; i < j; ++i) add_products(x[j], x[i], Shape::tile_at(i, j));
      double found[halves][2] = {}, more[halves][2] = {};
      add_products(found, x[j], Shape::inverse_at(j));
      add_products(x[j], found, Shape::tile_at(j, j));
      add_products(more, x[j], Shape::inverse_at(j));
#pragma unroll
      for (int h = 0; h < halves; ++h)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          x[j][h][e] = found[h][e] + more[h][e];
          const Index row = first + h * edge + lane() / 4;
          const int column = j * edge + 2 * (lane() % 4) + e;
          if (row < job_.m && column < job_.n) job_.a(row, column) = x[j][h][e];
        }
    }
  }
  /// Adds the products of rows and a tile of the triangle.
  __device__ __forceinline__ void add_products(double (&sums)[halves][2], const double (&rows)[halves][2],
                                               int tile) const {
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      const double column = triangle_[tile + 32 * s + lane()];
#pragma unroll
      for (int h = 0; h < halves; ++h) ptx::mma_8x8x4(sums[h], rows[h][s], column);
    }
  }

  const DivideJob& job_;
  double* const triangle_;
};

template <int tiles>
__global__ void __launch_bounds__(tall_threads, 1) tall_divide_kernel(const __grid_constant__ DivideJob job) {
  await_predecessor();
  extern __shared__ __align__(16) double divide_triangle[];
  DivideBlock<tiles>(job, divide_triangle).run();
}

template <int tiles>
void launch_divide(const DeviceModel& model, const DivideJob& job, cudaStream_t stream) {
  using Shape = DivideShape<tiles>;
  const Index rows = Index{tall_warps} * 2 * edge;
  const auto blocks = static_cast<unsigned>(std::min(Index{model.processors}, ceil_div(job.m, rows)));
  allow_shared_bytes(tall_divide_kernel<tiles>, Shape::bytes, "dividing by a triangle");
  launch(model, "dividing by a triangle", tall_divide_kernel<tiles>, {blocks, tall_threads, Shape::bytes}, stream, job);
}

/// Calls body with the number of tiles as a constant.
template <class Body>
auto with_tiles(Index n, Body&& body) {
  if (n <= 4 * edge) return body(std::integral_constant<int, 4>{});
  if (n <= 8 * edge) return body(std::integral_constant<int, 8>{});
  return body(std::integral_constant<int, 16>{});
}

}  // namespace

Index tall_gram_numbers(const DeviceModel& model, Index m, Index n) {
  if (model.major < 8 || n < 1 || n > most_tall_columns || m > most_tall_rows) return 0;
  const std::size_t shared = shared_bytes_of_block(model);
  return with_tiles(n, [&](auto tiles) -> Index {
    constexpr int count = decltype(tiles)::value;
    using Shape = GramShape<count>;
    if (std::max(Shape::bytes, DivideShape<count>::bytes) > shared) return 0;
    return 2 * Shape::numbers * Shape::groups * most_gram_blocks;
  });
}

void tall_gram(const DeviceModel& model, const TallGram<double>& job, cudaStream_t stream) {
  with_tiles(job.n, [&](auto tiles) { launch_gram<decltype(tiles)::value>(model, job, stream); });
}

void tall_divide(const DeviceModel& model, const Matrix<double>& a, Index m, Index n, const Matrix<const double>& r,
                 cudaStream_t stream) {
  const DivideJob job{a, r, m, static_cast<int>(n)};
  with_tiles(n, [&](auto tiles) { launch_divide<decltype(tiles)::value>(model, job, stream); });
}

}  // namespace accublas::cuda
