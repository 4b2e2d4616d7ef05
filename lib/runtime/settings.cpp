#include "lib/runtime/settings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/fork_safe.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/base/workspace.hpp"
#include "lib/call/engines.hpp"

namespace accublas {

namespace {

constexpr Mode build_dgemm = find_mode(ACCUBLAS_BUILD_DGEMM_MODE);
constexpr Mode build_sgemm = find_mode(ACCUBLAS_BUILD_SGEMM_MODE);
constexpr Mode build_dot = find_mode(ACCUBLAS_BUILD_DOT_MODE);
constexpr Mode build_gemv = find_mode(ACCUBLAS_BUILD_GEMV_MODE);

constexpr bool good(const Mode& mode, Families families) {
  const ModeRow* row = mode_row(mode.kind);
  return row && (row->families == Families::all || row->families == families);
}
static_assert(good(build_dgemm, Families::dgemm), "-Ddgemm_mode is not a mode of DGEMM in this build");
static_assert(good(build_sgemm, Families::sgemm), "-Dsgemm_mode is not a mode of SGEMM in this build");
static_assert(good(build_dot, Families::all), "-Ddot_mode is not a mode of DOT in this build");
static_assert(good(build_gemv, Families::all), "-Dgemv_mode is not a mode of GEMV in this build");

constexpr const char* family_names[] = {"DGEMM", "SGEMM", "DOT", "GEMV"};

bool has(Routine routine, const Mode& mode) { return routine_has(routine, mode.kind); }

bool is_set(const Mode& mode) { return mode.kind != ACCUBLAS_MODE_DEFAULT; }

[[noreturn]] void bad_option(const char* field, const char* allowed) {
  throw Error(ACCUBLAS_ERROR_ARGUMENT, std::string("argument options: ") + field + " must be " + allowed);
}

}  // namespace

const Level& build_settings() {
  static constinit Lazy<const Level> level;
  return level.get([] {
    auto built = std::make_unique<Level>();
    built->family[ACCUBLAS_FAMILY_DGEMM] = build_dgemm;
    built->family[ACCUBLAS_FAMILY_SGEMM] = build_sgemm;
    built->family[ACCUBLAS_FAMILY_DOT] = build_dot;
    built->family[ACCUBLAS_FAMILY_GEMV] = build_gemv;
    built->reproducible = ACCUBLAS_BUILD_REPRODUCIBLE;
    return std::unique_ptr<const Level>(std::move(built));
  });
}

void require_family(accublas_family family, const Mode& mode) {
  const bool single = family == ACCUBLAS_FAMILY_SGEMM;
  if (!family_has(family, single, mode.kind))
    throw Error(ACCUBLAS_ERROR_MODE, std::string(family_names[family]) + " has no mode " + mode_word(mode, single) +
                                         "; its modes are " + mode_words(family, single));
}

Settings resolve(Routine routine, const Level* call, const Level& context, const Level& environment,
                 const Level& build) {
  const accublas_family family = family_of(routine);
  const Level* levels[] = {call, &context, &environment, &build};
  constexpr ModeSource family_source[] = {ModeSource::call, ModeSource::context_family, ModeSource::environment_family,
                                          ModeSource::build};
  constexpr ModeSource all_source[] = {ModeSource::call, ModeSource::context, ModeSource::environment,
                                       ModeSource::build};

  if (call && is_set(call->all) && !has(routine, call->all))
    throw Error(ACCUBLAS_ERROR_MODE, std::string(routine_name(routine)) + " has no mode " +
                                         mode_word(call->all, is_single(routine)) + "; its modes are " +
                                         mode_words(routine));

  Settings settings;
  int mode_level = 3;
  for (int i = 0; i < 4; ++i) {
    if (!levels[i]) continue;
    if (is_set(levels[i]->family[family])) {
      if (has(routine, levels[i]->family[family])) {
        settings.mode = levels[i]->family[family];
        settings.source = family_source[i];
        mode_level = i;
        break;
      }
      settings.passed_over = true;
    }
    if (is_set(levels[i]->all)) {
      if (has(routine, levels[i]->all)) {
        settings.mode = levels[i]->all;
        settings.source = all_source[i];
        mode_level = i;
        break;
      }
      settings.passed_over = true;
    }
  }

  // This is a build whose word for DOT is one that NRM2 and ASUM lack.
  if (!is_set(settings.mode)) settings.mode.kind = ACCUBLAS_MODE_DP;

  // ":repro" in a mode's word counts as `reproducible` that is set at the level of the word.
  if (is_grade(settings.mode)) {
    settings.mode.kind = is_single(routine) ? ACCUBLAS_MODE_SP : ACCUBLAS_MODE_DP;
    for (int i = 0; i < 4; ++i) {
      if (i == mode_level && settings.mode.reproducible) break;
      if (levels[i] && levels[i]->reproducible >= 0) {
        settings.mode.reproducible = levels[i]->reproducible != 0;
        break;
      }
    }
  }

  const auto first_set = [&](auto Level::*field, auto unset, auto otherwise) {
    for (const Level* level : levels)
      if (level && level->*field != unset) return level->*field;
    return static_cast<decltype(unset)>(otherwise);
  };
  settings.backend = first_set(&Level::backend, -1, ACCUBLAS_BACKEND_AUTO);
  settings.engine = first_set(&Level::engine, -1, ACCUBLAS_ENGINE_AUTO);
  settings.num_threads = first_set(&Level::num_threads, 0, 0);
  settings.threads_by_caller = (call && call->num_threads > 0) || context.num_threads > 0;
  settings.verbose = first_set(&Level::verbose, -1, 0);
  settings.report_level = first_set(&Level::report_level, -1, 0);
  settings.target = first_set(&Level::target, -1.0, 0);
  settings.workspace_bytes = first_set(&Level::workspace_bytes, std::int64_t{-1}, std::int64_t{-1});
  settings.devices = !context.devices.empty() ? context.devices : environment.devices;
  return settings;
}

int threads_for(const Settings& settings) {
  if (!settings.threads_by_caller && in_openmp_parallel_region(false)) return 1;
  return std::clamp(settings.num_threads > 0 ? settings.num_threads : default_threads(), 1, most_threads);
}

Level call_level(const accublas_options& given) {
  if (given.struct_size < sizeof(std::size_t)) bad_option("struct_size", "sizeof(accublas_options)");
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  std::memcpy(&options, &given, std::min(given.struct_size, sizeof options));

  Level level;
  if (options.mode_name && options.mode_name[0]) {
    level.all = parse_mode(options.mode_name);
  } else if (options.mode != ACCUBLAS_MODE_DEFAULT) {
    level.all = make_mode(options.mode, options.mode_parameter, options.mode_flags);
  } else if (options.mode_parameter != 0) {
    bad_option("mode_parameter", "0 where mode is not set: set mode, or name both by mode_name");
  } else if (options.mode_flags != 0) {
    bad_option("mode_flags", "0 where mode is not set: set mode, name both by mode_name, or set `reproducible` alone");
  }
  if (options.reproducible < -1 || options.reproducible > 1) bad_option("reproducible", "-1 (not set), 0 or 1");
  if (options.backend < -1 || options.backend > ACCUBLAS_BACKEND_CUDA)
    bad_option("backend", "-1 (not set) or a backend");
  if (options.engine != -1 && !engine_name(options.engine)) bad_option("engine", "-1 (not set) or an engine");
  if (options.num_threads < 0) bad_option("num_threads", "0 (not set) or positive");
  if (options.report_level < -1 || options.report_level > 2) bad_option("report_level", "-1 (not set), 0, 1 or 2");
  if (options.target != options.target) bad_option("target", "a number");
  if (options.workspace_bytes < -1) bad_option("workspace_bytes", "-1 (not set) or not negative");
  level.reproducible = options.reproducible;
  level.backend = options.backend;
  level.engine = options.engine;
  level.num_threads = options.num_threads;
  level.report_level = options.report_level;
  level.target = options.target < 0 ? -1 : options.target;
  level.workspace_bytes = options.workspace_bytes;
  return level;
}

}  // namespace accublas
