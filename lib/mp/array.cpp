#include "lib/mp/array.hpp"

#include <cstdio>
#include <cstring>
#include <string>

#include "lib/base/error.hpp"
#include "lib/mp/transfer.hpp"
#include "lib/numerics/rns_moduli.hpp"

using accublas::Error;

accublas_mp_array::accublas_mp_array(int precision, std::int64_t length) : backend(&accublas::mp::cpu_mp_backend()) {
  elements.format = accublas::mp::make_format(precision);
  elements.length = length;
  backend->allocate(elements, device);
}

accublas_mp_array::~accublas_mp_array() {
  aligned.reset();
  backend->release(elements);
}

namespace accublas::mp {

namespace {

[[noreturn]] void bad(const char* name, const std::string& what) {
  throw Error(ACCUBLAS_ERROR_ARGUMENT, std::string("argument ") + name + " " + what);
}

Settings settings_of(const Context& context) {
  return resolve({Operation::gemv, Type::d}, nullptr, context.level, valid_environment().level, build_settings());
}

}  // namespace

Region matrix_region(const char* name, const Array* array, std::int64_t offset, std::int64_t ld, std::int64_t m,
                     std::int64_t n) {
  if (!array) bad(name, "is NULL");
  if (m < 0 || n < 0) bad(name, "has a negative size");
  if (ld < (m > 1 ? m : 1)) bad(name, "has a leading dimension below max(1, m)");
  const std::int64_t length = array->elements.length;
  const bool empty = m == 0 || n == 0;
  const bool fits =
      offset >= 0 && offset <= length && (empty || (m <= length - offset && (n - 1) <= (length - offset - m) / ld));
  if (!fits) bad(name, "reaches beyond its array of " + std::to_string(length) + " elements");
  return {array, offset, m, n, ld};
}

Region vector_region(const char* name, const Array* array, std::int64_t offset, std::int64_t inc, std::int64_t n) {
  if (n == 1 || n == 0) return matrix_region(name, array, offset, 1, 1, n);  // the increment is never used
  if (inc == 0 || inc == INT64_MIN) bad(name, "has a bad increment");
  return matrix_region(name, array, offset, inc < 0 ? -inc : inc, 1, n);
}

Region element_region(const char* name, const Array* array, std::int64_t index) {
  return matrix_region(name, array, index, 1, 1, 1);
}

bool overlap(const Region& written, const Region& other) {
  if (written.array != other.array || written.empty() || other.empty()) return false;
  if (written.last() < other.offset || other.last() < written.offset) return false;
  for (std::int64_t j = 0; j < written.n; ++j)
    for (std::int64_t i = written.part == Triangle::lower ? j : 0,
                      end = written.part == Triangle::upper ? j + 1 : written.m;
         i < end; ++i)
      if (other.contains(written.offset + i + j * written.ld)) return true;
  return false;
}

void written(Array& array, const Region& region) {
  const Block& kept = array.aligned_block;
  if (array.aligned && overlap(region, {&array, kept.offset, kept.rows, kept.columns, kept.column_stride}))
    array.aligned.reset();
}

MpCall::MpCall(Context& context, const char* routine, const Array& at)
    : execution_{1, cpu::detected_isa(), at.on_device() ? &context.state_on(at.device, "the array is") : nullptr,
                 routine ? context.mp_report : unnamed_},
      on_device_(at.on_device()) {
  const Settings settings = settings_of(context);
  execution_.threads = threads_for(settings);
  // Products have two engines; the others are those of floating-point routines.
  if (settings.engine == ACCUBLAS_ENGINE_INT8 || settings.engine == ACCUBLAS_ENGINE_SUMS)
    execution_.engine = settings.engine;
  execution_.workspace_bytes = settings.workspace_bytes;
  if (!routine) return;
  verbose_ = settings.verbose > 0;
  accublas_mp_report_t& report = context.mp_report;
  report = accublas_mp_report_t{};
  std::strncpy(report.routine, routine, sizeof report.routine - 1);
  std::strncpy(report.backend, at.backend->name(), sizeof report.backend - 1);
  const std::string device = on_device_ ? cuda_backend().device_name(at.device) : cpu_backend().device_name(0);
  std::strncpy(report.device, device.c_str(), sizeof report.device - 1);
  report.precision = at.elements.format.precision;
  report.element_moduli = at.elements.format.moduli;
  report.threads = on_device_ ? 0 : execution_.threads;
  report.level = settings.report_level;
  context.mp_on_device = on_device_;
}

void MpCall::sizes(std::int64_t m, std::int64_t n, std::int64_t k) {
  execution_.report.m = m;
  execution_.report.n = n;
  execution_.report.k = k;
}

void MpCall::finish() {
  finished_ = true;
  if ((execution_.report.level >= 1 || verbose_) && !on_device_) execution_.report.ms_total = watch_.milliseconds();
}

/// Writes the line of verbose mode.
MpCall::~MpCall() {
  if (!verbose_) return;
  const accublas_mp_report_t& r = execution_.report;
  char line[256];
  const int length =
      std::snprintf(line, sizeof line,
                    "accublas: %s m=%lld n=%lld k=%lld bits=%d backend=%s engine=%s moduli=%d bands=%d in_bands=%lld "
                    "aligned=%d ms=%.4g%s\n",
                    r.routine, static_cast<long long>(r.m), static_cast<long long>(r.n), static_cast<long long>(r.k),
                    r.precision, r.device, r.engine, r.moduli, r.bands, static_cast<long long>(r.outputs_in_bands),
                    r.aligned_kept, r.ms_total, finished_ ? "" : " FAILED");
  if (length > 0) std::fputs(line, stderr);
}

void move(Context& context, Array& array, bool to_device) {
  if (array.on_device() == to_device) return;
  MpBackend& destination = to_device ? cuda_mp_backend() : cpu_mp_backend();
  const int device = to_device ? context.state_on().device() : -1;
  Elements moved;
  moved.format = array.elements.format;
  moved.length = array.elements.length;
  if (to_device) leave_positional_form(array.elements, cpu::mp_kernels(cpu::detected_isa()), 1);
  destination.allocate(moved, device);
  moved.positional = false;
  try {
    MpExecution execution{1, cpu::detected_isa(), &context.state_on(to_device ? device : array.device, "the array is"),
                          context.mp_report};
    context.mp_report = accublas_mp_report_t{};
    if (to_device) {
      destination.import_host(moved, array.elements, execution);
    } else {
      array.backend->export_host(array.elements, moved, execution);
    }
  } catch (...) {
    destination.release(moved);
    throw;
  }
  array.aligned.reset();
  array.backend->release(array.elements);
  array.elements = moved;
  array.backend = &destination;
  array.device = device;
}

}  // namespace accublas::mp
