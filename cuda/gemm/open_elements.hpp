// Which elements of C are still open, and what a call must leave alone: asked by the plan and by the kernels that
// finish elements. Device code.
#pragma once

#include "cuda/gemm/kernels.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

/// So many open elements, or fewer, are computed by exact accumulators: at k = 4096 one takes 20 ns where it is one of
/// many (46 where a line is strided), and a pass with 28 moduli 0.18 ns an element of C. 4096 are a single wave of
/// warps.
ACCUBLAS_HD constexpr unsigned long long few_elements(Index m, Index n) {
  const Index part = m * n / 250;
  return static_cast<unsigned long long>(part > 4096 ? part : 4096);
}

/// The same where cuBLAS can serve instead, and they should cost an eighth of its time at most: where they are that
/// few, one takes 45 ns at k = 4096.
ACCUBLAS_HD constexpr unsigned long long few_beside_native(Index m, Index n) {
  const Index part = m * n / 3000;
  return static_cast<unsigned long long>(part > 2048 ? part : 2048);
}

#ifdef __CUDACC__

/// Counter of the elements of finite lines that are open before pass `index`: that of the last pass that ran, or the
/// certificate's.
__device__ inline unsigned long long& open_before(CallState& state, int index) {
  for (int i = index - 1; i >= 0; --i)
    if (state.pass[i].active) return state.open[i];
  return state.rejected;
}

/// The call's products are not wanted: its target is missed, or alpha (in device memory) is zero.
template <class T>
__device__ bool leaves_c(const CallState& state, const Scalar<T>& alpha) {
  return state.refused || (alpha.pointer && is_zero(*alpha.pointer));
}

/// Whether a first look says that so many elements are rejected that cuBLAS is faster. With what it guesses of the
/// entries that it does not read, it sees twice what the certificate rejects of data of an even spread (phi).
__device__ inline bool looks_wide(const FirstLook& look) { return look.rejected() > look.seen() / 500; }

/// The certificate has spoken: whether finishing the call by the plan takes longer than cuBLAS does. Where few elements
/// are open, the exact accumulators follow on the only pass.
__device__ inline bool native_is_faster(const CallState& state, const PassPlan& plan, const NativeOffer& offer, Index m,
                                        Index n) {
  const unsigned long long special = static_cast<unsigned long long>(state.rows.special * n + state.cols.special * m);
  return plan.moduli > offer.most_moduli || state.rejected + special > few_beside_native(m, n);
}

/// From here on no kernel of the call computes anything, until cuBLAS does.
__device__ inline void leave_to_native(CallState& state, double bound) {
  state.prefers_native = state.refused = 1;
  state.bound_componentwise = bound;
}

template <class T>
__device__ T* element(const Matrix<T>& c, Index row, Index col) {
  return c.data + row * c.row_stride + col * c.col_stride;
}

#endif

}  // namespace accublas::cuda
