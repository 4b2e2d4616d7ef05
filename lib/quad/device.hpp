// Products beyond double precision on a CUDA device. A build without CUDA has a stub.
#pragma once

#include "lib/call/backend.hpp"
#include "lib/quad/calls.hpp"

namespace accublas::quad {

/// How a product runs on a device.
struct DeviceCall {
  BackendState* state;
  bool operands_on_device;  ///< all matrices; else all are in host memory
  accublas_engine wanted;   ///< int8, sums or auto
  accublas_engine used = ACCUBLAS_ENGINE_SUMS;
  std::size_t cap;  ///< of the workspace on the device
  void* buffer;     ///< the caller's workspace in device memory, or null
  std::size_t buffer_bytes;
  accublas_report_t* report;
  std::size_t peak = 0;         ///< bytes of workspace that the call took
  bool result_on_host = false;  ///< a product of operands on the device has its only result in host memory
};

/// Whether a device computes a product on host operands faster than the CPU, copies included.
bool worth_copying(Index m, Index n, Index k);
/// Whether a device computes with a matrix as it lies in memory, in device memory or by a copy of host memory.
bool fits_device(const Operand& operand, Index rows, Index cols, bool on_device);

/// C = alpha A B + beta C for k > 0 and a finite or infinite alpha that is not 0: the bits of `multiply`. Returns when
/// C is final. Exceptions of results in host memory are signalled. Throws TooSmall, before C is written, for the engine
/// int8 in a workspace that is too small for it.
void multiply_on_device(const Product& product, DeviceCall& call);
/// `norm` of a vector in device memory: the same bits. Returns when the result is final.
void norm_on_device(Index n, const Operand& x, const Results& result, DeviceCall& call);
/// `solve` of operands in device memory: the same bits. Returns when the result is final.
void solve_on_device(const Solve& solve, DeviceCall& call);

}  // namespace accublas::quad
