// Choice of the int8 engine's kernels.
#pragma once

#include "lib/base/isa.hpp"
#include "lib/cpu/kernels/int8_kernels.hpp"

namespace accublas::cpu {

const Int8ProductKernels& int8_product_portable();
const Int8ConvertKernels& int8_convert_portable();
const Int8ReconstructKernels& int8_reconstruct_portable();

/// The fastest kernels of at most the given instruction set.
const Int8ProductKernels& int8_product_kernels(Isa isa);
const Int8ConvertKernels& int8_convert_kernels(Isa isa);
const Int8ReconstructKernels& int8_reconstruct_kernels(Isa isa);

}  // namespace accublas::cpu
