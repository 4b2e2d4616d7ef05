#include "cuda/lu_cholesky/factor_steps.hpp"

#include "cuda/structured/level3_call.hpp"
#include "cuda/trsm/solve_by_halves.hpp"

namespace accublas::cuda {

namespace {

/// Returns whether an operand is conjugated but not transposed, which BLAS cannot express. A single column may as well
/// be taken as a row; the transposed product has a name in BLAS.
template <class E>
bool wants_transposition(const accublas::Operand<E>& a, const Matrix<E>& result) {
  return a.conjugate && a.stored.row_stride == 1 && result.row_stride == 1 && result.col_stride == 1;
}

/// Returns op(M) of a triangular system in the notation of BLAS. X, or its transpose, is column-major.
template <class E>
Level3<E> named_system(const TriangularSystem<E>& s) {
  const bool by_columns = s.x.row_stride == 1 && !wants_transposition(s.m, s.x);
  const accublas::Operand<E> m = by_columns ? s.m : s.m.transposed();
  const bool plain = m.stored.row_stride == 1 && !m.conjugate;
  const Triangle stored = plain ? m.part : transposed(m.part);
  const Index rows = by_columns ? s.order : s.sides, cols = by_columns ? s.sides : s.order;
  Level3<E> l{};
  l.kind = Operation::trsm;
  l.complex = is_complex<E>;
  l.side = by_columns ? ACCUBLAS_LEFT : ACCUBLAS_RIGHT;
  l.uplo = stored == Triangle::upper ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
  l.transa = plain ? ACCUBLAS_NO_TRANS : m.conjugate ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_TRANS;
  l.diag = m.unit ? ACCUBLAS_UNIT : ACCUBLAS_NON_UNIT;
  l.m = rows, l.n = cols;
  l.a = m.stored.data, l.lda = std::max(plain ? m.stored.col_stride : m.stored.row_stride, s.order);
  l.c = s.x.data, l.ldb = std::max(by_columns ? s.x.col_stride : s.x.row_stride, rows);
  l.alpha = s.alpha;
  return l;
}

/// Returns the call for C -= X^H X on upper triangles. X is terms x order. Both X and C, or both their transposes, are
/// column-major.
template <class E>
Level3<E> named_triangle(const Matrix<E>& x, Index terms, Index order, const Matrix<E>& c) {
  const bool by_columns = x.row_stride == 1;
  Level3<E> l{};
  l.kind = is_complex<E> ? Operation::herk : Operation::syrk;
  l.complex = is_complex<E>;
  l.uplo = by_columns ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
  l.transa = !by_columns ? ACCUBLAS_NO_TRANS : is_complex<E> ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_TRANS;
  l.n = order, l.k = terms;
  l.alpha = E{RealOf<E>(-1)}, l.beta = E{RealOf<E>(1)};
  l.a = x.data, l.lda = by_columns ? x.col_stride : x.row_stride;
  l.c = c.data, l.ldc = by_columns ? c.col_stride : c.row_stride;
  return l;
}

}  // namespace

template <class E>
void FactorSteps<E>::multiply(const Gemm<E>& g) {
  const accublas_engine engine = products_.engine(g.m, g.n, g.k);
  const bool transposed = g.n == 1 && wants_transposition<E>({g.a, g.conjugate_a}, g.c);
  products_.multiply(transposed ? g.transposed() : g, engine);
}

template <class E>
void FactorSteps<E>::native(const Level3<E>& l) {
  Cublas& cublas = products_.blas();
  cublas.scalars_on_device(false);
  cublas.level3(l);
}

template <class E>
void FactorSteps<E>::subtract_square(const Matrix<E>& x, Index terms, Index order, const Matrix<E>& c) {
  if (order == 0) return;
  const Level3<E> l = named_triangle(x, terms, order, c);
  const accublas_engine engine = products_.engine(order, order, terms);
  if (engine == ACCUBLAS_ENGINE_NATIVE) return native(l);
  level3_call(state_, Call<Level3<E>, E>{l, {&l.alpha, false}, {&l.beta, false}, true, true, mode_, engine},
              products_.execution(), products_.serve());
}

template <class E>
void FactorSteps<E>::solve(const TriangularSystem<E>& system) {
  if (system.order == 0 || system.sides == 0) return;
  for_halves(
      state_.model().tuning().trsm, system, 0, system.order, system.alpha,
      [&](Index first, Index count, const E& alpha) {
        TriangularSystem<E> part{count, system.sides, alpha, system.m, system.x.block(first, 0)};
        part.m.stored = system.m.stored.block(first, first);
        if constexpr (has_leaf<E>)
          solve_leaf(state_.model(), part, products_.stream());
        else
          native(named_system(part));
      },
      [&](const Gemm<E>& g) { multiply(g); });
  wrote = true;
}

#define ACCUBLAS_INSTANTIATE(E) template class FactorSteps<E>;
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
