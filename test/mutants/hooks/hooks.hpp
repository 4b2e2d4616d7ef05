// The changes of defects.diff call these functions. Only the library with hooks, which is never installed, has them.
#pragma once

namespace accublas {

#define ACCUBLAS_MUTANT(name) name,
enum class Mutant {
#include "mutants.inc"
  none
};
#undef ACCUBLAS_MUTANT

bool mutant(Mutant which) noexcept;      ///< whether ACCUBLAS_TEST_MUTANT names this one
bool hook_all_undecided() noexcept;      ///< ACCUBLAS_TEST_HOOK=undecided
long hook_block(long columns) noexcept;  ///< ACCUBLAS_TEST_BLOCK where it is set, else `columns`
long hook_panel(long columns) noexcept;  ///< ACCUBLAS_TEST_PANEL, or `columns`
bool hook_allocation_fails() noexcept;   ///< counts one allocation; true where ACCUBLAS_TEST_FAIL_ALLOCATION says so

}  // namespace accublas
