#include "cuda/lu_cholesky/factor_batch.hpp"

#include <vector>

#include "cuda/core/check.hpp"
#include "cuda/core/inner_calls.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/lu_cholesky/blocked_factors.hpp"
#include "cuda/lu_cholesky/small_factors.hpp"
#include "cuda/lu_cholesky/small_lu.hpp"
#include "lib/base/error.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/call/one_by_one.hpp"

namespace accublas::cuda {

namespace {

/// Copies an array of pointers to the host, and waits for it.
template <class E>
std::vector<E*> host_pointers(State& state, E* const* pointers, Index count) {
  std::vector<E*> on_host(static_cast<std::size_t>(count));
  copy_on_stream(on_host.data(), pointers, on_host.size() * sizeof on_host[0], cudaMemcpyDefault, state.cuda_stream(),
                 "copying pointers");
  wait_on_host(state.cuda_stream(), "waiting for pointers");
  return on_host;
}

/// Computes a batch by calls one by one. The host has to know the pointers to the matrices.
template <class E>
void by_single_calls(State& state, const Call<FactorizationBatch<E>, E>& call, Execution& execution,
                     const GradeProducts<E>& products) {
  FactorizationBatch<E> batch = call.problem;
  std::vector<E*> a, b;
  if (batch.a.pointers) {
    state.require_not_captured("pointers to large matrices in device memory");
    a = host_pointers(state, batch.a.pointers, batch.count);
    batch.a.pointers = a.data();
    if (has_solution(batch.shape.kind) && batch.shape.nrhs > 0) {
      b = host_pointers(state, batch.b.pointers, batch.count);
      batch.b.pointers = b.data();
    }
  }
  BatchScope scope(state, execution.report.level);
  one_by_one(batch.count, [&](Index i) {
    factorization_call(state,
                       Call<Factorization<E>, E>{batch[i], call.alpha, call.beta, true, true, call.mode, call.engine},
                       execution, products);
  });
  scope.end();
}

/// Returns the solutions of a batch of factorizations and solutions, by factors that exist.
template <class E>
FactorizationBatch<E> solutions_of(FactorizationBatch<E> batch) {
  Factorization<E>& f = batch.shape;
  f.kind = is_cholesky(f.kind) ? Operation::potrs : Operation::getrs;
  f.trans = ACCUBLAS_NO_TRANS;
  return batch;
}

/// The kernels that factor a batch, or solve by factors.
enum class BatchKernels {
  none,
  lanes,   ///< small_lu
  small,   ///< small_factors alone, solutions too
  blocked  ///< blocked_factors
};

/// Returns the kernels that compute the whole batch. Solutions after `lanes` and `blocked` are those of small_factors.
template <class E>
BatchKernels kernels_of(const DeviceModel& model, const FactorizationBatch<E>& batch, bool cr) {
  const bool lanes = small_lu_serves(batch, cr);
  if (!lanes && small_factors_serve(model, batch, cr)) return BatchKernels::small;
  if (!lanes && !blocked_factors_serve(model, batch)) return BatchKernels::none;
  const bool solves = has_solution(batch.shape.kind) && batch.shape.nrhs > 0;
  if (solves && !small_factors_serve(model, solutions_of(batch), cr)) return BatchKernels::none;
  return lanes ? BatchKernels::lanes : BatchKernels::blocked;
}

template <class E>
void by_kernels(State& state, const Call<FactorizationBatch<E>, E>& call, Execution& execution, bool cr,
                BatchKernels kernels, std::int64_t* info) {
  const FactorizationBatch<E>& batch = call.problem;
  const DeviceModel& model = state.model();
  const cudaStream_t stream = state.cuda_stream();
  CallState* const device = state.begin_call(execution.report.level);
  unsigned long long* const undecided = device ? &device->undecided : nullptr;
  state.phase(&accublas_report_t::ms_product);
  if (kernels == BatchKernels::small) {
    const SmallPart part = has_factor(batch.shape.kind) ? SmallPart::all : SmallPart::solutions;
    small_factors(model, batch, cr, part, info, undecided, stream);
  } else {
    if (kernels == BatchKernels::lanes) {
      small_lu(model, batch, cr, info, stream);
      if (cr) small_factors(model, batch, cr, SmallPart::pending, info, undecided, stream);
    } else {
      blocked_factors(model, batch, cr, info, undecided, stream);
    }
    if (has_solution(batch.shape.kind) && batch.shape.nrhs > 0)
      small_factors(model, solutions_of(batch), cr, SmallPart::solutions, info, undecided, stream);
  }
  state.end_call();
  if (cr) put_bound(execution.report, rounded_once<RealOf<E>>());
}

/// Computes a batch in device memory. `info`, in device memory or null, receives the info values.
template <class E>
void on_device(State& state, const Call<FactorizationBatch<E>, E>& call, Execution& execution, std::int64_t* info,
               const GradeProducts<E>& products) {
  FactorizationBatch<E> batch = call.problem;
  batch.shape.info = info, batch.shape.info_on_device = true;
  const Call<FactorizationBatch<E>, E> inner{batch, call.alpha, call.beta, true, true, call.mode, call.engine};
  const bool cr = call.engine != ACCUBLAS_ENGINE_INT8;
  if (batch.shape.order() == 0) {
    if (info)
      set_on_stream(info, 0, static_cast<std::size_t>(batch.count) * sizeof *info, state.cuda_stream(),
                    "clearing info");
    return;
  }
  const BatchKernels kernels = kernels_of(state.model(), batch, cr);
  kernels == BatchKernels::none ? by_single_calls(state, inner, execution, products)
                                : by_kernels(state, inner, execution, cr, kernels, info);
}

}  // namespace

template <class E>
void factorization_batch(State& state, const Call<FactorizationBatch<E>, E>& call, Execution& execution,
                         const GradeProducts<E>& products) {
  const Factorization<E>& f = call.problem.shape;
  if (!call.operands_on_device) {
    return one_by_one(call.problem.count, [&](Index i) {
      const Call<Factorization<E>, E> one{call.problem[i], call.alpha, call.beta, false, false, call.mode, call.engine};
      staged_factorization(state, one, execution, products);
    });
  }
  if (!has_info(f.kind) || f.info_on_device)
    return on_device(state, call, execution, has_info(f.kind) ? f.info : nullptr, products);
  state.require_not_captured("info in host memory");
  std::int64_t* info = nullptr;
  InnerCalls inside(state, execution, [&](Carver& carver) { info = carver.take<std::int64_t>(call.problem.count); });
  on_device(state, call, inside.execution(), info, products);
  inside.end();
  copy_on_stream(f.info, info, static_cast<std::size_t>(call.problem.count) * sizeof *info, cudaMemcpyDefault,
                 state.cuda_stream(), "copying info");
  wait_on_host(state.cuda_stream(), "waiting for info");
}

#define ACCUBLAS_INSTANTIATE(E) \
  template void factorization_batch(State&, const Call<FactorizationBatch<E>, E>&, Execution&, const GradeProducts<E>&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
