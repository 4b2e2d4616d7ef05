// Products of mode cr whose C has few rows or columns, by a GEMV for each of them. A GEMV reads the large operand once.
// Residues would write it and read it for every modulus.
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/backend.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// Returns whether narrow_gemm can compute a call and takes less than `other_time` microseconds. The call must have
/// mode cr, real entries that are not parts of complex numbers, and all elements of C.
template <class T>
bool narrow_gemm_serves(const Call<Gemm<T>, T>& call, double other_time);

/// Computes C by a GEMV for each row or each column, whichever are fewer. The values are those of every engine, since
/// cr defines them. The report names engine `sums`.
template <class T>
void narrow_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
