// Steps of flows in device memory.
#pragma once

#include <memory>

#include "cuda/core/state.hpp"
#include "lib/call/element_steps.hpp"

namespace accublas::cuda {

/// On the user's stream. The calls from here to finish() are one to the report.
template <class E>
std::unique_ptr<ElementSteps<E>> device_steps(State&, Workspace&, int report_level);

}  // namespace accublas::cuda
