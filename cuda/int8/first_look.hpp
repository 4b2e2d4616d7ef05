// A look at some elements before anything is measured: data that are plainly for cuBLAS are left to it at once.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/native/native_offer.hpp"

namespace accublas::cuda {

/// Hands the call over where the certificate would reject too many of some sampled elements with the offer's moduli,
/// estimated from the terms of X (one block of 128 in `stride`) alone; special values are rejected, too.
template <class T>
void first_look(const DeviceModel&, const Operand<T>& rows, const Operand<T>& cols, Scalar<T> alpha, int stride,
                const NativeOffer&, ResidueKind, CallState*, cudaStream_t);

}  // namespace accublas::cuda
