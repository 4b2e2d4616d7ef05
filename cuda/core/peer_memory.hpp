// Copies between devices.
#pragma once

#include "cuda/core/check.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// Returns whether copy_between carries the memory of calls from each of two devices to the other. The first call for
/// two devices lets them access each other's memory if they can, and tries copies: hosts exist whose driver reports
/// access between devices but drops what they write. Such devices, and those without access, copy by way of the host.
bool exchange_memory(int device, int other);

/// Allows or forbids `peer` to access the memory that calls have on `device`. Returns false if the driver refuses.
bool set_peer_access(int device, int peer, bool allowed);

/// Copies a matrix in memory of calls from one device to another, or within one. Both are stored by columns, or both by
/// rows.
template <class E>
void copy_between(const Matrix<E>& from, int from_device, const Matrix<E>& to, int to_device, Index rows, Index cols,
                  cudaStream_t stream) {
  const bool by_columns = from.row_stride == 1;
  const auto bytes = [](Index numbers) { return static_cast<std::size_t>(numbers) * sizeof(E); };
  const std::size_t width = bytes(by_columns ? rows : cols);
  const auto height = static_cast<std::size_t>(by_columns ? cols : rows);
  const auto pitched = [&](const Matrix<E>& x) {
    return cudaPitchedPtr{x.data, bytes(by_columns ? x.col_stride : x.row_stride), width, height};
  };
  const cudaPitchedPtr source = pitched(from), target = pitched(to);
  if (from_device == to_device)
    return check(cudaMemcpy2DAsync(target.ptr, target.pitch, source.ptr, source.pitch, width, height,
                                   cudaMemcpyDeviceToDevice, stream),
                 "copying a panel");
  cudaMemcpy3DPeerParms copy{};
  copy.srcPtr = source;
  copy.srcDevice = from_device;
  copy.dstPtr = target;
  copy.dstDevice = to_device;
  copy.extent = {width, height, 1};
  check(cudaMemcpy3DPeerAsync(&copy, stream), "copying a panel to another device");
}

}  // namespace accublas::cuda
