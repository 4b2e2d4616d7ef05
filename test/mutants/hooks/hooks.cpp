#include "test/mutants/hooks/hooks.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace accublas {

namespace {

#define ACCUBLAS_MUTANT(name) #name,
constexpr const char* names[] = {
#include "mutants.inc"
};
#undef ACCUBLAS_MUTANT

Mutant find_selected() {
  const char* word = std::getenv("ACCUBLAS_TEST_MUTANT");
  if (!word) return Mutant::none;
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (std::strcmp(names[i], word) == 0) return static_cast<Mutant>(i);
  std::abort();  // a misspelt name must not pass for a mutant that was not caught
}

/// ACCUBLAS_TEST_BLOCK and ACCUBLAS_TEST_PANEL: a positive number, or 0.
long number_of(const char* variable) {
  const char* word = std::getenv(variable);
  return word ? std::strtol(word, nullptr, 10) : 0;
}

/// The countdown to the failing allocation. A test may set the variable again with setenv: the count restarts when the
/// number changes.
std::atomic<long> countdown{0};
std::atomic<long> configured{0};

}  // namespace

bool mutant(Mutant which) noexcept {
  static const Mutant selected = find_selected();
  return which == selected;
}

bool hook_all_undecided() noexcept {
  static const bool set = [] {
    const char* word = std::getenv("ACCUBLAS_TEST_HOOK");
    return word && std::strcmp(word, "undecided") == 0;
  }();
  return set;
}

long hook_block(long columns) noexcept {
  static const long set = number_of("ACCUBLAS_TEST_BLOCK");
  return set > 0 ? set : columns;
}

long hook_panel(long columns) noexcept {
  static const long set = number_of("ACCUBLAS_TEST_PANEL");
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
  return index >= 0 && index < std::ssize(accublas::names) ? accublas::names[index] : nullptr;
}
