// A call from its settings to its report: the steps that every routine of lib/runtime/dispatch.hpp has around its
// engine, and the fallback rule, which is implemented here alone.
//
// The rule: if memory is missing, the same engine is tried with a smaller workspace, then the other engines of the mode
// (in a mode that promises bits they all return the same ones), on the CPU all of them with the least plan, and then,
// for host operands, the CPU. If an engine lacks the form of a call, the CPU follows, and on the CPU the other engines
// of the mode. Nothing else falls back.
#pragma once

#include <exception>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>

#include "lib/base/error.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/base/phase_timer.hpp"
#include "lib/call/backend.hpp"
#include "lib/runtime/context.hpp"
#include "lib/runtime/residence.hpp"

namespace accublas {

/// One call. The order of its steps: sizes, scalars, operands (which completes the plan), promise, compute, finish.
class Run {
 public:
  Run(Context& context, Routine routine, const accublas_options* options);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void sizes(Index m, Index n, Index k) { report_.m = m, report_.n = n, report_.k = k; }
  void batch(Index count) { report_.batch_count = count; }

  /// Reads a factor if it is on the host.
  template <class A, class E>
  void scalar(const char* name, const A* pointer, E& to) {
    require_scalar({name, pointer});
    if (!scalars_on_device()) to = {*pointer};
  }
  /// Takes the operands of the call, in the order of the arguments: all in host or all in device memory. `scalars` are
  /// alpha, beta and DOT's result, which follow the pointer mode. This step chooses backend and engine.
  void operands(std::span<const Named> arrays, std::initializer_list<Named> scalars, const CallShape& sizes);
  void operands(std::initializer_list<Named> arrays, std::initializer_list<Named> scalars, const CallShape& sizes) {
    operands(std::span(arrays.begin(), arrays.size()), scalars, sizes);
  }

  /// Takes the result of a DOT without terms, which follows the pointer mode.
  void result_only(const Named& result);

  /// Returns the matrices that an array of pointers in host memory leads to; `matrices` is the array's name.
  template <class T>
  void host_matrices(const char* matrices, T* const* pointers, Index count) {
    for (Index i = 0; i < count; ++i) require_host_matrix(matrices, i, pointers[i]);
  }

  bool on_device() const { return on_device_; }
  /// Whether an argument, of any kind, is in device memory.
  bool is_device_memory(const Named& argument) const { return where(argument).kind == MemoryKind::device; }
  bool scalars_on_device() const { return context_.pointer_mode == ACCUBLAS_POINTER_DEVICE; }
  const Mode& mode() const { return context_.last.plan.mode; }

  /// Sets the report's bound, for real and complex numbers. Throws ACCUBLAS_ERROR_ACCURACY if it misses the target.
  template <class T>
  void promise(Index k, T alpha);

  /// Computes a problem by the backend with the plan's engine and the fallback rule.
  template <template <class> class Problem, class T>
  void compute(const Problem<T>& problem, const std::type_identity_t<T>* alpha = nullptr,
               const std::type_identity_t<T>* beta = nullptr, bool result_on_device = false) {
    const bool scalars = scalars_on_device();
    Call<Problem<T>, T> call{problem,
                             {alpha, scalars},
                             {beta, scalars},
                             on_device_,
                             result_on_device,
                             values_of(context_.last.plan, shape_),
                             ACCUBLAS_ENGINE_AUTO};
    compute_any({&call, call.engine});
  }

  /// Does the work by calls of other routines in this context (lib/lapack), in place of an engine. `body(workspace,
  /// steps)` takes its memory from the call's workspace, by the steps, and returns how much its calls took; in a
  /// rehearsal it returns once it has taken its memory. Afterwards report and plan are this call's again. If LAPACK's
  /// info is on the device (else it is null), it becomes `found` after all results. A failure after the first write to
  /// a result (ElementSteps::wrote) is ACCUBLAS_ERROR_C_UNDEFINED; a failure before that keeps its status.
  template <class E, class Body>
  void compose(std::int64_t* info, const std::int64_t& found, Body&& body) {
    compose_erased([&](Workspace& workspace) {
      std::unique_ptr<ElementSteps<E>> steps;
      (on_device_ ? cuda_backend() : cpu_backend())
          .begin_steps(&steps, context_.device_state.get(), workspace, report_.level);
      try {
        const std::int64_t inner = body(workspace, *steps);
        if (info) {
          steps->wrote = true;
          steps->put(info, found);
        }
        return inner + steps->finish();
      } catch (const std::exception& error) {
        fail_flow(error, steps->wrote);
      }
    });
  }
  /// Does the work of a batch by calls of its routine, which take their own workspace.
  void by_calls(const std::function<void()>& body) {
    context_.last.on_device = on_device_;
    run_inner_calls(body);
    report_.threads = threads_for(resolved_.settings);
  }
  /// Does the work of a certified solution by calls of other routines in this context. `body` waits for them, and
  /// returns whether they are a device's. The call is reported and counted as `routine`.
  void certify(Routine routine, const std::function<bool()>& body);
  /// Runs the real BLAS's LAPACK. Returns false, with nothing done, if it lacks memory or the form of the call and the
  /// mode has the flow of calls too; the plan then names the flow.
  template <class Problem>
  bool compute_natively(const Problem& problem) {
    try {
      compute(problem);
      return true;
    } catch (const Error& error) {
      if (!follows_native(error)) throw;
      return false;
    }
  }
  accublas_engine engine() const { return plan_.engine; }
  accublas_backend backend() const { return plan_.backend; }
  /// Returns the mode of the calls of a flow: cr, except on a device whose engine makes products of dp or sp.
  accublas_mode mode_of_products() const {
    return plan_.engine == ACCUBLAS_ENGINE_INT8 && on_device_ ? plan_.mode.kind : ACCUBLAS_MODE_CR;
  }

  void finish();

 private:
  void compute_any(const AnyCall& call);
  void serve(const AnyCall& call, accublas_engine engine, BackendState* state, Execution& execution);
  void compose_erased(const std::function<std::int64_t(Workspace&)>& body);
  [[noreturn]] void fail_flow(const std::exception& error, bool wrote) const;
  void fit_flow(Workspace& workspace, const std::function<std::int64_t(Workspace&)>& body);
  bool attempt(const AnyCall& call, accublas_engine engine, Execution& execution, std::size_t bytes,
               bool least = false);
  bool attempt_others(const AnyCall& call, Execution& execution, std::size_t bytes, bool least = false);
  bool leaves_call_to_others(const Error& error) const;
  bool follows_native(const Error& error);
  [[noreturn]] void refuse(const AnyCall& call, const Execution& execution);
  [[noreturn]] void refuse(const Workspace& workspace, std::size_t needed) const;
  void compute_otherwise(const AnyCall& call, Execution& execution, std::size_t cap, const Error& error);
  void compute_on_cpu(const AnyCall& call, Execution& execution, const Error& error, const char* reason);

  bool shows() const { return resolved_.settings.verbose > (inner_ ? 1 : 0) && !context_.rehearses; }
  void print(bool success) const;
  void run_inner_calls(const std::function<void()>& body);
  Location where(const Named& argument) const { return locate(context_, argument); }
  void require_scalar(const Named& scalar) const;
  void require_host_matrix(const char* matrices, Index i, const void* pointer) const;
  void wait_for_stream();
  int lanes(const Workspace& workspace) const;
  std::size_t workspace_cap() const;
  bool users_workspace_serves() const;
  void use_device(int wanted) { context_.state_on(wanted, "the operands are"); }

  Context& context_;
  Resolved own_;
  const Resolved& resolved_;
  std::optional<FpEnvironment> environment_;  ///< accublas's for the length of a call, but for mode native
  accublas_report_t& report_;
  Plan& plan_;
  Routine routine_;
  CallShape shape_;
  const bool inner_;  ///< another routine's flow makes this call: the program's calls alone are counted
  bool on_device_ = false, timed_ = false, finished_ = false, certified_by_device_ = false;
  bool too_small_ = false;          ///< a least plan did not fit
  std::optional<Error> no_memory_;  ///< the system had no memory for a least plan
  std::optional<Stopwatch> watch_;
};

}  // namespace accublas
