#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/lu_cholesky/outcome.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

__global__ void close_kernel(FactorOutcome* outcome) {
  await_predecessor();
  outcome->closed = outcome->info > 0;
}

template <class E>
__global__ void __launch_bounds__(256)
    copy_if_open_kernel(const FactorOutcome* outcome, const __grid_constant__ Matrix<E> from,
                        const __grid_constant__ Matrix<E> to, Index rows, Index cols) {
  await_predecessor();
  if (outcome && outcome->closed > 0) return;
  const bool by_columns = from.row_stride == 1;
  const Index length = by_columns ? rows : cols, step = Index{gridDim.x} * 256;
  for (Index at = Index{blockIdx.x} * 256 + threadIdx.x; at < rows * cols; at += step) {
    const Index fast = at % length, slow = at / length, i = by_columns ? fast : slow, j = by_columns ? slow : fast;
    to(i, j) = from(i, j);
  }
}

}  // namespace

void close_on_failure(const DeviceModel& model, FactorOutcome* outcome, cudaStream_t stream) {
  launch(model, "the outcome of a factorization", close_kernel, {1, 1}, stream, outcome);
}

template <class E>
void copy_if_open(const DeviceModel& model, const FactorOutcome* outcome, const Matrix<E>& from, const Matrix<E>& to,
                  Index rows, Index cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const auto blocks = static_cast<unsigned>(std::min(ceil_div(rows * cols, Index{256}), Index{1} << 20));
  launch(model, "solutions", copy_if_open_kernel<E>, {blocks, 256}, stream, outcome, from, to, rows, cols);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                                   \
  template void copy_if_open(const DeviceModel&, const FactorOutcome*, const Matrix<E>&, const Matrix<E>&, Index, \
                             Index, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
