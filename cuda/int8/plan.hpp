// The device plans the passes of a call: bits, moduli and blocks. Every plan chooses the block by fit_block
// (cuda/int8/blocking.hpp) and keeps to what the host has launched for it. If it cannot, which would be a defect, it
// refuses the call and sets state->not_covered.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_group.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/int8/blocking.hpp"
#include "cuda/native/native_offer.hpp"

namespace accublas::cuda {

/// The time that decide_by_tiles takes for all elements, in units of a modulus of a pass.
struct TileTime {
  double all = 0;    ///< if tiles need all terms; 0: exact() does not run decide_by_tiles
  double start = 0;  ///< if they need none
};

/// Plans state->pass[index] for mode fixed:t if t > 0. If t = 0 it plans the pass with the T* of the certificate, for
/// the elements that are not open; the pass is inactive if there is no T*, or if the data make the offer worth taking.
/// target: 0, or what fixed:t must promise by exactness.
template <class T>
void plan_fixed(const DeviceModel&, int index, int t, const Lines& rows, const Lines& cols, const PassLaunch&,
                double target, Scalar<T> alpha, const NativeOffer*, CallState*, cudaStream_t,
                const GroupStride& group = {});
/// Plans state->pass[index] for the number of moduli that the certificate found and `spare` more, as far as the launch
/// has them, with lines scaled to equal norms. It computes all elements if the lines alone decided the number, else
/// those that are not open. The pass is inactive if the certificate found no number, or if the data make the offer
/// worth taking.
template <class T>
void plan_moduli(const DeviceModel&, int index, const Lines& rows, const Lines& cols, const PassLaunch&, int spare,
                 Scalar<T> alpha, const NativeOffer*, CallState*, cudaStream_t);
/// Plans state->pass[index] for cr. It takes the least number of moduli that leaves few elements undecided, estimated
/// from sampled elements (docs/internals/gpu.md). `certified` is 0 in a call of cr, else the number of elements
/// (certified_elements). In a certified call pass 0 is the one with T* for the elements that are not open, unless
/// state->all_by_cr is set. In other calls, and if that is set, a pass without an active pass before it computes all
/// elements. Otherwise it computes those that the certificate or Ziv's test has left open, by at least 5 moduli more
/// than an earlier cr pass. The pass is inactive if the exact kernel is faster for so few elements, or if complex
/// residues cannot hold the moduli that it needs. With a TileTime, pass and tiles are weighed. If no moduli leave few
/// elements undecided, the pass has those that take the least time together with the tiles. It is inactive if tiles
/// alone take the least; a pass of all elements then sets state->all_pending. If `slabs` is not 0, a pass that takes
/// the time of `slabs` moduli or more sets state->slabs.considered.
template <class T>
void plan_cr(const DeviceModel&, int index, Index certified, const Operand<T>& rows, const Lines& row_lines,
             const Operand<T>& cols, const Lines& col_lines, const PassLaunch&, const std::uint32_t* open,
             Scalar<T> alpha, const TileTime&, double slabs, CallState*, cudaStream_t, const CallGroup<T>& group = {});

/// Plans state->pass[0] as an interval pass with `moduli` moduli over all elements, for sums that another kernel uses.
void plan_sums(const DeviceModel&, int moduli, const Lines& rows, const Lines& cols, const PassLaunch&, CallState*,
               cudaStream_t);

}  // namespace accublas::cuda
