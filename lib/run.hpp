// A call from its plan to its report: what every routine of lib/dispatch.hpp does around its engine.
#pragma once

#include <initializer_list>
#include <new>
#include <optional>
#include <string>

#include "lib/base/error.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/base/phase_timer.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/counters.hpp"
#include "lib/dispatch.hpp"
#include "lib/report.hpp"

namespace accublas {

/// accublas's floating-point environment for the length of a call, but for mode native.
class CallEnvironment {
 public:
  explicit CallEnvironment(bool defined) : defined_(defined) {
    if (defined_) new (&storage_) FpEnvironment;
  }
  ~CallEnvironment() {
    if (defined_) reinterpret_cast<FpEnvironment*>(&storage_)->~FpEnvironment();
  }
  CallEnvironment(const CallEnvironment&) = delete;
  CallEnvironment& operator=(const CallEnvironment&) = delete;

 private:
  bool defined_;
  alignas(FpEnvironment) unsigned char storage_[sizeof(FpEnvironment)];
};

/// An address that is no host memory, where host memory is needed.
[[noreturn]] inline void not_host(const char* name) {
  std::string reason;
  if (cuda_backend().device_count(reason) == 0)
    throw Error(ACCUBLAS_ERROR_NO_DEVICE, std::string("argument ") + name + " is no host memory, and " + reason);
  throw Error(ACCUBLAS_ERROR_POINTERS,
              std::string("argument ") + name + " is in device memory, others are in host memory");
}

struct Named {
  const char* name;
  const void* pointer;
};

/// One call from its plan to its report.
class Run {
 public:
  Run(Context& context, Routine routine, const accublas_options* options)
      : context_(context),
        resolved_(options ? (own_ = context.resolved(routine, *options)) : context.resolved(routine)),
        environment_(defined_environment(resolved_.plan)),
        report_(context.last.numbers),
        routine_(routine) {
    const Settings& settings = resolved_.settings;
    LastCall& last = context_.last;
    last.plan = resolved_.plan;
    last.done = true;
    last.on_device = false;
    report_ = accublas_report_t{};
    report_.level = settings.report_level;
    report_.batch_count = 1;
    timed_ = settings.report_level >= 1 || settings.verbose > 0;
    if (timed_) watch_.emplace();
  }

  void sizes(Index m, Index n, Index k) {
    report_.m = m;
    report_.n = n;
    report_.k = k;
  }

  void batch(Index count) { report_.batch_count = count; }

  /// The operands of the call, in the order of the arguments: all in host or all in device memory. `scalars` are alpha,
  /// beta and DOT's result, which follow the pointer mode. Chooses backend and engine.
  void operands(std::initializer_list<Named> arrays, std::initializer_list<Named> scalars, const CallShape& sizes) {
    bool any_host = false, any_device = false;
    int device = -1;
    for (const Named& array : arrays) {
      const Location location = where(array);
      any_host |= location.kind == MemoryKind::host;
      any_device |= location.kind == MemoryKind::device;
      if (location.kind == MemoryKind::host) continue;
      if (device >= 0 && location.device != device)
        throw Error(ACCUBLAS_ERROR_POINTERS,
                    std::string("argument ") + array.name + " is on another device than others");
      device = location.device;
    }
    // Managed memory alone is used in place by the device; the CPU can read it beside host memory.
    on_device_ = any_device || (device >= 0 && !any_host && resolved_.settings.backend != ACCUBLAS_BACKEND_CPU);
    if (any_device && any_host)
      for (const Named& array : arrays)
        if (where(array).kind == MemoryKind::device) not_host(array.name);
    for (const Named& scalar : scalars) {
      if (scalars_on_device() != (where(scalar).kind == MemoryKind::device) &&
          where(scalar).kind != MemoryKind::managed) {
        if (!scalars_on_device()) not_host(scalar.name);
        throw Error(ACCUBLAS_ERROR_POINTERS,
                    std::string("argument ") + scalar.name + " is in host memory, and the pointer mode is device");
      }
    }
    if (scalars_on_device() && !on_device_)
      throw Error(ACCUBLAS_ERROR_POINTERS, "the pointer mode is device, and the operands are in host memory");
    const bool lost = resolved_.plan.backend == ACCUBLAS_BACKEND_CUDA && cuda_backend().lost_by_fork();
    if (!on_device_ && !resolved_.plan.by_shape && !lost) return;
    CallShape shape = sizes;
    shape.on_device = on_device_;
    shape.device = on_device_ && device >= 0 ? device : this->device();
    context_.last.plan = make_plan(routine_, resolved_.settings, shape, cpu_backend(), cuda_backend());
    if (context_.last.plan.backend == ACCUBLAS_BACKEND_CUDA) use_device(on_device_ ? device : -1);
  }

  /// DOT with nothing to add: the result follows the pointer mode.
  void result_only(const Named& result) {
    if (scalars_on_device()) {
      operands({result}, {result}, {});
    } else if (where(result).kind == MemoryKind::device) {
      not_host(result.name);
    }
  }

  /// The matrices that an array of pointers in host memory leads to; `matrices` is the array's name.
  template <class T>
  void host_matrices(const char* name, T* const* pointers, Index count) {
    for (Index i = 0; i < count; ++i) {
      if (cuda_backend().locate(pointers[i]).kind == MemoryKind::host && context_.host_memory.holds(pointers[i]))
        continue;
      const std::string element = std::string(name) + "[" + std::to_string(i) + "]";
      if (where({element.c_str(), pointers[i]}).kind == MemoryKind::device) not_host(element.c_str());
    }
  }

  /// Reads alpha and beta into the problem where they are on the host.
  template <class Problem, class T>
  void scalars(Problem& problem, const T* alpha, const T* beta) {
    const Location at_alpha = where({"alpha", alpha}), at_beta = where({"beta", beta});
    if (scalars_on_device()) return;
    if (at_alpha.kind == MemoryKind::device) not_host("alpha");
    if (at_beta.kind == MemoryKind::device) not_host("beta");
    problem.alpha = *alpha;
    problem.beta = *beta;
  }
  template <class T>
  bool may_be_nonzero(T alpha) const {
    return scalars_on_device() || alpha != 0;
  }

  bool on_device() const { return on_device_; }
  bool scalars_on_device() const { return context_.pointer_mode == ACCUBLAS_POINTER_DEVICE; }

  const Mode& mode() const { return context_.last.plan.mode; }

  /// Sets the report's bound; throws ACCUBLAS_ERROR_ACCURACY where it misses the target.
  template <class T>
  void promise(Index k, T alpha) {
    const Bound bound = promised_bound(routine_, mode(), k, alpha);
    put_bound(report_, bound);
    const double target = resolved_.settings.target;
    const bool known = bound_is_a_priori(mode()) || k == 0 || alpha == 0;
    if (target > 0 && known && !keeps(bound, target))
      throw Error(ACCUBLAS_ERROR_ACCURACY, "mode " + mode_word(mode(), is_single(routine_)) + " promises " +
                                               scientific(bound.relative + bound.componentwise) + " for k = " +
                                               std::to_string(k) + ", which misses the target " + scientific(target));
  }

  /// Runs `serve(backend, call, state, execution)` for the plan's engine, and the fallback rule.
  template <class T, class Problem, class Serve>
  void compute(const Problem& problem, const T* alpha, const T* beta, bool result_on_device, Serve&& serve) {
    const Settings& settings = resolved_.settings;
    const Plan& plan = context_.last.plan;
    if (plan.backend == ACCUBLAS_BACKEND_CUDA) use_device(-1);
    const bool set = settings.workspace_bytes >= 0;
    const std::size_t cap =
        set ? static_cast<std::size_t>(settings.workspace_bytes) : backend_of(plan).default_workspace(device());
    const bool own = users_workspace_serves(plan);
    Workspace workspace(cap, own ? context_.workspace : nullptr, own ? context_.workspace_bytes : 0);
    Execution execution{lanes(workspace), cpu::detected_isa(), workspace, report_, settings.target};
    execution.engine_forced = plan.engine_forced;

    const bool scalars = scalars_on_device();
    Call<Problem, T> call{problem,          {alpha, scalars}, {beta, scalars}, on_device_,
                          result_on_device, mode(),           plan.engine};
    context_.last.on_device = plan.backend == ACCUBLAS_BACKEND_CUDA;
    try {
      serve(backend_of(plan), call, context_.device_state.get(), execution);
    } catch (const Error& error) {
      if (error.status() != ACCUBLAS_ERROR_MEMORY) throw;
      compute_in_less(call, execution, cap, error, serve);
    }
    if (plan.backend == ACCUBLAS_BACKEND_CPU) {
      report_.threads = execution.threads;
      report_.workspace_bytes = static_cast<std::int64_t>(workspace.peak());
    }
  }

  void finish() {
    count_call(routine_, context_.last.plan.engine, context_.last.on_device);
    if (timed_ && !on_device_) report_.ms_total = watch_->milliseconds();
    if (resolved_.settings.verbose > 0) print_call(full_report(context_), true);
    finished_ = true;
  }

  ~Run() {
    if (finished_ || resolved_.settings.verbose == 0) return;
    try {
      print_call(full_report(context_), false);
    } catch (...) {  // no memory for a line of log; the call's own error is on its way
    }
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

 private:
  /// Nothing was written yet: first a sixteenth of the workspace, then the mode's other engines, then, for host
  /// operands that were to be copied to a device, the CPU.
  template <class AnyCall, class Serve>
  void compute_in_less(AnyCall call, Execution& execution, std::size_t cap, const Error& error, Serve&& serve) {
    Plan& plan = context_.last.plan;
    const auto attempt = [&](accublas_engine engine, std::size_t bytes) {
      execution.workspace.restart(bytes);
      execution.threads = lanes(execution.workspace);
      call.engine = engine;
      try {
        serve(backend_of(plan), call, context_.device_state.get(), execution);
      } catch (const Error& again) {
        if (again.status() == ACCUBLAS_ERROR_MEMORY) return false;
        throw;
      }
      plan.engine = engine;
      return true;
    };
    const auto attempt_engines = [&] {
      if (plan.engine_forced) return false;
      const accublas_engine tried = plan.engine;
      for (accublas_engine engine : backend_of(plan).engines(routine_, mode()))
        if (engine != tried && attempt(engine, cap / 16)) return true;
      return false;
    };
    Workspace::trim_pool();
    if (!execution.workspace.buffer() && attempt(call.engine, cap / 16)) return;
    if (attempt_engines()) return;
    if (plan.backend == ACCUBLAS_BACKEND_CUDA && !on_device_ && !execution.workspace.buffer()) {
      Settings settings = resolved_.settings;
      settings.backend = ACCUBLAS_BACKEND_CPU;
      try {
        plan = make_plan(routine_, settings, {}, cpu_backend(), cuda_backend());
      } catch (const Error&) {
        throw error;  // an engine that only the device has
      }
      plan.backend_reason = "the device has no memory left";
      context_.last.on_device = false;
      cap = cpu_backend().default_workspace(0);
      if (attempt(plan.engine, cap) || attempt_engines()) return;
    }
    throw error;
  }

  /// Threads that the engines size by. A device's workspace is not where the CPU's threads have theirs.
  int lanes(const Workspace& workspace) const {
    const int threads = threads_for(resolved_.settings);
    return context_.last.plan.backend == ACCUBLAS_BACKEND_CPU ? workspace.lanes(threads) : threads;
  }

  Location where(const Named& argument) {
    if (!argument.pointer) throw Error(ACCUBLAS_ERROR_ARGUMENT, std::string("argument ") + argument.name + " is NULL");
    const Location location = cuda_backend().locate(argument.pointer);
    if (location.kind == MemoryKind::host && !context_.host_memory.holds(argument.pointer)) {
      std::string reason;
      // Memory that the host cannot read can only be meant for a device.
      if (cuda_backend().device_count(reason) == 0) not_host(argument.name);
      throw Error(ACCUBLAS_ERROR_POINTERS,
                  std::string("argument ") + argument.name + " is neither host nor device memory");
    }
    return location;
  }

  /// The user's workspace is used by the backend that can: device memory by its device, memory of the host by the CPU.
  /// Host operands that are copied to a device are not ordered with what else uses it there: replays of graphs, other
  /// contexts on the stream.
  bool users_workspace_serves(const Plan& plan) const {
    if (!context_.workspace) return false;
    const Location location = cuda_backend().locate(context_.workspace);
    if (plan.backend == ACCUBLAS_BACKEND_CPU) return location.kind != MemoryKind::device;
    return on_device_ && location.kind != MemoryKind::host && location.device == device();
  }

  int device() const { return context_.device_state ? context_.device_state->device() : resolved_.settings.device; }

  /// Makes the context's state for a device (-1: the one set). Operands must be on that device.
  void use_device(int wanted) {
    if (!context_.device_state) {
      const bool set = context_.level.device >= 0 || environment().level.device >= 0;
      context_.device_state = cuda_backend().make_state(wanted >= 0 && !set ? wanted : resolved_.settings.device);
    }
    if (wanted >= 0 && wanted != context_.device_state->device())
      throw Error(ACCUBLAS_ERROR_POINTERS, "the operands are on device " + std::to_string(wanted) +
                                               ", the context works on device " +
                                               std::to_string(context_.device_state->device()));
  }

  Context& context_;
  Resolved own_;
  const Resolved& resolved_;
  CallEnvironment environment_;
  accublas_report_t& report_;
  Routine routine_;
  bool on_device_ = false, timed_ = false, finished_ = false;
  std::optional<Stopwatch> watch_;
};

template <class T>
constexpr Routine pick(Routine for_double, Routine for_float) {
  return sizeof(T) == 8 ? for_double : for_float;
}

}  // namespace accublas
