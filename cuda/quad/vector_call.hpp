// Calls of matrix-vector products, norms and triangular systems beyond double precision, on operands in device memory.
#pragma once

#include "cuda/core/state.hpp"
#include "lib/quad/device.hpp"

namespace accublas::cuda {

/// Whether `sum_vector` computes a product: C has one row or one column, and sums are not refused.
bool is_vector_product(const quad::Product& product, const quad::DeviceCall& call);

/// C = alpha A B + beta C by exact sums, or with `root` the root of A B. If call.result_on_host is set, the only
/// element of C lies in host memory. Returns the exceptions of the results.
unsigned sum_vector(State& state, const quad::Product& product, bool root, quad::DeviceCall& call);

/// Solves a triangular system. Returns the exceptions of the results.
unsigned solve_columns(State& state, const quad::Solve& solve, quad::DeviceCall& call);

}  // namespace accublas::cuda
