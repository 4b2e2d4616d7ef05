// Matrices of a certified solution in device memory.
#pragma once

#include <memory>

#include "cuda/core/state.hpp"
#include "lib/call/place.hpp"

namespace accublas::cuda {

/// On the user's stream, in memory of the process's pool. Throws where a graph is captured.
std::unique_ptr<Place> device_place(State& state);

}  // namespace accublas::cuda
