#include "cuda/core/check.hpp"

#include <string>

#include "lib/base/error.hpp"

namespace accublas::cuda {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // the exception reports the error; the next launch must not find it
  throw Error(status == cudaErrorMemoryAllocation ? ACCUBLAS_ERROR_MEMORY : ACCUBLAS_ERROR_DEVICE,
              std::string(what) + ": " + cudaGetErrorString(status));
}

void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

}  // namespace accublas::cuda
