// Products with one column whose operands are complex, or described by a stored part: GEMV, DOTU and DOTC, SYMV, HEMV
// and TRMV by the real GEMV and DOT (cuda/vector/vector_call.hpp) on lines that are written out. Also DSDOT and SDSDOT,
// which need wider copies.
#pragma once

#include "cuda/vector/vector_call.hpp"
#include "lib/call/product.hpp"

namespace accublas::cuda {

/// y = alpha A x + beta y, A m x k. y may be x's memory where A is triangular, alpha 1 and beta 0.
template <class E>
struct VectorProduct {
  Index m, k;
  accublas::Operand<E> a;
  Vector<const E> x;
  Vector<E> y;
};

/// In every mode of GEMV; `native`, where cuBLAS has no routine for it, by its real GEMV. Asynchronous.
template <class E>
void vector_product(State&, const VectorProduct<E>&, ScalarArgument<E> alpha, ScalarArgument<E> beta, const Mode&,
                    accublas_engine, Execution&);

/// Operands in device memory, as those of gemv_call and dot_call.
template <class T>
void complex_gemv(State&, const Call<Gemv<Complex<T>>, Complex<T>>&, Execution&);
template <class T>
void complex_dot(State&, const Call<Dot<Complex<T>>, Complex<T>>&, Execution&);
template <class T>
void mixed_dot(State&, const Call<MixedDot<T>, T>&, Execution&);

}  // namespace accublas::cuda
