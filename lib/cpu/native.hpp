// The real BLAS: the OpenBLAS that the program has loaded itself (under any spelling of lib/call/blas_spellings.hpp),
// else the system's libopenblas.so.0 or libblas.so.3; reached through accublas's own handle, so that a preloaded
// drop-in cannot call itself.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "lib/base/error.hpp"
#include "lib/call/routine.hpp"
#include "lib/numerics/complex.hpp"

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

/// Fortran entry points of the real BLAS. Its integers may have 32 or 64 bits, and a call serves both: values fit 32
/// bits and lie in 64, of which a library with 32-bit integers reads the low half.
struct RealBlas {
  using F77Int = std::int64_t;
  static_assert(std::endian::native == std::endian::little);
  void (*dgemm)(const char*, const char*, const F77Int*, const F77Int*, const F77Int*, const double*, const double*,
                const F77Int*, const double*, const F77Int*, const double*, double*, const F77Int*);
  void (*sgemm)(const char*, const char*, const F77Int*, const F77Int*, const F77Int*, const float*, const float*,
                const F77Int*, const float*, const F77Int*, const float*, float*, const F77Int*);
  void (*zgemm)(const char*, const char*, const F77Int*, const F77Int*, const F77Int*, const Complex<double>*,
                const Complex<double>*, const F77Int*, const Complex<double>*, const F77Int*, const Complex<double>*,
                Complex<double>*, const F77Int*);
  void (*cgemm)(const char*, const char*, const F77Int*, const F77Int*, const F77Int*, const Complex<float>*,
                const Complex<float>*, const F77Int*, const Complex<float>*, const F77Int*, const Complex<float>*,
                Complex<float>*, const F77Int*);
  void (*zgemv)(const char*, const F77Int*, const F77Int*, const Complex<double>*, const Complex<double>*,
                const F77Int*, const Complex<double>*, const F77Int*, const Complex<double>*, Complex<double>*,
                const F77Int*);
  void (*cgemv)(const char*, const F77Int*, const F77Int*, const Complex<float>*, const Complex<float>*, const F77Int*,
                const Complex<float>*, const F77Int*, const Complex<float>*, Complex<float>*, const F77Int*);
  // x^T y and x^H y.
  F77Complex<double> (*zdot[2])(const F77Int*, const Complex<double>*, const F77Int*, const Complex<double>*,
                                const F77Int*);
  F77Complex<float> (*cdot[2])(const F77Int*, const Complex<float>*, const F77Int*, const Complex<float>*,
                               const F77Int*);
  double (*dznrm2)(const F77Int*, const Complex<double>*, const F77Int*);
  float (*scnrm2)(const F77Int*, const Complex<float>*, const F77Int*);
  double (*dzasum)(const F77Int*, const Complex<double>*, const F77Int*);
  float (*scasum)(const F77Int*, const Complex<float>*, const F77Int*);
  void (*dgemv)(const char*, const F77Int*, const F77Int*, const double*, const double*, const F77Int*, const double*,
                const F77Int*, const double*, double*, const F77Int*);
  void (*sgemv)(const char*, const F77Int*, const F77Int*, const float*, const float*, const F77Int*, const float*,
                const F77Int*, const float*, float*, const F77Int*);
  double (*ddot)(const F77Int*, const double*, const F77Int*, const double*, const F77Int*);
  float (*sdot)(const F77Int*, const float*, const F77Int*, const float*, const F77Int*);
  double (*dnrm2)(const F77Int*, const double*, const F77Int*);
  float (*snrm2)(const F77Int*, const float*, const F77Int*);
  double (*dasum)(const F77Int*, const double*, const F77Int*);
  float (*sasum)(const F77Int*, const float*, const F77Int*);
  // DSDOT and SDSDOT, and the rest of level 2: null where it has none.
  double (*dsdot)(const F77Int*, const float*, const F77Int*, const float*, const F77Int*);
  float (*sdsdot)(const F77Int*, const float*, const float*, const F77Int*, const float*, const F77Int*);
  // The rest of levels 2 and 3 and LAPACK's routines by number_of, LAPACK's of liblapack.so.3 where it has none itself;
  // null where it has none, and for GEMMT, which is products of GEMM.
  void* described[routine_count];
  bool narrow_integers;  ///< of LAPACK's arrays of integers: 32 bits, not 64
  void (*xerbla)(const char* routine, const F77Int* argument, std::size_t length);  ///< null where it has none
  const char* library;                                                              ///< file that was loaded
  int integer_bytes() const { return narrow_integers ? 4 : 8; }
  /// The first routine that it lacks of those that a call of `routine` makes (lib/cpu/blas_calls.hpp and the headers
  /// beside it), or none.
  std::optional<Routine> lacks(Routine routine) const {
    using enum Operation;
    const auto first_of = [&](std::initializer_list<Operation> operations) -> std::optional<Routine> {
      for (const Operation operation : operations)
        if (const Routine part{operation, routine.type}; !described[number_of(part)]) return part;
      return {};
    };
    const bool complex = is_complex_routine(routine);
    switch (routine.operation) {
      case mixed_dot:
        return (is_single(routine) ? sdsdot != nullptr : dsdot != nullptr) ? std::nullopt : std::optional(routine);
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
        if (is_lapack(routine) || is_level2(routine) || (is_level3(routine) && routine.operation != gemmt))
          return first_of({routine});
        return {};
    }
  }
  /// Throws Error(ACCUBLAS_ERROR_NO_BLAS) where it lacks a routine that the call makes. Ask before the first write.
  void require(Routine routine) const {
    if (const std::optional<Routine> missing = lacks(routine))
      throw Error(ACCUBLAS_ERROR_NO_BLAS, std::string("the real BLAS has no ") + routine_name(*missing) +
                                              (is_lapack(*missing) ? ", nor has liblapack.so.3" : ""));
  }
  bool reads_result;  ///< its GEMM was seen to read C where beta = 0
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

/// Makes a call by the real BLAS: a Level1, Level2, Level3, Factorization or Orthogonal of lib/call/ with column-major
/// arguments, which are checked and fit its integers (lib/cpu/blas_sizes.hpp). If the library lacks the routine or has
/// pivots of another width, or memory is missing, the function throws Error or bad_alloc before it writes anything. The
/// caller has seen to the stack.
template <template <class> class Call, class E>
void call_real_blas(const RealBlas& blas, const Call<E>& call);

}  // namespace accublas::cpu
