// A thread block takes 32 right-hand sides, and keeps the matrix and the sides' numbers in shared memory. One warp,
// with a lane a side, computes 16 unknowns at a time. Meanwhile the other warps multiply the earlier unknowns'
// contributions to later sums on the tensor cores, whose binary64 products are chains of FMAs.
#include <cstdint>

#include "cuda/core/launch.hpp"
#include "cuda/core/ptx_portable.hpp"
#include "cuda/trsm/solve_leaf.hpp"
#include "cuda/trsm/substitution.hpp"
#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr int leaf_group = 16, groups = static_cast<int>(leaf_unknowns) / leaf_group, sides_at_once = 32,
              leaf_warps = 4, leaf_threads = 32 * leaf_warps;

/// The system in the order of substitution: the matrix is lower triangular, and strides may be negative.
struct LeafJob {
  int order;
  Index sides;
  double alpha;
  Matrix<const double> a;
  Matrix<double> x;
  bool unit;
};

/// `a` holds the rows of a group side by side, column by column; `x` has a row for each unknown. Numbers are permuted
/// within 16 numbers (128 bytes), so that lanes have no bank conflicts in either direction through the array.
struct LeafStorage {
  double a[leaf_group * leaf_group * groups * (groups + 1) / 2];
  double x[leaf_unknowns * sides_at_once];
  double reciprocal[leaf_unknowns];  ///< reciprocal_of the diagonal

  /// Returns the position of row i of group g, column j. Pairs of rows stay together.
  __device__ static int place_of_a(int g, int i, int j) {
    return leaf_group * (leaf_group * (g * (g + 1) / 2) + j) + (i ^ (4 * (j % 4) + 2 * (j / 4 % 2)));
  }
  __device__ static int place_of_x(int row, int side) {
    return row * sides_at_once + (side ^ (4 * (row % 4) + row / 4 % 4));
  }
};

class Leaf {
 public:
  __device__ Leaf(const LeafJob& job, LeafStorage& storage)
      : job_(job), storage_(storage), groups_(ceil_div(job.order, leaf_group)) {}

  __device__ void run() {
    load();
    int mine = warp(), done = 0;
    take_sums(mine);
    for (int next = 0; next < groups_; ++next) {
      if (mine < groups_) {
        // The products that the next group needs come at once; otherwise two products fit in the time of another warp's
        // substitution.
        const int due = mine == next ? next : min(next, done + 2);
        for (; done < due; ++done) add_products(mine, done);
      }
      if (mine == next) {
        put_sums(mine);
        __syncwarp();
        const int first = leaf_group * mine;
        substitute<leaf_group>([&](int i, int j) { return a(mine, i, first + j); },
                               [&](int i) -> double& { return x(first + i, lane()); },
                               [&](int i) { return storage_.reciprocal[first + i]; });
        mine += leaf_warps;
        done = 0;
        take_sums(mine);
      }
      __syncthreads();
    }
    store();
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  __device__ double& x(int row, int side) { return storage_.x[LeafStorage::place_of_x(row, side)]; }
  __device__ const double& a(int g, int i, int j) const { return storage_.a[LeafStorage::place_of_a(g, i, j)]; }

  /// Loads the matrix and the right-hand sides. Elements that do not exist become zeros, with ones on the diagonal.
  __device__ void load() {
    const bool by_rows = job_.a.row_stride == 1 || job_.a.row_stride == -1;
    const int fast = static_cast<int>(threadIdx.x) % leaf_group, slow = static_cast<int>(threadIdx.x) / leaf_group;
    constexpr int step = leaf_threads / leaf_group;
    for (int half = slow; half < leaf_group; half += step) {
      const int i = by_rows ? fast : half, j = by_rows ? half : fast;
      const std::uint32_t to = ptx::shared_address(&a(0, i, j));
      int tile = 0;
      for (int g = 0; g < groups_; ++g) {
        const int row = leaf_group * g + i;
        const double* from = &job_.a(row, j);
        const bool below = row < job_.order, in_triangle = below && (j < i || (j == i && !job_.unit));
#pragma unroll 4
        for (int k = 0; k <= g; ++k, ++tile, from += leaf_group * job_.a.col_stride) {
          const bool there = k < g ? below : in_triangle;
          ptx::copy_8(to + static_cast<std::uint32_t>(tile * leaf_group * leaf_group * sizeof(double)),
                      there ? from : job_.a.data, there);
        }
      }
    }
    ptx::copies_commit();
    for_numbers([&](double& number, const double* there) { number = __dmul_rn(job_.alpha, there ? *there : 0); });
    ptx::copies_wait();
    __syncthreads();
    const int row = static_cast<int>(threadIdx.x), i = row % leaf_group;
    if (row < leaf_group * groups_) {
      double& pivot = storage_.a[LeafStorage::place_of_a(row / leaf_group, i, row)];
      if (job_.unit || row >= job_.order) pivot = 1;
      storage_.reciprocal[row] = reciprocal_of(pivot);
    }
    __syncthreads();
  }
  __device__ void store() {
    for_numbers([](double number, double* there) {
      if (there) *there = number;
    });
  }
  /// Calls body(number, its address in memory, or null) for the numbers of storage_.x, in the order of memory.
  template <class Body>
  __device__ void for_numbers(Body&& body) {
    static_assert(leaf_threads == leaf_unknowns && leaf_threads % sides_at_once == 0);
    const bool by_rows = job_.x.row_stride == 1 || job_.x.row_stride == -1;
    const int thread = static_cast<int>(threadIdx.x), row = by_rows ? thread : warp(), side = by_rows ? 0 : lane(),
              row_step = by_rows ? 0 : leaf_warps, side_step = by_rows ? 1 : 0;
    const Index first = Index{blockIdx.x} * sides_at_once, sides = min(Index{sides_at_once}, job_.sides - first);
    double* const there = &job_.x(row, first + side);
    const Index step = row_step * job_.x.row_stride + side_step * job_.x.col_stride;
#pragma unroll 16
    for (int k = 0; k < sides_at_once; ++k) {
      const int r = row + k * row_step, s = side + k * side_step;
      body(x(r, s), r < job_.order && s < sides ? there + k * step : nullptr);
    }
  }

  /// Loads right-hand sides less products, laid out as in ptx::mma_16x8x16, with sides 8 n .. 8 n + 7 in sums_[n].
  __device__ void take_sums(int g) {
    if (g >= groups_) return;
    for_sums(g, [](double& sum, double& number) { sum = number; });
  }
  __device__ void put_sums(int g) {
    for_sums(g, [](double& sum, double& number) { number = sum; });
  }
  template <class Body>
  __device__ void for_sums(int g, Body&& body) {
#pragma unroll
    for (int n = 0; n < sides_at_once / 8; ++n)
#pragma unroll
      for (int at = 0; at < 4; ++at)
        body(sums_[n][at], x(leaf_group * g + lane() / 4 + 8 * (at / 2), 8 * n + lane() % 4 * 2 + at % 2));
  }
  __device__ void add_products(int g, int known) {
    double row[8];
#pragma unroll
    for (int at = 0; at < 8; ++at)
      row[at] = negated(a(g, lane() / 4 + 8 * (at % 2), leaf_group * known + lane() % 4 + 4 * (at / 2)));
#pragma unroll
    for (int n = 0; n < sides_at_once / 8; ++n) {
      double col[4];
#pragma unroll
      for (int q = 0; q < 4; ++q) col[q] = x(leaf_group * known + lane() % 4 + 4 * q, 8 * n + lane() / 4);
      ptx::mma_16x8x16(sums_[n], row, col);
    }
  }

  const LeafJob& job_;
  LeafStorage& storage_;
  const int groups_;
  double sums_[sides_at_once / 8][4];
};

__global__ void __launch_bounds__(leaf_threads) solve_leaf_kernel(const __grid_constant__ LeafJob job) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  Leaf(job, *reinterpret_cast<LeafStorage*>(memory)).run();
}

/// Returns the view of the matrix with its rows in reverse order.
template <class T>
Matrix<T> rows_reversed(const Matrix<T>& m, Index rows) {
  return {m.data + (rows - 1) * m.row_stride, -m.row_stride, m.col_stride};
}

}  // namespace

void solve_leaf(const DeviceModel& model, const TriangularSystem<double>& system, cudaStream_t stream) {
  if (system.order > leaf_unknowns) throw Error(ACCUBLAS_ERROR_INTERNAL, "substitution: too many unknowns");
  if (system.order == 0 || system.sides == 0) return;
  LeafJob job{static_cast<int>(system.order), system.sides, system.alpha, system.m.stored, system.x, system.m.unit};
  if (system.m.part == Triangle::upper) {
    job.a = rows_reversed(rows_reversed(job.a, job.order).transposed(), job.order).transposed();
    job.x = rows_reversed(job.x, job.order);
  }
  allow_shared_bytes(solve_leaf_kernel, sizeof(LeafStorage), "substitution");
  launch(model, "substitution", solve_leaf_kernel,
         {static_cast<unsigned>(ceil_div(job.sides, Index{sides_at_once})), leaf_threads, sizeof(LeafStorage)}, stream,
         job);
}

}  // namespace accublas::cuda
