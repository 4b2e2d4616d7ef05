// Q and R of a tall matrix by two Cholesky factorizations (Cholesky QR twice: Yamamoto, Nakatsukasa, Yanagisawa and
// Fukaya, 2015). The deviation of Q's columns from orthonormal ones is computed in cr, or by sums with a bound of their
// errors, so that the test of it is a proof.
#pragma once

#include <limits>

#include "lib/base/exceptions.hpp"
#include "lib/lapack/calls.hpp"

namespace accublas::lapack {

/// Matrices with at least this many rows for each column count as tall.
inline constexpr Index tall_rows = 64;
/// GEQRF takes this way for matrices of at least so many numbers. Smaller ones are not worth that the host waits.
inline constexpr Index least_tall_numbers = Index{1} << 22;

/// The bound of the Frobenius norm of Q^H Q - I: that of reflectors with a margin.
template <class E>
double orthogonality_bound(Index n) {
  return 10 * static_cast<double>(n) * static_cast<double>(std::numeric_limits<RealOf<E>>::epsilon() / 2);
}

template <class E>
class CholeskyQr {
 public:
  /// Returns whether the matrix is tall and the workspace has room, and `more` numbers beside. Two calls share no
  /// user's workspace.
  static bool serves(const Orthogonal<E>& a, const Workspace& workspace, const ElementSteps<E>& steps, Index more = 0) {
    return a.m >= tall_rows * a.n && !workspace.buffer() &&
           static_cast<std::size_t>(numbers(a.m, a.n, steps) + more) <= workspace.available() / sizeof(E);
  }

  /// Returns how many numbers of memory the factorization of an m x n matrix takes.
  static Index numbers(Index m, Index n, const ElementSteps<E>& steps) {
    return m * n + 2 * n * n + steps.tall_gram_numbers(m, n);
  }

  /// `a` is the matrix that Q overwrites, with the strides of the caller's layout, and R is written to `r`. Products in
  /// `mode` need no user's workspace. The memory is taken here.
  CholeskyQr(Context& context, const Orthogonal<E>& a, const Matrix<E>& r, ElementSteps<E>& steps,
             const accublas_options* options, accublas_mode mode)
      : context_(context),
        o_(a),
        r_(r),
        steps_(steps),
        options_(options),
        mode_(mode),
        kept_(steps.take(o_.m * o_.n)),
        first_(steps.take(o_.n * o_.n)),
        gram_(steps.take(o_.n * o_.n)),
        by_kernels_(steps.tall_gram_numbers(o_.m, o_.n) > 0),
        sums_(by_kernels_ ? steps.take(steps.tall_gram_numbers(o_.m, o_.n)) : nullptr) {}

  /// Computes Q and R. Returns false, with A as it was, if Q's columns are not proved to be orthonormal up to
  /// orthogonality_bound; r then holds any numbers. Nothing is proved of R.
  bool run() {
    const Index m = o_.m, n = o_.n;
    steps_.run(CopyStep<E>{like_a(kept_, m), read_only(o_.a)}, m, n);
    bool proved = false;
    collect_exceptions([&] { proved = factor(); });  // numbers of an attempt that fails may overflow
    if (!proved) steps_.run(CopyStep<E>{o_.a, read_only(like_a(kept_, m))}, m, n);
    return proved;
  }

  /// Replaces Q, after a run that returned true, by the result of GEQRF: reflectors with the same Q, but for the signs
  /// of its columns, and R with those signs. `tau` receives the reflectors' factors.
  void make_reflectors(E* tau) {
    constexpr Index edge = 64;
    const Index m = o_.m, n = o_.n;
    const Matrix<E>& a = o_.a;
    const Calls calls(context_, options_, nullptr, mode_);
    for (Index first = 0; first < n; first += edge) {
      const Index end = std::min(first + edge, n), count = end - first, rest = n - end;
      const Matrix<E> diagonal = a.block(first, first);
      steps_.overwrite([&] { steps_.reflect({diagonal, r_.block(first, first), count, n - first, tau + first}); });
      if (rest == 0) break;
      const Matrix<E> below = a.block(end, first), right = a.block(first, end);
      divide(calls, diagonal, ACCUBLAS_UPPER, below, rest, count);
      divide(calls, diagonal, ACCUBLAS_LOWER, right, count, rest);
      calls.gemm(Gemm<E>{rest, rest, count, E{-1}, read_only(below), read_only(right), E{1}, a.block(end, end)});
    }
    if (m > n) divide_rows(calls, a, a.block(n, 0), m - n);
    steps_.overwrite(CopyStep<E>{a, read_only(r_), Triangle::upper, 0, true, false, true}, n, n);
  }

 private:
  /// Returns a matrix of n columns in memory of its own, in the caller's layout.
  Matrix<E> like_a(E* data, Index rows) const {
    return o_.by_rows ? Matrix<E>{data, o_.n, 1} : Matrix<E>{data, 1, rows};
  }

  bool factor() {
    const Index n = o_.n;
    const Matrix<E> first = like_a(first_, n), gram = like_a(gram_, n);
    {
      const Calls calls(context_, options_, nullptr, mode_);
      if (!half(calls, first) || !half(calls, gram)) return false;
      // R is the product of both factors.
      steps_.run(CopyStep<E>{r_, read_only(first), Triangle::upper, 0, true, true}, n, n);
      multiply(calls, triangle_call(Operation::trmm, ACCUBLAS_LEFT, ACCUBLAS_UPPER, ACCUBLAS_NON_UNIT, n, n), gram, r_);
    }
    const Calls calls(context_, options_, nullptr, ACCUBLAS_MODE_CR);
    if (by_kernels_) {
      steps_.tall_gram({read_only(o_.a), o_.m, n, gram, true, sums_});
    } else {
      steps_.run(FillStep<E>{gram, E{-1}}, n, n);
      add_gram(calls, E{1}, gram);
    }
    return calls.norm(n * n, Vector<const E>{gram_, 1}) <= static_cast<RealOf<E>>(largest_deviation());
  }
  /// Returns which norm of Q^H Q - I, as it was computed, proves orthogonality_bound. If that norm is small, the
  /// squares of the norms of Q's columns have a sum of nearly n, which bounds the errors of all products.
  double largest_deviation() const {
    const double bound = orthogonality_bound<E>(o_.n), roundoff = bound / (10 * static_cast<double>(o_.n));
    return by_kernels_ ? bound - (tall_gram_error + 0.01) * roundoff * static_cast<double>(o_.n) : bound;
  }
  /// Divides A by the factor of its Gram matrix, which `r` receives. Returns false if there is no factor.
  bool half(const Calls& calls, const Matrix<E>& r) {
    const Index n = o_.n;
    if (by_kernels_)
      steps_.tall_gram({read_only(o_.a), o_.m, n, r, false, sums_});
    else
      add_gram(calls, E{}, r);
    std::int64_t info = 0;
    Factorization<E> call{{Operation::potrf, is_complex<E>, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, n, n, 0, n, 0}};
    call.a = r;
    call.info = &info;
    calls.factorization(call);
    if (info != 0) return false;
    steps_.overwrite([&] { divide_rows(calls, r, o_.a, o_.m); });
    return true;
  }
  /// B = B R^-1 with the upper triangle of R, for rows of the caller's number of columns.
  void divide_rows(const Calls& calls, const Matrix<E>& r, const Matrix<E>& b, Index rows) const {
    if (by_kernels_)
      steps_.tall_divide(b, rows, o_.n, read_only(r));
    else
      divide(calls, r, ACCUBLAS_UPPER, b, rows, o_.n);
  }
  /// gram = A^H A + beta gram.
  void add_gram(const Calls& calls, const E& beta, const Matrix<E>& gram) const {
    calls.gemm(
        Gemm<E>{o_.n, o_.n, o_.m, E{1}, read_only(o_.a).transposed(), read_only(o_.a), beta, gram, is_complex<E>});
  }
  /// B = B U^-1 with an upper triangle, or B = L^-1 B with a lower one, whose diagonal has ones. B is rows x cols.
  void divide(const Calls& calls, const Matrix<E>& triangle, accublas_uplo uplo, const Matrix<E>& b, Index rows,
              Index cols) const {
    const bool upper = uplo == ACCUBLAS_UPPER;
    multiply(calls,
             triangle_call(Operation::trsm, upper ? ACCUBLAS_RIGHT : ACCUBLAS_LEFT, uplo,
                           upper ? ACCUBLAS_NON_UNIT : ACCUBLAS_UNIT, rows, cols),
             triangle, b);
  }
  static Level3<E> triangle_call(Operation kind, accublas_side side, accublas_uplo uplo, accublas_diag diag, Index rows,
                                 Index cols) {
    return {shape_with_side(kind, is_complex<E>, side, uplo, ACCUBLAS_NO_TRANS, diag, rows, cols, 0, 0, 0)};
  }
  /// Runs a call of TRMM or TRSM on matrices in the caller's layout.
  void multiply(const Calls& calls, Level3<E> call, const Matrix<E>& triangle, const Matrix<E>& b) const {
    const auto leading = [this](const Matrix<E>& x) { return o_.by_rows ? x.row_stride : x.col_stride; };
    call.lda = leading(triangle), call.ldb = leading(b);
    call.alpha = E{1};
    call.a = triangle.data;
    call.c = b.data;
    if (o_.by_rows) call.transpose();
    calls.level3(call);
  }

  Context& context_;
  const Orthogonal<E>& o_;
  const Matrix<E>& r_;
  ElementSteps<E>& steps_;
  const accublas_options* const options_;
  const accublas_mode mode_;
  E *const kept_, *const first_, *const gram_;
  const bool by_kernels_;
  E* const sums_;  ///< memory of tall_gram
};

/// Computes GEQRF of a tall matrix in `mode`. Returns false, with A as it was, if Cholesky's factorizations do not
/// serve the call, or if they do not prove that Q is orthonormal.
template <class E>
bool geqrf_by_cholesky(Context& context, const Orthogonal<E>& o, const Workspace& workspace, ElementSteps<E>& steps,
                       const accublas_options* options, accublas_mode mode) {
  const Index n = o.n;
  if (o.m < least_tall_numbers / n || !CholeskyQr<E>::serves(o, workspace, steps, n * n) || !steps.can_wait())
    return false;
  E* const numbers = steps.take(n * n);
  const Matrix<E> r = o.by_rows ? Matrix<E>{numbers, n, 1} : Matrix<E>{numbers, 1, n};
  CholeskyQr<E> qr(context, o, r, steps, options, mode);
  if (!qr.run()) return false;
  qr.make_reflectors(o.tau);
  return true;
}

}  // namespace accublas::lapack
