// The words of the environment. README.md lists them.
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "lib/base/error.hpp"
#include "lib/base/fork_safe.hpp"
#include "lib/base/isa.hpp"
#include "lib/call/engines.hpp"
#include "lib/counters.hpp"
#include "lib/settings.hpp"

namespace accublas {

namespace {

using Get = const char* (*)(const char*);

/// The variable's text, null where it is not set or empty.
const char* text_of(Get get, const char* name) {
  const char* text = get(name);
  return text && *text ? text : nullptr;
}

[[noreturn]] void invalid(const std::string& allowed) { throw Error(ACCUBLAS_ERROR_ENVIRONMENT, "must be " + allowed); }

std::int64_t number(const char* text, std::int64_t least, std::int64_t most, const char* allowed) {
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (errno || *end || value < least || value > most) invalid(allowed);
  return value;
}

}  // namespace

Environment read_environment(Get get) {
  Environment result;
  Level& level = result.level;
  // Reads one variable where it is set; the first invalid value is remembered with its name, and nothing of it is kept.
  const auto read = [&](const char* name, auto&& use) {
    const char* text = text_of(get, name);
    if (!text) return;
    try {
      use(std::string_view(text));
    } catch (const Error& error) {
      if (result.error.empty()) result.error = std::string(name) + "=" + text + ": " + error.what();
    }
  };

  constexpr struct {
    const char* name;
    accublas_family family;
  } family_variables[] = {{"ACCUBLAS_DGEMM_MODE", ACCUBLAS_FAMILY_DGEMM},
                          {"ACCUBLAS_SGEMM_MODE", ACCUBLAS_FAMILY_SGEMM},
                          {"ACCUBLAS_DOT_MODE", ACCUBLAS_FAMILY_DOT},
                          {"ACCUBLAS_GEMV_MODE", ACCUBLAS_FAMILY_GEMV}};
  for (const auto& variable : family_variables)
    read(variable.name, [&](std::string_view word) {
      const Mode mode = parse_mode(word);
      require_family(variable.family, mode);
      level.family[variable.family] = mode;
    });
  read("ACCUBLAS_MODE", [&](std::string_view word) { level.all = parse_mode(word); });
  read("ACCUBLAS_REPRODUCIBLE",
       [&](std::string_view word) { level.reproducible = static_cast<int>(number(word.data(), 0, 1, "0 or 1")); });
  read("ACCUBLAS_BACKEND", [&](std::string_view word) { level.backend = parse_backend(word); });
  read("ACCUBLAS_DEVICE", [&](std::string_view word) {
    level.device = static_cast<int>(number(word.data(), 0, INT32_MAX, "a device number from 0"));
  });
  read("ACCUBLAS_ENGINE", [&](std::string_view word) { level.engine = parse_engine(word); });
  read("ACCUBLAS_WORKSPACE_MIB", [&](std::string_view word) {
    const std::int64_t mib = number(word.data(), 0, INT64_MAX >> 21, "a number of MiB, or 0 for the default");
    if (mib > 0) level.workspace_bytes = mib << 20;
  });
  read("ACCUBLAS_NUM_THREADS", [&](std::string_view word) {
    level.num_threads =
        static_cast<int>(number(word.data(), 0, INT32_MAX, "a number of threads, or 0 for the default"));
  });
  read("ACCUBLAS_VERBOSE", [&](std::string_view word) {
    if (word != "0" && word != "1" && word != "summary") invalid("0, 1 or summary");
    level.verbose = word == "1";
    result.summary = word == "summary";
  });
  read("ACCUBLAS_ON_FAILURE", [&](std::string_view word) {
    if (word != "abort" && word != "native") invalid("abort or native");
    result.on_failure = word == "native" ? ACCUBLAS_ON_FAILURE_NATIVE : ACCUBLAS_ON_FAILURE_ABORT;
  });
  read("ACCUBLAS_ISA", [](std::string_view word) {  // the value is detected_isa's
    if (!cpu::isa_of(word)) invalid("one of " + cpu::isa_names());
  });
  read("ACCUBLAS_CUDA_KERNELS", [&](std::string_view word) {
    if (word != "auto" && word != "portable") invalid("auto or portable");
    result.portable_kernels = word == "portable";
  });
  return result;
}

const Environment& environment() {
  static constinit Lazy<const Environment> instance;
  if (const Environment* const known = instance.known()) return *known;
  const Environment& read = instance.get([] {
    return std::make_unique<const Environment>(
        read_environment([](const char* name) -> const char* { return std::getenv(name); }));
  });
  static constinit std::atomic<bool> first{true};
  if (read.summary && first.exchange(false)) std::atexit(print_counters);
  return read;
}

const Environment& valid_environment() {
  const Environment& known = environment();
  if (!known.error.empty()) throw Error(ACCUBLAS_ERROR_ENVIRONMENT, known.error);
  return known;
}

}  // namespace accublas
