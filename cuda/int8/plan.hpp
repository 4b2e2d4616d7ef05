// Passes planned on the device. Every plan chooses the block by fit_block (cuda/int8/blocking.hpp) and keeps to
// what is launched for it; where it cannot, which would be a defect, the call is refused and state->not_covered set.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/int8/blocking.hpp"
#include "cuda/native/native_offer.hpp"

namespace accublas::cuda {

/// state->pass[index] for mode fixed:t (t > 0) or for the T* that the certificate found (t = 0; elements: those not
/// open). Inactive where T* is none, and where there is an offer that the data make worth taking. target: 0, or what
/// fixed:t must promise by exactness.
template <class T>
void plan_fixed(const DeviceModel&, int index, int t, const Lines& rows, const Lines& cols, const PassLaunch&,
                double target, Scalar<T> alpha, const NativeOffer*, CallState*, cudaStream_t);
/// state->pass[index] for the number of moduli that the certificate found, lines scaled to equal norms (elements: those
/// not open). Inactive where it found none.
template <class T>
void plan_moduli(const DeviceModel&, int index, const Lines& rows, const Lines& cols, const PassLaunch&,
                 Scalar<T> alpha, const NativeOffer*, CallState*, cudaStream_t);
/// state->pass[index] for cr, by the number of moduli that leaves few elements undecided, estimated from sampled
/// elements. `first`, where no pass before is active: all elements; else those open after pass index - 1 (of
/// certificate or Ziv's test), inactive where these are few enough for the exact kernel, and with at least 5 moduli
/// more than pass index - 1 if that was a cr pass. Inactive also where complex residues cannot hold what is asked for.
template <class T>
void plan_cr(const DeviceModel&, int index, bool first, const Operand<T>& rows, const Lines& row_lines,
             const Operand<T>& cols, const Lines& col_lines, const PassLaunch&, const std::uint32_t* open,
             Scalar<T> alpha, CallState*, cudaStream_t);

/// state->pass[0] for sums that others go on with, by so many moduli: an interval pass over all elements.
void plan_sums(const DeviceModel&, int moduli, const Lines& rows, const Lines& cols, const PassLaunch&, CallState*,
               cudaStream_t);

}  // namespace accublas::cuda
