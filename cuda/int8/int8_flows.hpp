// The ways of a call of engine int8, a file each. Each function puts the whole call on the stream, in `memory` of
// plan.bytes, and throws Error where a launch fails.
#pragma once

#include "cuda/int8/int8_call.hpp"
#include "cuda/sums/pair_sums.hpp"

namespace accublas::cuda {

/// fixed:T: one pass with T bits on both sides.
template <class T>
void run_fixed(Int8Call<T>& call, std::byte* memory);

/// cr: passes with more and more moduli over what the pass before left undecided, then exact accumulators.
template <class T>
void run_cr(Int8Call<T>& call, std::byte* memory);

/// Plans and launches one pass of cr (plan_cr). Slabs may take the place of pass 0.
template <class T>
void run_cr_pass(Int8Call<T>& call, int index);

/// dp and sp: the certificate, a pass for what it accepts, passes of cr for what it rejects. If it rejects too much of
/// a call with defined bits, the passes are those of run_cr. With an offer the call is cuBLAS's where the device finds
/// that the data are for it.
template <class T>
void run_grade(Int8Call<T>& call, std::byte* memory);

/// sums += A B, as an interval pass.
template <class T>
void run_sums(Int8Call<T>& call, const PairSums& sums, std::byte* memory);

}  // namespace accublas::cuda
