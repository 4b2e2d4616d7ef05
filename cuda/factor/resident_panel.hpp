// A panel of LU in cr whose rows stay in the registers of threads.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/factor/lu_panel.hpp"

namespace accublas::cuda {

/// Thread blocks of such a panel of so many rows; 0 where the device has not that many at a time, or is to keep to
/// kernels that every one has.
template <class E>
int resident_panel_blocks(const DeviceModel&, Index rows);

/// What factor_panel does, by memory.told. `steps`: those that it has seen, which grow by those of this panel.
template <class E>
void factor_resident_panel(const DeviceModel&, const LuPanel<E>&, std::uint32_t& steps, cudaStream_t);

}  // namespace accublas::cuda
