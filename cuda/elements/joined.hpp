// Products of complex numbers whose alpha or beta has an imaginary part: each component of alpha S + beta c needs both
// components of S before its one rounding. An engine of real products computes the parts of S as neighbouring columns
// (Gemm::row_pairs) and hands both to what stands here.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/wanted.hpp"
#include "cuda/elements/exact.hpp"
#include "lib/call/problem.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas {

namespace cuda {
struct Pair;
}

/// alpha and beta of a product of complex numbers, of any values, wherever they are.
template <class T>
struct JoinedParts {
  cuda::Scalar<Complex<T>> alpha, beta;
  /// C as it was, that of the engine's (row, col) at row addend_stride + col: components become final one by one, and
  /// each needs both parts. Null where beta is known to have no imaginary part.
  const T* addend = nullptr;
  Index addend_stride = 0;
  /// dot2: the pairs (s, c) of Re S and of Im S, those of element (row, col) of the engine at row n + col for n columns
  /// of complex numbers.
  cuda::Pair *real = nullptr, *imaginary = nullptr;
};

namespace cuda {

/// After a certificate whose bits in `open` tell of components of S: they tell of components of the result, which is
/// open where a component of S that it needs is. state->rejected follows.
template <class T>
void join_rejected(const DeviceModel&, const JoinedParts<T>&, Index rows, Index cols, std::uint32_t* open, CallState*,
                   cudaStream_t);

/// Components that are open, by exact accumulators: a.alpha and a.beta have no part in it.
template <class T>
void exact_joined(const DeviceModel&, const ExactArguments<T>&, const JoinedParts<T>&, cudaStream_t);

/// From the pairs of dot2, on whose parts a.at, a.open and the lines are as for exact_joined. Components that need a
/// pair that is not finite become open, those that are not wanted are neither.
template <class T>
void join_pairs(const DeviceModel&, const ExactArguments<T>&, const JoinedParts<T>&, const Wanted&, cudaStream_t);

}  // namespace cuda
}  // namespace accublas
