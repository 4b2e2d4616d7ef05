#include "lib/dispatch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>

#include "lib/accuracy.hpp"
#include "lib/counters.hpp"
#include "lib/error.hpp"
#include "lib/fp_environment.hpp"
#include "lib/numerics/finish.hpp"
#include "lib/report.hpp"

namespace accublas {

namespace {

using Clock = std::chrono::steady_clock;

int threads_for(const Settings& settings) {
  if (settings.threads_by_caller) return settings.num_threads;
  if (in_openmp_parallel_region(false)) return 1;
  return settings.num_threads > 0 ? settings.num_threads : default_threads();
}

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

[[noreturn]] void bad_pointer(const char* name, const void* pointer) {
  if (!pointer) throw Error(ACCUBLAS_ERROR_ARGUMENT, std::string("argument ") + name + " is NULL");
  std::string reason;
  if (cuda_backend().device_count(reason) == 0)
    throw Error(ACCUBLAS_ERROR_NO_DEVICE, std::string("argument ") + name + " is no host memory, and " + reason);
  throw Error(ACCUBLAS_ERROR_POINTERS, std::string("argument ") + name + " is no host memory");
}

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
    report_ = accublas_report_t{};
    report_.level = settings.report_level;
    timed_ = settings.report_level >= 1 || settings.verbose > 0;
    if (timed_) start_ = Clock::now();
  }

  void sizes(Index m, Index n, Index k) {
    report_.m = m;
    report_.n = n;
    report_.k = k;
  }

  /// Throws for a pointer that cannot be read as host memory.
  void require_host(const char* name, const void* pointer) {
    const bool host = pointer && context_.host_memory.holds(pointer, [](const void* unknown) {
      return cuda_backend().memory_kind(unknown) != MemoryKind::device;
    });
    if (!host) bad_pointer(name, pointer);
  }

  const Mode& mode() const { return resolved_.plan.mode; }

  /// Sets the report's bound; throws ACCUBLAS_ERROR_ACCURACY where it misses the target.
  template <class T>
  void promise(Index k, T alpha) {
    const Bound bound = promised_bound(routine_, mode(), k, alpha);
    report_.bound_relative = bound.relative;
    report_.bound_componentwise = bound.componentwise;
    report_.bound_absolute = bound.absolute;
    const double target = resolved_.settings.target;
    const bool known = bound_is_a_priori(mode()) || k == 0 || alpha == 0;
    if (target > 0 && known && !keeps(bound, target))
      throw Error(ACCUBLAS_ERROR_ACCURACY, "mode " + mode_word(mode(), is_single(routine_)) + " promises " +
                                               scientific(bound.relative + bound.componentwise) + " for k = " +
                                               std::to_string(k) + ", which misses the target " + scientific(target));
  }

  /// Runs `serve(backend, call, state, execution)` for the plan's engine, and the fallback rule.
  template <class T, class Problem, class Serve>
  void compute(const Problem& problem, const T* alpha, const T* beta, Serve&& serve) {
    const Settings& settings = resolved_.settings;
    Workspace workspace(static_cast<std::size_t>(settings.workspace_bytes), context_.workspace, context_.workspace_bytes);
    Execution execution{threads_for(settings), cpu::detected_isa(), workspace, report_, settings.target};
    report_.threads = execution.threads;

    Call<Problem, T> call{problem, {alpha, false}, {beta, false}, false, false, mode(), resolved_.plan.engine};
    try {
      serve(*resolved_.backend, call, context_.device_state.get(), execution);
    } catch (const Error& error) {
      if (error.status() != ACCUBLAS_ERROR_MEMORY) throw;
      compute_in_less(call, execution, error, serve);
    }
    report_.workspace_bytes = static_cast<std::int64_t>(workspace.peak());
  }

  void finish() {
    count_call(routine_, context_.last.plan.engine);
    if (timed_) report_.ms_total = std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
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
  /// Nothing was written yet: first a sixteenth of the workspace, then the mode's other engines.
  template <class AnyCall, class Serve>
  void compute_in_less(AnyCall call, Execution& execution, const Error& error, Serve&& serve) {
    const std::size_t cap = static_cast<std::size_t>(resolved_.settings.workspace_bytes);
    const auto attempt = [&](accublas_engine engine, std::size_t bytes) {
      execution.workspace.restart(bytes);
      call.engine = engine;
      try {
        serve(*resolved_.backend, call, context_.device_state.get(), execution);
      } catch (const Error& again) {
        if (again.status() == ACCUBLAS_ERROR_MEMORY) return false;
        throw;
      }
      context_.last.plan.engine = engine;
      return true;
    };
    Workspace::trim_pool();
    if (!context_.workspace && attempt(call.engine, cap / 16)) return;
    if (!resolved_.plan.engine_forced)
      for (accublas_engine engine : resolved_.backend->engines(routine_, mode()))
        if (engine != resolved_.plan.engine && attempt(engine, cap / 16)) return;
    throw error;
  }

  Context& context_;
  Resolved own_;
  const Resolved& resolved_;
  CallEnvironment environment_;
  accublas_report_t& report_;
  Routine routine_;
  bool timed_ = false, finished_ = false;
  Clock::time_point start_;
};

template <class T>
constexpr Routine pick(Routine for_double, Routine for_float) {
  return sizeof(T) == 8 ? for_double : for_float;
}

/// alpha = 0 or k = 0: c = beta c, without reading A and B, nor c where beta = 0.
template <class T>
void scale(const Mode& mode, T beta, Index m, Index n, Matrix<T> c) {
  // Rows are walked along the smaller stride.
  if (std::abs(c.row_stride) > std::abs(c.col_stride)) {
    std::swap(m, n);
    c = c.transposed();
  }
  const bool canonical = bit_defined(mode);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < m; ++i) {
      T& element = c(i, j);
      if (beta == 0) {
        element = 0;
      } else {
        element = canonical ? finish_scaled(beta, element) : beta * element;
      }
    }
}

}  // namespace

template <class T>
void run_gemm(Context& context, Gemm<T> problem, const T* alpha, const T* beta, const accublas_options* options) {
  Run run(context, pick<T>(Routine::dgemm, Routine::sgemm), options);
  run.sizes(problem.m, problem.n, problem.k);
  if (problem.m > 0 && problem.n > 0) {
    run.require_host("alpha", alpha);
    run.require_host("beta", beta);
    problem.alpha = *alpha;
    problem.beta = *beta;
    const bool product = problem.alpha != 0 && problem.k > 0;
    if (product || problem.beta != 1) {
      if (product) run.require_host("a", problem.a.data);
      if (product) run.require_host("b", problem.b.data);
      run.require_host("c", problem.c.data);
      run.promise(problem.k, problem.alpha);
      if (product) {
        run.compute(problem, alpha, beta, [](Backend& backend, const auto& call, BackendState* state, Execution& execution) {
          backend.gemm(call, state, execution);
        });
      } else {
        scale(run.mode(), problem.beta, problem.m, problem.n, problem.c);
      }
    }
  }
  run.finish();
}

template <class T>
void run_gemv(Context& context, Gemv<T> problem, const T* alpha, const T* beta, const accublas_options* options) {
  Run run(context, pick<T>(Routine::dgemv, Routine::sgemv), options);
  run.sizes(problem.m, 1, problem.k);
  // Netlib's rule: y is left alone where either dimension is 0, whatever beta.
  if (problem.m > 0 && problem.k > 0) {
    run.require_host("alpha", alpha);
    run.require_host("beta", beta);
    problem.alpha = *alpha;
    problem.beta = *beta;
    const bool product = problem.alpha != 0;
    if (product || problem.beta != 1) {
      if (product) run.require_host("a", problem.a.data);
      if (product) run.require_host("x", problem.x.data);
      run.require_host("y", problem.y.data);
      run.promise(problem.k, problem.alpha);
      if (product) {
        run.compute(problem, alpha, beta, [](Backend& backend, const auto& call, BackendState* state, Execution& execution) {
          backend.gemv(call, state, execution);
        });
      } else {
        scale(run.mode(), problem.beta, problem.m, 1, Matrix<T>{problem.y.data, problem.y.stride, 0});
      }
    }
  }
  run.finish();
}

template <class T>
void run_dot(Context& context, const Dot<T>& problem, const accublas_options* options) {
  Run run(context, pick<T>(Routine::ddot, Routine::sdot), options);
  run.sizes(1, 1, problem.n);
  run.require_host("result", problem.result);
  if (problem.n > 0) {
    run.require_host("x", problem.x.data);
    run.require_host("y", problem.y.data);
    run.promise(problem.n, T{1});
    run.compute(problem, static_cast<const T*>(nullptr), static_cast<const T*>(nullptr),
                [](Backend& backend, const auto& call, BackendState* state, Execution& execution) {
                  backend.dot(call, state, execution);
                });
  } else {
    *problem.result = 0;
  }
  run.finish();
}

template void run_gemm(Context&, Gemm<double>, const double*, const double*, const accublas_options*);
template void run_gemm(Context&, Gemm<float>, const float*, const float*, const accublas_options*);
template void run_gemv(Context&, Gemv<double>, const double*, const double*, const accublas_options*);
template void run_gemv(Context&, Gemv<float>, const float*, const float*, const accublas_options*);
template void run_dot(Context&, const Dot<double>&, const accublas_options*);
template void run_dot(Context&, const Dot<float>&, const accublas_options*);

}  // namespace accublas
