// LU of one matrix by a thread block, for blocked_factors.cu.
#pragma once

#include "cuda/lu_cholesky/blocked_lines.hpp"
#include "cuda/lu_cholesky/panel_pivots.hpp"

namespace accublas::cuda {

/// The parts of L are not larger than this, even if rounding made a subnormal pivot small.
template <class E>
inline constexpr double most_factor = is_complex<E> ? 4 : 2;

/// Returns the sum of the magnitudes of a number's parts.
template <class E>
__device__ __forceinline__ double sum_of_sizes(const E& x) {
  double size = 0;
  for (int part = 0; part < parts_of<E>; ++part) size += fabs(static_cast<double>(part_of(x, part)));
  return size;
}

template <class E, bool cr>
struct LuStorage {
  static constexpr int width = blocked_width<E, cr>;
  PivotPlace best[most_blocked_lines / 32];
  Unknown<E> unknown;  ///< of the step's pivot: what its quotients need
  SmallSum<E, cr> published[width];
  E row[width];         ///< the pivot's row of U, from the step's column on
  E top[width][width];  ///< L and U in the rows of the panel's pivots
  int pivot_row[width];
  RowMoves moves;
  double sizes[most_blocked_lines];  ///< of U's columns, where sums have anchors: the sum of the magnitudes above
};

/// Factors a matrix by panels of a few columns. In a panel a thread has a row and the sums of its elements, first over
/// all columns to the left. Then column after column gives a pivot, quotients, and one more term for the sums to the
/// right. Rows stay in place until the panel is finished. After that a thread has a column to the right of the panel,
/// and computes its elements of U in the panel's rows.
template <class E, bool cr>
class BlockedLu {
  using T = RealOf<E>;
  using Sums = LineSums<E, cr>;
  static constexpr int width = Sums::width;
  static constexpr bool anchored = is_anchored<E, cr>;
  static_assert(2 * width <= 32);  // a lane has one move of a row

 public:
  using Storage = LuStorage<E, cr>;
  static constexpr int most_threads = most_blocked_lines;
  __device__ BlockedLu(const BlockedJob<E>& job, LuStorage<E, cr>& storage, LineStage<E, cr>& stage)
      : job_(job), s_(storage), stage_(stage), a_{job.a[blockIdx.x], job.at.row_stride, job.at.col_stride} {}

  __device__ void run() {
    for (int at = thread_of_block(); at < width * width; at += static_cast<int>(blockDim.x)) (&s_.top[0][0])[at] = E{};
    s_.sizes[thread_of_block()] = 0;
#pragma unroll 1
    for (first_ = 0; first_ < job_.order(); first_ += width) {
      count_ = min(width, job_.order() - first_);
      __syncthreads();
      factor_panel();
      __syncthreads();
      leave_panel();
      __syncthreads();
      move_rows();
      __syncthreads();
      find_above();
    }
    if (thread_of_block() == 0) job_.info[blockIdx.x] = info_;
  }

 private:
  __device__ Index row() const { return first_ + row_.place; }

  __device__ void factor_panel() {
    const int lines = job_.m - first_;
    row_.place = row_.position = thread_of_block();
    row_.open = thread_of_block() < lines;
    const E* const elements = &a_(row_.open ? row() : first_, first_);
    sums_.begin([&](int c) { return elements[min(c, count_ - 1) * a_.col_stride]; });
    const auto reach = [&](int c) { return most_factor<E> * s_.sizes[first_ + min(c, count_ - 1)]; };
    sums_.template add_within<false>(reach, {{&a_(first_, 0), a_.row_stride, a_.col_stride}, lines},
                                     {&a_(0, first_), a_.col_stride, a_.row_stride}, count_, first_, stage_);
#pragma unroll 1
    for (int j = 0; j < count_; ++j) step(j);
  }

  /// Returns the terms of the element of a row in memory and a column of the panel, over the columns before `known` of
  /// the panel and all to its left.
  __device__ SmallTerms<E> terms_of(Index row, int column, int known) const {
    return {&a_(0, first_ + column),
            &a_(row, 0),
            &a_(row, first_ + column),
            &s_.top[0][column],
            a_.row_stride,
            a_.col_stride,
            first_ + known,
            first_,
            width,
            0};
  }

  /// Computes column j of L, and its contributions to the columns to its right.
  __device__ void step(int j) {
    E value{};
    const Index own_row = row_.open ? row() : Index{first_};
    if (__any_sync(0xFFFFFFFFu, row_.open))
      value =
          sums_[0].template value<anchored>(numerator_alone<E>(), row_.open, terms_of(own_row, j, j), job_.undecided);
    const PivotPlace best = best_of_warp(row_.candidate(size_bits(value)));
    if (lane_of_warp() == 0) s_.best[warp_of_block()] = best;
    __syncthreads();
    const PivotPlace winner = best_of_warp(lane_of_warp() < warps_of_block() ? s_.best[lane_of_warp()] : no_pivot());
    const bool mine = row_.open && row_.position == winner.position;
    if (__any_sync(0xFFFFFFFFu, mine)) publish(j, value, mine);
    __syncthreads();
    const Unknown<E> unknown = s_.unknown;
    if (thread_of_block() == 0) {
      job_.pivots[Index{blockIdx.x} * job_.order() + first_ + j] = first_ + winner.position + 1;
      if (unknown.unit && info_ == 0) info_ = first_ + j + 1;
    }
    row_.exchange(j, winner.position);
    if (!__any_sync(0xFFFFFFFFu, row_.open)) return;
    const E l = sums_[0].template value<anchored>(unknown, row_.open, terms_of(own_row, j, j), job_.undecided);
    if (row_.open) a_(own_row, first_ + j) = l;
    __syncwarp();
    sums_.advance(l, count_ - j, [&](int c) { return s_.row[c]; });
  }

  /// Publishes the pivot's row; the warp that has it calls this. Lane c rounds the element c columns to the right of
  /// the pivot.
  __device__ void publish(int j, const E& value, bool mine) {
    const int from = __ffs(static_cast<int>(__ballot_sync(0xFFFFFFFFu, mine))) - 1, lane = lane_of_warp();
    const E pivot = of_lane(value, from);
    const int place = __shfl_sync(0xFFFFFFFFu, row_.place, from);
    if (mine)
#pragma unroll
      for (int c = 0; c < width; ++c) s_.published[c] = sums_[c];
    __syncwarp();
    const bool wanted = lane > 0 && lane < count_ - j;
    const SmallSum<E, cr> sum = s_.published[min(lane, width - 1)];
    E number = sum.template value<anchored>(numerator_alone<E>(), wanted,
                                            terms_of(first_ + place, wanted ? j + lane : j, j), job_.undecided);
    if (lane == 0) number = pivot;
    if (lane < width) s_.row[lane] = lane < count_ - j ? number : E{};
    if (lane < count_ - j) s_.top[j][j + lane] = number;
    if (lane < j) s_.top[j][lane] = a_(first_ + place, first_ + lane);
    if (lane == 0) s_.pivot_row[j] = place, s_.unknown = Unknown<E>::of_row(E{T(1)}, pivot, pivot == 0);
  }

  /// Lists the moves of rows, and stores the elements of U in the rows that they still have in memory.
  __device__ void leave_panel() {
    if (warp_of_block() == 0) put_moves(s_.moves, first_, count_, s_.pivot_row, row_);
    for (int at = thread_of_block(); at < count_ * count_; at += static_cast<int>(blockDim.x)) {
      const int c = at / count_, j = at % count_;
      if (c >= j) a_(first_ + s_.pivot_row[j], first_ + c) = s_.top[j][c];
    }
  }
  /// Moves the rows in all columns. Some lanes of a warp have the moves of one column, which are loaded before one of
  /// them is stored.
  __device__ void move_rows() const {
    constexpr int most = 2 * width, together = 4;
    const int move = lane_of_warp() % most, step = warps_of_block() * (32 / most);
    const bool wanted = move < s_.moves.count;
    const E* const from = &a_(wanted ? s_.moves.source[move] : 0, 0);
    E* const to = &a_(wanted ? s_.moves.target[move] : 0, 0);
    if (s_.moves.count == 0) return;
#pragma unroll 1
    for (int begin = warp_of_block() * (32 / most); begin < job_.n; begin += together * step) {
      const int column = begin + lane_of_warp() / most;
      E kept[together];
#pragma unroll
      for (int i = 0; i < together; ++i)
        if (wanted && column + i * step < job_.n) kept[i] = from[(column + i * step) * a_.col_stride];
      __syncwarp();
#pragma unroll
      for (int i = 0; i < together; ++i)
        if (wanted && column + i * step < job_.n) to[(column + i * step) * a_.col_stride] = kept[i];
    }
  }

  /// Computes the panel's rows of U to the right of it.
  __device__ void find_above() {
    const int next = first_ + count_, lines = job_.n - next;
    if (lines <= 0) return;
    const bool wanted = thread_of_block() < lines;
    const Index column = wanted ? next + thread_of_block() : next;
    const E* const elements = &a_(first_, column);
    sums_.begin([&](int r) { return elements[min(r, count_ - 1) * a_.row_stride]; });
    double size = wanted ? s_.sizes[column] : 0;
    sums_.template add_within<false>([&](int) { return most_factor<E> * size; },
                                     {{&a_(0, next), a_.col_stride, a_.row_stride}, lines},
                                     {&a_(first_, 0), a_.row_stride, a_.col_stride}, count_, first_, stage_);
    if (32 * warp_of_block() >= lines) return;
#pragma unroll 1
    for (int r = 0; r < count_; ++r) {
      const Index at = first_ + r;
      const SmallTerms<E> terms =
          small_terms<E>(&a_(at, 0), a_.col_stride, &a_(0, column), a_.row_stride, &a_(at, column), first_ + r, false);
      const E u = sums_[0].template value<anchored>(numerator_alone<E>(), wanted, terms, job_.undecided);
      __syncwarp();
      if (wanted) a_(at, column) = u;
      if constexpr (anchored) size += sum_of_sizes(u);
      __syncwarp();
      sums_.advance(u, count_ - r, [&](int c) { return s_.top[(r + c) % width][r]; });
    }
    if (anchored && wanted) s_.sizes[column] = size;
  }

  const BlockedJob<E>& job_;
  LuStorage<E, cr>& s_;
  LineStage<E, cr>& stage_;
  const Matrix<E> a_;
  Sums sums_;
  PanelRow row_{};
  int first_ = 0, count_ = 0;
  int info_ = 0;  ///< of the first thread
};

}  // namespace accublas::cuda
