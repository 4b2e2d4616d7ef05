// Kernels for the steps and questions of flows (lib/call/element_steps.hpp). All arrays are in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/element_steps.hpp"

namespace accublas::cuda {

/// Runs a step on every element of rows x cols.
template <class E>
void run_step(const DeviceModel&, const ElementStep<E>&, Index rows, Index cols, cudaStream_t);

/// Sets *found to the least of itself and the numbers i + j rows of the elements whose answer is yes.
template <class E>
void find_first(const DeviceModel&, const ElementQuestion<E>&, Index rows, Index cols, unsigned long long* found,
                cudaStream_t);

/// Makes the reflectors, a column after the other, by one thread block.
template <class E>
void make_reflectors(const DeviceModel&, const ReflectorsOfColumns<E>&, cudaStream_t);

/// Sets *to = value.
void put_number(const DeviceModel&, std::int64_t* to, std::int64_t value, cudaStream_t);

}  // namespace accublas::cuda
