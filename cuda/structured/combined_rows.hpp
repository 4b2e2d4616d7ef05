// Complex products with one column whose alpha or beta has an imaginary part. Such a factor combines both components of
// an inner product before the rounding (docs/modes.md, "Complex types"). The rows are computed one by one, by exact
// sums, in every bit-defined mode. lib/cpu/structured/elements.cpp is the twin on the CPU.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "lib/call/mode.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cuda {

/// The problem y = alpha A x + beta y for an m x k matrix A or, if `conjugate` is set, for its conjugate. Every number
/// of A and x must be aligned to its size.
template <class T>
struct CombinedRows {
  Index m, k;
  Matrix<const Complex<T>> a;
  bool conjugate;
  Vector<const Complex<T>> x;
  Vector<Complex<T>> y;
  Scalar<Complex<T>> alpha, beta;
  Mode mode;  ///< cr where it defines no bits
  int rho;    ///< of slices
};

/// Computes y_i for all rows; does nothing if alpha and beta turn out to be real.
template <class T>
void combined_rows(const DeviceModel&, const CombinedRows<T>&, cudaStream_t);

/// Sets to[0] and to[1] to the real parts of alpha and beta if both are real, else to 0 and 1, which leave a result as
/// it is.
template <class T>
void real_scalars(const DeviceModel&, Scalar<Complex<T>> alpha, Scalar<Complex<T>> beta, T* to, cudaStream_t);

}  // namespace accublas::cuda
