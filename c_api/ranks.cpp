// The settings and copies of a rank of libaccublas_pblas.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "c_api/boundary.hpp"
#include "c_api/private.hpp"
#include "lib/call/place.hpp"
#include "lib/runtime/device_share.hpp"

namespace accublas {
namespace {

/// Returns the devices that the processes of this host share: ACCUBLAS_DEVICES, else all.
std::vector<int> devices_to_share() {
  std::string reason;
  const int count = cuda_backend().device_count(reason);
  if (count == 0) return {};
  std::vector<int> devices = valid_environment().level.devices;
  if (!devices.empty()) return devices;
  for (int device = 0; device < count; ++device) devices.push_back(device);
  return devices;
}

/// Whether the backend cpu is set.
bool is_cpu_set(const Context& context) {
  const int backend = context.level.backend >= 0 ? context.level.backend : valid_environment().level.backend;
  return backend == ACCUBLAS_BACKEND_CPU;
}

}  // namespace
}  // namespace accublas

using namespace accublas;

accublas_status accublas_private_pblas_settings(accublas_context* ctx, std::int64_t* bytes, bool* on_host) noexcept {
  return guarded(ctx, [&](Context& context) {
    *bytes = valid_environment().pblas_bytes;
    std::string reason;
    *on_host = is_cpu_set(context) || cuda_backend().device_count(reason) == 0;
  });
}

accublas_status accublas_private_shared_devices(accublas_context* ctx, std::uint64_t* key) noexcept {
  return guarded(ctx, [&](Context& context) {
    *key = 0;
    const Level& environment = valid_environment().level;
    const bool has_stream = context.device_state && context.device_state->stream();
    if (context.level.device >= 0 || !context.level.devices.empty() || environment.device >= 0 || has_stream ||
        is_cpu_set(context))
      return;
    const std::vector<int> devices = devices_to_share();
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (!devices.empty()) *key = devices_key(devices, visible ? visible : "");
  });
}

accublas_status accublas_private_take_devices(accublas_context* ctx, int rank, int ranks) noexcept {
  return guarded(ctx, [&](Context& context) {
    context.settings_changed();
    context.level.devices = share_of_devices(devices_to_share(), rank, ranks);
    if (context.device_state && context.device_state->device() != context.level.devices.front()) context.leave_device();
  });
}

accublas_status accublas_private_copy(accublas_context* ctx, void* to, std::int64_t ld_to, const void* from,
                                      std::int64_t ld_from, std::int64_t rows, std::int64_t cols) noexcept {
  return guarded(ctx, [&](Context& context) {
    const Location source = cuda_backend().locate(from), target = cuda_backend().locate(to);
    const int device = source.is_on_device() ? source.device : target.device;
    std::unique_ptr<BackendState> another;
    const bool is_own = context.device_state ? context.device_state->device() == device : context.device() == device;
    if (!is_own) another = cuda_backend().make_state(device);
    device_place(another ? *another : context.state_on(device), "a call on distributed matrices")
        ->copy(to, static_cast<std::size_t>(ld_to), from, static_cast<std::size_t>(ld_from),
               static_cast<std::size_t>(rows), cols);
  });
}
