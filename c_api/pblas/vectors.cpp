// p?gemv_, p?dot*_ and p?nrm2_.
#include <algorithm>

#include "c_api/pblas/call.hpp"
#include "c_api/pblas/exchange.hpp"
#include "c_api/pblas/routines.hpp"

namespace accublas::pblas {
namespace {

template <class E>
void distributed_gemv(const Caller& by, const Team& team, char trans, E alpha, const Part& a,
                      const VectorArgument<const E>& x, const Part& of_x, E beta, const VectorArgument<E>& y,
                      const Part& of_y) {
  const bool plain = trans == 'N';
  const int m = a.rows.count, n = a.cols.count;
  const Axis shares = shares_of(team, plain ? a.rows : a.cols);
  const auto own = static_cast<std::int64_t>(shares.of_group(team.rank).size());
  Axis terms = Axis::all(plain ? n : m);
  std::vector<char> with_share(static_cast<std::size_t>(team.size()));
  for (const int rank : shares.owner) with_share[static_cast<std::size_t>(rank)] = 1;
  terms.by = By::rank;
  terms.members = with_share;

  Buffer<E> result(by.name, own, 1), lines, vector;
  const Part of_result = vector_part(y.is_row(), shares, result.data.get(), own);
  if (!(beta == 0)) Exchange(team, of_y, of_result, sizeof(E)).finish();
  if (!(alpha == 0)) {
    lines = plain ? Buffer<E>(by.name, own, n) : Buffer<E>(by.name, m, own);
    vector = Buffer<E>(by.name, terms.count, 1);
    Part of_lines{plain ? shares : terms, plain ? terms : shares, lines.data.get(), lines.ld()};
    Exchange a_in(team, a, of_lines, sizeof(E));
    Exchange(team, of_x, vector_part(x.is_row(), terms, vector.data.get(), terms.count), sizeof(E)).finish();
    a_in.finish();
  }
  if (own > 0) {
    const accublas_options options = by.options();
    require(by.name, ACCUBLAS_PBLAS_BY_TYPE(E, gemv_ex, nullptr, ACCUBLAS_COL_MAJOR, transpose_of(trans),
                                            plain ? own : m, plain ? n : own, &alpha, lines.data.get(),
                                            std::max<std::int64_t>(plain ? own : m, 1), vector.data.get(), 1, &beta,
                                            result.data.get(), 1, &options));
  }
  Exchange(team, of_result, of_y, sizeof(E)).finish();
}

/// Whether a vector's scope, which gets the results about it, is the one process that has its only element.
template <class E>
bool is_of_one_process(const VectorArgument<E>& x, const Part& part) {
  return part.rows.count == 1 && part.cols.count == 1 && x.inc == 1 && x.d.rows == 1;
}
/// Whether a process is in the vector's scope: the process of its only element, or the row or column of the grid that
/// has the vector.
template <class E>
bool is_in_scope(const VectorArgument<E>& x, const Part& part, int row, int col) {
  const bool of_rows = part.rows.has(0, row), of_cols = part.cols.has(0, col);
  if (is_of_one_process(x, part)) return of_rows && of_cols;
  return x.is_row() ? of_rows : of_cols;
}
/// Returns the smallest Scope that contains the scopes of both vectors.
template <class E>
Scope scope_of_both(const Grid& grid, const VectorArgument<E>& x, const Part& of_x, const VectorArgument<E>& y,
                    const Part& of_y, bool& is_member) {
  const auto lies_along = [](const VectorArgument<E>& v, const Part& part, bool row) {
    const Axis& across = row ? part.rows : part.cols;
    return !across.everywhere() && (v.is_row() == row || is_of_one_process(v, part));
  };
  for (const bool row : {true, false}) {
    if (!lies_along(x, of_x, row) || !lies_along(y, of_y, row)) continue;
    const int group = (row ? of_x.rows : of_x.cols).owner[0];
    if ((row ? of_y.rows : of_y.cols).owner[0] != group) continue;
    is_member = (row ? grid.row : grid.col) == group;
    return row ? Scope::row : Scope::column;
  }
  is_member = true;
  return Scope::grid;
}

template <class E>
bool inner_product(const char* name, Operation operation, int n, E* result, const VectorArgument<const E>& x,
                   const VectorArgument<const E>& y) {
  const Grid grid = grid_of(x.d.context);
  if (grid.row < 0 || !x.is_good(grid, n) || !y.is_good(grid, n)) return false;
  const Caller by{name, mode_of(name, {operation, type_of<E>})};
  if (is_scalapacks(by.mode)) return false;
  *result = E{};
  if (n == 0) return true;
  const Part of_x = x.part(grid, n), of_y = y.part(grid, n);
  bool is_member = false;
  const Scope scope = scope_of_both(grid, x, of_x, y, of_y, is_member);
  if (!is_member) return true;
  const Team& team = team_of(grid, scope);
  Axis all{n, By::rank, {}, {}};
  for (int rank = 0; rank < team.size(); ++rank)
    all.members.push_back(is_in_scope(x, of_x, team.row_of(rank), team.col_of(rank)) ||
                          is_in_scope(y, of_y, team.row_of(rank), team.col_of(rank)));
  const bool wants = all.members[static_cast<std::size_t>(team.rank)];
  Buffer<E> whole_x, whole_y;
  if (wants) whole_x = Buffer<E>(name, n, 1), whole_y = Buffer<E>(name, n, 1);
  Exchange x_in(team, of_x, vector_part(x.is_row(), all, whole_x.data.get(), n), sizeof(E));
  Exchange y_in(team, of_y, vector_part(y.is_row(), all, whole_y.data.get(), n), sizeof(E));
  x_in.finish();
  y_in.finish();
  if (!wants) return true;
  const accublas_options options = by.options();
  const auto call = [&](auto routine) {
    require(name, routine(nullptr, n, whole_x.data.get(), 1, whole_y.data.get(), 1, result, &options));
  };
  if constexpr (!is_complex<E>)
    call([](auto... arguments) { return ACCUBLAS_PBLAS_BY_TYPE(E, dot_ex, arguments...); });
  else if (operation == Operation::dotc)
    call(is_single_precision<E> ? accublas_cdotc_ex : accublas_zdotc_ex);
  else
    call(is_single_precision<E> ? accublas_cdotu_ex : accublas_zdotu_ex);
  return true;
}

}  // namespace

template <class E>
bool gemv(const char* name, const char* trans, const int* m, const int* n, const E* alpha, const E* a, const int* ia,
          const int* ja, const int* desca, const E* x, const int* ix, const int* jx, const int* descx, const int* incx,
          const E* beta, E* y, const int* iy, const int* jy, const int* descy, const int* incy) {
  const char letter = capital(trans);
  const MatrixArgument<const E> matrix(a, ia, ja, desca);
  const VectorArgument<const E> terms(x, ix, jx, descx, incx);
  const VectorArgument<E> result(y, iy, jy, descy, incy);
  const Grid grid = grid_of(matrix.d.context);
  const int of_x = letter == 'N' ? *n : *m, of_y = letter == 'N' ? *m : *n;
  if (grid.row < 0 || !is_one_of(letter, "NTC") || !matrix.is_good(grid, *m, *n) || !terms.is_good(grid, of_x) ||
      !result.is_good(grid, of_y))
    return false;
  const Caller by{name, mode_of(name, {Operation::gemv, type_of<E>})};
  if (is_scalapacks(by.mode)) return false;
  if (*m == 0 || *n == 0 || (*alpha == 0 && *beta == 1)) return true;
  const Part part_of_a = matrix.part(grid, *m, *n), part_of_x = terms.part(grid, of_x),
             part_of_y = result.part(grid, of_y);
  bool is_member = false;
  const Scope scope = scope_of(grid, {&part_of_a, &part_of_x, &part_of_y}, is_member);
  if (is_member)
    distributed_gemv(by, team_of(grid, scope), letter, *alpha, part_of_a, terms, part_of_x, *beta, result, part_of_y);
  return true;
}

template <class E>
bool dot(const char* name, const int* n, E* result, const E* x, const int* ix, const int* jx, const int* descx,
         const int* incx, const E* y, const int* iy, const int* jy, const int* descy, const int* incy) {
  return inner_product<E>(name, Operation::dot, *n, result, {x, ix, jx, descx, incx}, {y, iy, jy, descy, incy});
}
template <class E>
bool dotu(const char* name, const int* n, E* result, const E* x, const int* ix, const int* jx, const int* descx,
          const int* incx, const E* y, const int* iy, const int* jy, const int* descy, const int* incy) {
  return inner_product<E>(name, Operation::dotu, *n, result, {x, ix, jx, descx, incx}, {y, iy, jy, descy, incy});
}
template <class E>
bool dotc(const char* name, const int* n, E* result, const E* x, const int* ix, const int* jx, const int* descx,
          const int* incx, const E* y, const int* iy, const int* jy, const int* descy, const int* incy) {
  return inner_product<E>(name, Operation::dotc, *n, result, {x, ix, jx, descx, incx}, {y, iy, jy, descy, incy});
}

template <class E>
bool nrm2(const char* name, const int* n, RealOf<E>* result, const E* x, const int* ix, const int* jx, const int* descx,
          const int* incx) {
  const VectorArgument<const E> vector(x, ix, jx, descx, incx);
  const Grid grid = grid_of(vector.d.context);
  if (grid.row < 0 || !vector.is_good(grid, *n)) return false;
  const Caller by{name, mode_of(name, {Operation::nrm2, type_of<E>})};
  if (is_scalapacks(by.mode)) return false;
  *result = 0;
  if (*n == 0) return true;
  const Part part = vector.part(grid, *n);
  if (!is_in_scope(vector, part, grid.row, grid.col)) return true;
  Buffer<E> whole(name, *n, 1);
  if (is_of_one_process(vector, part))
    whole(0, 0) = *static_cast<const E*>(part.data);
  else  // only the processes of the scope need to make the call
    Exchange(team_of(grid, vector.is_row() ? Scope::row : Scope::column), part,
             vector_part(vector.is_row(), Axis::all(*n), whole.data.get(), *n), sizeof(E))
        .finish();
  const accublas_options options = by.options();
  const auto call = [&](auto routine) { require(name, routine(nullptr, *n, whole.data.get(), 1, result, &options)); };
  if constexpr (is_complex<E>) {
    if constexpr (is_single_precision<E>)
      call(accublas_scnrm2_ex);
    else
      call(accublas_dznrm2_ex);
  } else if constexpr (is_single_precision<E>) {
    call(accublas_snrm2_ex);
  } else {
    call(accublas_dnrm2_ex);
  }
  return true;
}

#define ACCUBLAS_PBLAS_VECTORS(E)                                                                                    \
  template bool gemv(const char*, const char*, const int*, const int*, const E*, const E*, const int*, const int*,   \
                     const int*, const E*, const int*, const int*, const int*, const int*, const E*, E*, const int*, \
                     const int*, const int*, const int*);                                                            \
  template bool nrm2(const char*, const int*, RealOf<E>*, const E*, const int*, const int*, const int*, const int*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_PBLAS_VECTORS)
#define ACCUBLAS_PBLAS_DOT_OF(name, E)                                                                                \
  template bool name(const char*, const int*, E*, const E*, const int*, const int*, const int*, const int*, const E*, \
                     const int*, const int*, const int*, const int*);
ACCUBLAS_PBLAS_DOT_OF(dot, double)
ACCUBLAS_PBLAS_DOT_OF(dot, float)
ACCUBLAS_PBLAS_DOT_OF(dotu, Complex<double>)
ACCUBLAS_PBLAS_DOT_OF(dotu, Complex<float>)
ACCUBLAS_PBLAS_DOT_OF(dotc, Complex<double>)
ACCUBLAS_PBLAS_DOT_OF(dotc, Complex<float>)

}  // namespace accublas::pblas
