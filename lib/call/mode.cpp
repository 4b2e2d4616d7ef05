#include "lib/call/mode.hpp"

#include "lib/base/error.hpp"
#include "lib/call/engines.hpp"

namespace accublas {

namespace {

void append(std::string& list, const std::string& word) {
  if (!list.empty()) list += ", ";
  list += word;
}

void append_row(std::string& list, const ModeRow& row) {
  const std::string word(row.word);
  if (row.most > 0) {
    const std::string range = " (" + std::to_string(row.least) + " to " + std::to_string(row.most) + ")";
    const std::string letter = row.kind == ACCUBLAS_MODE_SLICES ? ":D" : ":T";
    append(list, word + letter + range);
    if (!row.suffix.empty()) append(list, word + letter + std::string(row.suffix));
  } else {
    append(list, word);
    if (!row.suffix.empty()) append(list, word + std::string(row.suffix));
  }
}

bool grade_of_other_type(accublas_mode kind, bool single) {
  return kind == (single ? ACCUBLAS_MODE_DP : ACCUBLAS_MODE_SP);
}

}  // namespace

Mode parse_mode(std::string_view word) {
  const Mode mode = find_mode(word);
  if (mode.kind == ACCUBLAS_MODE_DEFAULT)
    throw Error(ACCUBLAS_ERROR_MODE, "unknown mode '" + std::string(word) + "'; the modes are " + mode_words());
  return mode;
}

Mode make_mode(accublas_mode kind, int parameter, int flags) {
  const ModeRow* row = mode_row(kind);
  if (!row)
    throw Error(ACCUBLAS_ERROR_MODE, "unknown mode number " + std::to_string(kind) + "; the modes are " + mode_words());
  const std::string word(row->word);
  if (row->most == 0 ? parameter != 0 : (parameter < row->least || parameter > row->most)) {
    const std::string range = row->most == 0
                                  ? "has no parameter"
                                  : "takes " + std::to_string(row->least) + " to " + std::to_string(row->most);
    throw Error(ACCUBLAS_ERROR_MODE, "mode parameter " + std::to_string(parameter) + ": " + word + " " + range);
  }
  const int allowed = row->suffix == ":fast"    ? ACCUBLAS_MODE_FAST
                      : row->suffix == ":repro" ? ACCUBLAS_MODE_REPRODUCIBLE
                                                : 0;
  if (flags & ~allowed)
    throw Error(ACCUBLAS_ERROR_MODE, "mode flags " + std::to_string(flags) + " do not go with " + word);
  return {kind, parameter, (flags & ACCUBLAS_MODE_FAST) != 0, (flags & ACCUBLAS_MODE_REPRODUCIBLE) != 0};
}

std::string mode_word(const Mode& mode, bool single) {
  const ModeRow* row = mode_row(!is_grade(mode) ? mode.kind : single ? ACCUBLAS_MODE_SP : ACCUBLAS_MODE_DP);
  if (!row) return "";
  std::string word(row->word);
  if (row->most > 0) word += ":" + std::to_string(mode.parameter);
  if (mode.fast) word += ":fast";
  if (mode.reproducible) word += ":repro";
  return word;
}

bool family_has(accublas_family family, bool single, accublas_mode kind) {
  const ModeRow* row = mode_row(kind);
  if (!row) return false;
  switch (row->families) {
    case Families::all:
      return true;
    case Families::dgemm:
      return family == ACCUBLAS_FAMILY_DGEMM && !single;
    case Families::sgemm:
      return family == ACCUBLAS_FAMILY_SGEMM && single;
  }
  return false;
}

bool routine_has(Routine routine, accublas_mode kind) {
  const ModeRow* row = mode_row(kind);
  return family_has(family_of(routine), is_single(routine), kind) &&
         (row->norms || !(is_norm(routine) || is_rounded_once(routine))) && (row->solves || !is_solve(routine)) &&
         (row->factors || !is_lapack(routine)) &&
         (row->families == Families::all || (is_gemm(routine) && !is_complex_routine(routine)));
}

std::string mode_words(accublas_family family, bool single) {
  std::string list;
  for (const ModeRow& row : mode_table)
    if (family_has(family, single, row.kind) && !grade_of_other_type(row.kind, single)) append_row(list, row);
  return list;
}

std::string mode_words(Routine routine) {
  const bool single = is_single(routine);
  std::string list;
  for (const ModeRow& row : mode_table)
    if (routine_has(routine, row.kind) && !grade_of_other_type(row.kind, single)) append_row(list, row);
  return list;
}

std::string mode_words() {
  std::string list;
  for (const ModeRow& row : mode_table) append_row(list, row);
  return list;
}

bool bit_defined(const Mode& mode) {
  const ModeRow* row = mode_row(mode.kind);
  return row && (row->bits || mode.reproducible);
}

accublas_backend parse_backend(std::string_view name) {
  if (is_word(name, "auto")) return ACCUBLAS_BACKEND_AUTO;
  if (is_word(name, "cpu")) return ACCUBLAS_BACKEND_CPU;
  if (is_word(name, "cuda")) return ACCUBLAS_BACKEND_CUDA;
  throw Error(ACCUBLAS_ERROR_ARGUMENT, "unknown backend '" + std::string(name) + "'; the backends are auto, cpu, cuda");
}

}  // namespace accublas
