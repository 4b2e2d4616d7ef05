// The fused multiword product: words are formed from A and B as they are read, and are never in global memory.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/exact/exact.hpp"

namespace accublas::cuda {

/// The factors that the tensor cores multiply.
enum class WordKind : std::int32_t {
  tf32,       ///< TF32 words of the entries
  tf32_half,  ///< the same words, of entries scaled by a power of two a line, as FP16 numbers, which hold them exactly
              ///< where a line's entries lie in FP16's range: at twice the rate
  half,       ///< FP16 words of entries scaled by a power of two per line
};

/// Which tiles are computed: those whose lines are in groups that all fit FP16's range (MultiwordProduct::rows_fit),
/// the others, or all.
enum class Tiles : std::int32_t { all, fitting, not_fitting };

/// Computes at = alpha S + beta at, where S is the sum of 1, 3 or 4 products of words, for the elements of finite lines
/// whose S is finite. Sets the bits of `open` of elements whose S is not finite, and counts them in state->rejected.
struct MultiwordProduct : ExactArguments<float> {
  const std::uint8_t *rows_fit, *cols_fit;  ///< one entry for each line_group of lines
  Tiles tiles;
};

namespace hopper {
void multiword_product(const DeviceModel&, WordKind, int products, const MultiwordProduct&, cudaStream_t);
}

}  // namespace accublas::cuda
