#include "cuda/lu_cholesky/factorization_call.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "cuda/core/check.hpp"
#include "cuda/core/inner_calls.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/staged_matrix.hpp"
#include "cuda/lu_cholesky/factor_by_sums.hpp"
#include "cuda/lu_cholesky/host_columns.hpp"
#include "cuda/lu_cholesky/shared_columns.hpp"
#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

/// Returns whether the call is served by products. Results by sums keep dp's promise too.
template <class E>
bool by_products(const State& state, const Call<Factorization<E>, E>& call, Execution& execution) {
  if (call.engine != ACCUBLAS_ENGINE_INT8) return false;
  if (has_panels(state.model(), call.problem)) return true;
  if (execution.engine_forced)
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "engine int8: a panel of LU has more rows than the device holds");
  std::strcpy(execution.report.engine, engine_name(ACCUBLAS_ENGINE_SUMS));
  std::strcpy(execution.report.reason, "a panel of LU has more rows than the device holds");
  return false;
}

/// Returns how many bytes of device memory a call with host operands may take: the free memory, but at most the cap if
/// that is below the default.
std::size_t room_on_device(const State& state, const Workspace& workspace) {
  const std::size_t room = room_for_operands(state.device(), 1, 0);
  return workspace.cap() < default_workspace(state.device()) ? std::min(workspace.cap(), room) : room;
}

/// Factors a matrix that stays in host memory.
template <class E>
void factor_where_it_lies(State& state, const Call<Factorization<E>, E>& call, std::size_t room, Execution& execution,
                          const GradeProducts<E>& products) {
  HostColumns<E> host(state, call.problem, room, execution);
  Workspace workspace(host.rest(), nullptr, 0);
  Execution inner = execution.within(workspace);
  std::int64_t info = 0;
  try {
    compute_factorization(state, call, &info, inner, products, {&host, nullptr});
    check(cudaStreamSynchronize(state.cuda_stream()), "waiting for a call");
  } catch (const Error& error) {
    // The CPU would start from a partly overwritten A, so the status becomes ACCUBLAS_ERROR_C_UNDEFINED.
    if (host.wrote() && (error.status() == ACCUBLAS_ERROR_MEMORY || error.status() == ACCUBLAS_ERROR_UNAVAILABLE))
      throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
    throw;
  }
  if (!rehearses()) *call.problem.info = info;
  execution.report.workspace_bytes += static_cast<std::int64_t>(host.bytes());
  std::snprintf(execution.report.reason, sizeof execution.report.reason,
                "A stays in host memory, %lld columns at a time", static_cast<long long>(host.panel()));
}

}  // namespace

template <class E>
void compute_factorization(State& state, const Call<Factorization<E>, E>& call, std::int64_t* info,
                           Execution& execution, const GradeProducts<E>& products, const ColumnSource<E>& from) {
  const cudaStream_t stream = state.cuda_stream();
  const CopyMemory memory(state, execution.workspace, sizeof(FactorOutcome));
  auto* const outcome = reinterpret_cast<FactorOutcome*>(memory.data());
  set_on_stream(outcome, 0, sizeof *outcome, stream, "clearing info");
  if (from.shared) from.shared->outcome_lies_in(outcome);
  if (call.problem.order() > 0) {
    Workspace rest = rest_of(execution.workspace, memory.data(), round_up(sizeof *outcome, std::size_t{256}));
    Execution inner = execution.within(rest);
    by_products(state, call, execution) ? factor_by_products(state, call, outcome, products, from, inner)
                                        : factor_by_sums(state, call.problem, outcome, from, inner);
  }
  if (info) copy_on_stream(info, &outcome->info, sizeof *info, cudaMemcpyDefault, stream, "copying info");
}

template <class E>
void factorization_call(State& state, const Call<Factorization<E>, E>& call, Execution& execution,
                        const GradeProducts<E>& products) {
  const Factorization<E>& f = call.problem;
  const bool gives_info = has_info(f.kind), waits = gives_info && !f.info_on_device;
  if (waits) state.require_not_captured("info in host memory");
  compute_factorization(state, call, gives_info ? f.info : nullptr, execution, products);
  if (waits) wait_on_host(state.cuda_stream(), "waiting for info");
}

template <class E>
void staged_factorization(State& state, const Call<Factorization<E>, E>& call, Execution& execution,
                          const GradeProducts<E>& products) {
  Factorization<E> f = call.problem;
  const cudaStream_t stream = state.cuda_stream();
  const bool solution = has_solution(f.kind) && f.nrhs > 0, pivoted = !is_cholesky(f.kind);
  StagedMatrix<E> a(f.a, f.rows(), f.n), b(solution ? f.b : Matrix<E>{}, f.n, f.nrhs);
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(pivoted ? f.order() : 0));
  const std::size_t pivot_bytes = round_up(pivots.size() * sizeof(std::int64_t), std::size_t{256});
  const std::size_t room = room_on_device(state, execution.workspace),
                    work = std::min(execution.workspace.cap(), room / 2);
  if (!has_solution(f.kind) && a.bytes() + pivot_bytes + work > room)
    return factor_where_it_lies(state, call, room, execution, products);
  const CallMemory memory(state, a.bytes() + b.bytes() + pivot_bytes);
  std::byte* next = memory.data();
  f.a = a.take(next), f.b = b.take(next);
  auto* const device_pivots = reinterpret_cast<std::int64_t*>(next);
  f.pivots = {device_pivots, false};
  a.copy_in(stream);
  if (solution) b.copy_in(stream);
  if (pivoted && !has_factor(f.kind)) {
    for (std::size_t i = 0; i < pivots.size(); ++i) pivots[i] = call.problem.pivots.at(static_cast<Index>(i)) + 1;
    check(cudaMemcpyAsync(device_pivots, pivots.data(), pivots.size() * sizeof pivots[0], cudaMemcpyDefault, stream),
          "copying pivots");
  }
  std::int64_t info = 0;
  compute_factorization(state, Call<Factorization<E>, E>{f, call.alpha, call.beta, true, true, call.mode, call.engine},
                        &info, execution, products);
  execution.report.copied_bytes +=
      static_cast<std::int64_t>(a.bytes() * (has_factor(f.kind) ? 2 : 1) + 2 * b.bytes() + pivot_bytes);
  check(cudaStreamSynchronize(stream), "waiting for a call");
  if (has_factor(f.kind)) {
    // The other triangle must stay as it is.
    const bool below = (f.uplo == ACCUBLAS_LOWER) == a.by_columns();
    if (pivoted)
      a.copy_out(stream);
    else
      a.copy_out([&](Index i) { return below ? i : Index{0}; }, [&](Index i) { return below ? a.length() : i + 1; },
                 stream);
    if (pivoted)
      check(cudaMemcpyAsync(pivots.data(), device_pivots, pivots.size() * sizeof pivots[0], cudaMemcpyDefault, stream),
            "copying pivots");
  }
  if (solution) b.copy_out(stream);
  check(cudaStreamSynchronize(stream), "waiting for a call");
  if (pivoted && has_factor(f.kind))
    for (std::size_t i = 0; i < pivots.size(); ++i) call.problem.pivots.put(static_cast<Index>(i), pivots[i] - 1);
  if (!rehearses()) call.problem.put_info(info);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                                    \
  template void compute_factorization(State&, const Call<Factorization<E>, E>&, std::int64_t*, Execution&,         \
                                      const GradeProducts<E>&, const ColumnSource<E>&);                            \
  template void factorization_call(State&, const Call<Factorization<E>, E>&, Execution&, const GradeProducts<E>&); \
  template void staged_factorization(State&, const Call<Factorization<E>, E>&, Execution&, const GradeProducts<E>&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
