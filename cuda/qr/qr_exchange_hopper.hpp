// The rows of a panel of QR on compute capability 9.0, in shared memory, and the exchanges of sums over all of them
// between the thread blocks of the panel. For .cu files.
#pragma once

#include <cstdint>

#include "cuda/core/panel_launch.hpp"
#include "cuda/core/ptx_hopper.hpp"
#include "cuda/qr/qr_arithmetic.hpp"
#include "cuda/qr/qr_panel.hpp"

namespace accublas::cuda::hopper::panel {

inline constexpr int threads = 128, warps = threads / lanes, rows_each = 4, rows = rows_each * threads, columns = 32,
                     group = 8, products = group * columns;
static_assert(qr_panel_columns<double> == columns);

/// The shared memory of a thread block.
struct Storage {
  double row[rows * columns];  ///< elements, at the positions place_of
  double of_warp[warps][products], of_block[most_in_cluster][products], total[products];
  double column_of_warp[2][warps][group], column_of_block[2][most_in_cluster][group];  ///< in the last two exchanges
  double own_diagonal[2][group], diagonal[2][group];  ///< row of the diagonal: to send, and received
  double tau[group];
  int exponent[columns];  ///< a column of the panel is 2^exponent times its numbers in `row`
  // A cluster has barriers for the exchanges of columns, used in turn, and one for exchanges of products.
  std::uint64_t column_arrived[2], products_arrived;

  /// Returns a position without bank conflicts, for lanes with a row each and for lanes with 4 rows of 4 columns.
  __device__ static int place_of(int row, int column) { return row * columns + (column ^ (row % 4 * 4 + row / 4 % 4)); }
};

/// Adds up numbers over all thread blocks of a panel: through shared memory in a cluster, through words in device
/// memory in a grid.
template <bool clustered>
class Exchange {
 public:
  __device__ Exchange(FlaggedWord* words, std::uint32_t step, Storage& storage)
      : words_(words), step_(step), s_(storage) {}

  __device__ void open_mailboxes() {
    if (threadIdx.x == 0) {
      for (std::uint64_t& arrived : s_.column_arrived) ptx::barrier_init(ptx::shared_address(&arrived), 1);
      ptx::barrier_init(ptx::shared_address(&s_.products_arrived), 1);
      ptx::publish_barriers();
    }
    ptx::cluster_sync();
  }
  /// Returns the number of the last exchange.
  __device__ std::uint32_t step() const { return step_; }

  /// Returns to lane i the sum over all warps of all thread blocks of `mine`, which belongs to column i % 8 of the
  /// group. Sets s_.diagonal[step() % 2] to the `number` of the one thread with `has_diagonal`, in the first block.
  __device__ double column(double mine, const double (&number)[group], bool has_diagonal) {
    ++step_;
    const int now = static_cast<int>(step_ % 2), rank = static_cast<int>(blockIdx.x),
              blocks = static_cast<int>(gridDim.x);
    if (lane() < group) s_.column_of_warp[now][warp()][lane()] = mine;
    double(&diagonal)[group] = clustered || blocks > 1 ? s_.own_diagonal[now] : s_.diagonal[now];
    if (has_diagonal)
#pragma unroll
      for (int c = 0; c < group; ++c) diagonal[c] = number[c];
    __syncthreads();
    const double of_block = sum_of(s_.column_of_warp[now], warps);
    if constexpr (clustered) {
      // Half of the lanes send sums, two numbers each to one block; in the first block the other lanes send the
      // diagonal. A receiver has read the numbers of the step before the last, which these overwrite: it sent its own
      // numbers of the last step after that.
      const int at = 2 * (lane() % 4), to = warp() + warps * (lane() / 4 % 4);
      const double low = __shfl_sync(0xFFFFFFFFu, of_block, at), high = __shfl_sync(0xFFFFFFFFu, of_block, at + 1);
      const std::uint32_t arrived = ptx::shared_address(&s_.column_arrived[column_exchanges_ % 2]);
      if (to < blocks && lane() < 16)
        send(&s_.column_of_block[now][rank][at], low, high, arrived, to);
      else if (to < blocks && rank == 0)
        send(&s_.diagonal[now][at], s_.own_diagonal[now][at], s_.own_diagonal[now][at + 1], arrived, to);
      if (threadIdx.x == 0) ptx::barrier_expect(arrived, (blocks + 1) * group * static_cast<int>(sizeof(double)));
      ptx::barrier_wait(arrived, column_exchanges_ / 2 % 2);
      ++column_exchanges_;
      return sum_of(s_.column_of_block[now], blocks);
    }
    if (blocks == 1) return of_block;
    if (warp() == 0) {
      if (lane() < group)
        publish_number(words_by(rank) + lane(), of_block, step_);
      else if (lane() < 2 * group && rank == 0)
        publish_number(words_by(0) + lane(), s_.own_diagonal[now][lane() - group], step_);
    }
    double sum = 0;
    for (int b = static_cast<int>(threadIdx.x) / group; b < blocks; b += threads / group)
      sum += await_number<double>(words_by(b) + lane() % group, step_);
    sum = sum_of_lanes(sum);
    if (lane() < group) s_.column_of_block[now][warp()][lane()] = sum;
    if (warp() == 0 && lane() < group)
      s_.diagonal[now][lane()] = await_number<double>(words_by(0) + group + lane(), step_);
    __syncthreads();
    return sum_of(s_.column_of_block[now], warps);
  }

  /// Reduces s_.of_warp[..][i], i < count, to s_.total[i] over all warps of all thread blocks.
  template <class Operation>
  __device__ void all_products(int count, Operation&& operation) {
    ++step_;
    const int thread = static_cast<int>(threadIdx.x), rank = static_cast<int>(blockIdx.x),
              blocks = static_cast<int>(gridDim.x);
    __syncthreads();
    const auto of_block = [&](int i) {
      return operation(operation(s_.of_warp[0][i], s_.of_warp[1][i]), operation(s_.of_warp[2][i], s_.of_warp[3][i]));
    };
    if constexpr (clustered) {
      static_assert(products == 2 * threads);
      const std::uint32_t arrived = ptx::shared_address(&s_.products_arrived);
      const int at = 2 * thread;
      if (at < count) {
        const double low = of_block(at), high = of_block(at + 1);  // `high` may be beyond the last product
        for (int b = 0; b < blocks; ++b) send(&s_.of_block[rank][at], low, high, arrived, (rank + b) % blocks);
      }
      if (thread == 0) ptx::barrier_expect(arrived, blocks * ((count + 1) / 2 * 2) * static_cast<int>(sizeof(double)));
      ptx::barrier_wait(arrived, product_exchanges_ % 2);
      ++product_exchanges_;
      for (int i = thread; i < count; i += threads) {
        double part[4]{};
#pragma unroll
        for (int b = 0; b < most_in_cluster; ++b)
          if (b < blocks) part[b % 4] = operation(part[b % 4], s_.of_block[b][i]);
        s_.total[i] = operation(operation(part[0], part[1]), operation(part[2], part[3]));
      }
    } else if (blocks == 1) {
      for (int i = thread; i < count; i += threads) s_.total[i] = of_block(i);
    } else {
      for (int i = thread; i < count; i += threads) publish_number(words_by(rank) + i, of_block(i), step_);
      // The sums are distributed over the blocks, each of which publishes its own.
      double* const received = s_.of_block[0];
      const int shares = (count - rank + blocks - 1) / blocks;
      for (int at = thread; at < shares * blocks; at += threads)
        received[at] = await_number<double>(words_by(at % blocks) + rank + at / blocks * blocks, step_);
      __syncthreads();
      for (int share = warp(); share < shares; share += warps) {
        double sum = 0;
        for (int b = lane(); b < blocks; b += lanes) sum = operation(sum, received[share * blocks + b]);
        for (int distance = 16; distance > 0; distance /= 2)
          sum = operation(sum, __shfl_xor_sync(0xFFFFFFFFu, sum, distance));
        if (lane() == 0) publish_number(words_by(rank) + products + share, sum, step_);
      }
      for (int i = thread; i < count; i += threads)
        s_.total[i] = await_number<double>(words_by(i % blocks) + products + i / blocks, step_);
    }
    __syncthreads();
  }
  static_assert(warps == 4);

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % lanes; }
  static __device__ int warp() { return static_cast<int>(threadIdx.x) / lanes; }
  __device__ FlaggedWord* words_by(int block) const { return ExchangeWords<qr_words>{words_}.by(step_, block); }
  /// Returns to lane i the sum of column i % 8 over the first `count` rows.
  template <int most>
  static __device__ double sum_of(const double (&from)[most][group], int count) {
    double sum = 0;
#pragma unroll
    for (int i = 0; i < most / 4; ++i) {
      const int row = lane() / group * (most / 4) + i;
      const double x = from[row][lane() % group];
      sum += row < count ? x : 0;
    }
    return sum_of_lanes(sum);
  }
  /// Returns the sum over the four lanes with equal i % 8.
  static __device__ double sum_of_lanes(double sum) {
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 8);
    return sum + __shfl_xor_sync(0xFFFFFFFFu, sum, 16);
  }
  /// Stores two numbers at position `to` in the shared memory of a block of the cluster. They count at that block's
  /// barrier `arrived`.
  static __device__ void send(const double* to, double low, double high, std::uint32_t arrived, int block) {
    const uint4 words{static_cast<unsigned>(__double2loint(low)), static_cast<unsigned>(__double2hiint(low)),
                      static_cast<unsigned>(__double2loint(high)), static_cast<unsigned>(__double2hiint(high))};
    ptx::store_to_peer(ptx::shared_address(to), words, arrived, static_cast<std::uint32_t>(block));
  }

  FlaggedWord* const words_;
  std::uint32_t step_;
  int column_exchanges_ = 0, product_exchanges_ = 0;  ///< exchanges so far in a cluster
  Storage& s_;
};

}  // namespace accublas::cuda::hopper::panel
