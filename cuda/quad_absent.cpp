// Products beyond double precision on a device, in a build without CUDA: nothing runs there.
#include "lib/base/error.hpp"
#include "lib/quad/device.hpp"

namespace accublas::quad {

bool worth_copying(Index, Index, Index) { return false; }
bool fits_device(const Operand&, Index, Index, bool) { return false; }
void multiply_on_device(const Product&, DeviceCall&) {
  throw Error(ACCUBLAS_ERROR_NO_DEVICE, "this build of accublas has no CUDA");
}

}  // namespace accublas::quad
