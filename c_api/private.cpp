#include "c_api/private.hpp"

#include "c_api/boundary.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/base/stack.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/call/cublas_environment.hpp"
#include "lib/runtime/context.hpp"
#include "lib/runtime/counters.hpp"

namespace {

/// Whether a call is the real BLAS's alone, with nothing around it.
bool plain_native(const accublas::Plan& plan, const accublas::Settings& settings, accublas_backend backend) {
  return plan.engine == ACCUBLAS_ENGINE_NATIVE && plan.backend == backend && settings.verbose == 0 &&
         settings.report_level == 0 && !(settings.target > 0);
}

/// Whether the call is OpenBLAS's, with nothing around it but the report.
bool plain_native(const accublas::Plan& plan, const accublas::Settings& settings) {
  return plain_native(plan, settings, ACCUBLAS_BACKEND_CPU) &&
         (!accublas::defined_environment(plan) || accublas::FpEnvironment::is_entered());
}

}  // namespace

extern "C" {

const accublas::cpu::RealBlas* accublas_private_native(accublas::Routine routine, std::int64_t m, std::int64_t n,
                                                       std::int64_t k, int integer_bytes) noexcept {
  try {
    accublas::Context& context = accublas::default_context();
    const accublas::Resolved& resolved = context.resolved(routine);
    accublas::Plan plan = resolved.plan;
    if (plan.by_shape()) fit_plan(plan, {m, n, k}, accublas::cpu_backend(), accublas::cuda_backend());
    if (!plain_native(plan, resolved.settings)) return nullptr;
    if (!accublas::stack_has(accublas::cpu::stack_of_blas(routine))) return nullptr;
    const accublas::cpu::RealBlas& blas = accublas::cpu::real_blas();
    if (blas.lacks(routine) || (integer_bytes > 0 && integer_bytes != blas.integer_bytes())) return nullptr;

    context.succeeded();
    context.last.begin(plan);
    accublas_report_t& report = context.last.numbers;
    report.m = m;
    report.n = n;
    report.k = k;
    // An alpha of 1: native's bound does not depend on it.
    const std::int64_t terms = accublas::has_two_products(routine) ? 2 * k : k;
    const auto bound = [&](auto real) {
      return accublas::is_complex_routine(routine)
                 ? promised_bound(routine, plan.mode, terms, accublas::Complex<decltype(real)>{real})
                 : promised_bound(routine, plan.mode, terms, real);
    };
    put_bound(report, accublas::is_single(routine) ? bound(1.0f) : bound(1.0));
    report.threads = 1;
    count_call(routine, ACCUBLAS_ENGINE_NATIVE, false);
    return &blas;
  } catch (...) {
    return nullptr;  // the long way tells what is wrong
  }
}

bool accublas_private_mode_is_native(accublas::Routine routine) noexcept {
  try {
    return accublas::default_context().resolved(routine).plan.mode.kind == ACCUBLAS_MODE_NATIVE;
  } catch (...) {
    return false;
  }
}

bool accublas_private_left_to_cublas(accublas_context* ctx, accublas::Routine routine, std::int64_t m, std::int64_t n,
                                     std::int64_t k) noexcept {
  if (accublas::cuda_backend().lost_by_fork()) return true;
  try {
    const accublas::Resolved& resolved = ctx->resolved(routine);
    accublas::Plan plan = resolved.plan;
    const bool native = plan.mode.kind == ACCUBLAS_MODE_NATIVE;
    std::string reason;
    if (accublas::cuda_backend().device_count(reason) > 0) {
      accublas::CallShape shape(m, n, k, true);
      shape.device = ctx->device();
      fit_plan(plan, shape, accublas::cpu_backend(), accublas::cuda_backend());
    } else if (native) {
      plan.backend = ACCUBLAS_BACKEND_CUDA;  // the program's cuBLAS says that there is no device
    }
    if (!plain_native(plan, resolved.settings, ACCUBLAS_BACKEND_CUDA)) return false;
    if (!native && accublas::environment_asks_for_emulation()) return false;
    count_call(routine, ACCUBLAS_ENGINE_NATIVE, true);
    return true;
  } catch (...) {
    return false;
  }
}

void accublas_private_let_operands_overlap(accublas_context* ctx, bool may_overlap) noexcept {
  try {
    accublas::context_or_default(ctx).operands_may_overlap = may_overlap;
  } catch (...) {  // no default context: the call itself says so
  }
}

void accublas_private_follow_stream(accublas_context* ctx) noexcept { ctx->host_operands_follow_stream = true; }

const accublas::cpu::RealBlas* accublas_private_real_blas() noexcept {
  try {
    return &accublas::cpu::real_blas();
  } catch (...) {
    return nullptr;
  }
}

accublas_status accublas_private_by_real_blas(accublas::Routine routine,
                                              void (*call)(void* body, const accublas::cpu::RealBlas& blas),
                                              void* body) noexcept {
  return accublas::guarded(nullptr, [&](accublas::Context&) {
    const accublas::cpu::RealBlas& blas = accublas::cpu::real_blas();
    accublas::with_stack(accublas::cpu::stack_of_blas(routine), [&] { call(body, blas); });
  });
}
}
