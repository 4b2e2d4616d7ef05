// The routines of the library and the family whose mode each one takes.
#pragma once

#include "c_api/accublas.h"

namespace accublas {

enum class Routine { dgemm, sgemm, ddot, sdot, dgemv, sgemv, dnrm2, snrm2, dasum, sasum, dgemm_batched, sgemm_batched };
constexpr int routine_count = 12;
constexpr Routine all_routines[routine_count] = {
    Routine::dgemm, Routine::sgemm, Routine::ddot,  Routine::sdot,  Routine::dgemv,         Routine::sgemv,
    Routine::dnrm2, Routine::snrm2, Routine::dasum, Routine::sasum, Routine::dgemm_batched, Routine::sgemm_batched};

constexpr const char* routine_name(Routine routine) {
  constexpr const char* names[routine_count] = {"dgemm", "sgemm", "ddot",  "sdot",  "dgemv",         "sgemv",
                                                "dnrm2", "snrm2", "dasum", "sasum", "dgemm_batched", "sgemm_batched"};
  return names[static_cast<int>(routine)];
}

constexpr bool is_single(Routine routine) { return static_cast<int>(routine) % 2 == 1; }

constexpr accublas_family family_of(Routine routine) {
  switch (routine) {
    case Routine::dgemm:
    case Routine::dgemm_batched:
      return ACCUBLAS_FAMILY_DGEMM;
    case Routine::sgemm:
    case Routine::sgemm_batched:
      return ACCUBLAS_FAMILY_SGEMM;
    case Routine::ddot:
    case Routine::sdot:
    case Routine::dnrm2:
    case Routine::snrm2:
    case Routine::dasum:
    case Routine::sasum:
      return ACCUBLAS_FAMILY_DOT;
    default:
      return ACCUBLAS_FAMILY_GEMV;
  }
}

constexpr bool is_batched(Routine routine) {
  return routine == Routine::dgemm_batched || routine == Routine::sgemm_batched;
}

/// GEMM, batched or not.
constexpr bool is_gemm(Routine routine) {
  return routine == Routine::dgemm || routine == Routine::sgemm || is_batched(routine);
}

/// NRM2 and ASUM: one vector, one result. They take DOT's mode, but have no fixed and no slices.
constexpr bool is_norm(Routine routine) { return routine >= Routine::dnrm2 && routine <= Routine::sasum; }

}  // namespace accublas
