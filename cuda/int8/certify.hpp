// The certificate of dp and sp (docs/modes.md): its test of the sums that product.hpp forms.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/wanted.hpp"
#include "cuda/int8/certificate_ladder.hpp"

namespace accublas::cuda {

/// The certificate's test over a block's sums: raises state->largest_rung, counts in ->rejected and ->rejected_in_all,
/// sets ->all_by_cr if too many of the call's `elements` are rejected, sets the bits of rejected elements and of those
/// of special lines in `open` (see OpenBits), clears the others. Of the wanted elements; `wanted` is of the block.
template <class T>
void certify(const DeviceModel&, const std::int32_t* sums, Index block_cols, const Lines& rows, const Lines& cols,
             Index first_row, Index rows_count, Index first_col, Index cols_count, const Wanted& wanted, Index elements,
             std::uint32_t* open, CallState*, cudaStream_t);

}  // namespace accublas::cuda
