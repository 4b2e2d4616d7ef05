#include "cuda/core/tensor_map_encoder.hpp"

#include <cuda_runtime_api.h>

#include "cuda/core/check.hpp"

namespace accublas::cuda {

decltype(&cuTensorMapEncodeTiled) tensor_map_encoder() {
  static const auto entry = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result),
          "cuTensorMapEncodeTiled");
    return result == cudaDriverEntryPointSuccess ? reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found) : nullptr;
  }();
  return entry;
}

}  // namespace accublas::cuda
