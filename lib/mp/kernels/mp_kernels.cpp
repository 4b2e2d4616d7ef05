#include "lib/mp/kernels/mp_kernels.hpp"

#include <utility>

#include "lib/base/fork_safe.hpp"

namespace accublas::cpu {

#define ACCUBLAS_MP_KERNELS(name)                                                                                 \
  namespace name {                                                                                                \
  void mp_product_n(const MpProduct&);                                                                            \
  void mp_product_t(const MpProduct&);                                                                            \
  void mp_product_groups(const MpGroups&);                                                                        \
  void mp_rows(const MpRows&);                                                                                    \
  void mp_combine(const MpCombine&);                                                                              \
  void mp_scale(const MpScale&);                                                                                  \
  void mp_crt_digits(const MpCrtDigits&);                                                                         \
  void mp_integers(const MpIntegers&);                                                                            \
  void mp_split(const MpSplit&);                                                                                  \
  void mp_shift(const MpShift&);                                                                                  \
  constexpr MpKernels mp_table = {mp_product_n,  mp_product_t, mp_product_groups, mp_rows,  mp_combine, mp_scale, \
                                  mp_crt_digits, mp_integers,  mp_split,          mp_shift, nullptr};             \
  }
#if ACCUBLAS_KERNEL_LEVELS > 1
ACCUBLAS_MP_KERNELS(isa_avx2)
#endif
#if ACCUBLAS_KERNEL_LEVELS > 2
ACCUBLAS_MP_KERNELS(isa_avx512)
#endif
#if ACCUBLAS_ARM_LEVELS > 0
ACCUBLAS_MP_KERNELS(isa_neon)
#endif
#undef ACCUBLAS_MP_KERNELS

#if ACCUBLAS_KERNEL_LEVELS > 3
namespace isa_avx512_ifma {
void mp_combine_wide(const MpCombineWide&);

constexpr MpKernels make_table() {
  MpKernels table = isa_avx512::mp_table;
  table.combine_wide = mp_combine_wide;
  return table;
}
constexpr MpKernels mp_table = make_table();
}  // namespace isa_avx512_ifma
#endif

const MpKernels& mp_kernels([[maybe_unused]] Isa isa) {
#if ACCUBLAS_ARM_LEVELS > 0
  if (isa >= Isa::neon) return isa_neon::mp_table;
#endif
#if ACCUBLAS_KERNEL_LEVELS > 3
  if (isa >= Isa::avx512 && __builtin_cpu_supports("avx512ifma")) return isa_avx512_ifma::mp_table;
#endif
#if ACCUBLAS_KERNEL_LEVELS > 2
  if (isa >= Isa::avx512) return isa_avx512::mp_table;
#endif
#if ACCUBLAS_KERNEL_LEVELS > 1
  if (isa >= Isa::avx2) return isa_avx2::mp_table;
#endif
  static constinit Lazy<const MpKernels> baseline;
  return baseline.get([] {
    auto table = std::make_unique<MpKernels>(mp_portable());
    table->combine_wide = nullptr;
    return std::unique_ptr<const MpKernels>(std::move(table));
  });
}

}  // namespace accublas::cpu
