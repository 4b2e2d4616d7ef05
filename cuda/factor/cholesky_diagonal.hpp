// The diagonal blocks of Cholesky's factorization in cr.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/solve/solve_kernels.hpp"

namespace accublas::cuda {

/// Of a diagonal block.
template <class E>
inline constexpr Index cholesky_edge = solve_block_unknowns<E>(false);

/// The first `count` right-hand sides of the job, count <= cholesky_edge<E>, are columns of X from row `first` on, in
/// whose place X^H X = A leaves X (docs/factorizations.md, "POTRF"): what the job solves but for the diagonal, which
/// this finds. At the first column without a pivot *job.stop becomes its number, counted from 1; where it is one
/// already, nothing happens.
template <class E>
void factor_diagonal(const DeviceModel&, const SolveJob<E>& job, Index first, Index count, cudaStream_t);

}  // namespace accublas::cuda
