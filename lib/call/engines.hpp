// The one table of engines: it lists the engines that compute a mode, by kind of routine and backend, in order of
// preference. The plan and its messages, the fallback rule, the table in docs/internals/engines.md
// (test/tools/readme_test.py) and the suites read it.
#pragma once

#include <initializer_list>
#include <iterator>
#include <string_view>

#include "lib/call/mode.hpp"

namespace accublas {

/// The word of an engine in options, environment, log and report.
struct EngineWord {
  accublas_engine engine;
  const char* word;
};
/// The words are indexed by the engine's number.
constexpr EngineWord engine_words[] = {
    {ACCUBLAS_ENGINE_AUTO, "auto"}, {ACCUBLAS_ENGINE_NATIVE, "native"},       {ACCUBLAS_ENGINE_INT8, "int8"},
    {ACCUBLAS_ENGINE_FP64, "fp64"}, {ACCUBLAS_ENGINE_FP16, "fp16"},           {ACCUBLAS_ENGINE_DOT2, "dot2"},
    {ACCUBLAS_ENGINE_SUMS, "sums"}, {ACCUBLAS_ENGINE_MULTIWORD, "multiword"},
};
constexpr int engine_count = static_cast<int>(std::size(engine_words));

/// Returns the word of an engine, or null if there is no such engine.
constexpr const char* engine_name(accublas_engine engine) {
  return engine >= 0 && engine < engine_count ? engine_words[engine].word : nullptr;
}

accublas_engine parse_engine(std::string_view name);  ///< throws Error(ACCUBLAS_ERROR_ENGINE) with the list

/// Engines in order of preference. The first one runs if no engine is requested, except for shapes that Backend::choose
/// gives to another.
struct EngineList {
  accublas_engine engines[4] = {};
  int count = 0;

  constexpr EngineList() = default;
  constexpr EngineList(std::initializer_list<accublas_engine> list) {
    for (accublas_engine engine : list) engines[count++] = engine;
  }
  constexpr const accublas_engine* begin() const { return engines; }
  constexpr const accublas_engine* end() const { return engines + count; }
  constexpr accublas_engine first() const { return engines[0]; }
  constexpr bool has(accublas_engine engine) const {
    for (accublas_engine e : *this)
      if (e == engine) return true;
    return false;
  }
};

/// A row of the table. An empty list means that the backend lacks the mode for these routines.
struct EngineRow {
  accublas_mode mode;
  bool reproducible;
  RoutineKind kind;
  EngineList cpu, cuda;

  constexpr const EngineList& on(accublas_backend backend) const {
    return backend == ACCUBLAS_BACKEND_CUDA ? cuda : cpu;
  }
};

namespace engine_rows {

constexpr accublas_engine native = ACCUBLAS_ENGINE_NATIVE, int8 = ACCUBLAS_ENGINE_INT8, fp64 = ACCUBLAS_ENGINE_FP64,
                          fp16 = ACCUBLAS_ENGINE_FP16, dot2 = ACCUBLAS_ENGINE_DOT2, sums = ACCUBLAS_ENGINE_SUMS,
                          multiword = ACCUBLAS_ENGINE_MULTIWORD;
using enum RoutineKind;
constexpr bool plain = false, repro = true;  // dp and dp:repro; other modes are plain

/// Rows of dp also serve sp. If dp promises no bits, emulation keeps its promise too, but is slower on the CPU.
constexpr EngineRow table[] = {
    {ACCUBLAS_MODE_NATIVE, plain, gemm, {native}, {native}},
    {ACCUBLAS_MODE_NATIVE, plain, level3, {native}, {native}},
    {ACCUBLAS_MODE_NATIVE, plain, solve, {native}, {native}},
    {ACCUBLAS_MODE_NATIVE, plain, vector, {native}, {native}},
    {ACCUBLAS_MODE_NATIVE, plain, level2, {native}, {native}},
    {ACCUBLAS_MODE_NATIVE, plain, rounded, {native}, {native}},
    {ACCUBLAS_MODE_NATIVE, plain, norm, {native}, {native}},
    {ACCUBLAS_MODE_NATIVE, plain, factorization, {native}, {}},
    {ACCUBLAS_MODE_NATIVE, plain, composed, {native}, {}},
    {ACCUBLAS_MODE_DP, plain, gemm, {native, int8, fp64}, {native, int8, fp16, fp64}},
    {ACCUBLAS_MODE_DP, plain, level3, {native, int8, fp64}, {native, int8}},
    {ACCUBLAS_MODE_DP, plain, solve, {native, sums}, {native, int8, sums}},
    {ACCUBLAS_MODE_DP, plain, vector, {native, sums}, {native, sums}},
    {ACCUBLAS_MODE_DP, plain, level2, {native, sums}, {native, sums}},
    {ACCUBLAS_MODE_DP, plain, rounded, {native, sums}, {native, sums}},
    {ACCUBLAS_MODE_DP, plain, norm, {native, sums}, {native, sums}},
    {ACCUBLAS_MODE_DP, plain, factorization, {native, sums}, {int8, sums}},
    {ACCUBLAS_MODE_DP, plain, composed, {native, sums}, {int8, sums}},
    {ACCUBLAS_MODE_DP, repro, gemm, {int8, fp64, sums}, {int8, fp16, fp64}},
    {ACCUBLAS_MODE_DP, repro, level3, {int8, fp64, sums}, {int8}},
    {ACCUBLAS_MODE_DP, repro, solve, {sums}, {sums}},
    {ACCUBLAS_MODE_DP, repro, vector, {sums}, {sums}},
    {ACCUBLAS_MODE_DP, repro, level2, {sums}, {sums}},
    {ACCUBLAS_MODE_DP, repro, rounded, {sums}, {sums}},
    {ACCUBLAS_MODE_DP, repro, norm, {sums}, {sums}},
    {ACCUBLAS_MODE_DP, repro, factorization, {sums}, {sums}},
    {ACCUBLAS_MODE_DP, repro, composed, {sums}, {sums}},
    {ACCUBLAS_MODE_FIXED, plain, gemm, {int8, fp64, sums}, {int8, fp16, fp64}},
    {ACCUBLAS_MODE_FIXED, plain, level3, {int8, fp64, sums}, {int8, fp16, fp64}},
    {ACCUBLAS_MODE_FIXED, plain, vector, {sums}, {sums}},
    {ACCUBLAS_MODE_FIXED, plain, level2, {sums}, {sums}},
    {ACCUBLAS_MODE_SLICES, plain, gemm, {fp64}, {fp64}},
    {ACCUBLAS_MODE_SLICES, plain, level3, {fp64}, {fp64}},
    {ACCUBLAS_MODE_SLICES, plain, vector, {fp64}, {fp64}},
    {ACCUBLAS_MODE_SLICES, plain, level2, {fp64}, {fp64}},
    {ACCUBLAS_MODE_DOT2, plain, gemm, {dot2}, {dot2}},
    {ACCUBLAS_MODE_DOT2, plain, level3, {dot2}, {dot2}},
    {ACCUBLAS_MODE_DOT2, plain, solve, {dot2}, {dot2}},
    {ACCUBLAS_MODE_DOT2, plain, vector, {dot2}, {dot2}},
    {ACCUBLAS_MODE_DOT2, plain, level2, {dot2}, {dot2}},
    {ACCUBLAS_MODE_DOT2, plain, rounded, {sums}, {sums}},
    {ACCUBLAS_MODE_DOT2, plain, norm, {dot2}, {dot2}},
    {ACCUBLAS_MODE_CR, plain, gemm, {int8, fp64, sums}, {int8, fp16, fp64}},
    {ACCUBLAS_MODE_CR, plain, level3, {int8, fp64, sums}, {int8, fp16, fp64}},
    {ACCUBLAS_MODE_CR, plain, solve, {sums}, {sums}},
    {ACCUBLAS_MODE_CR, plain, vector, {sums}, {sums}},
    {ACCUBLAS_MODE_CR, plain, level2, {sums}, {sums}},
    {ACCUBLAS_MODE_CR, plain, rounded, {sums}, {sums}},
    {ACCUBLAS_MODE_CR, plain, norm, {sums}, {sums}},
    {ACCUBLAS_MODE_CR, plain, factorization, {sums}, {sums}},
    {ACCUBLAS_MODE_CR, plain, composed, {sums}, {sums}},
    {ACCUBLAS_MODE_TF32X1, plain, gemm, {multiword}, {multiword}},
    {ACCUBLAS_MODE_TF32X3, plain, gemm, {multiword}, {multiword}},
    {ACCUBLAS_MODE_TF32X4, plain, gemm, {multiword}, {multiword}},
    {ACCUBLAS_MODE_FP16X1, plain, gemm, {multiword}, {multiword}},
    {ACCUBLAS_MODE_FP16X3, plain, gemm, {multiword}, {multiword}},
    {ACCUBLAS_MODE_TF64X1, plain, gemm, {multiword}, {multiword}},
    {ACCUBLAS_MODE_TF64X3, plain, gemm, {multiword}, {multiword}},
    {ACCUBLAS_MODE_TF64X4, plain, gemm, {multiword}, {multiword}},
};

constexpr EngineRow none{};

}  // namespace engine_rows

/// The rows of a table of engines: the library's, or a test's own.
struct EngineTable {
  const EngineRow* rows;
  int count;

  template <int N>
  constexpr EngineTable(const EngineRow (&table)[N]) : rows(table), count(N) {}
  constexpr const EngineRow* begin() const { return rows; }
  constexpr const EngineRow* end() const { return rows + count; }

  /// Returns a row without engines if no backend has the mode for the routine's kind (routine_has() knows its types).
  constexpr const EngineRow& row(Routine routine, const Mode& mode) const {
    const accublas_mode kind = mode.kind == ACCUBLAS_MODE_SP ? ACCUBLAS_MODE_DP : mode.kind;
    for (const EngineRow& row : *this)
      if (row.mode == kind && row.reproducible == mode.reproducible && row.kind == kind_of(routine)) return row;
    return engine_rows::none;
  }
};
constexpr EngineTable engine_table = engine_rows::table;

/// Compares the table with the one of modes: a mode must have one row with engines for the routines that have it, and
/// none for others.
constexpr bool engines_match_modes() {
  for (const EngineRow& row : engine_table)
    if (!mode_row(row.mode)) return false;
  for (const ModeRow& mode : mode_table) {
    const accublas_mode kind = mode.kind == ACCUBLAS_MODE_SP ? ACCUBLAS_MODE_DP : mode.kind;
    for (bool reproducible : {false, true})
      for (RoutineKind routines : all_kinds) {
        int rows = 0;
        for (const EngineRow& row : engine_table)
          if (row.mode == kind && row.reproducible == reproducible && row.kind == routines)
            rows += row.cpu.count + row.cuda.count > 0 ? 1 : 2;
        const bool has =
            (!reproducible || mode.suffix == ":repro") &&
            (mode.norms || (routines != RoutineKind::norm && routines != RoutineKind::rounded)) &&
            (mode.solves || routines != RoutineKind::solve) &&
            (mode.factors || (routines != RoutineKind::factorization && routines != RoutineKind::composed)) &&
            (routines == RoutineKind::gemm || mode.families == Families::all);
        if (rows != (has ? 1 : 0)) return false;
      }
  }
  for (int i = 0; i < engine_count; ++i)
    if (engine_words[i].engine != i) return false;
  return true;
}
static_assert(
    engines_match_modes(),
    "mode_table and the table of engines differ: a mode needs one row with engines for each kind of routine that "
    "has it, and no other rows; engine_words must be in the order of their numbers");

}  // namespace accublas
