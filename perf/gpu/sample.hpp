// Errors of a product on sampled elements, against sums in twice the precision on the host.
#pragma once

#include "perf/gpu/data.hpp"

namespace gpu_bench {

/// C = A B, column-major with the least leading dimensions, in device memory.
template <class T>
struct Product {
  Index m, n, k;
  const T *a, *b, *c;
};

struct SampledError {
  double largest;  ///< largest abs(c - exact) in units of u (abs(A) abs(B))
  double allowed;  ///< the largest of the promise below on the same elements, in the same units
};
/// 64 elements, in 16 rows and 4 columns spread over C. The promise: relative abs(exact) + componentwise (abs(A)
/// abs(B)).
template <class T>
SampledError sample_error(const Product<T>& product, double relative, double componentwise);

}  // namespace gpu_bench
