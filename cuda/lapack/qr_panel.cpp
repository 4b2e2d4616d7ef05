#include "cuda/lapack/qr_panel.hpp"

#include <type_traits>

#include "cuda/core/device.hpp"
#include "cuda/lapack/qr_kernels.hpp"

namespace accublas::cuda {

template <class E>
int qr_panel_blocks(const DeviceModel& model, Index rows) {
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  if (std::is_same_v<E, double> && use_hopper_kernels(model)) return hopper::qr_panel_blocks(model, rows);
#endif
  return portable::qr_panel_blocks<E>(model, rows);
}

template <class E>
void factor_panel(const DeviceModel& model, const QrPanel<E>& panel, std::uint32_t& steps, cudaStream_t stream) {
  const std::uint32_t before = steps;
  // The first scaling, and at most four exchanges a column.
  steps += static_cast<std::uint32_t>(1 + 4 * panel.width);
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  if constexpr (std::is_same_v<E, double>)
    if (use_hopper_kernels(model)) return hopper::factor_panel(model, panel, before, stream);
#endif
  portable::factor_panel(model, panel, before, stream);
}

#define ACCUBLAS_INSTANTIATE(E)                               \
  template int qr_panel_blocks<E>(const DeviceModel&, Index); \
  template void factor_panel(const DeviceModel&, const QrPanel<E>&, std::uint32_t&, cudaStream_t);
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
ACCUBLAS_INSTANTIATE(Complex<double>)
ACCUBLAS_INSTANTIATE(Complex<float>)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
