// Runs a routine. lib/runtime/dispatch.cpp handles quick returns and special cases; lib/runtime/run.hpp handles
// settings, plan, workspace and engine.
#pragma once

#include "lib/call/batch.hpp"
#include "lib/call/factorization_batch.hpp"
#include "lib/call/level2.hpp"
#include "lib/call/level3.hpp"
#include "lib/call/problem.hpp"
#include "lib/runtime/context.hpp"

namespace accublas {

/// C = alpha A B + beta C. The function fills in `problem.alpha` and `problem.beta` from the pointers. The caller has
/// checked sizes and strides; this function checks pointers that would be read. `options` may be null. Throws Error.
template <class T>
void run_gemm(Context& context, Gemm<T> problem, const T* alpha, const T* beta, const accublas_options* options);

/// Runs a product of level 3, column-major. alpha and beta are real if BLAS has them so. A beta that the routine lacks
/// is not read.
template <class E, class A, class B>
void run_level3(Context& context, Level3<E> problem, const A* alpha, const B* beta, const accublas_options* options);

/// Runs a routine of level 2 other than GEMV, with the contract of `run_level3`. A factor that the routine lacks is not
/// read.
template <class E, class A, class B>
void run_level2(Context& context, Level2<E> problem, const A* alpha, const B* beta, const accublas_options* options);

/// Runs a factorization or a solution that uses one; *info is written unless the call fails.
template <class E>
void run_factorization(Context& context, Factorization<E> problem, const accublas_options* options);

/// Runs a factorization or a solution for every matrix of a batch, with the bits of calls one by one. The info values
/// are written unless the call fails.
template <class E>
void run_factorization_batch(Context& context, FactorizationBatch<E> batch, const accublas_options* options);

/// GEMM for every matrix of a batch, with the bits of calls one by one: T* of dp:repro belongs to the matrix.
template <class T>
void run_gemm_batched(Context& context, GemmBatch<T> batch, const T* alpha, const T* beta,
                      const accublas_options* options);

/// y = alpha A x + beta y.
template <class T>
void run_gemv(Context& context, Gemv<T> problem, const T* alpha, const T* beta, const accublas_options* options);

template <class T>
void run_dot(Context& context, const Dot<T>& problem, const accublas_options* options);

/// Runs DSDOT or SDSDOT; DSDOT has no addend.
template <class T>
void run_mixed_dot(Context& context, MixedDot<T> problem, const T* addend, const accublas_options* options);

template <class T>
void run_norm(Context& context, const Reduction<T>& problem, const accublas_options* options);

}  // namespace accublas
