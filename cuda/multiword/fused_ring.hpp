// The producers and consumers of the fused multiword product share this header: its configurations, the ring of stages
// in shared memory and the order of the tiles. Device code.
//
// A unit has 64 lines. Line l of a unit is line l / 2 + 32 (l % 2) of the MMA. So a lane that reads two adjacent lines
// stores without bank conflicts, and a thread of the MMA owns four neighbouring columns of C.
#pragma once

#include "cuda/core/operand.hpp"
#include "cuda/core/ptx_hopper.hpp"
#include "cuda/multiword/product.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/multiword.hpp"

namespace accublas::cuda::hopper::fused {

inline constexpr int unit_lines = 64, unit_bytes = unit_lines * 128;
inline constexpr int rows = 2 * unit_lines;  // rows of a block's tile
inline constexpr int consumers = 2;          // number of consumer warpgroups
inline constexpr int producer_threads = 256, producer_warps = producer_threads / 32,
                     threads = 128 * consumers + producer_threads;
inline constexpr int kept_terms =
    256;  // terms that a tensor core, which truncates, sums before the sum is added to the kept ones
inline constexpr int band = 8;  // number of clusters' tiles above each other that are computed together

/// The configuration of a kernel. `stages` stages fill shared memory. With two accumulators a thread, the small
/// products are added up separately. If the words are split already (`split`), shared memory holds no scales, and
/// consumers have registers for a half of the kept sums, which leaves room for a third stage.
template <WordKind words_, int products_, int cols_, int cluster_, int stages_, bool split = false>
struct Config {
  static constexpr WordKind words = words_;
  static constexpr int products = products_, cols = cols_, cluster = cluster_, stages = stages_;

  static constexpr int step = words == WordKind::tf32 ? 32 : 64;  ///< step along k: 128 bytes
  static constexpr int word_sets = products == 1 ? 1 : 2;
  static constexpr bool apart = products > 1 && cols == 128;
  static constexpr int kept_registers = apart && split ? 32 : 0;        ///< kept sums of a thread in registers
  static constexpr int row_bytes = rows * 128, col_bytes = cols * 128;  ///< bytes of one word of the rows (columns)
  static constexpr int stage_bytes = (row_bytes + col_bytes) * word_sets;
  static constexpr int own_cols = cols / cluster;  ///< columns that a block splits
  static constexpr int peer_bytes = cluster > 1 ? own_cols * 128 * word_sets : 0;
  static constexpr int row_units = rows / unit_lines, col_units = own_cols / unit_lines;
  static constexpr int scales_bytes = split ? 0 : 2 * (rows + own_cols) * static_cast<int>(sizeof(float2));
  static constexpr int kept_bytes =
      apart ? 128 * consumers * (64 - kept_registers) * static_cast<int>(sizeof(float)) : 0;
  static constexpr int shared_bytes = stages * stage_bytes + kept_bytes + scales_bytes + 16 * stages + 1024;
  /// Registers of a thread after `setmaxnreg`; 512 threads have 128 each at the start. Producers hold the entries of
  /// their next stage.
  static constexpr int consumer_registers = row_units + col_units > 3 ? 160 : 168;
  static constexpr int producer_registers = 256 - consumer_registers;
  static constexpr bool scaled = words != WordKind::tf32, separate_scales = words == WordKind::half;
};

/// Shared memory: a ring of stages (words of the rows, then of the columns), sums that consumers keep, scales of the
/// lines of two tiles, and two barriers, `full` and `empty`, for each stage.
template <class C>
struct Ring {
  std::uint32_t base;
  float4* kept;    ///< [16 - kept_registers / 4][consumer threads]
  float2* scales;  ///< [2][rows + own_cols]

  __device__ explicit Ring(std::uint8_t* shared) {
    const std::uint32_t start = ptx::shared_address(shared);
    base = (start + 1023) & ~1023u;
    kept = reinterpret_cast<float4*>(shared + (base - start) + C::stages * C::stage_bytes);
    scales = reinterpret_cast<float2*>(kept + C::kept_bytes / sizeof(float4));
  }
  __device__ std::uint32_t row_words(int stage, int word) const {
    return base + stage * C::stage_bytes + word * C::row_bytes;
  }
  __device__ std::uint32_t col_words(int stage, int word) const {
    return base + stage * C::stage_bytes + C::word_sets * C::row_bytes + word * C::col_bytes;
  }
  __device__ std::uint32_t full(int stage) const {
    return base + C::stages * C::stage_bytes + C::kept_bytes + C::scales_bytes + 8 * stage;
  }
  __device__ std::uint32_t empty(int stage) const { return full(stage) + 8 * C::stages; }

  __device__ void initialise() const {
    for (int stage = 0; stage < C::stages; ++stage) {
      ptx::barrier_init(full(stage), 1);
      // Every warp of both blocks' consumers frees a stage, because both blocks' producers write to it.
      ptx::barrier_init(empty(stage), C::cluster * consumers * 4);
    }
    ptx::publish_barriers();
  }
};

template <class C>
struct Position {
  int stage;
  std::uint32_t parity;

  __device__ void advance() {
    if (++stage == C::stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

struct Job {
  MultiwordProduct product;
  bool rows_along, cols_along;      ///< whether the operand lies along the terms
  bool rows_vectors, cols_vectors;  ///< whether the operand can be read by vectors of numbers
};

/// Visits the tiles of a cluster one after the other; only those of the wanted kind.
template <class C>
class Walk {
 public:
  Index row, col;  ///< first row and column of the cluster's tile

  __device__ explicit Walk(const Job& job) : product_(job.product), t_(blockIdx.x / C::cluster) {
    row_tiles_ = ceil_div(product_.rows.count, Index{C::cluster} * rows);
    count_ = row_tiles_ * ceil_div(product_.cols.count, Index{C::cols});
    skip_unwanted();
  }
  __device__ bool ended() const { return t_ >= count_; }
  __device__ void advance() {
    t_ += gridDim.x / C::cluster;
    skip_unwanted();
  }

 private:
  __device__ void skip_unwanted() {
    const Index col_tiles = count_ / row_tiles_;
    for (; !ended(); t_ += gridDim.x / C::cluster) {
      const Index first = t_ / (band * col_tiles) * band, height = min(row_tiles_ - first, Index{band});
      const Index rest = t_ - first * col_tiles;
      row = (first + rest % height) * C::cluster * rows;
      col = rest / height * C::cols;
      if (product_.tiles == Tiles::all) return;
      const bool fits = product_.rows_fit[row / line_group] != 0 && product_.cols_fit[col / line_group] != 0;
      if (fits == (product_.tiles == Tiles::fitting)) return;
    }
  }

  const MultiwordProduct& product_;
  Index t_, row_tiles_, count_;
};

}  // namespace accublas::cuda::hopper::fused
