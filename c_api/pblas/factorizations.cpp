// p?potrf_, p?potrs_, p?posv_, p?getrf_, p?getrs_ and p?gesv_.
#include "c_api/pblas/call.hpp"
#include "c_api/pblas/factor.hpp"
#include "c_api/pblas/routines.hpp"
#include "c_api/pblas/shares.hpp"

namespace accublas::pblas {
namespace {

/// Whether ScaLAPACK's factorizations accept the m x n matrix A.
template <class E>
bool is_good_factor(const Grid& grid, const MatrixArgument<E>& a, int m, int n) {
  return a.d.type == 1 && a.d.row_source >= 0 && a.d.col_source >= 0 && a.is_good(grid, m, n) &&
         a.d.row_block == a.d.col_block && (a.i - 1) % a.d.row_block == 0 && (a.j - 1) % a.d.col_block == 0;
}
/// Whether ScaLAPACK's solutions accept A, of order n, and B with it.
template <class E, class F>
bool are_good_systems(const Grid& grid, const MatrixArgument<E>& a, const MatrixArgument<F>& b, int n, int nrhs) {
  const auto source = [&](const Descriptor& d, int i) { return ((i - 1) / d.row_block + d.row_source) % grid.rows; };
  return is_good_factor(grid, a, n, n) && b.d.type == 1 && b.d.row_source >= 0 && b.d.col_source >= 0 &&
         b.is_good(grid, n, nrhs) && (b.i - 1) % b.d.row_block == 0 && b.d.row_block == a.d.row_block &&
         source(a.d, a.i) == source(b.d, b.i);
}

/// Returns the team that computes a call. Returns null if ScaLAPACK's own routine has to compute it: because of the
/// mode, because the problem is empty, or because an argument is bad on a process. All processes of the grid call this.
const Team* team_for(const Grid& grid, const Mode& mode, bool is_good, bool is_empty) {
  if (grid.row < 0 || is_scalapacks(mode)) return nullptr;
  const Team& team = team_of(grid, Scope::grid);
  int serves = is_good && !is_empty;
  MPI_Allreduce(MPI_IN_PLACE, &serves, 1, MPI_INT, MPI_MIN, team.comm);
  return serves ? &team : nullptr;
}

template <class E>
Caller caller(const char* name, Operation operation) {
  return {name, mode_of(name, {operation, type_of<E>})};
}

/// Returns the distribution of ipiv: an entry for each of the first `count` rows of A.
template <class E>
Part pivots_part(const Grid& grid, const MatrixArgument<E>& a, const int* ipiv, int count) {
  Descriptor d = a.d;
  d.cols = 1, d.col_source = -1;
  return part_of(grid, d, const_cast<int*>(ipiv), a.i, 1, count, 1, sizeof(int));
}

template <class E>
int cholesky(const Caller& by, const Grid& grid, const Team& team, char uplo, int n, const MatrixArgument<E>& a) {
  return factor_cholesky<E>(by, team, uplo == 'U', a.part(grid, n, n));
}

template <class E, class F>
void solve_cholesky(const Caller& by, const Grid& grid, const Team& team, char uplo, int n, int nrhs,
                    const MatrixArgument<F>& a, const MatrixArgument<E>& b) {
  const bool upper = uplo == 'U';
  const Triangle stored = upper ? Triangle::upper : Triangle::lower;
  const Part factor = a.part(grid, n, n);
  Shares<E> shares(by, team, true, b.part(grid, n, nrhs));
  shares.receive();
  for (const bool transposed : {upper, !upper})
    substitute(by, team, factor, {stored, transposed, transposed && is_complex<E>, false}, shares.unknowns);
  shares.give_back();
}

template <class E>
int lu(const Caller& by, const Grid& grid, const Team& team, int m, int n, const MatrixArgument<E>& a, int* ipiv) {
  const int order = std::min(m, n);
  std::vector<std::int64_t> pivots;
  const int info = factor_lu<E>(by, team, a.part(grid, m, order), a.part(grid, m, n), pivots);
  const Part of_pivots = pivots_part(grid, a, ipiv, order);
  const std::vector<int> own = of_pivots.rows.of_group(grid.row);
  for (std::size_t i = 0; i < own.size(); ++i)
    static_cast<int*>(of_pivots.data)[i] = a.i + static_cast<int>(pivots[static_cast<std::size_t>(own[i])]);
  return info;
}

template <class E, class F>
void solve_lu(const Caller& by, const Grid& grid, const Team& team, char trans, int n, int nrhs,
              const MatrixArgument<F>& a, const int* ipiv, const MatrixArgument<E>& b) {
  std::vector<int> of_matrix(static_cast<std::size_t>(n));
  Exchange(team, pivots_part(grid, a, ipiv, n), {Axis::all(n), Axis::all(1), of_matrix.data(), n}, sizeof(int))
      .finish();
  std::vector<std::int64_t> pivots;
  for (const int row : of_matrix) {
    pivots.push_back(row - (a.i - 1));
    if (pivots.back() < 1 || pivots.back() > n) fail(by.name, "argument ipiv has a row outside of the sub-matrix of A");
  }
  const Part factors = a.part(grid, n, n);
  const FactorTriangle lower{Triangle::lower, trans != 'N', trans == 'C' && is_complex<E>, true},
      upper{Triangle::upper, lower.transposed, lower.conjugate, false};
  Shares<E> shares(by, team, true, b.part(grid, n, nrhs));
  shares.receive();
  const auto exchange = [&] {
    const Matrix<E> x{shares.unknowns.data.get(), 1, shares.unknowns.ld()};
    swap_rows(x, 0, shares.own(), Pivots{pivots.data()}, 0, n, lower.transposed);
  };
  if (!lower.transposed) exchange();
  substitute(by, team, factors, lower.transposed ? upper : lower, shares.unknowns);
  substitute(by, team, factors, lower.transposed ? lower : upper, shares.unknowns);
  if (lower.transposed) exchange();
  shares.give_back();
}

}  // namespace

template <class E>
bool potrf(const char* name, const char* uplo, const int* n, E* a, const int* ia, const int* ja, const int* desca,
           int* info) {
  const MatrixArgument<E> matrix(a, ia, ja, desca);
  const Grid grid = grid_of(matrix.d.context);
  const Caller by = caller<E>(name, Operation::potrf);
  const bool is_good = is_one_of(capital(uplo), "UL") && is_good_factor(grid, matrix, *n, *n);
  const Team* const team = team_for(grid, by.mode, is_good, *n == 0);
  if (team) *info = cholesky(by, grid, *team, capital(uplo), *n, matrix);
  return team;
}

template <class E>
bool potrs(const char* name, const char* uplo, const int* n, const int* nrhs, const E* a, const int* ia, const int* ja,
           const int* desca, E* b, const int* ib, const int* jb, const int* descb, int* info) {
  const MatrixArgument<const E> factor(a, ia, ja, desca);
  const MatrixArgument<E> sides(b, ib, jb, descb);
  const Grid grid = grid_of(factor.d.context);
  const Caller by = caller<E>(name, Operation::potrs);
  const bool is_good = is_one_of(capital(uplo), "UL") && are_good_systems(grid, factor, sides, *n, *nrhs);
  const Team* const team = team_for(grid, by.mode, is_good, *n == 0 || *nrhs == 0);
  if (!team) return false;
  solve_cholesky(by, grid, *team, capital(uplo), *n, *nrhs, factor, sides);
  *info = 0;
  return true;
}

template <class E>
bool posv(const char* name, const char* uplo, const int* n, const int* nrhs, E* a, const int* ia, const int* ja,
          const int* desca, E* b, const int* ib, const int* jb, const int* descb, int* info) {
  const MatrixArgument<E> matrix(a, ia, ja, desca), sides(b, ib, jb, descb);
  const Grid grid = grid_of(matrix.d.context);
  const Caller by = caller<E>(name, Operation::posv);
  const bool is_good = is_one_of(capital(uplo), "UL") && are_good_systems(grid, matrix, sides, *n, *nrhs);
  const Team* const team = team_for(grid, by.mode, is_good, *n == 0 || *nrhs == 0);
  if (!team) return false;
  *info = cholesky(by, grid, *team, capital(uplo), *n, matrix);
  if (*info == 0) solve_cholesky(by, grid, *team, capital(uplo), *n, *nrhs, matrix, sides);
  return true;
}

template <class E>
bool getrf(const char* name, const int* m, const int* n, E* a, const int* ia, const int* ja, const int* desca,
           int* ipiv, int* info) {
  const MatrixArgument<E> matrix(a, ia, ja, desca);
  const Grid grid = grid_of(matrix.d.context);
  const Caller by = caller<E>(name, Operation::getrf);
  const Team* const team = team_for(grid, by.mode, is_good_factor(grid, matrix, *m, *n), *m == 0 || *n == 0);
  if (team) *info = lu(by, grid, *team, *m, *n, matrix, ipiv);
  return team;
}

template <class E>
bool getrs(const char* name, const char* trans, const int* n, const int* nrhs, const E* a, const int* ia, const int* ja,
           const int* desca, const int* ipiv, E* b, const int* ib, const int* jb, const int* descb, int* info) {
  const MatrixArgument<const E> factors(a, ia, ja, desca);
  const MatrixArgument<E> sides(b, ib, jb, descb);
  const Grid grid = grid_of(factors.d.context);
  const Caller by = caller<E>(name, Operation::getrs);
  const bool is_good = is_one_of(capital(trans), "NTC") && are_good_systems(grid, factors, sides, *n, *nrhs);
  const Team* const team = team_for(grid, by.mode, is_good, *n == 0 || *nrhs == 0);
  if (!team) return false;
  solve_lu(by, grid, *team, capital(trans), *n, *nrhs, factors, ipiv, sides);
  *info = 0;
  return true;
}

template <class E>
bool gesv(const char* name, const int* n, const int* nrhs, E* a, const int* ia, const int* ja, const int* desca,
          int* ipiv, E* b, const int* ib, const int* jb, const int* descb, int* info) {
  const MatrixArgument<E> matrix(a, ia, ja, desca), sides(b, ib, jb, descb);
  const Grid grid = grid_of(matrix.d.context);
  const Caller by = caller<E>(name, Operation::gesv);
  const bool is_good = are_good_systems(grid, matrix, sides, *n, *nrhs);
  const Team* const team = team_for(grid, by.mode, is_good, *n == 0 || *nrhs == 0);
  if (!team) return false;
  *info = lu(by, grid, *team, *n, *n, matrix, ipiv);
  if (*info == 0) solve_lu(by, grid, *team, 'N', *n, *nrhs, matrix, ipiv, sides);
  return true;
}

#define ACCUBLAS_PBLAS_FACTORIZATIONS(E)                                                                              \
  template bool potrf(const char*, const char*, const int*, E*, const int*, const int*, const int*, int*);            \
  template bool potrs(const char*, const char*, const int*, const int*, const E*, const int*, const int*, const int*, \
                      E*, const int*, const int*, const int*, int*);                                                  \
  template bool posv(const char*, const char*, const int*, const int*, E*, const int*, const int*, const int*, E*,    \
                     const int*, const int*, const int*, int*);                                                       \
  template bool getrf(const char*, const int*, const int*, E*, const int*, const int*, const int*, int*, int*);       \
  template bool getrs(const char*, const char*, const int*, const int*, const E*, const int*, const int*, const int*, \
                      const int*, E*, const int*, const int*, const int*, int*);                                      \
  template bool gesv(const char*, const int*, const int*, E*, const int*, const int*, const int*, int*, E*,           \
                     const int*, const int*, const int*, int*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_PBLAS_FACTORIZATIONS)

}  // namespace accublas::pblas
