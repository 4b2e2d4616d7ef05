#include "lib/cpu/int8/int8_blocking.hpp"

#include <algorithm>

#include "lib/base/integers.hpp"
#include "lib/cpu/int8/int8_operand.hpp"
#include "lib/cpu/kernels/int8_kernels.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/crt.hpp"

namespace accublas {

namespace {

/// The terms of the longest chunk, whose sums fit in INT32, and of the next shorter one.
constexpr Index longest_chunk(Index k) { return std::min(round_up(k, cpu::int8_k_step), cpu::int8_most_terms); }
constexpr Index shorter_chunk(Index chunk) {
  return std::max<Index>(chunk / 2 / cpu::int8_k_step * cpu::int8_k_step, cpu::int8_k_step);
}

}  // namespace

int int8_limbs(int t) {
  if (t <= 53) return 1;
  for (int limbs = 2;; ++limbs)
    if (t <= int8_limb_bits * (limbs - 1) + 45) return limbs;
}

std::string Int8Blocking::describe() const {
  return std::to_string(planes) + " planes, tile " + std::to_string(tile_rows) + " x " + std::to_string(tile_cols) +
         ", block " + std::to_string(block_rows) + " x " + std::to_string(block_cols) + ", " + std::to_string(chunks) +
         " x " + std::to_string(chunk) + " terms, " + std::to_string(row_bytes + col_bytes + result_bytes) + " bytes";
}

void int8_tile(const cpu::Int8Tuning& tuning, Index m, Index n, int& threads, std::size_t available, Index& tile_rows,
               Index& tile_cols) {
  tile_rows = tuning.tile_rows;
  tile_cols = tuning.tile_cols;
  auto tiles = [&] { return ceil_div(m, tile_rows) * ceil_div(n, tile_cols); };
  while (tiles() < tuning.tiles_a_thread * threads &&
         (tile_rows > tuning.least_tile_rows || tile_cols > tuning.least_tile_cols) && threads > 1) {
    if (tile_cols > tuning.least_tile_cols) {
      tile_cols /= 2;
    } else {
      tile_rows /= 2;
    }
  }
  constexpr std::size_t pack = cpu::Int8Pack::count * sizeof(double);
  auto memory = [&] {
    return (static_cast<std::size_t>((tile_rows + 32) * tile_cols) * 64 + pack) * static_cast<std::size_t>(threads);
  };
  while (tile_cols > 32 && memory() > available / 2) tile_cols /= 2;
  while (threads > 1 && memory() > available / 2) --threads;
  while (tile_rows > 12 && memory() > available / 2) tile_rows /= 2;
  tile_rows = std::min(tile_rows, round_up(m, 12));
  tile_cols = std::min(tile_cols, round_up(n, cpu::int8_panel));
}

Int8Blocking int8_blocking(Index m, Index n, Index k, int planes, Index tile_rows, Index tile_cols,
                           std::size_t result_size, int threads, std::size_t available) {
  const Index all_rows = round_up(m, tile_rows), all_cols = round_up(n, tile_cols);
  auto make = [&](Index rows, Index cols, Index chunk) {
    Int8Blocking b{};
    b.tile_rows = tile_rows;
    b.tile_cols = tile_cols;
    b.block_rows = std::min(rows, all_rows);
    b.block_cols = std::min(cols, all_cols);
    b.chunk = chunk;
    b.chunks = ceil_div(k, chunk);
    b.row_stride = int8_row_stride(chunk);
    b.planes = planes;
    b.row_bytes = static_cast<std::size_t>(b.row_plane() * planes);
    b.col_bytes = static_cast<std::size_t>(b.col_plane() * planes);
    const Index tiles = b.chunks > 1 ? (b.block_rows / tile_rows) * (b.block_cols / tile_cols) : threads;
    b.result_bytes = static_cast<std::size_t>(b.tile_plane() * planes * tiles) * result_size;
    return b;
  };
  auto fits = [&](const Int8Blocking& b) { return b.row_bytes + b.col_bytes + b.result_bytes <= available; };
  // Long chunks first, then large blocks: a block of less than 4 tiles a side converts its operands too often.
  const Index chunk = longest_chunk(k);
  for (Index tiles_wanted : {Index{4}, Index{1}}) {
    for (Index c = chunk;; c = shorter_chunk(c)) {
      const Int8Blocking whole = make(all_rows, all_cols, c);
      if (fits(whole)) return whole;
      Int8Blocking best = make(tile_rows * tiles_wanted, tile_cols * tiles_wanted, c);
      if (fits(best)) {
        for (;;) {
          const bool grow_rows =
              best.block_rows < all_rows && (best.block_rows <= best.block_cols || best.block_cols >= all_cols);
          const Int8Blocking next = grow_rows ? make(best.block_rows + tile_rows, best.block_cols, c)
                                              : make(best.block_rows, best.block_cols + tile_cols, c);
          if (!fits(next) || (next.block_rows == best.block_rows && next.block_cols == best.block_cols)) return best;
          best = next;
        }
      }
      if (c <= (tiles_wanted > 1 ? cpu::tuning().int8.least_chunk : 64)) break;
    }
  }
  return make(tile_rows, tile_cols, 64);
}

}  // namespace accublas
