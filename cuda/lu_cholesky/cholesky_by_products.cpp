#include "cuda/lu_cholesky/cholesky_by_products.hpp"

#include "lib/base/integers.hpp"

namespace accublas::cuda {

template <class E>
void CholeskyByProducts<E>::factor(const Matrix<E>& x, Index first, Index count, Index end) {
  const Index next = first + count;
  if (count <= rows_at_once) {
    steps_.wrote = true;
    if constexpr (has_rows) {
      return cholesky_rows(state_.model(), x, first, count, end, progress_, rows_steps_, &outcome_->info,
                           state_.cuda_stream());
    } else {
      factor_diagonal(state_.model(), x, first, count, &outcome_->info, state_.cuda_stream());
      return steps_.solve(
          {count,
           end - next,
           E{RealOf<E>(1)},
           {read_only(x.block(first, first)).transposed(), is_complex<E>, Structure::triangular, Triangle::lower},
           x.block(first, next)});
    }
  }
  const Index half = round_up(count / 2, rows_at_once), middle = first + half;
  factor(x, first, half, end);
  steps_.subtract_square(x.block(first, middle), half, next - middle, x.block(middle, middle));
  steps_.subtract(next - middle, end - next, half, read_only(x.block(first, middle)).transposed(),
                  read_only(x.block(first, next)), x.block(middle, next), is_complex<E>);
  factor(x, middle, next - middle, end);
}

#define ACCUBLAS_INSTANTIATE(E) template class CholeskyByProducts<E>;
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
