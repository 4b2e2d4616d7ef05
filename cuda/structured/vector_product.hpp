// Products with one column whose operands are complex or structured: GEMV, DOTU and DOTC, SYMV, HEMV and TRMV. The
// kernels of cuda/vector/vector_call.hpp read the operands as they are stored, or lines that are written out. DSDOT and
// SDSDOT, which need wider copies, are here too.
#pragma once

#include "cuda/vector/vector_call.hpp"
#include "lib/call/product.hpp"

namespace accublas::cuda {

/// Computes y = alpha A x + beta y, A m x k. y may be in x's memory if A is triangular, alpha is 1 and beta is 0.
template <class E>
struct VectorProduct {
  Index m, k;
  accublas::Operand<E> a;
  Vector<const E> x;
  Vector<E> y;
};

/// Computes the product in every mode of GEMV, asynchronously. In `native` it uses cuBLAS's real GEMV if cuBLAS has no
/// routine for the product.
template <class E>
void vector_product(State&, const VectorProduct<E>&, ScalarArgument<E> alpha, ScalarArgument<E> beta, const Mode&,
                    accublas_engine, Execution&);

/// The operands are in device memory, as those of gemv_call and dot_call.
template <class T>
void complex_gemv(State&, const Call<Gemv<Complex<T>>, Complex<T>>&, Execution&);
template <class T>
void complex_dot(State&, const Call<Dot<Complex<T>>, Complex<T>>&, Execution&);
template <class T>
void mixed_dot(State&, const Call<MixedDot<T>, T>&, Execution&);

}  // namespace accublas::cuda
