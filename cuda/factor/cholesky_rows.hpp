// Rows of Cholesky's factorization in binary64's own arithmetic: the block on the diagonal, and what is to its right.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/core/device_model.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

inline constexpr Index cholesky_rows_at_once = 512, cholesky_tile = 64;

/// What thread blocks of cholesky_rows tell each other; zero before the first launch.
struct RowsProgress {
  std::uint32_t taken;                                        ///< columns of tiles
  std::uint32_t made[cholesky_rows_at_once / cholesky_tile];  ///< tiles of such a column
};

/// Rows first .. first + count - 1 of X in X^H X = A in the place of A's, count <= cholesky_rows_at_once, in columns
/// first .. end - 1; what is above them is subtracted already. count is end - first, or else a multiple of
/// cholesky_tile. Of each element x_kj x_ki one after the other in FMAs, then the root or the quotient, within half an
/// ulp and 2^-50 of one. At the first column whose pivot is not positive, or NaN, *info becomes its number, counted
/// from 1, unless it is one already; the cholesky_tile rows that it belongs to are written before it, and those from
/// there on not defined. `steps`: of the launches before, zero at first.
void cholesky_rows(const DeviceModel&, const Matrix<double>& x, Index first, Index count, Index end, RowsProgress*,
                   std::uint32_t& steps, long long* info, cudaStream_t);

}  // namespace accublas::cuda
