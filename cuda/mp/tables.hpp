// Tables of the multiple-precision kernels in device memory, made at first use and kept until the process ends.
#pragma once

#include "cuda/mp/kernels.hpp"

namespace accublas::cuda {

/// These functions return tables of the current device, and wait for the device if a table is new. They are thread-safe
/// and throw Error.
MpBasis device_basis(int moduli);
MpFormat device_format(const mp::Format&);
MpExtension device_extension(int from, int to);
/// Returns an array of two elements: 0 and 1.
mp::Elements device_constants(const mp::Format&);

}  // namespace accublas::cuda
