// Cholesky's factorization A = X^H X. Each process has columns of X, from the first row to the diagonal. The process
// that has a block of columns computes the block's rows of these columns, down to the diagonal, and sends the block to
// all processes. Then each process computes the same rows of its later columns.
#include "c_api/pblas/factor.hpp"

namespace accublas::pblas {

template <class E>
int factor_cholesky(const Caller& by, const Team& team, bool upper, const Part& a) {
  const int n = a.cols.count;
  const Turns turns(team, n);
  const std::int64_t own = turns.before(n, team.rank);
  // If the lower triangle is stored, the columns of X are its rows.
  Buffer<E> memory = upper ? Buffer<E>(by.name, n, own) : Buffer<E>(by.name, own, n);
  Part mine{Axis::all(n), turns.axis(), memory.data.get(), memory.ld()};
  if (!upper) std::swap(mine.rows, mine.cols);
  const Mask triangle{upper ? Triangle::upper : Triangle::lower};
  Exchange(team, a, mine, sizeof(E), triangle).finish();
  const Matrix<E> stored{memory.data.get(), 1, memory.ld()}, x = upper ? stored : stored.transposed();

  SharedLines<E> lines(by.name, n, turns.width);
  const Matrix<E> block = lines.matrix().transposed();  // columns of X
  int info = 0;
  for (int first = 0, end = 0; first < n && info == 0; first = end) {
    end = std::min(n, first + turns.width);
    const int rank = turns.rank_of(first), at = turns.before(first, team.rank);
    std::int64_t known = 0;
    if (rank == team.rank) {
      const auto copy = [&](const Matrix<E>& from, std::int64_t from_col, const Matrix<E>& to, std::int64_t to_col) {
        for (int j = 0; j < end - first; ++j)
          for (int i = 0; i <= first + j; ++i) to(i, to_col + j) = from(i, from_col + j);
      };
      copy(x, at, block, first);
      cpu::CholeskyStep<E> step{block, first, end, 0};
      run_step<E>(by, Operation::potrf, &step);
      copy(block, first, x, at);
      known = step.known;
    }
    broadcast(team, &known, 1, rank);
    if (known < end) info = static_cast<int>(known) + 1;
    broadcast(team, lines.first(first), lines.numbers(first, end), rank);
    const std::int64_t later = turns.before(end, team.rank);
    if (later == own) continue;
    const Operand<E> m{
        {block.data, block.col_stride, block.row_stride}, is_complex<E>, Structure::triangular, Triangle::lower};
    cpu::SubstitutionStep<E> step{{end, own - later, E{1}, m, x.block(0, later)}, first, known};
    run_step<E>(by, Operation::trsm, &step);
  }
  Exchange(team, mine, a, sizeof(E), triangle).finish();
  return info;
}

#define ACCUBLAS_PBLAS_CHOLESKY(E) template int factor_cholesky<E>(const Caller&, const Team&, bool, const Part&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_PBLAS_CHOLESKY)

}  // namespace accublas::pblas
