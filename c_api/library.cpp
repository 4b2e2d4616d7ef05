// Functions of the library as a whole: version, status texts, contexts, counters, devices.
#include <cstring>

#include "c_api/boundary.hpp"
#include "lib/runtime/counters.hpp"
#include "lib/runtime/report.hpp"

using namespace accublas;

namespace accublas {

namespace {

/// Returns the message on one line, for logs too, although it quotes text of the user.
std::string one_line(const char* message) {
  std::string line;
  for (; *message; ++message) {
    const unsigned char c = static_cast<unsigned char>(*message);
    if (c >= ' ' && c != 127) {
      line += *message;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      line += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else {
      constexpr char digits[] = "0123456789abcdef";
      line += {'\\', 'x', digits[c / 16], digits[c % 16]};
    }
  }
  return line;
}

}  // namespace

accublas_status failure(Context& context, accublas_status status, const char* message) noexcept {
  context.failed = true;
  take_exceptions();
  try {
    context.error = one_line(message);
  } catch (...) {
    context.error.clear();
  }
  return status;
}

}  // namespace accublas

int32_t accublas_version(void) {
  return 10000 * ACCUBLAS_VERSION_MAJOR + 100 * ACCUBLAS_VERSION_MINOR + ACCUBLAS_VERSION_PATCH;
}

const char* accublas_status_string(accublas_status status) {
  switch (status) {
    case ACCUBLAS_SUCCESS:
      return "success";
    case ACCUBLAS_ERROR_ARGUMENT:
      return "bad argument";
    case ACCUBLAS_ERROR_MODE:
      return "unknown mode, or one that the routine lacks";
    case ACCUBLAS_ERROR_ENGINE:
      return "unknown engine, or one that cannot compute the mode";
    case ACCUBLAS_ERROR_UNAVAILABLE:
      return "not available in this build or on this device";
    case ACCUBLAS_ERROR_MEMORY:
      return "out of memory; the result is as it was";
    case ACCUBLAS_ERROR_ACCURACY:
      return "the accuracy target cannot be promised; the result is as it was";
    case ACCUBLAS_ERROR_POINTERS:
      return "host and device operands mixed";
    case ACCUBLAS_ERROR_NO_DEVICE:
      return "no GPU";
    case ACCUBLAS_ERROR_DEVICE:
      return "the device failed before the result was written";
    case ACCUBLAS_ERROR_C_UNDEFINED:
      return "a failure after the first write to the result, which is undefined";
    case ACCUBLAS_ERROR_ENVIRONMENT:
      return "an environment variable of accublas has an invalid value or an unknown name";
    case ACCUBLAS_ERROR_NO_BLAS:
      return "no real BLAS could be loaded";
    case ACCUBLAS_ERROR_INTERNAL:
      return "a defect in accublas";
    case ACCUBLAS_ERROR_PRECISION:
      return "multiple-precision operands of different precisions";
    case ACCUBLAS_ERROR_NOT_CERTIFIED:
      return "the error of the solution has no proved bound";
    case ACCUBLAS_ERROR_FORMAT:
      return "a string that is not a number, or bytes that are not an accumulator";
    case ACCUBLAS_ERROR_UNDECIDED:
      return "an accumulator has undecided elements: add all panels again, then finish again";
    default:
      return "unknown status";
  }
}

accublas_status accublas_create(accublas_context** ctx) {
  return guarded(nullptr, [&](Context&) {
    if (!ctx) bad_argument("ctx", "a pointer to a context pointer, not NULL");
    *ctx = nullptr;
    valid_environment();
    *ctx = new Context;
  });
}

accublas_status accublas_destroy(accublas_context* ctx) {
  if (!ctx) return ACCUBLAS_SUCCESS;
  const accublas_status status = guarded(ctx, [](Context& context) {
    if (!context.device_state) return;
    std::string message;
    const accublas_status finished = context.device_state->finish(message);
    if (finished != ACCUBLAS_SUCCESS) throw Error(finished, message);
  });
  delete ctx;
  return status;
}

const char* accublas_last_error(accublas_context* ctx) {
  try {
    return context_or_default(ctx).error.c_str();
  } catch (...) {
    return "out of memory";
  }
}

accublas_status accublas_set_last_error(accublas_context* ctx, accublas_status status, const char* message) {
  return guarded(ctx, [&](Context&) {
    if (status != ACCUBLAS_SUCCESS) throw Error(status, message ? message : accublas_status_string(status));
  });
}

accublas_status accublas_report(accublas_context* ctx, accublas_report_t* report) {
  return guarded(ctx, [&](Context& context) {
    require_report(report);
    hand_out(full_report(context), report);
  });
}

accublas_status accublas_counters(accublas_counter_t* rows, size_t capacity, size_t* count) {
  if (!count || (!rows && capacity > 0)) return ACCUBLAS_ERROR_ARGUMENT;
  *count = 0;
  for (Routine routine : all_routines)
    for (int engine = 0; engine < engine_count; ++engine) {
      const std::uint64_t calls = calls_of(routine, engine, false) + calls_of(routine, engine, true);
      if (calls == 0) continue;
      if (*count < capacity) {
        accublas_counter_t& row = rows[*count];
        row = {};
        std::strncpy(row.routine, routine_name(routine), sizeof row.routine - 1);
        std::strncpy(row.engine, engine_name(engine), sizeof row.engine - 1);
        row.calls = calls;
      }
      ++*count;
    }
  return ACCUBLAS_SUCCESS;
}

accublas_status accublas_reset_counters(void) {
  reset_counters();
  return ACCUBLAS_SUCCESS;
}

// This is not a call on a context, so the message of the thread's last failure stays.
accublas_status accublas_device_count(int32_t* count) {
  if (!count) return ACCUBLAS_ERROR_ARGUMENT;
  try {
    std::string reason;
    *count = cuda_backend().device_count(reason);
    return ACCUBLAS_SUCCESS;
  } catch (...) {
    *count = 0;
    return ACCUBLAS_ERROR_INTERNAL;
  }
}
