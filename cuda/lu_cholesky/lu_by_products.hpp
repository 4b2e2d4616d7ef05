// LU in dp and sp on a device. It recurses on halves of the columns: half of all work is in products of a quarter of n
// terms and more.
#pragma once

#include "cuda/core/carver.hpp"
#include "cuda/lu_cholesky/factor_steps.hpp"
#include "cuda/lu_cholesky/outcome.hpp"
#include "cuda/lu_cholesky/plain_panel.hpp"
#include "cuda/lu_cholesky/row_order.hpp"

namespace accublas::cuda {

/// A panel exchanges rows in the columns of its block, and in those of origins for each level of the recursion above.
/// When a level is finished, its moves become a list, which is applied to the other columns of the level above at once.
template <class E>
class LuByProducts {
  static constexpr Index width = plain_panel_columns<E>;
  static constexpr Index most_levels = 8;  ///< at most 8192 columns are listed, and halves have up to 31 more
  /// Columns are factored concurrently with the update of the others in double precision alone, where that was
  /// measured. Products of complex numbers use the call's state, which is on its stream.
  static constexpr bool has_ahead = std::is_same_v<E, double>;

 public:
  /// The factorization of an m x n matrix with min(m, n) = order.
  LuByProducts(State& state, Index m, Index order, FactorOutcome* outcome, InnerProducts<E>& products,
               FactorSteps<E>& steps, const Workspace& workspace)
      : state_(state),
        m_(m),
        order_(order),
        outcome_(outcome),
        products_(products),
        steps_(steps),
        ahead_(has_ahead && order > tuning_.ahead_columns && SideStream::serves(state, workspace)) {}

  /// Returns whether columns are factored concurrently with products.
  bool looks_ahead() const { return ahead_; }
  void lay_out(Carver& carver);
  void begin() const;
  /// Factors columns first .. first + count - 1 of A, and computes their rows of U in columns up to end - 1. `pivots`
  /// is LAPACK's ipiv.
  void factor(const Matrix<E>& a, Index first, Index count, Index end, std::int64_t* pivots);

 private:
  const DeviceModel& model() const { return state_.model(); }
  cudaStream_t stream() const { return products_.stream(); }
  Index count_of_words() const { return plain_panel_words<E>(model(), m_); }

  static Index half_of(Index count);
  Index first_of(Index count) const;
  bool looks_ahead(Index count) const;
  void factor_columns(Index first, Index count, Index level);
  void factor_ahead(Index first, Index count, Index level);
  void factor_block(Index first, Index count);
  void factor_few_columns(Index first, int count);
  void update(Index first, Index count, Index from, Index end);
  void solve_above(Index first, Index count, Index from, Index end);
  void apply_moves(Index first, Index count, Index from, Index end);
  ListedMoves list_of(Index first) const { return {lists_ + 2 * first, counts_ + first / width}; }

  /// Columns that exchange rows with their panels, and the number of levels above that record the moves.
  struct Block {
    Index first, end, levels;
  };

  State& state_;
  const LuTuning& tuning_ = state_.model().tuning().lu;
  const Index m_, order_;
  FactorOutcome* const outcome_;
  InnerProducts<E>& products_;
  FactorSteps<E>& steps_;
  const bool ahead_;
  Matrix<E> a_{};
  std::int64_t* pivots_ = nullptr;
  FlaggedWord* words_ = nullptr;
  RowMoves* moves_ = nullptr;
  Matrix<int> origins_{};  ///< one column of origins for each level
  ListedMove* lists_ = nullptr;
  int* counts_ = nullptr;
  Index most_listed_ = 0;
  Block block_{};
  std::uint32_t panel_steps_ = 0;
};

}  // namespace accublas::cuda
