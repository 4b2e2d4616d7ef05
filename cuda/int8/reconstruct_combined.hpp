// From residues to results where alpha or beta combines both parts of a number (cuda/exact/combined_parts.hpp): a lane
// reconstructs a part of S, and rounds a component of alpha S + beta c from its own part and its neighbour's. `Numbers`
// as in tile_state.hpp. For .cu files.
#pragma once

#include "cuda/core/launch.hpp"
#include "cuda/exact/combine_parts.hpp"
#include "cuda/exact/finish_element.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/reconstruct.hpp"
#include "lib/numerics/crt.hpp"

namespace accublas::cuda::reconstructing {

inline constexpr int combining_threads = 256, combining_blocks = 4;

template <class Numbers>
__device__ Wide<crt_limbs> whole_sum(int moduli, int part, const std::int8_t* residues, Index plane) {
  const CrtTable& crt = Numbers::crt(moduli, part);
  const int limbs = Numbers::limbs_of(moduli);
  if (limbs == 2) return wide_cast<crt_limbs>(crt_reconstruct<2>(crt, residues, plane));
  if (limbs == 3) return wide_cast<crt_limbs>(crt_reconstruct<3>(crt, residues, plane));
  return crt_reconstruct<crt_limbs>(crt, residues, plane);
}

/// A warp takes 32 neighbouring columns of a row, a word of the bitmap.
template <class T, class Numbers>
__global__ void __launch_bounds__(combining_threads) combine_block(const __grid_constant__ ReconstructArguments<T> a,
                                                                   const __grid_constant__ CombinedParts<T> combined) {
  await_predecessor();
  const PassPlan plan = a.state->pass[a.index];
  if (!plan.active) return;
  constexpr int parts = Numbers::parts;
  const Index first_row = a.row_block * plan.block_rows, first_col = parts * a.col_block * plan.block_cols;
  if (first_row >= a.rows.count || first_col >= a.cols.count) return;
  const Index rows = min(plan.block_rows, a.rows.count - first_row),
              cols = min(parts * plan.block_cols, a.cols.count - first_col), plane = plan.block_rows * plan.block_cols;
  const int lane = static_cast<int>(threadIdx.x % 32), part = lane % 2;
  const CombineFactors<T> factors(combined, part == 1);
  if (factors.leaves_c) return;
  const Index across = ceil_div(cols, Index{32}), words_per_row = OpenBits::words_per_row(a.cols.count);
  constexpr int warps_a_block = combining_threads / 32;
  for (Index at = Index{blockIdx.x} * warps_a_block + threadIdx.x / 32; at < rows * across;
       at += Index{gridDim.x} * warps_a_block) {
    const Index row_in_block = at / across, col_in_block = at % across * 32 + lane;
    const Index row = first_row + row_in_block, col = first_col + col_in_block;
    if (!a.wanted.any(row, 1, col - lane, 32)) continue;
    std::uint32_t* const word = a.open + row * words_per_row + col / 32;
    const bool inside = col_in_block < cols && (a.wanted.mask(row, col - lane) >> lane & 1) != 0;
    const bool was_open = plan.elements != Elements::all && inside && (*word >> lane & 1) != 0;
    const bool special = col_in_block < cols && (a.rows.special[row] != 0 || a.cols.special[col] != 0);
    const bool wanted = inside && !special && of_pass(plan.elements, was_open);
    bool done = false;
    if (__any_sync(0xFFFFFFFFu, wanted)) {
      // Lines of a number's two parts have the same entries.
      const Index line = min(col, a.cols.count - 1), own_col = parts == 2 ? line & ~Index{1} : line;
      const FinishLine of_row = finish_line(plan, a.rows, row, true),
                       of_col = finish_line(plan, a.cols, own_col, false);
      Wide<crt_limbs> sum{};
      double error = 0;
      if (col_in_block < cols && !special) {
        sum = whole_sum<Numbers>(plan.moduli, parts == 2 ? part : 0,
                                 a.result + row_in_block * plan.block_cols + col_in_block / parts, plane);
        if (plan.interval) error = element_error(of_row.error, of_col.error);
      }
      const int exponent = -(of_row.scale + of_col.scale);
      const LeadingSum own = leading_sum(sum, error, exponent);
      const LeadingSum other{__shfl_xor_sync(0xFFFFFFFFu, own.head, 1), __shfl_xor_sync(0xFFFFFFFFu, own.tail, 1),
                             __shfl_xor_sync(0xFFFFFFFFu, own.error, 1)};
      const double other_error = __shfl_xor_sync(0xFFFFFFFFu, error, 1);
      T* const to = element(a.at, row, col);
      const CombineAddend<T> c(combined, factors, col_in_block < cols, row, col, to);
      T out{};
      const bool tried = wanted && !(plan.interval && a.all_undecided);
      done = tried && combine_leading(factors, own, other, c, &out);
      // In a pass of intervals units may lie below the range of a ComponentSum.
      const bool whole = tried && !done && error == 0 && other_error == 0 && (!plan.interval || exponent >= -2500);
      if (__any_sync(0xFFFFFFFFu, whole)) {
        Wide<crt_limbs> other_sum;
        for (int i = 0; i < crt_limbs; ++i) other_sum.limb[i] = __shfl_xor_sync(0xFFFFFFFFu, sum.limb[i], 1);
        const int other_exponent = __shfl_xor_sync(0xFFFFFFFFu, exponent, 1);
        if (whole) {
          out = combine_exactly(factors, c, [&](ComponentSum<T>& total, int which, T factor) {
            which == 0 ? total.add(factor, sum, exponent) : total.add(factor, other_sum, other_exponent);
          });
          done = true;
        }
      }
      if (done) *to = out;
    }
    const bool open = ((inside && special) || was_open || wanted) && !done;
    write_open_word(word, col_in_block < cols, open, special, &a.state->open[a.index]);
  }
}

template <class Numbers, class T>
void launch_combined(const DeviceModel& model, const ReconstructArguments<T>& a, const CombinedParts<T>& combined,
                     cudaStream_t stream) {
  launch(model, "combining parts", combine_block<T, Numbers>,
         {static_cast<unsigned>(combining_blocks * model.processors), combining_threads}, stream, a, combined);
}

}  // namespace accublas::cuda::reconstructing
