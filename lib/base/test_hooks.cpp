#include "lib/base/test_hooks.hpp"

#include "lib/base/test_hooks_gpu.hpp"
#include "lib/base/test_hooks_mp.hpp"

#ifdef ACCUBLAS_TEST_HOOKS

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace accublas {

namespace {

struct MutantName {
  std::string_view name;
  Mutant mutant;
  MpMutant mp;
  GpuMutant gpu;
};

#define ACCUBLAS_NAME(name, what) {#name, Mutant::name, MpMutant::none, GpuMutant::none},
#define ACCUBLAS_MP_NAME(name, what) {"mp_" #name, Mutant::none, MpMutant::name, GpuMutant::none},
#define ACCUBLAS_GPU_NAME(name, what) {"gpu_" #name, Mutant::none, MpMutant::none, GpuMutant::name},
constexpr MutantName names[] = {ACCUBLAS_MUTANTS(ACCUBLAS_NAME) ACCUBLAS_MP_MUTANTS(ACCUBLAS_MP_NAME)
                                    ACCUBLAS_GPU_MUTANTS(ACCUBLAS_GPU_NAME)};
#undef ACCUBLAS_NAME
#undef ACCUBLAS_MP_NAME
#undef ACCUBLAS_GPU_NAME

struct Selected {
  Mutant mutant = Mutant::none;
  MpMutant mp = MpMutant::none;
  GpuMutant gpu = GpuMutant::none;
};

Selected find_selected() {
  const char* word = std::getenv("ACCUBLAS_TEST_MUTANT");
  if (!word) return {};
  for (const MutantName& row : names)
    if (row.name == word) return {row.mutant, row.mp, row.gpu};
  std::abort();  // a misspelt name must not pass for a mutant that was not caught
}

const Selected& selected() {
  static const Selected found = find_selected();
  return found;
}

/// The countdown to the failing allocation. A test may set the variable again with setenv: the count restarts when the
/// number changes.
std::atomic<long> countdown{0};
std::atomic<long> configured{0};

}  // namespace

bool mutant(Mutant which) noexcept { return which == selected().mutant; }
bool mutant(MpMutant which) noexcept { return which == selected().mp; }
bool mutant(GpuMutant which) noexcept { return which == selected().gpu; }

bool hook_all_undecided() noexcept {
  static const bool set = [] {
    const char* word = std::getenv("ACCUBLAS_TEST_HOOK");
    return word && std::strcmp(word, "undecided") == 0;
  }();
  return set;
}

long hook_block(long columns) noexcept {
  static const long set = [] {
    const char* word = std::getenv("ACCUBLAS_TEST_BLOCK");
    return word ? std::strtol(word, nullptr, 10) : 0;
  }();
  return set > 0 ? set : columns;
}

long hook_panel(long columns) noexcept {
  static const long set = [] {
    const char* word = std::getenv("ACCUBLAS_TEST_PANEL");
    return word ? std::strtol(word, nullptr, 10) : 0;
  }();
  return set > 0 ? set : columns;
}

bool hook_allocation_fails() noexcept {
  const char* word = std::getenv("ACCUBLAS_TEST_FAIL_ALLOCATION");
  char* end = nullptr;
  const long wanted = word ? std::strtol(word, &end, 10) : 0;
  if (configured.exchange(wanted) != wanted) countdown = wanted;
  if (wanted == 0) return false;
  const long left = countdown.fetch_sub(1);
  return *end == '+' ? left <= 1 : left == 1;
}

}  // namespace accublas

/// Whether the allocation that ACCUBLAS_TEST_FAIL_ALLOCATION=`number` names has been requested. A test that tries one
/// number after another learns from it when to stop.
extern "C" __attribute__((visibility("default"))) bool accublas_test_allocation_reached(long number) {
  return accublas::configured == number && accublas::countdown <= 0;
}

/// Names of the mutants from 0 on, NULL past the last: the mutant suite asks the library which there are.
extern "C" __attribute__((visibility("default"))) const char* accublas_test_mutant_name(int index) {
  constexpr int count = sizeof accublas::names / sizeof accublas::names[0];
  return index >= 0 && index < count ? accublas::names[index].name.data() : nullptr;
}

#endif
