// Settings and their precedence: the call, the context, the environment, the build. The first one set wins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/call/mode.hpp"
#include "lib/call/routine.hpp"

namespace accublas {

/// The settings that one level (call, context, environment or build) makes; a field at its initial value is not set at
/// this level.
struct Level {
  Mode family[4];  ///< by accublas_family
  Mode all;        ///< of every family that has it
  int reproducible = -1;
  int backend = -1;
  int engine = -1;
  int device = -1;
  std::vector<int> devices;
  int num_threads = 0;
  int verbose = -1;
  int report_level = -1;
  double target = -1;
  std::int64_t workspace_bytes = -1;
};

/// The level that set a mode.
enum class ModeSource { call, context_family, context, environment_family, environment, build };

/// The settings of a call, after precedence.
struct Settings {
  Mode mode;
  ModeSource source = ModeSource::build;
  bool passed_over = false;  ///< a word nearer to the call was passed over, since the routine lacks it
  accublas_backend backend = ACCUBLAS_BACKEND_AUTO;
  accublas_engine engine = ACCUBLAS_ENGINE_AUTO;
  int num_threads = 0;             ///< 0: the default
  bool threads_by_caller = false;  ///< set by call or context, so also inside an OpenMP parallel region
  int verbose = 0;                 ///< 1: a line per call of the program; 2: one per inner call too
  int report_level = 0;
  double target = 0;
  std::int64_t workspace_bytes = -1;  ///< -1: the backend's default
  std::vector<int> devices;           ///< that share large products of host operands
};

/// Returns the number of threads that a call may use, 1 to most_threads: the number that the caller or the environment
/// requests, else the default. Every engine sizes its work by this number, or by the part of it that Workspace::lanes
/// leaves.
int threads_for(const Settings& settings);

/// The settings of the environment, which are read once at first use.
struct Environment {
  Level level;
  bool summary = false;  ///< ACCUBLAS_VERBOSE=summary
  accublas_on_failure on_failure = ACCUBLAS_ON_FAILURE_ABORT;
  bool portable_kernels = false;                     ///< ACCUBLAS_CUDA_KERNELS=portable
  std::int64_t pblas_bytes = std::int64_t{1} << 30;  ///< ACCUBLAS_PBLAS_MIB, which libaccublas_pblas uses
  std::string error;                                 ///< the first invalid value or unknown variable, empty if none
};
const Environment& environment();
/// Returns environment(). Throws Error(ACCUBLAS_ERROR_ENVIRONMENT) if a value is invalid.
const Environment& valid_environment();

/// Reads the variables of an environment, "NAME=value" each and null behind the last. An unknown variable that begins
/// with ACCUBLAS_ is an error, as an unknown word is.
Environment read_environment(const char* const* variables);

/// Returns the modes that the build options name.
const Level& build_settings();

/// Applies the precedence of the levels. `call` may be null. Throws Error(ACCUBLAS_ERROR_MODE) if the call names a mode
/// that the routine lacks.
Settings resolve(Routine routine, const Level* call, const Level& context, const Level& environment,
                 const Level& build);

/// Returns the call's options as a level. Throws Error for a field that is out of range.
Level call_level(const accublas_options& options);

/// Throws Error(ACCUBLAS_ERROR_MODE) if no routine of the family has the mode.
void require_family(accublas_family family, const Mode& mode);

}  // namespace accublas
