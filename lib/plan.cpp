#include "lib/plan.hpp"

#include "lib/error.hpp"

namespace accublas {

namespace {

std::string names_of(const EngineList& engines) {
  std::string list = "auto";
  for (accublas_engine engine : engines) list += std::string(", ") + engine_name(engine);
  return list;
}

const char* source_text(ModeSource source) {
  switch (source) {
    case ModeSource::call: return "the call";
    case ModeSource::context_family: return "the context (family)";
    case ModeSource::context: return "the context";
    case ModeSource::environment_family: return "the family's environment variable";
    case ModeSource::environment: return "ACCUBLAS_MODE";
    case ModeSource::build: return "the build";
  }
  return "";
}

}  // namespace

Plan make_plan(Routine routine, const Settings& settings, const Backend& cpu, const Backend& cuda) {
  Plan plan;
  plan.routine = routine;
  plan.mode = settings.mode;
  plan.source = settings.source;
  plan.passed_over = settings.passed_over;
  plan.backend_forced = settings.backend != ACCUBLAS_BACKEND_AUTO;
  plan.engine_forced = settings.engine != ACCUBLAS_ENGINE_AUTO;
  const bool single = is_single(routine);

  // Host operands are the CPU's unless CUDA is asked for.
  const Backend* backend = &cpu;
  if (settings.backend == ACCUBLAS_BACKEND_CUDA) {
    std::string reason;
    if (cuda.device_count(reason) == 0) throw Error(ACCUBLAS_ERROR_NO_DEVICE, "backend cuda: " + reason);
    backend = &cuda;
    plan.backend = ACCUBLAS_BACKEND_CUDA;
  }

  const EngineList engines = backend->engines(routine, settings.mode);
  if (engines.count == 0)
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "mode " + mode_word(settings.mode, single) + " of " + routine_name(routine) +
                                                " is not available in this build or on this device; available are " +
                                                mode_words(family_of(routine), single));
  plan.engine = engines.engines[0];
  if (plan.engine_forced) {
    if (!engines.has(settings.engine))
      throw Error(ACCUBLAS_ERROR_ENGINE, std::string("engine ") + engine_name(settings.engine) + " cannot serve " +
                                             routine_name(routine) + " in mode " + mode_word(settings.mode, single) +
                                             " on backend " + backend->name() + "; those that can are " + names_of(engines));
    plan.engine = settings.engine;
  }
  return plan;
}

std::string plan_reason(const Plan& plan) {
  std::string reason = std::string("mode from ") + source_text(plan.source);
  if (plan.passed_over) reason += std::string(" (a word that ") + routine_name(plan.routine) + " lacks was passed over)";
  reason += plan.engine_forced ? "; engine as asked for" : "; engine: first choice";
  reason += plan.backend_forced ? "; backend as asked for" : "; backend: host operands";
  return reason;
}

std::string to_string(const Plan& plan) {
  return std::string(routine_name(plan.routine)) + " mode=" + mode_word(plan.mode, is_single(plan.routine)) +
         " backend=" + (plan.backend == ACCUBLAS_BACKEND_CUDA ? "cuda" : "cpu") + " engine=" + engine_name(plan.engine) + " (" +
         plan_reason(plan) + ")";
}

}  // namespace accublas
