#include "lib/base/test_hooks.hpp"

#include "lib/base/test_hooks_mp.hpp"

#ifdef ACCUBLAS_TEST_HOOKS

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace accublas {

namespace {

struct MutantName {
  Mutant mutant;
  std::string_view name;
};

constexpr MutantName names[] = {
    {Mutant::tie_away, "tie_away"},
    {Mutant::truncate, "truncate"},
    {Mutant::tie_sticky, "tie_sticky"},
    {Mutant::zero_sign, "zero_sign"},
    {Mutant::double_rounding, "double_rounding"},
    {Mutant::subnormal_flush, "subnormal_flush"},
    {Mutant::exponent_power_of_two, "exponent_power_of_two"},
    {Mutant::exponent_subnormal, "exponent_subnormal"},
    {Mutant::scale_tie_away, "scale_tie_away"},
    {Mutant::dropped_modulus, "dropped_modulus"},
    {Mutant::crt_quotient, "crt_quotient"},
    {Mutant::piece_overflow, "piece_overflow"},
    {Mutant::certificate_accepts, "certificate_accepts"},
    {Mutant::certificate_call_rung, "certificate_call_rung"},
    {Mutant::certificate_sampling, "certificate_sampling"},
    {Mutant::rejected_not_recomputed, "rejected_not_recomputed"},
    {Mutant::skipped_undecided, "skipped_undecided"},
    {Mutant::ziv_half, "ziv_half"},
    {Mutant::slice_rho, "slice_rho"},
    {Mutant::slice_fast_pairs, "slice_fast_pairs"},
    {Mutant::slice_blocked_k, "slice_blocked_k"},
    {Mutant::dot2_tree, "dot2_tree"},
    {Mutant::dot2_lanes, "dot2_lanes"},
    {Mutant::dot2_block, "dot2_block"},
    {Mutant::dot2_no_error, "dot2_no_error"},
    {Mutant::dot2_overflow_kept, "dot2_overflow_kept"},
    {Mutant::root_truncated, "root_truncated"},
    {Mutant::root_rest, "root_rest"},
    {Mutant::norm_scale, "norm_scale"},
    {Mutant::norm_order, "norm_order"},
    {Mutant::norm_error, "norm_error"},
    {Mutant::norm_undecided, "norm_undecided"},
    {Mutant::norm_lost_term, "norm_lost_term"},
    {Mutant::norm_inf_over_nan, "norm_inf_over_nan"},
    {Mutant::special_inf_times_zero, "special_inf_times_zero"},
    {Mutant::special_beta_zero, "special_beta_zero"},
    {Mutant::nan_payload, "nan_payload"},
};
static_assert(sizeof names / sizeof names[0] == static_cast<std::size_t>(Mutant::count) - 1);

struct MpMutantName {
  MpMutant mutant;
  std::string_view name;
};

constexpr MpMutantName mp_names[] = {
    {MpMutant::tie_away, "mp_tie_away"},
    {MpMutant::sticky, "mp_sticky"},
    {MpMutant::carry_exponent, "mp_carry_exponent"},
    {MpMutant::tie_rest, "mp_tie_rest"},
    {MpMutant::rest_bound, "mp_rest_bound"},
    {MpMutant::zero_sign, "mp_zero_sign"},
    {MpMutant::overflow, "mp_overflow"},
    {MpMutant::underflow, "mp_underflow"},
    {MpMutant::beta_zero, "mp_beta_zero"},
    {MpMutant::inf_times_zero, "mp_inf_times_zero"},
    {MpMutant::lost_band, "mp_lost_band"},
    {MpMutant::lost_column, "mp_lost_column"},
    {MpMutant::dropped_modulus, "mp_dropped_modulus"},
    {MpMutant::spread, "mp_spread"},
    {MpMutant::stale_aligned, "mp_stale_aligned"},
    {MpMutant::stale_digits, "mp_stale_digits"},
    {MpMutant::leading_limb, "mp_leading_limb"},
    {MpMutant::limb_order, "mp_limb_order"},
    {MpMutant::interval_decides, "mp_interval_decides"},
};
static_assert(sizeof mp_names / sizeof mp_names[0] == static_cast<std::size_t>(MpMutant::count) - 1);

struct Selected {
  Mutant mutant = Mutant::none;
  MpMutant mp = MpMutant::none;
};

Selected find_selected() {
  const char* word = std::getenv("ACCUBLAS_MUTANT");
  if (!word) return {};
  for (const MutantName& row : names)
    if (row.name == word) return {row.mutant, MpMutant::none};
  for (const MpMutantName& row : mp_names)
    if (row.name == word) return {Mutant::none, row.mutant};
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

bool hook_all_undecided() noexcept {
  static const bool set = [] {
    const char* word = std::getenv("ACCUBLAS_TEST_HOOK");
    return word && std::strcmp(word, "undecided") == 0;
  }();
  return set;
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

/// Names of the mutants from 0 on, NULL past the last: the mutant suite asks the library which there are.
extern "C" __attribute__((visibility("default"))) const char* accublas_test_mutant_name(int index) {
  constexpr int count = sizeof accublas::names / sizeof accublas::names[0],
                mp_count = sizeof accublas::mp_names / sizeof accublas::mp_names[0];
  if (index < 0 || index >= count + mp_count) return nullptr;
  return index < count ? accublas::names[index].name.data() : accublas::mp_names[index - count].name.data();
}

#endif
