#include <algorithm>
#include <type_traits>

#include "cuda/core/launch.hpp"
#include "cuda/lu_cholesky/lane_rows.hpp"
#include "cuda/lu_cholesky/small_factors.hpp"
#include "cuda/lu_cholesky/small_factors_sums.hpp"
#include "cuda/lu_cholesky/small_lu.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

// ---- plain arithmetic -----------------------------------------------------------------------------------------------

template <class E, int lanes>
class PlainLaneLu {
  using Rows = LaneRows<E, lanes>;

 public:
  struct Storage {
    alignas(16) E row[lanes];  ///< the pivot's row of U, from the pivot's column on
    E numbers[lanes * Rows::pitch];
  };
  __device__ PlainLaneLu(const LaneJob<E>& job, Storage& storage) : rows_(job, storage.numbers), s_(storage) {}

  __device__ void run() {
    rows_.load(x_);
    int info = 0;
#pragma unroll 1
    for (int j = 0; j < rows_.order; ++j) step(j, info);
    rows_.store(info);
  }

 private:
  /// Computes column j of L and row j of U, and subtracts their products from the elements to the right.
  __device__ void step(int j, int& info) {
    const int left = rows_.n - j, lane = Rows::lane(), from = rows_.best_lane(x_[0]);
    if (lane == from) Rows::template for_columns<0>(left, [&](int k) { s_.row[k] = x_[k]; });
    __syncwarp();

    // The lane of a column stores its element of U.
    const E pivot = s_.row[0];
    if (lane >= j && lane < rows_.n) rows_.row_at(from)[lane] = s_.row[lane - j];
    const E l = quotient_unless(pivot == 0, x_[0], pivot);
    if (rows_.open() && lane != from) rows_.own()[j] = l;
    if (pivot == 0 && info == 0) info = j + 1;
    rows_.exchange(j, from);
    Rows::template for_columns<1>(left, [&](int k) { x_[k - 1] = less_product(x_[k], l, s_.row[k]); });
    __syncwarp();
  }

  Rows rows_;
  Storage& s_;
  E x_[lanes];  ///< the elements of the lane's row, from the step's column on
};

// ---- cr -------------------------------------------------------------------------------------------------------------

/// Factors a matrix of real numbers in double precision in cr, if sums around anchors decide all of its elements. There
/// is no code for others here, because it would take the registers that hide latencies.
template <class E, int lanes>
class CrLaneLu {
  using Rows = LaneRows<E, lanes>;

 public:
  struct Storage {
    AnchoredSum published[lanes];  ///< the sums of the pivot's row, from the pivot's column on
    alignas(16) E row[lanes];      ///< the pivot's row of U, from the pivot's column on
    E numbers[lanes * Rows::pitch];
  };
  __device__ CrLaneLu(const LaneJob<E>& job, Storage& storage) : rows_(job, storage.numbers), s_(storage) {}

  __device__ void run() {
    begin();
    int info = 0;
#pragma unroll 1
    for (int j = 0; j < rows_.order; ++j) step(j, info);
    if (Rows::of_group(__ballot_sync(0xFFFFFFFFu, undecided_)) != 0)
      rows_.store_info(pending_info);
    else
      rows_.store(info);
  }

 private:
  /// An anchor holds while the magnitudes of a column of U have a sum of up to `room` times the largest number of the
  /// column of A. No element of L is larger than 1, so that sum bounds the terms.
  static constexpr double room = 4 * lanes;

  __device__ void begin() {
    E x[lanes];
    rows_.load(x);
    s_.row[Rows::lane()] = 0;
    __syncwarp();
    double size = 0;
#pragma unroll
    for (int i = 0; i < lanes; ++i) size = fmax(size, fabs(rows_.row_at(i)[Rows::lane()]));
    limit_ = room * size;
    used_ = size;
    anchor_ = Anchor::above(limit_);
#pragma unroll
    for (int c = 0; c < lanes; ++c) sum_[c] = AnchoredSum::from(x[c], anchor_of(c));
  }
  __device__ __forceinline__ double anchor_of(int column) const {
    return Anchor{__shfl_sync(0xFFFFFFFFu, anchor_.high, column, lanes)}.value();
  }

  /// Returns the numerator of an element that has had j terms. `products`: the columns of its row that have products
  /// which are not zero. The other numerators are exact.
  __device__ __forceinline__ static TripleSum numerator(const AnchoredSum& sum, double anchor, int j, unsigned products,
                                                        int column) {
    const DoublePair parts = sum.sum(anchor), found = two_sum(parts.high, parts.low);
    return {found.high, found.low, 0, (products >> column & 1) != 0 ? anchored_error(anchor, j) : 0};
  }
  /// Rounds a numerator. Returns whether it decides the result.
  __device__ __forceinline__ static bool round(const TripleSum& numerator, E& result) {
    return numerator_alone<E>().approximate_quotient({numerator}, result) ||
           (numerator.error == 0 && is_finite(result));
  }

  /// Computes column j of L and row j of U, and adds their products to the sums to the right.
  __device__ void step(int j, int& info) {
    const int left = rows_.n - j, lane = Rows::lane();
    const TripleSum own = numerator(sum_[0], anchor_of(j), j, products_, j);
    E value{};
    undecided_ |= !round(own, value) && rows_.open();
    const int from = rows_.best_lane(value);
    const E pivot = __shfl_sync(0xFFFFFFFFu, value, from, lanes);
    const unsigned products_of_pivot = __shfl_sync(0xFFFFFFFFu, products_, from, lanes);
    if (lane == from) Rows::template for_columns<1>(left, [&](int k) { s_.published[k] = sum_[k]; });
    __syncwarp();

    // The lane of a column rounds its element of U.
    const bool right = lane > j && lane < rows_.n, below = rows_.open() && lane != from;
    const TripleSum above = numerator(s_.published[right ? lane - j : 1], anchor_.value(), j, products_of_pivot, lane);
    E u{}, l{};
    undecided_ |= !round(above, u) && right;
    undecided_ |= !Unknown<E>::of_row(E{1}, pivot, pivot == 0).approximate_quotient({own}, l) && below;
    if (right) rows_.row_at(from)[lane] = s_.row[lane - j] = u, used_ += fabs(u);
    undecided_ |= !(used_ <= limit_);
    if (lane == from) rows_.own()[j] = pivot;
    if (below) rows_.own()[j] = l;
    if (pivot == 0 && info == 0) info = j + 1;
    rows_.exchange(j, from);
    const unsigned nonzero = Rows::of_group(__ballot_sync(0xFFFFFFFFu, right && u != 0));
    if (l != 0) products_ |= nonzero;
    __syncwarp();
    Rows::template for_columns<1>(left, [&](int k) {
      sum_[k - 1] = sum_[k];
      sum_[k - 1].step(-l, s_.row[k]);
    });
  }

  Rows rows_;
  Storage& s_;
  Anchor anchor_;           ///< of the lane's column
  double limit_, used_;     ///< of the magnitudes in the lane's column
  AnchoredSum sum_[lanes];  ///< of the lane's row, from the step's column on
  unsigned products_ = 0;   ///< bit c: the element of column c has a product that is not zero
  bool undecided_ = false;
};

template <class E, int lanes, template <class, int> class Lu>
__global__ void __launch_bounds__(LaneRows<E, lanes>::threads) small_lu_kernel(const __grid_constant__ LaneJob<E> job) {
  await_predecessor();
  __shared__ typename Lu<E, lanes>::Storage storage[LaneRows<E, lanes>::threads / lanes];
  Lu<E, lanes>(job, storage[threadIdx.x / lanes]).run();
}

template <template <class, int> class Lu, class E, int lanes = 4>
void launch_lanes(const DeviceModel& model, const LaneJob<E>& job, cudaStream_t stream) {
  if constexpr (lanes < most_factored_lines)
    if (std::max(job.m, job.n) > lanes) return launch_lanes<Lu, E, 2 * lanes>(model, job, stream);
  constexpr int threads = LaneRows<E, lanes>::threads;
  launch(model, "LU factorizations of small matrices", small_lu_kernel<E, lanes, Lu>,
         {static_cast<unsigned>(ceil_div(job.count, threads / lanes)), static_cast<unsigned>(threads)}, stream, job);
}

}  // namespace

template <class E>
bool small_lu_serves(const FactorizationBatch<E>& batch, bool cr) {
  const Factorization<E>& f = batch.shape;
  return has_factor(f.kind) && !is_cholesky(f.kind) &&
         (!cr || std::is_same_v<E, double>)&&std::max(f.rows(), f.n) <= most_factored_lines &&
         batch.count <= most_matrices;
}

template <class E>
void small_lu(const DeviceModel& model, const FactorizationBatch<E>& batch, bool cr, std::int64_t* info,
              cudaStream_t stream) {
  const Factorization<E>& f = batch.shape;
  const LaneJob<E> job{{batch.a.base, batch.a.stride, batch.a.pointers},
                       f.a,
                       static_cast<int>(batch.count),
                       static_cast<int>(f.rows()),
                       static_cast<int>(f.n),
                       static_cast<std::int64_t*>(f.pivots.data),
                       info};
  if constexpr (std::is_same_v<E, double>)
    if (cr) return launch_lanes<CrLaneLu>(model, job, stream);
  launch_lanes<PlainLaneLu>(model, job, stream);
}

#define ACCUBLAS_INSTANTIATE(E)                                      \
  template bool small_lu_serves(const FactorizationBatch<E>&, bool); \
  template void small_lu(const DeviceModel&, const FactorizationBatch<E>&, bool, std::int64_t*, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
