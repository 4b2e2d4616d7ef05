// The routines of the library and the family whose mode each one takes.
#pragma once

#include "c_api/accublas.h"

namespace accublas {

/// Routines in double and in single precision take turns.
enum class Routine {
  dgemm,
  sgemm,
  ddot,
  sdot,
  dgemv,
  sgemv,
  dnrm2,
  snrm2,
  dasum,
  sasum,
  dgemm_batched,
  sgemm_batched,
  zgemm,
  cgemm,
  zgemm_batched,
  cgemm_batched
};
constexpr int routine_count = 16;
constexpr Routine all_routines[routine_count] = {
    Routine::dgemm, Routine::sgemm, Routine::ddot,          Routine::sdot,
    Routine::dgemv, Routine::sgemv, Routine::dnrm2,         Routine::snrm2,
    Routine::dasum, Routine::sasum, Routine::dgemm_batched, Routine::sgemm_batched,
    Routine::zgemm, Routine::cgemm, Routine::zgemm_batched, Routine::cgemm_batched};

constexpr const char* routine_name(Routine routine) {
  constexpr const char* names[routine_count] = {
      "dgemm", "sgemm", "ddot",          "sdot",          "dgemv", "sgemv", "dnrm2",         "snrm2",
      "dasum", "sasum", "dgemm_batched", "sgemm_batched", "zgemm", "cgemm", "zgemm_batched", "cgemm_batched"};
  return names[static_cast<int>(routine)];
}

constexpr bool is_single(Routine routine) { return static_cast<int>(routine) % 2 == 1; }

constexpr bool is_complex_routine(Routine routine) { return routine >= Routine::zgemm; }

/// The families of GEMM hold its complex forms too.
constexpr accublas_family family_of(Routine routine) {
  switch (routine) {
    case Routine::dgemm:
    case Routine::dgemm_batched:
    case Routine::zgemm:
    case Routine::zgemm_batched:
      return ACCUBLAS_FAMILY_DGEMM;
    case Routine::sgemm:
    case Routine::sgemm_batched:
    case Routine::cgemm:
    case Routine::cgemm_batched:
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
  switch (routine) {
    case Routine::dgemm_batched:
    case Routine::sgemm_batched:
    case Routine::zgemm_batched:
    case Routine::cgemm_batched:
      return true;
    default:
      return false;
  }
}

/// GEMM, batched or not.
constexpr bool is_gemm(Routine routine) {
  return routine == Routine::dgemm || routine == Routine::sgemm || routine >= Routine::dgemm_batched;
}

/// NRM2 and ASUM: one vector, one result. They take DOT's mode, but have no fixed and no slices.
constexpr bool is_norm(Routine routine) { return routine >= Routine::dnrm2 && routine <= Routine::sasum; }

}  // namespace accublas
