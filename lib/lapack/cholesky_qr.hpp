// Q and R of a tall matrix by two Cholesky factorizations (Cholesky QR twice: Yamamoto, Nakatsukasa, Yanagisawa and
// Fukaya, 2015). The deviation of Q's columns from orthonormal ones is computed in cr, so that the test of it is a
// proof.
#pragma once

#include <limits>

#include "lib/base/exceptions.hpp"
#include "lib/lapack/calls.hpp"

namespace accublas::lapack {

/// Matrices with at least this many rows for each column count as tall.
inline constexpr Index tall_rows = 64;

/// The bound of the Frobenius norm of Q^H Q - I: that of reflectors with a margin.
template <class E>
double orthogonality_bound(Index n) {
  return 10 * static_cast<double>(n) * static_cast<double>(std::numeric_limits<RealOf<E>>::epsilon() / 2);
}

template <class E>
class CholeskyQr {
 public:
  /// Returns how many numbers of memory the factorization of an m x n matrix takes.
  static Index numbers(Index m, Index n) { return m * n + 2 * n * n; }

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
        gram_(steps.take(o_.n * o_.n)) {}

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
      multiply(calls, Operation::trmm, ACCUBLAS_LEFT, gram, r_, n);
    }
    const Calls calls(context_, options_, nullptr, ACCUBLAS_MODE_CR);
    steps_.run(FillStep<E>{gram, E{-1}}, n, n);
    add_gram(calls, E{1}, gram);
    return calls.norm(n * n, Vector<const E>{gram_, 1}) <= static_cast<RealOf<E>>(orthogonality_bound<E>(n));
  }
  /// Divides A by the factor of its Gram matrix, which `r` receives. Returns false if there is no factor.
  bool half(const Calls& calls, const Matrix<E>& r) {
    const Index n = o_.n;
    add_gram(calls, E{}, r);
    std::int64_t info = 0;
    Factorization<E> call{{Operation::potrf, is_complex<E>, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, n, n, 0, n, 0}};
    call.a = r;
    call.info = &info;
    calls.factorization(call);
    if (info != 0) return false;
    steps_.overwrite([&] { multiply(calls, Operation::trsm, ACCUBLAS_RIGHT, r, o_.a, o_.m); });
    return true;
  }
  /// gram = A^H A + beta gram.
  void add_gram(const Calls& calls, const E& beta, const Matrix<E>& gram) const {
    calls.gemm(
        Gemm<E>{o_.n, o_.n, o_.m, E{1}, read_only(o_.a).transposed(), read_only(o_.a), beta, gram, is_complex<E>});
  }
  /// B = R B or B R^-1 (TRMM from the left, TRSM from the right) for B of `rows` rows, all in the caller's layout.
  void multiply(const Calls& calls, Operation kind, accublas_side side, const Matrix<E>& r, const Matrix<E>& b,
                Index rows) const {
    const auto leading = [this](const Matrix<E>& x) { return o_.by_rows ? x.row_stride : x.col_stride; };
    Level3<E> call{shape_with_side(kind, is_complex<E>, side, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT,
                                   rows, o_.n, leading(r), leading(b), 0)};
    call.alpha = E{1};
    call.a = r.data;
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
};

}  // namespace accublas::lapack
