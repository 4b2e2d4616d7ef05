#pragma once

#include "cuda/core/state.hpp"
#include "lib/mp/backend.hpp"

namespace accublas::cuda {

/// Puts a product on the stream of the context (MpBackend::product); the device of `state` must be current.
void mp_product_call(State& state, const mp::MpProduct& product, mp::MpExecution& execution);

}  // namespace accublas::cuda
