#include "cuda/int8/product.hpp"

#include "cuda/core/device.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/int8/certify.hpp"
#include "cuda/int8/product_kernels.hpp"

namespace accublas::cuda {

void residue_product(const DeviceModel& model, const ProductArguments& arguments, cudaStream_t stream) {
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  if (use_hopper_kernels(model)) return hopper::residue_product(model, arguments, stream);
#endif
  portable::residue_product(model, arguments, stream);
}

void slab_product(const DeviceModel& model, const SlabProduct& arguments, cudaStream_t stream) {
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  if (use_hopper_kernels(model)) return hopper::slab_product(model, arguments, stream);
#endif
  portable::slab_product(model, arguments, stream);
}

void certificate_sums(const DeviceModel& model, const SumsArguments& arguments, cudaStream_t stream) {
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  if (use_hopper_kernels(model)) return hopper::certificate_sums(model, arguments, stream);
#endif
  portable::certificate_sums(model, arguments, stream);
}

template <class T>
void certify_product(const DeviceModel& model, CertificateLadder ladder, const SumsArguments& arguments,
                     const Lines& rows, const Lines& cols, Index first_row, Index first_col, Index elements,
                     std::uint32_t* open, cudaStream_t stream) {
  if (arguments.rows_count <= 0 || arguments.cols_count <= 0) return;
  const CertifyJob job{ladder.kind,
                       make_rungs<T>(rows.k, ladder.most),
                       make_moduli_rungs<T>(rows.k, ladder.most, ladder.residues),
                       rows,
                       cols,
                       first_row,
                       first_col,
                       static_cast<int>(arguments.rows_count),
                       static_cast<int>(arguments.cols_count),
                       open,
                       arguments.state,
                       arguments.wanted,
                       elements,
                       arguments.group};
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  if (use_hopper_kernels(model)) return hopper::certify_product(model, arguments, job, stream);
#endif
  portable::certify_product(model, arguments, job, stream);
}

template void certify_product<double>(const DeviceModel&, CertificateLadder, const SumsArguments&, const Lines&,
                                      const Lines&, Index, Index, Index, std::uint32_t*, cudaStream_t);
template void certify_product<float>(const DeviceModel&, CertificateLadder, const SumsArguments&, const Lines&,
                                     const Lines&, Index, Index, Index, std::uint32_t*, cudaStream_t);

}  // namespace accublas::cuda
