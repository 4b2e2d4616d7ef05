// What the engines know of the lines of their operands, and of each side as a whole.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"

namespace accublas::cuda {

/// Fills both sides' Lines (padding included) and summaries in at most two reads of each operand. `with_lambda`: also
/// lambda (always wanted but for fixed:T). nonzero may be null. Nothing where the call is refused. Where both sides
/// have the same Lines, which then are of the same operand, they are measured once.
template <class T>
void measure(const DeviceModel&, const Operand<T>& rows, const Lines& row_lines, const Operand<T>& cols,
             const Lines& col_lines, bool with_lambda, CallState* state, cudaStream_t);
/// The same in less time, where no bits follow from the lines: lambda (a sum of abs(x) 2^(24 - E), rounded up) and norm
/// are upper bounds, close to some 2^-17 (with lines of thousands of entries a thread 2^-11), last_bit is a lower
/// bound. Also what the summaries tell certify_lines.
template <class T>
void measure_bounds(const DeviceModel&, const Operand<T>& rows, const Lines& row_lines, const Operand<T>& cols,
                    const Lines& col_lines, CallState* state, cudaStream_t);

/// `lines`, in pairs: lines 2 i and 2 i + 1 are what is known of line i of `numbers`, whose terms are in pairs, the
/// second one with these exchanged.
void spread_over_pairs(const DeviceModel&, const Lines& numbers, const Lines& lines, bool with_lambda, cudaStream_t);

/// Lines 2 i and 2 i + 1 hold the same magnitudes in another order: what was rounded on the way to norm and lambda is
/// made one, so that both are scaled alike. with_lambda: as they were measured.
void share_in_pairs(const DeviceModel&, const Lines&, bool with_lambda, cudaStream_t);

}  // namespace accublas::cuda
