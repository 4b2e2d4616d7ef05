// What a factorization finds on the device.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// Zero before the call.
struct FactorOutcome {
  long long info;    ///< LAPACK's
  long long closed;  ///< 1: there is no solution by the factors
};

/// outcome->closed from outcome->info.
void close_on_failure(const DeviceModel&, FactorOutcome* outcome, cudaStream_t);

/// to = from, rows x cols; nothing where outcome, unless null, is closed.
template <class E>
void copy_if_open(const DeviceModel&, const FactorOutcome* outcome, const Matrix<E>& from, const Matrix<E>& to,
                  Index rows, Index cols, cudaStream_t);

}  // namespace accublas::cuda
