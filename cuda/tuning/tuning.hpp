// The tuned numbers of a device.
#pragma once

#include <iterator>

#include "cuda/tuning/sm_103.hpp"
#include "cuda/tuning/sm_80.hpp"
#include "cuda/tuning/sm_90.hpp"

namespace accublas::cuda {

/// Returns the numbers of a compute capability.
constexpr const Tuning& tuning_of(int major, int minor) {
  if (major == 9 && minor == 0) return sm_90;
  if (major == 10 && minor == 3) return sm_103;
  return sm_80;
}

/// Returns whether the numbers keep to the limits that the code relies on.
constexpr bool is_valid(const Tuning& t) {
  return t.lu.block_columns >= 64 && t.lu.ahead_columns % 32 == 0 &&
         t.qr.blocks[std::size(t.qr.blocks) - 1].from == 0 && (!(t.dgemm || t.sgemm) || t.int8_tiles.rows > 0);
}
static_assert(is_valid(sm_80) && is_valid(sm_90) && is_valid(sm_103));

}  // namespace accublas::cuda
