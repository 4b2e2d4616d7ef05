// The failure handler of the process, which is called if a call fails and has no status to return.
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "c_api/boundary.hpp"
#include "c_api/private.hpp"
#include "lib/base/fork_safe.hpp"

using namespace accublas;

namespace {

struct Handler {
  accublas_failure_handler function = nullptr;
  void* user = nullptr;
};

Handler handler;                  // under the lock failure_handler
std::atomic<int> on_failure{-1};  // -1: as the environment says

int32_t default_handler(const char* message) {
  std::fputs((std::string(message) + "\n").c_str(), stderr);
  const int set = on_failure.load();
  return (set >= 0 ? set : environment().on_failure) == ACCUBLAS_ON_FAILURE_NATIVE;
}

}  // namespace

accublas_status accublas_set_failure_handler(accublas_failure_handler function, void* user) {
  const ForkSafeLock lock(ForkSafe::failure_handler);
  handler = {function, user};
  return ACCUBLAS_SUCCESS;
}

accublas_status accublas_set_on_failure(accublas_on_failure action) {
  if (action != ACCUBLAS_ON_FAILURE_ABORT && action != ACCUBLAS_ON_FAILURE_NATIVE) return ACCUBLAS_ERROR_ARGUMENT;
  on_failure.store(action);
  return ACCUBLAS_SUCCESS;
}

bool accublas_private_ask_handler(accublas_context* ctx, accublas_status status) noexcept {
  Handler current;
  {
    const ForkSafeLock lock(ForkSafe::failure_handler);
    current = handler;
  }
  const char* error = accublas_last_error(ctx);
  const std::string message = std::string("accublas: ") + (*error ? error : accublas_status_string(status));
  return current.function ? current.function(status, message.c_str(), current.user) : default_handler(message.c_str());
}

accublas_status accublas_fail(accublas_context* ctx, accublas_status status) {
  if (!accublas_private_ask_handler(ctx, status)) std::abort();
  return ACCUBLAS_SUCCESS;
}

Attempt accublas_private_next_attempt(accublas_context* ctx, Attempt failed, accublas_status status,
                                      std::int32_t reads_result) {
  const bool hopeless = failed == Attempt::native || status == ACCUBLAS_ERROR_ARGUMENT ||
                        (status == ACCUBLAS_ERROR_C_UNDEFINED && reads_result);
  std::int32_t devices = 0;
  if (!hopeless && failed == Attempt::as_set && accublas_device_count(&devices) == ACCUBLAS_SUCCESS && devices > 0)
    return Attempt::on_cpu;
  accublas_fail(ctx, status);
  return hopeless ? Attempt::none : Attempt::native;
}
