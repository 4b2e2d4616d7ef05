// Products of complex numbers whose alpha or beta has an imaginary part: each component of alpha S + beta c needs both
// components of S before its one rounding. An engine of real products computes the parts of S as neighbouring columns
// (Gemm::row_pairs) and passes both to these functions.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/wanted.hpp"
#include "cuda/exact/exact.hpp"
#include "lib/call/problem.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas {

namespace cuda {
struct Pair;
}

/// alpha and beta of a product of complex numbers, with any values, by value or in device memory.
template <class T>
struct CombinedParts {
  cuda::Scalar<Complex<T>> alpha, beta;
  /// C as it was: the addend of the engine's (row, col) is at row addend_stride + col. Components become final one by
  /// one, and each needs both parts. Null if beta is known to have no imaginary part.
  const T* addend = nullptr;
  Index addend_stride = 0;
  /// dot2: the pairs (s, c) of Re S and of Im S. The pair of element (row, col) of the engine is at row n + col, for n
  /// columns of complex numbers.
  cuda::Pair *real = nullptr, *imaginary = nullptr;
};

namespace cuda {

/// Run this after a certificate whose bits in `open` refer to components of S. Afterwards they refer to components of
/// the result, which is pending if a component of S that it needs is. Also updates state->rejected.
template <class T>
void combine_rejected(const DeviceModel&, const CombinedParts<T>&, Index rows, Index cols, std::uint32_t* open,
                      CallState*, cudaStream_t);

/// Computes pending components by exact accumulators; a.alpha and a.beta are not used.
template <class T>
void exact_combined(const DeviceModel&, const ExactArguments<T>&, const CombinedParts<T>&, cudaStream_t);

/// Computes components from the pairs of dot2; a.at, a.open and the lines refer to the parts, as for exact_combined. A
/// component that needs a pair that is not finite becomes pending. A component that is not wanted is neither written
/// nor pending.
template <class T>
void combine_pairs(const DeviceModel&, const ExactArguments<T>&, const CombinedParts<T>&, const Wanted&, cudaStream_t);

}  // namespace cuda
}  // namespace accublas
