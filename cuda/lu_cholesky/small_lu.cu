#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/lu_cholesky/lane_sums.hpp"
#include "cuda/lu_cholesky/panel_pivots.hpp"
#include "cuda/lu_cholesky/small_factors.hpp"
#include "cuda/lu_cholesky/small_lu.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

constexpr int lu_threads = 64;  ///< of a thread block
/// Sums stay in registers, so a lane has at most this many.
template <class E, bool cr>
constexpr int most_lanes = cr&& is_complex<E> ? 16 : most_factored_lines;

/// The thread blocks that a multiprocessor shall have at a time. The code that resolves sums alone would take so many
/// registers that few warps were left to hide latencies.
template <bool cr, int lanes>
constexpr int blocks_of_processor = !cr           ? 1
                                    : lanes <= 8  ? 12
                                    : lanes == 16 ? 8
                                                  : 6;

/// The batch as the kernel gets it.
template <class E>
struct LaneJob {
  BatchArray<E> a;
  Matrix<E> at;  ///< strides in memory
  int count, m, n;
  std::int64_t *pivots, *info;
  unsigned long long* undecided;

  ACCUBLAS_HD int order() const { return m < n ? m : n; }
};

/// A matrix in shared memory, whose rows stay in place. A row has L up to its pivot, and U from there on.
template <class E, bool cr, int lanes>
struct LaneStorage {
  static constexpr int pitch = lanes + 1;
  alignas(16) LaneSum<E, cr> published[lanes];  ///< the sums of the pivot's row, from the pivot's column on
  alignas(16) E row[lanes];                     ///< the pivot's row of U, from the pivot's column on
  E numbers[lanes * pitch];
  int order[lanes];  ///< the rows of the pivots
};

/// Factors one matrix by `lanes` neighbours of a warp, each of which has a row, and also rounds an element of U in its
/// column. All groups of a warp take the same steps, since sums that are undecided are resolved by whole warps. Groups
/// without a matrix compute the last one, and write nothing.
template <class E, bool cr, int lanes>
class LaneLu {
  using T = RealOf<E>;
  using Storage = LaneStorage<E, cr, lanes>;
  /// Neighbouring columns whose sums are skipped together once they are complete.
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
    E x[lanes];
#pragma unroll
    for (int c = 0; c < lanes; ++c) x[c] = lane() < job_.m && c < job_.n ? a_(lane(), c) : E{};
#pragma unroll
    for (int c = 0; c < lanes; ++c) own()[c] = x[c];
    s_.row[lane()] = E{};
    row_.place = row_.position = lane();
    row_.open = lane() < job_.m;
    __syncwarp();
    if constexpr (is_anchored<E, cr>) {
      double size = 0;
#pragma unroll
      for (int i = 0; i < lanes; ++i) size = fmax(size, sum_of_sizes(row_at(i)[lane()]));
      column_.begin(size);
    }
#pragma unroll
    for (int c = 0; c < lanes; ++c) sum_[c].begin(x[c], anchor_of(c));
  }
  /// Returns the anchor of a column.
  __device__ __forceinline__ Anchor anchor_of(int c) const {
    if constexpr (is_anchored<E, cr>)
      return {__shfl_sync(0xFFFFFFFFu, column_.anchor().high, c, lanes)};
    else
      return {};
  }
  __device__ LaneTerms<E> terms_of(int row, int column, int terms) const {
    return {row_at(row), s_.numbers, s_.order, Storage::pitch, column, terms};
  }

  /// Computes column j of L and row j of U, and adds their products to the sums to the right. Returns the position of
  /// the pivot's row before the exchange.
  __device__ int step(int j, int& info) {
    const int left = job_.n - j;
    const Anchor anchor = anchor_of(j);
    const LaneTerms<E> of_own = terms_of(lane(), j, j);
    const bool has_products = (products_ >> j & 1) != 0;
    const E value =
        sum_[0].value(numerator_alone<E>(), present_ && row_.open, anchor, has_products, of_own, job_.undecided);
    const int from = best_lane(value), position = __shfl_sync(0xFFFFFFFFu, row_.position, from, lanes);
    const E pivot = number_of(value, from);
    const unsigned pivot_products = __shfl_sync(0xFFFFFFFFu, products_, from, lanes);
    if (lane() == from) {
      publish(left);
      s_.order[j] = from;
    }
    __syncwarp();

    // The lane of a column rounds its element of U.
    const bool right = lane() > j && lane() < job_.n;
    const LaneSum<E, cr> sum = s_.published[right ? lane() - j : 0];
    const E u = sum.value(numerator_alone<E>(), present_ && right, column_.anchor(),
                          (pivot_products >> lane() & 1) != 0, terms_of(from, right ? lane() : j, j), job_.undecided);
    const bool below = row_.open && lane() != from;
    const E l = sum_[0].value(Unknown<E>::of_row(E{T(1)}, pivot, pivot == 0), present_ && below, anchor, has_products,
                              of_own, job_.undecided);
    __syncwarp();
    if (right) row_at(from)[lane()] = s_.row[lane() - j] = u;
    if (lane() == from) own()[j] = pivot;
    if (below) own()[j] = l;
    if (pivot == 0 && info == 0) info = j + 1;
    row_.exchange(j, position);
    if constexpr (is_anchored<E, cr>) {
      if (right) column_.add(u);
      const unsigned nonzero = of_group(__ballot_sync(0xFFFFFFFFu, right && !is_zero(u)));
      if (!is_zero(l)) products_ |= nonzero;
    }
    __syncwarp();
    advance(l, left);
    if constexpr (is_anchored<E, cr>) {
      const bool is_small = pivot != 0 && sum_of_sizes(pivot) < 0x1p-1000;  // L may be larger than the column expects
      const unsigned spoiled = __ballot_sync(0xFFFFFFFFu, right && (is_small || !column_.holds()));
      if (spoiled != 0) spoil(of_group(spoiled) >> (j + 1));
    }
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
  __device__ static E number_of(const E& value, int lane) { return of_lane(value, group() + lane); }

  /// Calls body(k) for the sums from `first` on of the `left` columns that are not complete, and perhaps for a few
  /// more.
  template <int first, class Body>
  __device__ __forceinline__ static void for_columns(int left, Body&& body) {
#pragma unroll
    for (int begin = 0; begin < lanes; begin += together)
      if (begin < left)
#pragma unroll
        for (int k = begin < first ? first : begin; k < begin + together; ++k) body(k);
  }
  __device__ __forceinline__ void publish(int left) const {
    for_columns<1>(left, [&](int k) { s_.published[k] = sum_[k]; });
  }
  /// Adds the products of the pivot's row. Sum k becomes sum k - 1.
  __device__ __forceinline__ void advance(const E& l, int left) {
    const E factor = LaneSum<E, cr>::factor(l);
    for_columns<1>(left, [&](int k) {
      sum_[k - 1] = sum_[k];
      sum_[k - 1].add(factor, s_.row[k]);
    });
  }
  __device__ void spoil(unsigned columns) {
    for_columns<0>(lanes, [&](int k) {
      if ((columns >> k & 1) != 0) sum_[k].spoil();
    });
  }

  const LaneJob<E>& job_;
  Storage& s_;
  const int index_;
  const bool present_;
  const Matrix<E> a_;
  LaneColumn<E, cr> column_;
  LaneSum<E, cr> sum_[lanes];  ///< of the lane's row, from the step's column on
  unsigned products_ = 0;      ///< bit c: the element of column c has a product that is not zero
  PanelRow row_{};
};

template <class E, bool cr, int lanes>
__global__ void __launch_bounds__(lu_threads, blocks_of_processor<cr, lanes>)
    small_lu_kernel(const __grid_constant__ LaneJob<E> job) {
  await_predecessor();
  __shared__ LaneStorage<E, cr, lanes> storage[lu_threads / lanes];
  LaneLu<E, cr, lanes>(job, storage[threadIdx.x / lanes]).run();
}

template <class E, bool cr, int lanes = 4>
void launch_lanes(const DeviceModel& model, const LaneJob<E>& job, cudaStream_t stream) {
  if constexpr (lanes < most_lanes<E, cr>)
    if (std::max(job.m, job.n) > lanes) return launch_lanes<E, cr, 2 * lanes>(model, job, stream);
  launch(model, "LU factorizations of small matrices", small_lu_kernel<E, cr, lanes>,
         {static_cast<unsigned>(ceil_div(job.count, lu_threads / lanes)), static_cast<unsigned>(lu_threads)}, stream,
         job);
}

}  // namespace

template <class E>
bool small_lu_serves(const FactorizationBatch<E>& batch, bool cr) {
  const Factorization<E>& f = batch.shape;
  const Index most = cr ? most_lanes<E, true> : most_lanes<E, false>;
  return has_factor(f.kind) && !is_cholesky(f.kind) && std::max(f.rows(), f.n) <= most && batch.count <= most_matrices;
}

template <class E>
void small_lu(const DeviceModel& model, const FactorizationBatch<E>& batch, bool cr, std::int64_t* info,
              unsigned long long* undecided, cudaStream_t stream) {
  const Factorization<E>& f = batch.shape;
  const LaneJob<E> job{{batch.a.base, batch.a.stride, batch.a.pointers},
                       f.a,
                       static_cast<int>(batch.count),
                       static_cast<int>(f.rows()),
                       static_cast<int>(f.n),
                       static_cast<std::int64_t*>(f.pivots.data),
                       info,
                       undecided};
  cr ? launch_lanes<E, true>(model, job, stream) : launch_lanes<E, false>(model, job, stream);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                                      \
  template bool small_lu_serves(const FactorizationBatch<E>&, bool);                                                 \
  template void small_lu(const DeviceModel&, const FactorizationBatch<E>&, bool, std::int64_t*, unsigned long long*, \
                         cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
