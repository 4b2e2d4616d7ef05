// The real BLAS: the OpenBLAS that the program has loaded itself (under any spelling of lib/call/blas_spellings.hpp),
// else the system's libopenblas.so.0 or libblas.so.3; reached through accublas's own handle, so that a preloaded
// drop-in cannot call itself.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>

#include "lib/base/error.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/call/problem.hpp"
#include "lib/call/routine.hpp"

namespace accublas::cpu {

/// How gfortran's functions return complex numbers: in registers.
template <class T>
struct F77ComplexOf;
template <>
struct F77ComplexOf<double> {
  __extension__ typedef double _Complex type;
};
template <>
struct F77ComplexOf<float> {
  __extension__ typedef float _Complex type;
};
template <class T>
using F77Complex = typename F77ComplexOf<T>::type;

/// An integer in memory as a BLAS reads and writes it: with 32 bits (`narrow`) or 64.
class BlasInteger {
 public:
  BlasInteger(Index x, bool narrow) : memory_{x}, narrow_(narrow) {
    if (narrow) memory_.narrow = static_cast<std::int32_t>(x);
  }
  Index value() const { return narrow_ ? memory_.narrow : memory_.wide; }
  void* address() { return &memory_; }
  const void* address() const { return &memory_; }

 private:
  union {
    Index wide;
    std::int32_t narrow;
  } memory_;
  bool narrow_;
};

/// The real BLAS, and the LAPACK of the same library or of liblapack.so.3.
struct RealBlas {
  void* entries[routine_count];  ///< Fortran entry points by number_of; null where it has none
  bool narrow_integers;          ///< LAPACK's integers have 32 bits, not 64
  bool narrow_in_blas;           ///< the other routines' integers have 32 bits, not 64
  void (*xerbla)(const char* routine, const void* argument, std::size_t length);  ///< null where it has none
  std::int32_t (*isamax)(const void* n, const float* x, const void* incx);        ///< null where it has none
  void* eigensystem[2];      ///< LAPACK's DSYEVD and ZHEEVD; null where it has none
  void* singular_values[2];  ///< LAPACK's DGESDD and ZGESDD; null where it has none
  void* general[2];          ///< LAPACK's DSYGVD and ZHEGVD; null where it has none
  const char* library;       ///< file that was loaded
  bool reads_result;         ///< its GEMM was seen to read C where beta = 0

  int integer_bytes() const { return narrow_integers ? 4 : 8; }
  /// Whether it is asked for a routine. GEMMT and batches are products of GEMM.
  static constexpr bool is_entry(Operation operation) {
    return operation != Operation::gemmt && !is_batched(operation) && operation <= Operation::gels;
  }
  /// The first routine that it lacks of those that a call of `routine` makes (lib/cpu/blas_calls.hpp and the headers
  /// beside it), or none.
  std::optional<Routine> lacks(Routine routine) const {
    using enum Operation;
    const auto first_of = [&](std::initializer_list<Operation> operations) -> std::optional<Routine> {
      for (const Operation operation : operations)
        if (const Routine part{operation, routine.type}; !entries[number_of(part)]) return part;
      return {};
    };
    const bool complex = is_complex_routine(routine);
    switch (routine.operation) {
      case potrs:
        return first_of({trsm});
      case posv:
        return first_of({potrf, trsm});
      case gesv:
        return first_of({getrf, getrs});
      case lauum:
        return complex ? first_of({trmm, herk}) : first_of({lauum});
      case potri:
        return complex ? first_of({trtri, trmm, herk}) : first_of({trtri, lauum});
      case getri:
        return first_of({trtri, trsm});
      default:
        return is_entry(routine) ? first_of({routine}) : std::nullopt;
    }
  }
  /// Throws Error(ACCUBLAS_ERROR_NO_BLAS) where it lacks a routine that the call makes. Ask before the first write.
  void require(Routine routine) const {
    if (const std::optional<Routine> missing = lacks(routine))
      throw Error(ACCUBLAS_ERROR_NO_BLAS, std::string("the real BLAS has no ") + routine_name(*missing) +
                                              (is_lapack(*missing) ? ", nor has liblapack.so.3" : ""));
  }
  /// Returns an integer that routines of LAPACK, or those of BLAS, can read and write.
  BlasInteger lapack_integer(Index x) const { return {x, narrow_integers}; }
  BlasInteger blas_integer(Index x) const { return {x, narrow_in_blas}; }
  /// Calls a routine with the arguments in Fortran's order: pointers as they are, everything else by its address.
  /// Values of integers fit 32 bits, and are passed as wide as the library's integers. The caller's floating-point
  /// environment stays as it is. The caller has asked for the routine (require).
  template <class Result = void, class... Arguments>
  Result call(Routine routine, const Arguments&... arguments) const {
    static_assert(((!std::is_integral_v<Arguments> || sizeof(Arguments) == 1 || sizeof(Arguments) == 8) && ...));
    const auto address = [](const auto& argument) -> const void* {
      using Argument = std::remove_cvref_t<decltype(argument)>;
      if constexpr (std::is_pointer_v<Argument>)
        return argument;
      else if constexpr (std::is_same_v<Argument, BlasInteger>)
        return argument.address();
      else
        return &argument;
    };
    const bool narrow = is_lapack(routine) ? narrow_integers : narrow_in_blas;
    const auto in_memory = [narrow](const auto& argument) {
      using Argument = std::remove_cvref_t<decltype(argument)>;
      if constexpr (std::is_integral_v<Argument> && sizeof(Argument) == 8)
        return BlasInteger(argument, narrow);
      else
        return argument;
    };
    using Function = Result (*)(std::conditional_t<true, const void*, Arguments>...);
    const FpControl control;
    return reinterpret_cast<Function>(entries[number_of(routine)])(address(in_memory(arguments))...);
  }
};

/// Stack that a call of the routine by the real BLAS may need, with 64 KiB for accublas's own functions above it. Who
/// calls it sees to that (lib/base/stack.hpp), once a call and before anything is written. OpenBLAS 0.3.21 was seen to
/// take 44 KiB for a product with the kernels of Haswell, more on CPUs with AMX, and its GETRF, where threads share it,
/// 4.7 MiB.
constexpr std::size_t stack_of_blas(Operation operation) {
  return is_lapack(operation) ? std::size_t{6} << 20 : std::size_t{192} << 10;
}

/// The real BLAS, ready for a call in the present floating-point environment (lib/cpu/blas_calls.hpp has the calls): it
/// is loaded at first use, and its threads never take an environment other than accublas's own. To be asked before
/// every call. Throws Error(ACCUBLAS_ERROR_NO_BLAS), naming what was tried; a failure is not remembered.
const RealBlas& real_blas();
/// Whether there is one.
bool have_real_blas();
/// Whether there is a LAPACK with this routine.
bool have_lapack(Routine routine);

/// Makes a call by the real BLAS: a Level1, Level2, Level3, BatchCall, Factorization or Orthogonal of lib/call/ with
/// column-major arguments, which are checked and fit its integers (lib/cpu/blas_sizes.hpp). If the library lacks the
/// routine or has pivots of another width, or memory is missing, the function throws Error or bad_alloc before it
/// writes anything. The caller has seen to the stack.
template <template <class> class Call, class E>
void call_real_blas(const RealBlas& blas, const Call<E>& call);

}  // namespace accublas::cpu
