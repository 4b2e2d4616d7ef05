// Tables of the multiple-precision kernels in device memory: made at first use, kept until the process ends.
#pragma once

#include "cuda/mp/kernels.hpp"

namespace accublas::cuda {

/// Of the current device; wait for it where a table is new. Thread-safe. Throw Error.
MpBasis device_basis(int moduli);
MpFormat device_format(const mp::Format&);
MpExtension device_extension(int from, int to);
/// An array of two elements: 0 and 1.
mp::Elements device_constants(const mp::Format&);

}  // namespace accublas::cuda
