// Launchers of DOT, GEMV, NRM2 and ASUM for operands in device memory, in the modes dot2, cr (also dp and sp
// reproducible, whose values are cr's) and, except for the norms, fixed:T. The bits are those of the CPU's engines
// (lib/cpu/engines.hpp) and of docs/modes.md, including special values and BLAS's quick returns.
//
// The launchers share a contract: a launcher puts work on the stream and returns; it neither allocates nor waits, so a
// graph can capture it. All pointers are device pointers. Strides count elements and may have any sign, or be zero. A
// failed launch is thrown as Error by check(). Complex operands are read in place, and each number must be aligned to
// its size. alpha and beta are real.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "lib/call/product.hpp"

namespace accublas::cuda {

enum class VectorMode { dot2, cr, fixed };

/// The terms that are added up: DOT's and GEMV's x_i y_i, NRM2's x_i^2, ASUM's abs(x_i).
enum class Terms { products, squares, magnitudes };

/// The environment of a call. Only one stream at a time may use a state and its scratch.
struct VectorCall {
  const DeviceModel& model;
  VectorState* state;
  void* scratch;  ///< vector_scratch_bytes, aligned to 256; contents do not matter
  cudaStream_t stream;
  bool all_undecided =
      false;  ///< test hook: the exact accumulators compute every output of cr and fixed; no bit changes
};

/// Returns the bytes of scratch of a GEMV with m rows and k columns; DOT has m = 1, k = n. `components` is 2
/// for complex numbers.
std::size_t vector_scratch_bytes(const DeviceModel&, VectorMode, Index m, Index k, int components = 1);

template <class E>
void dot2_dot(const VectorCall&, const Dot<E>&);
template <class E>
void cr_dot(const VectorCall&, const Dot<E>&);
template <class E>
void fixed_dot(const VectorCall&, const Dot<E>&, int bits);

/// These functions use the scalars alpha and beta that are passed, not those of the problem.
template <class E>
void dot2_gemv(const VectorCall&, const Gemv<E>&, Scalar<RealOf<E>> alpha, Scalar<RealOf<E>> beta);
template <class E>
void cr_gemv(const VectorCall&, const Gemv<E>&, Scalar<RealOf<E>> alpha, Scalar<RealOf<E>> beta);
template <class E>
void fixed_gemv(const VectorCall&, const Gemv<E>&, int bits, Scalar<RealOf<E>> alpha, Scalar<RealOf<E>> beta);

/// y = alpha A x + beta y with a symmetric or Hermitian A of order n.
template <class E>
struct Symv {
  Index n;
  accublas::Operand<E> a;
  Vector<const E> x;
  Vector<E> y;
};

/// Computes SYMV or HEMV. alpha must not be zero, nor n. Only the stored triangle is read. `bits` is T of fixed:T.
template <class E>
void symv(const VectorCall&, VectorMode, const Symv<E>&, int bits, Scalar<RealOf<E>> alpha, Scalar<RealOf<E>> beta);
std::size_t symv_scratch_bytes(const DeviceModel&, VectorMode, Index n, int components);

/// Computes NRM2 (the root of the sum of squares) or ASUM (the sum of magnitudes), in modes dot2 and cr.
template <class T>
void norm(const VectorCall&, VectorMode, Terms, const Reduction<T>&);
std::size_t norm_scratch_bytes(const DeviceModel&, Index n);

}  // namespace accublas::cuda
