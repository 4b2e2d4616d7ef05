#include "lib/cpu/int8/int8_portable.hpp"

namespace accublas::cpu {

#if ACCUBLAS_KERNEL_LEVELS > 1
namespace isa_avx2 {
const Int8ProductKernels& int8_product();
}
#endif
#if ACCUBLAS_KERNEL_LEVELS > 2
namespace isa_avx512 {
const Int8ConvertKernels& int8_convert();
const Int8ReconstructKernels& int8_reconstruct();
}  // namespace isa_avx512
#endif
#if ACCUBLAS_KERNEL_LEVELS > 3
namespace isa_avx512_vnni {
const Int8ProductKernels& int8_product();
const Int8ReconstructKernels& int8_reconstruct();
}  // namespace isa_avx512_vnni
#endif
#if ACCUBLAS_KERNEL_LEVELS > 4
namespace isa_amx {
const Int8ProductKernels& int8_product();
}
#endif
#if ACCUBLAS_ARM_LEVELS > 0
namespace isa_neon {
const Int8ProductKernels& int8_product();
const Int8ConvertKernels& int8_convert();
const Int8ReconstructKernels& int8_reconstruct();
}  // namespace isa_neon
#endif
#if ACCUBLAS_ARM_LEVELS > 1
namespace isa_dotprod {
const Int8ProductKernels& int8_product();
}
#endif
#if ACCUBLAS_ARM_LEVELS > 2
namespace isa_i8mm {
const Int8ProductKernels& int8_product();
}
#endif

const Int8ProductKernels& int8_product_kernels([[maybe_unused]] Isa isa) {
#if ACCUBLAS_ARM_LEVELS > 2
  if (isa >= Isa::i8mm) return isa_i8mm::int8_product();
#endif
#if ACCUBLAS_ARM_LEVELS > 1
  if (isa >= Isa::dotprod) return isa_dotprod::int8_product();
#endif
#if ACCUBLAS_ARM_LEVELS > 0
  if (isa >= Isa::neon) return isa_neon::int8_product();
#endif
#if ACCUBLAS_KERNEL_LEVELS > 4
  if (isa >= Isa::amx) return isa_amx::int8_product();
#endif
#if ACCUBLAS_KERNEL_LEVELS > 3
  if (isa >= Isa::avx512_vnni) return isa_avx512_vnni::int8_product();
#endif
#if ACCUBLAS_KERNEL_LEVELS > 1
  if (isa >= Isa::avx2) return isa_avx2::int8_product();
#endif
  return int8_product_portable();
}

const Int8ConvertKernels& int8_convert_kernels([[maybe_unused]] Isa isa) {
#if ACCUBLAS_ARM_LEVELS > 0
  if (isa >= Isa::neon) return isa_neon::int8_convert();
#endif
#if ACCUBLAS_KERNEL_LEVELS > 2
  if (isa >= Isa::avx512) return isa_avx512::int8_convert();
#endif
  return int8_convert_portable();
}

const Int8ReconstructKernels& int8_reconstruct_kernels([[maybe_unused]] Isa isa) {
#if ACCUBLAS_ARM_LEVELS > 0
  if (isa >= Isa::neon) return isa_neon::int8_reconstruct();
#endif
#if ACCUBLAS_KERNEL_LEVELS > 3
  if (isa >= Isa::avx512_vnni) return isa_avx512_vnni::int8_reconstruct();
#endif
#if ACCUBLAS_KERNEL_LEVELS > 2
  if (isa >= Isa::avx512) return isa_avx512::int8_reconstruct();
#endif
  return int8_reconstruct_portable();
}

}  // namespace accublas::cpu
