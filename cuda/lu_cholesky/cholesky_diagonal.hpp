// Factors the diagonal blocks of Cholesky's factorization in cr.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/trsm/solve_kernels.hpp"

namespace accublas::cuda {

/// The largest order of a diagonal block.
template <class E>
inline constexpr Index cholesky_edge = solve_block_unknowns<E>(false);

/// Factors a diagonal block in place: X^H X = A leaves X (docs/factorizations.md, "POTRF"). The first `count`
/// right-hand sides of the job, count <= cholesky_edge<E>, are the columns of X from row `first` on. The job solves all
/// of it except the diagonal, which this function finds. At the first column without a pivot *job.stop becomes its
/// number, counted from 1. If *job.stop is set already, nothing happens.
template <class E>
void factor_diagonal(const DeviceModel&, const SolveJob<E>& job, Index first, Index count, cudaStream_t);

}  // namespace accublas::cuda
