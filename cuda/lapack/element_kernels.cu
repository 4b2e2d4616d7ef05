#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/lapack/element_kernels.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

constexpr int element_threads = 256;

/// Calls body(i, j) for the thread's elements of rows x cols. Neighbouring threads take neighbours in a column, or in a
/// row if not `by_columns`.
template <class Body>
__device__ __forceinline__ void for_elements(Index rows, Index cols, bool by_columns, Body&& body) {
  const Index length = by_columns ? rows : cols, step = Index{gridDim.x} * element_threads;
  for (Index at = Index{blockIdx.x} * element_threads + threadIdx.x; at < rows * cols; at += step) {
    const Index fast = at % length, slow = at / length;
    by_columns ? body(fast, slow) : body(slow, fast);
  }
}

template <class Step>
__global__ void __launch_bounds__(element_threads)
    step_kernel(const __grid_constant__ Step step, Index rows, Index cols, bool by_columns) {
  await_predecessor();
  for_elements(rows, cols, by_columns, [&](Index i, Index j) { step(i, j); });
}

template <class E>
__global__ void __launch_bounds__(element_threads)
    first_kernel(const __grid_constant__ ElementQuestion<E> question, Index rows, Index cols, bool by_columns,
                 unsigned long long* found) {
  await_predecessor();
  unsigned long long first = ~0ull;
  for_elements(rows, cols, by_columns, [&](Index i, Index j) {
    const auto at = static_cast<unsigned long long>(i + j * rows);
    if (at < first && question(i, j)) first = at;
  });
  for (int distance = 16; distance > 0; distance /= 2) {
    const unsigned long long other = __shfl_xor_sync(0xFFFFFFFFu, first, distance);
    first = other < first ? other : first;
  }
  if (threadIdx.x % 32 == 0 && first != ~0ull) atomicMin(found, first);
}

template <class E>
__global__ void __launch_bounds__(element_threads) reflect_kernel(const __grid_constant__ ReflectorsOfColumns<E> made) {
  await_predecessor();
  const Index thread = threadIdx.x;
  for (Index j = 0; j < made.count; ++j) {
    const Index left = made.count - j - 1, next = j + 1;
    if (thread == 0) made.pivot(j);
    __syncthreads();
    for (Index k = j + thread; k < made.columns; k += element_threads) made.turn(j, k);
    for (Index i = next + thread; i < made.count; i += element_threads) made.divide(i, j);
    __syncthreads();
    for (Index at = thread; at < left * left; at += element_threads)
      made.subtract(next + at % left, next + at / left, j);
    __syncthreads();
  }
}

__global__ void put_kernel(std::int64_t* to, std::int64_t value) {
  await_predecessor();
  *to = value;
}

template <class T>
bool columns_adjacent(const Matrix<T>& x) {
  const auto size = [](Index stride) { return stride < 0 ? -stride : stride; };
  return size(x.row_stride) <= size(x.col_stride);
}

unsigned element_blocks(Index rows, Index cols) {
  return static_cast<unsigned>(std::min(ceil_div(rows * cols, Index{element_threads}), Index{8192}));
}

}  // namespace

template <class E>
void run_step(const DeviceModel& model, const ElementStep<E>& step, Index rows, Index cols, cudaStream_t stream) {
  if (rows <= 0 || cols <= 0) return;
  std::visit(
      [&](const auto& one) {
        bool by_columns = true;
        if constexpr (requires { one.to; }) by_columns = columns_adjacent(one.to);
        launch(model, "steps on elements", step_kernel<std::decay_t<decltype(one)>>,
               {element_blocks(rows, cols), element_threads}, stream, one, rows, cols, by_columns);
      },
      step);
}

template <class E>
void find_first(const DeviceModel& model, const ElementQuestion<E>& question, Index rows, Index cols,
                unsigned long long* found, cudaStream_t stream) {
  if (rows <= 0 || cols <= 0) return;
  launch(model, "a question on elements", first_kernel<E>, {element_blocks(rows, cols), element_threads}, stream,
         question, rows, cols, columns_adjacent(question.x), found);
}

template <class E>
void make_reflectors(const DeviceModel& model, const ReflectorsOfColumns<E>& made, cudaStream_t stream) {
  launch(model, "reflectors of columns", reflect_kernel<E>, {1, element_threads}, stream, made);
}

void put_number(const DeviceModel& model, std::int64_t* to, std::int64_t value, cudaStream_t stream) {
  launch(model, "a number", put_kernel, {1, 1}, stream, to, value);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                              \
  template void run_step(const DeviceModel&, const ElementStep<E>&, Index, Index, cudaStream_t);             \
  template void find_first(const DeviceModel&, const ElementQuestion<E>&, Index, Index, unsigned long long*, \
                           cudaStream_t);                                                                    \
  template void make_reflectors(const DeviceModel&, const ReflectorsOfColumns<E>&, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
