// Residuals of factorizations and solutions in device memory, on samples. Matrices have order n, or n columns and fewer
// rows, and are column-major with leading dimension n. `f` holds the factors as LAPACK stores them. NaN in a residual
// gives HUGE_VAL.
#pragma once

#include <vector>

#include "perf/gpu/data.hpp"

namespace gpu_bench {

/// Copies `count` numbers, `stride` apart, to the host.
std::vector<double> line(const double* from, Index stride, Index count);

/// The largest residual of sampled elements of the first `rows` rows in units of u (abs(L) abs(U)), of Cholesky
/// u (abs(L) abs(L^T)).
double sampled_residual(bool lu, Index rows, Index n, const double* a, const double* f,
                        const std::int64_t* device_pivots);

/// The largest residual of sampled columns, in units of u times the column's norm: Q applied to R, as the reflectors
/// tell it.
double residual_of_columns(Index n, const double* a, const double* f, const double* device_tau);

/// The largest residual of sampled rows of A x = b, in units of u (abs(A) abs(x)).
double residual_of_rows(Index n, const double* a, const double* device_b, const double* device_x);

}  // namespace gpu_bench
