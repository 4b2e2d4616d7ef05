// Lists of devices, for tests of calls that several devices share.
#pragma once

#include "test/context.hpp"
#include "test/gpu/device.hpp"

namespace accublas::test {

/// Gives a context a list of up to three devices: the first, the second, and the first again. A machine's only device
/// stands for both.
inline void list_devices(const Context& context, std::int32_t length) {
  int count = 0;
  require(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  const std::int32_t devices[] = {0, count > 1 ? 1 : 0, 0};
  ASSERT_EQ(accublas_set_devices(context, length, devices), ACCUBLAS_SUCCESS) << context.error();
}

}  // namespace accublas::test
