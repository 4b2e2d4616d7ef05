// p?gemm_, p?symm_, p?hemm_ and p?trmm_.
#include "c_api/pblas/call.hpp"
#include "c_api/pblas/product.hpp"
#include "c_api/pblas/routines.hpp"
#include "c_api/pblas/split_product.hpp"

namespace accublas::pblas {
namespace {

template <class E>
void distributed_product(const Caller& by, const Grid& grid, const Source& a, const Source& b, E alpha, E beta,
                         const Part& c, InPlace in_place = InPlace::none) {
  bool is_member = false;
  const Scope scope = scope_of(grid, {&a.part, &b.part, &c}, is_member);
  if (is_member) DistributedProduct<E>(by, team_of(grid, scope), a, b, alpha, beta, c, in_place).run();
}

/// SYMM and HEMM.
template <class E>
bool distributed_symm(const char* name, Operation operation, Structure structure, char side, char uplo, int m, int n,
                      E alpha, const MatrixArgument<const E>& a, const MatrixArgument<const E>& b, E beta,
                      const MatrixArgument<E>& c) {
  const Grid grid = grid_of(a.d.context);
  const int order = side == 'L' ? m : n;
  if (grid.row < 0 || !is_one_of(side, "LR") || !is_one_of(uplo, "UL") || !a.is_good(grid, order, order) ||
      !b.is_good(grid, m, n) || !c.is_good(grid, m, n))
    return false;
  const Caller by{name, mode_of(name, {operation, type_of<E>})};
  if (is_scalapacks(by.mode)) return false;
  if (m == 0 || n == 0 || (alpha == 0 && beta == 1)) return true;
  Source left{a.part(grid, order, order), ACCUBLAS_NO_TRANS, structure,
              uplo == 'U' ? Triangle::upper : Triangle::lower},
      right{b.part(grid, m, n)};
  if (side == 'R') std::swap(left, right);
  distributed_product(by, grid, left, right, alpha, beta, c.part(grid, m, n));
  return true;
}

}  // namespace

template <class E>
bool gemm(const char* name, const char* transa, const char* transb, const int* m, const int* n, const int* k,
          const E* alpha, const E* a, const int* ia, const int* ja, const int* desca, const E* b, const int* ib,
          const int* jb, const int* descb, const E* beta, E* c, const int* ic, const int* jc, const int* descc) {
  const char of_a = capital(transa), of_b = capital(transb);
  const MatrixArgument<const E> left(a, ia, ja, desca), right(b, ib, jb, descb);
  const MatrixArgument<E> result(c, ic, jc, descc);
  const Grid grid = grid_of(left.d.context);
  const bool plain_a = of_a == 'N', plain_b = of_b == 'N';
  const int a_rows = plain_a ? *m : *k, a_cols = plain_a ? *k : *m, b_rows = plain_b ? *k : *n,
            b_cols = plain_b ? *n : *k;
  if (grid.row < 0 || !is_one_of(of_a, "NTC") || !is_one_of(of_b, "NTC") || !left.is_good(grid, a_rows, a_cols) ||
      !right.is_good(grid, b_rows, b_cols) || !result.is_good(grid, *m, *n))
    return false;
  const Caller by{name, mode_of(name, {Operation::gemm, type_of<E>})};
  if (is_scalapacks(by.mode)) return false;
  if (*m == 0 || *n == 0 || ((*alpha == 0 || *k == 0) && *beta == 1)) return true;
  const Source left_source{left.part(grid, a_rows, a_cols), transpose_of(of_a)},
      right_source{right.part(grid, b_rows, b_cols), transpose_of(of_b)};
  const Part of_c = result.part(grid, *m, *n);
  bool is_member = false;
  const Scope scope = scope_of(grid, {&left_source.part, &right_source.part, &of_c}, is_member);
  if (!is_member) return true;
  const Team& team = team_of(grid, scope);
  if (!(*alpha == 0) && *k > 0 && SplitProduct<E>::pays(team, by.mode, left_source, right_source, of_c))
    SplitProduct<E>(by, team, left_source, right_source, *alpha, *beta, of_c).run();
  else
    DistributedProduct<E>(by, team, left_source, right_source, *alpha, *beta, of_c).run();
  return true;
}

template <class E>
bool symm(const char* name, const char* side, const char* uplo, const int* m, const int* n, const E* alpha, const E* a,
          const int* ia, const int* ja, const int* desca, const E* b, const int* ib, const int* jb, const int* descb,
          const E* beta, E* c, const int* ic, const int* jc, const int* descc) {
  return distributed_symm<E>(name, Operation::symm, Structure::symmetric, capital(side), capital(uplo), *m, *n, *alpha,
                             {a, ia, ja, desca}, {b, ib, jb, descb}, *beta, {c, ic, jc, descc});
}

template <class E>
bool hemm(const char* name, const char* side, const char* uplo, const int* m, const int* n, const E* alpha, const E* a,
          const int* ia, const int* ja, const int* desca, const E* b, const int* ib, const int* jb, const int* descb,
          const E* beta, E* c, const int* ic, const int* jc, const int* descc) {
  return distributed_symm<E>(name, Operation::hemm, Structure::hermitian, capital(side), capital(uplo), *m, *n, *alpha,
                             {a, ia, ja, desca}, {b, ib, jb, descb}, *beta, {c, ic, jc, descc});
}

template <class E>
bool trmm(const char* name, const char* side, const char* uplo, const char* transa, const char* diag, const int* m,
          const int* n, const E* alpha, const E* a, const int* ia, const int* ja, const int* desca, E* b, const int* ib,
          const int* jb, const int* descb) {
  const bool left = capital(side) == 'L';
  const MatrixArgument<const E> triangle(a, ia, ja, desca);
  const MatrixArgument<E> result(b, ib, jb, descb);
  const Grid grid = grid_of(triangle.d.context);
  const int order = left ? *m : *n;
  if (grid.row < 0 || !is_one_of(capital(side), "LR") || !is_one_of(capital(uplo), "UL") ||
      !is_one_of(capital(transa), "NTC") || !is_one_of(capital(diag), "NU") || !triangle.is_good(grid, order, order) ||
      !result.is_good(grid, *m, *n))
    return false;
  const Caller by{name, mode_of(name, {Operation::trmm, type_of<E>})};
  if (is_scalapacks(by.mode)) return false;
  if (*m == 0 || *n == 0) return true;
  const Part c = result.part(grid, *m, *n);
  const Source of_a{triangle.part(grid, order, order), transpose_of(capital(transa)), Structure::triangular,
                    capital(uplo) == 'U' ? Triangle::upper : Triangle::lower, capital(diag) == 'U'},
      of_b{c};
  if (left)
    distributed_product(by, grid, of_a, of_b, *alpha, E{}, c, InPlace::right);
  else
    distributed_product(by, grid, of_b, of_a, *alpha, E{}, c, InPlace::left);
  return true;
}

#define ACCUBLAS_PBLAS_PRODUCTS(E)                                                                                   \
  template bool gemm(const char*, const char*, const char*, const int*, const int*, const int*, const E*, const E*,  \
                     const int*, const int*, const int*, const E*, const int*, const int*, const int*, const E*, E*, \
                     const int*, const int*, const int*);                                                            \
  template bool symm(const char*, const char*, const char*, const int*, const int*, const E*, const E*, const int*,  \
                     const int*, const int*, const E*, const int*, const int*, const int*, const E*, E*, const int*, \
                     const int*, const int*);                                                                        \
  template bool trmm(const char*, const char*, const char*, const char*, const char*, const int*, const int*,        \
                     const E*, const E*, const int*, const int*, const int*, E*, const int*, const int*, const int*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_PBLAS_PRODUCTS)
#define ACCUBLAS_PBLAS_HEMM(E)                                                                                       \
  template bool hemm(const char*, const char*, const char*, const int*, const int*, const E*, const E*, const int*,  \
                     const int*, const int*, const E*, const int*, const int*, const int*, const E*, E*, const int*, \
                     const int*, const int*);
ACCUBLAS_PBLAS_HEMM(Complex<double>)
ACCUBLAS_PBLAS_HEMM(Complex<float>)

}  // namespace accublas::pblas
