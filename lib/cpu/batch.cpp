#include "lib/cpu/batch.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>

#include "lib/base/error.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/base/integers.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu {

namespace {

/// Workspace that a thread can use for a matrix: engines take less or make do with it.
std::size_t useful_bytes(Index m, Index n, Index k) {
  const double words = static_cast<double>(m) * static_cast<double>(k) +
                       static_cast<double>(k) * static_cast<double>(n) +
                       static_cast<double>(m) * static_cast<double>(n);
  return (std::size_t{2} << 20) + static_cast<std::size_t>(std::min(words, 1e9) * 256);
}

/// A thread's part of the batch.
struct alignas(64) Share {
  accublas_report_t report;
  bool wrote;  ///< the results of a matrix
};

/// One matrix in a thread's part of the workspace; all have the same shape, and need the same memory. Returns how much.
template <class Batch, class E>
std::size_t run_matrix(const Call<Batch, E>& call, Index i, ServeMatrix<Batch, E> serve, const Execution& execution,
                       int most_threads, Workspace::Part part, accublas_report_t& report) {
  const typename Batch::Problem matrix = call.problem[i];
  std::size_t needed = 0;
  serve_in(part, [&](Workspace& workspace) {
    Execution one{workspace.least() ? 1 : workspace.lanes(most_threads),
                  execution.isa,
                  workspace,
                  report,
                  execution.target,
                  execution.engine_forced};
    serve({matrix, call.alpha, call.beta, call.operands_on_device, call.result_on_device, call.mode, call.engine}, one);
    needed = workspace.peak();
  });
  return needed;
}

}  // namespace

void PartReports::add(const accublas_report_t& one, double share, accublas_report_t& all) {
  all.bits = std::max(all.bits, one.bits);
  all.parts = std::max(all.parts, one.parts);
  all.rejected += one.rejected;
  all.undecided += one.undecided;
  all.copied_bytes += one.copied_bytes;
  all.ms_convert += share * one.ms_convert;
  all.ms_product += share * one.ms_product;
  all.ms_reconstruct += share * one.ms_reconstruct;
  all.ms_exact += share * one.ms_exact;
  all.bound_relative = std::max(all.bound_relative, one.bound_relative);
  all.bound_componentwise = std::max(all.bound_componentwise, one.bound_componentwise);
  all.bound_absolute = std::max(all.bound_absolute, one.bound_absolute);
}

BatchPlan plan_batch(Index m, Index n, Index k, Index count, bool native, int threads, std::size_t workspace) {
  const BatchTuning& tuned = tuning().batch;
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  // A workspace hands out multiples of 64 bytes.
  const auto whole = [](std::size_t bytes) { return bytes / 64 * 64; };
  BatchPlan plan{1, threads, 1, whole(workspace)};
  const bool small = native ? work <= tuned.blas_serial
                            : work < tuned.serial_work || (work < tuned.shared_work && count >= 2 * threads);
  if (!small || threads == 1) return plan;
  const double of_matrix = work + (native ? tuned.blas_matrix_cost : tuned.matrix_cost);
  const double pays = static_cast<double>(count) * of_matrix / tuned.thread_pays;
  plan.threads = static_cast<int>(std::min({static_cast<double>(threads), static_cast<double>(count), 1 + pays,
                                            std::max(1.0, static_cast<double>(workspace / tuned.thread_bytes))}));
  plan.threads_a_matrix = 1;
  plan.a_task =
      std::max<Index>(1, std::min<Index>(count / (8 * plan.threads), static_cast<Index>(tuned.task_work / of_matrix)));
  plan.bytes = whole(std::min(useful_bytes(m, n, k), workspace / static_cast<std::size_t>(plan.threads)));
  return plan;
}

template <class Batch, class E>
void run_batch(const Call<Batch, E>& call, ServeMatrix<Batch, E> serve, Execution& execution) {
  const Batch& batch = call.problem;
  const auto [m, n, k] = batch.sizes();
  // Native runs in the caller's floating-point environment, which the pool's threads do not have.
  const bool native = call.engine == ACCUBLAS_ENGINE_NATIVE;
  const int threads = native && !FpEnvironment::is_entered() ? 1 : execution.threads;
  const std::size_t most = execution.workspace.most(), for_shares = static_cast<std::size_t>(threads) * sizeof(Share);
  // The least plan gives one thread all that there is.
  const bool least = execution.workspace.least();
  BatchPlan plan =
      plan_batch(m, n, k, batch.count, native, least ? 1 : threads, most > for_shares ? most - for_shares : 0);
  const std::size_t parts = static_cast<std::size_t>(plan.threads);
  Share* const shares = execution.workspace.take<Share>(parts);
  if (execution.workspace.rehearses()) {
    accublas_report_t report = execution.report;
    const std::size_t needed = run_matrix(call, 0, serve, execution, 1, execution.workspace.rest_after(0), report);
    execution.workspace.take<unsigned char>(needed);
    return;
  }
  Workspace::Part rest{};
  if (least) {
    rest = execution.workspace.take_rest();
    plan.bytes = rest.bytes;
  } else {
    rest.memory = execution.workspace.take<unsigned char>(parts * plan.bytes);
  }
  unsigned char* const memory = static_cast<unsigned char*>(rest.memory);
  std::fill_n(shares, parts, Share{});
  // The bytes that engines may take beyond their cap are kept apart, like in a single call.
  const std::size_t beyond = least ? plan.bytes : std::min(Workspace::beyond_cap, plan.bytes / 2);

  PartReports reports(execution.report);
  std::atomic<bool> any_missed{false};
  std::optional<Error> missed;  // the first one's
  const Index tasks = ceil_div(batch.count, plan.a_task);
  const auto run_task = [&](Index task, int thread) {
    Share& share = shares[thread];
    for (Index i = task * plan.a_task; i < std::min(batch.count, (task + 1) * plan.a_task); ++i) {
      const Workspace::Part part{memory + static_cast<std::size_t>(thread) * plan.bytes, plan.bytes,
                                 plan.bytes - beyond};
      accublas_report_t report = reports.begin();
      try {
        run_matrix(call, i, serve, execution, plan.threads_a_matrix, part, report);
        share.wrote = true;
      } catch (const Error& error) {
        if (error.status() != ACCUBLAS_ERROR_ACCURACY) throw;
        if (!any_missed.exchange(true)) missed = error;
      }
      PartReports::add(report, 1.0 / plan.threads, share.report);
    }
  };
  try {
    parallel_for(tasks, plan.threads, run_task);
  } catch (const std::exception& error) {
    for (int t = 0; t < plan.threads; ++t)
      if (shares[t].wrote) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
    throw;
  }
  for (int t = 0; t < plan.threads; ++t) reports.add(shares[t].report);
  if (missed) throw *missed;
}

#define ACCUBLAS_INSTANTIATE(E)                                                                                      \
  template void run_batch(const Call<GemmBatch<E>, E>&, ServeMatrix<GemmBatch<E>, E>, Execution&);                   \
  template void run_batch(const Call<FactorizationBatch<E>, E>&, ServeMatrix<FactorizationBatch<E>, E>, Execution&); \
  template void run_batch(const Call<OrthogonalBatch<E>, E>&, ServeMatrix<OrthogonalBatch<E>, E>, Execution&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
