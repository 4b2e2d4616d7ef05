// The diagonal blocks of Cholesky's factorization in floating-point arithmetic as it is (in cr:
// cuda/factor/cholesky_diagonal.hpp).
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

inline constexpr Index plain_cholesky_edge = 64;  ///< of a diagonal block

/// X^H X = A in the place of A's upper triangle, of rows and columns first .. first + count - 1 of x, count <=
/// plain_cholesky_edge: of each element x_kj^H x_ki one after the other in FMAs, then the root or the quotient.
/// Imaginary parts of the diagonal are not read. At the first column whose pivot is not positive, or NaN, *info becomes
/// its number, counted from 1, and rows before it are written; where it is one already, nothing happens.
template <class E>
void factor_diagonal(const DeviceModel&, const Matrix<E>& x, Index first, Index count, long long* info, cudaStream_t);

}  // namespace accublas::cuda
