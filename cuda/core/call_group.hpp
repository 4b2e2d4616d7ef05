// Groups of products of one shape that share their launches. In most kernels blockIdx.y of a thread block tells the
// number of its product. Kernels whose products have many equal parts give every thread block the same number of
// parts, of one product after another (for_products).
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

/// The equal parts of a product that thread blocks share (for_products).
struct GroupParts {
  int of_product;
  int turns = 1;  ///< how many times a thread block of a group takes consecutive parts
};
/// The parts of a product that a thread block takes: first, first + step, ... below end.
struct PartsOfBlock {
  int first, end, step;
};

/// The number of products, and the distance of their arrays.
struct GroupStride {
  Index count = 0;  ///< 0: the call is no group
  Index bytes = 0;  ///< a multiple of the bytes of line_group lines of residues
  /// Thread blocks take the last product first. Of what the kernel before wrote or read, L2 holds the last products.
  bool backward = false;
  std::int32_t turn = -1;  ///< number of the product in the order of the thread blocks; if negative, blockIdx.y

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
  /// Returns how many thread blocks a kernel of for_products gets if a single call would get `alone`.
  unsigned blocks_of_parts(Index alone, Index resident, const GroupParts& parts) const {
    return static_cast<unsigned>(exists() ? std::min(resident, count * parts.of_product) : alone);
  }
  /// Counterpart of blocks_of_product for kernels that usually find nothing to do, or little: one round of thread
  /// blocks.
  Index few_blocks_of_product(Index alone, Index resident, Index parts) const {
    return exists() ? std::clamp<Index>(resident / count, 1, std::max<Index>(parts, 1)) : alone;
  }

#ifdef __CUDACC__
  /// Returns the number of the thread block's product.
  __device__ Index product() const {
    const Index own = turn < 0 ? Index{blockIdx.y} : Index{turn};
    return backward ? count - 1 - own : own;
  }
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

/// Returns a copy of the arguments in shared memory, which Arguments::move_to_product() has moved to the product
/// `turn`, or to that of blockIdx.y if `turn` is negative. All threads of a thread block call this function.
template <class Arguments>
__device__ __forceinline__ const Arguments& arguments_of_product(const Arguments& given, std::int32_t turn) {
  static_assert(std::is_trivially_copyable_v<Arguments> && sizeof(Arguments) % sizeof(std::uint32_t) == 0);
  constexpr unsigned words = sizeof(Arguments) / sizeof(std::uint32_t);
  __shared__ __align__(16) std::uint32_t own[words];
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) own[i] = reinterpret_cast<const std::uint32_t*>(&given)[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    Arguments& moved = *reinterpret_cast<Arguments*>(own);
    moved.group.turn = turn;
    moved.move_to_product();
  }
  __syncthreads();
  return *reinterpret_cast<const Arguments*>(own);
}

/// Returns the arguments of the thread block's product. For a single call these are the given ones. In a group
/// (`Grouped`) blockIdx.y tells the product. All threads of a thread block call this function, after
/// await_predecessor().
template <bool Grouped, class Arguments>
__device__ __forceinline__ const Arguments& arguments_of_block(const Arguments& given) {
  if constexpr (Grouped)
    return arguments_of_product(given, -1);
  else
    return given;
}

/// Calls body(arguments, parts) for the thread block's parts of all products. For a single call, thread blocks take the
/// parts in turn, with the given arguments. In a group (`Grouped`) all thread blocks take the same number of
/// consecutive parts, GroupParts::turns times. So none of them waits for a last round of others, and at any time they
/// work on neighbouring products. Body gets the arguments of each product in turn. All threads of a thread block call
/// this function, after await_predecessor().
template <bool Grouped, class Arguments, class Body>
__device__ __forceinline__ void for_products(const Arguments& given, const GroupParts& parts, Body&& body) {
  if constexpr (!Grouped) {
    body(given, PartsOfBlock{static_cast<int>(blockIdx.x), parts.of_product, static_cast<int>(gridDim.x)});
  } else {
    // The bodies need nearly all registers, so that little is kept here.
    const int shares = static_cast<int>(gridDim.x) * parts.turns;
    const auto first_of = [&](int share) {
      return static_cast<int>(given.group.count * parts.of_product * share / shares);
    };
    for (int share = static_cast<int>(blockIdx.x); share < shares; share += static_cast<int>(gridDim.x)) {
      const int end = first_of(share + 1);
      for (int at = first_of(share); at < end;) {
        const int turn = at / parts.of_product, first = at % parts.of_product;
        const int here = min(parts.of_product - first, end - at);
        body(arguments_of_product(given, turn), PartsOfBlock{first, first + here, 1});
        at += here;
        __syncthreads();  // no thread needs the arguments any more
      }
    }
  }
}

#endif

}  // namespace accublas::cuda
