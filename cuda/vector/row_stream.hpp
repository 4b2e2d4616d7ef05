// Streams tiles of A to a warp whose lanes have a row of A each. A tile has 32 rows by 128 bytes of entries. TMA copies
// bring it into the warp's own ring of shared memory. One lane issues a tile with one instruction, some tiles ahead.
// Nothing passes through registers, so that 8 warps keep 160 KiB of a multiprocessor in flight. Compute capability 9.0.
#pragma once

#include <cuda.h>

#include "cuda/vector/vector_device.hpp"
#include "lib/base/integers.hpp"
#ifdef __CUDACC__
#include "cuda/core/loads.hpp"
#include "cuda/core/ptx_hopper.hpp"
#endif

namespace accublas::cuda {

inline constexpr int group_rows = 32;
inline constexpr int tile_bytes = 4096;
template <class E>
inline constexpr int tile_entries = tile_bytes / group_rows / static_cast<int>(sizeof(E));

/// Makes the tensor map of A, and returns false if TMA copies cannot read A. Entries of a row must be adjacent if
/// `along` is set, and rows otherwise. The map counts the components of complex numbers.
template <class E>
bool make_row_map(const Matrix<const E>& a, Index m, Index k, bool along, CUtensorMap* map);

#ifdef __CUDACC__

/// The entries of x for a warp's tiles. Each lane loads its part of them one tile ahead, because loads at use would be
/// late: the rings take so much of a multiprocessor's memory that its cache is too small for x.
template <class E>
struct EntriesOfX {
  static constexpr int entries = tile_entries<E>, of_lane = ceil_div(entries, 32);

  E* shared;  ///< memory of the warp, aligned to 16
  E ahead[of_lane];

  /// Loads the entries from `first` on. Entries from x[k] on are zero.
  __device__ void ask(const RowProblem<E>& p, Index first) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < of_lane; ++j) {
      const Index q = first + lane + 32 * j;
      ahead[j] = q < p.k ? load_entry(p.x.data + q * p.x.stride) : E{};
    }
  }

  /// Makes the loaded entries available to get(). All lanes must have read the previous entries.
  __device__ void put() const {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < of_lane; ++j)
      if (entries % 32 == 0 || lane < entries) shared[lane + 32 * j] = ahead[j];
    __syncwarp();
  }

  template <int count>
  __device__ void get(int first, E (&out)[count]) const {
#pragma unroll
    for (int j = 0; j < count; j += 16 / sizeof(E)) {
      const uint4 v = *reinterpret_cast<const uint4*>(shared + first + j);
      memcpy(out + j, &v, 16);
    }
  }
};

/// The order of a warp's tiles: every `groups_apart`-th group of rows, and in it every `units_apart`-th unit of `tiles`
/// tiles.
struct TileWalk {
  int group, unit, tile;

  __device__ void next(int tiles, int first_unit, int units_apart, int units, int groups_apart) {
    if (++tile < tiles) return;
    tile = 0;
    unit += units_apart;
    if (unit < units) return;
    unit = first_unit;
    group += groups_apart;
  }
};

/// The ring of one warp. A stage is full (its barrier's phase is complete) or in flight.
template <class E, bool along, int stages>
struct TileRing {
  unsigned char* memory;  ///< stages tiles, aligned to 1024
  std::uint32_t barriers;
  int stage = 0;
  std::uint32_t parity = 0;

  /// Issues the copy of a tile; one lane calls this.
  __device__ void put(const CUtensorMap& map, int at, int row, int entry) const {
    const std::uint32_t barrier = barriers + 8 * at;
    ptx::barrier_expect(barrier, tile_bytes);
    ptx::copy_lines(ptx::shared_address(memory + at * tile_bytes), map, component_count<E> * (along ? entry : row),
                    along ? row : entry, barrier);
  }

  /// Waits until the next tile has arrived.
  __device__ void wait() const { ptx::barrier_wait(barriers + 8 * stage, parity); }

  /// Loads the lane's entries of the current tile from `first` on, a multiple of 16 bytes.
  template <int count>
  __device__ void get(int first, E (&out)[count]) const {
    const unsigned char* const tile = memory + stage * tile_bytes;
    const int lane = threadIdx.x % 32;
    if constexpr (along) {
      // Rows of 128 bytes have their 16-byte chunks permuted by the row's number, so that no two lanes share a bank.
      constexpr int chunk = 16 / sizeof(E);
#pragma unroll
      for (int j = 0; j < count; j += chunk) {
        const uint4 v = *reinterpret_cast<const uint4*>(tile + lane * 128 + (((first + j) / chunk ^ (lane & 7)) << 4));
        memcpy(out + j, &v, 16);
      }
    } else {
#pragma unroll
      for (int j = 0; j < count; ++j) out[j] = read_shared(reinterpret_cast<const E*>(tile) + (first + j) * 32 + lane);
    }
  }
  __device__ void advance() {
    if (++stage < stages) return;
    stage = 0;
    parity ^= 1;
  }
};

#endif

}  // namespace accublas::cuda
