// The loop over blocks, chunks of k and tiles that the certificate, the passes and accumulators share, and the products
// of a tile.
#pragma once

#include "lib/base/integers.hpp"
#include "lib/cpu/int8/int8_call.hpp"

namespace accublas::cpu {

/// Converts the lines of every block that has wanted tiles and calls body(Int8TileTask) for these, chunk by chunk, in
/// parallel. `call` is an Int8Call, or has its members that this function uses; its operands have an int8_convert.
template <class Call, class Body>
void int8_for_each_tile(const Call& call, const Int8Blocking& b, const Int8Bytes& row_bytes, const Int8Bytes& col_bytes,
                        Index terms, Body&& body) {
  const Index m = call.rows.operand.count, n = call.cols.operand.count;
  std::uint8_t* const results = call.arena + b.row_bytes + b.col_bytes;
  const std::size_t result_size =
      b.result_bytes / static_cast<std::size_t>(
                           b.chunks > 1 ? (b.block_rows / b.tile_rows) * (b.block_cols / b.tile_cols) : call.threads);
  for (Index row = 0; row < m; row += b.block_rows) {
    const Index row_count = m - row < b.block_rows ? m - row : b.block_rows;
    bool rows_converted = false;
    for (Index col = 0; col < n; col += b.block_cols) {
      const Index col_count = n - col < b.block_cols ? n - col : b.block_cols;
      const Index down = ceil_div(row_count, b.tile_rows), across = ceil_div(col_count, b.tile_cols);
      auto tile_of = [&](Index t) {
        return (row / b.tile_rows + t / across) * call.tiling.across + col / b.tile_cols + t % across;
      };
      bool any = false;
      for (Index t = 0; t < down * across && !any; ++t) any = call.wanted[tile_of(t)] != 0;
      if (!any) continue;
      for (Index chunk = 0; chunk < b.chunks; ++chunk) {
        const Index p = chunk * b.chunk, count = terms - p < b.chunk ? terms - p : b.chunk;
        const Index padded = round_up(count, int8_k_step);
        {
          PhaseTimer timer(call.execution, &accublas_report_t::ms_convert);
          if (!rows_converted || b.chunks > 1)
            int8_convert(call.rows.operand, call.rows.lines, row_bytes, row, row_count, p, count, call.kernels.convert,
                         call.packs, call.threads);
          rows_converted = true;
          int8_convert(call.cols.operand, call.cols.lines, col_bytes, col, col_count, p, count, call.kernels.convert,
                       call.packs, call.threads);
        }
        parallel_for(down * across, call.threads, [&](Index t, int thread) {
          if (!call.wanted[tile_of(t)]) return;
          const Index r = t / across * b.tile_rows, c = t % across * b.tile_cols;
          Int8TileTask task{};
          task.row = row + r;
          task.col = col + c;
          task.rows = row_count - r < b.tile_rows ? row_count - r : b.tile_rows;
          task.cols = col_count - c < b.tile_cols ? col_count - c : b.tile_cols;
          task.tile = tile_of(t);
          task.product.rows_data = row_bytes.out + r * b.row_stride;
          task.product.row_stride = b.row_stride;
          task.product.columns_data = reinterpret_cast<const std::int8_t*>(col_bytes.out) + c * padded;
          task.product.panel_stride = int8_panel * padded;
          task.product.rows = task.rows;
          task.product.cols = task.cols;
          task.product.k = padded;
          task.product.next_rows = task.product.rows_data;
          task.product.next_columns = task.product.columns_data;
          task.first_chunk = chunk == 0;
          task.last_chunk = chunk + 1 == b.chunks;
          task.result = results + result_size * static_cast<std::size_t>(b.chunks > 1 ? t : thread);
          task.thread = thread;
          body(task);
        });
      }
    }
  }
}

/// Computes the residues of a tile, modulus by modulus, or adds to those of earlier chunks.
inline void int8_multiply_tile(const Int8ProductKernels& kernels, const Int8TileTask& task, int moduli,
                               const Int8Bytes& row_bytes, const Int8Bytes& col_bytes, Index tile_plane,
                               Index tile_cols) {
  std::int8_t* to = reinterpret_cast<std::int8_t*>(task.result);
  Int8Product product = task.product;
  for (int l = 0; l < moduli; ++l) {
    if (l + 1 < moduli) {
      product.next_rows += row_bytes.plane_stride;
      product.next_columns += col_bytes.plane_stride;
    }
    kernels.residues(product, int8_moduli[l], !task.first_chunk, to, tile_cols);
    product.rows_data = product.next_rows;
    product.columns_data = product.next_columns;
    to += tile_plane;
  }
}

}  // namespace accublas::cpu
