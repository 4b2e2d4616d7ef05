// Adds up on the device the counts of a batch for its report.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_group.hpp"
#include "cuda/core/call_state.hpp"

namespace accublas::cuda {

/// Zeroes the states of a group's products.
void clear_states(CallState* first, const GroupStride& group, cudaStream_t);
/// Adds the counts in the states of a group's products to the state of their call, which is zero before.
void add_states(const CallState* first, const GroupStride& group, CallState* call, cudaStream_t);

/// Adds the counts that a call of the batch left in its states (null: no such state) to the batch's totals.
void add_to_totals(const CallState* call, const unsigned long long* vector_undecided, CallState* totals, cudaStream_t);

}  // namespace accublas::cuda
