// Copies of operands that are in device memory, for accumulators, whose sums are on the host.
#pragma once

#include <cstddef>

#include "lib/runtime/context.hpp"

namespace accublas {

/// Copies `lines` times `width` bytes, whose distances are `to_next` and `from_next` bytes, between host memory and the
/// memory of a device, on the context's stream; waits.
void copy_lines(Context& context, int device, void* to, std::size_t to_next, const void* from, std::size_t from_next,
                std::size_t width, Index lines);

}  // namespace accublas
