// Data of the GPU benchmark, made on the device: named matrices, and inner products by kind.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

#include "perf/matrices/matrices.hpp"

namespace gpu_bench {

using matrices::Index;
using matrices::Side;

/// Fills `count` matrices of rows x columns, one after the other, each column-major with the least leading dimension.
/// Complex numbers are pairs of reals. The entries depend on sizes, matrix and side only.
template <class T>
void fill(const matrices::Matrix& matrix, Side side, bool complex, T* to, Index rows, Index columns, Index count,
          cudaStream_t stream);

/// Fills one real matrix with phi 0.5.
template <class T>
void fill_random(Side side, T* to, Index rows, Index columns, cudaStream_t stream) {
  fill(matrices::named("phi:0.5"), side, false, to, rows, columns, 1, stream);
}

/// Data of inner products: entry (i, p) of `rows` rows of k terms at a[i row_stride + p k_stride], and the other
/// operand x.
///   phi:X           (rand - 0.5) exp(X randn)
///   condition:1e16  uniform numbers that cancel in pairs, and one product 2^-53 times the sum of their magnitudes
///   ties            every inner product, sum of magnitudes of a row, or (`root`) root of its sum of squares lies
///                   halfway between two numbers
/// x may be null: a row alone.
template <class T>
void fill_rows(const std::string& kind, bool root, T* a, Index rows, Index k, Index row_stride, Index k_stride, T* x,
               cudaStream_t stream);

/// Random bytes, all values alike.
void fill_bytes(std::int8_t* to, Index count, std::uint64_t seed, cudaStream_t stream);
/// The bits of the nearest numbers of IEEE half precision.
void to_half(const float* from, std::uint16_t* to, Index count, cudaStream_t stream);

}  // namespace gpu_bench
