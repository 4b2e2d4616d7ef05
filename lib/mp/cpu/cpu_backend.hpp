// The parts of the CPU's backend.
#pragma once

#include "lib/mp/backend.hpp"
#include "lib/mp/cpu/align.hpp"

namespace accublas::mp {

void host_product(const MpProduct& product, MpExecution& execution);

/// Returns how many bits hold a sum of `terms` products of elements shifted by less than 2^spread in all.
int product_bits(int precision, int spread, std::int64_t terms);

}  // namespace accublas::mp
