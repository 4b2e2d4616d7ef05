// Triangular systems of order n. No process has the whole triangle: the processes have blocks of rows of op(A) in turn.
// In the order of substitution, each block is sent to all of them.
#include "c_api/pblas/factor.hpp"

namespace accublas::pblas {

template <class E>
void substitute(const Caller& by, const Team& team, const Part& a, const FactorTriangle& factor, Buffer<E>& x) {
  const int n = a.cols.count;
  const bool is_upper = (factor.stored == Triangle::upper) != factor.transposed;
  const Turns turns(team, n);
  const std::int64_t own = turns.before(n, team.rank);
  Buffer<E> memory = factor.transposed ? Buffer<E>(by.name, n, own) : Buffer<E>(by.name, own, n);
  Part mine{turns.axis(), Axis::all(n), memory.data.get(), memory.ld()};
  if (factor.transposed) std::swap(mine.rows, mine.cols);
  Exchange(team, a, mine, sizeof(E), {factor.stored, !factor.unit}).finish();
  const Matrix<E> stored{memory.data.get(), 1, memory.ld()},
      own_lines = factor.transposed ? stored.transposed() : stored;

  SharedLines<E> lines(by.name, n, turns.width);
  const Matrix<E> block = lines.matrix();
  const Operand<E> m{{block.data, block.row_stride, block.col_stride},
                     factor.conjugate,
                     Structure::triangular,
                     is_upper ? Triangle::upper : Triangle::lower,
                     factor.unit};
  const int blocks = ceil_div(n, turns.width);
  for (int i = 0; i < blocks; ++i) {
    const int begin = (is_upper ? blocks - 1 - i : i) * turns.width, end = std::min(n, begin + turns.width);
    const int rank = turns.rank_of(begin), from = is_upper ? begin : 0, to = is_upper ? n : end;
    if (rank == team.rank)
      for (int p = begin, at = turns.before(begin, rank); p < end; ++p, ++at)
        for (int q = is_upper ? p : 0; q < (is_upper ? n : p + 1); ++q)
          if (p != q || !factor.unit) block(p, q) = own_lines(at, q);
    broadcast(team, &block(begin, from), std::int64_t{to - 1 - from} * turns.width + end - begin, rank);
    if (x.cols == 0) continue;
    cpu::SubstitutionStep<E> step{
        {n, x.cols, E{1}, m, {x.data.get(), 1, x.ld()}}, is_upper ? n - end : begin, is_upper ? n - begin : end};
    run_step<E>(by, Operation::trsm, &step);
  }
}

#define ACCUBLAS_PBLAS_SUBSTITUTE(E) \
  template void substitute<E>(const Caller&, const Team&, const Part&, const FactorTriangle&, Buffer<E>&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_PBLAS_SUBSTITUTE)

}  // namespace accublas::pblas
