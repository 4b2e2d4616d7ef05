// Prepares a multiword call before its products.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"

namespace accublas::cuda {

/// Fills the bitmap of pending elements with those of special lines, which the exact kernels compute.
void open_special_elements(const DeviceModel&, const Lines& rows, const Lines& cols, std::uint32_t* open,
                           const CallState*, cudaStream_t);

/// Sets fits[g] to whether FP16 holds the TF32 words of all lines of group g, once they are scaled to a largest
/// magnitude between 2^14 and 2^15. That is so if no nonzero entry is then below 2^-14, and the scale is a float. The
/// 11 bits of a second word that is scaled by 2^12 more are above FP16's last bit, 2^-24, too: it is a multiple of
/// 2^-37 times 2^12, and a multiple of 2^-36 if it has all of 11 bits.
void find_fitting_groups(const DeviceModel&, const Operand<float>&, const Lines&, std::uint8_t* fits, const CallState*,
                         cudaStream_t);

}  // namespace accublas::cuda
