// A call of level 1 as BLAS has it: an inner product or a norm.
#pragma once

#include "lib/call/routine.hpp"

namespace accublas {

/// All arguments that are not elements of the vectors. The norms have no incy.
struct Level1Shape {
  Operation kind;
  bool complex;
  std::int64_t n = 0, incx = 1, incy = 1;

  /// These functions return the sizes of a product.
  std::int64_t rows() const { return 1; }
  std::int64_t cols() const { return 1; }
  std::int64_t inner() const { return n > 0 ? n : 0; }
};

/// A call of level 1. x and y have elements of type E, of DSDOT and SDSDOT float; the result has type E, of a norm the
/// type of its components.
template <class E>
struct Level1 : Level1Shape {
  E addend{};  ///< of SDSDOT
  const void *x = nullptr, *y = nullptr;
  void* result = nullptr;

  Routine routine() const { return {kind, type_of<E>}; }
};

}  // namespace accublas
