// Measures the lines of the engines' operands, and each side as a whole.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_group.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/group_terms.hpp"
#include "cuda/core/operand.hpp"

namespace accublas::cuda {

/// Fills both sides' Lines (padding included) and summaries in at most two reads of each operand. `with_lambda`: also
/// measures lambda, which all modes but fixed:T need. nonzero may be null. Does nothing if the call is refused. If both
/// sides have the same Lines, and hence the same operand, they are measured once.
template <class T>
void measure(const DeviceModel&, const Operand<T>& rows, const Lines& row_lines, const Operand<T>& cols,
             const Lines& col_lines, bool with_lambda, CallState* state, cudaStream_t, const CallGroup<T>& group = {});
/// Same contract as `measure` with `with_lambda` false, but does nothing if *pending is zero.
template <class T>
void measure_if_pending(const DeviceModel&, const Operand<T>& rows, const Lines& row_lines, const Operand<T>& cols,
                        const Lines& col_lines, const unsigned long long* pending, CallState* state, cudaStream_t);
/// Faster alternative to `measure` for calls whose lines determine no promised bits. lambda (a sum of abs(x) 2^(24 -
/// E), rounded up) and norm are upper bounds, close to some 2^-17 (with lines of thousands of entries a thread, 2^-11);
/// last_bit is a lower bound. Also fills the summaries' members for certify_lines.
template <class T>
void measure_bounds(const DeviceModel&, const Operand<T>& rows, const Lines& row_lines, const Operand<T>& cols,
                    const Lines& col_lines, CallState* state, cudaStream_t);

/// Fills `terms` from the bitmaps of nonzero entries of real lines. Does nothing if the call is refused.
void find_group_terms(const DeviceModel&, const Lines& rows, const Lines& cols, const GroupTerms& terms,
                      const CallState* state, cudaStream_t);

/// Fills `lines`, which are in pairs, from `numbers`, whose terms are in pairs. Lines 2 i and 2 i + 1 get the
/// measurements of line i of `numbers`; the second line has the terms of a pair exchanged.
void spread_over_pairs(const DeviceModel&, const Lines& numbers, const Lines& lines, bool with_lambda, cudaStream_t,
                       const GroupStride& group = {});

/// Makes norm and lambda equal in lines 2 i and 2 i + 1, which hold the same magnitudes in another order, so that both
/// are scaled alike. Only roundings made them differ. with_lambda: as for `measure`.
void share_in_pairs(const DeviceModel&, const Lines&, bool with_lambda, cudaStream_t, const GroupStride& group = {});

}  // namespace accublas::cuda
