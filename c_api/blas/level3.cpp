// Level 3 under its BLAS names.
#include "lib/call/level3.hpp"

#include <utility>

#include "c_api/blas/described.hpp"
#include "lib/cpu/level3_calls.hpp"

namespace accublas::blas {
namespace {

/// A call of GEMM, with the arguments as column-major F77 has them; a transposition is 0 where the caller's was none.
/// `library` is the library's routine with options.
template <class T, Routine of_routine, auto library>
struct GemmCall : Names<T, of_routine> {
  accublas_transpose transa, transb;
  std::int64_t m, n, k;
  T alpha;
  const T* a;
  std::int64_t lda;
  const T* b;
  std::int64_t ldb;
  T beta;
  T* c;
  std::int64_t ldc;

  int first_bad() const { return check_gemm(ACCUBLAS_COL_MAJOR, transa, transb, m, n, k, lda, ldb, ldc).number; }

  CblasComplaint bad_option() const {
    if (!valid_transpose(transa)) return {2, "Illegal TransA setting, %d\n", transa};
    if (!valid_transpose(transb)) return {3, "Illegal TransB setting, %d\n", transb};
    return {};
  }

  void transpose() {
    std::swap(transa, transb);
    std::swap(m, n);
    std::swap(a, b);
    std::swap(lda, ldb);
  }

  void run() const {
    const bool small = cpu::fits_integers(m, n, k, lda, ldb, ldc);
    const auto on_real = [&](const cpu::RealBlas& blas) {
      cpu::call_gemm(blas, cpu::op_letter<T>(transa), cpu::op_letter<T>(transb), m, n, k, alpha, a, lda, b, ldb, beta,
                     c, ldc);
    };
    if (small && served_natively(of_routine, m, n, k, 0, on_real)) return;
    serve(
        of_routine, !(beta == 0), small,
        [&](const accublas_options* options) {
          return library(nullptr, ACCUBLAS_COL_MAJOR, transa, transb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc,
                         options);
        },
        on_real);
  }
};

/// A call of another routine of level 3, with the arguments as column-major F77 has them.
template <Operation kind, class E>
struct Level3Call : Level3<E>, Names<E, Routine{kind, type_of<E>}> {
  /// b and beta are null where the routine has none.
  template <class Alpha, class Beta>
  Level3Call(const Level3Shape& shape, Alpha alpha, const E* a, const E* b, Beta beta, E* c)
      : Level3<E>{shape, E{alpha}, a, b, number<E>(beta), c} {}

  int first_bad() const { return check_level3(ACCUBLAS_COL_MAJOR, *this).number; }

  CblasComplaint bad_option() const {
    const Level3<E>& l = *this;
    int number = 1;
    if constexpr (is_symm(kind) || is_in_place(kind))
      if (++number; !valid_side(l.side)) return {number, "Illegal Side setting, %d\n", l.side};
    if (++number; !valid_uplo(l.uplo)) return {number, "Illegal Uplo setting, %d\n", l.uplo};
    if constexpr (!is_symm(kind))
      if (++number; !valid_transpose_a(l)) return {number, "Illegal Trans setting, %d\n", l.transa};
    if constexpr (kind == Operation::gemmt)
      if (++number; !valid_transpose(l.transb)) return {number, "Illegal Trans setting, %d\n", l.transb};
    if constexpr (is_in_place(kind))
      if (++number; !valid_diag(l.diag)) return {number, "Illegal Diag setting, %d\n", l.diag};
    return {};
  }

  void run() const {
    const Level3<E>& l = *this;
    const bool small = cpu::fits_blas(l);
    const E alpha = conjugate_if(l.conjugate_alpha, l.alpha);
    const auto on_real = [&](const cpu::RealBlas& blas) {
      Level3<E> call = l;
      call.alpha = alpha;
      cpu::call_level3(blas, call);
    };
    if (small && served_natively(this->served, l.rows(), l.n, l.inner(), 0, on_real)) return;
    serve(
        this->served, is_in_place(kind) || !(l.beta == 0), small,
        [&](const accublas_options* options) {
          return accublas_private_level3(l, is_single_precision<E>, &alpha, l.a, l.b, &l.beta, l.c, options);
        },
        on_real);
  }
};

}  // namespace

#include "c_api/blas/level3_names.inc"

}  // namespace accublas::blas
