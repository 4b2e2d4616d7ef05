// A panel of LU in cr whose rows stay in the registers of threads.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/lu_cholesky/lu_panel.hpp"

namespace accublas::cuda {

/// Returns the number of thread blocks of such a panel of `rows` rows. Returns 0 if the device does not hold that many
/// at a time, or if only kernels that every device has are allowed.
template <class E>
int resident_panel_blocks(const DeviceModel&, Index rows);
/// Returns how many words the thread blocks of such a panel exchange pivots through.
template <class E>
Index resident_panel_words(const DeviceModel&, Index rows);

/// Same contract as factor_panel, with thread blocks that exchange pivots through memory.words. `steps` counts the
/// steps of all panels that share the words; it grows by those of this panel.
template <class E>
void factor_resident_panel(const DeviceModel&, const LuPanel<E>&, std::uint32_t& steps, cudaStream_t);

}  // namespace accublas::cuda
