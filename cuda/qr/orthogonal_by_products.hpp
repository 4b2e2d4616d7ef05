// LAPACK's QR factorization, and the matrices of its reflectors, in dp and sp on a device.
#pragma once

#include "cuda/native/inner_products.hpp"
#include "lib/call/orthogonal.hpp"

namespace accublas::cuda {

/// Returns whether the device has room for the panels of the call. GELS consists of other calls.
template <class E>
bool has_panels(const DeviceModel&, const Orthogonal<E>&);

/// Computes GEQRF, ORGQR or ORMQR on device operands with the backward error of docs/factorizations.md, "dp on a GPU".
/// The host does not wait. Throws Error(ACCUBLAS_ERROR_MEMORY) before anything is written, and
/// Error(ACCUBLAS_ERROR_C_UNDEFINED) after that.
template <class E>
void orthogonal_by_products(State&, const Call<Orthogonal<E>, E>&, const GradeProducts<E>&, Execution&);

}  // namespace accublas::cuda
