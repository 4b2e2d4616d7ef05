// LU with partial pivoting. Each process has rows of A, in which it computes L, and columns, in which it computes U.
// Rows of L stay on their process. An exchange of rows changes their positions in the whole matrix. For each panel, all
// processes get the columns of U above it and compute the panel's columns of L together. Then all get the rows of L
// that belong to the panel's pivots, and each computes the panel's rows of U in its later columns.
#include <numeric>

#include "c_api/pblas/factor.hpp"
#include "lib/cpu/lu_cholesky/pivot_candidate.hpp"

namespace accublas::pblas {
namespace {

template <class E>
class Lu final : cpu::SharedRows<E> {
 public:
  Lu(const Caller& by, const Team& team, const Part& left, const Part& a)
      : by_(by),
        team_(team),
        m_(a.rows.count),
        n_(a.cols.count),
        order_(left.cols.count),
        of_rows_(team, m_),
        of_cols_(team, n_),
        own_rows_(of_rows_.before(m_, team.rank)),
        own_cols_(of_cols_.before(n_, team.rank)),
        lower_(by.name, own_rows_, order_),
        upper_(by.name, m_, own_cols_),
        row_ranks_(of_rows_.axis().owner),
        candidates_(static_cast<std::size_t>(team.size())) {
    const Part rows{of_rows_.axis(), Axis::all(order_), lower_.data.get(), lower_.ld()};
    Exchange(team, left, rows, sizeof(E)).finish();
    Exchange(team, a, cols(), sizeof(E)).finish();
    for (int i = 0; i < m_; ++i)
      if (row_ranks_[static_cast<std::size_t>(i)] == team.rank) row_positions_.push_back(i);
  }

  int run(std::vector<std::int64_t>& pivots) {
    SharedLines<E> lines(by_.name, order_, of_cols_.width);
    Buffer<E> panel(by_.name, order_, of_cols_.width);
    std::int64_t none = -1;
    for (int first = 0, end = 0; first < order_; first = end) {
      end = std::min(order_, first + of_cols_.width);
      const int rank = of_cols_.rank_of(first);
      E* const own = upper_column(of_cols_.before(first, team_.rank));
      const Matrix<E> block{rank == team_.rank ? own : panel.data.get(), 1, rank == team_.rank ? upper_.ld() : order_};
      // The process that has the rows of U above the panel sends them to all.
      send_block(block, panel, first, end - first, rank);
      factor_panel(first, end, {panel.data.get(), 1, order_}, none);
      if (rank == team_.rank)
        for (int j = 0; j < end - first; ++j)
          for (int i = first; i < end; ++i) block(i, j) = panel(i, j);
      if (end == n_) break;
      collect_lines(lines, first, end);
      find_rows(lines, first, end);
    }
    pivots = pivots_;
    return static_cast<int>(none) + 1;
  }

  /// Writes the factors to A.
  void store(const Part& left, const Part& a) {
    sort_rows();
    const Part rows{{m_, By::rank, row_ranks_, {}}, Axis::all(order_), lower_.data.get(), lower_.ld()};
    Exchange(team_, rows, left, sizeof(E), {Triangle::lower, false}).finish();
    Exchange(team_, cols(), a, sizeof(E), {Triangle::upper, true}).finish();
  }

 private:
  Part cols() { return {Axis::all(m_), of_cols_.axis(), upper_.data.get(), upper_.ld()}; }

  E* upper_column(std::int64_t j) { return upper_.data.get() + j * upper_.ld(); }

  void send_block(const Matrix<E>& block, Buffer<E>& panel, int rows, int width, int rank) {
    if (rows == 0) return;
    std::vector<E> packed(static_cast<std::size_t>(rows) * static_cast<std::size_t>(width));
    const auto for_all = [&](auto&& body) {
      for (int j = 0; j < width; ++j)
        for (int i = 0; i < rows; ++i)
          body(packed[static_cast<std::size_t>(j) * static_cast<std::size_t>(rows) + static_cast<std::size_t>(i)], i,
               j);
    };
    if (rank == team_.rank) for_all([&](E& number, int i, int j) { number = block(i, j); });
    broadcast(team_, packed.data(), static_cast<std::int64_t>(packed.size()), rank);
    for_all([&](const E& number, int i, int j) { panel(i, j) = number; });
  }

  void factor_panel(int first, int end, const Matrix<E>& u, std::int64_t& none) {
    const Matrix<E> rows{lower_.data.get() + done_, 1, lower_.ld()};
    this->positions = row_positions_.data() + done_;
    exchanges_.clear();
    cpu::PanelStep<E> step{rows, u, own_rows_ - done_, first, end, this, -1};
    run_step<E>(by_, Operation::getrf, &step);
    if (none < 0) none = step.none;
    // The panel has exchanged the rows in its own columns.
    const Pivots own{exchanges_.data()};
    const auto count = static_cast<std::int64_t>(exchanges_.size());
    swap_rows(rows, 0, first, own, 0, count, false);
    swap_rows(rows, end, order_, own, 0, count, false);
    const Matrix<E> later{upper_column(of_cols_.before(end, team_.rank)), 1, upper_.ld()};
    std::vector<std::int64_t> from_one(pivots_);
    for (std::int64_t& row : from_one) ++row;
    swap_rows(later, 0, own_cols_ - of_cols_.before(end, team_.rank), Pivots{from_one.data()}, first, end - first,
              false);
    done_ += count;
  }

  void agree(Index column, cpu::PivotCandidate<E>& best) override {
    constexpr int bytes = sizeof best;
    MPI_Allgather(&best, bytes, MPI_BYTE, candidates_.data(), bytes, MPI_BYTE, team_.comm);
    pivot_rank_ = 0;
    for (std::size_t rank = 1; rank < candidates_.size(); ++rank)
      if (candidates_[rank].passes(candidates_[static_cast<std::size_t>(pivot_rank_)]))
        pivot_rank_ = static_cast<int>(rank);
    best = candidates_[static_cast<std::size_t>(pivot_rank_)];
    std::swap(row_ranks_[static_cast<std::size_t>(column)], row_ranks_[static_cast<std::size_t>(best.row)]);
    pivots_.push_back(best.row);
  }
  void exchanged(Index, Index other) override { exchanges_.push_back(other + 1); }
  void share(E* numbers, Index count) override { broadcast(team_, numbers, count, pivot_rank_); }

  /// Collects the rows of L of a panel's pivots from the processes that have them.
  void collect_lines(SharedLines<E>& lines, int first, int end) {
    std::vector<int> count(static_cast<std::size_t>(team_.size())), at(count);
    for (int p = first; p < end; ++p) ++count[static_cast<std::size_t>(row_ranks_[static_cast<std::size_t>(p)])];
    std::exclusive_scan(count.begin(), count.end(), at.begin(), 0);
    std::vector<E> sent, received(static_cast<std::size_t>(end) * static_cast<std::size_t>(end - first));
    const int rows = count[static_cast<std::size_t>(team_.rank)];
    for (std::int64_t r = done_ - rows; r < done_; ++r)
      for (int q = 0; q < end; ++q) sent.push_back(lower_(r, q));
    // Counts are rows, which are few, because the bytes of all rows may be more than an int holds.
    MPI_Datatype number, row_type;
    MPI_Type_contiguous(static_cast<int>(sizeof(E)), MPI_BYTE, &number);
    MPI_Type_contiguous(end, number, &row_type);
    MPI_Type_commit(&row_type);
    MPI_Allgatherv(sent.data(), rows, row_type, received.data(), count.data(), at.data(), row_type, team_.comm);
    MPI_Type_free(&row_type);
    MPI_Type_free(&number);
    const Matrix<E> to = lines.matrix();
    for (int p = first; p < end; ++p) {
      int& place = at[static_cast<std::size_t>(row_ranks_[static_cast<std::size_t>(p)])];
      const E* const row = received.data() + static_cast<std::size_t>(place) * static_cast<std::size_t>(end);
      for (int q = 0; q < end; ++q) to(p, q) = row[q];
      ++place;
    }
  }

  /// Computes the panel's rows of U in this process's later columns.
  void find_rows(SharedLines<E>& lines, int first, int end) {
    const std::int64_t later = of_cols_.before(end, team_.rank);
    if (later == own_cols_) return;
    const Matrix<E> l = lines.matrix(), x{upper_column(later), 1, upper_.ld()};
    const Operand<E> m{{l.data, l.row_stride, l.col_stride}, false, Structure::triangular, Triangle::lower, true};
    cpu::SubstitutionStep<E> step{{end, own_cols_ - later, E{1}, m, x}, first, end};
    run_step<E>(by_, Operation::trsm, &step);
  }

  /// Sorts the rows of L by their positions.
  void sort_rows() {
    std::vector<std::size_t> from(row_positions_.size());
    std::iota(from.begin(), from.end(), std::size_t{0});
    std::sort(from.begin(), from.end(),
              [&](std::size_t x, std::size_t y) { return row_positions_[x] < row_positions_[y]; });
    std::vector<E> column(from.size());
    for (int j = 0; j < order_; ++j) {
      E* const entries = lower_.data.get() + j * lower_.ld();
      for (std::size_t r = 0; r < from.size(); ++r) column[r] = entries[from[r]];
      std::copy(column.begin(), column.end(), entries);
    }
  }

  const Caller by_;
  const Team& team_;
  const int m_, n_, order_;
  const Turns of_rows_, of_cols_;
  const std::int64_t own_rows_, own_cols_;
  Buffer<E> lower_, upper_;
  std::int64_t done_ = 0;                         ///< rows of this process that are pivots
  std::vector<Index> row_positions_;              ///< of this process's rows
  std::vector<int> row_ranks_;                    ///< the process that has each position
  std::vector<std::int64_t> pivots_, exchanges_;  ///< positions; a panel's in this process's rows, from 1
  std::vector<cpu::PivotCandidate<E>> candidates_;
  int pivot_rank_ = 0;
};

}  // namespace

template <class E>
int factor_lu(const Caller& by, const Team& team, const Part& left, const Part& a, std::vector<std::int64_t>& pivots) {
  Lu<E> lu(by, team, left, a);
  const int info = lu.run(pivots);
  lu.store(left, a);
  return info;
}

#define ACCUBLAS_PBLAS_LU(E) \
  template int factor_lu<E>(const Caller&, const Team&, const Part&, const Part&, std::vector<std::int64_t>&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_PBLAS_LU)

}  // namespace accublas::pblas
