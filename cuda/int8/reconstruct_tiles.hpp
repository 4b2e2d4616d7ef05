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

template <class T, class Numbers, bool Grouped>
__global__ void __launch_bounds__(Grouped ? group_threads : threads, Grouped ? group_blocks : blocks)
    reconstruct_block(const __grid_constant__ ReconstructArguments<T> given) {
  await_predecessor();
  const ReconstructArguments<T>& a = arguments_of_block<Grouped>(given);
  extern __shared__ __align__(16) unsigned char shared[];
  BlockState<T, Numbers>& b = *reinterpret_cast<BlockState<T, Numbers>*>(shared);
  unsigned left_open = 0;
  for_tiles<true>(a, b, [&](const Tile& tile) {
    const bool simple = b.factors.kind == Factors<T>::power_of_two, interval = b.plan.interval != 0,
               fine = !interval || a.fine;
    if (b.plan.planes() <= wide_step) {
      left_open += !simple                              ? finish_tile<T, false, Rounding::general>(a, b, tile)
                   : !interval && b.weights[0].complete ? finish_tile<T, false, Rounding::exact>(a, b, tile)
                   : fine                               ? finish_tile<T, false, Rounding::fine>(a, b, tile)
                                                        : finish_tile<T, false, Rounding::interval>(a, b, tile);
    } else {
      constexpr bool always_fine = std::is_same_v<T, double>;
      if (!simple) {
        left_open += finish_tile<T, true, Rounding::general>(a, b, tile);
      } else if (always_fine || fine) {
        left_open += finish_tile<T, true, Rounding::fine>(a, b, tile);
      } else if constexpr (!always_fine) {
        left_open += finish_tile<T, true, Rounding::interval>(a, b, tile);
      }
    }
  });
  unsigned long long in_all = left_open;
  for (int offset = 16; offset > 0; offset /= 2) in_all += __shfl_xor_sync(0xFFFFFFFFu, in_all, offset);
  if (threadIdx.x % 32 == 0 && in_all != 0) atomicAdd(&a.state->open[a.index], in_all);
}

/// A kernel of for_tiles.
template <class T, class Numbers, class Kernel, class... Arguments>
void launch_on_tiles(const DeviceModel& model, Kernel kernel, cudaStream_t stream, const ReconstructArguments<T>& a,
                     const Arguments&... arguments) {
  constexpr std::size_t bytes = sizeof(BlockState<T, Numbers>);
  allow_shared_bytes(kernel, bytes, "reconstruction");
  const bool grouped = a.group.exists();
  const int block = grouped ? group_threads : threads;
  const Index resident = Index{grouped ? group_blocks : blocks} * model.processors;
  Index own = resident;
  if (grouped) {
    // Each strip of a product gets as many thread blocks as all others, as tile_shape() gives them out. A thread block
    // has at least a row for each warp, and starts in the time of two.
    GroupStride strips = a.group;
    const Index across = ceil_div(a.cols.count / Numbers::parts, Index{strip});
    strips.count *= across;
    own = across * strips.blocks_of_product(resident, resident, ceil_div(a.rows.count, Index{block / 32}), 2);
  }
  const dim3 grid{static_cast<unsigned>(own), a.group.grid_rows()};
  launch(model, "reconstruction", kernel, {grid, static_cast<unsigned>(block), bytes}, stream, a, arguments...);
}
template <class Numbers, class T>
void launch_reconstruct(const DeviceModel& model, const ReconstructArguments<T>& a, cudaStream_t stream) {
  const auto kernel = a.group.exists() ? reconstruct_block<T, Numbers, true> : reconstruct_block<T, Numbers, false>;
  launch_on_tiles<T, Numbers>(model, kernel, stream, a);
}

}  // namespace accublas::cuda::reconstructing
