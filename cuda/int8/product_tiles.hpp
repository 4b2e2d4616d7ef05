// Code that the product kernels share: the block that a launch computes, the order of its tiles, and what happens to
// the sums. For .cu files.
#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include "cuda/core/call_state.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/reduction.hpp"
#include "cuda/int8/convert.hpp"
#include "cuda/int8/product_job.hpp"
#include "cuda/int8/product_kernels.hpp"
#include "cuda/tuning/tuning.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

/// The part of a block that exists.
struct BlockExtent {
  Block block;
  int rows, cols;  ///< existing lines; none: nothing to do
  int planes;
  Wanted wanted{};
  bool shared = false;  ///< the columns' bytes are the rows',
  int exchange = 0;     ///< of plane `plane ^ exchange`
  int slabs = 1;        ///< the planes of a slab follow those of the previous one
};

#ifdef __CUDACC__

/// Returns the extent of the block of a job whose plan is `plan`, which may be null.
template <class Element>
__device__ inline BlockExtent block_extent(const ProductJob<Element>& job, const PassPlan* plan) {
  BlockExtent extent{job.block, 0, 0, 1};
  if (plan) {
    if (!plan->active) return extent;
    extent.block = {plan->block_rows, plan->block_cols};
    extent.planes = plan->planes();
    extent.shared = job.same_lines && shares_residues(*plan, job.rows);
    extent.exchange = extent.shared && job.conjugates ? 1 : 0;
  } else if (job.slab_plan) {
    if (job.slab_plan->active == 0) return extent;
    extent.planes = job.slab_plan->moduli;
    extent.slabs = static_cast<int>(job.shape.slabs);
  } else if (job.state->refused || job.state->common_moduli > 0) {
    return extent;
  }
  const auto existing = [](Index lines, Index block, Index number) {
    const Index left = lines - block * number;
    return static_cast<int>(left < 0 ? 0 : left < block ? left : block);
  };
  extent.rows = existing(job.rows, extent.block.rows, job.row_block);
  extent.cols = existing(job.cols, extent.block.cols, job.col_block);
  extent.wanted = job.wanted.from(extent.block.rows * job.row_block, extent.block.cols * job.col_block);
  return extent;
}

/// The line of an operand's buffer that holds line i of the block in a plane.
__device__ inline int buffer_line(int i, int plane, int planes) {
  return (i / line_group * planes + plane) * line_group + i % line_group;
}

/// A tile (of a cluster) by its first element.
struct Tile {
  int plane, row, col;
};

/// Steps of k, first <= step < end.
struct StepRange {
  int first, end;
};
/// The sums of a tile except those known to be zero. nonzero: job.nonzero matters. There are no steps for residues of
/// sums without a term, which the reconstruction does not read.
template <TileConfig config, class Element>
__device__ inline StepRange steps_of(const ProductJob<Element>& job, const Block& block, bool nonzero,
                                     const Tile& tile) {
  if (job.zeros.part == Triangle::all && !nonzero) return {0, static_cast<int>(job.k_padded / config.step)};
  const Index row = job.row_block * block.rows + tile.row, col = job.col_block * block.cols + tile.col,
              all = job.first_term + job.k_padded;
  TermRange terms =
      job.zeros.of_a ? job.zeros.terms(row, config.cluster_rows(), all) : job.zeros.terms(col, config.cols, all);
  if (nonzero) {
    const TermRange needed = job.nonzero.needed(row, col);
    if (needed.end <= needed.first && std::is_same_v<Element, std::int8_t>) return {0, 0};
    terms = {max(terms.first, needed.first), min(terms.end, needed.end)};
  }
  const Index first = max(terms.first - job.first_term, Index{0}) / config.step,
              end = ceil_div(max(terms.end - job.first_term, Index{0}), Index{config.step});
  return first < end ? StepRange{static_cast<int>(first), static_cast<int>(end)} : StepRange{0, 1};
}

/// The terms of a tile as positions in its lines' bytes, in steps of k, and the position of its results.
struct TileTerms {
  int plane = 0;                   ///< plane of the lines' residues
  int row_step = 0, col_step = 0;  ///< first step of the rows and of the columns
  int steps = 0;                   ///< 0: the tile is not wanted
  Index out = 0;                   ///< position of the result of element (tile.row, tile.col)
};
template <TileConfig config, bool Slabs, class Element>
class TermsOfTiles {
 public:
  __device__ TermsOfTiles(const ProductJob<Element>& job, const BlockExtent& extent) : job_(job), extent_(extent) {
    if constexpr (Slabs) {
      const SlabShape& shape = job.shape;
      square_bits_ = 31 - __clz(static_cast<int>(shape.square));
      steps_ = static_cast<int>(shape.terms / config.step);
      slabs_ = static_cast<int>(shape.slabs);
      col_squares_ = static_cast<int>(shape.squares(job.cols));
      tiles_across_ = static_cast<int>(shape.cols) / slab_tile;
      balance_ = job.balance + (job.row_block * (shape.rows / shape.square) * col_squares_ +
                                job.col_block * (shape.cols / shape.square)) *
                                   slabs_;
    } else {
      nonzero_ = job.nonzero.matter();
    }
  }

  __device__ __forceinline__ TileTerms of(const Tile& tile) const {
    if constexpr (Slabs) {
      const int slab = tile.plane / extent_.planes, plane = tile.plane - slab * extent_.planes;
      if (slab >= slabs_) return {};
      const int row = tile.row >> square_bits_, col = tile.col >> square_bits_;
      const bool wanted = balance_[(row * col_squares_ + col) * slabs_ + slab] != 0;
      const int of_square = slabs_ * steps_, first = slab * steps_;
      const int tile_index = tile.row / slab_tile * tiles_across_ + tile.col / slab_tile;
      const Index out = (Index{tile_index} * slabs_ * extent_.planes + tile.plane) * (slab_tile * slab_tile) +
                        tile.row % slab_tile * slab_tile + tile.col % slab_tile;
      return {plane, col * of_square + first, row * of_square + first, wanted ? steps_ : 0, out};
    } else {
      const StepRange steps = steps_of<config>(job_, extent_.block, nonzero_, tile);
      return {tile.plane, steps.first, steps.first, steps.end - steps.first,
              (tile.plane * extent_.block.rows + tile.row) * extent_.block.cols + tile.col};
    }
  }
  /// Returns the distance between rows of results.
  __device__ __forceinline__ Index stride() const { return Slabs ? Index{slab_tile} : extent_.block.cols; }

 private:
  const ProductJob<Element>& job_;
  const BlockExtent& extent_;
  int square_bits_ = 0, steps_ = 0, slabs_ = 0, col_squares_ = 0, tiles_across_ = 0;
  const std::uint8_t* balance_ = nullptr;
  bool nonzero_ = false;  ///< job.nonzero matters
};

/// The tiles of a block that hold existing lines: plane by plane, in stripes of raster_rows, column by column there, so
/// that the blocks at work share operands in L2. Of a wanted triangle those that it touches are numbered, where that
/// takes no more than counting in units of square tiles; else those that it does not touch are passed over.
template <TileConfig config>
struct TileOrder {
  static constexpr int tile_rows = config.cluster_rows(), stripe = config.raster_rows / tile_rows;
  int row_tiles, col_tiles, planes;
  Wanted wanted;
  int diagonal = 0;  ///< column of the diagonal's tile in row 0
  int in_plane = 0;  ///< tiles of a plane that are numbered
  bool numbered = false;

  __device__ explicit TileOrder(const BlockExtent& extent)
      : row_tiles(ceil_div(extent.rows, tile_rows)),
        col_tiles(ceil_div(extent.cols, config.cols)),
        planes(extent.planes * extent.slabs),
        wanted(extent.wanted) {
    in_plane = row_tiles * col_tiles;
    numbered = !wanted.all() && tile_rows == config.cols && wanted.parts == 1 && wanted.offset % tile_rows == 0;
    if (!numbered) return;
    diagonal = static_cast<int>(wanted.offset / tile_rows);
    in_plane = 0;
    for (int first = 0; first < row_tiles; first += stripe) in_plane += in_stripe(first);
  }

  /// Wanted tiles of row r are those of columns first_col(r) to end_col(r).
  __device__ int first_col(int r) const {
    return wanted.part == Triangle::upper ? min(max(r + diagonal, 0), col_tiles) : 0;
  }
  __device__ int end_col(int r) const {
    return wanted.part == Triangle::upper ? col_tiles : min(max(r + diagonal + 1, 0), col_tiles);
  }
  __device__ int in_stripe(int first) const {
    int count = 0;
    for (int r = first; r < min(first + stripe, row_tiles); ++r) count += end_col(r) - first_col(r);
    return count;
  }

  __device__ int count() const { return in_plane * planes; }
  /// Whether a tile has elements that are wanted.
  __device__ bool wants(const Tile& tile) const { return wanted.any(tile.row, tile_rows, tile.col, config.cols); }

  __device__ Tile at(int index) const {
    if (numbered) return wanted_at(index);
    const int plane = index / in_plane, left = index - plane * in_plane;
    const int first = left / (stripe * col_tiles) * stripe, of_stripe = left - first * col_tiles;
    const int height = min(row_tiles - first, stripe);
    return {plane, (first + of_stripe % height) * tile_rows, of_stripe / height * config.cols};
  }

 private:
  /// Also for numbers beyond the last.
  __device__ Tile wanted_at(int index) const {
    if (index >= count()) return {planes, 0, 0};
    const int plane = index / in_plane;
    int left = index - plane * in_plane, first = 0;
    for (int own; (own = in_stripe(first)) <= left; first += stripe) left -= own;
    const int end = min(first + stripe, row_tiles);
    // Whole columns of the stripe lie side by side, left of the others (lower) or right of them.
    const bool upper = wanted.part == Triangle::upper;
    int col = upper ? first_col(first) : 0;
    if (!upper) {
      const int whole = end_col(first);
      if (left < whole * (end - first)) {
        col = left / (end - first);
        return {plane, (first + left - col * (end - first)) * tile_rows, col * config.cols};
      }
      left -= whole * (end - first);
      col = whole;
    }
    for (;; ++col) {
      // Rows of the column: to the diagonal, or from it on.
      const int from = upper ? first : max(first, col - diagonal), to = upper ? min(end, col - diagonal + 1) : end;
      const int height = max(to - from, 0);
      if (upper && height == end - first) {
        const int further = left / height;
        return {plane, (from + left - further * height) * tile_rows, (col + further) * config.cols};
      }
      if (left < height) return {plane, (from + left) * tile_rows, col * config.cols};
      left -= height;
    }
  }
};

/// Returns the parameters of the thread block's product for an output. Only tests of the certificate depend on it.
template <bool Grouped, class Output>
__device__ __forceinline__ const typename Output::Parameters& parameters_of_block(
    const typename Output::Parameters& given) {
  if constexpr (Grouped && std::is_same_v<typename Output::Parameters, CertifyJob>)
    return arguments_of_block<true>(given);
  else
    return given;
}

// A namespace-scope constant of the compiler's, in constant memory: a tile's plane is the same for all threads.
static __constant__ const ReductionTable reductions = make_reductions();

/// The reduction of plane 0.
struct FirstReduction {
  int index;
};

/// Turns 16 neighbouring sums of a row into bytes of residues, and adds them to those already there on request.
template <bool accumulate>
struct ResidueOutput {
  using Element = std::int8_t;
  using Parameters = FirstReduction;
  int first_reduction;
  ByteReduction modulus;

  __device__ explicit ResidueOutput(const FirstReduction& first) : first_reduction(first.index) {}
  /// `first_col`: of the warp's columns.
  __device__ void begin_tile(int plane, Index /*first_col*/) { modulus = reductions.of[first_reduction + plane]; }
  __device__ void end_tile() const {}
  __device__ void end() const {}

  /// `out`: where row `row` and columns from `col` of the block are stored. By whole warps, as all of these.
  __device__ void store(const std::uint32_t (&sums)[16], std::int8_t* out, Index /*row*/, Index /*col*/) const {
    uint4* const at = reinterpret_cast<uint4*>(out);
    const uint4 old = accumulate ? __ldcs(at) : uint4{};
    __stcs(at, uint4{four(sums, 0, old.x), four(sums, 4, old.y), four(sums, 8, old.z), four(sums, 12, old.w)});
  }

 private:
  __device__ std::uint32_t four(const std::uint32_t (&sums)[16], int first, std::uint32_t old) const {
    const auto two = [&](int i) {
      const auto old_byte = [&](int byte) { return accumulate ? static_cast<std::int8_t>(old >> (8 * byte)) : 0; };
      return reduce_two(sums[first + i], old_byte(i), sums[first + i + 1], old_byte(i + 1), modulus);
    };
    return __byte_perm(two(0), two(2), 0x6420);
  }
};

struct NoParameters {};

/// or the sums themselves, kept at 2^31 - 1 where adding would pass it: the certificate wants a lower bound; or its
/// test of them (cuda/int8/certify_output.hpp).
template <bool accumulate>
struct SumOutput {
  using Element = std::int32_t;
  using Parameters = NoParameters;

  __device__ explicit SumOutput(const NoParameters&) {}
  __device__ void begin_tile(int, Index) const {}
  __device__ void end_tile() const {}
  __device__ void end() const {}

  __device__ void store(const std::uint32_t (&sums)[16], std::int32_t* out, Index /*row*/, Index /*col*/) const {
    for (int i = 0; i < 16; i += 4) {
      uint4* const at = reinterpret_cast<uint4*>(out + i);
      const uint4 old = accumulate ? __ldcs(at) : uint4{};
      __stcs(at, uint4{sum(sums[i], old.x), sum(sums[i + 1], old.y), sum(sums[i + 2], old.z), sum(sums[i + 3], old.w)});
    }
  }

 private:
  /// Both below 2^31.
  __device__ static std::uint32_t sum(std::uint32_t a, std::uint32_t old) { return min(a + old, 0x7FFFFFFFu); }
};

#endif  // __CUDACC__

}  // namespace accublas::cuda
