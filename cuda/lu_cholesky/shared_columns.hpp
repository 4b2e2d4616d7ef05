// The columns of a host matrix that several devices factor (cuda/lu_cholesky/panel_shares.hpp). Each device has memory
// for the whole matrix. Its own panels come from the host, and those of L before them from the devices that factored
// them. (In Cholesky's factorization X^H X = A the panels are columns of X.)
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "cuda/core/copy_lane.hpp"
#include "cuda/core/flow_group.hpp"
#include "cuda/core/state.hpp"
#include "cuda/lu_cholesky/outcome.hpp"
#include "cuda/lu_cholesky/panel_shares.hpp"
#include "cuda/lu_cholesky/row_order.hpp"
#include "lib/call/execution.hpp"
#include "lib/call/factorization.hpp"

namespace accublas::cuda {

/// A panel whose columns of L are factored.
struct FactoredPanel {
  std::vector<ListedMove> moves;  ///< of its rows, list after list
  std::vector<int> counts;        ///< moves of each list
  long long info = 0;             ///< LAPACK's info, if the panel is the first to have one
  /// For each device: its copy of the panel is complete. Null: the device factored the panel, or does not need it.
  std::vector<std::unique_ptr<Event>> arrived;
};

/// The state that the devices of a shared factorization have in common. Devices publish panels in order.
template <class E>
class SharedMatrix {
 public:
  /// `f`: a POTRF or GETRF on operands in host memory.
  SharedMatrix(const Factorization<E>& f, const PanelShares& shares, FlowGroup& group);

  const Factorization<E>& problem() const { return f_; }
  const PanelShares& shares() const { return shares_; }
  FlowGroup& group() const { return group_; }
  bool pivoted() const { return pivoted_; }
  Index rows() const { return f_.rows(); }
  Matrix<E> host() const { return pivoted_ ? f_.a : f_.cholesky_factor(); }
  /// Returns how many exchanges of rows one list of moves has at most.
  Index most_listed() const { return most_listed_; }

  /// Returns a panel that its device may change until it publishes it.
  FactoredPanel& panel(Index i) { return panels_[static_cast<std::size_t>(i)]; }
  void publish(Index i);
  /// Waits until a panel is published. Throws FlowStopped if a device failed.
  const FactoredPanel& await(Index i);
  /// Returns LAPACK's info once all devices have ended.
  long long info() const;

  std::vector<Matrix<E>> on_device;  ///< A (X) on each device
  std::vector<int> number;           ///< CUDA's number of each device
  std::vector<std::int64_t> pivots;  ///< LAPACK's ipiv

 private:
  const Factorization<E>& f_;
  const PanelShares shares_;
  FlowGroup& group_;
  const bool pivoted_;
  Index most_listed_;
  std::vector<FactoredPanel> panels_;
  Index published_ = 0;  ///< the group's lock guards it
};

/// The part of one device. One thread uploads its panels, and one downloads results, while the thread of its flow puts
/// work on the state's stream.
template <class E>
class SharedColumns {
 public:
  /// Takes the device's memory, and enters it in the matrix. Call this and begin() .. end() within a CallScope of the
  /// state. `threads`: for the copies of each direction.
  SharedColumns(SharedMatrix<E>& matrix, Index device, State& state, int threads);
  ~SharedColumns() = default;
  SharedColumns(const SharedColumns&) = delete;
  SharedColumns& operator=(const SharedColumns&) = delete;

  /// Returns how many bytes of device memory the object takes.
  static std::size_t bytes(const Factorization<E>& f);
  /// Returns the factorization on the device's memory.
  Factorization<E> problem() const;

  /// Starts the copies.
  void begin();
  void outcome_lies_in(FactorOutcome* outcome) { outcome_ = outcome; }
  /// Waits until all of the device's results are in host memory. Returns how many bytes the host and the device
  /// exchanged.
  std::int64_t end();
  /// Ends the copies after a failure, makes the other devices stop, and waits for the device. Throws the error of the
  /// copies if they had one.
  void abandon();

  /// Returns the number of columns of a panel; the last one may have fewer.
  Index panel() const { return shares_.columns; }
  /// Calls body(first, end) for the device's panels of columns.
  template <class Body>
  void for_panels(Body&& body) const {
    for (Index i = device_; i < shares_.panels(); i += shares_.devices) body(shares_.first_of(i), shares_.end_of(i));
  }
  /// Calls body(first, count) for groups of the columns of L before a panel, in order.
  template <class Body>
  void for_groups(Index first_of_panel, Body&& body) const {
    shares_.for_groups(first_of_panel / shares_.columns, [&](Index first, Index end) {
      const Index column = shares_.first_of(first);
      body(column, std::min(shares_.first_of(end), shares_.order) - column);
    });
  }

  // The following functions put work on the state's stream.

  /// Makes the columns of a panel available, in the host's order of rows. The first call tells the other devices that
  /// this one has its memory.
  void load(Index first_of_panel);
  /// Moves further rows by a list of at most `most` moves.
  using MoveRows = std::function<void(const ListedMoves&, Index most)>;
  /// Makes columns first .. first + count - 1 of L available, a group. Moves the rows of the columns before them, and
  /// of the current panel, by their exchanges, and calls `further`, unless null, for each list of these.
  void take(Index first, Index count, const MoveRows& further);
  /// Ends the current panel: waits for its pivots, and sends its columns of L to the devices that need them. `moved`:
  /// the columns before the panel have moved their rows as the panel did.
  void store(bool moved);

 private:
  /// A part of the result that is final once `ready` has been recorded.
  struct Download {
    Event* ready;
    Index row, rows, first, end;  ///< rows = 0: the triangle of Cholesky's factor
  };

  /// The device's memory: A, and in LU the pivots, the lists of moves, and their lengths.
  struct Arrays {
    E* a = nullptr;
    std::int64_t* pivots = nullptr;
    ListedMove* moves = nullptr;
    int* counts = nullptr;
  };
  static Arrays lay_out(const Factorization<E>& f, Carver& carver);

  Matrix<E> own() const { return matrix_.on_device[static_cast<std::size_t>(device_)]; }
  cudaStream_t stream() const { return state_.cuda_stream(); }
  const Tuning& tuning() const { return state_.model().tuning(); }
  Event& event(std::vector<std::unique_ptr<Event>>& events);
  template <class Body>
  void for_lists(Index block, Body&& body) const;
  void upload_lists(Index block);
  void move_columns(Index block, Index first, Index columns);
  void receive(Index block);
  void send(Index block);
  void wait_for_sends();
  void finish_rows(Index block);
  void fetch(const Download& part);
  void upload_panels();
  void download_parts();
  template <class Body>
  void run_copies(Body&& body) noexcept;
  void join();
  void stop() noexcept;

  SharedMatrix<E>& matrix_;
  const PanelShares& shares_;
  const Index device_;
  State& state_;
  const PinnedBuffers pinned_;
  std::optional<ArrayMemory<CallMemory>> memory_;
  Arrays arrays_;
  FactorOutcome* outcome_ = nullptr;
  bool started_ = false;
  Index current_ = 0;   ///< the current panel
  Index received_ = 0;  ///< panels whose moves the columns before them have made
  std::vector<std::unique_ptr<Event>> uploaded_event_, ready_event_;
  std::vector<const Event*> sent_;  ///< copies to other devices that the stream has not waited for
  std::unique_ptr<ListsOfMoves> lists_;
  std::atomic<std::int64_t> copied_{0};

  std::mutex mutex_;
  std::condition_variable changed_;
  // The mutex guards these.
  std::deque<Download> downloads_;
  Index uploaded_ = 0;  ///< panels
  bool closed_ = false, stopped_ = false;
  std::exception_ptr error_;

  // These end before what they use.
  Lane up_, down_;
  OwnStream sender_;
  std::thread uploader_, downloader_;
};

}  // namespace accublas::cuda
