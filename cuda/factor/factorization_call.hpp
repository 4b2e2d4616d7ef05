// A call of LAPACK's factorizations on a device.
#pragma once

#include "cuda/factor/factor_by_products.hpp"

namespace accublas::cuda {

/// Device operands, `products` for dp and sp. Asynchronous where info is the device's too; else it waits for info.
/// Throws Error as factor_by_sums and factor_by_products do.
template <class E>
void factorization_call(State&, const Call<Factorization<E>, E>&, Execution&, const GradeProducts<E>& products);

/// Host operands, on copies. Returns when all is final.
template <class E>
void staged_factorization(State&, const Call<Factorization<E>, E>&, Execution&, const GradeProducts<E>& products);

}  // namespace accublas::cuda
