// Level 2 under its BLAS names.
#include "lib/call/level2.hpp"

#include <utility>
#include <vector>

#include "c_api/blas/described.hpp"
#include "lib/cpu/level2_calls.hpp"

namespace accublas::blas {
namespace {

/// A call of GEMV, with the arguments as column-major F77 has them; trans is 0 where the caller's was none. `library`
/// is the library's routine with options.
template <class T, Routine of_routine, auto library>
struct GemvCall : Names<T, of_routine> {
  accublas_transpose trans;
  std::int64_t m, n;
  T alpha;
  const T* a;
  std::int64_t lda;
  const T* x;
  std::int64_t incx;
  T beta;
  T* y;
  std::int64_t incy;
  /// A row-major call's conjugate transpose: NO_TRANS of the conjugate matrix, for which F77 has no letter.
  bool conjugate = false;

  int first_bad() const { return check_gemv(ACCUBLAS_COL_MAJOR, trans, m, n, lda, incx, incy).number; }

  CblasComplaint bad_option() const {
    if (!valid_transpose(trans)) return {2, "Illegal TransA setting, %d\n", trans};
    return {};
  }

  void transpose() {
    conjugate = is_complex<T> && trans == ACCUBLAS_CONJ_TRANS;
    trans = trans == ACCUBLAS_NO_TRANS ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS;
    std::swap(m, n);
  }

  void run() const {
    const bool plain = trans == ACCUBLAS_NO_TRANS;
    const std::int64_t outputs = plain ? m : n, terms = plain ? n : m;
    const bool small = cpu::fits_integers(m, n, lda) && cpu::fits_vector(terms, incx, is_complex<T>) &&
                       cpu::fits_vector(outputs, incy, is_complex<T>);
    const auto on_real = [&](const cpu::RealBlas& blas) { run_on(blas); };
    if (small && served_natively(of_routine, outputs, 1, terms, 0, on_real)) return;
    serve(
        of_routine, !(beta == 0), small,
        [&](const accublas_options* options) {
          if (conjugate)
            return library(nullptr, ACCUBLAS_ROW_MAJOR, ACCUBLAS_CONJ_TRANS, n, m, &alpha, a, lda, x, incx, &beta, y,
                           incy, options);
          return library(nullptr, ACCUBLAS_COL_MAJOR, trans, m, n, &alpha, a, lda, x, incx, &beta, y, incy, options);
        },
        on_real);
  }

 private:
  void run_on(const cpu::RealBlas& blas) const {
    if constexpr (is_complex<T>)
      if (conjugate) return run_conjugate_on(blas);
    cpu::call_gemv(blas, cpu::op_letter<T>(trans), m, n, alpha, a, lda, x, incx, beta, y, incy);
  }

  /// y = alpha conj(A) x + beta y by the conjugates of all else.
  void run_conjugate_on(const cpu::RealBlas& blas) const {
    std::vector<T> conjugate_x;
    if (m > 0 && !(alpha == 0)) conjugate_x = cpu::conjugates(n, x, incx);
    if (m > 0 && n > 0 && !(beta == 0)) cpu::conjugate_in_place(m, y, incy);
    cpu::call_gemv(blas, 'N', m, n, conjugate_if(true, alpha), a, lda, conjugate_x.data(), incx < 0 ? -1 : 1,
                   conjugate_if(true, beta), y, incy);
    if (m > 0 && n > 0) cpu::conjugate_in_place(m, y, incy);
  }
};

/// A call of another routine of level 2, with the arguments as column-major F77 has them.
template <Operation kind, class E>
struct Level2Call : Level2<E>, Names<E, Routine{kind, type_of<E>}> {
  /// An operand that the routine lacks is null.
  template <class Alpha, class Beta>
  Level2Call(const Level2Shape& shape, Alpha alpha, const E* a, const E* x, const E* y, Beta beta, E* c)
      : Level2<E>{shape} {
    if constexpr (!std::is_null_pointer_v<Alpha>) this->alpha = E{alpha};
    if constexpr (!std::is_null_pointer_v<Beta>) this->beta = E{beta};
    this->a = a;
    this->x = x;
    this->y = y;
    this->c = c;
  }

  int first_bad() const { return check_level2(ACCUBLAS_COL_MAJOR, *this).number; }

  CblasComplaint bad_option() const {
    if constexpr (is_ger(kind)) return {};
    if (!valid_uplo(this->uplo)) return {2, "Illegal Uplo setting, %d\n", this->uplo};
    if constexpr (is_triangular(kind)) {
      if (!valid_transpose(this->trans)) return {3, "Illegal TransA setting, %d\n", this->trans};
      if (!valid_diag(this->diag)) return {4, "Illegal Diag setting, %d\n", this->diag};
    }
    return {};
  }

  void run() const {
    const Level2<E>& l = *this;
    const bool small = cpu::fits_blas(l);
    const auto on_real = [&](const cpu::RealBlas& blas) { cpu::call_level2<E>(blas, l); };
    if (small && served_natively(this->served, l.rows(), l.cols(), l.inner(), 0, on_real)) return;
    serve(
        this->served, !is_symv(kind) || !(l.beta == 0), small,
        [&](const accublas_options* options) {
          return accublas_private_level2(l, is_single_precision<E>, &l.alpha, l.a, l.x, l.y, &l.beta, l.c, options);
        },
        on_real);
  }
};

}  // namespace

#include "c_api/blas/level2_names.inc"

}  // namespace accublas::blas
