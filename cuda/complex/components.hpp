// Writes complex operands as real ones (docs/modes.md, "Complex types"): both components of a result are inner products
// of 2k real terms.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/operand.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cuda {

/// The rows of 2k terms that are written for a row of A: those of both Re and Im of a product, one after the other, or
/// one of them.
enum class RowLayout { both, real, imaginary };

/// Writes the rows of A, m x k, to `to`, which is column-major, 2m x 2k (both) or m x 2k. A row holds the factors of
/// the stored components of B's columns: (re, -im) gives Re of a product, (im, re) its Im. Conjugations of A and of B
/// change the signs of the factors. With RowLayout::imaginary the factor of im comes first, for `swapped` columns,
/// unless `transposed`.
template <class T>
void write_rows(Matrix<const Complex<T>> a, Index m, Index k, RowLayout layout, bool conjugate_a, bool conjugate_b,
                bool transposed, T* to, cudaStream_t);

/// Writes the columns of B, k x n, as they are stored. `to` is column-major, 2k x n, with (re, im), or (im, re) if
/// swapped.
template <class T>
void write_columns(Matrix<const Complex<T>> b, Index k, Index n, bool swapped, T* to, cudaStream_t);

}  // namespace accublas::cuda
