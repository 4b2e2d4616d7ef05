// The result of a factorization on the device.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// Both members are zero before the call.
struct FactorOutcome {
  long long info;    ///< LAPACK's info
  long long closed;  ///< 1: there is no solution by the factors
};

/// Sets outcome->closed from outcome->info.
void close_on_failure(const DeviceModel&, FactorOutcome* outcome, cudaStream_t);

/// Sets to = from, rows x cols. Does nothing if `outcome` is not null and closed.
template <class E>
void copy_if_open(const DeviceModel&, const FactorOutcome* outcome, const Matrix<E>& from, const Matrix<E>& to,
                  Index rows, Index cols, cudaStream_t);

}  // namespace accublas::cuda
