#include "lib/runtime/plan.hpp"

#include "lib/base/error.hpp"

namespace accublas {

namespace {

std::string names_of(const EngineList& engines) {
  std::string list = "auto";
  for (accublas_engine engine : engines) list += std::string(", ") + engine_name(engine);
  return list;
}

const char* source_text(ModeSource source) {
  switch (source) {
    case ModeSource::call:
      return "the call";
    case ModeSource::context_family:
      return "the context (family)";
    case ModeSource::context:
      return "the context";
    case ModeSource::environment_family:
      return "the family's environment variable";
    case ModeSource::environment:
      return "ACCUBLAS_MODE";
    case ModeSource::build:
      return "the build";
  }
  return "";
}

/// Makes the backend compute the call, by the engine that was requested or the one that the backend chooses.
void serve_on(Plan& plan, accublas_backend place, const Backend& backend, const char* reason, const CallShape& shape) {
  const EngineList& engines = plan.engines->on(place);
  const bool single = is_single(plan.routine);
  if (engines.count == 0)
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE,
                "mode " + mode_word(plan.mode, single) + " of " + routine_name(plan.routine) +
                    " is not available in this build or on this device; available are " + mode_words(plan.routine));
  if (plan.engine_forced && !engines.has(plan.engine))
    throw Error(ACCUBLAS_ERROR_ENGINE, std::string("engine ") + engine_name(plan.engine) + " cannot serve " +
                                           routine_name(plan.routine) + " in mode " + mode_word(plan.mode, single) +
                                           " on backend " + backend.name() + "; those that can are " +
                                           names_of(engines));
  plan.backend = place;
  plan.backend_reason = reason;
  if (plan.engine_forced) return;
  const Choice choice = backend.choose(engines, plan.routine, values_of(plan, shape), shape);
  plan.engine = choice.engine;
  plan.engine_by_shape = choice.by_shape;
}

}  // namespace

Plan make_plan(Routine routine, const Settings& settings, const Backend& cpu, const Backend& cuda,
               const EngineTable& table) {
  Plan plan;
  plan.routine = routine;
  plan.mode = settings.mode;
  plan.source = settings.source;
  plan.passed_over = settings.passed_over;
  plan.asked_backend = settings.backend;
  plan.engine = settings.engine;
  plan.engine_forced = settings.engine != ACCUBLAS_ENGINE_AUTO;
  plan.engines = &table.row(routine, settings.mode);
  const EngineList &of_cpu = plan.engines->cpu, &of_cuda = plan.engines->cuda;
  const auto on_cpu = [&](const char* reason) {
    serve_on(plan, ACCUBLAS_BACKEND_CPU, cpu, reason, {});
    return plan;
  };
  const auto on_cuda = [&](const char* reason) {
    serve_on(plan, ACCUBLAS_BACKEND_CUDA, cuda, reason, {});
    return plan;
  };

  if (settings.backend == ACCUBLAS_BACKEND_CPU) return on_cpu("as asked for");
  std::string reason;
  const bool device = cuda.device_count(reason) > 0;
  if (!device && cuda.lost_by_fork()) return on_cpu("forked from a process that used CUDA");
  if (settings.backend == ACCUBLAS_BACKEND_CUDA) {
    if (!device) throw Error(ACCUBLAS_ERROR_NO_DEVICE, "backend cuda: " + reason);
    // Host operands are not copied as a whole: the calls within the routine copy them.
    if (kind_of(routine) == RoutineKind::composed && (!plan.engine_forced || of_cpu.has(plan.engine)))
      return on_cpu("a flow of calls on host operands");
    return of_cuda.count > 0 ? on_cuda("as asked for") : on_cpu("the GPU lacks this mode of the routine");
  }
  if (!device) {
    plan.absent = &cuda;
    return on_cpu("host operands");
  }
  const bool cuda_serves = of_cuda.count > 0 && (!plan.engine_forced || of_cuda.has(plan.engine));
  if (plan.engine_forced && cuda_serves && !of_cpu.has(plan.engine)) return on_cuda("the engine is the GPU's");
  plan.may_copy = cuda_serves;
  return on_cpu("host operands");
}

void fit_plan(Plan& plan, const CallShape& shape, const Backend& cpu, const Backend& cuda) {
  if (shape.on_device) {
    if (plan.asked_backend == ACCUBLAS_BACKEND_CPU)
      throw Error(ACCUBLAS_ERROR_POINTERS, "backend cpu cannot compute on operands in device memory");
    serve_on(plan, ACCUBLAS_BACKEND_CUDA, cuda, "device operands", shape);
  } else if (plan.may_copy && cuda.worth_copying(plan.routine, plan.mode, shape)) {
    serve_on(plan, ACCUBLAS_BACKEND_CUDA, cuda, "host operands worth copying", shape);
  } else if (plan.engine_by_shape) {
    const Backend& backend = plan.backend == ACCUBLAS_BACKEND_CUDA ? cuda : cpu;
    plan.engine = backend.choose(plan.engines->on(plan.backend), plan.routine, values_of(plan, shape), shape).engine;
  }
}

Mode values_of(const Plan& plan, const CallShape& shape) {
  const RoutineKind kind = kind_of(plan.routine);
  if (kind != RoutineKind::gemm && kind != RoutineKind::level3) return plan.mode;
  return mode_of_values(plan.mode, is_complex_routine(plan.routine) ? 2 * shape.k : shape.k);
}

std::string plan_reason(const Plan& plan) {
  std::string reason = std::string("mode from ") + source_text(plan.source);
  if (plan.passed_over)
    reason += std::string(" (a word that ") + routine_name(plan.routine) + " lacks was passed over)";
  reason += plan.engine_forced ? "; engine as asked for" : "; engine: first choice";
  std::string backend = plan.backend_reason;
  if (plan.absent) plan.absent->device_count(backend);
  return reason + "; backend: " + backend;
}

std::string to_string(const Plan& plan) {
  return std::string(routine_name(plan.routine)) + " mode=" + mode_word(plan.mode, is_single(plan.routine)) +
         " backend=" + (plan.backend == ACCUBLAS_BACKEND_CUDA ? "cuda" : "cpu") +
         " engine=" + engine_name(plan.engine) + " (" + plan_reason(plan) + ")";
}

}  // namespace accublas
