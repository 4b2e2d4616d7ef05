// The kernel from residues to results: one pass over the residue products of a block. A block of threads takes tiles of
// up to 128 rows and 1024 columns (tile_schedule.hpp), which finish_tile.hpp finishes. For .cu files.
#pragma once

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/int8/finish_tile.hpp"
#include "cuda/int8/reconstruct.hpp"
#include "cuda/int8/tile_schedule.hpp"

namespace accublas::cuda::reconstructing {

/// Finishes a tile. Returns the thread's count of elements left open.
template <class T, class Numbers>
__device__ __forceinline__ unsigned finish_any_tile(const ReconstructArguments<T>& a, const BlockState<T, Numbers>& b,
                                                    const Tile& tile) {
  const bool simple = b.factors.kind == Factors<T>::power_of_two, exact = !b.plan.interval && b.weights[0].complete;
  if (b.plan.planes() <= wide_step)
    return !simple ? finish_tile<T, false, Rounding::general>(a, b, tile)
           : exact ? finish_tile<T, false, Rounding::exact>(a, b, tile)
                   : finish_tile<T, false, Rounding::interval>(a, b, tile);
  return simple ? finish_tile<T, true, Rounding::interval>(a, b, tile)
                : finish_tile<T, true, Rounding::general>(a, b, tile);
}

template <class T, class Numbers, bool Grouped>
__global__ void __launch_bounds__(Grouped ? group_threads : threads, Grouped ? group_blocks : blocks)
    reconstruct_block(const __grid_constant__ ReconstructArguments<T> given, GroupParts parts) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char shared[];
  BlockState<T, Numbers>& b = *reinterpret_cast<BlockState<T, Numbers>*>(shared);
  for_products<Grouped>(given, parts, [&](const ReconstructArguments<T>& a, const PartsOfBlock& own) {
    unsigned left_open = 0;
    const auto finish = [&](const Tile& tile) { left_open += finish_any_tile(a, b, tile); };
    if constexpr (Grouped)
      for_parts(a, b, own, finish);
    else
      for_tiles<true>(a, b, finish);
    unsigned long long in_all = left_open;
    for (int offset = 16; offset > 0; offset /= 2) in_all += __shfl_xor_sync(0xFFFFFFFFu, in_all, offset);
    if (threadIdx.x % 32 == 0 && in_all != 0) atomicAdd(&a.state->open[a.index], in_all);
  });
}

/// Launches a kernel of for_tiles.
template <class T, class Numbers, class Kernel, class... Arguments>
void launch_on_tiles(const DeviceModel& model, Kernel kernel, cudaStream_t stream, const ReconstructArguments<T>& a,
                     const Arguments&... arguments) {
  constexpr std::size_t bytes = sizeof(BlockState<T, Numbers>);
  allow_shared_bytes(kernel, bytes, "reconstruction");
  launch(model, "reconstruction", kernel, {static_cast<unsigned>(blocks * model.processors), threads, bytes}, stream, a,
         arguments...);
}
template <class Numbers, class T>
void launch_reconstruct(const DeviceModel& model, const ReconstructArguments<T>& a, cudaStream_t stream) {
  if (!a.group.exists())
    return launch_on_tiles<T, Numbers>(model, reconstruct_block<T, Numbers, false>, stream, a, GroupParts{});
  constexpr std::size_t bytes = sizeof(BlockState<T, Numbers>);
  const auto kernel = reconstruct_block<T, Numbers, true>;
  allow_shared_bytes(kernel, bytes, "reconstruction");
  const GroupParts parts{parts_of_product(a.rows.count, a.cols.count / Numbers::parts, group_threads), group_turns};
  const Index resident = Index{group_blocks} * model.processors;
  launch(model, "reconstruction", kernel, {a.group.blocks_of_parts(resident, resident, parts), group_threads, bytes},
         stream, a, parts);
}

}  // namespace accublas::cuda::reconstructing
