#include "lib/plan.hpp"

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

}  // namespace

namespace {

/// Which backend serves, and why.
const Backend& choose_backend(Plan& plan, const Settings& settings, const CallShape& shape, const Backend& cpu,
                              const Backend& cuda) {
  const auto on = [&](const Backend& backend, const char* reason) -> const Backend& {
    plan.backend = &backend == &cuda ? ACCUBLAS_BACKEND_CUDA : ACCUBLAS_BACKEND_CPU;
    plan.backend_reason = reason;
    return backend;
  };
  if (shape.on_device) {
    if (settings.backend == ACCUBLAS_BACKEND_CPU)
      throw Error(ACCUBLAS_ERROR_POINTERS, "backend cpu cannot serve operands in device memory");
    return on(cuda, "device operands");
  }
  if (settings.backend == ACCUBLAS_BACKEND_CPU) return on(cpu, "as asked for");
  std::string reason;
  const bool device = cuda.device_count(reason) > 0;
  if (settings.backend == ACCUBLAS_BACKEND_CUDA) {
    if (!device && cuda.lost_by_fork()) return on(cpu, "forked from a process that used CUDA");
    if (!device) throw Error(ACCUBLAS_ERROR_NO_DEVICE, "backend cuda: " + reason);
    if (cuda.engines(plan.routine, plan.mode).count == 0) return on(cpu, "the GPU lacks this mode of the routine");
    return on(cuda, "as asked for");
  }
  if (!device) {
    if (cuda.lost_by_fork()) return on(cpu, "forked from a process that used CUDA");
    plan.absent = &cuda;
    return on(cpu, "host operands");
  }
  const EngineList engines = cuda.engines(plan.routine, plan.mode);
  if (plan.engine_forced && engines.has(settings.engine) && !cpu.engines(plan.routine, plan.mode).has(settings.engine))
    return on(cuda, "the engine is the GPU's");
  plan.by_shape = engines.count > 0 && (!plan.engine_forced || engines.has(settings.engine));
  if (plan.by_shape && cuda.worth_copying(plan.routine, plan.mode, shape))
    return on(cuda, "host operands worth copying");
  return on(cpu, "host operands");
}

}  // namespace

Plan make_plan(Routine routine, const Settings& settings, const CallShape& shape, const Backend& cpu,
               const Backend& cuda) {
  Plan plan;
  plan.routine = routine;
  plan.mode = settings.mode;
  plan.source = settings.source;
  plan.passed_over = settings.passed_over;
  plan.backend_forced = settings.backend != ACCUBLAS_BACKEND_AUTO;
  plan.engine_forced = settings.engine != ACCUBLAS_ENGINE_AUTO;
  const bool single = is_single(routine);

  const Backend& backend = choose_backend(plan, settings, shape, cpu, cuda);
  const EngineList engines = backend.engines(routine, settings.mode);
  if (engines.count == 0)
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE,
                "mode " + mode_word(settings.mode, single) + " of " + routine_name(routine) +
                    " is not available in this build or on this device; available are " + mode_words(routine));
  plan.engine = backend.choose(routine, settings.mode, shape);
  if (!plan.engine_forced && backend.chooses_by_shape(routine, settings.mode)) plan.by_shape = true;
  if (plan.engine_forced) {
    if (!engines.has(settings.engine))
      throw Error(ACCUBLAS_ERROR_ENGINE, std::string("engine ") + engine_name(settings.engine) + " cannot serve " +
                                             routine_name(routine) + " in mode " + mode_word(settings.mode, single) +
                                             " on backend " + backend.name() + "; those that can are " +
                                             names_of(engines));
    plan.engine = settings.engine;
  }
  return plan;
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
