// The CUDA backend of the multiple-precision arrays in a build without CUDA: it reports that there is no device.
#include "lib/base/error.hpp"
#include "lib/mp/backend.hpp"

namespace accublas::mp {

MpBackend& cuda_mp_backend() {
  throw Error(ACCUBLAS_ERROR_NO_DEVICE, "this build of accublas keeps multiple-precision arrays in host memory only");
}

}  // namespace accublas::mp
