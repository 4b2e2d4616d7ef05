// Kernels that copy between matrices of any strides.
#include "cuda/core/check.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/core/rehearsal.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

constexpr int tile = 32, tile_rows = 8;

template <class T>
__device__ T& entry(const Matrix<T>& x, Index i, Index j) {
  return x.data[i * x.row_stride + j * x.col_stride];
}

/// Copies tiles of 32 x 32 through shared memory. Neighbouring threads read along the smaller stride of the source and
/// write along the smaller stride of the destination.
template <class T>
__global__ void __launch_bounds__(tile* tile_rows)
    copy_kernel(Matrix<const T> from, Matrix<T> to, Index rows, Index cols, bool read_rows, bool write_rows,
                const T* unless_zero) {
  if (unless_zero && *unless_zero == T(0)) return;
  __shared__ T part[tile][tile + 1];  // [col][row]
  const Index row_tiles = ceil_div(rows, tile), tiles = row_tiles * ceil_div(cols, tile);
  for (Index t = blockIdx.x; t < tiles; t += gridDim.x) {
    const Index row = t % row_tiles * tile, col = t / row_tiles * tile;
    for (int other = threadIdx.y; other < tile; other += tile_rows) {
      const int r = read_rows ? static_cast<int>(threadIdx.x) : other,
                c = read_rows ? other : static_cast<int>(threadIdx.x);
      if (row + r < rows && col + c < cols) part[c][r] = entry(from, row + r, col + c);
    }
    __syncthreads();
    for (int other = threadIdx.y; other < tile; other += tile_rows) {
      const int r = write_rows ? static_cast<int>(threadIdx.x) : other,
                c = write_rows ? other : static_cast<int>(threadIdx.x);
      if (row + r < rows && col + c < cols) entry(to, row + r, col + c) = part[c][r];
    }
    __syncthreads();
  }
}

template <class T>
__global__ void set_kernel(T* to, T value) {
  *to = value;
}

Index magnitude(Index x) { return x < 0 ? -x : x; }

}  // namespace

template <class T>
void copy_matrix(Matrix<const T> from, Matrix<T> to, Index rows, Index cols, const T* unless_zero,
                 cudaStream_t stream) {
  if (rehearses()) return;
  const Index tiles = ceil_div(rows, tile) * ceil_div(cols, tile);
  if (tiles == 0) return;
  const unsigned blocks = static_cast<unsigned>(tiles < 65536 ? tiles : 65536);
  copy_kernel<<<blocks, dim3(tile, tile_rows), 0, stream>>>(
      from, to, rows, cols, magnitude(from.row_stride) <= magnitude(from.col_stride),
      magnitude(to.row_stride) <= magnitude(to.col_stride), unless_zero);
  check_launch("copy_matrix");
}

template <class T>
void set_scalar(T* to, T value, cudaStream_t stream) {
  if (rehearses()) return;
  set_kernel<<<1, 1, 0, stream>>>(to, value);
  check_launch("set_scalar");
}

template void copy_matrix(Matrix<const double>, Matrix<double>, Index, Index, const double*, cudaStream_t);
template void copy_matrix(Matrix<const float>, Matrix<float>, Index, Index, const float*, cudaStream_t);
template void set_scalar(double*, double, cudaStream_t);
template void set_scalar(float*, float, cudaStream_t);

}  // namespace accublas::cuda
