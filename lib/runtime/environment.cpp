// Reads the environment variables. docs/environment.md lists them.
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <sstream>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/fork_safe.hpp"
#include "lib/base/isa.hpp"
#include "lib/base/words.hpp"
#include "lib/call/engines.hpp"
#include "lib/runtime/counters.hpp"
#include "lib/runtime/settings.hpp"

namespace accublas {

namespace {

[[noreturn]] void invalid(const std::string& allowed) { throw Error(ACCUBLAS_ERROR_ENVIRONMENT, "must be " + allowed); }

std::int64_t number(const char* text, std::int64_t least, std::int64_t most, const char* allowed) {
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (errno || *end || value < least || value > most) invalid(allowed);
  return value;
}

/// Returns the device numbers of a list such as "0,1".
std::vector<int> device_list(const char* text) {
  const char* const allowed = "device numbers from 0, separated by commas, for instance 0,1";
  std::vector<int> devices;
  std::istringstream words{std::string(text)};
  for (std::string word; std::getline(words, word, ',');) {
    if (word.empty() || !std::isdigit(static_cast<unsigned char>(word[0]))) invalid(allowed);
    devices.push_back(static_cast<int>(number(word.c_str(), 0, INT32_MAX, allowed)));
  }
  if (devices.empty() || std::string_view(text).back() == ',') invalid(allowed);
  return devices;
}

/// Returns the position of the text among `words`; the error lists them as `allowed`.
int choice(std::string_view text, std::initializer_list<std::string_view> words, const char* allowed) {
  int place = 0;
  for (std::string_view word : words) {
    if (is_word(text, word)) return place;
    ++place;
  }
  invalid(allowed);
}

template <accublas_family family>
void read_family(Environment& to, std::string_view word) {
  const Mode mode = parse_mode(word);
  require_family(family, mode);
  to.level.family[family] = mode;
}

/// A variable of the library and what its text sets.
struct Variable {
  std::string_view name;
  void (*read)(Environment& to, std::string_view text);
};

/// Every variable that the library reads except for those of the tests. The text that `read` gets ends with a null.
constexpr Variable variables[] = {
    {"ACCUBLAS_DGEMM_MODE", read_family<ACCUBLAS_FAMILY_DGEMM>},
    {"ACCUBLAS_SGEMM_MODE", read_family<ACCUBLAS_FAMILY_SGEMM>},
    {"ACCUBLAS_DOT_MODE", read_family<ACCUBLAS_FAMILY_DOT>},
    {"ACCUBLAS_GEMV_MODE", read_family<ACCUBLAS_FAMILY_GEMV>},
    {"ACCUBLAS_MODE", [](Environment& to, std::string_view text) { to.level.all = parse_mode(text); }},
    {"ACCUBLAS_REPRODUCIBLE",
     [](Environment& to, std::string_view text) {
       to.level.reproducible = choice(text, {"0", "1"}, "0 or 1");
     }},
    {"ACCUBLAS_BACKEND", [](Environment& to, std::string_view text) { to.level.backend = parse_backend(text); }},
    {"ACCUBLAS_DEVICE",
     [](Environment& to, std::string_view text) {
       to.level.device = static_cast<int>(number(text.data(), 0, INT32_MAX, "a device number from 0"));
     }},
    {"ACCUBLAS_DEVICES", [](Environment& to, std::string_view text) { to.level.devices = device_list(text.data()); }},
    {"ACCUBLAS_ENGINE", [](Environment& to, std::string_view text) { to.level.engine = parse_engine(text); }},
    {"ACCUBLAS_WORKSPACE_MIB",
     [](Environment& to, std::string_view text) {
       const std::int64_t mib = number(text.data(), 0, INT64_MAX >> 21, "a number of MiB, or 0 for the default");
       if (mib > 0) to.level.workspace_bytes = mib << 20;
     }},
    {"ACCUBLAS_PBLAS_MIB",
     [](Environment& to, std::string_view text) {
       const std::int64_t mib = number(text.data(), 0, INT64_MAX >> 21, "a number of MiB, or 0 for the default");
       if (mib > 0) to.pblas_bytes = mib << 20;
     }},
    {"ACCUBLAS_NUM_THREADS",
     [](Environment& to, std::string_view text) {
       to.level.num_threads =
           static_cast<int>(number(text.data(), 0, INT32_MAX, "a number of threads, or 0 for the default"));
     }},
    {"ACCUBLAS_VERBOSE",
     [](Environment& to, std::string_view text) {
       const int level = choice(text, {"0", "1", "2", "summary"}, "0, 1, 2 or summary");
       to.summary = level == 3;
       to.level.verbose = to.summary ? 0 : level;
     }},
    {"ACCUBLAS_ON_FAILURE",
     [](Environment& to, std::string_view text) {
       to.on_failure = choice(text, {"abort", "native"}, "abort or native") == 1 ? ACCUBLAS_ON_FAILURE_NATIVE
                                                                                 : ACCUBLAS_ON_FAILURE_ABORT;
     }},
    {"ACCUBLAS_ISA",
     [](Environment&, std::string_view text) {  // the value is detected_isa's
       if (!cpu::isa_of(text)) invalid("one of " + cpu::isa_names());
     }},
    {"ACCUBLAS_CUDA_KERNELS",
     [](Environment& to, std::string_view text) {
       to.portable_kernels = choice(text, {"auto", "portable"}, "auto or portable") == 1;
     }},
};

/// Variables of other programs, which the library ignores: accublas-compare's, and those that build tools and module
/// systems set for a package of this name. The tests' variables begin with ACCUBLAS_TEST_.
constexpr std::string_view prefix = "ACCUBLAS_", tests = "ACCUBLAS_TEST_";
constexpr std::string_view others[] = {
    "ACCUBLAS_LIBRARY", "ACCUBLAS_ROOT",         "ACCUBLAS_DIR",     "ACCUBLAS_HOME", "ACCUBLAS_PREFIX",
    "ACCUBLAS_BASE",    "ACCUBLAS_INC",          "ACCUBLAS_INCLUDE", "ACCUBLAS_LIB",  "ACCUBLAS_LIBS",
    "ACCUBLAS_CFLAGS",  "ACCUBLAS_LIBRARY_PATH", "ACCUBLAS_VERSION",
};

bool is_known(std::string_view name) {
  if (name.substr(0, tests.size()) == tests) return true;
  for (std::string_view other : others)
    if (name == other) return true;
  for (const Variable& variable : variables)
    if (name == variable.name) return true;
  return false;
}

/// Returns the text after NAME= in an entry of the environment. Returns null if the entry is another variable's or the
/// text is empty.
const char* text_of(const char* entry, std::string_view name) {
  const std::string_view view(entry);
  return view.size() > name.size() + 1 && view.substr(0, name.size()) == name && view[name.size()] == '='
             ? entry + name.size() + 1
             : nullptr;
}

}  // namespace

Environment read_environment(const char* const* entries) {
  Environment result;
  // The lambda remembers the first error, with the variable.
  const auto fail = [&](const char* entry, const std::string& what) {
    if (result.error.empty()) result.error = std::string(entry) + ": " + what;
  };
  for (const Variable& variable : variables)
    for (const char* const* entry = entries; entry && *entry; ++entry) {
      const char* const text = text_of(*entry, variable.name);
      if (!text) continue;
      try {
        variable.read(result, text);
      } catch (const Error& error) {
        fail(*entry, error.what());
      }
      break;
    }
  for (const char* const* entry = entries; entry && *entry; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    if (name.substr(0, prefix.size()) != prefix || !text_of(*entry, name) || is_known(name)) continue;
    std::string list;
    for (const Variable& variable : variables) list += (list.empty() ? "" : ", ") + std::string(variable.name);
    fail(*entry, "unknown variable; the variables are " + list);
  }
  return result;
}

const Environment& environment() {
  static constinit Lazy<const Environment> instance;
  if (const Environment* const known = instance.known()) return *known;
  const Environment& read = instance.get([] { return std::make_unique<const Environment>(read_environment(environ)); });
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
