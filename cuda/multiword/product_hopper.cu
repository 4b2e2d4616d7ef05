// The fused multiword product for compute capability 9.0: one persistent kernel. In every block two warpgroups of
// producers split entries of A and B into words and store these in a ring of stages in shared memory; two warpgroups of
// consumers multiply from it.
#include "cuda/core/launch.hpp"
#include "cuda/core/occupancy.hpp"
#include "cuda/core/operand_tiles.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/multiword/fused_consumers.hpp"
#include "cuda/multiword/fused_producers.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda::hopper {

namespace {

using namespace fused;

template <class C>
__global__ void __launch_bounds__(threads, 1) fused_product(const __grid_constant__ Job job) {
  extern __shared__ std::uint8_t shared[];
  const Ring<C> ring(shared);
  if (threadIdx.x == 0) ring.initialise();
  __syncthreads();
  if constexpr (C::cluster > 1) ptx::cluster_sync();
  await_predecessor();
  if (leaves_c(*job.product.state, job.product.alpha)) return;
  if (threadIdx.x >= 128 * consumers) {
    ptx::give_registers_up<C::producer_registers>();
    if (job.rows_along)
      job.cols_along ? produce<C, true, true>(job, ring) : produce<C, true, false>(job, ring);
    else
      job.cols_along ? produce<C, false, true>(job, ring) : produce<C, false, false>(job, ring);
    __syncwarp();
  } else {
    ptx::take_registers<C::consumer_registers>();
    consume(job, ring);
  }
  if constexpr (C::cluster > 1) ptx::cluster_sync();  // no block exits while its peer may still write to it
}

template <class C>
void launch_fused(const DeviceModel& model, const Job& job, cudaStream_t stream) {
  LaunchShape shape{1, threads, C::shared_bytes, C::cluster};
  shape.grid = static_cast<unsigned>(resident_blocks(model, "multiword product", fused_product<C>, shape));
  cuda::launch(model, "multiword product", fused_product<C>, shape, stream, job);
}

bool multiple(const void* pointer, std::size_t of) { return reinterpret_cast<std::uintptr_t>(pointer) % of == 0; }

/// Returns whether four neighbouring terms, or two neighbouring lines, can be read at once.
bool reads_vectors(const Operand<float>& x, bool along) {
  return along ? x.k_stride == 1 && x.stride % 4 == 0 && multiple(x.data, 16)
               : x.stride == 1 && x.k_stride % 2 == 0 && multiple(x.data, 8);
}

}  // namespace

void multiword_product(const DeviceModel& model, WordKind words, int products, const MultiwordProduct& product,
                       cudaStream_t stream) {
  const bool rows_along = lies_along_terms(product.rows), cols_along = lies_along_terms(product.cols);
  const Job job{product, rows_along, cols_along, reads_vectors(product.rows, rows_along),
                reads_vectors(product.cols, cols_along)};
  switch (words) {
    case WordKind::tf32:
      if (products == 3) return launch_fused<Config<WordKind::tf32, 3, 128, 2, 2>>(model, job, stream);
      return launch_fused<Config<WordKind::tf32, 4, 128, 2, 2>>(model, job, stream);
    case WordKind::tf32_half:
      if (products == 3) return launch_fused<Config<WordKind::tf32_half, 3, 128, 2, 2>>(model, job, stream);
      break;
    case WordKind::half:
      if (products == 1) return launch_fused<Config<WordKind::half, 1, 256, 2, 4>>(model, job, stream);
      if (products == 3) return launch_fused<Config<WordKind::half, 3, 128, 2, 2>>(model, job, stream);
  }
  throw Error(ACCUBLAS_ERROR_INTERNAL, "no fused kernel for these words");
}

}  // namespace accublas::cuda::hopper
