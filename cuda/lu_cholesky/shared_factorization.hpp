// LU and Cholesky's factorization of host matrices that several devices share.
#pragma once

#include "cuda/native/inner_products.hpp"
#include "lib/call/factorization.hpp"

namespace accublas::cuda {

/// Factors A on the devices of `execution`, each with some of the columns (cuda/lu_cholesky/shared_columns.hpp). One
/// device then solves, if the routine solves. Returns false, with nothing done, if one device has to compute the call:
/// a small matrix, a target, a matrix that does not fit each device, or devices between which copies do not arrive.
/// A failure of any device after a part of A was written is ACCUBLAS_ERROR_C_UNDEFINED.
template <class E>
bool share_factorization(State&, const Call<Factorization<E>, E>&, Execution&, const GradeProducts<E>&);

}  // namespace accublas::cuda
