// The threads and the memory that a context and its settings give to a call of several steps.
#pragma once

#include "c_api/views.hpp"
#include "lib/base/isa.hpp"
#include "lib/call/backend.hpp"
#include "lib/call/steps_call.hpp"
#include "lib/runtime/settings.hpp"

namespace accublas {

/// Returns steps in the caller's workspace if it is in host memory, else in the library's.
inline StepsCall steps_of(const Context& context, const Settings& settings) {
  const std::int64_t cap = settings.workspace_bytes;
  const bool own = context.workspace && !cuda_backend().locate(context.workspace).is_on_device();
  return {threads_for(settings), cpu::detected_isa(),
          cap >= 0 ? static_cast<std::size_t>(cap) : default_workspace_bytes, own ? context.workspace : nullptr,
          own ? context.workspace_bytes : 0};
}

}  // namespace accublas
