// Products beyond double precision on a device, in a build without CUDA: nothing runs there.
#include "lib/base/error.hpp"
#include "lib/quad/device.hpp"

namespace accublas::quad {

bool worth_copying(Index, Index, Index) { return false; }
bool fits_device(const Operand&, Index, Index, bool) { return false; }

namespace {
[[noreturn]] void refuse() { throw Error(ACCUBLAS_ERROR_NO_DEVICE, "this build of accublas has no CUDA"); }
}  // namespace

void multiply_on_device(const Product&, DeviceCall&) { refuse(); }
void norm_on_device(Index, const Operand&, const Results&, DeviceCall&) { refuse(); }
void solve_on_device(const Solve&, DeviceCall&) { refuse(); }

}  // namespace accublas::quad
