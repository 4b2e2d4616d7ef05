// The two versions of QR's kernels, with the contracts of cuda/qr/qr_panel.hpp. `steps` counts the exchanges before the
// panel.
#pragma once

#include "cuda/qr/qr_panel.hpp"

namespace accublas::cuda {

namespace portable {

/// The portable kernels keep the panel's rows in registers, with all columns.
template <class E>
int qr_panel_blocks(const DeviceModel&, Index rows);
template <class E>
void factor_panel(const DeviceModel&, const QrPanel<E>&, std::uint32_t steps, cudaStream_t);

}  // namespace portable

namespace hopper {

/// The kernels for compute capability 9.0 keep the panel's rows in shared memory, and 8 columns at a time in registers.
int qr_panel_blocks(const DeviceModel&, Index rows);
void factor_panel(const DeviceModel&, const QrPanel<double>&, std::uint32_t steps, cudaStream_t);

/// These kernels multiply on the tensor cores, in double precision.
Index qr_block_sums(Index cols);
void apply_panel(const DeviceModel&, const QrBlock<double>&, Index first, cudaStream_t);
void join_triangles(const DeviceModel&, const QrBlock<double>&, cudaStream_t);

}  // namespace hopper

}  // namespace accublas::cuda
