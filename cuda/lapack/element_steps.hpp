// Steps of flows in device memory.
#pragma once

#include <memory>

#include "cuda/core/state.hpp"
#include "lib/call/element_steps.hpp"

namespace accublas::cuda {

/// Returns the steps of one flow, which run on the context's stream. The report counts the calls until finish() as one.
template <class E>
std::unique_ptr<ElementSteps<E>> device_steps(State&, Workspace&, int report_level);

}  // namespace accublas::cuda
