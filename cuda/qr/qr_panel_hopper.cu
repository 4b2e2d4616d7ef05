// A thread block has 512 rows of the panel in shared memory. Columns go by groups of 8, which a thread has in
// registers, a row each: one exchange a column between the thread blocks tells all of x^T a_c, c the columns of the
// group and x what stands below the diagonal of the step's, and the row of the diagonal. What a group makes of the
// columns to its right, and its products with those to its left, are three products on the tensor cores with one
// exchange.
#include <cmath>
#include <cstring>

#include "cuda/core/panel_launch.hpp"
#include "cuda/core/ptx_hopper.hpp"
#include "cuda/qr/qr_arithmetic.hpp"
#include "cuda/qr/qr_kernels.hpp"
#include "cuda/trsm/substitution.hpp"

namespace accublas::cuda::hopper {
namespace {

constexpr int threads = 128, warps = threads / lanes, rows_each = 4, rows = rows_each * threads, columns = 32,
              group = 8, products = group * columns;
static_assert(qr_panel_columns<double> == columns);

struct Storage {
  double row[rows * columns];  ///< elements by place_of
  double of_warp[warps][products], of_block[most_in_cluster][products], total[products];
  double column_of_warp[2][warps][group], column_of_block[2][most_in_cluster][group];  ///< of the last two exchanges
  double own_diagonal[2][group], diagonal[2][group];                                   ///< rows of steps
  double tau[group];
  int exponent[columns];  ///< a column is 2^exponent times what stands here
  // A cluster has barriers for the exchanges of columns, used in turn, and one for exchanges of products.
  std::uint64_t column_arrived[2], products_arrived;

  /// Such that neither lanes with a row each nor those with 4 rows of 4 columns meet in a bank.
  __device__ static int place_of(int row, int column) { return row * columns + (column ^ (row % 4 * 4 + row / 4 % 4)); }
};

template <bool clustered>
class Panel {
 public:
  __device__ Panel(const QrPanel<double>& panel, std::uint32_t steps, Storage& storage)
      : p_(panel), step_(steps), s_(storage), place_(Index{blockIdx.x} * rows + threadIdx.x) {}

  __device__ void run() {
    if constexpr (clustered) open_mailboxes();
    load();
#pragma unroll 1
    for (int first = 0; first < p_.width; first += group) {
      factor_group(first);
      multiply_group(first);
    }
    store();
  }

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % lanes; }
  static __device__ int warp() { return static_cast<int>(threadIdx.x) / lanes; }
  __device__ double& element(int row, int column) { return s_.row[Storage::place_of(row, column)]; }
  __device__ double& own(int k, int column) { return element(threads * k + static_cast<int>(threadIdx.x), column); }
  __device__ Index place(int k) const { return place_ + threads * k; }

  // ---- the panel in memory ----

  __device__ void load() {
    double largest[columns]{};
#pragma unroll 1
    for (int k = 0; k < rows_each; ++k) {
      double number[columns];
#pragma unroll
      for (int c = 0; c < columns; ++c)  // without branches, so that all are under way at a time
        number[c] = p_.a(min(place(k), p_.rows - 1), min(c, p_.width - 1));
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        if (place(k) >= p_.rows || c >= p_.width) number[c] = 0;
        own(k, c) = number[c];
        largest[c] = fmax(largest[c], fabs(number[c]));
      }
    }
    const auto larger = [](double x, double y) { return fmax(x, y); };
    s_.of_warp[warp()][lane()] = reduce_to_lanes<columns, double>([&](int c) { return largest[c]; }, larger);
    exchange_products(columns, larger);
    if (threadIdx.x < columns) s_.exponent[threadIdx.x] = exponent_of(s_.total[threadIdx.x]);
#pragma unroll 1
    for (int c = 0; c < columns; ++c) {
      const double by = power<double>(-exponent_of(s_.total[c]));
#pragma unroll
      for (int k = 0; k < rows_each; ++k) own(k, c) *= by;
    }
  }
  __device__ void store() {
#pragma unroll 1
    for (int k = 0; k < rows_each; ++k) {
      if (place(k) >= p_.rows) return;
#pragma unroll 4
      for (int c = 0; c < p_.width; ++c) {
        const double x = own(k, c);
        p_.a(place(k), c) = place(k) > c ? x : ldexp(x, s_.exponent[c]);
        p_.v(place(k), c) = place(k) > c ? x : place(k) == c ? 1 : 0;
      }
    }
  }

  // ---- columns ----

  using Numbers = double[rows_each][group];

  __device__ void factor_group(int first) {
    Numbers number;
#pragma unroll
    for (int k = 0; k < rows_each; ++k)
#pragma unroll
      for (int c = 0; c < group; ++c) number[k][c] = own(k, first + c);
#pragma unroll
    for (int t = 0; t < group; ++t)
      if (first + t < p_.width)
        factor_column(number, first, t);
      else if (threadIdx.x == 0)
        s_.tau[t] = 0;
#pragma unroll
    for (int k = 0; k < rows_each; ++k)
#pragma unroll
      for (int c = 0; c < group; ++c) own(k, first + c) = number[k][c];
    __syncwarp();
  }
  __device__ __forceinline__ void factor_column(Numbers& number, int first, int t) {
    const int j = first + t, column = lane() % group;
    const auto add = [](double a, double b) { return a + b; };
    const auto larger = [](double a, double b) { return fmax(a, b); };
    double alpha, of_diagonal, square, norm2, total;
    for (;;) {
      const double below = place_ > j ? number[0][t] : 0;
      const double mine = reduce_to_lanes<group, double>(
          [&](int c) {
            if (c < t) return 0.0;
            double sum = below * number[0][c];
#pragma unroll
            for (int k = 1; k < rows_each; ++k) sum = fma(number[k][t], number[k][c], sum);
            return sum;
          },
          add);
      total = exchange_column(mine, number[0], j);
      alpha = s_.diagonal[step_ % 2][t], of_diagonal = s_.diagonal[step_ % 2][column];
      square = __shfl_sync(0xFFFFFFFFu, total, t);
      norm2 = fma(alpha, alpha, square);
      if (!(norm2 < least_square<double>())) break;
      double size = place_ >= j ? fabs(number[0][t]) : 0;
#pragma unroll
      for (int k = 1; k < rows_each; ++k) size = fmax(size, fabs(number[k][t]));
      s_.of_warp[warp()][lane()] = reduce_to_lanes<lanes, double>([&](int i) { return i == 0 ? size : 0; }, larger);
      exchange_products(1, larger);
      const double largest = s_.total[0];
      if (largest == 0) {
        // Products may be exchanged next: all must have these before any are sent to them again.
        if constexpr (clustered) ptx::cluster_sync();
        break;
      }
      const int exponent = exponent_of(largest);
#pragma unroll
      for (int k = 0; k < rows_each; ++k) number[k][t] *= power<double>(-exponent);
      if (threadIdx.x == 0) s_.exponent[j] += exponent;
    }
    // LAPACK's reflector.
    const bool done = square == 0;
    const double beta = done ? alpha : -copysign(sqrt(norm2), alpha);
    const double tau = done ? 0 : (beta - alpha) / beta, scale = done ? 0 : 1 / (alpha - beta);
    // v^T a_c times tau, of the columns to the right.
    const double factor = tau * fma(scale, total, of_diagonal);
    if (threadIdx.x == 0) s_.tau[t] = tau;
    if (place_ == j) p_.tau[j] = tau;
    double v[rows_each];
#pragma unroll
    for (int k = 0; k < rows_each; ++k) v[k] = number[k][t] * scale;
    if (place_ <= j) v[0] = place_ == j ? 1 : 0;
    number[0][t] = place_ > j ? v[0] : place_ == j ? beta : number[0][t];
#pragma unroll
    for (int k = 1; k < rows_each; ++k) number[k][t] = v[k];
#pragma unroll
    for (int c = t + 1; c < group; ++c) {
      const double of_column = __shfl_sync(0xFFFFFFFFu, factor, c);
#pragma unroll
      for (int k = 0; k < rows_each; ++k) number[k][c] = fma(-of_column, v[k], number[k][c]);
    }
  }

  // ---- groups ----

  /// An element of the vectors. Those to the left of `end` exist; entries above the vectors count as zeros.
  __device__ double vector_element(int row, int column) {
    const Index place = Index{blockIdx.x} * rows + row;
    const double x = element(row, column);
    return place > column ? x : place == column ? 1 : 0;
  }
  /// The columns to the right become (1 - V T^T V^T) times what they are, V the group's vectors, whose products with
  /// those to the left S takes.
  __device__ void multiply_group(int first) {
    const int end = first + group;
    // V^T times all columns, the warp's rows.
    double sums[2][4]{};
#pragma unroll 1
    for (int k = 0; k < rows_each; ++k)
#pragma unroll
      for (int part = 0; part < lanes; part += 16) {
        const int terms = threads * k + lanes * warp() + part;
        double of_v[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) of_v[q] = vector_element(terms + lane() % 4 + 4 * q, first + lane() / 4);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          double of_all[8];
#pragma unroll
          for (int at = 0; at < 8; ++at) {
            const int row = terms + lane() % 4 + 4 * (at / 2), c = 16 * half + lane() / 4 + 8 * (at % 2);
            const bool above = blockIdx.x == 0 && row < first;
            of_all[at] = c < end ? vector_element(row, c) : above ? 0 : element(row, c);
          }
          ptx::mma_16x8x16(sums[half], of_all, of_v);
        }
      }
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int at = 0; at < 4; ++at)
        s_.of_warp[warp()][(lane() % 4 * 2 + at % 2) * columns + 16 * half + lane() / 4 + 8 * (at / 2)] =
            sums[half][at];
    exchange_products(products, [](double a, double b) { return a + b; });
    if (blockIdx.x == 0 && warp() == 0)
#pragma unroll
      for (int i = 0; i < group; ++i)
        if (lane() < first + i && first + i < p_.width) p_.s(lane(), first + i) = s_.total[i * columns + lane()];
    if (end >= p_.width) return;
    // T^T times that, a column a lane: T's inverse has S above its diagonal, and there 1 / tau.
    double* const mine = s_.of_warp[warp()];
    double y[group];
#pragma unroll
    for (int i = 0; i < group; ++i) {
      double sum = s_.total[i * columns + lane()];
#pragma unroll
      for (int j = 0; j < i; ++j) sum = fma(-s_.total[i * columns + first + j], y[j], sum);
      y[i] = s_.tau[i] * sum;
      mine[i * columns + lane()] = y[i];
    }
    __syncwarp();
#pragma unroll 1
    for (int k = 0; k < rows_each; ++k)
#pragma unroll
      for (int part = 0; part < lanes; part += 16) {
        const int upper = threads * k + lanes * warp() + part;
        double of_v[8]{};  // 8 terms of 16
#pragma unroll
        for (int at = 0; at < 4; ++at)
          of_v[at] = negated(vector_element(upper + lane() / 4 + 8 * (at % 2), first + lane() % 4 + 4 * (at / 2)));
        for (int column = end; column < columns; column += 8) {
          const double of_y[4]{mine[lane() % 4 * columns + column + lane() / 4],
                               mine[(lane() % 4 + 4) * columns + column + lane() / 4], 0, 0};
          double sum[4];
          const auto at = [&](int i) -> double& {
            return element(upper + lane() / 4 + 8 * (i / 2), column + lane() % 4 * 2 + i % 2);
          };
#pragma unroll
          for (int i = 0; i < 4; ++i) sum[i] = at(i);
          ptx::mma_16x8x16(sum, of_v, of_y);
#pragma unroll
          for (int i = 0; i < 4; ++i) at(i) = sum[i];
        }
      }
    __syncwarp();
  }

  // ---- exchanges ----

  /// Lane i gets column i % 8 of the first `count` rows, summed.
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
  static __device__ double sum_of_lanes(double sum) {
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 8);
    return sum + __shfl_xor_sync(0xFFFFFFFFu, sum, 16);
  }
  /// Exchanges step j's sums over all rows, lane i's of column i % 8, and s_.diagonal.
  __device__ double exchange_column(double mine, const double (&number)[group], int j) {
    ++step_;
    const int now = static_cast<int>(step_ % 2), rank = static_cast<int>(blockIdx.x),
              blocks = static_cast<int>(gridDim.x);
    if (lane() < group) s_.column_of_warp[now][warp()][lane()] = mine;
    double(&diagonal)[group] = clustered || blocks > 1 ? s_.own_diagonal[now] : s_.diagonal[now];
    if (place_ == j)
#pragma unroll
      for (int c = 0; c < group; ++c) diagonal[c] = number[c];
    __syncthreads();
    const double of_block = sum_of(s_.column_of_warp[now], warps);
    if constexpr (clustered) {
      // Half of the lanes send sums, two numbers each to a block; in the first block the other lanes send the diagonal.
      // The receiver has read the numbers of two steps before: it sent its own of the last step after that.
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

  /// s_.total[i] of s_.of_warp, i < count, over all warps of all blocks.
  template <class Operation>
  __device__ void exchange_products(int count, Operation&& operation) {
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
        const double low = of_block(at), high = of_block(at + 1);  // the second may be beyond the last
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

  __device__ FlaggedWord* words_by(int block) const { return ExchangeWords<qr_words>{p_.words}.by(step_, block); }
  __device__ void open_mailboxes() {
    if (threadIdx.x == 0) {
      for (std::uint64_t& arrived : s_.column_arrived) ptx::barrier_init(ptx::shared_address(&arrived), 1);
      ptx::barrier_init(ptx::shared_address(&s_.products_arrived), 1);
      ptx::publish_barriers();
    }
    ptx::cluster_sync();
  }
  /// Two numbers to this place in a block of the cluster.
  static __device__ void send(const double* to, double low, double high, std::uint32_t arrived, int block) {
    const uint4 words{static_cast<unsigned>(__double2loint(low)), static_cast<unsigned>(__double2hiint(low)),
                      static_cast<unsigned>(__double2loint(high)), static_cast<unsigned>(__double2hiint(high))};
    ptx::store_to_peer(ptx::shared_address(to), words, arrived, static_cast<std::uint32_t>(block));
  }

  const QrPanel<double>& p_;
  std::uint32_t step_;                                ///< of the last exchange
  int column_exchanges_ = 0, product_exchanges_ = 0;  ///< of a cluster's exchanges
  Storage& s_;
  const Index place_;  ///< of the thread's first row; only that may be one of R's
};

template <bool clustered>
__global__ void __launch_bounds__(threads, 1)
    qr_panel_kernel(const __grid_constant__ QrPanel<double> panel, std::uint32_t steps) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  Panel<clustered>(panel, steps, *reinterpret_cast<Storage*>(memory)).run();
}

constexpr PanelKernels<QrPanel<double>> kernels{"a panel of QR",        threads,         qr_panel_kernel<true>,
                                                qr_panel_kernel<false>, sizeof(Storage), rows_each};

}  // namespace

int qr_panel_blocks(const DeviceModel& model, Index rows) { return kernels.blocks(model, rows); }

void factor_panel(const DeviceModel& model, const QrPanel<double>& panel, std::uint32_t steps, cudaStream_t stream) {
  check(cudaFuncSetAttribute(qr_panel_kernel<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Storage)),
        kernels.what);
  check(cudaFuncSetAttribute(qr_panel_kernel<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Storage)),
        kernels.what);
  kernels.launch(model, panel.rows, panel, steps, stream);
}

}  // namespace accublas::cuda::hopper
