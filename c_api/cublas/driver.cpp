#include "c_api/cublas/driver.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <cstring>

#include "c_api/private.hpp"
#include "lib/base/fork_safe.hpp"

namespace accublas::cublas {
namespace {

struct Driver {
  decltype(&cuCtxGetDevice) get_device;
  decltype(&cuStreamIsCapturing) is_capturing;
  decltype(&cuStreamSynchronize) synchronize;
  decltype(&cuMemcpyDtoHAsync) copy_to_host;
  decltype(&cuMemcpy2DAsync) copy_2d;
  bool complete;

  Driver() {
    void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    const auto find = [&](auto& function, const char* name) {
      function =
          library ? reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name)) : nullptr;
      return function != nullptr;
    };
    complete = find(get_device, "cuCtxGetDevice");
    complete = find(is_capturing, "cuStreamIsCapturing") && complete;
    complete = find(synchronize, "cuStreamSynchronize") && complete;
    complete = find(copy_to_host, "cuMemcpyDtoHAsync_v2") && complete;
    complete = find(copy_2d, "cuMemcpy2DAsync_v2") && complete;
  }
};

/// Returns the driver's functions, or null if no driver is loaded.
const Driver* driver() noexcept {
  static constinit Lazy<Driver> known;
  if (const Driver* const d = known.known()) return d;
  Driver d;
  return d.complete ? &known.get() : nullptr;
}

}  // namespace

int current_device() noexcept {
  const Driver* const d = driver();
  CUdevice device = -1;
  return d && d->get_device(&device) == CUDA_SUCCESS ? device : -1;
}

bool read_number(void* to, const void* from, std::size_t bytes, cudaStream_t stream) noexcept {
  const Driver* const d = driver();
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  return d && d->is_capturing(stream, &capture) == CUDA_SUCCESS && capture == CU_STREAM_CAPTURE_STATUS_NONE &&
         d->copy_to_host(to, reinterpret_cast<CUdeviceptr>(from), bytes, stream) == CUDA_SUCCESS &&
         d->synchronize(stream) == CUDA_SUCCESS;
}

bool copy_matrix(std::int64_t row_bytes, std::int64_t cols, const void* from, std::int64_t ld_from, void* to,
                 std::int64_t ld_to, cudaStream_t stream) noexcept {
  if (!accublas_private_is_on_device(to)) {
    for (std::int64_t j = 0; j < cols; ++j)
      std::memcpy(static_cast<char*>(to) + j * ld_to, static_cast<const char*>(from) + j * ld_from,
                  static_cast<std::size_t>(row_bytes));
    return true;
  }
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = reinterpret_cast<CUdeviceptr>(from);
  copy.srcPitch = static_cast<std::size_t>(ld_from);
  copy.dstDevice = reinterpret_cast<CUdeviceptr>(to);
  copy.dstPitch = static_cast<std::size_t>(ld_to);
  copy.WidthInBytes = static_cast<std::size_t>(row_bytes);
  copy.Height = static_cast<std::size_t>(cols);
  return driver()->copy_2d(&copy, stream) == CUDA_SUCCESS;
}

}  // namespace accublas::cublas
