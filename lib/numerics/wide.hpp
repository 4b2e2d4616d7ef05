// Fixed-size two's complement integers of 64-bit limbs, for host and device.
#pragma once

#include <cstdint>

#include "lib/numerics/host_device.hpp"

namespace accublas {

/// A signed integer of 64 L bits, little endian limbs, wrap-around arithmetic.
template <int L>
struct Wide {
  std::uint64_t limb[L];
};

}  // namespace accublas
