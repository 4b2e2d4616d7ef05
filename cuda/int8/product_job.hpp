// The launch of a product kernel, as the kernel gets it. For .cu files.
#pragma once

#include "cuda/core/call_group.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/wanted.hpp"
#include "cuda/int8/blocking.hpp"
#include "cuda/int8/product.hpp"
#include "cuda/tuning/tuning.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

/// Blocks meet only where the lines of a plane, taken together, are beyond what L2 keeps: at n = 4096 (32 MiB) meetings
/// gain nothing, at 8192 (128 MiB) 4 %, at 16384 9 %.
ACCUBLAS_HD constexpr bool lockstep_wanted(Index lines, Index k_padded) { return lines * k_padded > Index{96} << 20; }

/// A launch, as the kernel gets it.
template <class Element>
struct ProductJob {
  Element* out;          ///< (plane block.rows + r) block.cols + c
  const PassPlan* plan;  ///< null: one plane, and `block` as it stands
  Block block;
  Index rows, cols;            ///< lines in all,
  Index row_block, col_block;  ///< of which the block has these numbers
  Index k_padded;
  BarrierCounters* lockstep;  ///< null where no plan could want it
  const CallState* state;     ///< where there is no plan
  Wanted wanted;              ///< of all lines, without a plan of the block
  bool same_lines = false;    ///< where there is a plan
  bool conjugates = false;    ///< of these
  KnownZeros zeros{};
  GroupTerms nonzero{};  ///< of the lines that row_block and col_block count
  Index first_term = 0;  ///< of the terms that `zeros` and `nonzero` count
  // The following members are for products by slabs, which have no plan, no known zeros and no lines in common.
  const SlabPlan* slab_plan = nullptr;
  SlabShape shape{};
  const std::uint8_t* balance = nullptr;
  Index bytes_of_row = 0, bytes_of_col = 0;  ///< distance of the lines of a modulus in the residue buffers
  GroupStride group{};
  int parts = 1;  ///< of a group's product: clusters of thread blocks that may compute tiles of it at a time

  /// Returns the size of a buffer, which in a group reaches to the end of the last product's lines.
  std::size_t in_all(std::size_t bytes) const {
    return bytes + static_cast<std::size_t>(group.exists() ? (group.count - 1) * group.bytes : 0);
  }
  /// Returns how many tiles a product has if it has a plan with as many planes as double precision usually needs.
  Index usual_tiles(const TileConfig& config) const {
    return ceil_div(rows, config.cluster_rows()) * ceil_div(cols, config.cols) * (plan ? 16 : 1);
  }
#ifdef __CUDACC__
  /// For arguments_of_block.
  __device__ void move_to_product() {
    group.move(out);
    group.move(plan);
    group.move(state);
    lockstep = nullptr;
  }
  /// Returns the distance of the thread block's product from the first one, in lines of `bytes` bytes.
  __device__ int lines_before(Index bytes) const {
    return group.exists() ? static_cast<int>(group.product() * group.bytes / bytes) : 0;
  }
#endif
};

/// Where the lines there are, whatever the block, could want it.
inline BarrierCounters* lockstep_counters(Index lines, Index k_padded, CallState* state) {
  return lockstep_wanted(lines, k_padded) ? &state->lockstep : nullptr;
}

inline ProductJob<std::int8_t> make_job(const ProductArguments& a) {
  return {.out = a.result,
          .plan = a.plan,
          .block = {},
          .rows = a.m,
          .cols = a.n,
          .row_block = a.row_block,
          .col_block = a.col_block,
          .k_padded = a.k_padded,
          .lockstep = lockstep_counters(a.m + a.n, a.k_padded, a.state),
          .state = nullptr,
          .wanted = a.wanted,
          .same_lines = a.same_lines,
          .conjugates = a.conjugates,
          .zeros = a.zeros,
          .nonzero = a.nonzero,
          .first_term = a.first_term,
          .bytes_of_row = a.line_bytes > 0 ? a.line_bytes : a.k_padded,
          .bytes_of_col = a.line_bytes > 0 ? a.line_bytes : a.k_padded,
          .group = a.group};
}
inline ProductJob<std::int8_t> make_job(const SlabProduct& a) {
  return {.out = a.result,
          .plan = nullptr,
          .block = {a.shape.rows, a.shape.cols},
          .rows = a.m,
          .cols = a.n,
          .row_block = a.row / a.shape.rows,
          .col_block = a.col / a.shape.cols,
          .k_padded = a.shape.terms,
          .lockstep = nullptr,
          .state = a.state,
          .wanted = {},
          .slab_plan = &a.state->slabs,
          .shape = a.shape,
          .balance = a.balance,
          .bytes_of_row = a.shape.bytes_of_row(),
          .bytes_of_col = a.shape.bytes_of_col()};
}
inline ProductJob<std::int32_t> make_job(const SumsArguments& a) {
  return {.out = a.sums,
          .plan = nullptr,
          .block = {a.block_rows, a.block_cols},
          .rows = a.rows_count,
          .cols = a.cols_count,
          .row_block = 0,
          .col_block = 0,
          .k_padded = a.k_padded,
          .lockstep = lockstep_counters(a.rows_count + a.cols_count, a.k_padded, a.state),
          .state = a.state,
          .wanted = a.wanted,
          .nonzero = a.nonzero,
          .first_term = a.first_term,
          .bytes_of_row = a.k_padded,
          .bytes_of_col = a.k_padded,
          .group = a.group};
}

}  // namespace accublas::cuda
