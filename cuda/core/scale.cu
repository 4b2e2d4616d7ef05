#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/scale.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cuda {

namespace {

template <class T>
__device__ T product(T factor, T x) {
  return factor * x;
}
template <class T>
__device__ Complex<T> product(const Complex<T>& factor, const Complex<T>& x) {
  return finish_scaled(factor, x);
}

template <class T>
__global__ void scale(Index m, Index n, Matrix<T> c, Scalar<T> alpha, Scalar<T> beta, bool canonical_nans) {
  await_predecessor();
  const T factor = beta.get();
  if (!is_zero(alpha.get()) || factor == RealOf<T>(1)) return;
  for (Index i = blockIdx.y; i < m; i += gridDim.y)
    for (Index j = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; j < n;
         j += static_cast<Index>(gridDim.x) * blockDim.x) {
      T* const at = c.data + i * c.row_stride + j * c.col_stride;
      const T old = is_zero(factor) ? T{} : *at;
      *at = canonical_nans ? finish_scaled(factor, old) : is_zero(factor) ? T{} : product(factor, old);
    }
}

}  // namespace

template <class T>
void scale_if_alpha_is_zero(const DeviceModel& model, Index m, Index n, Matrix<T> c, Scalar<T> alpha, Scalar<T> beta,
                            bool canonical, cudaStream_t stream) {
  if (m <= 0 || n <= 0) return;
  if (c.row_stride == 1 && c.col_stride != 1)  // threads run along the unit stride
    return scale_if_alpha_is_zero(model, n, m, c.transposed(), alpha, beta, canonical, stream);
  const Index across = ceil_div(n, 256);
  const dim3 grid(static_cast<unsigned>(across < 64 ? across : 64), static_cast<unsigned>(m < 1024 ? m : 1024));
  launch(model, "scaling of C", scale<T>, {grid, 256}, stream, m, n, c, alpha, beta, canonical);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                                 \
  template void scale_if_alpha_is_zero(const DeviceModel&, Index, Index, Matrix<E>, Scalar<E>, Scalar<E>, bool, \
                                       cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
