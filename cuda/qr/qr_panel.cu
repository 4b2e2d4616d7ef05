#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/core/panel_launch.hpp"
#include "cuda/core/ptx_hopper.hpp"
#include "cuda/lu_cholesky/plain_arithmetic.hpp"
#include "cuda/qr/qr_arithmetic.hpp"
#include "cuda/qr/qr_kernels.hpp"
#include "cuda/qr/qr_panel.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/product.hpp"

namespace accublas::cuda {
namespace {

constexpr int qr_threads = 512, qr_warps = qr_threads / 32;
static_assert(most_in_cluster <= qr_warps);  // each warp sends to one thread block

// ---- arithmetic ----

/// Returns c + x y.
template <class T>
__device__ __forceinline__ T plus_product(T c, T x, T y) {
  return fma(x, y, c);
}
template <class T>
__device__ __forceinline__ Complex<T> plus_product(const Complex<T>& c, const Complex<T>& x, const Complex<T>& y) {
  return {fma(-x.im, y.im, fma(x.re, y.re, c.re)), fma(x.im, y.re, fma(x.re, y.im, c.im))};
}
template <class E>
__device__ __forceinline__ E conjugate(const E& x) {
  return conjugate_if(true, x);
}
template <class E>
__device__ __forceinline__ RealOf<E> real_part(const E& x) {
  if constexpr (is_complex<E>)
    return x.re;
  else
    return x;
}
template <class E>
__device__ __forceinline__ RealOf<E> imaginary_part(const E& x) {
  if constexpr (is_complex<E>)
    return x.im;
  else
    return 0;
}
template <class E>
__device__ __forceinline__ E times(const E& x, RealOf<E> factor) {
  if constexpr (is_complex<E>)
    return {x.re * factor, x.im * factor};
  else
    return x * factor;
}
template <class E>
__device__ __forceinline__ E number(RealOf<E> re, RealOf<E> im) {
  if constexpr (is_complex<E>)
    return {re, im};
  else
    return re;
}
template <class E>
__device__ __forceinline__ RealOf<E> size(const E& x) {
  return fmax(fabs(real_part(x)), fabs(imaginary_part(x)));
}

// ---- the panel ----

template <class E>
struct QrStorage {
  using T = RealOf<E>;
  static constexpr int columns = qr_panel_columns<E>;
  T of_warp[2][qr_warps][lanes];          ///< numbers of the last two exchanges
  T of_block[2][most_in_cluster][lanes];  ///< sums of the blocks of a cluster, or of warps over blocks of a grid
  E own_row[columns];                     ///< the row of the step's diagonal, in the block that has it
  E row[2][columns];                      ///< that row, received by every block
  // Every warp has its own copy of the totals.
  E total[qr_warps][columns], factor[qr_warps][columns];
  int exponent[qr_warps][columns];  ///< a column of the panel is 2^exponent times its numbers in row_
};

/// Factors a panel. A thread keeps a row of it in registers, which rotates as columns are factored: at step j element p
/// belongs to column (j + p) mod columns, and factored columns hold vectors. One exchange a column gives all thread
/// blocks the row of the diagonal and x^H a_c for every column a_c of the panel, where x is the step's column below the
/// diagonal.
template <class E, bool clustered>
class QrPanelRows {
  using T = RealOf<E>;
  static constexpr int columns = qr_panel_columns<E>, parts = is_complex<E> ? 2 : 1;
  static_assert(columns * parts == lanes);

 public:
  __device__ QrPanelRows(const QrPanel<E>& panel, std::uint32_t steps, QrStorage<E>& storage)
      : p_(panel), step_(steps), storage_(storage), place_(Index{blockIdx.x} * qr_threads + threadIdx.x) {}

  __device__ void run() {
    inside_ = place_ < p_.rows;
#pragma unroll
    for (int c = 0; c < columns; ++c) row_[c] = inside_ && c < p_.width ? p_.a(place_, c) : E{};
    if constexpr (clustered) sync_cluster();
    scale_columns();
#pragma unroll 1
    for (int j = 0; j < p_.width; ++j) factor_column(j);
  }

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % lanes; }
  static __device__ int warp() { return static_cast<int>(threadIdx.x) / lanes; }
  static __device__ T component(const E& x, int part) { return part == 0 ? real_part(x) : imaginary_part(x); }

  __device__ void scale_columns() {
    const auto larger = [](T x, T y) { return fmax(x, y); };
    const T mine =
        reduce_to_lanes<lanes, T>([&](int i) { return fabs(component(row_[i / parts], i % parts)); }, larger);
    T largest = exchange(mine, -1, larger);
    if (parts == 2) largest = fmax(largest, __shfl_xor_sync(0xFFFFFFFFu, largest, 1));
    put_exponent(lane() / parts, exponent_of(largest));
    const T by = power<T>(-exponent_of(largest));
#pragma unroll
    for (int c = 0; c < columns; ++c) row_[c] = times(row_[c], __shfl_sync(0xFFFFFFFFu, by, c * parts));
  }

  /// Multiplies the step's column by 2^-exponent from the diagonal on.
  __device__ void scale_again(int j, int exponent) {
    if (place_ >= j) row_[0] = times(row_[0], power<T>(-exponent));
    put_exponent(j, storage_.exponent[warp()][j] + exponent);
  }
  __device__ void put_exponent(int column, int exponent) {
    __syncwarp();
    storage_.exponent[warp()][column] = exponent;
    __syncwarp();
  }

  __device__ void factor_column(int j) {
    E x, alpha;
    const E* row;
    T square, norm2;
    for (;;) {
      x = place_ > j ? row_[0] : E{};
      const T mine = reduce_to_lanes<lanes, T>([&](int i) { return product_part(x, row_[i / parts], i % parts); },
                                               [](T a, T b) { return a + b; });
      put_row(j);
      const T total = exchange(mine, j, [](T a, T b) { return a + b; });
      reinterpret_cast<T*>(storage_.total[warp()])[lane()] = total;
      __syncwarp();
      row = storage_.row[step_ % 2];
      alpha = row[0];
      square = real_part(storage_.total[warp()][0]);
      norm2 = fma(real_part(alpha), real_part(alpha), fma(imaginary_part(alpha), imaginary_part(alpha), square));
      if (!(norm2 < least_square<T>())) break;
      const T largest =
          exchange(shuffle_max(place_ >= j ? size(row_[0]) : T(0)), -1, [](T a, T b) { return fmax(a, b); });
      if (largest == 0) break;
      scale_again(j, exponent_of(largest));
    }
    // This is LAPACK's reflector (LARFG).
    const T re = real_part(alpha), im = imaginary_part(alpha);
    const bool done = square == 0 && im == 0;
    const T beta = done ? re : -copysign(sqrt(norm2), re);
    const E tau = done ? E{} : number<E>((beta - re) / beta, -im / beta);
    const E divisor = number<E>(re - beta, im);
    const E scale = done ? E{} : quotient(number<E>(1, 0), divisor, inverse_of(divisor));
    const E y_factor = conjugate(tau), conjugate_scale = conjugate(scale);
    // `product` is v^H a_c. The factor of a column to the right is conj(tau) times that.
    if (lane() < columns) {
      const E product = plus_product(row[lane()], conjugate_scale, storage_.total[warp()][lane()]);
      const int column = (j + lane()) % columns;
      storage_.factor[warp()][lane()] = column > j ? plus_product(E{}, y_factor, product) : E{};
      if (blockIdx.x == 0 && warp() == 0 && column < j) p_.s(column, j) = conjugate(product);
    }
    __syncwarp();
    const E v = place_ > j ? plus_product(E{}, x, scale) : place_ == j ? number<E>(1, 0) : E{};
    if (place_ == j) put_r(j, beta, tau);
    if (inside_ && place_ > j) p_.a(place_, j) = v;
    if (inside_) p_.v(place_, j) = v;
#pragma unroll
    for (int p = 1; p < columns; ++p) row_[p - 1] = less_product(row_[p], v, storage_.factor[warp()][p]);
    row_[columns - 1] = v;
  }

  /// Writes tau and row j of R, from which this step's product is subtracted.
  __device__ void put_r(int j, T beta, const E& tau) const {
    p_.tau[j] = tau;
    p_.a(j, j) = number<E>(beta * power<T>(storage_.exponent[warp()][j]), 0);
#pragma unroll
    for (int p = 1; p < columns; ++p)
      if (j + p < p_.width)
        p_.a(j, j + p) = times(less_product(row_[p], number<E>(1, 0), storage_.factor[warp()][p]),
                               power<T>(storage_.exponent[warp()][j + p]));
  }

  static __device__ T product_part(const E& x, const E& y, int part) {
    if constexpr (is_complex<E>)
      return part == 0 ? fma(x.im, y.im, x.re * y.re) : fma(-x.im, y.re, x.re * y.im);
    else
      return x * y;
  }
  static __device__ T shuffle_max(T value) {
    for (int distance = 16; distance > 0; distance /= 2)
      value = fmax(value, __shfl_xor_sync(0xFFFFFFFFu, value, distance));
    return value;
  }
  __device__ void put_row(int j) {
    if (place_ != j) return;
#pragma unroll
    for (int c = 0; c < columns; ++c) storage_.own_row[c] = row_[c];
  }

  // ---- exchanges: a reduction lane by lane over all warps of all thread blocks, and the row of step j >= 0 ----

  template <class Operation>
  __device__ T exchange(T mine, int j, Operation&& operation) {
    ++step_;
    const int now = static_cast<int>(step_ % 2);
    storage_.of_warp[now][warp()][lane()] = mine;
    __syncthreads();
    T of_block = storage_.of_warp[now][0][lane()];
#pragma unroll
    for (int w = 1; w < qr_warps; ++w) of_block = operation(of_block, storage_.of_warp[now][w][lane()]);
    const T* const own = reinterpret_cast<const T*>(storage_.own_row);
    if constexpr (clustered) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
      const int rank = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
      if (warp() < blocks) {
        QrStorage<E>& other = *static_cast<QrStorage<E>*>(__cluster_map_shared_rank(&storage_, warp()));
        other.of_block[now][rank][lane()] = of_block;
        if (rank == 0 && j >= 0) reinterpret_cast<T*>(other.row[now])[lane()] = own[lane()];
      }
      sync_cluster();
      T total = storage_.of_block[now][0][lane()];
      for (int b = 1; b < blocks; ++b) total = operation(total, storage_.of_block[now][b][lane()]);
      return total;
#else
      return of_block;
#endif
    } else if (gridDim.x == 1) {
      if (warp() == 0 && j >= 0) reinterpret_cast<T*>(storage_.row[now])[lane()] = own[lane()];
      __syncthreads();
      return of_block;
    } else {
      if (warp() == 0) {
        publish_number(words_by(blockIdx.x) + lane(), of_block, step_);
        if (blockIdx.x == 0) publish_number(words_by(0) + lanes + lane(), own[lane()], step_);
      }
      const int blocks = static_cast<int>(gridDim.x);
      T part{};
      for (int b = warp(); b < blocks; b += qr_warps) {
        const T other = await_number<T>(words_by(static_cast<unsigned>(b)) + lane(), step_);
        part = b == warp() ? other : operation(part, other);
      }
      if (warp() == 0)
        reinterpret_cast<T*>(storage_.row[now])[lane()] = await_number<T>(words_by(0) + lanes + lane(), step_);
      storage_.of_block[now][warp()][lane()] = part;
      __syncthreads();
      T total = storage_.of_block[now][0][lane()];
      for (int w = 1; w < (blocks < qr_warps ? blocks : qr_warps); ++w)
        total = operation(total, storage_.of_block[now][w][lane()]);
      return total;
    }
  }
  __device__ FlaggedWord* words_by(unsigned block) const { return ExchangeWords<qr_words>{p_.words}.by(step_, block); }
  __device__ static void sync_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    ptx::cluster_sync();
#endif
  }

  const QrPanel<E>& p_;
  std::uint32_t step_;  ///< number of the last exchange
  QrStorage<E>& storage_;
  const Index place_;  ///< the row's position in the panel
  bool inside_ = false;
  E row_[columns];
};

template <class E, bool clustered>
__global__ void __launch_bounds__(qr_threads, 1)
    factor_qr_panel_kernel(const __grid_constant__ QrPanel<E> panel, std::uint32_t steps) {
  await_predecessor();
  __shared__ alignas(16) unsigned char memory[sizeof(QrStorage<E>)];
  QrPanelRows<E, clustered>(panel, steps, *reinterpret_cast<QrStorage<E>*>(memory)).run();
}

/// Computes a triangle on the diagonal of T with one warp, in which a lane has a row:
/// T_ij = -tau_j (T_i,i .. T_i,j-1) (s_ij .. s_j-1,j).
template <class E>
__global__ void __launch_bounds__(lanes) triangles_kernel(const __grid_constant__ Matrix<E> s, const E* tau,
                                                          const __grid_constant__ Matrix<E> t, Index order) {
  await_predecessor();
  constexpr int columns = qr_panel_columns<E>;
  __shared__ alignas(16) unsigned char memory[(columns + 1) * columns * sizeof(E)];
  E(*const products)[columns] = reinterpret_cast<E(*)[columns]>(memory);
  E* const factors = products[columns];
  const Index first = Index{blockIdx.x} * columns;
  const int width = static_cast<int>(min(Index{columns}, order - first)), lane = static_cast<int>(threadIdx.x);
  // The loads have no branches, so that all are in flight at a time.
  E row[columns];
#pragma unroll
  for (int j = 0; j < columns; ++j) row[j] = s(first + min(lane, width - 1), first + min(j, width - 1));
#pragma unroll
  for (int j = 0; j < columns; ++j)
    if (lane < columns) products[lane][j] = lane < j && j < width ? row[j] : E{};
  if (lane < columns) factors[lane] = lane < width ? tau[first + lane] : E{};
  __syncwarp();
#pragma unroll
  for (int j = 0; j < columns; ++j) {
    const E factor = factors[j];
    E sum{};
#pragma unroll
    for (int k = 0; k < j; ++k)
      if (k >= lane) sum = less_product(sum, row[k], products[k][j]);
    row[j] = lane == j ? factor : lane < j ? plus_product(E{}, factor, sum) : E{};
  }
#pragma unroll
  for (int j = 0; j < columns; ++j)
    if (j < width && lane < width) t(first + lane, first + j) = row[j];
}

template <class E>
constexpr PanelKernels<QrPanel<E>> qr_kernels{"a panel of QR", qr_threads, factor_qr_panel_kernel<E, true>,
                                              factor_qr_panel_kernel<E, false>};

}  // namespace

template <class E>
int portable::qr_panel_blocks(const DeviceModel& model, Index rows) {
  return qr_kernels<E>.blocks(model, rows);
}

template <class E>
void portable::factor_panel(const DeviceModel& model, const QrPanel<E>& panel, std::uint32_t steps,
                            cudaStream_t stream) {
  qr_kernels<E>.launch(model, panel.rows, panel, steps, stream);
}

template <class E>
void make_triangles(const DeviceModel& model, const Matrix<E>& s, const E* tau, const Matrix<E>& t, Index order,
                    cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_div(order, Index{qr_panel_columns<E>}));
  launch(model, "triangles of reflectors", triangles_kernel<E>, {blocks, lanes}, stream, s, tau, t, order);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                             \
  template int portable::qr_panel_blocks<E>(const DeviceModel&, Index);                                     \
  template void portable::factor_panel(const DeviceModel&, const QrPanel<E>&, std::uint32_t, cudaStream_t); \
  template void make_triangles(const DeviceModel&, const Matrix<E>&, const E*, const Matrix<E>&, Index, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
