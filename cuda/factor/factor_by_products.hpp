// LAPACK's factorizations, and the solutions by them, in dp and sp on a device.
#pragma once

#include "cuda/core/staging.hpp"
#include "cuda/factor/outcome.hpp"
#include "lib/call/factorization.hpp"

namespace accublas::cuda {

template <class E>
class HostColumns;

/// What products of dp and sp are made by.
template <class E>
struct GradeProducts {
  DeviceGemmFunction<E> serve;
  /// For a product of m x n results with k terms: engine int8, or native where that is faster.
  accublas_engine (*engine)(const DeviceModel&, Index m, Index n, Index k);
};

/// Whether the device has room for the panels of the call.
template <class E>
bool has_panels(const DeviceModel&, const Factorization<E>&);

/// The call within LAPACK's bounds of the backward error (docs/factorizations.md, "dp on a GPU"), device operands, into
/// *outcome, which is zero before: halves of the columns one after the other, down to panels and blocks in
/// floating-point arithmetic as it is, and products of dp between them. Asynchronous; throws
/// Error(ACCUBLAS_ERROR_MEMORY) before anything is written, ACCUBLAS_ERROR_C_UNDEFINED after that.
/// `host`: unless null, of a factorization alone, where A lies instead; the call waits for the device then.
template <class E>
void factor_by_products(State&, const Call<Factorization<E>, E>&, FactorOutcome* outcome, const GradeProducts<E>&,
                        HostColumns<E>* host, Execution&);

}  // namespace accublas::cuda
