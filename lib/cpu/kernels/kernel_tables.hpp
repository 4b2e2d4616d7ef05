// The choice of a table of inner loops. Every instruction set of kernel_sources (lib/cpu/meson.build) has a namespace;
// a source of lib/cpu/kernels defines `kernels` of its tables in the namespace that it is compiled for.
#pragma once

#include "lib/base/isa.hpp"

namespace accublas::cpu {

namespace isa_baseline {
template <class Table>
const Table& kernels();
}
namespace isa_avx2 {
template <class Table>
const Table& kernels();
}
namespace isa_avx512 {
template <class Table>
const Table& kernels();
}
namespace isa_neon {
template <class Table>
const Table& kernels();
}

/// Declares a table that the instruction sets up to AVX-512, and NEON, have.
#define ACCUBLAS_DECLARE_KERNELS(...) \
  namespace isa_baseline {            \
  template <>                         \
  const __VA_ARGS__& kernels();       \
  }                                   \
  namespace isa_avx2 {                \
  template <>                         \
  const __VA_ARGS__& kernels();       \
  }                                   \
  namespace isa_avx512 {              \
  template <>                         \
  const __VA_ARGS__& kernels();       \
  }                                   \
  namespace isa_neon {                \
  template <>                         \
  const __VA_ARGS__& kernels();       \
  }

/// Returns such a table of the highest instruction set up to `isa`.
template <class Table>
const Table& kernels_for([[maybe_unused]] Isa isa) {
#if ACCUBLAS_ARM_LEVELS > 0
  if (isa >= Isa::neon) return isa_neon::kernels<Table>();
#endif
#if ACCUBLAS_KERNEL_LEVELS > 2
  if (isa >= Isa::avx512) return isa_avx512::kernels<Table>();
#endif
#if ACCUBLAS_KERNEL_LEVELS > 1
  if (isa >= Isa::avx2) return isa_avx2::kernels<Table>();
#endif
  return isa_baseline::kernels<Table>();
}

}  // namespace accublas::cpu
