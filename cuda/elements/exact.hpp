// The end of every GEMM engine: the elements that it left open. First by sums with a bound of their error, then by
// exact accumulators.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"

namespace accublas::cuda {

struct Pair;

/// Every element that is open: zero by structure (no term other than zero), special values, or an exact accumulator.
/// Returns at once where there is none.
template <class T>
struct ExactArguments {
  Operand<T> rows, cols;
  Lines row_lines, col_lines;
  Matrix<T> at;
  Scalar<T> alpha, beta;
  std::uint32_t* open;
  CallState* state;
  Pair* pairs = nullptr;  ///< dot2 leaves its pairs here, that of (row, col) at row n + col, and C alone
};
/// Before a further pass that many open elements would make: writes those without a term, and clears their bits.
template <class T>
void resolve_structural_zeros(const DeviceModel&, const ExactArguments<T>&, int index, cudaStream_t);
template <class T>
void exact(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);

// The two steps of exact().
/// Open elements of finite lines whose grid sum decides: writes them and clears their bits; leaves the others alone.
/// grid_elements.cu.
template <class T>
void decide_by_grid_sums(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);

/// All that is open, by exact accumulators. exact.cu.
template <class T>
void accumulate_open_elements(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);

}  // namespace accublas::cuda
