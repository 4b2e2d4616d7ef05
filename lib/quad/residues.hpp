// Products beyond double precision by the int8 engine: residues of integers of many bits, INT8 products, and the exact
// integer of each element, which is rounded once.
#pragma once

#include "lib/call/execution.hpp"
#include "lib/quad/number.hpp"

namespace accublas::quad {

/// Computes the wanted elements of C, k >= 1, alpha not 0. Returns false, with C as it was, if sums of all elements are
/// faster and `forced` is false. The report gets bits, moduli, undecided elements and times.
bool multiply_residues(const Product& product, bool forced, Execution& execution);

}  // namespace accublas::quad
