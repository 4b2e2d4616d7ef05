#include "cuda/core/launch.hpp"
#include "cuda/structured/update.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/update_element.hpp"

namespace accublas::cuda {

namespace {

constexpr int update_threads = 256;

template <class E>
__global__ void __launch_bounds__(update_threads, 2) update_kernel(const __grid_constant__ Product<E> p) {
  await_predecessor();
  for (Index j = blockIdx.y; j < p.n; j += gridDim.y)
    for (Index i = Index{blockIdx.x} * update_threads + threadIdx.x; i < p.m; i += Index{gridDim.x} * update_threads) {
      if (!holds(p.wanted, i, j)) continue;
      UpdateElement<E> element{p.alpha, p.a(i, 0), p.b(0, j), p.two_pairs, p.hermitian};
      if (p.two_pairs) element.x2 = p.a2(i, 0), element.y2 = p.b2(0, j);
      E& c = p.c(i, j);
      if constexpr (is_complex<E>) {
        const E before = c;
        const bool real = p.hermitian && i == j;
        c = {element.rounded(0, before.re), real ? 0 : element.rounded(1, before.im)};
      } else {
        c = element.rounded(0, c);
      }
    }
}

}  // namespace

template <class E>
void update(const DeviceModel& model, const Product<E>& p, cudaStream_t stream) {
  const Index across = ceil_div(p.m, Index{update_threads});
  const dim3 grid(static_cast<unsigned>(across < 1 << 20 ? across : 1 << 20),
                  static_cast<unsigned>(p.n < 65535 ? p.n : 65535));
  launch(model, "update", update_kernel<E>, {grid, update_threads}, stream, p);
}

#define ACCUBLAS_INSTANTIATE(E) template void update(const DeviceModel&, const Product<E>&, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
