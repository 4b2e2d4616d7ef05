// The kernels of QR's panels, as cuda/qr/qr_panel.hpp has them.
#pragma once

#include "cuda/qr/qr_panel.hpp"

namespace accublas::cuda {

namespace portable {

/// Rows in registers, all columns at a time.
template <class E>
int qr_panel_blocks(const DeviceModel&, Index rows);
template <class E>
void factor_panel(const DeviceModel&, const QrPanel<E>&, std::uint32_t steps, cudaStream_t);

}  // namespace portable

namespace hopper {

/// Rows in shared memory, 8 columns at a time in registers.
int qr_panel_blocks(const DeviceModel&, Index rows);
void factor_panel(const DeviceModel&, const QrPanel<double>&, std::uint32_t steps, cudaStream_t);

/// On the tensor cores.
Index qr_block_sums(Index cols);
void apply_panel(const DeviceModel&, const QrBlock<double>&, Index first, cudaStream_t);
void join_triangles(const DeviceModel&, const QrBlock<double>&, cudaStream_t);

}  // namespace hopper

}  // namespace accublas::cuda
