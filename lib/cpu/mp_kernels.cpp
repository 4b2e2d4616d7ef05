#include "lib/cpu/mp_kernels.hpp"

namespace accublas::cpu {

const MpKernels& mp_kernels([[maybe_unused]] Isa isa) { return mp_portable(); }

}  // namespace accublas::cpu
