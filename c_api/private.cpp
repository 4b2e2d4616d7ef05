// Calls under the names of BLAS, LAPACK and cuBLAS. The drop-ins check the arguments. The plan is made once; it decides
// whether the real library alone computes the call, and the call itself uses it too (Resolved::plan_for).
#include "c_api/private.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "c_api/unchecked.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/base/stack.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/call/cublas_environment.hpp"
#include "lib/cpu/batch.hpp"
#include "lib/cpu/blas_sizes.hpp"
#include "lib/cpu/lu_cholesky/shared_rows.hpp"
#include "lib/runtime/counters.hpp"

namespace accublas {
namespace {

/// The sizes of a call in reports, and the number of terms of an element's sum.
struct Sizes {
  std::int64_t m, n, k, terms;
};
template <template <class> class Call, class E>
Sizes sizes_of(const Call<E>& call) {
  if constexpr (requires { call.terms(); })
    return {call.rows(), call.cols(), call.inner(), call.terms()};
  else
    return {call.rows(), call.cols(), call.inner(), call.inner()};
}

/// Whether BLAS's call reads the old result. LAPACK's calls do.
template <template <class> class Call, class E>
bool reads_result(const Call<E>&) {
  return true;
}
template <class E>
bool reads_result(const Level1<E>&) {
  return false;
}
template <class E>
bool reads_result(const Level2<E>& l) {
  return (l.kind != Operation::gemv && !is_symv(l.kind)) || !(l.beta == 0);
}
template <class E>
bool reads_result(const Level3<E>& l) {
  return is_in_place(l.kind) || !(l.beta == 0);
}
template <class E>
bool reads_result(const BatchCall<E>& s) {
  return !(s.beta == 0);
}

/// Sets the factors in the call; a factor is null if the routine has none.
template <template <class> class Call, class E>
const void* alpha_of(const Call<E>& call) {
  if constexpr (requires { call.alpha; })
    return &call.alpha;
  else if constexpr (requires { call.addend; })
    return &call.addend;
  else
    return nullptr;
}
template <template <class> class Call, class E>
const void* beta_of(const Call<E>& call) {
  if constexpr (requires { call.beta; })
    return &call.beta;
  else
    return nullptr;
}

/// Calls use(call) with the call in its own type, const if `call` is.
template <template <class> class Call, class Void, class Use>
auto with_type(Type type, Void* call, Use&& use) {
  const auto typed = [&]<class E>(E) -> auto& {
    using Own = Call<E>;
    return *static_cast<std::conditional_t<std::is_const_v<Void>, const Own, Own>*>(call);
  };
  switch (type) {
    case Type::d:
      return use(typed(double{}));
    case Type::s:
      return use(typed(float{}));
    case Type::z:
      return use(typed(Complex<double>{}));
    default:
      return use(typed(Complex<float>{}));
  }
}
/// Calls use(call) for the calls of BLAS and cuBLAS.
template <class Use>
auto with_blas_call(Routine routine, const void* call, Use&& use) {
  if (is_batched(routine)) return with_type<BatchCall>(routine.type, call, use);
  if (routine == Operation::gemm || is_level3(routine)) return with_type<Level3>(routine.type, call, use);
  if (routine == Operation::gemv || is_level2(routine)) return with_type<Level2>(routine.type, call, use);
  return with_type<Level1>(routine.type, call, use);
}

/// Whether the backend's own BLAS alone computes a call, with nothing around it.
bool plain_native(const Plan& plan, const Settings& settings, accublas_backend backend) {
  return plan.engine == ACCUBLAS_ENGINE_NATIVE && plan.backend == backend && settings.verbose == 0 &&
         settings.report_level == 0 && !(settings.target > 0);
}

/// Whether the real BLAS computes a call as the mode wants it, without a copy. The engine must copy pivots of another
/// width and ORMQR's A. A norm's increment that is not positive has the real BLAS's meaning in mode native alone.
template <class Call>
bool suits_real_blas(const cpu::RealBlas&, const Resolved&, const Call&) {
  return true;
}
template <class E>
bool suits_real_blas(const cpu::RealBlas&, const Resolved& resolved, const Level1<E>& l) {
  return !is_norm(l.kind) || l.incx > 0 || resolved.plan.mode.kind == ACCUBLAS_MODE_NATIVE;
}
/// The engine distributes the matrices of a large batch among threads.
template <class E>
bool suits_real_blas(const cpu::RealBlas&, const Resolved& resolved, const BatchCall<E>& s) {
  constexpr std::size_t any_workspace = std::numeric_limits<std::size_t>::max();
  const int threads = threads_for(resolved.settings);
  return s.batch_count <= 1 || cpu::plan_batch(s.m, s.n, s.k, s.batch_count, true, threads, any_workspace).threads == 1;
}
template <class E>
bool suits_real_blas(const cpu::RealBlas& blas, const Resolved&, const Factorization<E>& f) {
  return has_uplo(f.kind) || f.pivots.narrow == blas.narrow_integers;
}
template <class E>
bool suits_real_blas(const cpu::RealBlas&, const Resolved&, const Orthogonal<E>& o) {
  return o.kind != Operation::ormqr;
}

/// The fast path of a call that would run natively on the CPU, if nothing else is asked for (verbose, report level,
/// target, bits) and the caller's stack suffices: it calls the real BLAS and stores the numbers for accublas_report.
/// Returns false, with nothing written, if the call must not take this path or the real BLAS cannot compute it; the
/// usual path then reports what is wrong.
template <class Call>
bool served_natively(const Call& call) noexcept {
  const Routine routine = call.routine();
  try {
    Context& context = default_context();
    const Resolved& resolved = context.resolved(routine);
    const Sizes sizes = sizes_of(call);
    CallShape shape(sizes.m, sizes.n, sizes.terms);
    if (resolved.plan.by_shape()) shape.device = context.device();
    const Plan& plan = resolved.plan_for(shape);
    if (!plain_native(plan, resolved.settings, ACCUBLAS_BACKEND_CPU)) return false;
    if (defined_environment(plan) && !FpEnvironment::is_entered()) return false;
    if (!stack_has(cpu::stack_of_blas(routine))) return false;
    const cpu::RealBlas& blas = cpu::real_blas();
    if (blas.lacks(routine) || !suits_real_blas(blas, resolved, call)) return false;

    context.succeeded();
    context.last.begin(plan);
    accublas_report_t& report = context.last.numbers;
    report.m = sizes.m;
    report.n = sizes.n;
    report.k = sizes.k;
    if constexpr (requires { call.batch_count; }) report.batch_count = call.batch_count;
    // This bound has an alpha of 1, because native's bound does not depend on alpha.
    const auto bound = [&](auto real) {
      return is_complex_routine(routine)
                 ? promised_bound(routine, plan.mode, sizes.terms, Complex<decltype(real)>{real})
                 : promised_bound(routine, plan.mode, sizes.terms, real);
    };
    put_bound(report, is_single(routine) ? bound(1.0f) : bound(1.0));
    report.threads = 1;
    count_call(routine, ACCUBLAS_ENGINE_NATIVE, false);
    cpu::call_real_blas(blas, call);
    return true;
  } catch (...) {
    return false;
  }
}

/// Calls the real BLAS if there is enough stack for it.
template <class Call>
void by_real_blas(const Call& call) {
  const cpu::RealBlas& blas = cpu::real_blas();
  with_stack(cpu::stack_of_blas(call.routine()), [&] { cpu::call_real_blas(blas, call); });
}

template <class Call>
void run_as_blas(Context& context, const Call& call, const accublas_options* options) {
  context.operands_may_overlap = true;
  struct Restored {
    bool& may_overlap;
    ~Restored() { may_overlap = false; }
  } const restored{context.operands_may_overlap};
  run_unchecked(context, ACCUBLAS_COL_MAJOR, call, alpha_of(call), beta_of(call), options);
}

template <class Call>
void run_by_mode(Context& context, const Call& call, const accublas_options* options) {
  run_as_blas(context, call, options);
}
/// Handles a norm with an increment that is not positive. In mode native it returns the result of the real BLAS; the
/// engine, which would read x, computes nothing. In the other modes it returns netlib's result (LAPACK 3.10 and later):
/// NRM2 reads the elements of a negative increment as every routine does, and the first element n times if the
/// increment is zero; ASUM is zero.
template <class E>
void run_by_mode(Context& context, Level1<E> l, const accublas_options* options) {
  const Level1<E> asked = l;
  const bool odd = is_norm(l.kind) && l.incx <= 0;
  const bool native = odd && cpu::fits_blas(l) && context.resolved(l.routine()).plan.mode.kind == ACCUBLAS_MODE_NATIVE;
  if (native || (odd && l.kind == Operation::asum)) l.n = 0;
  run_as_blas(context, l, options);
  if (native) by_real_blas(asked);
}

/// Serves a call by the mode, and after a failure in the way that accublas_private_next_attempt returns.
template <class Call>
void serve(const Call& call) noexcept {
  const bool small = cpu::fits_blas(call);
  if (small && served_natively(call)) return;
  accublas_options on_cpu = ACCUBLAS_OPTIONS_INIT;
  on_cpu.backend = ACCUBLAS_BACKEND_CPU;
  Attempt attempt = Attempt::as_set;
  do {
    const accublas_options* const options = attempt == Attempt::on_cpu ? &on_cpu : nullptr;
    const accublas_status status = guarded(nullptr, [&](Context& context) { run_by_mode(context, call, options); });
    if (status == ACCUBLAS_SUCCESS) return;
    attempt = accublas_private_next_attempt(nullptr, attempt, status, reads_result(call));
  } while (attempt == Attempt::on_cpu);
  if (attempt != Attempt::native || !small) std::abort();
  const accublas_status status = guarded(nullptr, [&](Context&) { by_real_blas(call); });
  if (status == ACCUBLAS_SUCCESS) return;
  accublas_private_next_attempt(nullptr, attempt, status, reads_result(call));  // runs the failure handler
  std::abort();
}

}  // namespace
}  // namespace accublas

using namespace accublas;

void accublas_private_serve_unchecked(Routine routine, const void* call) noexcept {
  const auto use = [](const auto& c) { serve(c); };
  if (is_orthogonal(routine)) return with_type<Orthogonal>(routine.type, call, use);
  if (is_factorization(routine)) return with_type<Factorization>(routine.type, call, use);
  with_blas_call(routine, call, use);
}

accublas_status accublas_private_run_unchecked(accublas_context* ctx, Routine routine, const void* call,
                                               const void* alpha, const void* beta) noexcept {
  const auto use = [&](const auto& c) {
    return guarded(ctx, [&](Context& context) { run_unchecked(context, ACCUBLAS_COL_MAJOR, c, alpha, beta, nullptr); });
  };
  return with_blas_call(routine, call, use);
}

accublas_status accublas_private_mode_of(accublas_context* ctx, Routine routine, Mode* mode) noexcept {
  return guarded(ctx, [&](Context& context) { *mode = context.resolved(routine).plan.mode; });
}

bool accublas_private_is_on_device(const void* pointer) noexcept {
  return cuda_backend().locate(pointer).is_on_device();
}

accublas_status accublas_private_run_steps(accublas_context* ctx, Type type, const void* steps, int count,
                                           const void* result) noexcept {
  const auto run = [&]<class E>(Context& context, const SizedStep<E>* list) {
    const Location location = cuda_backend().locate(result);
    const bool on_device = location.is_on_device();
    std::string message;
    BackendState* state = nullptr;
    if (on_device || cuda_backend().device_count(message) > 0)
      state = &context.state_on(on_device ? location.device : -1, "the result is");
    if (!on_device && state)
      if (const accublas_status failed = state->synchronize(message); failed != ACCUBLAS_SUCCESS)
        throw Error(failed, message);
    const FpEnvironment environment;
    Workspace none(0, nullptr, 0);
    std::unique_ptr<ElementSteps<E>> on_elements;
    (on_device ? cuda_backend() : cpu_backend()).begin_steps(&on_elements, state, none, 0);
    for (const SizedStep<E>& one : std::span(list, static_cast<std::size_t>(count)))
      on_elements->run(one.step, one.rows, one.cols);
    on_elements->finish();
  };
  return guarded(ctx, [&](Context& context) {
    with_type<SizedStep>(type, steps, [&](const auto& first) { run(context, &first); });
  });
}

accublas_status accublas_private_run_factor_step(accublas_context* ctx, Routine routine, void* step) noexcept {
  return guarded(ctx, [&](Context& context) {
    const FpEnvironment environment;
    Workspace workspace(std::size_t{1} << 62, nullptr, 0);
    accublas_report_t report{};
    Execution execution{threads_for(context.resolved(routine).settings), cpu::detected_isa(), workspace, report};
    const auto run = [&](auto& own) { cpu::run_step(own, execution); };
    if (routine == Operation::potrf)
      with_type<cpu::CholeskyStep>(routine.type, step, run);
    else if (routine == Operation::getrf)
      with_type<cpu::PanelStep>(routine.type, step, run);
    else
      with_type<cpu::SubstitutionStep>(routine.type, step, run);
    count_call(routine, ACCUBLAS_ENGINE_SUMS, false);
  });
}

bool accublas_private_left_to_cublas(accublas_context* ctx, Routine routine, const void* call) noexcept {
  if (cuda_backend().lost_by_fork()) return true;
  try {
    const Resolved& resolved = ctx->resolved(routine);
    const bool native = resolved.plan.mode.kind == ACCUBLAS_MODE_NATIVE;
    const auto of_call = [](const auto& c) { return sizes_of(c); };
    Plan plan = resolved.plan;
    std::string reason;
    if (cuda_backend().device_count(reason) > 0) {
      const Sizes sizes = with_blas_call(routine, call, of_call);
      CallShape shape(sizes.m, sizes.n, sizes.terms, true);
      shape.device = ctx->device();
      plan = resolved.plan_for(shape);
    } else if (native) {
      plan.backend = ACCUBLAS_BACKEND_CUDA;  // the program's cuBLAS says that there is no device
    }
    if (!plain_native(plan, resolved.settings, ACCUBLAS_BACKEND_CUDA)) return false;
    if (!native && environment_asks_for_emulation()) return false;
    count_call(routine, ACCUBLAS_ENGINE_NATIVE, true);
    return true;
  } catch (...) {
    return false;
  }
}

void accublas_private_let_operands_overlap(accublas_context* ctx, bool may_overlap) noexcept {
  ctx->operands_may_overlap = may_overlap;
}

void accublas_private_follow_stream(accublas_context* ctx) noexcept { ctx->host_operands_follow_stream = true; }

const cpu::RealBlas* accublas_private_real_blas() noexcept {
  try {
    return &cpu::real_blas();
  } catch (...) {
    return nullptr;
  }
}

std::int64_t accublas_private_isamax(std::int64_t n, const float* x, std::int64_t incx) noexcept {
  if (n < 1 || incx < 1) return 0;
  if (cpu::fits_vector(n, incx, false) && stack_has(cpu::stack_of_blas(Operation::dot)))
    if (const cpu::RealBlas* const blas = accublas_private_real_blas(); blas && blas->isamax) {
      const FpControl control;
      return blas->isamax(blas->blas_integer(n).address(), x, blas->blas_integer(incx).address());
    }
  std::int64_t largest = 0;
  for (std::int64_t i = 1; i < n; ++i)
    if (std::fabs(x[i * incx]) > std::fabs(x[largest * incx])) largest = i;
  return largest + 1;
}
