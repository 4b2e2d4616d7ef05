#include "cuda/qr/qr_panel.hpp"

#include <type_traits>

#include "cuda/core/device.hpp"
#include "cuda/qr/qr_kernels.hpp"

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
  // The first scaling takes an exchange, and each column at most four.
  steps += static_cast<std::uint32_t>(1 + 4 * panel.width);
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  if constexpr (std::is_same_v<E, double>)
    if (use_hopper_kernels(model)) return hopper::factor_panel(model, panel, before, stream);
#endif
  portable::factor_panel(model, panel, before, stream);
}

namespace {

template <class E>
bool has_block_kernels([[maybe_unused]] const DeviceModel& model) {
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  return std::is_same_v<E, double> && use_hopper_kernels(model);
#else
  return false;
#endif
}

}  // namespace

template <class E>
Index qr_block_columns(const DeviceModel& model) {
  return has_block_kernels<E>(model) ? model.tuning().qr.kernel_columns : qr_panel_columns<E>;
}

template <class E>
Index qr_block_sums([[maybe_unused]] const DeviceModel& model, [[maybe_unused]] Index cols) {
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  if (has_block_kernels<E>(model)) return hopper::qr_block_sums(cols);
#endif
  return 0;
}

// Where the device has no kernels for blocks, a block is a single panel, and the next two functions have nothing to do.
template <class E>
void apply_panel([[maybe_unused]] const DeviceModel& model, [[maybe_unused]] const QrBlock<E>& block,
                 [[maybe_unused]] Index first, [[maybe_unused]] cudaStream_t stream) {
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  if constexpr (std::is_same_v<E, double>) hopper::apply_panel(model, block, first, stream);
#endif
}
template <class E>
void join_triangles([[maybe_unused]] const DeviceModel& model, [[maybe_unused]] const QrBlock<E>& block,
                    [[maybe_unused]] cudaStream_t stream) {
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  if constexpr (std::is_same_v<E, double>) hopper::join_triangles(model, block, stream);
#endif
}

#define ACCUBLAS_INSTANTIATE(E)                                                                    \
  template int qr_panel_blocks<E>(const DeviceModel&, Index);                                      \
  template void factor_panel(const DeviceModel&, const QrPanel<E>&, std::uint32_t&, cudaStream_t); \
  template Index qr_block_columns<E>(const DeviceModel&);                                          \
  template Index qr_block_sums<E>(const DeviceModel&, Index);                                      \
  template void apply_panel(const DeviceModel&, const QrBlock<E>&, Index, cudaStream_t);           \
  template void join_triangles(const DeviceModel&, const QrBlock<E>&, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
