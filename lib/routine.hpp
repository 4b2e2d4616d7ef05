// The routines of the library and the family whose mode each one takes.
#pragma once

#include "c_api/accublas.h"

namespace accublas {

enum class Routine { dgemm, sgemm, ddot, sdot, dgemv, sgemv };
constexpr int routine_count = 6;
constexpr Routine all_routines[routine_count] = {Routine::dgemm, Routine::sgemm, Routine::ddot,
                                                 Routine::sdot,  Routine::dgemv, Routine::sgemv};

constexpr const char* routine_name(Routine routine) {
  constexpr const char* names[routine_count] = {"dgemm", "sgemm", "ddot", "sdot", "dgemv", "sgemv"};
  return names[static_cast<int>(routine)];
}

constexpr bool is_single(Routine routine) { return static_cast<int>(routine) % 2 == 1; }

constexpr accublas_family family_of(Routine routine) {
  switch (routine) {
    case Routine::dgemm: return ACCUBLAS_FAMILY_DGEMM;
    case Routine::sgemm: return ACCUBLAS_FAMILY_SGEMM;
    case Routine::ddot:
    case Routine::sdot: return ACCUBLAS_FAMILY_DOT;
    default: return ACCUBLAS_FAMILY_GEMV;
  }
}

constexpr bool is_gemm(Routine routine) { return routine == Routine::dgemm || routine == Routine::sgemm; }

}  // namespace accublas
