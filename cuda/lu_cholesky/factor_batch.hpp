// Batches of factorizations, and of solutions by them, on a device.
#pragma once

#include "cuda/lu_cholesky/factorization_call.hpp"
#include "lib/call/factorization_batch.hpp"

namespace accublas::cuda {

/// Serves a batch. Kernels factor matrices of up to 512 rows and columns in device memory
/// (cuda/lu_cholesky/small_factors.hpp, cuda/lu_cholesky/blocked_factors.hpp). Larger ones are calls one by one. In the
/// modes that define bits the results are those of single calls. Throws Error(ACCUBLAS_ERROR_MEMORY) before anything is
/// written, ACCUBLAS_ERROR_C_UNDEFINED after that.
template <class E>
void factorization_batch(State&, const Call<FactorizationBatch<E>, E>&, Execution&, const GradeProducts<E>&);

}  // namespace accublas::cuda
