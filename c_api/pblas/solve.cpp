// p?trsm_. Each of P processes needs memory for A and for 1/P of B.
#include <algorithm>

#include "c_api/pblas/call.hpp"
#include "c_api/pblas/routines.hpp"
#include "c_api/pblas/shares.hpp"

namespace accublas::pblas {
namespace {

/// A call with checked arguments. The letters are netlib's. A process that has right-hand sides gets the whole
/// triangle.
template <class E>
void solve(const Caller& by, const Team& team, char side, char uplo, char trans, char diag, E alpha, const Part& a,
           const Part& b) {
  const bool left = side == 'L';
  const int order = left ? b.rows.count : b.cols.count;
  Shares<E> shares(by, team, left, b);
  Buffer<E> triangle;
  if (!(alpha == 0)) {
    Axis whole{order, By::rank, {}, {}};
    for (int rank = 0; rank < team.size(); ++rank) whole.members.push_back(shares.has_some(rank));
    if (shares.own() > 0) triangle = Buffer<E>(by.name, order, order);
    const Mask mask{uplo == 'U' ? Triangle::upper : Triangle::lower, diag == 'N'};
    Exchange(team, a, {whole, whole, triangle.data.get(), std::max(order, 1)}, sizeof(E), mask).finish();
  }
  shares.receive();
  if (shares.own() > 0) {
    const accublas_options options = by.options();
    Buffer<E>& x = shares.unknowns;
    require(by.name,
            ACCUBLAS_PBLAS_BY_TYPE(E, trsm_ex, nullptr, ACCUBLAS_COL_MAJOR, left ? ACCUBLAS_LEFT : ACCUBLAS_RIGHT,
                                   uplo == 'U' ? ACCUBLAS_UPPER : ACCUBLAS_LOWER, transpose_of(trans),
                                   diag == 'U' ? ACCUBLAS_UNIT : ACCUBLAS_NON_UNIT, x.rows, x.cols, &alpha,
                                   triangle.data.get(), order, x.data.get(), x.ld(), &options));
  }
  shares.give_back();
}

}  // namespace

template <class E>
bool trsm(const char* name, const char* side, const char* uplo, const char* transa, const char* diag, const int* m,
          const int* n, const E* alpha, const E* a, const int* ia, const int* ja, const int* desca, E* b, const int* ib,
          const int* jb, const int* descb) {
  const MatrixArgument<const E> triangle(a, ia, ja, desca);
  const MatrixArgument<E> result(b, ib, jb, descb);
  const Grid grid = grid_of(triangle.d.context);
  const int order = capital(side) == 'L' ? *m : *n;
  if (grid.row < 0 || !is_one_of(capital(side), "LR") || !is_one_of(capital(uplo), "UL") ||
      !is_one_of(capital(transa), "NTC") || !is_one_of(capital(diag), "NU") || !triangle.is_good(grid, order, order) ||
      !result.is_good(grid, *m, *n))
    return false;
  const Caller by{name, mode_of(name, {Operation::trsm, type_of<E>})};
  if (is_scalapacks(by.mode)) return false;
  if (*m == 0 || *n == 0) return true;
  const Part of_a = triangle.part(grid, order, order), of_b = result.part(grid, *m, *n);
  bool is_member = false;
  const Scope scope = scope_of(grid, {&of_a, &of_b}, is_member);
  if (is_member)
    solve(by, team_of(grid, scope), capital(side), capital(uplo), capital(transa), capital(diag), *alpha, of_a, of_b);
  return true;
}

#define ACCUBLAS_PBLAS_TRSM(E)                                                                                \
  template bool trsm(const char*, const char*, const char*, const char*, const char*, const int*, const int*, \
                     const E*, const E*, const int*, const int*, const int*, E*, const int*, const int*, const int*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_PBLAS_TRSM)

}  // namespace accublas::pblas
