// Rows of Cholesky's factorization in binary64 arithmetic: the block on the diagonal, and the elements to its right.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/core/device_model.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

inline constexpr Index cholesky_rows_at_once = 512, cholesky_tile = 64;

/// Counters by which the thread blocks of cholesky_rows synchronize; zero before the first launch.
struct RowsProgress {
  std::uint32_t taken;                                        ///< columns of tiles that blocks have taken
  std::uint32_t made[cholesky_rows_at_once / cholesky_tile];  ///< number of finished tiles in such a column
};

/// Computes rows first .. first + count - 1 of X in X^H X = A in place, in columns first .. end - 1. The contributions
/// of the rows above must be subtracted already. count is at most cholesky_rows_at_once, and either end - first or a
/// multiple of cholesky_tile. Each element subtracts x_kj x_ki one after the other in FMAs, then takes the root or the
/// quotient, within half an ulp and 2^-50 of one. At the first column whose pivot is not positive, or NaN, *info
/// becomes its number, counted from 1, unless it is set already. In that case the cholesky_tile rows that the column
/// belongs to are written before it, and the rows from there on are undefined. `steps` counts the steps of earlier
/// launches; it is zero at first.
void cholesky_rows(const DeviceModel&, const Matrix<double>& x, Index first, Index count, Index end, RowsProgress*,
                   std::uint32_t& steps, long long* info, cudaStream_t);

}  // namespace accublas::cuda
