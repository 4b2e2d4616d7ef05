#include "c_api/private.hpp"

#include "lib/base/fp_environment.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/context.hpp"
#include "lib/counters.hpp"

namespace {

/// Whether a call is OpenBLAS's alone, with nothing around it but the report.
bool plain_native(const accublas::Plan& plan, const accublas::Settings& settings) {
  return plan.engine == ACCUBLAS_ENGINE_NATIVE && plan.backend == ACCUBLAS_BACKEND_CPU && settings.verbose == 0 &&
         settings.report_level == 0 && !(settings.target > 0) &&
         (!accublas::defined_environment(plan) || accublas::FpEnvironment::is_entered());
}

}  // namespace

extern "C" {

const accublas::cpu::RealBlas* accublas_private_native(accublas::Routine routine, std::int64_t m, std::int64_t n,
                                                       std::int64_t k) noexcept {
  try {
    accublas::Context& context = accublas::default_context();
    const accublas::Resolved& resolved = context.resolved(routine);
    accublas::Plan plan = resolved.plan;
    if (plan.by_shape()) fit_plan(plan, {m, n, k}, accublas::cpu_backend(), accublas::cuda_backend());
    if (!plain_native(plan, resolved.settings)) return nullptr;
    const accublas::cpu::RealBlas& blas = accublas::cpu::real_blas();
    if (!blas.serves(routine)) return nullptr;

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

const accublas::cpu::RealBlas* accublas_private_real_blas() noexcept {
  try {
    return &accublas::cpu::real_blas();
  } catch (...) {
    return nullptr;
  }
}
}
