// A matrix of the host's that does not fit the device, for LU and Cholesky's factorization: on the device are panels of
// its columns, one after the other, and before a panel is factored blocks of the columns of L before it, the next while
// the one before is in use. (Of Cholesky's factorization X^H X = A columns are those of X, and L is X^T.)
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "cuda/core/copy_lane.hpp"
#include "cuda/core/host_mapping.hpp"
#include "cuda/core/state.hpp"
#include "cuda/solve/solve_kernels.hpp"
#include "lib/call/execution.hpp"
#include "lib/call/factorization.hpp"

namespace accublas::cuda {

/// Device memory of such a call is `room` bytes in all, but that the least panels and blocks are always there. Matrices
/// on the device are views with the places that rows and columns have in A (X); others than those that were copied are
/// not there.
template <class E>
class HostColumns {
 public:
  /// POTRF or GETRF, operands in host memory.
  HostColumns(State& state, const Factorization<E>& f, std::size_t room, Execution& execution);
  /// Waits for the device.
  ~HostColumns();

  /// What all else on the device may take of the room: half of it, an eighth being each of two blocks'.
  std::size_t rest() const { return room_ / 2; }
  /// Columns, a multiple of `step`, that a quarter of the room holds.
  Index panel_that_fits(Index step) const { return std::min(columns_in(room_ / 4, step), n_); }
  /// A view of nothing that has the strides of the others.
  Matrix<E> nothing() const;

  /// Takes memory for panels of so many columns, and one more. `far`: kernels are to read L where it lies in host
  /// memory, which throws Error(ACCUBLAS_ERROR_UNAVAILABLE) where they can't.
  void take(Index panel, bool far);
  Index panel() const { return panel_columns_; }
  Index block() const { return block_columns_; }
  /// On the device; the user's are there once store() has returned.
  std::int64_t* pivots() const { return pivots_; }
  /// The first columns of L where they lie in host memory.
  FarEntries<E> far(Index columns) const;
  /// What is not at hand of the rows of L that a panel makes.
  FarEntries<E> far_of_panel() const { return far(pivoted_ ? std::min(first_, order_) : 0); }
  /// L, where x is A or X.
  Matrix<const E> lower(const Matrix<E>& x) const {
    const Matrix<const E> read{x.data, x.row_stride, x.col_stride};
    return pivoted_ ? read : read.transposed();
  }
  /// The host's row of each row of the panel: who moves rows moves these.
  Matrix<Index> far_rows() const { return {far_rows_, 1, m_}; }
  /// Whether A has changed.
  bool wrote() const { return wrote_; }
  std::size_t bytes() const { return memory_->bytes(); }

  /// Columns first .. end - 1 to the device.
  Matrix<E> load(Index first, Index end);
  /// body(first, count, L) for the blocks of columns of L before `known`, of Cholesky's factorization with rows before
  /// `known` alone: the panel has those after them. What it puts on the stream reads L.
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
  /// The panel back to the host, which awaits it, and exchanges the rows of all other columns of A as it did. Of
  /// Cholesky's factorization the other triangle stays as it is.
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
  /// The view of a copy at `to`, in the order that the host has.
  Matrix<E> upload(Index row, Index col, Index rows, Index cols, E* to);
  /// Of the panel, to where `to` begins.
  void download(Index row, Index col, Index rows, Index cols, const Matrix<E>& to);
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
