// Holds a host matrix that does not fit the device, for LU and Cholesky's factorization. Panels of its columns come to
// the device one after the other. Before a panel is factored, blocks of the columns of L before it come too; the next
// block is copied while the current one is in use. (In Cholesky's factorization X^H X = A the columns are those of X,
// and L is X^T.)
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "cuda/core/copy_lane.hpp"
#include "cuda/core/host_mapping.hpp"
#include "cuda/core/state.hpp"
#include "cuda/trsm/solve_kernels.hpp"
#include "lib/call/execution.hpp"
#include "lib/call/factorization.hpp"

namespace accublas::cuda {

/// Such a call uses `room` bytes of device memory in all, or more if the least panels and blocks need it. Matrices on
/// the device are views indexed by the rows and columns of A (X); only the elements that were copied are there.
template <class E>
class HostColumns {
 public:
  /// Prepares a POTRF or GETRF with operands in host memory.
  HostColumns(State& state, const Factorization<E>& f, std::size_t room, Execution& execution);
  /// Waits for the device.
  ~HostColumns();

  /// Returns how much of the room other users on the device may take: half of it. Each of the two blocks takes an
  /// eighth.
  std::size_t rest() const { return room_ / 2; }
  /// Returns the number of columns, a multiple of `step`, that a quarter of the room holds.
  Index panel_that_fits(Index step) const { return std::min(columns_in(room_ / 4, step), n_); }
  /// Returns an empty view that has the strides of the others.
  Matrix<E> nothing() const;

  /// Takes memory for panels of `panel` columns, and one more. `far`: kernels read L in place in host memory. If they
  /// cannot, this throws Error(ACCUBLAS_ERROR_UNAVAILABLE).
  void take(Index panel, bool far);
  Index panel() const { return panel_columns_; }
  Index block() const { return block_columns_; }
  /// Returns the pivots on the device; the user's array has them once store() has returned.
  std::int64_t* pivots() const { return pivots_; }
  /// Returns the first columns of L in place in host memory.
  FarEntries<E> far(Index columns) const;
  /// Returns the entries that are not on the device, of the rows of L that a panel computes.
  FarEntries<E> far_of_panel() const { return far(pivoted_ ? std::min(first_, order_) : 0); }
  /// Returns L, where x is A or X.
  Matrix<const E> lower(const Matrix<E>& x) const {
    const Matrix<const E> read{x.data, x.row_stride, x.col_stride};
    return pivoted_ ? read : read.transposed();
  }
  /// Returns the host's row of each row of the panel. Code that moves rows must move these too.
  Matrix<Index> far_rows() const { return {far_rows_, 1, m_}; }
  /// Returns whether A has changed.
  bool wrote() const { return wrote_; }
  std::size_t bytes() const { return memory_->bytes(); }

  /// Copies columns first .. end - 1 to the device.
  Matrix<E> load(Index first, Index end);
  /// Calls body(first, count, L) for the blocks of columns of L before `known`; the body puts work on the stream that
  /// reads L. In Cholesky's factorization L has rows before `known` alone, since the panel has the later ones.
  template <class Body>
  void for_blocks(Index known, Body&& body) {
    if (known > 0) bring(0, std::min(block_columns_, known), known);
    for (Index first = 0; first < known; first += block_columns_) {
      const Index count = std::min(block_columns_, known - first), next = first + count;
      Block& now = block_[first / block_columns_ % 2];
      stream_waits(state_.cuda_stream(), now.copied);
      body(first, count, now.lower);
      record(now.computed, state_.cuda_stream());
      if (next < known) bring(next, std::min(block_columns_, known - next), known);
    }
  }
  /// Copies the panel back to the host and waits for it. Exchanges the rows of all other columns of A as the panel did.
  /// In Cholesky's factorization the other triangle stays as it is.
  void store();

 private:
  struct Block {
    E* memory = nullptr;
    Matrix<const E> lower{};
    Event copied, computed;
  };

  std::size_t column_bytes() const { return static_cast<std::size_t>(m_) * sizeof(E); }
  Index columns_in(std::size_t bytes, Index step) const {
    return std::max(static_cast<Index>(bytes / column_bytes()) / step * step, step);
  }
  bool lies_by_columns(Index cols) const { return host_.row_stride == 1 || cols == 1; }
  /// Copies to `to` and returns the view of the copy, stored by columns or rows as the host's.
  Matrix<E> upload(Index row, Index col, Index rows, Index cols, E* to);
  void bring(Index first, Index count, Index known);
  void store_triangle();
  void store_and_exchange();

  State& state_;
  const bool pivoted_;
  const Index m_, n_, order_;
  const Matrix<E> host_;
  const std::size_t room_;
  accublas_report_t& report_;
  const int threads_;
  Index panel_columns_ = 0, block_columns_ = 0;
  std::optional<HostMapping> mapping_;
  std::optional<ArrayMemory<CallMemory>> memory_;
  E* panel_memory_ = nullptr;
  std::int64_t* pivots_ = nullptr;
  Index *far_rows_ = nullptr, *own_rows_ = nullptr;  ///< own_rows_[i] = i
  Matrix<E> panel_{};
  Index first_ = 0, end_ = 0;
  bool wrote_ = false;
  const Pivots user_pivots_;
  std::vector<std::int64_t> host_pivots_;
  const PinnedBuffers pinned_;
  Event loaded_, computed_;
  Block block_[2];
  Lane up_, down_;
};

}  // namespace accublas::cuda
