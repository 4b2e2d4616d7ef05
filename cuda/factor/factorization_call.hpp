// A call of LAPACK's factorizations on a device.
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/execution.hpp"
#include "lib/call/factorization.hpp"

namespace accublas::cuda {

/// Device operands. Asynchronous where info is the device's too; else it waits for info. Throws Error as factor_by_sums
/// does.
template <class E>
void factorization_call(State&, const Call<Factorization<E>, E>&, Execution&);

/// Host operands, on copies. Returns when all is final.
template <class E>
void staged_factorization(State&, const Call<Factorization<E>, E>&, Execution&);

}  // namespace accublas::cuda
