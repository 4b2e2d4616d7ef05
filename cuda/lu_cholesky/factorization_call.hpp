// Calls of LAPACK's factorizations on a device.
#pragma once

#include "cuda/lu_cholesky/column_source.hpp"
#include "cuda/lu_cholesky/factor_by_products.hpp"

namespace accublas::cuda {

/// Computes a call on device operands, or on the columns of a source, and puts *info, unless null, on the stream.
template <class E>
void compute_factorization(State&, const Call<Factorization<E>, E>&, std::int64_t* info, Execution&,
                           const GradeProducts<E>& products, const ColumnSource<E>& = {});

/// Serves a call with device operands; `products` is used for dp and sp. The call is asynchronous if info is in device
/// memory too; otherwise it waits for info. Throws Error as factor_by_sums and factor_by_products do.
template <class E>
void factorization_call(State&, const Call<Factorization<E>, E>&, Execution&, const GradeProducts<E>& products);

/// Serves a call with host operands, on copies. Returns when all results are final.
template <class E>
void staged_factorization(State&, const Call<Factorization<E>, E>&, Execution&, const GradeProducts<E>& products);

}  // namespace accublas::cuda
