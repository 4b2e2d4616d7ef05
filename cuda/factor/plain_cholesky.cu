#include "cuda/core/launch.hpp"
#include "cuda/factor/plain_arithmetic.hpp"
#include "cuda/factor/plain_cholesky.hpp"
#include "lib/call/product.hpp"

namespace accublas::cuda {
namespace {

constexpr int edge = static_cast<int>(plain_cholesky_edge), warps = 16, threads = 32 * warps;

/// A row after the other, padded so that neither rows nor columns meet in a bank.
template <class E>
struct DiagonalStorage {
  E entry[edge][edge + 1];
};

/// body(row, column) for the upper triangle, in the order in which memory has it.
template <class Body>
__device__ void for_triangle(int count, bool by_columns, Body&& body) {
  for (int at = static_cast<int>(threadIdx.x); at < edge * edge; at += threads) {
    const int fast = at % edge, slow = at / edge, p = by_columns ? fast : slow, q = by_columns ? slow : fast;
    if (p <= q && q < count) body(p, q);
  }
}

/// Row after row of X: a thread has an element of it, then a warp rows of what follows.
template <class E>
__global__ void __launch_bounds__(threads)
    factor_plain_diagonal_kernel(const __grid_constant__ Matrix<E> x, int count, long long column, long long* info) {
  using T = RealOf<E>;
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  auto& entry = reinterpret_cast<DiagonalStorage<E>*>(memory)->entry;
  if (*info > 0) return;
  const bool by_columns = x.row_stride == 1;
  for_triangle(count, by_columns, [&](int p, int q) { entry[p][q] = x(p, q); });
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  int rows = 0;
  for (; rows < count; ++rows) {
    T pivot;
    if constexpr (is_complex<E>)
      pivot = entry[rows][rows].re;
    else
      pivot = entry[rows][rows];
    if (!(pivot > 0)) break;
    const T root = sqrt(pivot);
    const int mine = static_cast<int>(threadIdx.x);
    if (mine > rows && mine < count) {
      E& number = entry[rows][mine];
      if constexpr (is_complex<E>)
        number = {number.re / root, number.im / root};
      else
        number = number / root;
    }
    __syncthreads();
    for (int p = rows + 1 + warp; p < count; p += warps) {
      const E of_row = conjugate_if(true, entry[rows][p]);
      for (int q = p + lane; q < count; q += 32) entry[p][q] = less_product(entry[p][q], of_row, entry[rows][q]);
    }
    __syncthreads();
  }
  for_triangle(count, by_columns, [&](int p, int q) {
    if (p >= rows) return;
    if constexpr (is_complex<E>)
      x(p, q) = p == q ? E{sqrt(entry[p][p].re), T(0)} : entry[p][q];
    else
      x(p, q) = p == q ? sqrt(entry[p][p]) : entry[p][q];
  });
  if (threadIdx.x == 0 && rows < count) *info = column + rows + 1;
}

}  // namespace

template <class E>
void factor_diagonal(const DeviceModel& model, const Matrix<E>& x, Index first, Index count, long long* info,
                     cudaStream_t stream) {
  const char* const what = "a diagonal block";
  const auto kernel = factor_plain_diagonal_kernel<E>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(sizeof(DiagonalStorage<E>))),
        what);
  launch(model, what, kernel, {1, threads, sizeof(DiagonalStorage<E>)}, stream, x.block(first, first),
         static_cast<int>(count), first, info);
}

#define ACCUBLAS_INSTANTIATE(E) \
  template void factor_diagonal(const DeviceModel&, const Matrix<E>&, Index, Index, long long*, cudaStream_t);
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
ACCUBLAS_INSTANTIATE(Complex<double>)
ACCUBLAS_INSTANTIATE(Complex<float>)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
