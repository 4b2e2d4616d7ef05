// Matrices of a certified solution in host memory.
#pragma once

#include <memory>

#include "lib/call/place.hpp"
#include "lib/lapack/calls.hpp"

namespace accublas::certified {

/// Returns the Place in host memory, whose loops over rows and columns use the threads of `calls`.
std::unique_ptr<Place> host_place(const lapack::Calls& calls);

}  // namespace accublas::certified
