// The plan of a call: which mode, backend and engine, and why. It is a pure function of the settings, the shape of the
// call and the abilities of the backends, never of memory, time or history. It can be printed and tested without
// running anything.
#pragma once

#include <string>

#include "lib/call/backend.hpp"
#include "lib/runtime/settings.hpp"

namespace accublas {

struct Plan {
  Routine routine = {};
  Mode mode;
  ModeSource source = ModeSource::build;
  bool passed_over = false;
  accublas_backend asked_backend = ACCUBLAS_BACKEND_AUTO;
  bool engine_forced = false;
  const EngineRow* engines = &engine_rows::none;  ///< of routine and mode

  accublas_backend backend = ACCUBLAS_BACKEND_CPU;
  accublas_engine engine = ACCUBLAS_ENGINE_NATIVE;
  bool may_copy = false;            ///< host operands may have the device, where they are worth copying
  bool engine_by_shape = false;     ///< another shape may have another engine
  const char* backend_reason = "";  ///< why this backend
  const Backend* absent = nullptr;  ///< it has no device, and says why: the CPU serves what might have gone there

  /// Whether another shape of host operands may have another backend or engine.
  bool by_shape() const { return may_copy || engine_by_shape; }
};

/// Makes the plan that the settings decide for every call of a routine, completed as for host operands with nothing to
/// multiply. A call uses this plan unchanged, unless operands are on a device or by_shape() says that fit_plan has more
/// to decide. The CPU computes on host operands unless CUDA is requested and has the mode. Throws Error:
/// ACCUBLAS_ERROR_UNAVAILABLE for a mode that no backend has (the message names the available ones),
/// ACCUBLAS_ERROR_ENGINE for an engine that cannot compute the mode (the message names those that can),
/// ACCUBLAS_ERROR_NO_DEVICE for the CUDA backend without a device.
Plan make_plan(Routine routine, const Settings& settings, const Backend& cpu, const Backend& cuda,
               const EngineTable& table = engine_table);

/// Completes a plan by the shape of the call and the memory space of the operands: the device computes on device
/// operands, and may compute on host operands that are worth copying. Throws Error: ACCUBLAS_ERROR_POINTERS for device
/// operands and backend cpu; ACCUBLAS_ERROR_UNAVAILABLE and ACCUBLAS_ERROR_ENGINE if the device lacks the mode or the
/// engine.
void fit_plan(Plan& plan, const CallShape& shape, const Backend& cpu, const Backend& cuda);

/// Returns the mode that defines the values of a call of this shape: that of the plan, or cr for short sums in dp:repro
/// and sp:repro.
Mode values_of(const Plan& plan, const CallShape& shape);

/// Returns the reasons, such as "mode from the context; engine: first choice for cr; backend: no CUDA in this build".
std::string plan_reason(const Plan& plan);

/// Returns one line, such as "dgemm mode=cr backend=cpu engine=int8 (reason)".
std::string to_string(const Plan& plan);

/// Whether the call runs in accublas's floating-point environment (native runs in the caller's).
inline bool defined_environment(const Plan& plan) { return plan.mode.kind != ACCUBLAS_MODE_NATIVE; }

}  // namespace accublas
