// Complex products with one column whose alpha or beta has two parts, which join both components of an inner product
// before the rounding (docs/modes.md, "Complex types"): row by row, by exact sums, in every bit-defined mode. The twin
// on a device of lib/cpu/structured/elements.cpp.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "lib/call/mode.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cuda {

/// Lines as a product of components has them: entry t of row i at rows[i stride + t], of the columns for Re and Im at
/// columns[part][t].
template <class T>
struct JoinedRows {
  Index m, terms;
  const T* rows;
  Index stride;
  const T* columns[2];
  Vector<Complex<T>> y;
  Scalar<Complex<T>> alpha, beta;
  Mode mode;  ///< cr where it defines no bits
  int rho;    ///< of slices
};

/// y_i of all rows; nothing where alpha and beta turn out to be real.
template <class T>
void joined_rows(const DeviceModel&, const JoinedRows<T>&, cudaStream_t);

/// to[0] and to[1]: the real parts of alpha and beta where both are real, else 0 and 1, which leave a result alone.
template <class T>
void real_scalars(const DeviceModel&, Scalar<Complex<T>> alpha, Scalar<Complex<T>> beta, T* to, cudaStream_t);

}  // namespace accublas::cuda
