#include "cuda/lu_cholesky/shared_factorization.hpp"

#include <exception>
#include <memory>
#include <vector>

#include "cuda/core/device_states.hpp"
#include "cuda/core/peer_memory.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/lu_cholesky/factor_by_sums.hpp"
#include "cuda/lu_cholesky/factorization_call.hpp"
#include "cuda/lu_cholesky/shared_columns.hpp"
#include "lib/base/error.hpp"
#include "lib/call/one_by_one.hpp"

namespace accublas::cuda {

namespace {

/// Panels wait for each other, so a factorization pays for several devices from this many times as many operations as
/// a product on.
constexpr double operations_over_products = 3;

/// Returns the number of real operations.
template <class E>
double operations_of(const Factorization<E>& f) {
  const auto m = static_cast<double>(f.rows()), n = static_cast<double>(f.n), k = static_cast<double>(f.order());
  const double real = is_cholesky(f.kind) ? n * n * n / 3 : 2 * m * n * k - (m + n) * k * k + 2 * k * k * k / 3;
  return (is_complex<E> ? 4 : 1) * real;
}

/// Returns the call that only factors.
template <class E>
Factorization<E> factorization_alone(Factorization<E> f) {
  f.m = f.rows();
  f.kind = is_cholesky(f.kind) ? Operation::potrf : Operation::getrf;
  f.nrhs = 0;
  return f;
}

template <class E>
class SharedFactorization {
 public:
  SharedFactorization(State& state, const Call<Factorization<E>, E>& call, const PanelShares& shares,
                      Execution& execution, const GradeProducts<E>& products)
      : own_device_(state.device()),
        call_(call),
        f_(factorization_alone(call.problem)),
        execution_(execution),
        products_(products),
        count_(static_cast<std::size_t>(shares.devices)),
        devices_(state, execution.devices, count_),
        group_(count_),
        matrix_(f_, shares, group_),
        columns_(count_),
        reports_(count_, report_of_part(execution.report)) {}

  bool fits() const {
    for (std::size_t i = 0; i < count_; ++i) {
      const int device = devices_.states[i]->device();
      const DeviceScope scope(device);
      if (SharedColumns<E>::bytes(f_) > room_for_operands(device, devices_.sharing(i), execution_.workspace.cap()))
        return false;
    }
    // One device solves, once the others have given their memory back.
    const DeviceScope scope(own_device_);
    const auto sides = static_cast<std::size_t>(call_.problem.n * call_.problem.nrhs) * sizeof(E);
    if (has_solution(call_.problem.kind) &&
        SharedColumns<E>::bytes(f_) + sides > room_for_operands(own_device_, 1, execution_.workspace.cap()))
      return false;
    for (const State* device : devices_.states)
      for (const State* peer : devices_.states)
        if (!exchange_memory(device->device(), peer->device())) return false;
    return true;
  }

  /// Returns LAPACK's info.
  long long run() {
    try {
      devices_.run(group_, [&](std::size_t i, State& state) {
        columns_[i] = std::make_unique<SharedColumns<E>>(matrix_, static_cast<Index>(i), state, threads());
      });
      devices_.run(group_, [&](std::size_t i, State& state) { factor(i, state); });
    } catch (const Error& error) {
      if (group_.written()) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what(), error.cause());
      throw;
    } catch (const std::exception&) {  // std::bad_alloc or std::system_error
      if (group_.written()) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, "no host memory", ACCUBLAS_ERROR_MEMORY);
      throw;
    }
    for (std::size_t i = 0; i < matrix_.pivots.size(); ++i)
      call_.problem.pivots.put(static_cast<Index>(i), matrix_.pivots[i] - 1);
    report_devices(reports_, execution_);
    return matrix_.info();
  }

 private:
  int threads() const { return std::max(1, execution_.threads / static_cast<int>(count_)); }

  void factor(std::size_t i, State& state) {
    SharedColumns<E>& columns = *columns_[i];
    try {
      const Factorization<E> problem = columns.problem();
      Workspace workspace(execution_.workspace.cap(), nullptr, 0);
      Execution own = execution_.within(workspace, reports_[i]);
      own.devices = {};
      own.threads = threads();
      columns.begin();
      compute_factorization(
          state, Call<Factorization<E>, E>{problem, call_.alpha, call_.beta, true, true, call_.mode, call_.engine},
          nullptr, own, products_, {nullptr, &columns});
      own.report.copied_bytes += columns.end();
      state.complete(own.report);
      state.forget_call();
    } catch (...) {
      columns.abandon();
      throw;
    }
  }

  const int own_device_;
  const Call<Factorization<E>, E>& call_;
  const Factorization<E> f_;
  Execution& execution_;
  const GradeProducts<E>& products_;
  const std::size_t count_;
  const DeviceStates devices_;
  FlowGroup group_;
  SharedMatrix<E> matrix_;
  std::vector<std::unique_ptr<SharedColumns<E>>> columns_;
  std::vector<accublas_report_t> reports_;
};

/// Solves by the factors in A, on one device.
template <class E>
void solve(State& state, const Call<Factorization<E>, E>& call, Execution& execution,
           const GradeProducts<E>& products) {
  Factorization<E> f = call.problem;
  f.kind = is_cholesky(f.kind) ? Operation::potrs : Operation::getrs;
  f.info = nullptr;
  const Call<Factorization<E>, E> solution{f, call.alpha, call.beta, false, false, call.mode, call.engine};
  // A has its factors already.
  one_by_one(
      1, [&](Index) { staged_factorization(state, solution, execution, products); }, true);
}

}  // namespace

template <class E>
bool share_factorization(State& state, const Call<Factorization<E>, E>& call, Execution& execution,
                         const GradeProducts<E>& products) {
  const Factorization<E>& f = call.problem;
  if (!has_factor(f.kind) || is_inverse(f.kind) || rehearses() || execution.target > 0 ||
      !worth_sharing(state, execution, operations_of(f) / operations_over_products))
    return false;
  const PanelShares shares = PanelShares::plan(f.n, f.order(), static_cast<Index>(execution.devices.size()),
                                               most_panel_columns(f, execution.workspace.cap()));
  if (shares.columns == 0) return false;
  long long info = 0;
  {
    SharedFactorization<E> shared(state, call, shares, execution, products);
    if (!shared.fits()) return false;
    info = shared.run();
  }
  f.put_info(info);
  if (has_solution(f.kind) && f.nrhs > 0 && info == 0) solve(state, call, execution, products);
  return true;
}

#define ACCUBLAS_INSTANTIATE(E) \
  template bool share_factorization(State&, const Call<Factorization<E>, E>&, Execution&, const GradeProducts<E>&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
