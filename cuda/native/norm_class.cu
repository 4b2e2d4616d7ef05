#include "cuda/core/launch.hpp"
#include "cuda/native/norm_class.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

namespace {

constexpr int class_threads = 256;
constexpr Index most_class_blocks = 256;

/// A thread block that finds NaN in place of the infinity has nothing to do: another block has set it.
template <class T>
__global__ void __launch_bounds__(class_threads) find_nan(Index n, const T* x, Index stride, T* result) {
  await_predecessor();
  const T norm = *static_cast<const volatile T*>(result);
  if (is_finite(norm) || is_nan(norm)) return;
  for (Index i = Index{blockIdx.x} * class_threads + threadIdx.x; i < n; i += Index{gridDim.x} * class_threads) {
    if (!is_nan(x[i * stride])) continue;
    *result = canonical_nan<T>();
    return;
  }
}

}  // namespace

template <class T>
void put_nan_before_infinity(const DeviceModel& model, const Reduction<T>& r, cudaStream_t stream) {
  const Index blocks = ceil_div(r.n, Index{class_threads});
  const unsigned grid = static_cast<unsigned>(blocks < most_class_blocks ? blocks : most_class_blocks);
  launch(model, "class of a norm", find_nan<T>, {grid, class_threads}, stream, r.n, r.x.data, r.x.stride, r.result);
}

template void put_nan_before_infinity(const DeviceModel&, const Reduction<double>&, cudaStream_t);
template void put_nan_before_infinity(const DeviceModel&, const Reduction<float>&, cudaStream_t);

}  // namespace accublas::cuda
