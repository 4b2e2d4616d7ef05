#include <algorithm>
#include <bit>

#include "cuda/core/launch.hpp"
#include "cuda/lu_cholesky/row_order.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

constexpr int order_threads = 512, list_threads = 1024;
constexpr const char* what = "rows that change places";

/// A thread block uses at most this much shared memory: three blocks fit on a multiprocessor of 228 KiB.
constexpr Index most_shared_bytes = 64 << 10;

/// Returns the base-2 logarithm of the number of columns that a thread block moves together.
template <class E>
int log2_together(const Matrix<E>& a) {
  return a.row_stride == 1 ? 0 : std::countr_zero(32 / sizeof(E));
}

__global__ void __launch_bounds__(256) begin_origins_kernel(const __grid_constant__ Matrix<int> origins, Index m) {
  await_predecessor();
  const Index row = Index{blockIdx.x} * 256 + threadIdx.x;
  if (row < m) origins(row, blockIdx.y) = static_cast<int>(row);
}

/// Lists the moves; one thread block runs this.
__global__ void __launch_bounds__(list_threads)
    list_moves_kernel(int* origin, int first, int m, const __grid_constant__ ListedMoves list) {
  await_predecessor();
  __shared__ int listed;
  if (threadIdx.x == 0) listed = 0;
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 4
  for (int begin = first + static_cast<int>(threadIdx.x) - lane; begin < m; begin += list_threads) {
    const int row = begin + lane, source = row < m ? origin[row] : row;
    const bool moved = source != row;
    const unsigned all = __ballot_sync(0xFFFFFFFFu, moved);
    int at = lane == 0 && all != 0 ? atomicAdd(&listed, __popc(all)) : 0;
    at = __shfl_sync(0xFFFFFFFFu, at, 0) + __popc(all & ((1u << lane) - 1));
    if (!moved) continue;
    list.move[at] = {source, row};
    origin[row] = row;
  }
  __syncthreads();
  if (threadIdx.x == 0) *list.count = listed;
}

template <class E>
__global__ void __launch_bounds__(order_threads)
    move_listed_rows_kernel(const __grid_constant__ ListedMoves list, const __grid_constant__ Matrix<E> a,
                            Index columns, int log2_together) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  E* const number = reinterpret_cast<E*>(memory);
  const int together = 1 << log2_together, count = *list.count * together;
  constexpr int at_once = 8;
  for (Index first = Index{blockIdx.x} * together; first < columns; first += Index{gridDim.x} * together) {
    const auto there = [&](int i) { return i < count && first + (i & (together - 1)) < columns; };
    for (int begin = static_cast<int>(threadIdx.x); begin < count; begin += at_once * order_threads) {
      E value[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (const int i = begin + k * order_threads; there(i))
          value[k] = a(list.move[i >> log2_together].source, first + (i & (together - 1)));
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (const int i = begin + k * order_threads; there(i)) number[i] = value[k];
    }
    __syncthreads();
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < count; i += order_threads)
      if (there(i)) a(list.move[i >> log2_together].target, first + (i & (together - 1))) = number[i];
    __syncthreads();
  }
}

}  // namespace

template <class E>
Index most_listed_columns(const Matrix<E>& a) {
  return most_shared_bytes / (static_cast<Index>(2 * sizeof(E)) << log2_together(a));
}

void begin_origins(const DeviceModel& model, const Matrix<int>& origins, Index m, Index levels, cudaStream_t stream) {
  if (levels > 0)
    launch(model, what, begin_origins_kernel,
           {{static_cast<unsigned>(ceil_div(m, Index{256})), static_cast<unsigned>(levels)}, 256}, stream, origins, m);
}

void list_moves(const DeviceModel& model, int* origin, Index first, Index m, const ListedMoves& list,
                cudaStream_t stream) {
  launch(model, what, list_moves_kernel, {1, list_threads}, stream, origin, static_cast<int>(first),
         static_cast<int>(m), list);
}

template <class E>
void move_listed_rows(const DeviceModel& model, const ListedMoves& list, Index most, const Matrix<E>& a, Index columns,
                      cudaStream_t stream) {
  if (columns <= 0) return;
  const int together = log2_together(a);
  const std::size_t bytes = static_cast<std::size_t>(most << together) * sizeof(E);
  allow_shared_bytes(move_listed_rows_kernel<E>, most_shared_bytes, what);
  const auto blocks =
      static_cast<unsigned>(std::min(ceil_div(columns, Index{1} << together), Index{4} * model.processors));
  launch(model, what, move_listed_rows_kernel<E>, {blocks, order_threads, bytes}, stream, list, a, columns, together);
}

#define ACCUBLAS_INSTANTIATE(E)                         \
  template Index most_listed_columns(const Matrix<E>&); \
  template void move_listed_rows(const DeviceModel&, const ListedMoves&, Index, const Matrix<E>&, Index, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
