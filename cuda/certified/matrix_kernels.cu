#include <algorithm>

#include "cuda/certified/matrix_kernels.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/column_sums.hpp"
#include "lib/numerics/powers_of_two.hpp"

namespace accublas::cuda {
namespace {

constexpr int matrix_threads = 256;

/// Calls body(i, j) for the elements of rows x cols. A thread block takes every gridDim.x-th column, and neighbouring
/// threads take neighbours in a column.
template <class Body>
__device__ __forceinline__ void for_elements(Index rows, Index cols, Body&& body) {
  for (Index j = blockIdx.x; j < cols; j += gridDim.x)
    for (Index i = threadIdx.x; i < rows; i += matrix_threads) body(i, j);
}
LaunchShape shape_of(Index cols) { return {static_cast<unsigned>(std::min<Index>(cols, 65536)), matrix_threads}; }

template <class Step>
__global__ void __launch_bounds__(matrix_threads)
    spectrum_kernel(const __grid_constant__ Step step, Index rows, Index cols) {
  await_predecessor();
  for_elements(rows, cols, step);
}

template <class E>
__global__ void __launch_bounds__(matrix_threads) parts_kernel(const __grid_constant__ RealParts<E> parts) {
  await_predecessor();
  for_elements(parts.rows, parts.cols, parts);
}

__global__ void __launch_bounds__(matrix_threads)
    scale_kernel(Index rows, Index cols, double* a, const int* row, const int* column, int* lost) {
  await_predecessor();
  bool rounded = false;
  for_elements(rows, cols, [&](Index i, Index j) { rounded |= scale_loses(a[i + j * rows], row[i] + column[j]); });
  if (rounded) *lost = 1;
}

// A thread block of exponents_kernel takes 32 rows and up to 1024 columns, with 32 x 8 threads. The 32 threads take
// adjacent numbers.
constexpr int rows_a_block = 32;
constexpr Index columns_a_block = 1024;

__global__ void __launch_bounds__(matrix_threads) exponents_kernel(Index rows, Index cols, Matrix<const double> m,
                                                                   bool columns_adjacent, const int* offsets, int* to) {
  await_predecessor();
  __shared__ int largest[rows_a_block];
  const int fast = threadIdx.x % 32, slow = threadIdx.x / 32;
  if (threadIdx.x < rows_a_block) largest[threadIdx.x] = no_exponent;
  __syncthreads();
  const Index first_row = Index{blockIdx.x} * rows_a_block, first = Index{blockIdx.y} * columns_a_block,
              end = min(cols, first + columns_a_block);
  const auto largest_of = [&](int row, Index from, int step) {
    const Index i = first_row + row;
    if (i >= rows) return;
    int found = no_exponent;
    for (Index j = from; j < end; j += step)
      if (const double x = m(i, j); x != 0) found = max(found, exponent_of(x) + (offsets ? offsets[j] : 0));
    atomicMax(&largest[row], found);
  };
  if (columns_adjacent)
    largest_of(fast, first + slow, matrix_threads / 32);
  else
    for (int row = slow; row < rows_a_block; row += matrix_threads / 32) largest_of(row, first + fast, 32);
  __syncthreads();
  if (threadIdx.x < rows_a_block && first_row + threadIdx.x < rows)
    atomicMax(&to[first_row + threadIdx.x], largest[threadIdx.x]);
}

__global__ void __launch_bounds__(matrix_threads) no_exponents_kernel(Index count, int* to) {
  await_predecessor();
  const Index i = Index{blockIdx.x} * matrix_threads + threadIdx.x;
  if (i < count) to[i] = no_exponent;
}

// A thread adds up a row in the order of its columns, with `ahead` loads in flight. If the numbers of a row are
// adjacent, each load of a thread takes a cache line of its own, which the caches keep for the next loads.
constexpr int rows_of_sums = 64, ahead = 16;

template <bool weighted>
__global__ void __launch_bounds__(rows_of_sums)
    sums_kernel(Index rows, Index cols, Matrix<const double> m, const double* v, double* to) {
  await_predecessor();
  const Index i = Index{blockIdx.x} * rows_of_sums + threadIdx.x;
  if (i >= rows) return;
  double sum = 0;
  const auto add = [&](double x, Index j) { sum = __dadd_rn(sum, weighted ? __dmul_rn(fabs(x), v[j]) : fabs(x)); };
  Index j = 0;
  for (; j + ahead <= cols; j += ahead) {
    double x[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) x[k] = m(i, j + k);
#pragma unroll
    for (int k = 0; k < ahead; ++k) add(x[k], j + k);
  }
  for (; j < cols; ++j) add(m(i, j), j);
  to[i] = sum;
}

// A warp takes a column, and lane l every 32nd number from number l on.
constexpr int columns_at_once = matrix_threads / 32;

__global__ void __launch_bounds__(matrix_threads) norms_kernel(Index rows, Index cols, const double* m, double* to) {
  await_predecessor();
  __shared__ double parts[columns_at_once][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Index j = Index{blockIdx.x} * columns_at_once + warp;
  if (j >= cols) return;
  parts[warp][lane] = norm_up((rows - lane + 31) / 32, EveryNumber{m + j * rows + lane, 32});
  __syncwarp();
  if (lane == 0) to[j] = norm_up(32, parts[warp]);
}

__global__ void __launch_bounds__(matrix_threads)
    column_products_kernel(Index rows, Index cols, const double* x, const double* y, double* to) {
  await_predecessor();
  const Index j = Index{blockIdx.x} * columns_at_once + threadIdx.x / 32;
  if (j >= cols) return;
  double sum = 0;
  for (Index i = j * rows + threadIdx.x % 32; i < (j + 1) * rows; i += 32) sum = add_rn(sum, mul_rn(x[i], y[i]));
  sum = shuffle_reduce(sum, [](double a, double b) { return add_rn(a, b); });
  if (threadIdx.x % 32 == 0) to[j] = sum;
}

unsigned blocks(Index count, Index a_block) { return static_cast<unsigned>(ceil_div(count, a_block)); }

}  // namespace

void run_step(const DeviceModel& model, const SpectrumStep& step, Index rows, Index cols, cudaStream_t stream) {
  if (rows <= 0 || cols <= 0) return;
  std::visit(
      [&](const auto& one) {
        launch(model, "steps on eigenvectors", spectrum_kernel<std::decay_t<decltype(one)>>, shape_of(cols), stream,
               one, rows, cols);
      },
      step);
}

template <class E>
void write_parts(const DeviceModel& model, const RealParts<E>& parts, cudaStream_t stream) {
  launch(model, "the parts of a matrix", parts_kernel<E>, shape_of(parts.cols), stream, parts);
}
#define ACCUBLAS_INSTANTIATE(E) template void write_parts(const DeviceModel&, const RealParts<E>&, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

void scale_by_powers(const DeviceModel& model, Index rows, Index cols, double* a, const int* row, const int* column,
                     int* lost, cudaStream_t stream) {
  launch(model, "scaling a matrix", scale_kernel, shape_of(cols), stream, rows, cols, a, row, column, lost);
}

void largest_exponents(const DeviceModel& model, Index rows, Index cols, const Matrix<const double>& m,
                       const int* offsets, int* to, cudaStream_t stream) {
  launch(model, "clearing exponents", no_exponents_kernel, {blocks(rows, matrix_threads), matrix_threads}, stream, rows,
         to);
  launch(model, "exponents of a matrix", exponents_kernel,
         {dim3(blocks(rows, rows_a_block), blocks(cols, columns_a_block)), matrix_threads}, stream, rows, cols, m,
         m.row_stride == 1, offsets, to);
}

void sum_rows(const DeviceModel& model, Index rows, Index cols, const Matrix<const double>& m, const double* v,
              double* to, cudaStream_t stream) {
  launch(model, "sums of rows", v ? sums_kernel<true> : sums_kernel<false>, {blocks(rows, rows_of_sums), rows_of_sums},
         stream, rows, cols, m, v, to);
}

void norms_of_columns(const DeviceModel& model, Index rows, Index cols, const double* m, double* to,
                      cudaStream_t stream) {
  launch(model, "norms of columns", norms_kernel, {blocks(cols, columns_at_once), matrix_threads}, stream, rows, cols,
         m, to);
}

void products_of_columns(const DeviceModel& model, Index rows, Index cols, const double* x, const double* y, double* to,
                         cudaStream_t stream) {
  launch(model, "products of columns", column_products_kernel, {blocks(cols, columns_at_once), matrix_threads}, stream,
         rows, cols, x, y, to);
}

}  // namespace accublas::cuda
