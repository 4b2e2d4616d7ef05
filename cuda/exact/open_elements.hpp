// Keeps track of the pending elements of C, and of calls that must leave C alone. The plan and the kernels that finish
// elements use it. Device code.
#pragma once

#include "cuda/core/call_state.hpp"
#include "cuda/core/operand.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

/// Bit (col % 32) of word [row words_per_row + col / 32] is set if element (row, col) is not final.
struct OpenBits {
  ACCUBLAS_HD static constexpr Index words_per_row(Index n) { return ceil_div(n, 32); }
};

#ifdef __CUDACC__

/// Returns the counter of the elements of finite lines that are pending before pass `index`: that of the last pass that
/// ran, or the certificate's.
__device__ inline unsigned long long& open_before(CallState& state, int index) {
  for (int i = index - 1; i >= 0; --i)
    if (state.pass[i].active) return state.open[i];
  return state.rejected;
}

/// Counts elements that the certificate rejects, of a call of so many elements (certified_elements).
__device__ inline void count_rejected(CallState& state, unsigned count, Index elements) {
  if (count == 0) return;
  atomicAdd(&state.rejected, static_cast<unsigned long long>(count));
  const unsigned long long before = atomicAdd(&state.rejected_in_all, static_cast<unsigned long long>(count));
  if (certificate_fails(static_cast<Index>(before + count), elements)) state.all_by_cr = 1;
}

/// Returns whether the call's products are not wanted: its target is missed, or alpha (in device memory) is zero.
template <class T>
__device__ bool leaves_c(const CallState& state, const Scalar<T>& alpha) {
  return state.refused || (alpha.pointer && is_zero(*alpha.pointer));
}

template <class T>
__device__ T* element(const Matrix<T>& c, Index row, Index col) {
  return c.data + row * c.row_stride + col * c.col_stride;
}

#endif

}  // namespace accublas::cuda
