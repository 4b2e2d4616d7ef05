#include "lib/runtime/report.hpp"

#include <cstdio>
#include <cstring>

namespace accublas {

namespace {

template <std::size_t N>
void copy_word(char (&to)[N], const std::string& from) {
  const std::size_t length = from.size() < N - 1 ? from.size() : N - 1;
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

}  // namespace

accublas_report_t full_report(const Context& context, bool wait) {
  accublas_report_t report = context.last.numbers;
  if (!context.last.done) return report;
  const Plan& plan = context.last.plan;
  if (wait && context.last.on_device && context.device_state) context.device_state->complete(report);
  copy_word(report.routine, context.last.routine ? context.last.routine : routine_name(plan.routine));
  copy_word(report.mode, mode_word(plan.mode, is_single(plan.routine)));
  const Backend& backend = backend_of(plan);
  copy_word(report.backend, backend.name());
  // If the device found cuBLAS faster on the data of a call, it has named the engine.
  const bool by_data = report.engine[0] != '\0';
  if (!by_data) copy_word(report.engine, engine_name(plan.engine));
  // A backend that used several devices has named them.
  if (report.device[0] == '\0')
    copy_word(report.device, backend.device_name(context.device_state ? context.device_state->device() : 0));
  // The note is the backend's addition to the reason of the plan.
  const std::string note = report.reason[0] != '\0' ? std::string("; ") + report.reason
                           : by_data                ? "; changed to native: faster on this data"
                                                    : "";
  copy_word(report.reason, plan_reason(plan) + note);
  return report;
}

void print_call(const accublas_report_t& report, bool success, bool inner) {
  char line[640], batch[32] = "";  // the longest line
  if (report.batch_count != 1)
    std::snprintf(batch, sizeof batch, " batch=%lld", static_cast<long long>(report.batch_count));
  const int length =
      std::snprintf(line, sizeof line,
                    "accublas: %s%s m=%lld n=%lld k=%lld%s mode=%s backend=%s engine=%s T=%d parts=%d rejected=%lld "
                    "undecided=%lld ms=%.4g%s (%s)\n",
                    inner ? "inner " : "", report.routine, static_cast<long long>(report.m),
                    static_cast<long long>(report.n), static_cast<long long>(report.k), batch, report.mode,
                    report.device, report.engine, report.bits, report.parts, static_cast<long long>(report.rejected),
                    static_cast<long long>(report.undecided), report.ms_total, success ? "" : " FAILED", report.reason);
  if (length > 0) std::fputs(line, stderr);
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace accublas
