#include "cuda/core/launch.hpp"
#include "cuda/lu_cholesky/plain_arithmetic.hpp"
#include "cuda/lu_cholesky/plain_cholesky.hpp"
#include "lib/call/product.hpp"

namespace accublas::cuda {
namespace {

constexpr int plain_edge = static_cast<int>(plain_cholesky_edge), plain_warps = 16, plain_threads = 32 * plain_warps;

/// The block's entries row by row, padded so that neither rows nor columns have bank conflicts.
template <class E>
struct PlainDiagonal {
  E entry[plain_edge][plain_edge + 1];
};

/// Calls body(row, column) for the upper triangle, in the order of memory.
template <class Body>
__device__ void for_triangle(int count, bool by_columns, Body&& body) {
  for (int at = static_cast<int>(threadIdx.x); at < plain_edge * plain_edge; at += plain_threads) {
    const int fast = at % plain_edge, slow = at / plain_edge, p = by_columns ? fast : slow,
              q = by_columns ? slow : fast;
    if (p <= q && q < count) body(p, q);
  }
}

/// A warp has every 16th row of A in registers. A lane has two numbers of each row, and every lane has the diagonal's
/// number. The rows of X are computed one after the other. The warp of a row puts it into storage, and all warps read
/// it there to update the rows that they keep. Numbers below the diagonal are computed too, but not used.
template <class E>
class DiagonalRows {
  using T = RealOf<E>;
  static constexpr int rows_each = plain_edge / plain_warps, lanes = 32, columns_each = plain_edge / lanes;
  static_assert(lanes % plain_warps == 0);  // a lane's columns of its row i begin at first_column(i)

 public:
  __device__ explicit DiagonalRows(PlainDiagonal<E>& storage) : entry_(storage.entry) {
#pragma unroll
    for (int i = 0; i < rows_each; ++i) {
      const int p = plain_warps * i + warp();
      diagonal_[i] = entry_[p][p];
#pragma unroll
      for (int c = 0; c < columns_each; ++c) row_[i][c] = entry_[p][lanes * c + lane()];
    }
    __syncwarp();  // one lane will overwrite what all have read
  }

  /// Factors `count` rows. Returns how many rows come before the first without a pivot.
  __device__ int factor(int count) {
#pragma unroll
    for (int i = 0; i < rows_each; ++i)
#pragma unroll 1
      for (int owner = 0; owner < plain_warps; ++owner) {
        const int k = plain_warps * i + owner;
        if (k == count) return k;
        if (warp() == owner) finish(i, k);
        __syncthreads();
        if (entry_[k][k] == T(0)) return k;
        subtract(i, k);
      }
    return plain_edge;
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % lanes; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / lanes; }
  static constexpr int first_column(int i) { return plain_warps * i / lanes; }

  /// Finishes row k of X, the warp's row i; its diagonal becomes 0 if there is no pivot.
  __device__ __forceinline__ void finish(int i, int k) {
    T pivot;
    if constexpr (is_complex<E>)
      pivot = diagonal_[i].re;
    else
      pivot = diagonal_[i];
    const T root = pivot > 0 ? sqrt(pivot) : T(0);
#pragma unroll
    for (int c = first_column(i); c < columns_each; ++c) {
      const int q = lanes * c + lane();
      if (q == k) entry_[k][q] = E{root};
      if (q <= k) continue;
      if constexpr (is_complex<E>)
        entry_[k][q] = {row_[i][c].re / root, row_[i][c].im / root};
      else
        entry_[k][q] = row_[i][c] / root;
    }
  }
  /// Subtracts row k's contributions from the warp's rows after row k; row i of the warp is the first that may come
  /// after it.
  __device__ __forceinline__ void subtract(int i, int k) {
    E x[columns_each];
#pragma unroll
    for (int c = first_column(i); c < columns_each; ++c) x[c] = entry_[k][lanes * c + lane()];
#pragma unroll
    for (int r = i; r < rows_each; ++r) {
      const int p = plain_warps * r + warp();
      if (p <= k) continue;
      const E x_p = entry_[k][p], of_row = conjugate_if(true, x_p);
      diagonal_[r] = less_product(diagonal_[r], of_row, x_p);
#pragma unroll
      for (int c = first_column(r); c < columns_each; ++c) row_[r][c] = less_product(row_[r][c], of_row, x[c]);
    }
  }

  E (&entry_)[plain_edge][plain_edge + 1];
  E row_[rows_each][columns_each];
  E diagonal_[rows_each];
};

template <class E>
__global__ void __launch_bounds__(plain_threads)
    factor_plain_diagonal_kernel(const __grid_constant__ Matrix<E> x, int count, long long column, long long* info) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  auto& storage = *reinterpret_cast<PlainDiagonal<E>*>(memory);
  if (*info > 0) return;
  const bool by_columns = x.row_stride == 1;
  for_triangle(count, by_columns, [&](int p, int q) { storage.entry[p][q] = x(p, q); });
  __syncthreads();
  const int rows = DiagonalRows<E>(storage).factor(count);
  for_triangle(count, by_columns, [&](int p, int q) {
    if (p < rows) x(p, q) = storage.entry[p][q];
  });
  if (threadIdx.x == 0 && rows < count) *info = column + rows + 1;
}

}  // namespace

template <class E>
void factor_diagonal(const DeviceModel& model, const Matrix<E>& x, Index first, Index count, long long* info,
                     cudaStream_t stream) {
  const char* const what = "a diagonal block";
  const auto kernel = factor_plain_diagonal_kernel<E>;
  allow_shared_bytes(kernel, sizeof(PlainDiagonal<E>), what);
  launch(model, what, kernel, {1, plain_threads, sizeof(PlainDiagonal<E>)}, stream, x.block(first, first),
         static_cast<int>(count), first, info);
}

#define ACCUBLAS_INSTANTIATE(E) \
  template void factor_diagonal(const DeviceModel&, const Matrix<E>&, Index, Index, long long*, cudaStream_t);
ACCUBLAS_INSTANTIATE(float)
ACCUBLAS_INSTANTIATE(Complex<double>)
ACCUBLAS_INSTANTIATE(Complex<float>)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
