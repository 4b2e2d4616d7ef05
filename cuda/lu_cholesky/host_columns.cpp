#include "cuda/lu_cholesky/host_columns.hpp"

#include <numeric>

#include "cuda/lu_cholesky/column_copies.hpp"

namespace accublas::cuda {

template <class E>
HostColumns<E>::HostColumns(State& state, const Factorization<E>& f, std::size_t room, Execution& execution)
    : state_(state),
      pivoted_(!is_cholesky(f.kind)),
      m_(f.rows()),
      n_(f.n),
      order_(f.order()),
      host_(pivoted_ ? f.a : f.cholesky_factor()),
      room_(room),
      report_(execution.report),
      threads_(execution.threads),
      user_pivots_(f.pivots),
      host_pivots_(static_cast<std::size_t>(pivoted_ ? order_ : 0)),
      up_(pinned_, 0, threads_),
      down_(pinned_, 2, threads_) {}

template <class E>
HostColumns<E>::~HostColumns() {
  cudaStreamSynchronize(up_.stream());
  cudaStreamSynchronize(down_.stream());
  cudaStreamSynchronize(state_.cuda_stream());
}

template <class E>
Matrix<E> HostColumns<E>::nothing() const {
  return lies_by_columns(n_) ? Matrix<E>{nullptr, 1, m_} : Matrix<E>{nullptr, n_, 1};
}

template <class E>
void HostColumns<E>::take(Index panel, bool far) {
  const cudaStream_t stream = state_.cuda_stream();
  panel_columns_ = panel;
  const Index least = state_.model().tuning().lu.least_block_columns;
  block_columns_ = std::min(columns_in(room_ / 8, least), std::max(order_, least));
  if (far) {
    const Index last = (m_ - 1) * host_.row_stride + (n_ - 1) * host_.col_stride;
    mapping_.emplace(host_.data, static_cast<std::size_t>(last + 1) * sizeof(E));
  }
  memory_.emplace(
      [&](Carver& carver) {
        panel_memory_ = carver.take<E>(m_ * (panel_columns_ + 1));
        for (Block& block : block_) block.memory = carver.take<E>(m_ * block_columns_);
        pivots_ = carver.take<std::int64_t>(host_pivots_.size());
        if (far) own_rows_ = carver.take<Index>(m_), far_rows_ = carver.take<Index>(m_);
      },
      state_);
  if (far) {
    std::vector<Index> rows(static_cast<std::size_t>(m_));
    std::iota(rows.begin(), rows.end(), Index{0});
    check(cudaMemcpyAsync(own_rows_, rows.data(), rows.size() * sizeof(Index), cudaMemcpyHostToDevice, stream),
          "numbers of rows");
    check(cudaStreamSynchronize(stream), "numbers of rows");
  }
  // The memory is available from here on.
  for (Block& block : block_) record(block.computed, stream);
  stream_waits(up_.stream(), block_[0].computed);
}

template <class E>
FarEntries<E> HostColumns<E>::far(Index columns) const {
  const Matrix<E> x{mapping_->template device<E>(), host_.row_stride, host_.col_stride};
  return {{lower(x), is_complex<E> && !pivoted_}, columns, far_rows_};
}

template <class E>
Matrix<E> HostColumns<E>::upload(Index row, Index col, Index rows, Index cols, E* to) {
  const Matrix<E> copy = lies_by_columns(cols) ? Matrix<E>{to, 1, rows} : Matrix<E>{to, cols, 1};
  upload_part(up_, host_.block(row, col), copy, rows, cols);
  report_.copied_bytes += rows * cols * static_cast<Index>(sizeof(E));
  return copy.block(-row, -col);
}

template <class E>
Matrix<E> HostColumns<E>::load(Index first, Index end) {
  const cudaStream_t stream = state_.cuda_stream();
  first_ = first, end_ = end;
  panel_ = upload(0, first, pivoted_ ? m_ : end, end - first, panel_memory_);
  if (far_rows_)
    check(cudaMemcpyAsync(far_rows_, own_rows_, static_cast<std::size_t>(m_) * sizeof(Index), cudaMemcpyDeviceToDevice,
                          stream),
          "numbers of rows");
  record(loaded_, up_.stream());
  stream_waits(stream, loaded_);
  return panel_;
}

template <class E>
void HostColumns<E>::bring(Index first, Index count, Index known) {
  Block& block = block_[first / block_columns_ % 2];
  stream_waits(up_.stream(), block.computed);
  const Matrix<E> x = pivoted_ ? upload(first, first, m_ - first, count, block.memory)
                               : upload(first, first, count, known - first, block.memory);
  block.lower = lower(x);
  record(block.copied, up_.stream());
}

template <class E>
void HostColumns<E>::store() {
  record(computed_, state_.cuda_stream());
  stream_waits(down_.stream(), computed_);
  wrote_ = true;
  pivoted_ ? store_and_exchange() : store_triangle();
}

template <class E>
void HostColumns<E>::store_and_exchange() {
  const Index from = std::min(first_, order_), count = std::min(end_, order_) - from;
  check(cudaMemcpyAsync(host_pivots_.data() + from, pivots_ + from,
                        static_cast<std::size_t>(count) * sizeof(std::int64_t), cudaMemcpyDeviceToHost, down_.stream()),
        "copying pivots");
  check(cudaStreamSynchronize(down_.stream()), "copying pivots");
  download_part(down_, panel_.block(0, first_), host_.block(0, first_), m_, end_ - first_);
  report_.copied_bytes += m_ * (end_ - first_) * static_cast<Index>(sizeof(E));
  const Pivots pivots{host_pivots_.data(), false};
  for (Index i = from; i < from + count; ++i) user_pivots_.put(i, pivots.at(i));
  swap_rows_outside(host_, n_, first_, end_, pivots, from, count, threads_);
}

template <class E>
void HostColumns<E>::store_triangle() {
  download_triangle(down_, panel_, host_, first_, end_, state_.model().tuning().lu.triangle_columns);
  report_.copied_bytes += end_ * (end_ - first_) * static_cast<Index>(sizeof(E));
}

template class HostColumns<double>;
template class HostColumns<float>;
template class HostColumns<Complex<double>>;
template class HostColumns<Complex<float>>;

}  // namespace accublas::cuda
