// One pass over C: residues of the operands, their products, results; block by block, as the device plans them.
#pragma once

#include "cuda/int8/int8_call.hpp"
#include "cuda/sums/pair_sums.hpp"

namespace accublas::cuda {

/// Launches pass `index`, which state->pass[index] of the device describes by then. Kernels whose block is not part of
/// the device's plan return at once. `sums`: null, or what the products are added to in place of C.
template <class T>
void run_pass(Int8Call<T>& call, int index, const PairSums* sums = nullptr);

}  // namespace accublas::cuda
