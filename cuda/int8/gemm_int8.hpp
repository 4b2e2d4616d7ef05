// Engine int8: a call's flow, put on the stream without waiting for the host.
#pragma once

#include "cuda/core/matrices.hpp"
#include "cuda/core/state.hpp"
#include "cuda/native/native_offer.hpp"
#include "cuda/sums/pair_sums.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// C = alpha A B + beta C with operands in device memory, modes fixed, dp and sp (reproducible or not) and cr,
/// by INT8 residue products and the Chinese remainder theorem. Asynchronous; memory is taken before anything is
/// written. With an offer, dp and sp leave data that they are slower on to cuBLAS, the others to exact accumulators
/// where the certificate rejects an element: no promise of bits, the promised error. Throws Error.
template <class T>
void int8_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution, const NativeOffer* offer);

/// The first elements of the matrices of a batch.
template <class T>
struct BatchOperands {
  BatchArray<const T> a, b;
  BatchArray<T> c;
};
/// Computes `count` products of one shape in groups that share their launches, as many products at a time as the
/// workspace holds. Every product has the values of int8_gemm. `shape` has no data; its mode is cr, a reproducible dp
/// or sp, or fixed:T without a target; alpha is not a zero in host memory, and k is not zero. Returns false, and has
/// put nothing on the stream, if the workspace does not hold two products whose residues are one block.
template <class T>
bool int8_batch(State& state, const Call<Gemm<T>, T>& shape, Index count, const BatchOperands<T>& operands,
                Execution& execution);

/// sums += A B by so many moduli, element (i, j) of the product to element (i, j) of the sums: C, alpha and beta of the
/// problem play no part. Asynchronous, in `memory` of int8_sums_bytes, which depend on the problem's shape and strides
/// and on the cap of the workspace alone; throws Error.
template <class T>
void int8_sums(State& state, const Gemm<T>& problem, int moduli, const PairSums& sums, std::byte* memory,
               Execution& execution);
template <class T>
std::size_t int8_sums_bytes(State& state, const Gemm<T>& problem, int moduli, Execution& execution);

}  // namespace accublas::cuda
