// When a call of dp or sp that has begun as an emulation is left to cuBLAS, which waits behind it
// (cuda/native/native_behind.hpp).
#pragma once

#include "cuda/core/call_state.hpp"

namespace accublas::cuda {

/// dp and sp may take whichever is faster: cuBLAS waits behind the emulation (native_behind.hpp), which hands
/// the call over where the data make it slower. No offer: null.
struct NativeOffer {
  int most_moduli;  ///< of the call's residues: with more the emulation is slower
  double bound;     ///< componentwise, of cuBLAS's answer
};

/// The same where cuBLAS can serve instead, and they should cost an eighth of its time at most: where they are that
/// few, one takes 45 ns at k = 4096.
ACCUBLAS_HD constexpr unsigned long long few_beside_native(Index m, Index n) {
  const Index part = m * n / 3000;
  return static_cast<unsigned long long>(part > 2048 ? part : 2048);
}

#ifdef __CUDACC__

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

#endif

}  // namespace accublas::cuda
