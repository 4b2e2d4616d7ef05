// The last step of every engine that sums integers: an element's exact sum is rounded, or the element stays pending.
// Device code.
#pragma once

#include "cuda/core/call_state.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/scaling/scaling.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// The data of a line that the last step needs.
struct FinishLine {
  int scale;        ///< a' = a 2^scale
  LineError error;  ///< interval passes only
  bool special;
};

__device__ inline FinishLine finish_line(const PassPlan& plan, const Lines& lines, Index i, bool row) {
  const int scale = line_scale(plan, lines, i, row ? plan.row_bits : plan.col_bits);
  FinishLine line{scale, {0, 0}, lines.special[i] != 0};
  if (plan.interval) line.error = line_error(lines, i, scale, row);
  return line;
}

/// Returns whether a pass computes an element of finite lines that is pending (`open`) or not before it.
__device__ inline bool of_pass(Elements elements, bool open) {
  return elements == Elements::all || (elements == Elements::open) == open;
}

/// Writes RN(alpha S + beta C) to *at for S = sum 2^-(row scale + column scale), always in a fixed pass, and in an
/// interval pass if the interval decides. Returns true if it was written.
template <class T, int L>
__device__ bool finish_element(const Wide<L>& sum, const FinishLine& row, const FinishLine& col, bool interval,
                               bool all_undecided, T alpha, T beta, T* at) {
  if (interval && all_undecided) return false;
  const double error = interval ? element_error(row.error, col.error) : 0.0;
  T out;
  if (!finish_within(alpha, sum, error, -(row.scale + col.scale), beta, read_addend(beta, at), &out)) return false;
  *at = out;
  return true;
}

/// Writes the word of the bitmap `open` after the pass, for one warp's 32 elements of a row, with columns from a
/// multiple of 32. Adds the number of elements that stay pending to *count. All lanes must call; `inside`: the element
/// exists.
__device__ inline void write_open_word(std::uint32_t* word, bool inside, bool open, bool special,
                                       unsigned long long* count) {
  const unsigned bits = __ballot_sync(0xFFFFFFFFu, inside && open);
  const unsigned finite = __ballot_sync(0xFFFFFFFFu, inside && open && !special);
  if ((threadIdx.x & 31) == 0) {
    *word = bits;
    if (finite != 0) atomicAdd(count, static_cast<unsigned long long>(__popc(finite)));
  }
}

#endif

}  // namespace accublas::cuda
