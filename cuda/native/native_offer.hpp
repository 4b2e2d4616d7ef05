// Decides when a call of dp or sp that has begun as an emulation is left to cuBLAS, its fallback candidate
// (cuda/native/native_behind.hpp).
#pragma once

#include "cuda/core/call_state.hpp"

namespace accublas::cuda {

/// The fallback candidate of a call. dp and sp may use whichever of emulation and cuBLAS is faster: the emulation hands
/// the call to cuBLAS (native_behind.hpp) if the data make emulation slower. Null: no candidate.
struct NativeOffer {
  int most_moduli;  ///< moduli of the call's residues; with more of them the emulation is slower
  double bound;     ///< componentwise bound of cuBLAS's answer
};

/// Returns how many elements may be pending if cuBLAS is the alternative. They should cost at most an eighth of
/// cuBLAS's time; at such numbers one takes 45 ns at k = 4096.
ACCUBLAS_HD constexpr unsigned long long few_pending_for_native(Index m, Index n) {
  const Index part = m * n / 3000;
  return static_cast<unsigned long long>(part > 2048 ? part : 2048);
}

#ifdef __CUDACC__

/// Returns whether a first look found so many rejected elements that cuBLAS is faster. It also guesses the entries that
/// it does not read, and so counts twice what the certificate rejects on data of an even spread (phi).
__device__ inline bool looks_wide(const FirstLook& look) { return look.rejected() > look.seen() / 500; }

/// Returns whether, after the certificate, finishing the call by the plan takes longer than cuBLAS does. If few
/// elements are pending, the exact accumulators follow on the only pass.
__device__ inline bool native_is_faster(const CallState& state, const PassPlan& plan, const NativeOffer& offer, Index m,
                                        Index n) {
  const unsigned long long special = static_cast<unsigned long long>(state.rows.special * n + state.cols.special * m);
  return plan.moduli > offer.most_moduli || state.rejected + special > few_pending_for_native(m, n);
}

/// Leaves the call to cuBLAS: no later kernel of the call computes anything.
__device__ inline void leave_to_native(CallState& state, double bound) {
  state.prefers_native = state.refused = 1;
  state.bound_componentwise = bound;
}

#endif

}  // namespace accublas::cuda
