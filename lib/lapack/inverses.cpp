#include "lib/lapack/inverses.hpp"

#include <exception>
#include <utility>

#include "lib/base/test_hooks.hpp"
#include "lib/lapack/calls.hpp"
#include "lib/numerics/float_bits.hpp"
#include "lib/run.hpp"

namespace accublas {

namespace {

constexpr Index edge = 64;  // columns of a block

template <class E>
bool is_finite_number(const E& z) {
  if constexpr (is_complex<E>)
    return is_finite(z.re) && is_finite(z.im);
  else
    return is_finite(z);
}

/// One routine in A's memory, in cr: calls overwrite blocks in memory of their own, of which what lies in the triangle
/// is put back.
template <class E>
class Inverse {
 public:
  /// Takes all memory but that of the calls.
  Inverse(Context& context, const Factorization<E>& f, Workspace& workspace, const accublas_options* options)
      : f_(f),
        a_(f.a),
        n_(f.n),
        by_rows_(f.a.row_stride != 1),
        upper_(f.kind == FactorizationKind::getri || f.uplo == ACCUBLAS_UPPER),
        width_(width_of_blocks(workspace)),
        block_(workspace.take<E>(static_cast<std::size_t>(n_ * width_))),
        calls_(context, options, &workspace) {}

  void run() {
    try {
      if (f_.kind != FactorizationKind::lauum) invert_triangle();
      if (f_.kind == FactorizationKind::lauum || f_.kind == FactorizationKind::potri) multiply_by_itself();
      if (f_.kind == FactorizationKind::getri) {
        solve_by_l();
        swap_rows(a_.transposed(), 0, n_, f_.pivots, 0, n_, !mutant(Mutant::inverse_exchange));
      }
    } catch (const std::exception& error) {
      if (wrote_) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
      throw;
    }
  }

  std::int64_t peak() const { return calls_.peak(); }

 private:
  /// Half of the workspace is the calls'.
  Index width_of_blocks(const Workspace& workspace) const {
    const Index fit = static_cast<Index>(workspace.available() / sizeof(E)) / (2 * n_);
    return std::clamp<Index>(fit, 1, std::min<Index>(n_, hook_block(edge)));
  }

  /// A block as the caller's matrices lie.
  Matrix<E> block(Index rows, Index cols) const {
    return by_rows_ ? Matrix<E>{block_, cols, 1} : Matrix<E>{block_, 1, rows};
  }
  static Index leading_dimension(const Matrix<E>& m) { return std::max(m.row_stride, m.col_stride); }
  /// TRMM or TRSM with the triangle of `a`; b is overwritten.
  void call(Level3Kind kind, accublas_side side, accublas_uplo uplo, accublas_transpose trans, accublas_diag diag,
            Index rows, Index cols, const Matrix<E>& a, const Matrix<E>& b) {
    Level3<E> problem{shape_with_side(kind, is_complex<E>, side, uplo, trans, diag, rows, cols, leading_dimension(a),
                                      leading_dimension(b), 0)};
    problem.alpha = E{1};
    problem.a = a.data;
    problem.c = b.data;
    if (by_rows_) problem.transpose();
    calls_.level3(problem);
  }

  /// Rows of column j in the triangle.
  Index first_row(Index j) const { return upper_ ? 0 : j; }
  Index end_row(Index j) const { return upper_ ? j + 1 : n_; }
  bool is_unit() const { return f_.diag == ACCUBLAS_UNIT; }

  bool column_is_finite(Index j) const {
    if (mutant(Mutant::inverse_block)) return true;
    for (Index i = first_row(j); i < end_row(j); ++i)
      if (!(is_unit() && i == j) && !is_finite_number(a_(i, j))) return false;
    return true;
  }

  /// Columns of X from those that no other needs on, each the solution by the triangle of its own order. A block has
  /// the largest order of its columns: the unknowns that others have too many are zeros, which change nothing where
  /// their columns of A are finite.
  void invert_triangle() {
    for (Index done = 0; done < n_;) {
      Index count = 1;
      const auto place = [&](Index k) { return upper_ ? n_ - 1 - k : k; };
      while (done + count < n_ && count < width_ && column_is_finite(place(done + count - 1))) ++count;
      const Index begin = upper_ ? n_ - done - count : done, end = begin + count;
      const Index first = upper_ ? 0 : begin, order = upper_ ? end : n_ - begin;
      const Matrix<E> x = block(order, count);
      for (Index j = 0; j < count; ++j)
        for (Index i = 0; i < order; ++i) x(i, j) = E{RealOf<E>(first + i == begin + j ? 1 : 0)};
      call(Level3Kind::trsm, ACCUBLAS_LEFT, triangle(), ACCUBLAS_NO_TRANS, f_.diag, order, count,
           a_.block(first, first), x);
      wrote_ = true;
      for (Index j = begin; j < end; ++j)
        for (Index i = first_row(j); i < end_row(j); ++i)
          if (!(is_unit() && i == j)) a_(i, j) = x(i - first, j - begin);
      done += count;
    }
  }
  accublas_uplo triangle() const { return upper_ ? ACCUBLAS_UPPER : ACCUBLAS_LOWER; }

  /// U U^H by rows of U from the first on, L^H L by columns of L: what they are multiplied by has not been overwritten.
  void multiply_by_itself() {
    for (Index begin = 0, end = 0; begin < n_; begin = end) {
      end = std::min(n_, begin + width_);
      const Index rows = upper_ ? end - begin : n_ - begin, cols = upper_ ? n_ - begin : end - begin;
      const Matrix<E> a = a_.block(begin, begin), x = block(rows, cols);
      const auto in_triangle = [&](Index i, Index j) { return upper_ ? i <= j : i >= j; };
      for (Index j = 0; j < cols; ++j)
        for (Index i = 0; i < rows; ++i) x(i, j) = in_triangle(i, j) ? a(i, j) : E{};
      const accublas_transpose turned = mutant(Mutant::square_conjugate) ? ACCUBLAS_TRANS : ACCUBLAS_CONJ_TRANS;
      call(Level3Kind::trmm, upper_ ? ACCUBLAS_RIGHT : ACCUBLAS_LEFT, triangle(), turned, ACCUBLAS_NON_UNIT, rows, cols,
           a, x);
      wrote_ = true;
      for (Index j = 0; j < cols; ++j)
        for (Index i = 0; i < rows; ++i)
          if (in_triangle(i, j)) a(i, j) = x(i, j);
      if constexpr (is_complex<E>)
        for (Index i = 0; i < end - begin; ++i) a(i, i).im = 0;
    }
  }

  /// X L = V, the upper triangle of A, column by column: one of L at a time makes room for X's. The last is V's, but
  /// for zeros of V that underflow left negative: an unknown that is zero exactly is +0.
  void solve_by_l() {
    for (Index i = 0; i < n_; ++i) {
      E& x = a_(i, n_ - 1);
      if constexpr (is_complex<E>) {
        if (x.re == 0) x.re = 0;
        if (x.im == 0) x.im = 0;
      } else if (x == 0) {
        x = 0;
      }
    }
    for (Index j = n_ - 2; j >= 0; --j) {
      const Index known = n_ - 1 - j;
      for (Index i = 0; i < known; ++i) block_[i] = std::exchange(a_(j + 1 + i, j), E{});
      const Matrix<E> x = a_.block(0, j + 1);
      calls_.gemv(Gemv<E>{n_, known, E{-1}, {x.data, x.row_stride, x.col_stride}, {block_, 1}, E{1}, a_.col(j)});
    }
  }

  const Factorization<E>& f_;
  const Matrix<E> a_;
  const Index n_;
  const bool by_rows_, upper_;
  const Index width_;
  E* const block_;
  bool wrote_ = false;
  lapack::Calls calls_;
};

/// The number of the first zero on the diagonal, counted from 1, or 0.
template <class E>
Index singular(const Factorization<E>& f) {
  if (f.kind == FactorizationKind::lauum || f.diag == ACCUBLAS_UNIT) return 0;
  for (Index i = 0; i < f.n; ++i)
    if (f.a(i, i) == 0) return i + 1;
  return 0;
}

}  // namespace

template <class E>
void run_inverse(Context& context, const Factorization<E>& f, const accublas_options* options) {
  Run run(context, f.routine(), options);
  run.sizes(f.n, f.n, f.n);
  if (f.n > 0) {
    const Named a{"a", f.a.data}, ipiv{"ipiv", f.pivots.data};
    const CallShape shape(f.n, f.n, f.n);
    has_uplo(f.kind) ? run.operands({a}, {}, shape) : run.operands({a, ipiv}, {}, shape);
    if (f.kind == FactorizationKind::getri) require_pivots(f.pivots, f.n);
    run.promise(f.n, E{1});
    *f.info = 0;
    if (run.engine() == ACCUBLAS_ENGINE_NATIVE)
      run.compute(f, static_cast<const E*>(nullptr), static_cast<const E*>(nullptr), false, &Backend::factorization);
    else if (*f.info = singular(f); *f.info == 0)
      run.compose([&](Workspace& workspace) {
        Inverse<E> inverse(context, f, workspace, options);
        inverse.run();
        return inverse.peak();
      });
  } else {
    *f.info = 0;
  }
  run.finish();
}

template void run_inverse(Context&, const Factorization<double>&, const accublas_options*);
template void run_inverse(Context&, const Factorization<float>&, const accublas_options*);
template void run_inverse(Context&, const Factorization<Complex<double>>&, const accublas_options*);
template void run_inverse(Context&, const Factorization<Complex<float>>&, const accublas_options*);

}  // namespace accublas
