#include "cuda/lu_cholesky/factor_by_products.hpp"

#include <utility>

#include "cuda/int8/spare_moduli.hpp"
#include "cuda/lu_cholesky/cholesky_by_products.hpp"
#include "cuda/lu_cholesky/host_columns.hpp"
#include "cuda/lu_cholesky/lu_by_products.hpp"
#include "cuda/lu_cholesky/shared_columns.hpp"

namespace accublas::cuda {

namespace {

template <class E>
class FactorByProducts {
 public:
  FactorByProducts(State& state, const Call<Factorization<E>, E>& call, FactorOutcome* outcome,
                   const GradeProducts<E>& functions, const ColumnSource<E>& from, Execution& execution)
      : state_(state),
        f_(call.problem),
        outcome_(outcome),
        host_(from.host),
        shared_(from.shared),
        execution_(execution),
        products_(state, call.mode, functions),
        steps_(state, call.mode, products_),
        lu_(state, f_.rows(), f_.order(), outcome, products_, steps_, execution.workspace),
        cholesky_(state, outcome, steps_) {
    if (host_) host_->take(host_->panel_that_fits(plain_cholesky_edge), false);
  }

  void run() {
    const bool by_lu = has_factor(f_.kind) && !is_cholesky(f_.kind), by_cholesky = has_factor(f_.kind) && !by_lu;
    products_.begin(execution_, [&](Carver& carver) {
      products_.lay_out(carver, by_lu && lu_.looks_ahead());
      if (by_lu) lu_.lay_out(carver);
      if (by_cholesky) cholesky_.lay_out(carver);
      if (keeps_solutions()) kept_ = carver.take<E>(f_.n * f_.nrhs);
    });
    if (by_lu) lu_.begin();
    if (by_cholesky) cholesky_.begin();
    // Products without the spare modulus bring LU's residual to 10 u at order 16384, where cuSOLVER's is 0.2 u.
    const SpareModuli spare(by_lu && sizeof(RealOf<E>) == sizeof(double) ? 1 : 0);
    const bool no = false;  // the host's matrix is as it was until a panel is stored
    with_written(host_ || shared_ ? no : std::as_const(steps_.wrote), [&] {
      if (host_)
        factor_host_columns();
      else if (shared_)
        factor_shared_columns();
      else if (has_factor(f_.kind))
        factor_columns(is_cholesky(f_.kind) ? f_.cholesky_factor() : f_.a, 0, f_.n);
      if (has_solution(f_.kind) && f_.nrhs > 0) solve_all();
    });
    products_.end();
  }

 private:
  bool keeps_solutions() const { return has_factor(f_.kind) && has_solution(f_.kind) && f_.nrhs > 0; }

  /// Factors columns known .. end - 1 of A (X). The contributions of the unknowns to their left are subtracted already.
  void factor_columns(const Matrix<E>& a, Index known, Index end) {
    if (is_cholesky(f_.kind)) return cholesky_.factor(a, known, end - known, end);
    const Index count = std::min(end, f_.order()) - known;
    if (count > 0)
      lu_.factor(a, known, count, end, host_ ? host_->pivots() : static_cast<std::int64_t*>(f_.pivots.data));
  }
  void factor_host_columns() {
    const bool conjugated = is_cholesky(f_.kind) && is_complex<E>;
    for (Index first = 0, end = 0; first < f_.n; first = end) {
      end = std::min(first + host_->panel(), f_.n);
      // A single column has no order, and its complex products would have no name in BLAS.
      if (f_.n - end == 1) ++end;
      const Matrix<E> a = host_->load(first, end);
      const Index known = std::min(first, f_.order()), sides = end - first,
                  rows = is_cholesky(f_.kind) ? known : f_.rows();
      host_->for_blocks(known, [&](Index at, Index count, const Matrix<const E>& l) {
        const Index next = at + count;
        steps_.solve({count,
                      sides,
                      E{RealOf<E>(1)},
                      {l.block(at, at), conjugated, Structure::triangular, Triangle::lower, !is_cholesky(f_.kind)},
                      a.block(at, first)});
        steps_.subtract(rows - next, sides, count, l.block(next, at), read_only(a.block(at, first)),
                        a.block(next, first), conjugated);
      });
      if (is_cholesky(f_.kind) && known > 0)
        steps_.subtract_square(a.block(0, first), known, sides, a.block(first, first));
      factor_columns(a, known, end);
      host_->store();
    }
  }

  void factor_shared_columns() {
    const bool pivoted = !is_cholesky(f_.kind), conjugated = !pivoted && is_complex<E>;
    const Matrix<E> a = pivoted ? f_.a : f_.cholesky_factor();
    const Matrix<const E> l = pivoted ? read_only(a) : read_only(a).transposed();
    shared_->for_panels([&](Index first, Index end) {
      const Index known = std::min(first, f_.order()), sides = end - first;
      shared_->load(first);
      shared_->for_groups(first, [&](Index at, Index count) {
        const Index next = at + count;
        shared_->take(at, count, nullptr);
        if (!pivoted && at > 0)
          steps_.subtract(count, sides, at, l.block(at, 0), read_only(a.block(0, first)), a.block(at, first),
                          conjugated);
        steps_.solve({count,
                      sides,
                      E{RealOf<E>(1)},
                      {l.block(at, at), conjugated, Structure::triangular, Triangle::lower, pivoted},
                      a.block(at, first)});
        if (pivoted)
          steps_.subtract(f_.rows() - next, sides, count, l.block(next, at), read_only(a.block(at, first)),
                          a.block(next, first), false);
      });
      if (!pivoted && known > 0) steps_.subtract_square(a.block(0, first), known, sides, a.block(first, first));
      factor_columns(a, known, end);
      shared_->store(false);
    });
  }

  /// Solves by the factors; on a copy of B if the factorization may turn out to have no solution.
  void solve_all() {
    const cudaStream_t stream = state_.cuda_stream();
    Factorization<E> f = f_;
    if (keeps_solutions()) {
      close_on_failure(state_.model(), outcome_, stream);
      f.b = f_.b.row_stride == 1 ? Matrix<E>{kept_, 1, f_.n} : Matrix<E>{kept_, f_.nrhs, 1};
      copy_if_open(state_.model(), nullptr, f_.b, f.b, f_.n, f_.nrhs, stream);
    }
    const bool plain = f.trans == ACCUBLAS_NO_TRANS, pivoted = !is_cholesky(f.kind);
    if (pivoted && plain) exchange(f, false);
    for (const accublas::Operand<E>& m : pivoted ? lu_solves(f) : cholesky_solves(f))
      steps_.solve({f.n, f.nrhs, E{RealOf<E>(1)}, m, f.b});
    if (pivoted && !plain) exchange(f, true);
    if (keeps_solutions()) copy_if_open(state_.model(), outcome_, f.b, f_.b, f_.n, f_.nrhs, stream);
  }
  void exchange(const Factorization<E>& f, bool backwards) {
    exchange_rows(state_.model(), f.b, f.nrhs, static_cast<const std::int64_t*>(f.pivots.data), f.n, backwards, nullptr,
                  state_.cuda_stream());
    steps_.wrote = true;
  }

  State& state_;
  const Factorization<E>& f_;
  FactorOutcome* const outcome_;
  HostColumns<E>* const host_;
  SharedColumns<E>* const shared_;
  Execution& execution_;
  InnerProducts<E> products_;
  FactorSteps<E> steps_;
  LuByProducts<E> lu_;
  CholeskyByProducts<E> cholesky_;
  E* kept_ = nullptr;
};

}  // namespace

template <class E>
bool has_panels(const DeviceModel& model, const Factorization<E>& f) {
  return is_cholesky(f.kind) || !has_factor(f.kind) || plain_panel_blocks<E>(model, f.rows()) > 0;
}

template <class E>
void factor_by_products(State& state, const Call<Factorization<E>, E>& call, FactorOutcome* outcome,
                        const GradeProducts<E>& products, const ColumnSource<E>& from, Execution& execution) {
  BatchScope scope(state, execution.report.level);
  FactorByProducts<E>(state, call, outcome, products, from, execution).run();
  scope.end();
}

#define ACCUBLAS_INSTANTIATE(E)                                                                                       \
  template bool has_panels(const DeviceModel&, const Factorization<E>&);                                              \
  template void factor_by_products(State&, const Call<Factorization<E>, E>&, FactorOutcome*, const GradeProducts<E>&, \
                                   const ColumnSource<E>&, Execution&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
