// The kernel that turns operands into planes of residues, for real and for complex numbers. For .cu files.
//
// The policy `Numbers` tells real from complex numbers: entries_a_term, entries of a line that make one of its terms;
// limbs_of(bits), the limbs for abs(a') <= 2^bits; planes(plan); and write_residues<Limbs, Shape>(buffer, plan, sign,
// line_bytes, entries, out), which stores the bytes of a lane's terms of the warp's lines in all planes; `out`: of the
// warp's first line, plane 0.
#pragma once

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/int8/convert.hpp"
#include "cuda/int8/convert_tiles.hpp"
#include "cuda/scaling/scaling.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas::cuda::converting {

/// Lines of a block, rounded up to whole groups, and its tiles; 2^31 of these would be more than any memory.
struct Tiles {
  Index first;
  int across, k_tiles;
  __device__ int count() const { return across * k_tiles; }
};

template <class T>
struct ConvertSides {
  ConvertSide<T> side[2];
  const PassPlan* plan;
  GroupTerms nonzero;  ///< none in a group and of complex numbers
  CallGroup<T> group{};

#ifdef __CUDACC__
  /// For arguments_of_block.
  __device__ void move_to_product() {
    side[0].operand.data = group.rows[group.product()];
    side[1].operand.data = group.cols[group.product()];
    for (ConvertSide<T>& own : side) {
      group.move(own.lines);
      group.move(own.out);
    }
    group.move(plan);
  }
#endif
};

template <class Numbers, class Shape, class T>
__device__ Tiles tiles_of(const ConvertSide<T>& side, Index block_lines, Index k_padded) {
  if (!side.wanted) return {0, 0, 1};
  const Index first = side.block * block_lines, left = side.operand.count - first;
  const Index lines = left <= 0 ? 0 : padded_lines(left < block_lines ? left : block_lines);
  return {first, static_cast<int>(lines / tile_lines), k_tiles<Shape>(Numbers::entries_a_term * k_padded)};
}

/// The entries that the operand negates, among those of the tile that this thread converts; its first line and entry
/// are even.
template <class T, class Shape>
__device__ ACCUBLAS_NOINLINE void negate_own_entries(const Operand<T>& x, Buffer<T, Shape>& buffer) {
  const int line = threadIdx.x / 32 * Shape::lines_a_warp, entry = threadIdx.x % 32 * Shape::terms_a_lane;
  for (int i = line; i < line + Shape::lines_a_warp; ++i)
    for (int e = 0; e < Shape::terms_a_lane; ++e) {
      T& own = buffer.tile[Shape::at(i, entry) + e];
      if (x.negates(i, e)) own = -own;
    }
}

/// Tiles with k fastest: blocks that run together then write neighbouring rows. p0, terms: entries of the lines.
template <class T, class Shape, class Numbers, bool Grouped>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks_a_processor)
    convert_sides(const __grid_constant__ ConvertSides<T> given, Index p0, Index terms, Index k_padded) {
  await_predecessor();
  const ConvertSides<T>& sides = arguments_of_block<Grouped>(given);
  const PassPlan plan = *sides.plan;
  if (!plan.active) return;
  // The host launches as many blocks as a plan can need; this one may have fewer. At n = 8192 the columns of a block of
  // rows that is not there took 422 us.
  const auto missing = [](const ConvertSide<T>& side, Index lines) { return side.block * lines >= side.operand.count; };
  if (missing(sides.side[0], plan.block_rows) || missing(sides.side[1], plan.block_cols)) return;
  const Tiles rows = tiles_of<Numbers, Shape>(sides.side[0], plan.block_rows, k_padded);
  const bool shared = sides.side[1].same_lines && shares_residues(plan, sides.side[1].operand.count);
  const Tiles cols = shared ? Tiles{0, 0, 1} : tiles_of<Numbers, Shape>(sides.side[1], plan.block_cols, k_padded);
  // Tile t of all.
  struct Place {
    bool row;
    Index first;
    int line, p;  // first line of the block, first line of the tile in it, first entry of the tile in the chunk
    int bits, limbs;
  };
  const auto place = [&](int t) {
    const bool row = t < rows.count();
    const Tiles& tiles = row ? rows : cols;
    if (!row) t -= rows.count();
    return Place{row,
                 tiles.first,
                 t / tiles.k_tiles * tile_lines,
                 t % tiles.k_tiles * Shape::terms,
                 row ? plan.row_bits : plan.col_bits,
                 Numbers::limbs_of(row ? plan.row_peak : plan.col_peak)};
  };
  const GroupTerms& nonzero = sides.nonzero;
  const bool some_terms = nonzero.matter();
  for_tiles<T, Shape>(
      rows.count() + cols.count(),
      [&](int t) {
        const Place at = place(t);
        return !some_terms || terms_are_read((at.row ? nonzero.rows : nonzero.cols)[(at.first + at.line) / line_group],
                                             p0 + at.p, Shape::terms, at.p);
      },
      [&](int t) {
        const Place at = place(t);
        const Operand<T>& x = sides.side[at.row ? 0 : 1].operand;
        return Tile<T>{x, at.first + at.line, x.count, p0 + at.p, terms - at.p};
      },
      [&](int t, int line) {
        const Place at = place(t);
        const ConvertSide<T>& side = sides.side[at.row ? 0 : 1];
        const Index i = at.first + at.line + line;
        const Index known = side.lines_apart * i;
        const bool wanted = i < side.operand.count && side.lines.norm[known] > 0;
        return line_scale_of(
            wanted, wanted ? line_scale(plan, side.lines, known, at.bits) - int8_limb_bits * (at.limbs - 1) : 0);
      },
      [&](int t, Buffer<T, Shape>& buffer) {
        const Place at = place(t);
        const ConvertSide<T>& side = sides.side[at.row ? 0 : 1];
        if (side.operand.negative != 0) negate_own_entries(side.operand, buffer);
        constexpr int entries = Numbers::entries_a_term;
        const Index line = at.line + threadIdx.x / 32 * Shape::lines_a_warp;
        const int here = static_cast<int>(min(entries * k_padded - at.p, Index{Shape::terms}));
        const Index line_bytes = side.line_bytes > 0 ? side.line_bytes : k_padded;
        std::uint8_t* const out = side.out +
                                  (line / line_group * plan.planes() * line_group + line % line_group) * line_bytes +
                                  (at.p + threadIdx.x % 32 * Shape::terms_a_lane) / entries;
        const auto write = [&]<int Limbs>(std::integral_constant<int, Limbs>) {
          Numbers::template write_residues<Limbs, Shape>(buffer, plan.moduli, side.sign, line_bytes, here, out);
        };
        switch (at.limbs) {
          case 1:
            return write(std::integral_constant<int, 1>());
          case 2:
            return write(std::integral_constant<int, 2>());
          case 3:
            return write(std::integral_constant<int, 3>());
          default:
            return write(std::integral_constant<int, Numbers::most_limbs>());
        }
      });
}

/// entries: of a padded line.
template <class Shape, class T>
Index most_tiles(const ConvertSides<T>& sides, Index entries) {
  Index tiles = 0;
  for (const ConvertSide<T>& side : sides.side)
    if (side.wanted) tiles += padded_lines(side.operand.count) / tile_lines * k_tiles<Shape>(entries);
  return tiles;
}

/// Whether a block may have `bytes` of shared memory.
inline bool has_shared_memory(const DeviceModel& device, std::size_t bytes) {
  int most = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.device), "convert");
  return bytes <= static_cast<std::size_t>(most);
}

template <class T, class Shape, class Numbers>
void launch_convert(const DeviceModel& device, const ConvertSides<T>& sides, Index p0, Index terms, Index k_padded,
                    cudaStream_t stream) {
  const Index tiles = most_tiles<Shape>(sides, Numbers::entries_a_term * k_padded);
  if (tiles == 0) return;
  const auto kernel =
      sides.group.exists() ? convert_sides<T, Shape, Numbers, true> : convert_sides<T, Shape, Numbers, false>;
  allow_shared_memory<T, Shape>(kernel);
  launch(device, "convert", kernel, {grid<Shape>(device, tiles, sides.group), Shape::threads, shared_bytes<T, Shape>},
         stream, sides, p0, terms, k_padded);
}

}  // namespace accublas::cuda::converting
