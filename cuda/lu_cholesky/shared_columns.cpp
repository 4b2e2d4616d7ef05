#include "cuda/lu_cholesky/shared_columns.hpp"

#include <system_error>

#include "cuda/core/copy_threads.hpp"
#include "cuda/core/peer_memory.hpp"
#include "cuda/lu_cholesky/column_copies.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda {

namespace {

/// Returns a factorization whose matrix is stored as the host's, in other memory.
template <class E>
Factorization<E> in_memory(Factorization<E> f, E* memory) {
  f.a = f.a.row_stride == 1 ? Matrix<E>{memory, 1, f.rows()} : Matrix<E>{memory, f.n, 1};
  return f;
}

}  // namespace

template <class E>
SharedMatrix<E>::SharedMatrix(const Factorization<E>& f, const PanelShares& shares, FlowGroup& group)
    : on_device(static_cast<std::size_t>(shares.devices)),
      number(static_cast<std::size_t>(shares.devices)),
      f_(f),
      shares_(shares),
      group_(group),
      pivoted_(!is_cholesky(f.kind)),
      panels_(static_cast<std::size_t>(shares.blocks())) {
  if (pivoted_) pivots.resize(static_cast<std::size_t>(f.order()));
  // Rows of sums (cuda/sums/pair_sums.hpp) move by the same lists.
  const Matrix<Complex<double>> sums{nullptr, 2, 1};
  most_listed_ = std::min(most_listed_columns(f.a), most_listed_columns(sums));
}

template <class E>
void SharedMatrix<E>::publish(Index i) {
  group_.change([&] { published_ = i + 1; });
}

template <class E>
const FactoredPanel& SharedMatrix<E>::await(Index i) {
  group_.await([&] { return published_ > i; });
  return panel(i);
}

template <class E>
long long SharedMatrix<E>::info() const {
  for (const FactoredPanel& panel : panels_)
    if (panel.info > 0) return panel.info;
  return 0;
}

template <class E>
SharedColumns<E>::SharedColumns(SharedMatrix<E>& matrix, Index device, State& state, int threads)
    : matrix_(matrix),
      shares_(matrix.shares()),
      device_(device),
      state_(state),
      up_(pinned_, 0, threads, true, true),
      down_(pinned_, 2, threads, true, true) {
  const Factorization<E>& f = matrix_.problem();
  memory_.emplace([&](Carver& carver) { arrays_ = lay_out(f, carver); }, state_);
  if (matrix_.pivoted()) lists_ = std::make_unique<ListsOfMoves>(f.rows());
  const auto at = static_cast<std::size_t>(device_);
  const Factorization<E> own = in_memory(f, arrays_.a);
  matrix_.on_device[at] = matrix_.pivoted() ? own.a : own.cholesky_factor();
  matrix_.number[at] = state_.device();
  // Other streams, and other devices, use the memory too.
  check(cudaStreamSynchronize(stream()), "memory of a shared factorization");
}

template <class E>
typename SharedColumns<E>::Arrays SharedColumns<E>::lay_out(const Factorization<E>& f, Carver& carver) {
  Arrays arrays;
  arrays.a = carver.take<E>(f.rows() * f.n);
  if (is_cholesky(f.kind)) return arrays;
  arrays.pivots = carver.take<std::int64_t>(f.order());
  arrays.moves = carver.take<ListedMove>(2 * f.order());
  arrays.counts = carver.take<int>(f.order());
  return arrays;
}

template <class E>
std::size_t SharedColumns<E>::bytes(const Factorization<E>& f) {
  return bytes_of_arrays([&](Carver& carver) { lay_out(f, carver); });
}

template <class E>
Factorization<E> SharedColumns<E>::problem() const {
  Factorization<E> f = in_memory(matrix_.problem(), arrays_.a);
  f.pivots = {arrays_.pivots, false};
  f.info = nullptr;
  return f;
}

template <class E>
void SharedColumns<E>::begin() {
  try {
    uploader_ = start_quiet_thread([this] { run_copies([&] { upload_panels(); }); });
    downloader_ = start_quiet_thread([this] { run_copies([&] { download_parts(); }); });
  } catch (const std::system_error&) {
    throw Error(ACCUBLAS_ERROR_MEMORY, "the system has no thread left for the copies of a factorization");
  }
}

template <class E>
std::int64_t SharedColumns<E>::end() {
  wait_for_sends();
  for (Index block = received_; matrix_.pivoted() && block < shares_.blocks(); ++block) {
    receive(block);
    for (Index i = device_; i < block; i += shares_.devices)
      move_columns(block, shares_.first_of(i), shares_.end_of(i) - shares_.first_of(i));
    finish_rows(block);
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  join();
  if (error_) std::rethrow_exception(error_);
  if (stopped_) throw FlowStopped();
  check(cudaStreamSynchronize(sender_), "copying a panel to another device");
  check(cudaStreamSynchronize(stream()), "waiting for a call");
  return copied_;
}

template <class E>
void SharedColumns<E>::abandon() {
  matrix_.group().fail();
  stop();
  join();
  cudaStreamSynchronize(up_.stream());
  cudaStreamSynchronize(down_.stream());
  cudaStreamSynchronize(sender_);
  cudaStreamSynchronize(stream());
  if (error_) std::rethrow_exception(error_);
}

template <class E>
void SharedColumns<E>::load(Index first_of_panel) {
  if (!started_) matrix_.group().started();
  started_ = true;
  current_ = first_of_panel / shares_.columns;
  const Index wanted = current_ / shares_.devices;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || uploaded_ > wanted; });
    if (error_) std::rethrow_exception(error_);
    if (stopped_) throw FlowStopped();
    stream_waits(stream(), *uploaded_event_[static_cast<std::size_t>(wanted)]);
  }
  wait_for_sends();
}

template <class E>
void SharedColumns<E>::take(Index first, Index count, const MoveRows& further) {
  const Index from = first / shares_.columns, end = ceil_div(first + count, shares_.columns);
  const Index column = shares_.first_of(current_), columns = shares_.end_of(current_) - column;
  for (Index block = from; block < end; ++block) {
    if (block == received_) {
      receive(block);
      if (matrix_.pivoted()) move_columns(block, 0, shares_.first_of(block));
      finish_rows(block);
    }
    if (!matrix_.pivoted()) continue;
    move_columns(block, column, columns);
    if (further) for_lists(block, further);
  }
}

/// Calls body(list, most) for the lists of a panel's moves.
template <class E>
template <class Body>
void SharedColumns<E>::for_lists(Index block, Body&& body) const {
  const Index listed = matrix_.most_listed(), first = shares_.first_of(block), count = shares_.factored(block);
  for (Index at = 0; at < count; at += listed)
    body(ListedMoves{arrays_.moves + 2 * (first + at), arrays_.counts + first + at / listed},
         2 * std::min(listed, count - at));
}

/// Copies the lists of a panel's moves to the device.
template <class E>
void SharedColumns<E>::upload_lists(Index block) {
  const FactoredPanel& panel = matrix_.panel(block);
  const ListedMove* move = panel.moves.data();
  const auto copy = [&](auto* to, const auto* from, std::size_t count) {
    check(cudaMemcpyAsync(to, from, count * sizeof *to, cudaMemcpyHostToDevice, stream()), "moves of rows");
  };
  std::size_t i = 0;
  for_lists(block, [&](const ListedMoves& list, Index) {
    const int count = panel.counts[i];
    copy(list.count, &panel.counts[i++], 1);
    if (count > 0) copy(list.move, move, static_cast<std::size_t>(count));
    move += count;
  });
}

/// Applies a panel's moves to columns first .. first + columns - 1.
template <class E>
void SharedColumns<E>::move_columns(Index block, Index first, Index columns) {
  for_lists(block, [&](const ListedMoves& list, Index most) {
    move_listed_rows(state_.model(), list, most, own().block(0, first), columns, stream());
  });
}

/// Waits for a panel of another device, its moves and its info.
template <class E>
void SharedColumns<E>::receive(Index block) {
  const FactoredPanel& panel = matrix_.await(block);
  if (const auto& arrived = panel.arrived[static_cast<std::size_t>(device_)]) stream_waits(stream(), *arrived);
  if (matrix_.pivoted())
    upload_lists(block);
  else if (panel.info > 0)
    check(cudaMemcpyAsync(&outcome_->info, &panel.info, sizeof panel.info, cudaMemcpyHostToDevice, stream()), "info");
  received_ = block + 1;
}

template <class E>
void SharedColumns<E>::store(bool moved) {
  const Index block = current_, first = shares_.first_of(block), count = shares_.factored(block);
  if (count > 0) {
    FactoredPanel& panel = matrix_.panel(block);
    std::int64_t* const pivots = matrix_.pivots.data();
    if (matrix_.pivoted())
      check(cudaMemcpyAsync(pivots + first, arrays_.pivots + first, static_cast<std::size_t>(count) * sizeof *pivots,
                            cudaMemcpyDeviceToHost, stream()),
            "pivots");
    check(cudaMemcpyAsync(&panel.info, &outcome_->info, sizeof panel.info, cudaMemcpyDeviceToHost, stream()), "info");
    check(cudaStreamSynchronize(stream()), "waiting for a panel");
    for (Index at = 0; matrix_.pivoted() && at < count; at += matrix_.most_listed())
      panel.counts.push_back(
          lists_->append(pivots, first + at, std::min(matrix_.most_listed(), count - at), panel.moves));
    send(block);
    matrix_.publish(block);
    if (matrix_.pivoted()) upload_lists(block);
    if (matrix_.pivoted() && !moved) move_columns(block, 0, first);
    received_ = block + 1;
  }
  finish_rows(block);
}

/// Sends the columns of L of a panel to the devices that have later panels.
template <class E>
void SharedColumns<E>::send(Index block) {
  FactoredPanel& panel = matrix_.panel(block);
  panel.arrived.resize(static_cast<std::size_t>(shares_.devices));
  const Index first = shares_.first_of(block), columns = shares_.factored(block);
  // The rest of the panel is U, or the triangle that is not used.
  const Index row = matrix_.pivoted() ? first : 0, rows = matrix_.pivoted() ? matrix_.rows() - first : first + columns;
  for (Index to = 0; to < shares_.devices; ++to) {
    if (to == device_ || !shares_.needs(to, block)) continue;
    const auto at = static_cast<std::size_t>(to);
    copy_between(own().block(row, first), state_.device(), matrix_.on_device[at].block(row, first), matrix_.number[at],
                 rows, columns, sender_);
    panel.arrived[at] = std::make_unique<Event>();
    record(*panel.arrived[at], sender_);
    sent_.push_back(panel.arrived[at].get());
  }
}

/// Later work on the stream may move rows of the panels that were sent.
template <class E>
void SharedColumns<E>::wait_for_sends() {
  for (const Event* sent : sent_) stream_waits(stream(), *sent);
  sent_.clear();
}

/// Puts what a panel has made final on the list of downloads: its own columns if they are the device's, and, in LU, the
/// panel's rows in the columns before.
template <class E>
void SharedColumns<E>::finish_rows(Index block) {
  const Index blocks = shares_.blocks(), first = shares_.first_of(block);
  const bool mine = shares_.device_of(block) == device_;
  std::vector<Download> parts;
  Event& ready = event(ready_event_);
  const Index end = block + 1 < blocks ? shares_.end_of(block) : matrix_.rows();
  for (Index i = device_; matrix_.pivoted() && i < std::min(block, blocks); i += shares_.devices)
    if (block < blocks) parts.push_back({&ready, first, end - first, shares_.first_of(i), shares_.end_of(i)});
  if (mine) parts.push_back({&ready, 0, matrix_.pivoted() ? end : 0, first, shares_.end_of(block)});
  record(ready, stream());
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    downloads_.insert(downloads_.end(), parts.begin(), parts.end());
  }
  changed_.notify_all();
}

template <class E>
Event& SharedColumns<E>::event(std::vector<std::unique_ptr<Event>>& events) {
  return *events.emplace_back(std::make_unique<Event>());
}

template <class E>
void SharedColumns<E>::upload_panels() {
  for_panels([&](Index first, Index end) {
    matrix_.group().require_running();
    const Index rows = matrix_.pivoted() ? matrix_.rows() : end;
    upload_part(up_, matrix_.host().block(0, first), own().block(0, first), rows, end - first);
    copied_ += rows * (end - first) * static_cast<Index>(sizeof(E));
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      record(event(uploaded_event_), up_.stream());
      ++uploaded_;
    }
    changed_.notify_all();
  });
}

template <class E>
void SharedColumns<E>::download_parts() {
  for (bool first = true;; first = false) {
    Download part{};
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return stopped_ || closed_ || !downloads_.empty(); });
      if (stopped_ || downloads_.empty()) return;
      part = downloads_.front();
      downloads_.pop_front();
    }
    if (first) matrix_.group().begin_writing();
    fetch(part);
  }
}

template <class E>
void SharedColumns<E>::fetch(const Download& part) {
  const Index columns = part.end - part.first, rows = part.rows > 0 ? part.rows : part.end;
  stream_waits(down_.stream(), *part.ready);
  if (part.rows > 0)
    download_part(down_, own().block(part.row, part.first), matrix_.host().block(part.row, part.first), rows, columns);
  else
    download_triangle(down_, own(), matrix_.host(), part.first, part.end, tuning().lu.triangle_columns);
  copied_ += rows * columns * static_cast<Index>(sizeof(E));
}

/// Runs the copies of one direction on their own thread.
template <class E>
template <class Body>
void SharedColumns<E>::run_copies(Body&& body) noexcept {
  try {
    const DeviceScope scope(state_.device());
    body();
  } catch (const FlowStopped&) {
    stop();
  } catch (...) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
    stop();
  }
}

template <class E>
void SharedColumns<E>::join() {
  if (uploader_.joinable()) uploader_.join();
  if (downloader_.joinable()) downloader_.join();
}

template <class E>
void SharedColumns<E>::stop() noexcept {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

#define ACCUBLAS_INSTANTIATE(E)   \
  template class SharedMatrix<E>; \
  template class SharedColumns<E>;
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
