#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/lu_cholesky/row_moves.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

/// Moves the rows of one column, by a warp.
template <class E>
__device__ void move_in_column(const RowMoves& moves, const Matrix<E>& a, Index column) {
  const int lane = threadIdx.x % 32, count = moves.count;
  E value[2];
  for (int half = 0; half < 2; ++half)
    if (32 * half + lane < count) value[half] = a(moves.source[32 * half + lane], column);
  __syncwarp();
  for (int half = 0; half < 2; ++half)
    if (32 * half + lane < count) a(moves.target[32 * half + lane], column) = value[half];
}

/// Each warp moves one column; the columns of origins come after those of A.
template <class E>
__global__ void __launch_bounds__(256)
    move_rows_kernel(const RowMoves* moves, const __grid_constant__ Matrix<E> a, Index columns,
                     const __grid_constant__ Matrix<int> origins, Index levels) {
  await_predecessor();
  for (Index column = Index{blockIdx.x} * 8 + threadIdx.x / 32; column < columns + levels;
       column += Index{gridDim.x} * 8)
    column < columns ? move_in_column(*moves, a, column) : move_in_column(*moves, origins, column - columns);
}

/// A thread block has 32 columns; a thread has 8 rows that move.
__global__ void __launch_bounds__(256)
    move_sums_kernel(const RowMoves* moves, const __grid_constant__ PairSums sums, int parts, Index columns) {
  await_predecessor();
  constexpr int each = 2 * lu_panel_columns / 8;
  const Index column = Index{blockIdx.x} * 32 + threadIdx.x % 32;
  const int first = threadIdx.x / 32, count = moves->count;
  for (int part = 0; part < parts; ++part) {
    double2 pair[each];
    double error[each];
#pragma unroll
    for (int i = 0; i < each; ++i)
      if (first + 8 * i < count && column < columns) {
        const Index at = (moves->source[first + 8 * i] * parts + part) * sums.stride + column;
        pair[i] = sums.pair[at], error[i] = sums.error[at];
      }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < each; ++i)
      if (first + 8 * i < count && column < columns) {
        const Index at = (moves->target[first + 8 * i] * parts + part) * sums.stride + column;
        sums.pair[at] = pair[i], sums.error[at] = error[i];
      }
  }
}

/// A thread has a column.
template <class E>
__global__ void __launch_bounds__(32)
    exchange_rows_kernel(const __grid_constant__ Matrix<E> b, Index columns, const std::int64_t* pivots, Index count,
                         bool backwards, const long long* stop) {
  await_predecessor();
  const Index column = Index{blockIdx.x} * 32 + threadIdx.x;
  if (column >= columns || (stop && *stop > 0)) return;
  for (Index step = 0; step < count; ++step) {
    const Index i = backwards ? count - 1 - step : step, other = pivots[i] - 1;
    if (i == other) continue;
    const E value = b(i, column);
    b(i, column) = b(other, column);
    b(other, column) = value;
  }
}

/// Exchanges numbers in shared memory. One thread of the first warp does so, and the whole warp must call this.
template <class T>
__device__ __forceinline__ void exchange_shared(T* number, const std::int64_t* pivots, int count, bool backwards) {
  const int lane = static_cast<int>(threadIdx.x);
  const auto row = [&](int step) { return backwards ? count - 1 - step : step; };
  const auto other_row = [&](int step) { return step < count ? static_cast<int>(pivots[row(step)]) - 1 : 0; };
  int others = other_row(lane);
  for (int step = 0; step < count; step += 32) {
    const int next = other_row(step + 32 + lane);
    for (int s = 0; s < min(32, count - step); ++s) {
      const int other = __shfl_sync(0xFFFFFFFFu, others, s), i = row(step + s);
      if (lane > 0) continue;
      const T value = number[i];
      number[i] = number[other];
      number[other] = value;
    }
    others = next;
  }
}

/// A thread block has a column in shared memory.
constexpr Index few_columns = 1024;
template <class E>
__global__ void __launch_bounds__(256)
    exchange_few_kernel(const __grid_constant__ Matrix<E> b, const std::int64_t* pivots, int count, bool backwards,
                        const long long* stop) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  E* const number = reinterpret_cast<E*>(memory);
  if (stop && *stop > 0) return;
  const int lane = static_cast<int>(threadIdx.x);
  for (int i = lane; i < count; i += 256) number[i] = b(i, blockIdx.x);
  __syncthreads();
  if (lane < 32) exchange_shared(number, pivots, count, backwards);
  __syncthreads();
  for (int i = lane; i < count; i += 256) b(i, blockIdx.x) = number[i];
}

/// A thread block keeps the source of every row in shared memory, and loads its columns there one after the other.
template <class E>
__global__ void __launch_bounds__(512)
    exchange_many_kernel(const __grid_constant__ Matrix<E> b, Index columns, const std::int64_t* pivots, int count,
                         bool backwards, const long long* stop) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  E* const number = reinterpret_cast<E*>(memory);
  int* const from = reinterpret_cast<int*>(number + count);
  if (stop && *stop > 0) return;
  const int lane = static_cast<int>(threadIdx.x);
  for (int i = lane; i < count; i += 512) from[i] = i;
  __syncthreads();
  if (lane < 32) exchange_shared(from, pivots, count, backwards);
  for (Index column = blockIdx.x; column < columns; column += gridDim.x) {
    for (int i = lane; i < count; i += 512) number[i] = b(i, column);
    __syncthreads();
    for (int i = lane; i < count; i += 512) b(i, column) = number[from[i]];
    __syncthreads();
  }
}

/// Returns the most bytes of shared memory that a thread block can have.
int shared_bytes(const DeviceModel& model) {
  int most = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, model.device),
        "rows that change places");
  return most;
}

unsigned blocks_of(Index count, Index each) {
  return static_cast<unsigned>(std::min(ceil_div(count, each), Index{1} << 30));
}

}  // namespace

template <class E>
void move_rows(const DeviceModel& model, const RowMoves* moves, const Matrix<E>& a, Index columns, cudaStream_t stream,
               const Matrix<int>& origins, Index levels) {
  if (columns > 0)
    launch(model, "rows that change places", move_rows_kernel<E>, {blocks_of(columns + levels, 8), 256}, stream, moves,
           a, columns, origins, levels);
}
void move_sums(const DeviceModel& model, const RowMoves* moves, const PairSums& sums, int parts, Index columns,
               cudaStream_t stream) {
  if (columns > 0)
    launch(model, "sums that change places", move_sums_kernel, {blocks_of(columns, 32), 256}, stream, moves, sums,
           parts, columns);
}
template <class E>
void exchange_rows(const DeviceModel& model, const Matrix<E>& b, Index columns, const std::int64_t* pivots, Index count,
                   bool backwards, const long long* stop, cudaStream_t stream) {
  if (columns == 0) return;
  const char* const what = "rows that change places";
  const int most = shared_bytes(model);
  const bool few = columns <= few_columns;
  if (!few && b.row_stride == 1 && count <= most / static_cast<int>(sizeof(E) + sizeof(int))) {
    allow_shared_bytes(exchange_many_kernel<E>, most, what);
    return launch(model, what, exchange_many_kernel<E>,
                  {static_cast<unsigned>(std::min(columns, Index{2} * model.processors)), 512,
                   static_cast<std::size_t>(count) * (sizeof(E) + sizeof(int))},
                  stream, b, columns, pivots, static_cast<int>(count), backwards, stop);
  }
  if (!few || count > most / static_cast<int>(sizeof(E)))
    return launch(model, what, exchange_rows_kernel<E>, {blocks_of(columns, 32), 32}, stream, b, columns, pivots, count,
                  backwards, stop);
  allow_shared_bytes(exchange_few_kernel<E>, most, what);
  launch(model, what, exchange_few_kernel<E>,
         {static_cast<unsigned>(columns), 256, static_cast<std::size_t>(count) * sizeof(E)}, stream, b, pivots,
         static_cast<int>(count), backwards, stop);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                              \
  template void move_rows(const DeviceModel&, const RowMoves*, const Matrix<E>&, Index, cudaStream_t,        \
                          const Matrix<int>&, Index);                                                        \
  template void exchange_rows(const DeviceModel&, const Matrix<E>&, Index, const std::int64_t*, Index, bool, \
                              const long long*, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE
template void move_rows(const DeviceModel&, const RowMoves*, const Matrix<Index>&, Index, cudaStream_t,
                        const Matrix<int>&, Index);

}  // namespace accublas::cuda
