#include "lib/lapack/inverses.hpp"

#include <vector>

#include "lib/base/exceptions.hpp"
#include "lib/call/element_steps.hpp"
#include "lib/lapack/calls.hpp"
#include "lib/numerics/result_exceptions.hpp"
#include "lib/runtime/run.hpp"

namespace accublas {

namespace {

constexpr Index edge = 64;  // columns of a block

/// Runs one routine in A's memory, by products in `mode`. Calls overwrite blocks in separate memory; the parts of a
/// block that are in the triangle are then copied back.
template <class E>
class InverseCall {
 public:
  /// Takes all memory except that of the calls.
  InverseCall(Context& context, const Factorization<E>& f, Workspace& workspace, ElementSteps<E>& steps,
              const accublas_options* options, accublas_mode mode)
      : f_(f),
        steps_(steps),
        a_(f.a),
        n_(f.n),
        by_rows_(f.a.row_stride != 1),
        upper_(f.kind == Operation::getri || f.uplo == ACCUBLAS_UPPER),
        width_(width_of_blocks(workspace)),
        block_(steps.take(n_ * width_)),
        calls_(context, options, &workspace, mode, static_cast<std::size_t>(n_) * sizeof(E)) {}

  void run() {
    if (f_.kind != Operation::lauum) invert_triangle();
    if (f_.kind == Operation::lauum || f_.kind == Operation::potri) multiply_by_itself();
    if (f_.kind == Operation::getri) {
      solve_by_l();
      steps_.exchange(a_.transposed(), n_, f_.pivots, n_, true);
    }
  }

  std::int64_t peak() const { return calls_.peak(); }

 private:
  /// Half of the workspace belongs to the calls.
  Index width_of_blocks(const Workspace& workspace) const {
    const Index fit = static_cast<Index>(workspace.available() / sizeof(E)) / (2 * n_);
    return std::clamp<Index>(fit, 1, std::min<Index>(n_, edge));
  }

  /// Returns a block that is stored by rows or columns as the caller's matrices are.
  Matrix<E> block(Index rows, Index cols) const {
    return by_rows_ ? Matrix<E>{block_, cols, 1} : Matrix<E>{block_, 1, rows};
  }
  static Index leading_dimension(const Matrix<E>& m) { return std::max(m.row_stride, m.col_stride); }
  /// Runs TRMM or TRSM with the triangle of `a`; b is overwritten.
  void call(Operation kind, accublas_side side, accublas_uplo uplo, accublas_transpose trans, accublas_diag diag,
            Index rows, Index cols, const Matrix<E>& a, const Matrix<E>& b) {
    Level3<E> problem{shape_with_side(kind, is_complex<E>, side, uplo, trans, diag, rows, cols, leading_dimension(a),
                                      leading_dimension(b), 0)};
    problem.alpha = E{1};
    problem.a = a.data;
    problem.c = b.data;
    if (by_rows_) problem.transpose();
    calls_.level3(problem);
  }

  bool is_unit() const { return f_.diag == ACCUBLAS_UNIT; }
  Triangle part() const { return upper_ ? Triangle::upper : Triangle::lower; }

  /// Returns how many columns of A from the `done`-th on make a block. A column with a NaN or an infinity ends the
  /// block.
  Index columns_of_block(Index done) const {
    const Index most = std::min(width_, n_ - done);
    const Index column = upper_ ? n_ - 1 - done : done;
    const Matrix<E> x = a_.block(0, column);
    const Index bad = steps_.first({ElementQuestion<E>::Kind::not_finite,
                                    {x.data, x.row_stride, upper_ ? -x.col_stride : x.col_stride},
                                    part(),
                                    column,
                                    upper_ ? -1 : 1,
                                    is_unit()},
                                   n_, most - 1);
    return bad < 0 ? most : bad / n_ + 1;
  }

  /// Computes columns of X, beginning with those that no other column needs. Each is a solution with the triangle of
  /// its own order. A block has the largest order of its columns: the surplus unknowns of the others are zeros, which
  /// change nothing if their columns of A are finite.
  void invert_triangle() {
    for (Index done = 0; done < n_;) {
      const Index count = columns_of_block(done);
      const Index begin = upper_ ? n_ - done - count : done, end = begin + count;
      const Index first = upper_ ? 0 : begin, order = upper_ ? end : n_ - begin;
      const Matrix<E> x = block(order, count);
      steps_.run(FillStep<E>{x, E{1}, first - begin}, order, count);
      call(Operation::trsm, ACCUBLAS_LEFT, triangle(), ACCUBLAS_NO_TRANS, f_.diag, order, count, a_.block(first, first),
           x);
      steps_.overwrite(CopyStep<E>{a_.block(first, begin), read_only(x), part(), begin - first, !is_unit()}, order,
                       count);
      done += count;
    }
  }
  accublas_uplo triangle() const { return upper_ ? ACCUBLAS_UPPER : ACCUBLAS_LOWER; }

  /// Computes U U^H by rows of U from the first on, or L^H L by columns of L, so that a factor is read before it is
  /// overwritten.
  void multiply_by_itself() {
    for (Index begin = 0, end = 0; begin < n_; begin = end) {
      end = std::min(n_, begin + width_);
      const Index rows = upper_ ? end - begin : n_ - begin, cols = upper_ ? n_ - begin : end - begin;
      const Matrix<E> a = a_.block(begin, begin), x = block(rows, cols);
      steps_.run(CopyStep<E>{x, read_only(a), part(), 0, true, true}, rows, cols);
      // The product also has elements outside the triangle, whose exceptions do not count.
      const unsigned of_all = collect_exceptions([&] {
        call(Operation::trmm, upper_ ? ACCUBLAS_RIGHT : ACCUBLAS_LEFT, triangle(), ACCUBLAS_CONJ_TRANS,
             ACCUBLAS_NON_UNIT, rows, cols, a, x);
      });
      if (of_all != exceptions::none) signal_products(a, x, rows, cols);
      steps_.overwrite(CopyStep<E>{a, read_only(x), part(), 0, true, false, true}, rows, cols);
    }
  }

  /// Signals the exceptions of a triangle of products `x` of the rows or columns of a triangle `a` in host memory.
  void signal_products(const Matrix<E>& a, const Matrix<E>& x, Index rows, Index cols) const {
    const auto parts = [](const E& z, auto&& body) {
      if constexpr (is_complex<E>)
        body(z.re), body(z.im);
      else
        body(z);
    };
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i) {
        if (!holds(part(), i, j)) continue;
        E result = x(i, j);
        if constexpr (is_complex<E>)
          if (i == j) result.im = 0;
        OperandKinds operands;
        for (Index k = std::max(i, j); k < (upper_ ? cols : rows); ++k)
          for (const Index line : {i, j}) parts(upper_ ? a(line, k) : a(k, line), [&](auto z) { operands.add(z); });
        parts(result, [&](auto z) { signal_exceptions(operands.exceptions_of(z)); });
      }
  }

  /// Solves X L = V, where V is the upper triangle of A, column by column: each column of L is copied, which makes room
  /// for that of X. The last column is V's. A zero of V that underflow left negative becomes +0, since an unknown that
  /// is zero exactly is +0.
  void solve_by_l() {
    steps_.run(PositiveZerosStep<E>{a_.block(0, n_ - 1)}, n_, 1);
    for (Index j = n_ - 2; j >= 0; --j) {
      const Index known = n_ - 1 - j;
      const Matrix<E> l = a_.block(j + 1, j);
      steps_.run(CopyStep<E>{{block_, 1, known}, read_only(l)}, known, 1);
      steps_.run(FillStep<E>{l}, known, 1);
      const Matrix<E> x = a_.block(0, j + 1);
      calls_.gemv(Gemv<E>{n_, known, E{-1}, {x.data, x.row_stride, x.col_stride}, {block_, 1}, E{1}, a_.col(j)});
    }
  }

  const Factorization<E>& f_;
  ElementSteps<E>& steps_;
  const Matrix<E> a_;
  const Index n_;
  const bool by_rows_, upper_;
  const Index width_;
  E* const block_;
  lapack::Calls calls_;
};

/// Returns the number of the first zero on the diagonal, counted from 1, or 0.
template <class E>
Index singular(const Factorization<E>& f, ElementSteps<E>& steps) {
  if (f.kind == Operation::lauum || f.diag == ACCUBLAS_UNIT) return 0;
  const Matrix<const E> diagonal{f.a.data, f.a.row_stride + f.a.col_stride, 1};
  return 1 + steps.first({ElementQuestion<E>::Kind::zero, diagonal}, f.n, 1);
}

}  // namespace

template <class E>
void run_inverse(Context& context, const Factorization<E>& f, const accublas_options* options) {
  Run run(context, f.routine(), options);
  run.sizes(f.n, f.n, f.n);
  const Named a{"a", f.a.data, sizeof(E)}, ipiv{"ipiv", f.pivots.data}, info{"info", f.info};
  const bool info_on_device = run.is_device_memory(info);
  std::vector<Named> operands;
  if (f.n > 0) operands.push_back(a);
  if (f.n > 0 && !has_uplo(f.kind)) operands.push_back(ipiv);
  if (info_on_device) operands.push_back(info);
  if (!operands.empty()) run.operands(operands, {}, {f.n, f.n, f.n});
  if (f.n > 0) {
    if (f.kind == Operation::getri && !run.on_device()) require_pivots(f.pivots, f.n);
    run.promise(f.n, E{1});
  }
  Index found = 0;
  const bool done = f.n > 0 && run.engine() == ACCUBLAS_ENGINE_NATIVE && run.compute_natively(f);
  if (!done && !operands.empty())
    run.template compose<E>(info_on_device ? f.info : nullptr, found,
                            [&](Workspace& workspace, ElementSteps<E>& steps) -> std::int64_t {
                              found = f.n > 0 ? singular(f, steps) : 0;
                              if (f.n == 0 || found > 0) return 0;
                              InverseCall<E> inverse(context, f, workspace, steps, options, run.mode_of_products());
                              if (workspace.rehearses()) return 0;
                              inverse.run();
                              return inverse.peak();
                            });
  // A call that fails leaves an info in host memory as it was, and so does a rehearsal.
  if (!done && !info_on_device) *f.info = found;
  run.finish();
}

#define ACCUBLAS_INSTANTIATE(E) template void run_inverse(Context&, const Factorization<E>&, const accublas_options*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas
