// Matrices of small_lu.cu: a few neighbours of a warp have the rows of a matrix. For .cu files.
#pragma once

#include "cuda/core/matrices.hpp"
#include "cuda/lu_cholesky/panel_pivots.hpp"

namespace accublas::cuda {

/// The batch as the kernels get it.
template <class E>
struct LaneJob {
  BatchArray<E> a;
  Matrix<E> at;  ///< strides in memory
  int count, m, n;
  std::int64_t *pivots, *info;

  ACCUBLAS_HD int order() const { return m < n ? m : n; }
};

/// A matrix whose rows `lanes` neighbours of a warp have. Rows stay in place until the end. A row has L up to its
/// pivot, and U from there on. Groups of lanes without a matrix load the last one, and write nothing.
template <class E, int lanes>
class LaneRows {
 public:
  static constexpr int threads = 64;  ///< of a thread block
  static constexpr int pitch = lanes + 1;

  /// `numbers`: lanes x pitch numbers in shared memory.
  __device__ LaneRows(const LaneJob<E>& job, E* numbers)
      : m(job.m),
        n(job.n),
        order(job.order()),
        job_(job),
        numbers_(numbers),
        index_(static_cast<int>(blockIdx.x * (threads / lanes) + threadIdx.x / lanes)),
        present_(index_ < job.count),
        a_{job.a[present_ ? index_ : job.count - 1], job.at.row_stride, job.at.col_stride} {}

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % lanes; }
  /// Returns the bits of the group's lanes.
  __device__ static unsigned of_group(unsigned ballot) { return ballot >> group() & (0xFFFFFFFFu >> (32 - lanes)); }
  /// Returns the row of a lane in shared memory.
  __device__ E* row_at(int lane) const { return numbers_ + lane * pitch; }
  __device__ E* own() const { return row_at(lane()); }
  /// Whether the lane's row has not been a pivot's.
  __device__ bool open() const { return row_.open; }

  /// Loads the lane's row into registers and shared memory. Elements outside of the matrix are zero.
  __device__ __forceinline__ void load(E (&x)[lanes]) {
#pragma unroll
    for (int c = 0; c < lanes; ++c) x[c] = lane() < m && c < n ? a_(lane(), c) : E{};
#pragma unroll
    for (int c = 0; c < lanes; ++c) own()[c] = x[c];
    row_.place = row_.position = lane();
    row_.open = lane() < m;
  }

  /// Returns the lane with the best candidate for the pivot; of equal sizes the first position wins.
  __device__ __forceinline__ int best_lane(const E& value) const {
    const std::uint64_t bits = size_bits(value) << (sizeof(RealOf<E>) == 8 ? 0 : 32);
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
  /// Makes the row of lane `from` the pivot's of step j.
  __device__ __forceinline__ void exchange(int j, int from) {
    const int position = __shfl_sync(0xFFFFFFFFu, row_.position, from, lanes);
    row_.exchange(j, position);
    if (lane() == j) pivot_ = position + 1;
  }

  /// Stores the rows in memory at their positions, with the pivots and info.
  __device__ __forceinline__ void store(int info) const {
    if (!present_) return;
    if (lane() < m)
#pragma unroll
      for (int c = 0; c < lanes; ++c)
        if (c < n) a_(row_.position, c) = own()[c];
    if (lane() < order) job_.pivots[Index{index_} * order + lane()] = pivot_;
    store_info(info);
  }
  __device__ __forceinline__ void store_info(int info) const {
    if (present_ && lane() == 0) job_.info[index_] = info;
  }

  /// Calls body(k) for the columns from `first` on of `left` ones, and perhaps for a few more.
  template <int first, class Body>
  __device__ __forceinline__ static void for_columns(int left, Body&& body) {
    constexpr int together = 4;
#pragma unroll
    for (int begin = 0; begin < lanes; begin += together)
      if (begin < left)
#pragma unroll
        for (int k = begin < first ? first : begin; k < begin + together; ++k) body(k);
  }

  const int m, n, order;

 private:
  /// Returns the first lane of the group, as a lane of the warp.
  __device__ static int group() { return static_cast<int>(threadIdx.x) % 32 / lanes * lanes; }
  __device__ __forceinline__ static int most_of_group(int x) {
    if constexpr (lanes == 32) {
      return lanes_max(x);
    } else {
#pragma unroll
      for (int apart = lanes / 2; apart > 0; apart /= 2) x = max(x, __shfl_xor_sync(0xFFFFFFFFu, x, apart));
      return x;
    }
  }

  const LaneJob<E>& job_;
  E* const numbers_;
  const int index_;
  const bool present_;
  const Matrix<E> a_;
  PanelRow row_{};
  std::int64_t pivot_ = 0;  ///< of the step with the lane's number
};

}  // namespace accublas::cuda
