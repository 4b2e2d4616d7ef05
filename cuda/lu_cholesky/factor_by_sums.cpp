// Columns of Cholesky's factor and of U are right-hand sides of triangular systems whose unknowns depend on each other.
// They are solved by substitution by sums (cuda/trsm/unknown_sums.hpp), with diagonal blocks and panels of L as
// separate steps. If the sums of all right-hand sides do not fit in memory, panels are processed one after the other;
// the contributions of all columns to the left of a panel are added first.
#include "cuda/lu_cholesky/factor_by_sums.hpp"

#include "cuda/core/rehearsal.hpp"
#include "cuda/lu_cholesky/cholesky_diagonal.hpp"
#include "cuda/lu_cholesky/lu_panel.hpp"
#include "cuda/lu_cholesky/panels_by_sums.hpp"
#include "cuda/lu_cholesky/resident_panel.hpp"
#include "lib/call/accuracy.hpp"

namespace accublas::cuda {

namespace {

/// Returns the system whose matrix is A itself, with alpha 1.
template <class E>
TriangularSystem<E> cholesky_system(const Matrix<E>& x, Index n) {
  return {n,
          n,
          E{RealOf<E>(1)},
          {{x.data, x.col_stride, x.row_stride}, is_complex<E>, Structure::triangular, Triangle::lower},
          x};
}
template <class E>
TriangularSystem<E> lu_system(const Matrix<E>& a, Index m, Index n) {
  return {m,
          n,
          E{RealOf<E>(1)},
          {{a.data, a.row_stride, a.col_stride}, false, Structure::triangular, Triangle::lower, true},
          a};
}

/// Computes X^H X = A in place.
template <class E>
class CholeskyBySums : PanelsBySums<E> {
  using Base = PanelsBySums<E>;
  using Base::between, Base::panel_, Base::sums_, Base::state_;
  static constexpr Index block = cholesky_edge<E>;

 public:
  static constexpr Index step = block;  ///< columns of a panel are a multiple of this

  CholeskyBySums(State& state, const Factorization<E>& f, const ColumnSource<E>& from, Execution& execution)
      : Base(state, cholesky_system(from.host ? from.host->nothing() : f.cholesky_factor(), f.n), from, execution, step,
             sum_moduli<RealOf<E>>, uncertain_sum<RealOf<E>>),
        n_(f.n) {}

  /// Sets *info, which is zero before, as LAPACK does.
  void run(long long* info) {
    sums_.run(
        [&](auto& steps) {
          this->for_panels(steps, n_, n_, 0, [&](Index known) {
            if (known > 0) steps.add_products(0, known, panel_.count(), from(known));
            factor(steps, known, panel_.count());
          });
        },
        [](Carver&) {}, info);
  }

 private:
  /// Returns the panel's right-hand sides from column `column` on.
  Sides from(Index column) const { return between(column, panel_.end); }

  /// Factors rows first .. first + count - 1 of the panel's rows on the diagonal.
  template <class Steps>
  void factor(Steps& steps, Index first, Index count) {
    if (count > block) {
      const Index half = UnknownSums<E>::half_of(count, block);
      factor(steps, first, half);
      steps.add_products(first, half, count - half, from(first + half));
      return factor(steps, first + half, count - half);
    }
    if constexpr (Steps::launches)
      factor_diagonal(state_.model(), steps.job_of(between(first, first + count)), first, count, state_.cuda_stream());
    steps.solve_block(first, count, from(first + count));
  }

  const Index n_;
};

/// Columns of U grow row by row. The largest numbers in a column determine what products leave undecided of the others,
/// and a column of a panel waits for its last row. Four more moduli add 14 bits a side.
template <class E>
constexpr int lu_moduli = sum_moduli<RealOf<E>> + 4;

/// Elements of a nearly singular matrix cancel further within a panel, by some 30 bits, and undecided ones make the
/// whole panel wait. So the sums before the panel are refined earlier. Sums of random data stay certain.
template <class E>
constexpr double lu_uncertain_sum = std::is_same_v<RealOf<E>, double> ? 0x1p-72 : uncertain_sum<RealOf<E>>;

/// Computes P A = L U in place.
template <class E>
class LuBySums : PanelsBySums<E> {
  using Base = PanelsBySums<E>;
  using Base::between, Base::host_, Base::panel_, Base::sums_, Base::state_, Base::x_;

 public:
  static constexpr Index step = solve_block_unknowns<E>(false);  ///< columns of a panel are a multiple of this

  LuBySums(State& state, const Factorization<E>& f, const ColumnSource<E>& from, Execution& execution)
      : Base(state, lu_system(from.host ? from.host->nothing() : f.a, f.rows(), f.n), from, execution, step,
             lu_moduli<E>, lu_uncertain_sum<E>),
        f_(f),
        m_(f.rows()),
        order_(f.order()),
        words_(resident_panel_words<E>(state.model(), m_)) {}

  void run(long long* info) {
    info_ = info;
    sums_.run(
        [&](auto& steps) {
          start(steps);
          this->for_panels(steps, f_.n, order_, m_, [&](Index known) {
            const Index end = std::min(panel_.end, order_);
            if (end == known) return;
            step_ = columns_at_a_time(end - known);
            factor(steps, known, end - known, {known, between(end, panel_.end), nullptr});
          });
        },
        [&](Carver& carver) {
          memory_.moves = carver.take<RowMoves>(1);
          if (words_ > 0) {
            memory_.words = carver.take<FlaggedWord>(words_);
            return;
          }
          memory_.candidates = carver.take<PivotCandidate<E>>(2 * lu_panel_blocks<E>(state_.model(), m_));
          memory_.position = carver.take<Index>(m_);
          memory_.pair = carver.take<double2>(parts_of<E> * m_ * lu_panel_columns);
          memory_.error = carver.take<double>(parts_of<E> * m_ * lu_panel_columns);
          memory_.arrived = carver.take<unsigned>(1);
        });
  }

 private:
  template <class Steps>
  void start(Steps&) {
    if constexpr (Steps::launches) {
      const cudaStream_t stream = state_.cuda_stream();
      const char* const what = "clearing what thread blocks exchange";
      if (words_ > 0)
        set_on_stream(memory_.words, 0, static_cast<std::size_t>(words_) * sizeof(FlaggedWord), stream, what);
      else
        set_on_stream(memory_.arrived, 0, sizeof *memory_.arrived, stream, what);
    }
  }

  /// Columns right of the current ones. Their sums hold the contributions left of column `known`, in all rows from
  /// there on; rows that are exchanged have the same terms.
  struct Right {
    Index known;
    Sides sides;
    const Right* further;  ///< columns right of these, or null
  };

  /// Returns how many of `count` columns compute their rows of U for all columns to their right at once. Unknowns wait
  /// for each other, so many such rows mean few steps. But each of their products converts again all that is above in
  /// those columns. With a 32nd of the columns that is about twice what the recursion's products convert.
  static Index columns_at_a_time(Index count) {
    Index step = 256;
    while (32 * step < count) step *= 2;
    return step;
  }
  /// Factors columns first .. first + count - 1, from row `first` on, and computes their rows of U to the panel's end.
  /// The sums hold all contributions from the left.
  template <class Steps>
  void factor(Steps& steps, Index first, Index count, const Right& right) {
    const Index end = first + count;
    if (count <= step_) {
      factor_few(steps, first, count);
      for (const Right* far = &right; far; far = far->further)
        if (far->known < first) steps.add_products(far->known, first - far->known, count, far->sides);
      return sums_.solve(steps, first, count, between(end, panel_.end));
    }
    const Index half = UnknownSums<E>::half_of(count, step_), middle = first + half;
    if (right.known == first)
      factor(steps, first, half, {first, between(middle, panel_.first + right.sides.end), right.further});
    else
      factor(steps, first, half, {first, between(middle, end), &right});
    steps.add_products(first, half, m_ - middle, between(middle, end));
    if (right.known < first || right.sides.count() == 0 || end < m_) return factor(steps, middle, end - middle, right);
    // The rows end here, and no product of more terms follows.
    steps.add_products(first, half, m_ - middle, right.sides);
    factor(steps, middle, end - middle, {middle, right.sides, right.further});
  }
  /// Factors columns first .. first + count - 1, without their rows of U to the right of these columns.
  template <class Steps>
  void factor_few(Steps& steps, Index first, Index count) {
    if (count <= lu_panel_columns) return factor_columns(steps, first, static_cast<int>(count));
    const Index half = UnknownSums<E>::half_of(count, lu_panel_columns), middle = first + half, end = first + count;
    factor_few(steps, first, half);
    sums_.solve(steps, first, half, between(middle, end));
    steps.add_products(first, half, m_ - middle, between(middle, end));
    factor_few(steps, middle, end - middle);
  }

  template <class Steps>
  void factor_columns(Steps& steps, Index first, int count) {
    if constexpr (Steps::launches) {
      const DeviceModel& model = state_.model();
      const cudaStream_t stream = state_.cuda_stream();
      const SolveJob<E> job = steps.job_of(between(first, panel_.end));
      const LuPanel<E> panel{x_,
                             m_,
                             first,
                             count,
                             job.sums,
                             memory_,
                             host_ ? host_->pivots() : static_cast<std::int64_t*>(f_.pivots.data),
                             info_,
                             job.undecided,
                             job.all_undecided,
                             job.far};
      if (memory_.words)
        factor_resident_panel(model, panel, steps_, stream);
      else
        factor_panel(model, panel, arrived_, stream);
      if (host_) {
        move_rows(model, memory_.moves, host_->far_rows(), 1, stream);
        move_rows(model, memory_.moves, x_.block(0, panel_.first), panel_.count(), stream);
      } else {
        move_rows(model, memory_.moves, x_, this->moving_columns(f_.n), stream);
      }
      move_sums(model, memory_.moves, job.sums.from(0, count), parts_of<E>, job.system.sides - count, stream);
    }
  }

  const Factorization<E>& f_;
  const Index m_, order_, words_;
  Index step_ = 0;  ///< result of columns_at_a_time
  LuMemory<E> memory_{};
  unsigned arrived_ = 0;
  std::uint32_t steps_ = 0;
  long long* info_ = nullptr;
};

template <class E>
class FactorBySums {
 public:
  FactorBySums(State& state, const Factorization<E>& f, FactorOutcome* outcome, const ColumnSource<E>& from,
               Execution& execution)
      : state_(state), f_(f), outcome_(outcome), from_(from), execution_(execution) {}

  void run() {
    if (has_factor(f_.kind)) factor();
    if (!has_solution(f_.kind) || f_.nrhs == 0) return;
    if (has_factor(f_.kind)) close_on_failure(state_.model(), outcome_, state_.cuda_stream());
    is_cholesky(f_.kind) ? solve_cholesky() : solve_lu();
  }

 private:
  void factor() {
    is_cholesky(f_.kind) ? CholeskyBySums<E>(state_, f_, from_, execution_).run(&outcome_->info)
                         : LuBySums<E>(state_, f_, from_, execution_).run(&outcome_->info);
    wrote_ = true;
  }

  void solve(const accublas::Operand<E>& m) {
    UnknownSums<E> sums(state_, {f_.n, f_.nrhs, E{RealOf<E>(1)}, m, f_.b}, nullptr, false, execution_);
    with_written(wrote_,
                 [&] { sums.run([&](auto& steps) { sums.solve_all(steps); }, [](Carver&) {}, &outcome_->closed); });
    wrote_ = true;
  }
  void exchange(bool backwards) {
    exchange_rows(state_.model(), f_.b, f_.nrhs, static_cast<const std::int64_t*>(f_.pivots.data), f_.n, backwards,
                  &outcome_->closed, state_.cuda_stream());
  }

  void solve_cholesky() {
    for (const accublas::Operand<E>& m : cholesky_solves(f_)) solve(m);
  }
  void solve_lu() {
    const bool plain = f_.trans == ACCUBLAS_NO_TRANS;
    if (plain) exchange(false);
    try {
      for (const accublas::Operand<E>& m : lu_solves(f_)) solve(m);
    } catch (const Error&) {
      if (plain && !wrote_) exchange(true);
      throw;
    }
    if (!plain) exchange(true);
  }

  State& state_;
  const Factorization<E>& f_;
  FactorOutcome* const outcome_;
  const ColumnSource<E>& from_;
  Execution& execution_;
  bool wrote_ = false;
};

}  // namespace

template <class E>
void factor_by_sums(State& state, const Factorization<E>& f, FactorOutcome* outcome, const ColumnSource<E>& from,
                    Execution& execution) {
  put_bound(execution.report, rounded_once<RealOf<E>>());
  BatchScope scope(state, execution.report.level);
  FactorBySums<E>(state, f, outcome, from, execution).run();
  scope.end();
}

template <class E>
Index most_panel_columns(const Factorization<E>& f, std::size_t workspace) {
  const Index step = is_cholesky(f.kind) ? CholeskyBySums<E>::step : LuBySums<E>::step;
  return UnknownSums<E>::most_sides(f.rows(), false, workspace, step);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                                      \
  template void factor_by_sums(State&, const Factorization<E>&, FactorOutcome*, const ColumnSource<E>&, Execution&); \
  template Index most_panel_columns(const Factorization<E>&, std::size_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
