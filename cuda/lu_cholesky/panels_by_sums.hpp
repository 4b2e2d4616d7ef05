// Panels of a factorization in cr: where their columns are, and the sums over the columns of L before them.
#pragma once

#include "cuda/lu_cholesky/column_source.hpp"
#include "cuda/lu_cholesky/host_columns.hpp"
#include "cuda/lu_cholesky/shared_columns.hpp"
#include "cuda/trsm/unknown_sums.hpp"

namespace accublas::cuda {

static_assert(PanelShares::least_step % solve_block_unknowns<double>(false) == 0 &&
                  PanelShares::least_step % solve_block_unknowns<Complex<double>>(false) == 0,
              "blocks of unknowns must end with a panel");

/// Applies listed moves of rows to the sums of these rows, for the first `sides` right-hand sides. Each row has `parts`
/// rows of sums.
inline void move_listed_sums(const DeviceModel& model, const ListedMoves& list, Index most, const PairSums& sums,
                             Index parts, Index sides, cudaStream_t stream) {
  static_assert(sizeof(Complex<double>) == sizeof(double2));
  for (Index part = 0; part < parts; ++part) {
    const PairSums own = sums.from(part, 0);
    const Matrix<Complex<double>> pairs{reinterpret_cast<Complex<double>*>(own.pair), parts * own.stride, 1};
    const Matrix<double> errors{own.error, parts * own.stride, 1};
    move_listed_rows(model, list, most, pairs, sides, stream);
    move_listed_rows(model, list, most, errors, sides, stream);
  }
}

/// A panel is a set of columns, which are right-hand sides of the unknowns that earlier panels have computed.
template <class E>
class PanelsBySums {
 protected:
  /// If the columns are in host memory, they have the strides of the system's.
  PanelsBySums(State& state, const TriangularSystem<E>& system, const ColumnSource<E>& from, Execution& execution,
               Index panel_step, int moduli, double uncertain)
      : state_(state),
        host_(from.host),
        shared_(from.shared),
        x_(system.x),
        sums_(state, system, nullptr, false, execution, panel_step, moduli, uncertain, shared_ ? shared_->panel() : 0) {
    if (host_) host_->take(sums_.panel(), true);
  }

  /// Calls body(known) for each panel of the n columns. By then the panel's sums contain the contributions of the
  /// `known` unknowns before it, at most `order` of them, to the other unknowns up to the m-th.
  template <class Steps, class Body>
  void for_panels(Steps& steps, Index n, Index order, Index m, Body&& body) {
    if (shared_) return for_shared_panels(steps, order, m, body);
    const bool copied = Steps::launches && host_;
    for (Index first = 0; first < n; first += sums_.panel()) {
      panel_ = {first, std::min(first + sums_.panel(), n)};
      const Index known = std::min(first, order);
      if (copied) sums_.sides_lie_in(x_ = host_->load(panel_.first, panel_.end));
      steps.begin(panel_, m > 0 ? m : panel_.end);
      add_known(steps, known, std::max(known, m));
      if (copied) sums_.matrix_lies_in(host_->lower(x_), host_->far_of_panel());
      body(known);
      if (copied) host_->store();
    }
  }

  Sides between(Index first, Index end) const { return {first - panel_.first, end - panel_.first}; }
  /// Returns how many columns exchange their rows with the panel.
  Index moving_columns(Index n) const { return shared_ ? panel_.end : n; }

 private:
  /// In Cholesky's factorization (m = 0) a group of unknowns takes the products of all unknowns before it at once,
  /// because the entries of L for later unknowns may not be there yet.
  template <class Steps, class Body>
  void for_shared_panels(Steps& steps, Index order, Index m, Body&& body) {
    shared_->for_panels([&](Index first, Index end) {
      panel_ = {first, end};
      const Index known = std::min(first, order);
      const Sides all{0, panel_.count()};
      if constexpr (Steps::launches) shared_->load(first);
      if (known == 0) steps.begin(panel_, m > 0 ? m : end);
      shared_->for_groups(first, [&](Index at, Index count) {
        if constexpr (Steps::launches) shared_->take(at, count, at > 0 ? moves_of_sums(steps, all) : nullptr);
        if (at == 0) steps.begin(panel_, m > 0 ? m : end);
        if (m == 0 && at > 0) steps.add_products(0, at, count, all);
        sums_.solve(steps, at, count, all);
        if (m > 0) steps.add_products(at, count, m - at - count, all);
      });
      body(known);
      if constexpr (Steps::launches) shared_->store(true);
    });
  }
  template <class Steps>
  typename SharedColumns<E>::MoveRows moves_of_sums(Steps& steps, Sides all) const {
    return [&state = state_, sums = steps.job_of(all).sums, all](const ListedMoves& list, Index most) {
      move_listed_sums(state.model(), list, most, sums, parts_of<E>, all.count(), state.cuda_stream());
    };
  }

  template <class Steps>
  void add_known(Steps& steps, Index known, Index rows) {
    const Sides all{0, panel_.count()};
    const auto add = [&](Index first, Index count) {
      sums_.solve(steps, first, count, all);
      steps.add_products(first, count, rows - first - count, all);
    };
    if (Steps::launches && host_)
      return host_->for_blocks(known, [&](Index first, Index count, const Matrix<const E>& lower) {
        sums_.matrix_lies_in(lower, host_->far(first));
        add(first, count);
      });
    const Index step = host_ ? host_->block() : known;
    for (Index first = 0; first < known; first += step) add(first, std::min(step, known - first));
  }

 protected:
  State& state_;
  HostColumns<E>* const host_;
  SharedColumns<E>* const shared_;
  Matrix<E> x_;
  UnknownSums<E> sums_;
  Sides panel_{};
};

}  // namespace accublas::cuda
