// Code that the two files that plan products by slabs share: plan_slabs.cu chooses slabs, and sample_slabs.cu the
// moduli.
#pragma once

#include "cuda/core/arithmetic.hpp"
#include "cuda/int8/slabs.hpp"
#include "lib/numerics/slab_bound.hpp"

namespace accublas::cuda {

inline constexpr int slab_threads = 256, slab_warps = slab_threads / 32;

/// Computes samples of the elements slab by slab, finds from them the number of moduli, and decides whether slabs take
/// the place of a pass.
template <class T>
void sample_slabs(const DeviceModel&, const SlabJob<T>&, cudaStream_t);

#ifdef __CUDACC__

/// Returns whether the kernels have to plan slabs.
__device__ inline bool plans_slabs(const CallState& state) { return state.slabs.considered != 0 && state.refused == 0; }

struct EntryExponents {
  int top, low;
};
/// Returns the exponents `top` and `low` of an entry (SlabArrays). A zero has values that change neither the largest
/// top nor the smallest low of several entries.
__device__ inline EntryExponents exponents_of(double x) {
  const int field = static_cast<int>(high_word(x) >> 20 & 0x7FF);
  if (is_zero(x)) return {no_term, -no_term};
  return {field == 0 ? -1022 : field - 1022, field == 0 ? -1074 : field - 1023};
}

#endif

}  // namespace accublas::cuda
