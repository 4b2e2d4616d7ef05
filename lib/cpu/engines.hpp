// The CPU's engines. Each computes exactly the answer that docs/modes.md defines for the mode, for any strides and
// sizes, with m, n, k >= 0. Shared contract:
//   - Quick returns are done before: m, n >= 1. If k = 0 or alpha = 0, lib/runtime/dispatch.cpp does the work
//     (scale_result), so that engines see k >= 1 and alpha != 0. alpha may be Inf or NaN; beta anything; beta == 0
//     means: never read C.
//   - Everything is allocated from execution.workspace before the first write to C. In a rehearsal (Workspace::Part)
//     they take what they would take for a call, whatever the data, and return.
//   - Failures are Error exceptions thrown before C is written.
//   - They run in accublas's floating-point environment, but for mode native.
//   - Engines of modes that promise bits signal the exceptions of the results that they write, and no others
//     (lib/base/exceptions.hpp). Kernels that cannot signal leave infinities and NaN to code that can.
#pragma once

#include <cstdint>
#include <functional>

#include "lib/call/execution.hpp"
#include "lib/call/factorization.hpp"
#include "lib/call/level2.hpp"
#include "lib/call/mode.hpp"
#include "lib/call/orthogonal.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cpu {

// native/: the real BLAS through its own handle. General strides are packed in blocks (report.copied_bytes).
template <class T>
void native_gemm(const Gemm<T>&, Execution&);
template <class E>
void native_level3(const Level3<E>&, Execution&);
template <class E>
void native_factorization(const Factorization<E>&, Execution&);
template <class E>
void native_orthogonal(const Orthogonal<E>&, Execution&);
template <class E>
void native_level2(const Level2<E>&, Execution&);
template <class T>
void native_mixed_dot(const MixedDot<T>&, Execution&);
template <class T>
void native_gemv(const Gemv<T>&, Execution&);
template <class T>
void native_dot(const Dot<T>&, Execution&);
template <class T>
void native_norm(const Reduction<T>&, Execution&);

// int8/int8.cpp: fixed:T, dp and sp reproducible, cr.
template <class T>
void int8_gemm(const Gemm<T>&, const Mode&, Execution&);

// sums/integer_gemm.cpp: the same modes in plain integers: the readable twin, and fast where matrices are small.
template <class T>
void integer_gemm(const Gemm<T>&, const Mode&, Execution&);

// fp64/fp64_products.cpp: the same modes (fp64/fp64_levels.cpp), and slices:D, slices:D:fast (fp64/fp64_slices.cpp).
template <class T>
void fp64_gemm(const Gemm<T>&, const Mode&, Execution&);
template <class T>
void slices_gemv(const Gemv<T>&, const Mode&, Execution&);  // mode slices only
template <class T>
void slices_dot(const Dot<T>&, const Mode&, Execution&);  // mode slices only

// multiword/multiword.cpp: tf32x1 to tf64x4. The real BLAS multiplies the words.
template <class T>
void multiword_gemm(const Gemm<T>&, const Mode&, Execution&);

// dot2/dot2_gemm.cpp, dot2/dot2_gemv.cpp, dot2/dot2_dot.cpp: dot2. Elements whose pair is not finite take cr's value
// (exact_element).
/// Memory to which GEMM and GEMV write the pairs (s, c) of their sums instead of results. For float c is zero and is
/// not written.
struct Dot2Pairs {
  Matrix<double> s;
  Index to_c;  ///< distance from the s of an element to its c
  Dot2Pairs block(Index i, Index j) const { return {s.block(i, j), to_c}; }
  Dot2Pairs transposed() const { return {s.transposed(), to_c}; }
};
/// With `pairs`, alpha must be 1 and beta 0, and C is neither read nor written.
template <class T>
void dot2_gemm(const Gemm<T>&, Execution&, const Dot2Pairs* pairs = nullptr);
template <class T>
void dot2_gemv(const Gemv<T>&, Execution&, const Dot2Pairs* pairs = nullptr);
template <class T>
void dot2_dot(const Dot<T>&, Execution&);

// sums/cr_vector.cpp: cr for DOT and GEMV at memory speed (also serves dp and sp reproducible there, whose values are
// cr's).
template <class T>
void cr_gemv(const Gemv<T>&, Execution&);
template <class T>
void cr_dot(const Dot<T>&, Execution&);

// sums/fullest_sum.cpp: one element of cr, by sums with more bits.
/// exact_element's value for any k >= 1 and strides: ten times faster, but where even these sums do not decide.
template <class T>
T cr_element(Isa isa, Index k, T alpha, Vector<const T> row, Vector<const T> col, T beta, const T* c);

// sums/cr_mixed_dot.cpp: the same sums for DOT with a result of another type.
/// The terms are exact products of single precision, whatever T.
template <class T>
void cr_mixed_dot(const MixedDot<T>&, Execution&);

// sums/cr_gemm.cpp: the same sums for GEMM, for matrices that are small, or narrow: where these are deep, those of
// sums/deep_gemm.cpp.
template <class T>
void cr_gemm(const Gemm<T>&, Execution&);
/// The rounding of rows of op(A) and columns of op(B) in fixed:T. The entries of row i are rounded to multiples of
/// 2^(rows[i] - bits), and those of column j to multiples of 2^(cols[j] - bits).
struct RoundedLines {
  int bits;
  const std::int32_t *rows = nullptr, *cols = nullptr;  ///< exponents E and F; null: the sums measure the lines
};
/// Returns which elements of a run of C are pending, a bit each. The run has `count` elements from (row, column) on, at
/// most 64, in one row (`along_row`) or in one column.
using PendingRun = std::function<std::uint64_t(Index row, Index col, Index count, bool along_row)>;
/// Computes the pending elements of C in cr. With `rounded` it computes them from rounded entries, which gives fixed:T,
/// except for elements of lines with Inf or NaN. It does not write the other elements of C, and does not depend on
/// their values, but may read them. It returns false, with nothing done, if the workspace is too small.
template <class T>
bool cr_pending(const Gemm<T>&, const PendingRun& pending, const RoundedLines* rounded, Execution&);
/// Computes fixed:bits by the same sums of rounded entries, and reports its bound. Returns false, with nothing done, if
/// the workspace is too small. These sums judge no target.
template <class T>
bool fixed_by_sums(const Gemm<T>&, int bits, Execution&);

/// Returns whether cr of a problem is faster by these sums than by residues or slices. It may be if another engine was
/// chosen for a larger product, of which this one is a part, or for another mode.
template <class T>
bool sums_are_faster(const Gemm<T>&, const Execution&);

// sums/deep_gemm.cpp: fixed:T, dp and sp reproducible and cr for GEMM of any inner dimension, some terms of some lines
// at a time. The lines of an operand are stored, or are what `copy` writes: `terms` terms from `first` on of lines line
// .. line + count - 1, `stride` apart.
template <class T>
struct DeepLines {
  Matrix<const T> stored{};  ///< entry (line, p); of complex numbers, the real part of number p, strides counting parts
  Matrix<const T> second{};  ///< the terms from `terms` on
  Index terms = INT64_MAX;
  bool conjugate = false;  ///< numbers as stored, but not those of `copy`, are conjugated
  std::function<void(Index line, Index count, Index first, Index terms, T* to, Index stride)> copy{};
};
/// C = alpha rows cols^T + beta C, the elements (i, j) with holds(wanted, i, j). If `complex`, lines are numbers part
/// by part, k counts parts, and the results have two: the imaginary one of c(i, j) lies behind it, and is wanted if
/// holds(wanted, i + imaginary_shift, j). If alpha or beta has an imaginary part, the results are complex, and all
/// their parts are wanted (imaginary_shift = 0). Imaginary parts of the diagonal may be unwanted with
/// `conjugate_second`.
template <class T>
struct DeepGemm {
  Index m, n, k;
  Complex<T> alpha{};
  DeepLines<T> rows, cols;
  Complex<T> beta{};
  Matrix<T> c{};
  bool complex = false;
  Triangle wanted = Triangle::all;
  Index imaginary_shift = 0;
  bool conjugate_second = false;  ///< the conjugate of alpha multiplies the terms from k / 2 on
};
/// A GEMM as a deep product.
template <class T>
DeepGemm<T> deep_problem(const Gemm<T>&);
/// The whole call. False, with nothing done, where the workspace is too small.
template <class T>
bool deep_gemm(const DeepGemm<T>&, const Mode&, Execution&);

// sums/norms.cpp: dot2 and cr for NRM2 and ASUM at memory speed: one sum for both modes, with cr's test of its bound
// and the exact norms behind.
template <class T>
void dot2_nrm2(const Reduction<T>&, Execution&);
template <class T>
void dot2_asum(const Reduction<T>&, Execution&);
template <class T>
void cr_nrm2(const Reduction<T>&, Execution&);
template <class T>
void cr_asum(const Reduction<T>&, Execution&);

// sums/fixed_vector.cpp: fixed:T for DOT and GEMV by exact integer accumulation of the rounded entries.
template <class T>
void fixed_gemv(const Gemv<T>&, const Mode&, Execution&);
template <class T>
void fixed_dot(const Dot<T>&, const Mode&, Execution&);

// structured/product.cpp: structured products, complex GEMM, GEMV and DOT (but dot2's DOT) in every mode but native, as
// products of components by `real`, which computes a real GEMM by the engine named; by deep_gemm, where alpha or beta
// has an imaginary part; structured/elements.cpp, element by element, where neither serves.
template <class T>
using RealGemm = void (*)(const Gemm<T>&, const Mode&, accublas_engine, Execution&);
template <class E>
void structured_product(const Product<E>&, const Mode&, accublas_engine, RealGemm<RealOf<E>> real, Execution&);

// structured/line_pieces.cpp: cr for a matrix of which a triangle is stored, times a vector; false, with nothing done,
// where the workspace is too small. x may be y.
template <class E>
struct LineProduct {
  Index order;
  Operand<E> a;
  Vector<const E> x;
  RealOf<E> alpha, beta;
  Vector<E> y;  ///< = alpha A x + beta y
};
template <class E>
bool cr_line_product(const LineProduct<E>&, Execution&);

// structured/update.cpp: products of one term or two that are added to C (beta = 1), cr.
template <class E>
void update(const Product<E>&, Execution&);

// trsm/solve.cpp: TRSM and TRSV, dot2 and cr (which dp and sp are there).
template <class E>
void solve(const TriangularSystem<E>&, const Mode&, Execution&);

// lu_cholesky/factor.cpp: LAPACK's factorizations and the solutions by them, cr (which dp and sp are there).
template <class E>
void factorize(const Factorization<E>&, Execution&);

// structured/complex_dot2.cpp: dot2 for DOT of complex vectors.
template <class T>
void dot2_complex_dot(const Dot<Complex<T>>&, Execution&);

// sums/exact.cpp: the slow readable twin: cr for any routine by exact accumulators, special values included.
// exact_element is what the fast engines call for undecided elements and for elements with NaN or Inf in their row or
// column.
template <class T>
T exact_element(Index k, T alpha, Vector<const T> row, Vector<const T> col, T beta, const T* c);
/// Signals the exceptions of an element by its operands alone, where those that its computation signals do not count.
template <class T>
void signal_element(T result, Index k, T alpha, Vector<const T> row, Vector<const T> col, T beta, T c);
template <class T>
void exact_gemm(const Gemm<T>&, Execution&);
template <class T>
T exact_nrm2(Index n, const Entries<T>& x);
template <class T>
T exact_asum(Index n, const Entries<T>& x);

}  // namespace accublas::cpu
