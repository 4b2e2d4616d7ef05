// The diagonal blocks of Cholesky's factorization in plain floating-point arithmetic (in cr:
// cuda/lu_cholesky/cholesky_diagonal.hpp).
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

inline constexpr Index plain_cholesky_edge = 64;  ///< largest order of a diagonal block

/// Computes X^H X = A over A's upper triangle, for rows and columns first .. first + count - 1 of x, count <=
/// plain_cholesky_edge. Each element subtracts x_kj^H x_ki one after the other in FMAs, then takes the root or the
/// quotient. Imaginary parts of the diagonal are not read. At the first column whose pivot is not positive, or NaN,
/// *info becomes its number, counted from 1, and the rows before it are written. If *info is set already, nothing
/// happens.
template <class E>
void factor_diagonal(const DeviceModel&, const Matrix<E>& x, Index first, Index count, long long* info, cudaStream_t);

}  // namespace accublas::cuda
