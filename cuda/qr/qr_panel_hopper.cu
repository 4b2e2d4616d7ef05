// A thread block has 512 rows of the panel in shared memory. Columns are factored in groups of 8, and a thread keeps a
// group of 4 rows in registers. One exchange a column gives all thread blocks x^T a_c and the row of the diagonal,
// where x is the step's column below the diagonal and a_c are the columns of the group. A group is then applied to the
// columns to its right, and multiplied with those to its left, by products on the tensor cores with one exchange.
#include <cmath>

#include "cuda/qr/qr_exchange_hopper.hpp"
#include "cuda/qr/qr_kernels.hpp"
#include "cuda/trsm/substitution.hpp"

namespace accublas::cuda::hopper {
namespace {

using namespace panel;

template <bool clustered>
class Panel {
 public:
  __device__ Panel(const QrPanel<double>& panel, std::uint32_t steps, Storage& storage)
      : p_(panel),
        exchange_(panel.words, steps, storage),
        s_(storage),
        place_(Index{blockIdx.x} * rows + threadIdx.x) {}

  __device__ void run() {
    if constexpr (clustered) exchange_.open_mailboxes();
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
      for (int c = 0; c < columns; ++c)  // without branches, so that all loads are in flight at a time
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
    exchange_.all_products(columns, larger);
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
      total = exchange_.column(mine, number[0], place_ == j);
      alpha = s_.diagonal[exchange_.step() % 2][t], of_diagonal = s_.diagonal[exchange_.step() % 2][column];
      square = __shfl_sync(0xFFFFFFFFu, total, t);
      norm2 = fma(alpha, alpha, square);
      if (!(norm2 < least_square<double>())) break;
      double size = place_ >= j ? fabs(number[0][t]) : 0;
#pragma unroll
      for (int k = 1; k < rows_each; ++k) size = fmax(size, fabs(number[k][t]));
      s_.of_warp[warp()][lane()] = reduce_to_lanes<lanes, double>([&](int i) { return i == 0 ? size : 0; }, larger);
      exchange_.all_products(1, larger);
      const double largest = s_.total[0];
      if (largest == 0) {
        // Products may be exchanged next. All blocks must have received these before others are sent.
        if constexpr (clustered) ptx::cluster_sync();
        break;
      }
      const int exponent = exponent_of(largest);
#pragma unroll
      for (int k = 0; k < rows_each; ++k) number[k][t] *= power<double>(-exponent);
      if (threadIdx.x == 0) s_.exponent[j] += exponent;
    }
    // This is LAPACK's reflector (LARFG).
    const bool done = square == 0;
    const double beta = done ? alpha : -copysign(sqrt(norm2), alpha);
    const double tau = done ? 0 : (beta - alpha) / beta, scale = done ? 0 : 1 / (alpha - beta);
    // `factor` is tau v^T a_c; it is used for the columns to the right.
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

  /// Returns an element of V, in a column that is factored: 1 on the diagonal and 0 above it.
  __device__ double vector_element(int row, int column) {
    const Index place = Index{blockIdx.x} * rows + row;
    const double x = element(row, column);
    return place > column ? x : place == column ? 1 : 0;
  }
  /// Multiplies the columns to the right by 1 - V T^T V^T, where V has the group's vectors. S receives the products of
  /// V with the vectors to the left.
  __device__ void multiply_group(int first) {
    const int end = first + group;
    // The warp multiplies V^T with all columns, over its own rows.
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
    exchange_.all_products(products, [](double a, double b) { return a + b; });
    if (blockIdx.x == 0 && warp() == 0)
#pragma unroll
      for (int i = 0; i < group; ++i)
        if (lane() < first + i && first + i < p_.width) p_.s(lane(), first + i) = s_.total[i * columns + lane()];
    if (end >= p_.width) return;
    // A lane multiplies a column by T^T, by substitution: T^-1 has S above its diagonal and 1 / tau on it.
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
        double of_v[8]{};  // the product has 8 terms; the other 8 of the instruction are zeros
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

  const QrPanel<double>& p_;
  Exchange<clustered> exchange_;
  Storage& s_;
  const Index place_;  ///< position of the thread's first row, the only one that can be a row of R
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
  kernels.launch(model, panel.rows, panel, steps, stream);
}

}  // namespace accublas::cuda::hopper
