// Cholesky's factorization in dp and sp on a device. It recurses on halves of the rows, each with all the columns to
// its right, so that the only triangular systems are those of the blocks on the diagonal. In double precision one
// kernel solves a diagonal block and its systems.
#pragma once

#include "cuda/core/carver.hpp"
#include "cuda/lu_cholesky/cholesky_rows.hpp"
#include "cuda/lu_cholesky/factor_steps.hpp"
#include "cuda/lu_cholesky/outcome.hpp"
#include "cuda/lu_cholesky/plain_cholesky.hpp"

namespace accublas::cuda {

template <class E>
class CholeskyByProducts {
  static constexpr bool has_rows = std::is_same_v<E, double>;
  static constexpr Index rows_at_once = has_rows ? cholesky_rows_at_once : plain_cholesky_edge;

 public:
  CholeskyByProducts(State& state, FactorOutcome* outcome, FactorSteps<E>& steps)
      : state_(state), outcome_(outcome), steps_(steps) {}

  void lay_out(Carver& carver) {
    if (has_rows) progress_ = carver.take<RowsProgress>(1);
  }
  void begin() const {
    if (has_rows)
      set_on_stream(progress_, 0, sizeof *progress_, state_.cuda_stream(), "clearing what thread blocks exchange");
  }
  /// Factors rows first .. first + count - 1 of X, in columns up to end - 1. The contributions of the rows above are
  /// subtracted already.
  void factor(const Matrix<E>& x, Index first, Index count, Index end);

 private:
  State& state_;
  FactorOutcome* const outcome_;
  FactorSteps<E>& steps_;
  RowsProgress* progress_ = nullptr;
  std::uint32_t rows_steps_ = 0;
};

}  // namespace accublas::cuda
