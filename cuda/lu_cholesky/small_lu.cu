#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/lu_cholesky/panel_pivots.hpp"
#include "cuda/lu_cholesky/small_factors.hpp"
#include "cuda/lu_cholesky/small_factors_sums.hpp"
#include "cuda/lu_cholesky/small_lu.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

constexpr int lu_threads = 64;  ///< of a thread block

/// The batch as the kernel gets it.
template <class E>
struct LaneJob {
  BatchArray<E> a;
  Matrix<E> at;  ///< strides in memory
  int count, m, n;
  std::int64_t *pivots, *info;

  ACCUBLAS_HD int order() const { return m < n ? m : n; }
};

/// A matrix in shared memory, whose rows stay in place. A row has L up to its pivot, and U from there on.
template <class E, int lanes>
struct LaneStorage {
  static constexpr int pitch = lanes + 1;
  alignas(16) E row[lanes];  ///< the pivot's row of U, from the pivot's column on
  E numbers[lanes * pitch];
};

/// Factors one matrix by `lanes` neighbours of a warp, each of which has a row. Groups without a matrix compute the
/// last one, and write nothing.
template <class E, int lanes>
class LaneLu {
  using T = RealOf<E>;
  using Storage = LaneStorage<E, lanes>;
  /// Neighbouring columns whose elements are skipped together once they are complete.
  static constexpr int together = 4;

 public:
  __device__ LaneLu(const LaneJob<E>& job, Storage& storage)
      : job_(job),
        s_(storage),
        index_(static_cast<int>(blockIdx.x * (lu_threads / lanes) + threadIdx.x / lanes)),
        present_(index_ < job.count),
        a_{job.a[present_ ? index_ : job.count - 1], job.at.row_stride, job.at.col_stride} {}

  __device__ void run() {
    load();
    int info = 0;
    std::int64_t pivot_row = 0;
#pragma unroll 1
    for (int j = 0; j < job_.order(); ++j) {
      const int position = step(j, info);
      if (lane() == j) pivot_row = position + 1;
    }
    if (!present_) return;
    if (lane() < job_.m)
#pragma unroll
      for (int c = 0; c < lanes; ++c)
        if (c < job_.n) a_(row_.position, c) = own()[c];
    if (lane() < job_.order()) job_.pivots[Index{index_} * job_.order() + lane()] = pivot_row;
    if (lane() == 0) job_.info[index_] = info;
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % lanes; }
  /// Returns the first lane of the group, as a lane of the warp.
  __device__ static int group() { return static_cast<int>(threadIdx.x) % 32 / lanes * lanes; }
  /// Returns the bits of the group's lanes.
  __device__ static unsigned of_group(unsigned ballot) { return ballot >> group() & (0xFFFFFFFFu >> (32 - lanes)); }
  __device__ E* row_at(int lane) const { return s_.numbers + lane * Storage::pitch; }
  __device__ E* own() const { return row_at(lane()); }

  __device__ void load() {
#pragma unroll
    for (int c = 0; c < lanes; ++c) x_[c] = lane() < job_.m && c < job_.n ? a_(lane(), c) : E{};
#pragma unroll
    for (int c = 0; c < lanes; ++c) own()[c] = x_[c];
    row_.place = row_.position = lane();
    row_.open = lane() < job_.m;
  }

  /// Computes column j of L and row j of U, and subtracts their products from the elements to the right. Returns the
  /// position of the pivot's row before the exchange.
  __device__ int step(int j, int& info) {
    const int left = job_.n - j, from = best_lane(x_[0]);
    const int position = __shfl_sync(0xFFFFFFFFu, row_.position, from, lanes);
    if (lane() == from) for_columns<0>(left, [&](int k) { s_.row[k] = x_[k]; });
    __syncwarp();

    // The lane of a column stores its element of U.
    const E pivot = s_.row[0];
    if (lane() >= j && lane() < job_.n) row_at(from)[lane()] = s_.row[lane() - j];
    const bool below = row_.open && lane() != from;
    const E l = quotient_unless(pivot == 0, x_[0], pivot);
    if (below) own()[j] = l;
    if (pivot == 0 && info == 0) info = j + 1;
    row_.exchange(j, position);
    for_columns<1>(left, [&](int k) { x_[k - 1] = less_product(x_[k], l, s_.row[k]); });
    __syncwarp();
    return position;
  }

  /// Returns the group's lane with the best candidate for the pivot; of equal sizes the first position wins.
  __device__ int best_lane(const E& value) const {
    const std::uint64_t bits = size_bits(value) << (sizeof(T) == 8 ? 0 : 32);
    const int high = row_.open ? static_cast<int>(bits >> 32) : -1;
    const bool highest = high == most_of_group(high);
    unsigned best = of_group(__ballot_sync(0xFFFFFFFFu, highest));
    if (__any_sync(0xFFFFFFFFu, (best & (best - 1)) != 0)) {
      const int low = highest ? static_cast<int>(static_cast<unsigned>(bits) ^ 0x80000000u) : -nowhere - 1,
                most_low = most_of_group(low);
      const int place = highest && low == most_low ? -row_.position : -nowhere, first = most_of_group(place);
      best = of_group(__ballot_sync(0xFFFFFFFFu, place == first));
    }
    return __ffs(static_cast<int>(best)) - 1;
  }
  __device__ static int most_of_group(int x) {
    if constexpr (lanes == 32) {
      return lanes_max(x);
    } else {
#pragma unroll
      for (int apart = lanes / 2; apart > 0; apart /= 2) x = max(x, __shfl_xor_sync(0xFFFFFFFFu, x, apart));
      return x;
    }
  }

  /// Calls body(k) for the elements from `first` on of the `left` columns that are not complete, and perhaps for a few
  /// more.
  template <int first, class Body>
  __device__ __forceinline__ static void for_columns(int left, Body&& body) {
#pragma unroll
    for (int begin = 0; begin < lanes; begin += together)
      if (begin < left)
#pragma unroll
        for (int k = begin < first ? first : begin; k < begin + together; ++k) body(k);
  }

  const LaneJob<E>& job_;
  Storage& s_;
  const int index_;
  const bool present_;
  const Matrix<E> a_;
  E x_[lanes];  ///< the elements of the lane's row, from the step's column on
  PanelRow row_{};
};

template <class E, int lanes>
__global__ void __launch_bounds__(lu_threads) small_lu_kernel(const __grid_constant__ LaneJob<E> job) {
  await_predecessor();
  __shared__ LaneStorage<E, lanes> storage[lu_threads / lanes];
  LaneLu<E, lanes>(job, storage[threadIdx.x / lanes]).run();
}

template <class E, int lanes = 4>
void launch_lanes(const DeviceModel& model, const LaneJob<E>& job, cudaStream_t stream) {
  if constexpr (lanes < most_factored_lines)
    if (std::max(job.m, job.n) > lanes) return launch_lanes<E, 2 * lanes>(model, job, stream);
  launch(model, "LU factorizations of small matrices", small_lu_kernel<E, lanes>,
         {static_cast<unsigned>(ceil_div(job.count, lu_threads / lanes)), static_cast<unsigned>(lu_threads)}, stream,
         job);
}

}  // namespace

template <class E>
bool small_lu_serves(const FactorizationBatch<E>& batch, bool cr) {
  const Factorization<E>& f = batch.shape;
  return !cr && has_factor(f.kind) && !is_cholesky(f.kind) && std::max(f.rows(), f.n) <= most_factored_lines &&
         batch.count <= most_matrices;
}

template <class E>
void small_lu(const DeviceModel& model, const FactorizationBatch<E>& batch, std::int64_t* info, cudaStream_t stream) {
  const Factorization<E>& f = batch.shape;
  const LaneJob<E> job{{batch.a.base, batch.a.stride, batch.a.pointers},
                       f.a,
                       static_cast<int>(batch.count),
                       static_cast<int>(f.rows()),
                       static_cast<int>(f.n),
                       static_cast<std::int64_t*>(f.pivots.data),
                       info};
  launch_lanes(model, job, stream);
}

#define ACCUBLAS_INSTANTIATE(E)                                      \
  template bool small_lu_serves(const FactorizationBatch<E>&, bool); \
  template void small_lu(const DeviceModel&, const FactorizationBatch<E>&, std::int64_t*, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
