#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/lu_cholesky/blocked_cholesky.hpp"
#include "cuda/lu_cholesky/blocked_factors.hpp"
#include "cuda/lu_cholesky/blocked_lu.hpp"
#include "cuda/lu_cholesky/small_factors.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

template <class E, bool cr, class Factor>
__global__ void __launch_bounds__(Factor::most_threads, 1)
    blocked_factors_kernel(const __grid_constant__ BlockedJob<E> job) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  using Storage = typename Factor::Storage;
  __shared__ alignas(16) unsigned char storage[sizeof(Storage)];
  Factor(job, *reinterpret_cast<Storage*>(storage), *reinterpret_cast<LineStage<E, cr>*>(memory)).run();
}

template <class E>
int warps_for(const Factorization<E>& f) {
  return static_cast<int>(ceil_div(std::max(f.rows(), f.n), Index{32}));
}

/// Returns how many thread blocks a matrix of Cholesky's factorization in cr has: as many as leave no multiprocessor
/// with blocks of two matrices, and have two warps or more.
int blocks_for(const DeviceModel& model, Index matrices, int warps) {
  constexpr int most = 8;  // of a cluster
  int blocks = 1;
  while (model.hopper_kernels && blocks < most && 4 * blocks <= warps && 2 * blocks * matrices <= model.processors)
    blocks *= 2;
  return blocks;
}

template <class E, bool cr>
void launch_blocked(const DeviceModel& model, BlockedJob<E> job, const FactorizationBatch<E>& batch,
                    cudaStream_t stream) {
  const char* const what = "factorizations of a batch";
  const int warps = warps_for(batch.shape);
  auto kernel = blocked_factors_kernel<E, cr, BlockedLu<E, cr>>;
  if (is_cholesky(batch.shape.kind)) {
    kernel = blocked_factors_kernel<E, cr, BlockedCholesky<E, cr, false>>;
    if constexpr (cr) {
      job.blocks = blocks_for(model, batch.count, warps);
      if (job.blocks > 1) kernel = blocked_factors_kernel<E, cr, BlockedCholesky<E, cr, true>>;
    }
  }
  const int threads = 32 * ceil_div(warps, job.blocks);
  const std::size_t bytes = LineStage<E, cr>::bytes(threads);
  allow_shared_bytes(kernel, bytes, what);
  launch(model, what, kernel,
         {static_cast<unsigned>(batch.count * job.blocks), static_cast<unsigned>(threads), bytes, job.blocks}, stream,
         job);
}

}  // namespace

template <class E>
bool blocked_factors_serve(const DeviceModel& model, const FactorizationBatch<E>& batch) {
  constexpr std::size_t of_storage = 12 << 10;
  static_assert(std::max({sizeof(LuStorage<E, true>), sizeof(LuStorage<E, false>), sizeof(CholeskyStorage<E, true>),
                          sizeof(CholeskyStorage<E, false>)}) <= of_storage);
  const Factorization<E>& f = batch.shape;
  const Index lines = std::max(f.rows(), f.n);
  if (!has_factor(f.kind) || lines > most_blocked_lines || batch.count > most_matrices) return false;
  const std::size_t staged =
      std::max(LineStage<E, true>::bytes(32 * warps_for(f)), LineStage<E, false>::bytes(32 * warps_for(f)));
  return of_storage + staged <= shared_bytes_of_block(model);
}

template <class E>
void blocked_factors(const DeviceModel& model, const FactorizationBatch<E>& batch, bool cr, std::int64_t* info,
                     unsigned long long* undecided, cudaStream_t stream) {
  const Factorization<E>& f = batch.shape;
  const BlockedJob<E> job{{batch.a.base, batch.a.stride, batch.a.pointers},
                          is_cholesky(f.kind) ? f.cholesky_factor() : f.a,
                          static_cast<int>(f.rows()),
                          static_cast<int>(f.n),
                          static_cast<std::int64_t*>(f.pivots.data),
                          info,
                          undecided,
                          1};
  cr ? launch_blocked<E, true>(model, job, batch, stream) : launch_blocked<E, false>(model, job, batch, stream);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                        \
  template bool blocked_factors_serve(const DeviceModel&, const FactorizationBatch<E>&);               \
  template void blocked_factors(const DeviceModel&, const FactorizationBatch<E>&, bool, std::int64_t*, \
                                unsigned long long*, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
