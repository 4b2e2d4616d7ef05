// Complex operands written out as real ones (docs/modes.md, "Complex types"): both components of a result are inner
// products of 2k real terms.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/operand.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cuda {

/// Which lines of 2k terms are written of a row of A: those of Re and Im of a product, one after the other, or one.
enum class RowLayout { both, real, imaginary };

/// The rows of A, m x k: `to` is column-major, 2m x 2k (both) or m x 2k. They hold the factors of the components of B's
/// columns as those are stored: (re, -im) makes Re of a product, (im, re) its Im; conjugations are in the signs. A
/// single imaginary line has the factor of im first, for `swapped` columns, but where `turned`.
template <class T>
void write_rows(Matrix<const Complex<T>> a, Index m, Index k, RowLayout layout, bool conjugate_a, bool conjugate_b,
                bool turned, T* to, cudaStream_t);

/// The columns of B, k x n, as they are stored: `to` is column-major, 2k x n, (re, im), or (im, re) where swapped.
template <class T>
void write_columns(Matrix<const Complex<T>> b, Index k, Index n, bool swapped, T* to, cudaStream_t);

}  // namespace accublas::cuda
