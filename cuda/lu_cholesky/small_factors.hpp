// Factorizations of batches of matrices of at most 32 rows and columns, and solutions by factors of at most 128, in cr
// and in plain arithmetic. A warp or a part of it factors a matrix in shared memory. small_lu.hpp has a faster kernel
// for most LU factorizations.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/check.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/matrices.hpp"
#include "lib/call/factorization_batch.hpp"

namespace accublas::cuda {

/// The most rows and columns of matrices that small_factors and small_lu factor.
inline constexpr int most_factored_lines = 32;
/// Kernels of batches take at most this many matrices.
inline constexpr Index most_matrices = Index{1} << 30;

/// Returns how much shared memory a thread block may have.
inline std::size_t shared_bytes_of_block(const DeviceModel& model) {
  int most = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, model.device), "shared memory");
  return static_cast<std::size_t>(most);
}

/// The info value of a matrix whose factorization small_lu leaves to small_factors.
inline constexpr int pending_info = -1;

/// The part of a batch that small_factors computes: all of it; the factorizations alone of matrices with pending_info;
/// or the solutions alone, of matrices whose info is zero, or of all matrices if info is null.
enum class SmallPart { all, pending, solutions };

/// Returns whether small_factors serves a batch of this shape: whole matrices fit in the shared memory of a thread
/// block, and LU is factored in cr.
template <class E>
bool small_factors_serve(const DeviceModel&, const FactorizationBatch<E>&, bool cr);

/// Computes the batch on device operands, as docs/factorizations.md defines it (`cr`) or with every operation rounded.
/// `info`, unless null, receives the info values of a factorization. The number of elements that exact sums compute is
/// added to *undecided.
template <class E>
void small_factors(const DeviceModel&, const FactorizationBatch<E>&, bool cr, SmallPart part, std::int64_t* info,
                   unsigned long long* undecided, cudaStream_t);

}  // namespace accublas::cuda
