// A call of the QR factorization on a batch of matrices.
#pragma once

#include <array>

#include "lib/call/batch.hpp"
#include "lib/call/orthogonal.hpp"

namespace accublas {

/// `count` factorizations of one shape. Each matrix has its own tau, one matrix after the other.
template <class E>
struct OrthogonalBatch {
  using Problem = Orthogonal<E>;

  Orthogonal<E> shape;  ///< of every matrix, with the first matrix's tau; its matrix has no data
  Index count;
  Matrices<E> a;

  Routine routine() const { return shape.routine(); }
  /// The sizes by which the work is shared out.
  std::array<Index, 3> sizes() const { return {shape.m, shape.n, shape.reflectors()}; }
  Orthogonal<E> operator[](Index i) const {
    Orthogonal<E> one = shape;
    one.a.data = a[i];
    one.tau += i * shape.reflectors();
    return one;
  }
};

}  // namespace accublas
