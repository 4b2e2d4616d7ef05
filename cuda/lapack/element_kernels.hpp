// Steps and questions of flows (lib/call/element_steps.hpp) as kernels.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/element_steps.hpp"

namespace accublas::cuda {

template <class E>
void run_step(const DeviceModel&, const ElementStep<E>&, Index rows, Index cols, cudaStream_t);

/// *found becomes the least of itself and the first element i + j rows, as unsigned numbers.
template <class E>
void find_first(const DeviceModel&, const ElementQuestion<E>&, Index rows, Index cols, unsigned long long* found,
                cudaStream_t);

void put_number(const DeviceModel&, std::int64_t* to, std::int64_t value, cudaStream_t);

}  // namespace accublas::cuda
