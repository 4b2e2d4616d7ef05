// The address and the increment by which BLAS takes a vector.
#pragma once

#include "lib/call/problem.hpp"

namespace accublas {

/// Returns the lowest address of a vector of n elements, which BLAS takes even with a negative increment.
template <class T>
T* lowest(const Vector<T>& x, Index n) {
  return x.stride < 0 && n > 1 ? x.data + (n - 1) * x.stride : x.data;
}

/// Returns BLAS's increment; the stride of one element is never used.
template <class T>
Index increment(const Vector<T>& x, Index n) {
  return n > 1 ? x.stride : 1;
}

}  // namespace accublas
