// The routines of the library and the family whose mode each one takes.
#pragma once

#include <array>

#include "include/accublas.h"

namespace accublas {

/// Routines in double and in single precision, by the type of their results, alternate.
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
  dsdot,
  sdsdot,
  dgemm_batched,
  sgemm_batched,
  zgemm,
  cgemm,
  zgemm_batched,
  cgemm_batched,
  // Level 3: see level3_routine.
  dsymm,
  ssymm,
  zsymm,
  csymm,
  dsyrk,
  ssyrk,
  zsyrk,
  csyrk,
  dsyr2k,
  ssyr2k,
  zsyr2k,
  csyr2k,
  dtrmm,
  strmm,
  ztrmm,
  ctrmm,
  dtrsm,
  strsm,
  ztrsm,
  ctrsm,
  dgemmt,
  sgemmt,
  zgemmt,
  cgemmt,
  zhemm,
  chemm,
  zherk,
  cherk,
  zher2k,
  cher2k,
  // Level 2 beside GEMV: see level2_routine.
  dger,
  sger,
  zgeru,
  cgeru,
  dtrmv,
  strmv,
  ztrmv,
  ctrmv,
  dtrsv,
  strsv,
  ztrsv,
  ctrsv,
  dsymv,
  ssymv,
  dsyr,
  ssyr,
  dsyr2,
  ssyr2,
  zgerc,
  cgerc,
  zhemv,
  chemv,
  zher,
  cher,
  zher2,
  cher2,
  zdotu,
  cdotu,
  zdotc,
  cdotc,
  zgemv,
  cgemv,
  dznrm2,
  scnrm2,
  dzasum,
  scasum,
  // LAPACK's factorizations: see factorization_routine.
  dpotrf,
  spotrf,
  zpotrf,
  cpotrf,
  dpotrs,
  spotrs,
  zpotrs,
  cpotrs,
  dposv,
  sposv,
  zposv,
  cposv,
  dgetrf,
  sgetrf,
  zgetrf,
  cgetrf,
  dgetrs,
  sgetrs,
  zgetrs,
  cgetrs,
  dgesv,
  sgesv,
  zgesv,
  cgesv,
  dtrtri,
  strtri,
  ztrtri,
  ctrtri,
  dlauum,
  slauum,
  zlauum,
  clauum,
  dpotri,
  spotri,
  zpotri,
  cpotri,
  dgetri,
  sgetri,
  zgetri,
  cgetri,
  // LAPACK's QR factorization and what is made of it: see orthogonal_routine.
  dgeqrf,
  sgeqrf,
  zgeqrf,
  cgeqrf,
  dorgqr,
  sorgqr,
  zungqr,
  cungqr,
  dormqr,
  sormqr,
  zunmqr,
  cunmqr,
  dgels,
  sgels,
  zgels,
  cgels,
  // Certified solutions, in reports and counters: their plan is that of dgetrf. See certified_routine.
  dgesv_certified,
  sgesv_certified,
  zgesv_certified,
  cgesv_certified,
  dposv_certified,
  sposv_certified,
  zposv_certified,
  cposv_certified
};
constexpr int routine_count = static_cast<int>(Routine::cposv_certified) + 1;
constexpr std::array<Routine, routine_count> all_routines = [] {
  std::array<Routine, routine_count> all{};
  for (int i = 0; i < routine_count; ++i) all[i] = static_cast<Routine>(i);
  return all;
}();

constexpr const char* routine_name(Routine routine) {
  constexpr const char* names[] = {
      "dgemm",         "sgemm",         "ddot",   "sdot",   "dgemv",         "sgemv",         "dnrm2",  "snrm2",
      "dasum",         "sasum",         "dsdot",  "sdsdot", "dgemm_batched", "sgemm_batched", "zgemm",  "cgemm",
      "zgemm_batched", "cgemm_batched", "dsymm",  "ssymm",  "zsymm",         "csymm",         "dsyrk",  "ssyrk",
      "zsyrk",         "csyrk",         "dsyr2k", "ssyr2k", "zsyr2k",        "csyr2k",        "dtrmm",  "strmm",
      "ztrmm",         "ctrmm",         "dtrsm",  "strsm",  "ztrsm",         "ctrsm",         "dgemmt", "sgemmt",
      "zgemmt",        "cgemmt",        "zhemm",  "chemm",  "zherk",         "cherk",         "zher2k", "cher2k",
      "dger",          "sger",          "zgeru",  "cgeru",  "dtrmv",         "strmv",         "ztrmv",  "ctrmv",
      "dtrsv",         "strsv",         "ztrsv",  "ctrsv",  "dsymv",         "ssymv",         "dsyr",   "ssyr",
      "dsyr2",         "ssyr2",         "zgerc",  "cgerc",  "zhemv",         "chemv",         "zher",   "cher",
      "zher2",         "cher2",         "zdotu",  "cdotu",  "zdotc",         "cdotc",         "zgemv",  "cgemv",
      "dznrm2",        "scnrm2",        "dzasum", "scasum", "dpotrf",        "spotrf",        "zpotrf", "cpotrf",
      "dpotrs",        "spotrs",        "zpotrs", "cpotrs", "dposv",         "sposv",         "zposv",  "cposv",
      "dgetrf",        "sgetrf",        "zgetrf", "cgetrf", "dgetrs",        "sgetrs",        "zgetrs", "cgetrs",
      "dgesv",         "sgesv",         "zgesv",  "cgesv",  "dtrtri",        "strtri",        "ztrtri", "ctrtri",
      "dlauum",        "slauum",        "zlauum", "clauum", "dpotri",        "spotri",        "zpotri", "cpotri",
      "dgetri",        "sgetri",        "zgetri", "cgetri", "dgeqrf",        "sgeqrf",        "zgeqrf", "cgeqrf",
      "dorgqr",        "sorgqr",        "zungqr", "cungqr", "dormqr",        "sormqr",        "zunmqr", "cunmqr",
      "dgels",         "sgels",         "zgels",  "cgels"};
  constexpr const char* certified[] = {"dgesv_certified", "sgesv_certified", "zgesv_certified", "cgesv_certified",
                                       "dposv_certified", "sposv_certified", "zposv_certified", "cposv_certified"};
  const int number = static_cast<int>(routine), of_certified = number - static_cast<int>(Routine::dgesv_certified);
  return of_certified >= 0 ? certified[of_certified] : names[number];
}

constexpr bool is_single(Routine routine) { return static_cast<int>(routine) % 2 == 1; }

/// The products of level 3 beside GEMM: of each kind (lib/call/level3.hpp) d, s, z, c in turn, of those that are
/// complex only z, c.
constexpr bool is_level3(Routine routine) { return routine >= Routine::dsymm && routine <= Routine::cher2k; }
constexpr int level3_number(Routine routine) { return static_cast<int>(routine) - static_cast<int>(Routine::dsymm); }
constexpr int level3_count = level3_number(Routine::cher2k) + 1;
constexpr Routine level3_routine(int kind, bool complex, bool single) {
  const int four = level3_number(Routine::zhemm) / 4;
  const int number = kind < four ? 4 * kind + 2 * complex : 4 * four + 2 * (kind - four);
  return static_cast<Routine>(static_cast<int>(Routine::dsymm) + number + single);
}

/// Level 2 beside GEMV: of each kind (lib/call/level2.hpp) d, s, z, c in turn, of those that are real only d, s, of
/// those that are complex only z, c.
constexpr bool is_level2(Routine routine) { return routine >= Routine::dger && routine <= Routine::cher2; }
constexpr int level2_number(Routine routine) { return static_cast<int>(routine) - static_cast<int>(Routine::dger); }
constexpr int level2_count = level2_number(Routine::cher2) + 1;
constexpr Routine level2_routine(int kind, bool complex, bool single) {
  const int four = level2_number(Routine::dsymv) / 4;
  const int number = kind < four ? 4 * kind + 2 * complex : 4 * four + 2 * (kind - four);
  return static_cast<Routine>(static_cast<int>(Routine::dger) + number + single);
}

/// LAPACK's factorizations, the solutions and the inverses by them: of each kind (lib/call/factorization.hpp) d, s, z,
/// c in turn.
constexpr bool is_factorization(Routine routine) { return routine >= Routine::dpotrf && routine <= Routine::cgetri; }
constexpr bool is_inverse(Routine routine) { return routine >= Routine::dtrtri && routine <= Routine::cgetri; }
constexpr Routine factorization_routine(int kind, bool complex, bool single) {
  return static_cast<Routine>(static_cast<int>(Routine::dpotrf) + 4 * kind + 2 * complex + single);
}

/// The QR factorization, the matrix of its reflectors and least squares: d, s, z, c of each kind
/// (lib/call/orthogonal.hpp) in turn.
constexpr bool is_orthogonal(Routine routine) { return routine >= Routine::dgeqrf && routine <= Routine::cgels; }
constexpr Routine orthogonal_routine(int kind, bool complex, bool single) {
  return static_cast<Routine>(static_cast<int>(Routine::dgeqrf) + 4 * kind + 2 * complex + single);
}

/// gesv_certified and posv_certified, each d, s, z, c in turn.
constexpr Routine certified_routine(bool definite, bool complex, bool single) {
  return static_cast<Routine>(static_cast<int>(Routine::dgesv_certified) + 4 * definite + 2 * complex + single);
}

/// Whether the routine is one of LAPACK's.
constexpr bool is_lapack(Routine routine) { return routine >= Routine::dpotrf && routine <= Routine::cgels; }
constexpr int lapack_number(Routine routine) { return static_cast<int>(routine) - static_cast<int>(Routine::dpotrf); }
constexpr int lapack_count = lapack_number(Routine::cgels) + 1;

constexpr bool between(Routine routine, Routine first, Routine last) { return routine >= first && routine <= last; }
constexpr bool is_gemmt(Routine routine) { return between(routine, Routine::dgemmt, Routine::cgemmt); }

/// Whether the routine solves with a triangular matrix: it computes quotients instead of a product, in the modes that
/// define them.
constexpr bool is_solve(Routine routine) {
  return between(routine, Routine::dtrsm, Routine::ctrsm) || between(routine, Routine::dtrsv, Routine::ctrsv);
}

/// Whether the routine computes exact sums rounded once in every mode that defines bits: GER, SYR, SYR2 and their kind,
/// and DSDOT and SDSDOT.
constexpr bool is_rounded_once(Routine routine) {
  return between(routine, Routine::dger, Routine::cgeru) || between(routine, Routine::dsyr, Routine::cgerc) ||
         between(routine, Routine::zher, Routine::cher2) || between(routine, Routine::dsdot, Routine::sdsdot);
}

/// Whether the routine computes two products: SYR2K and HER2K, SYR2 and HER2.
constexpr bool has_two_products(Routine routine) {
  return between(routine, Routine::dsyr2k, Routine::csyr2k) || between(routine, Routine::zher2k, Routine::cher2k) ||
         between(routine, Routine::dsyr2, Routine::ssyr2) || between(routine, Routine::zher2, Routine::cher2);
}

constexpr bool is_complex_routine(Routine routine) {
  if (is_level3(routine)) return routine >= Routine::zhemm || level3_number(routine) % 4 >= 2;
  if (is_level2(routine))
    return routine >= Routine::zgerc || (routine < Routine::dsymv && level2_number(routine) % 4 >= 2);
  if (is_lapack(routine)) return lapack_number(routine) % 4 >= 2;
  return routine >= Routine::zgemm;
}

/// Returns the family of a routine. A family contains the complex forms too; GEMM's family contains level 3 and
/// LAPACK's routines.
constexpr accublas_family family_of(Routine routine) {
  if (is_level3(routine) || is_lapack(routine))
    return is_single(routine) ? ACCUBLAS_FAMILY_SGEMM : ACCUBLAS_FAMILY_DGEMM;
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
    case Routine::dsdot:
    case Routine::sdsdot:
    case Routine::zdotu:
    case Routine::cdotu:
    case Routine::zdotc:
    case Routine::cdotc:
    case Routine::dznrm2:
    case Routine::scnrm2:
    case Routine::dzasum:
    case Routine::scasum:
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

/// Whether the routine is GEMM, batched or not.
constexpr bool is_gemm(Routine routine) {
  return routine == Routine::dgemm || routine == Routine::sgemm ||
         (routine >= Routine::dgemm_batched && routine <= Routine::cgemm_batched);
}

/// Whether the routine is NRM2 or ASUM, with one vector and one result. These take DOT's mode, but have no fixed and no
/// slices.
constexpr bool is_norm(Routine routine) {
  return (routine >= Routine::dnrm2 && routine <= Routine::sasum) ||
         (routine >= Routine::dznrm2 && routine <= Routine::scasum);
}

}  // namespace accublas
