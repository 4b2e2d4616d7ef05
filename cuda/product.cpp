#include "cuda/product.hpp"

#include <cstdlib>
#include <cstring>

namespace accublas::cuda {

namespace {

/// ACCUBLAS_CUDA_KERNELS=portable: only kernels that every device has, read once.
bool portable_asked() {
  static const bool asked = [] {
    const char* word = std::getenv("ACCUBLAS_CUDA_KERNELS");
    return word && std::strcmp(word, "portable") == 0;
  }();
  return asked;
}

[[maybe_unused]] bool use_hopper(const DeviceModel& model) { return model.hopper_kernels && !portable_asked(); }

}  // namespace

void residue_product(const DeviceModel& model, const ProductArguments& arguments, cudaStream_t stream) {
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  if (use_hopper(model)) return hopper::residue_product(model, arguments, stream);
#endif
  portable::residue_product(model, arguments, stream);
}

void certificate_sums(const DeviceModel& model, const SumsArguments& arguments, cudaStream_t stream) {
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  if (use_hopper(model)) return hopper::certificate_sums(model, arguments, stream);
#endif
  portable::certificate_sums(model, arguments, stream);
}

}  // namespace accublas::cuda
