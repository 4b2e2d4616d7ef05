// The problem that a batched routine computes.
#pragma once

#include "lib/call/problem.hpp"

namespace accublas {

/// The origins of the matrices of a batch: matrix i begins at base + i stride, or at pointers[i] if there are pointers.
template <class T>
struct Matrices {
  T* base;
  Index stride;
  T* const* pointers;
  T* operator[](Index i) const { return pointers ? pointers[i] : base + i * stride; }
  /// Returns the pointer that the caller passed.
  const void* argument() const {
    return pointers ? static_cast<const void*>(pointers) : static_cast<const void*>(base);
  }
};

/// `count` products of one shape with one alpha and one beta.
template <class T>
struct GemmBatch {
  Gemm<T> shape;  ///< of every matrix; its data pointers are unused
  Index count;
  Matrices<const T> a, b;
  Matrices<T> c;
  Gemm<T> operator[](Index i) const { return with(a[i], b[i], c[i]); }
  Gemm<T> with(const T* at_a, const T* at_b, T* at_c) const {
    Gemm<T> one = shape;
    one.a.data = at_a;
    one.b.data = at_b;
    one.c.data = at_c;
    return one;
  }
};

}  // namespace accublas
