// The one table of modes, which option, environment, API, log and documentation read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "include/accublas.h"
#include "lib/base/words.hpp"
#include "lib/call/routine.hpp"

namespace accublas {

/// A mode with its parameters, resolved. It defines the answer.
struct Mode {
  accublas_mode kind = ACCUBLAS_MODE_DEFAULT;
  int parameter = 0;          ///< T of fixed:T, D of slices:D
  bool fast = false;          ///< slices:D:fast
  bool reproducible = false;  ///< dp:repro, sp:repro
  friend constexpr bool operator==(const Mode&, const Mode&) = default;
};

/// Returns whether the mode is dp or sp, whose promise is a grade, with or without bits.
constexpr bool is_grade(const Mode& mode) { return mode.kind == ACCUBLAS_MODE_DP || mode.kind == ACCUBLAS_MODE_SP; }

/// dp and sp on an engine other than native are computed as their reproducible form.
constexpr Mode emulated(Mode mode) {
  if (is_grade(mode)) mode.reproducible = true;
  return mode;
}

/// In dp:repro and sp:repro a product has cr's values if its sums have at most so many terms.
inline constexpr std::int64_t most_terms_as_cr = 1024;

/// Returns the mode that defines the values of a product whose sums have so many terms.
constexpr Mode mode_of_values(const Mode& mode, std::int64_t terms) {
  return mode.reproducible && terms > 0 && terms <= most_terms_as_cr ? Mode{ACCUBLAS_MODE_CR} : mode;
}

/// The families that have a mode.
enum class Families { all, dgemm, sgemm };

/// A row of the table.
struct ModeRow {
  accublas_mode kind;
  std::string_view word;    ///< up to the first colon
  int least, most;          ///< range of the parameter; 0, 0: the word has none
  std::string_view suffix;  ///< what may follow (":fast", ":repro"), or empty
  Families families;
  bool norms;    ///< NRM2, ASUM and what is rounded once in every mode have it, where the family has it
  bool solves;   ///< TRSM and TRSV have it, where the family has it
  bool factors;  ///< the factorizations have it, where the family has it
  bool bits;     ///< bits defined, whatever the suffix
};

constexpr ModeRow mode_table[] = {
    {ACCUBLAS_MODE_NATIVE, "native", 0, 0, "", Families::all, true, true, true, false},
    {ACCUBLAS_MODE_DP, "dp", 0, 0, ":repro", Families::all, true, true, true, false},
    {ACCUBLAS_MODE_SP, "sp", 0, 0, ":repro", Families::all, true, true, true, false},
    {ACCUBLAS_MODE_FIXED, "fixed", 2, 150, "", Families::all, false, false, false, true},
    {ACCUBLAS_MODE_SLICES, "slices", 1, 50, ":fast", Families::all, false, false, false, true},
    {ACCUBLAS_MODE_DOT2, "dot2", 0, 0, "", Families::all, true, true, false, true},
    {ACCUBLAS_MODE_CR, "cr", 0, 0, "", Families::all, true, true, true, true},
    {ACCUBLAS_MODE_TF32X1, "tf32x1", 0, 0, "", Families::sgemm, false, false, false, false},
    {ACCUBLAS_MODE_TF32X3, "tf32x3", 0, 0, "", Families::sgemm, false, false, false, false},
    {ACCUBLAS_MODE_TF32X4, "tf32x4", 0, 0, "", Families::sgemm, false, false, false, false},
    {ACCUBLAS_MODE_FP16X1, "fp16x1", 0, 0, "", Families::sgemm, false, false, false, false},
    {ACCUBLAS_MODE_FP16X3, "fp16x3", 0, 0, "", Families::sgemm, false, false, false, false},
    {ACCUBLAS_MODE_TF64X1, "tf64x1", 0, 0, "", Families::dgemm, false, false, false, false},
    {ACCUBLAS_MODE_TF64X3, "tf64x3", 0, 0, "", Families::dgemm, false, false, false, false},
    {ACCUBLAS_MODE_TF64X4, "tf64x4", 0, 0, "", Families::dgemm, false, false, false, false},
};

constexpr const ModeRow* mode_row(accublas_mode kind) {
  for (const ModeRow& row : mode_table)
    if (row.kind == kind) return &row;
  return nullptr;
}

/// Parses a mode word, also in capitals. The kind is ACCUBLAS_MODE_DEFAULT if `word` is not a mode word.
constexpr Mode find_mode(std::string_view word) {
  for (const ModeRow& row : mode_table) {
    if (!is_word(word.substr(0, row.word.size()), row.word)) continue;
    std::string_view rest = word.substr(row.word.size());
    Mode mode{row.kind};
    if (row.most > 0) {
      if (rest.size() < 2 || rest[0] != ':') continue;
      std::size_t used = 1;
      for (; used < rest.size() && rest[used] >= '0' && rest[used] <= '9' && used <= 3; ++used)
        mode.parameter = 10 * mode.parameter + (rest[used] - '0');
      if (rest[1] == '0' || mode.parameter < row.least || mode.parameter > row.most) continue;
      rest = rest.substr(used);
    }
    if (!rest.empty()) {
      if (!is_word(rest, row.suffix)) continue;
      (row.suffix == ":fast" ? mode.fast : mode.reproducible) = true;
    }
    return mode;
  }
  return {};
}

/// Parses a mode word ("fixed:70", "DP:repro"). Throws Error(ACCUBLAS_ERROR_MODE) with the list of words.
Mode parse_mode(std::string_view word);

/// Makes a mode from the API's enum, parameter and flags.
Mode make_mode(accublas_mode kind, int parameter, int flags);

/// Returns the word of a mode as a family calls it: dp and sp by the family's type.
std::string mode_word(const Mode& mode, bool single);

/// Whether the family of routines has this mode.
bool family_has(accublas_family family, bool single, accublas_mode kind);

/// Whether a routine has the mode: the family's modes, except for those that some routines lack.
bool routine_has(Routine routine, accublas_mode kind);

/// Returns the words of a family's modes for messages: "native, dp, dp:repro, fixed:T (2 to 150), ...".
std::string mode_words(accublas_family family, bool single);

/// Returns the words of the modes of a routine.
std::string mode_words(Routine routine);

/// Returns the words of all families.
std::string mode_words();

/// Whether the bits of the answer are defined.
bool bit_defined(const Mode& mode);

accublas_backend parse_backend(std::string_view name);  ///< throws Error(ACCUBLAS_ERROR_ARGUMENT) with the list

}  // namespace accublas
