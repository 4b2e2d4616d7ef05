// Fixed lists of calls for cross builds: test/repro's, accumulators and multiple precision.
#pragma once

#include "accublas.h"

namespace cross {

/// Prints the kernels that the library uses, then a line for each call: its name and the checksum of its results.
void print_lists(accublas_context* context);

}  // namespace cross
