// Products and triangular systems within LU, Cholesky's factorization and the solutions by factors, in dp and sp.
#pragma once

#include "cuda/native/inner_products.hpp"
#include "lib/call/factorization.hpp"

namespace accublas::cuda {

template <class E>
class FactorSteps {
 public:
  FactorSteps(State& state, const Mode& mode, InnerProducts<E>& products)
      : state_(state), mode_(mode), products_(products) {}

  /// Computes C -= op(A) B.
  void subtract(Index m, Index n, Index k, Matrix<const E> a, Matrix<const E> b, Matrix<E> c, bool conjugate_a) {
    multiply({m, n, k, E{RealOf<E>(-1)}, a, b, E{RealOf<E>(1)}, c, conjugate_a});
  }
  /// Computes C -= X^H X on upper triangles. X is terms x order.
  void subtract_square(const Matrix<E>& x, Index terms, Index order, const Matrix<E>& c);
  void solve(const TriangularSystem<E>&);

  bool wrote = false;  ///< part of the result is overwritten

 private:
  void multiply(const Gemm<E>&);
  void native(const Level3<E>&);

  State& state_;
  const Mode& mode_;
  InnerProducts<E>& products_;
};

}  // namespace accublas::cuda
