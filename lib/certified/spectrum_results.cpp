#include "lib/certified/spectrum_results.hpp"

#include "lib/base/error.hpp"
#include "lib/numerics/powers_of_two.hpp"

namespace accublas::certified {

namespace {

constexpr double half_pi_up = 1.5707963267948968;  // no angle between a vector and a subspace is larger

[[noreturn]] void refuse_spectrum(const char* numbers, accublas_reason reason) {
  const char* const why = reason == ACCUBLAS_REASON_NOT_FINITE        ? "a matrix has an infinity or a NaN"
                          : reason == ACCUBLAS_REASON_OVERFLOW        ? "one or its radius is beyond the largest number"
                          : reason == ACCUBLAS_REASON_ILL_CONDITIONED ? "B is not proved to be positive definite"
                          : reason == ACCUBLAS_REASON_INTERVAL
                              ? "one is not proved to lie inside or outside of the interval"
                              : "the approximate vectors are too far from orthogonal";
  throw Error(ACCUBLAS_ERROR_NOT_CERTIFIED, "the " + std::string(numbers) + " are not certified: " + why);
}

}  // namespace

bool scale_to_one(Index rows, Index cols, double* a, bool even, int& exponent, bool& inexact, const Calls& calls) {
  std::vector<int> exponents(static_cast<std::size_t>(rows));
  calls.place().exponents(rows, cols, {a, 1, rows}, nullptr, exponents.data());
  const int largest = *std::max_element(exponents.begin(), exponents.end());
  if (largest > greatest_exponent) return false;
  exponent = largest == no_exponent ? 0 : largest;
  if (even && exponent % 2 != 0) ++exponent;
  const std::vector<int> of_rows(static_cast<std::size_t>(rows), -exponent), of_columns(static_cast<std::size_t>(cols));
  inexact = calls.place().scale(rows, cols, a, of_rows.data(), of_columns.data());
  return true;
}

double angle_up(double outside, double contraction, double moved) {
  const double least_norm = below(sqrt_down(below(1 - contraction)) - moved);
  const double sine = div_up(add_up(outside, moved), least_norm);
  if (!(sine < 0.75)) return outside < HUGE_VAL ? half_pi_up : HUGE_VAL;
  return div_up(sine, sqrt_down(below(1 - mul_up(sine, sine))));  // the tangent, which is no smaller than the angle
}

void put_certificate(const Spectrum& s, const EigenBounds& b, Index parts, Index count, int exponent,
                     accublas_certificate_t* certificate) {
  certificate->iterations = s.steps;
  certificate->parts = static_cast<std::int32_t>(parts);
  certificate->contraction = b.contraction;
  certificate->residual = scale_up(b.residual, exponent);
  certificate->condition = HUGE_VAL;
  if (!(b.residual < HUGE_VAL)) return;
  const double gap = std::ldexp(b.gap, exponent);
  certificate->gap = std::ldexp(gap, -exponent) > b.gap ? std::nextafter(gap, 0) : gap;
  const auto reach = [&](Index k) { return add_up(std::fabs(s.center[k]), s.radius[k]); };
  const double norm = std::max(reach(0), reach(count - 1));
  if (b.gap > 0) certificate->condition = div_up(norm, b.gap);
}

accublas_reason put_not_finite(accublas_certificate_t* certificate) {
  certificate->condition = certificate->contraction = certificate->residual = HUGE_VAL;
  return ACCUBLAS_REASON_NOT_FINITE;
}

void run_spectrum(Context& context, const SpectrumCall& call, const accublas_options* options,
                  accublas_certificate_t* certificate, const std::function<accublas_reason(const Calls&)>& certify) {
  const accublas_options inner = options_of(context, options);
  Run run(context, {Operation::getrf, Type::d}, &inner);
  Calls calls(context, &inner);  // scalars lie in host memory from here on, whatever the caller's pointer mode
  run.sizes(call.m, call.n, call.n);
  *certificate = {};
  const bool empty = call.m == 0 || call.n == 0;
  if (!empty) run.operands(call.operands, {}, CallShape(call.m, call.n, call.n));
  run.certify(call.routine, [&] {
    if (empty) return run.backend() == ACCUBLAS_BACKEND_CUDA;
    calls.move_to(run);
    certificate->reason = certify_where_possible(calls, certificate, [&] { return certify(calls); });
    if (certificate->reason != ACCUBLAS_REASON_NONE) refuse_spectrum(call.numbers, certificate->reason);
    return calls.place().on_device();
  });
  run.finish();
}

}  // namespace accublas::certified
