// A routine of the library is an operation on numbers of a type. One table of operations has what the routines of an
// operation have in common: their name, the types that have it, their engines and the family whose mode they take.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "include/accublas.h"
#include "lib/numerics/complex.hpp"

namespace accublas {

/// A type of numbers, called by the letter of its routines.
enum class Type : std::uint8_t { d, s, z, c };
constexpr Type all_types[] = {Type::d, Type::s, Type::z, Type::c};
constexpr int type_count = 4;

constexpr bool is_single(Type type) { return type == Type::s || type == Type::c; }
constexpr bool is_complex_type(Type type) { return type >= Type::z; }
template <class E>
constexpr Type type_of = is_complex<E> ? (is_single_precision<E> ? Type::c : Type::z)
                                       : (is_single_precision<E> ? Type::s : Type::d);

/// The operations are in groups, which functions below name as ranges (is_level3, is_lapack ...).
enum class Operation : std::uint8_t {
  gemm,
  dot,  // of real numbers; of complex ones there are dotu and dotc
  gemv,
  nrm2,
  asum,
  mixed_dot,  // DSDOT and SDSDOT
  gemm_batched,
  // The operations of level 3 other than GEMM, then those of level 2 other than GEMV. The last ones of each group exist
  // for complex numbers alone.
  symm,
  syrk,
  syr2k,
  trmm,
  trsm,
  gemmt,
  hemm,
  herk,
  her2k,
  ger,  // GERU for complex numbers
  trmv,
  trsv,
  symv,
  syr,
  syr2,
  gerc,
  hemv,
  her,
  her2,
  dotu,
  dotc,
  // LAPACK's factorizations, solutions and inverses that use them, and QR with the routines that use its reflectors.
  potrf,
  potrs,
  posv,
  getrf,
  getrs,
  gesv,
  trtri,
  lauum,
  potri,
  getri,
  geqrf,
  orgqr,
  ormqr,
  gels,
  // Certified solutions, eigenvalues and singular values, which appear in reports and counters. Their plan is GETRF's.
  gesv_certified,
  posv_certified,
  syev_certified,
  gesvd_certified,
  sygv_certified
};

/// Kinds of operations that share engines (lib/call/engines.hpp): GEMM and its batches; the other products of level 3;
/// TRSM and TRSV; DOT and GEMV; the products of level 2 (SYMV, HEMV, TRMV); the routines that are rounded once in every
/// mode that defines bits (GER, SYR, SYR2 and their kind, DSDOT, SDSDOT); NRM2 and ASUM; LAPACK's factorizations with
/// the solutions from them; and LAPACK's routines that consist of the library's own calls (lib/lapack).
enum class RoutineKind : std::uint8_t { gemm, level3, solve, vector, level2, rounded, norm, factorization, composed };
constexpr RoutineKind all_kinds[] = {RoutineKind::gemm,   RoutineKind::level3,        RoutineKind::solve,
                                     RoutineKind::vector, RoutineKind::level2,        RoutineKind::rounded,
                                     RoutineKind::norm,   RoutineKind::factorization, RoutineKind::composed};

/// The types that have an operation.
enum class Types : std::uint8_t { all, real, complex };

/// A row of the table of operations.
struct OperationRow {
  Operation operation;
  std::string_view name;  ///< what its routines are called after the letter of their type
  Types types;            ///< those that have it
  RoutineKind kind;
  accublas_family family;            ///< its modes are those of this family; DGEMM's stands for that of the precision
  std::string_view other_name = {};  ///< of complex numbers, or in single precision where there are none
};

namespace operations {

using enum Operation;
using enum Types;
constexpr RoutineKind rounded = RoutineKind::rounded, level2 = RoutineKind::level2, level3 = RoutineKind::level3,
                      factors = RoutineKind::factorization, composed = RoutineKind::composed;
constexpr accublas_family products = ACCUBLAS_FAMILY_DGEMM, dots = ACCUBLAS_FAMILY_DOT, lines = ACCUBLAS_FAMILY_GEMV;

constexpr OperationRow table[] = {
    {gemm, "gemm", all, RoutineKind::gemm, products},
    {dot, "dot", real, RoutineKind::vector, dots},
    {gemv, "gemv", all, RoutineKind::vector, lines},
    {nrm2, "nrm2", all, RoutineKind::norm, dots},
    {asum, "asum", all, RoutineKind::norm, dots},
    {mixed_dot, "sdot", real, rounded, dots, "dsdot"},
    {gemm_batched, "gemm_batched", all, RoutineKind::gemm, products},
    {symm, "symm", all, level3, products},
    {syrk, "syrk", all, level3, products},
    {syr2k, "syr2k", all, level3, products},
    {trmm, "trmm", all, level3, products},
    {trsm, "trsm", all, RoutineKind::solve, products},
    {gemmt, "gemmt", all, level3, products},
    {hemm, "hemm", complex, level3, products},
    {herk, "herk", complex, level3, products},
    {her2k, "her2k", complex, level3, products},
    {ger, "ger", all, rounded, lines, "geru"},
    {trmv, "trmv", all, level2, lines},
    {trsv, "trsv", all, RoutineKind::solve, lines},
    {symv, "symv", real, level2, lines},
    {syr, "syr", real, rounded, lines},
    {syr2, "syr2", real, rounded, lines},
    {gerc, "gerc", complex, rounded, lines},
    {hemv, "hemv", complex, level2, lines},
    {her, "her", complex, rounded, lines},
    {her2, "her2", complex, rounded, lines},
    {dotu, "dotu", complex, RoutineKind::vector, dots},
    {dotc, "dotc", complex, RoutineKind::vector, dots},
    {potrf, "potrf", all, factors, products},
    {potrs, "potrs", all, factors, products},
    {posv, "posv", all, factors, products},
    {getrf, "getrf", all, factors, products},
    {getrs, "getrs", all, factors, products},
    {gesv, "gesv", all, factors, products},
    {trtri, "trtri", all, composed, products},
    {lauum, "lauum", all, composed, products},
    {potri, "potri", all, composed, products},
    {getri, "getri", all, composed, products},
    {geqrf, "geqrf", all, composed, products},
    {orgqr, "orgqr", all, composed, products, "ungqr"},
    {ormqr, "ormqr", all, composed, products, "unmqr"},
    {gels, "gels", all, composed, products},
    {gesv_certified, "gesv_certified", all, factors, products},
    {posv_certified, "posv_certified", all, factors, products},
    {syev_certified, "syev_certified", all, factors, products, "heev_certified"},
    {gesvd_certified, "gesvd_certified", all, factors, products},
    {sygv_certified, "sygv_certified", all, factors, products, "hegv_certified"},
};
constexpr int count = static_cast<int>(std::size(table));

}  // namespace operations

constexpr const OperationRow& row_of(Operation operation) { return operations::table[static_cast<int>(operation)]; }
constexpr RoutineKind kind_of(Operation operation) { return row_of(operation).kind; }
constexpr bool between(Operation operation, Operation first, Operation last) {
  return operation >= first && operation <= last;
}

/// A routine: an operation on numbers of a type. It converts to its operation if the type does not matter.
struct Routine {
  Operation operation;
  Type type;
  constexpr operator Operation() const { return operation; }
  friend constexpr bool operator==(const Routine&, const Routine&) = default;
};
constexpr bool is_single(Routine routine) { return is_single(routine.type); }
constexpr bool is_complex_routine(Routine routine) { return is_complex_type(routine.type); }

/// Returns the number of a routine, from 0 to routine_count - 1. Some numbers have no routine.
constexpr int number_of(Routine routine) {
  return static_cast<int>(routine.operation) * type_count + static_cast<int>(routine.type);
}
constexpr int routine_count = operations::count * type_count;

constexpr bool exists(Routine routine) {
  const Types types = row_of(routine).types;
  return types == Types::all || (types == Types::complex) == is_complex_routine(routine);
}

/// All routines, in the order of their operations.
constexpr auto all_routines = [] {
  constexpr int count = [] {
    int existing = 0;
    for (const OperationRow& row : operations::table) existing += row.types == Types::all ? type_count : type_count / 2;
    return existing;
  }();
  std::array<Routine, count> all{};
  int last = 0;
  for (const OperationRow& row : operations::table)
    for (Type type : all_types)
      if (exists({row.operation, type})) all[last++] = {row.operation, type};
  return all;
}();

namespace operations {

struct Name {
  char text[20];
};
/// The names by number. The norm of complex numbers is real, and its name has the letters of both types.
constexpr std::array<Name, routine_count> names = [] {
  std::array<Name, routine_count> made{};
  for (Routine routine : all_routines) {
    const OperationRow& row = row_of(routine);
    const bool of_both = row.kind == RoutineKind::norm && is_complex_routine(routine);
    char* end = made[number_of(routine)].text;
    if (of_both) *end++ = is_single(routine) ? 's' : 'd';
    *end++ = "dszc"[static_cast<int>(routine.type)];
    const bool second = row.types == Types::real ? is_single(routine) : is_complex_routine(routine);
    for (char c : second && !row.other_name.empty() ? row.other_name : row.name) *end++ = c;
  }
  return made;
}();
constexpr bool in_order() {
  for (int i = 0; i < count; ++i)
    if (static_cast<int>(table[i].operation) != i) return false;
  return count == static_cast<int>(sygv_certified) + 1;
}
static_assert(in_order());

}  // namespace operations

constexpr const char* routine_name(Routine routine) { return operations::names[number_of(routine)].text; }

/// Returns the routine of this name, which is one of them: routine_named("dgemm").
consteval Routine routine_named(std::string_view name) {
  for (Routine routine : all_routines)
    if (name == routine_name(routine)) return routine;
  throw "there is no such routine";
}

constexpr bool is_gemm(Operation operation) { return kind_of(operation) == RoutineKind::gemm; }
constexpr bool is_batched(Operation operation) { return operation == Operation::gemm_batched; }
/// NRM2 and ASUM, with one vector and one result, take DOT's mode, but have no fixed and no slices.
constexpr bool is_norm(Operation operation) { return kind_of(operation) == RoutineKind::norm; }
/// Whether the modes that define bits compute quotients in place of a product: TRSM and TRSV.
constexpr bool is_solve(Operation operation) { return kind_of(operation) == RoutineKind::solve; }
constexpr bool is_rounded_once(Operation operation) { return kind_of(operation) == RoutineKind::rounded; }
/// Whether the operation is one of level 2 other than GEMV (lib/call/level2.hpp), or of level 3 other than GEMM
/// (lib/call/level3.hpp).
constexpr bool is_level2(Operation operation) { return between(operation, Operation::ger, Operation::her2); }
constexpr bool is_level3(Operation operation) { return between(operation, Operation::symm, Operation::her2k); }
constexpr bool is_lapack(Operation operation) { return between(operation, Operation::potrf, Operation::gels); }
/// Whether the operation is one of LAPACK's factorizations, or a solution or inverse from it
/// (lib/call/factorization.hpp).
constexpr bool is_factorization(Operation operation) { return between(operation, Operation::potrf, Operation::getri); }
constexpr bool is_inverse(Operation operation) { return between(operation, Operation::trtri, Operation::getri); }
/// Whether the operation is the QR factorization, the matrix of its reflectors or least squares
/// (lib/call/orthogonal.hpp).
constexpr bool is_orthogonal(Operation operation) { return between(operation, Operation::geqrf, Operation::gels); }

/// Returns the family of a routine. A family contains the complex forms too; GEMM's family contains level 3 and
/// LAPACK's routines.
constexpr accublas_family family_of(Routine routine) {
  const accublas_family family = row_of(routine).family;
  return family == ACCUBLAS_FAMILY_DGEMM && is_single(routine) ? ACCUBLAS_FAMILY_SGEMM : family;
}

}  // namespace accublas
