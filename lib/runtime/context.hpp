// The contents of an accublas_context: the settings made on it, the resolved plan of every routine, the last error and
// report.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lib/base/host_memory.hpp"
#include "lib/runtime/plan.hpp"
#include "lib/runtime/settings.hpp"

namespace accublas {

/// The settings of a routine and the parts of its plan that they decide (make_plan). They are resolved once and kept
/// until a setting changes, so that a small call looks nothing up.
struct Resolved {
  bool valid = false;
  Settings settings;
  Plan plan;

  /// Returns the plan of a call of this shape. It is kept until a call has another shape: a drop-in that decides
  /// by the plan whether a call is its own, and the call itself, plan once. Throws the errors of fit_plan.
  const Plan& plan_for(const CallShape& shape) const {
    if (!shape.on_device && !plan.by_shape()) return plan;
    if (!fitted_ || shape != fitted_to_) {
      Plan made = plan;
      fit_plan(made, shape, cpu_backend(), cuda_backend());
      fitted_ = made;
      fitted_to_ = shape;
    }
    return *fitted_;
  }

  /// Whether the plan counts on a device that the process lost when it was forked.
  bool device_lost() const {
    return (plan.may_copy || plan.backend == ACCUBLAS_BACKEND_CUDA) && cuda_backend().lost_by_fork();
  }

 private:
  mutable std::optional<Plan> fitted_;
  mutable CallShape fitted_to_;
};

inline Backend& backend_of(const Plan& plan) {
  return plan.backend == ACCUBLAS_BACKEND_CUDA ? cuda_backend() : cpu_backend();
}

/// The last call: its plan, sizes and numbers. The words of the report are made when the caller asks for the report.
struct LastCall {
  Plan plan;
  accublas_report_t numbers{};
  const char* routine = nullptr;  ///< the name of a routine that has no Operation
  bool done = false;              ///< a call was made
  bool on_device = false;  ///< it may be under way, and the device knows part of the numbers

  /// Begins a call, on the host so far, and clears the results of the previous one.
  void begin(const Plan& made) {
    plan = made;
    routine = nullptr;
    numbers = accublas_report_t{};
    numbers.batch_count = 1;
    done = true;
    on_device = false;
  }
};

}  // namespace accublas

struct accublas_context {
  accublas_context();

  /// Returns the plan of a call without options. Throws the errors of make_plan and of the environment.
  const accublas::Resolved& resolved(accublas::Routine routine) {
    const accublas::Resolved& known = cache_[number_of(routine)];
    return known.valid && !known.device_lost() ? known : resolve_again(routine);
  }
  /// Returns the plan of a call with options.
  accublas::Resolved resolved(accublas::Routine routine, const accublas_options& options);

  /// Call this when `level` has changed, before the next call.
  void settings_changed() noexcept;

  /// Returns the device that calls use if their operands do not decide it: that of the state, else the one that is set,
  /// else the first of those that share products.
  int device() const;
  /// Returns the state of the device. If there is none yet, makes it for the device that is set, else for `wanted`,
  /// that of the operands (-1: none). Throws Error(ACCUBLAS_ERROR_POINTERS) if `what` ("the operands are") is on
  /// another device.
  accublas::BackendState& state_on(int wanted = -1, const char* what = "");

  accublas::Level level;
  void* workspace = nullptr;  ///< the user's own
  std::size_t workspace_bytes = 0;
  accublas_pointer_mode pointer_mode = ACCUBLAS_POINTER_HOST;
  bool host_operands_follow_stream = false;  ///< they are used when the user's stream has come so far
  bool in_flow = false;               ///< a routine's flow (lib/lapack, lib/certified) makes the calls, not the program
  bool rehearses = false;             ///< the calls only count what they take (Backend::rehearse)
  bool operands_may_overlap = false;  ///< calls under BLAS's and cuBLAS's names, which leave the result undefined then
  std::unique_ptr<accublas::BackendState> device_state;  ///< made at the first use of a device

  /// Finishes the work on the device and forgets its state. The next call makes the state of the device that is set
  /// then. Throws the device's error.
  void leave_device();

  /// Whether results must not share elements with operands. This holds for the program's own calls of the C interface.
  bool operands_are_apart() const { return !operands_may_overlap && !in_flow; }

  accublas::HostMemory host_memory;

  /// Records that a call succeeded: the message of an earlier failure is dropped.
  void succeeded() noexcept {
    if (!failed) return;
    failed = false;
    error.clear();
  }

  bool failed = false;  ///< `error` holds the message of the last call
  std::string error;
  accublas::LastCall last;
  accublas_mp_report_t mp_report{};  ///< of the last call on multiple-precision arrays
  bool mp_on_device = false;         ///< it may be under way

 private:
  const accublas::Resolved& resolve_again(accublas::Routine routine);

  accublas::Resolved cache_[accublas::routine_count];
};

namespace accublas {

using Context = ::accublas_context;

/// The calling thread's default context.
Context& default_context();

inline Context& context_or_default(accublas_context* context) { return context ? *context : default_context(); }

}  // namespace accublas
