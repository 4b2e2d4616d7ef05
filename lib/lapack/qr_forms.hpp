// The QR factorization of a batch of matrices, and with Q and R as matrices (docs/factorizations.md).
#pragma once

#include "lib/call/orthogonal_batch.hpp"
#include "lib/runtime/context.hpp"

namespace accublas {

/// Runs GEQRF for every matrix of a batch, with the bits of calls one by one in the modes that define bits. An array of
/// pointers is in host memory. `options` may be null. Throws Error: after ACCUBLAS_ERROR_MEMORY the results are as they
/// were, after ACCUBLAS_ERROR_C_UNDEFINED they are not.
template <class E>
void run_geqrf_batch(Context& context, const OrthogonalBatch<E>& batch, const accublas_options* options);

/// Computes A = Q R, m >= n: the columns of Q overwrite A, and R is written with its zeros. Other contract as
/// run_geqrf_batch.
template <class E>
void run_qr_explicit(Context& context, const Orthogonal<E>& a, const Matrix<E>& r, const accublas_options* options);

}  // namespace accublas
