// Cholesky's columns and U's are right-hand sides of triangular systems whose unknowns find each other: substitution by
// sums (cuda/solve/unknown_sums.hpp), where diagonal blocks and panels of L are steps of their own. Right-hand sides
// whose sums find no room at a time come panel after panel; of each all that is to its left is added first.
#include "cuda/factor/factor_by_sums.hpp"

#include "cuda/factor/cholesky_diagonal.hpp"
#include "cuda/factor/lu_panel.hpp"
#include "cuda/solve/unknown_sums.hpp"
#include "lib/call/accuracy.hpp"

namespace accublas::cuda {

namespace {

/// A system whose matrix is A's own, alpha 1.
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

/// X^H X = A in A's place.
template <class E>
class CholeskyBySums {
 public:
  CholeskyBySums(State& state, const Factorization<E>& f, Execution& execution)
      : state_(state),
        n_(f.n),
        block_(solve_block_unknowns<E>(false)),
        sums_(state, cholesky_system(f.cholesky_factor(), n_), nullptr, false, execution, block_) {}

  /// *info, which is zero, becomes LAPACK's.
  void run(long long* info) {
    sums_.run(
        [&](auto& steps) {
          for (Index first = 0; first < n_; first += sums_.panel()) {
            panel_ = {first, std::min(first + sums_.panel(), n_)};
            steps.begin(panel_);
            factor(steps, 0, panel_.end);
          }
        },
        [](Carver&) {}, info);
  }

 private:
  /// The panel's right-hand sides from column `column` on.
  Sides from(Index column) const { return {std::max(column, panel_.first) - panel_.first, panel_.count()}; }
  Sides between(Index first, Index end) const { return {first - panel_.first, end - panel_.first}; }

  /// Rows first .. first + count - 1 of the panel.
  template <class Steps>
  void factor(Steps& steps, Index first, Index count) {
    if (count > block_) {
      const Index half = UnknownSums<E>::half_of(count, block_);
      factor(steps, first, half);
      steps.add_products(first, half, count - half, from(first + half));
      return factor(steps, first + half, count - half);
    }
    if (first < panel_.first) return steps.solve_block(first, count, from(first));
    factor_block(steps, first, count);
    steps.solve_block(first, count, from(first + count));
  }

  /// The rows and columns of a block on the diagonal.
  template <class Steps>
  void factor_block(Steps& steps, Index first, Index count) {
    if constexpr (Steps::launches)
      for (Index at = first, end = first + count; at < end; at += cholesky_edge) {
        const Index some = std::min(cholesky_edge, end - at), rest = end - at - some;
        factor_diagonal(state_.model(), steps.job_of(between(at, at + some)), at, some, state_.cuda_stream());
        steps.solve_block(at, some, between(at + some, end));
        steps.add_products(at, some, rest, between(at + some, end));
      }
  }

  State& state_;
  const Index n_, block_;
  UnknownSums<E> sums_;
  Sides panel_{};
};

/// Columns of U grow row by row, and the largest of their numbers set what products leave undecided of the others; a
/// column of a panel waits for its last row. Four moduli more are 14 bits a side.
template <class E>
constexpr int lu_moduli = sum_moduli<RealOf<E>> + 4;

/// P A = L U in A's place.
template <class E>
class LuBySums {
 public:
  LuBySums(State& state, const Factorization<E>& f, Execution& execution)
      : state_(state),
        f_(f),
        m_(f.rows()),
        order_(f.order()),
        sums_(state, lu_system(f.a, m_, f.n), nullptr, false, execution, solve_block_unknowns<E>(false), lu_moduli<E>) {
  }

  void run(long long* info) {
    info_ = info;
    sums_.run(
        [&](auto& steps) {
          start(steps);
          for (Index first = 0; first < f_.n; first += sums_.panel()) {
            panel_ = {first, std::min(first + sums_.panel(), f_.n)};
            steps.begin(panel_);
            const Index known = std::min(first, order_), end = std::min(panel_.end, order_);
            const Sides all{0, panel_.count()};
            if (known > 0) {
              sums_.solve(steps, 0, known, all);
              steps.add_products(0, known, m_ - known, all);
            }
            if (end == known) continue;
            factor(steps, known, end - known);
            if (end < panel_.end) sums_.solve(steps, known, end - known, between(end, panel_.end));
          }
        },
        [&](Carver& carver) {
          memory_.candidates = carver.take<PivotCandidate<E>>(2 * lu_panel_blocks<E>(state_.model(), m_));
          memory_.position = carver.take<Index>(m_);
          memory_.pair = carver.take<double2>(parts_of<E> * m_ * lu_panel_columns);
          memory_.error = carver.take<double>(parts_of<E> * m_ * lu_panel_columns);
          memory_.moves = carver.take<RowMoves>(1);
          memory_.arrived = carver.take<unsigned>(1);
        });
  }

 private:
  Sides between(Index first, Index end) const { return {first - panel_.first, end - panel_.first}; }

  template <class Steps>
  void start(Steps&) {
    if constexpr (Steps::launches)
      check(cudaMemsetAsync(memory_.arrived, 0, sizeof *memory_.arrived, state_.cuda_stream()), "clearing a counter");
  }

  /// Columns first .. first + count - 1, from row `first` on, where the sums hold all that is to their left.
  template <class Steps>
  void factor(Steps& steps, Index first, Index count) {
    if (count <= lu_panel_columns) return factor_columns(steps, first, static_cast<int>(count));
    const Index half = UnknownSums<E>::half_of(count, lu_panel_columns), middle = first + half, end = first + count;
    factor(steps, first, half);
    sums_.solve(steps, first, half, between(middle, end));
    steps.add_products(first, half, m_ - middle, between(middle, end));
    factor(steps, middle, end - middle);
  }

  template <class Steps>
  void factor_columns(Steps& steps, Index first, int count) {
    if constexpr (Steps::launches) {
      const DeviceModel& model = state_.model();
      const cudaStream_t stream = state_.cuda_stream();
      const SolveJob<E> job = steps.job_of(between(first, panel_.end));
      factor_panel(model,
                   LuPanel<E>{f_.a, m_, first, count, job.sums, memory_, static_cast<std::int64_t*>(f_.pivots.data),
                              info_, job.undecided, job.all_undecided},
                   barriers_, stream);
      move_rows(model, memory_.moves, f_.a, f_.n, stream);
      move_sums(model, memory_.moves, job.sums.from(0, count), parts_of<E>, job.system.sides - count, stream);
    }
  }

  State& state_;
  const Factorization<E>& f_;
  const Index m_, order_;
  UnknownSums<E> sums_;
  Sides panel_{};
  LuMemory<E> memory_{};
  unsigned barriers_ = 0;
  long long* info_ = nullptr;
};

template <class E>
class FactorBySums {
 public:
  FactorBySums(State& state, const Factorization<E>& f, FactorOutcome* outcome, Execution& execution)
      : state_(state), f_(f), outcome_(outcome), execution_(execution) {}

  void run() {
    if (has_factor(f_.kind)) factor();
    if (!has_solution(f_.kind) || f_.nrhs == 0) return;
    if (has_factor(f_.kind)) close_on_failure(state_.model(), outcome_, state_.cuda_stream());
    is_cholesky(f_.kind) ? solve_cholesky() : solve_lu();
  }

 private:
  void factor() {
    is_cholesky(f_.kind) ? CholeskyBySums<E>(state_, f_, execution_).run(&outcome_->info)
                         : LuBySums<E>(state_, f_, execution_).run(&outcome_->info);
    wrote_ = true;
  }

  void solve(const accublas::Operand<E>& m) {
    UnknownSums<E> sums(state_, {f_.n, f_.nrhs, E{RealOf<E>(1)}, m, f_.b}, nullptr, false, execution_);
    try {
      sums.run([&](auto& steps) { sums.solve_all(steps); }, [](Carver&) {}, &outcome_->closed);
    } catch (const Error& error) {
      if (wrote_ && error.status() == ACCUBLAS_ERROR_MEMORY) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
      throw;
    }
    wrote_ = true;
  }
  void exchange(bool backwards) {
    exchange_rows(state_.model(), f_.b, f_.nrhs, static_cast<const std::int64_t*>(f_.pivots.data), f_.n, backwards,
                  &outcome_->closed, state_.cuda_stream());
    wrote_ = true;
  }

  void solve_cholesky() {
    for (const accublas::Operand<E>& m : cholesky_solves(f_)) solve(m);
  }
  void solve_lu() {
    const bool plain = f_.trans == ACCUBLAS_NO_TRANS;
    if (plain) exchange(false);
    for (const accublas::Operand<E>& m : lu_solves(f_)) solve(m);
    if (!plain) exchange(true);
  }

  State& state_;
  const Factorization<E>& f_;
  FactorOutcome* const outcome_;
  Execution& execution_;
  bool wrote_ = false;
};

}  // namespace

template <class E>
void factor_by_sums(State& state, const Factorization<E>& f, FactorOutcome* outcome, Execution& execution) {
  put_bound(execution.report, rounded_once<RealOf<E>>());
  BatchScope scope(state, execution.report.level);
  FactorBySums<E>(state, f, outcome, execution).run();
  scope.end();
}

template void factor_by_sums(State&, const Factorization<double>&, FactorOutcome*, Execution&);
template void factor_by_sums(State&, const Factorization<float>&, FactorOutcome*, Execution&);
template void factor_by_sums(State&, const Factorization<Complex<double>>&, FactorOutcome*, Execution&);
template void factor_by_sums(State&, const Factorization<Complex<float>>&, FactorOutcome*, Execution&);

}  // namespace accublas::cuda
