// Data of the GPU benchmark, made on the device: two matrices per case, by kind.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

namespace gpu_bench {

using Index = std::int64_t;

/// Kinds of data:
///   phi:X           (rand - 0.5) exp(X randn), as the peers measure
///   block-diagonal  8 diagonal blocks, each of its own scale from 2^-40 to 2^40 (s: 2^-20 to 2^20), phi 1
///   triangular      A lower, B upper triangular, phi 1
///   ties            every element of A B lies halfway between two numbers
enum class DataKind { phi, block_diagonal, triangular, ties };
struct Data {
  DataKind kind;
  double phi;
};
/// Throws std::runtime_error for an unknown word.
Data parse_data(const std::string& word);

/// Which operand: A is m x k, B k x n, both column-major with the least leading dimension.
enum class Side { a, b };

/// Fills `lines` x k (A: lines = m) or k x lines (B: lines = n) on the stream. The numbers depend on sizes, kind and
/// side only.
template <class T>
void fill(const Data& data, Side side, T* to, Index lines, Index k, cudaStream_t stream);

/// Data of inner products: entry (i, p) of `rows` rows of k terms at a[i row_stride + p k_stride], and the other
/// operand x.
///   phi:X           as above
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
