// Groups of products of one shape that share their launches: blockIdx.y of a thread block tells the number of its
// product.
// The arrays of a product in the workspace, and its CallState, lie at a fixed distance from those of the product before
// it. So a kernel gets the arguments of the first product, and each thread block moves them to its own product. Every
// product has its own plan and its own decisions, as a single call has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "cuda/core/call_state.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/core/operand.hpp"
#include "lib/base/host_device.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

/// The number of products, and the distance of their arrays.
struct GroupStride {
  Index count = 0;  ///< 0: the call is no group
  Index bytes = 0;  ///< a multiple of the bytes of line_group lines of residues
  /// Thread blocks take the last product first. Of what the kernel before wrote or read, L2 holds the last products.
  bool backward = false;

  ACCUBLAS_HD bool exists() const { return count > 0; }
  /// Returns gridDim.y of a launch.
  unsigned grid_rows() const { return exists() ? static_cast<unsigned>(count) : 1; }
  /// Returns how many thread blocks a product gets if a single call would get `alone`. A product has `parts` parts of
  /// equal time, and a thread block takes at least one. `start` is the time in which a thread block starts, in units of
  /// a part's. The thread blocks of all products run in rounds of `resident` ones; the number of rounds is the one that
  /// takes the least time.
  Index blocks_of_product(Index alone, Index resident, Index parts, double start) const {
    if (!exists()) return alone;
    constexpr Index most_rounds = 8;
    Index best = 1;
    double least = 0;
    for (Index rounds = 1; rounds <= most_rounds; ++rounds) {
      const Index blocks = std::clamp<Index>(rounds * resident / count, 1, std::max<Index>(parts, 1));
      const double of_block = static_cast<double>(ceil_div(parts, blocks)) + start;
      const double time = static_cast<double>(ceil_div(count * blocks, resident)) * of_block;
      if (rounds > 1 && time >= least) continue;
      best = blocks;
      least = time;
    }
    return best;
  }
  /// Counterpart of blocks_of_product for kernels that usually find nothing to do, or little: the group gets about
  /// `in_all` thread blocks.
  Index few_blocks_of_product(Index alone, Index in_all, Index parts) const {
    return exists() ? std::clamp<Index>(in_all / count, 1, std::max<Index>(parts, 1)) : alone;
  }

#ifdef __CUDACC__
  /// Returns the number of the thread block's product.
  __device__ Index product() const { return backward ? count - 1 - blockIdx.y : blockIdx.y; }
  /// Returns a pointer into the workspace of a product, given that of the first one.
  template <class T>
  __device__ T* of_product(T* first, Index product) const {
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    return reinterpret_cast<T*>(reinterpret_cast<Byte*>(first) + product * bytes);
  }
  /// Moves a pointer into the workspace to the thread block's product. Null stays null.
  template <class T>
  __device__ void move(T*& pointer) const {
    if (pointer) pointer = of_product(pointer, product());
  }
  __device__ void move(Lines& lines) const {
    move(lines.exponent);
    move(lines.last_bit);
    move(lines.norm);
    move(lines.lambda);
    move(lines.special);
    move(lines.nonzero);
  }
#endif
};

/// A group with the operands of its products. `rows` and `cols` are the sides of the engine (EngineCall), and `at` is
/// its result.
template <class T>
struct CallGroup : GroupStride {
  BatchArray<const T> rows{}, cols{};
  BatchArray<T> at{};
};

#ifdef __CUDACC__

/// Returns the arguments of the thread block's product. For a single call these are the given ones. In a group
/// (`Grouped`) they are a copy in shared memory, which Arguments::move_to_product() has moved. All threads of a thread
/// block call this function, after await_predecessor().
template <bool Grouped, class Arguments>
__device__ __forceinline__ const Arguments& arguments_of_block(const Arguments& given) {
  if constexpr (Grouped) {
    static_assert(std::is_trivially_copyable_v<Arguments> && sizeof(Arguments) % sizeof(std::uint32_t) == 0);
    constexpr unsigned words = sizeof(Arguments) / sizeof(std::uint32_t);
    __shared__ __align__(16) std::uint32_t own[words];
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
      own[i] = reinterpret_cast<const std::uint32_t*>(&given)[i];
    __syncthreads();
    if (threadIdx.x == 0) reinterpret_cast<Arguments*>(own)->move_to_product();
    __syncthreads();
    return *reinterpret_cast<const Arguments*>(own);
  } else {
    return given;
  }
}

#endif

}  // namespace accublas::cuda
