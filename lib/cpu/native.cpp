// Engine native: a call becomes one call of the real BLAS where BLAS can take the operands as they are
// (lib/cpu/blas_sizes.hpp). Operands that it cannot describe (both strides beyond 1, zero strides, huge leading
// dimensions and increments) are copied: by GEMM, GEMV, DOT and the norms, which also cut sizes beyond 32 bits, block
// by block; by the other routines as a whole (Compact), whose sizes beyond 32 bits are ACCUBLAS_ERROR_UNAVAILABLE.
#include "lib/cpu/native.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string>

#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/blas_calls.hpp"
#include "lib/cpu/blas_sizes.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/lapack_calls.hpp"
#include "lib/cpu/level2_calls.hpp"
#include "lib/cpu/level3_calls.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cpu {
namespace {

using F77Int = RealBlas::F77Int;
constexpr Index size_limit = int_max - 63;  // largest block edge: a multiple of 64, so that blocks stay aligned

/// A matrix as BLAS names it: op ('N', 'T' or 'C') of a column-major array.
template <class T>
struct BlasMatrix {
  T* data;
  char op;
  F77Int ld;
};

/// The strides of a rows x cols matrix as a leading dimension, 0 if BLAS has none for them: elements of a column must
/// be adjacent and columns at least a column apart. A stride along a dimension of 1 is never used and thus free.
template <class T>
F77Int column_major_ld(const Matrix<T>& x, Index rows, Index cols) {
  if (x.row_stride != 1 && rows > 1) return 0;
  const Index least = std::max<Index>(rows, 1);
  const Index ld = cols > 1 ? x.col_stride : least;
  return ld >= least && ld <= int_max ? static_cast<F77Int>(ld) : 0;
}

/// ld = 0 where the matrix must be copied: BLAS has no conjugate of an array as it lies.
template <class T>
BlasMatrix<T> blas_matrix(const Matrix<T>& x, Index rows, Index cols, bool conjugate = false) {
  if (const F77Int ld = column_major_ld(x, rows, cols); ld && !conjugate) return {x.data, 'N', ld};
  return {x.data, conjugate ? 'C' : 'T', column_major_ld(x.transposed(), cols, rows)};
}

template <class T>
bool blas_increment(const Vector<T>& x, Index n) {
  return n <= 1 ||
         (x.stride != 0 && fits_vector(std::min(n, size_limit), x.stride, is_complex<std::remove_const_t<T>>));
}

/// BLAS wants the lowest address, with a negative increment too.
template <class T>
T* lowest(const Vector<T>& x, Index n) {
  return x.stride < 0 && n > 1 ? x.data + (n - 1) * x.stride : x.data;
}
template <class T>
F77Int increment(const Vector<T>& x, Index n) {
  return n > 1 ? static_cast<F77Int>(x.stride) : 1;
}

template <class T>
T conjugate_of(const T& x, bool conjugate) {
  if constexpr (is_complex<T>)
    return {x.re, conjugate ? -x.im : x.im};
  else
    return x;
}

/// Part of a matrix, with its diagonal or without.
struct Part {
  Triangle triangle = Triangle::all;
  bool diagonal = true;
};

/// to = from, or its conjugate, in that part.
template <class From, class To>
void copy_matrix(const Matrix<From>& from, const Matrix<To>& to, Index rows, Index cols, Execution& execution,
                 bool conjugate = false, const Part& part = {}) {
  constexpr Index strip = 64;
  parallel_for(ceil_div(cols, strip), execution.threads, [&](Index task, int) {
    const Index j1 = std::min(cols, (task + 1) * strip);
    for (Index i0 = 0; i0 < rows; i0 += strip) {  // square tiles: one of the two sides is read across
      const Index i1 = std::min(rows, i0 + strip);
      for (Index j = task * strip; j < j1; ++j) {
        const Index first = part.triangle == Triangle::lower ? std::max(i0, part.diagonal ? j : j + 1) : i0;
        const Index end = part.triangle == Triangle::upper ? std::min(i1, part.diagonal ? j + 1 : j) : i1;
        for (Index i = first; i < end; ++i) to(i, j) = conjugate_of<To>(from(i, j), conjugate);
      }
    }
  });
  execution.report.copied_bytes += rows * cols * static_cast<Index>(sizeof(To));
}

template <class T>
Matrix<T> as_column(const Vector<T>& x) {
  return {x.data, x.stride, 0};
}

/// How a routine uses an operand that may be copied.
struct Use {
  Part part{};
  bool read = true, written = false;
  bool padded = false;  ///< a copy in any case, with a column behind it that may be read
};
constexpr Use result_of(Triangle triangle, bool read) { return {{triangle}, read, true}; }

/// The operands of one call as the real BLAS takes them: as they lie, or copies without gaps in the workspace. The
/// caller takes all of them before the call, and puts back what the call wrote after it.
template <class E>
class Compact {
 public:
  explicit Compact(Execution& execution) : execution_(execution) {}

  /// The matrix with adjacent elements in its columns, which are ld apart; a matrix without data as it is.
  template <class X, class Int>
  void columns(Matrix<X>& x, Int& ld, Index rows, Index cols, const Use& use) {
    ld = !x.data ? std::max<Index>(rows, 1) : use.padded ? 0 : column_major_ld(x, rows, cols);
    if (ld == 0) ld = copy(x, rows, cols, use);
  }
  /// A matrix of which BLAS has the address and the leading dimension; null where the routine has none.
  template <class X>
  void columns(X*& data, std::int64_t& ld, Index rows, Index cols, const Use& use) {
    if (!data) return;
    Matrix<X> x{data, 1, ld};
    columns(x, ld, rows, cols, use);
    data = x.data;
  }
  /// BLAS's vector of n elements, which begins at its lowest address.
  template <class X>
  void vector(X*& data, std::int64_t& increment, Index n, const Use& use) {
    if (!data || fits_vector(n, increment, is_complex<E>)) return;
    const Vector<X> x = blas_vector(n, data, increment);
    Matrix<X> column{x.data, x.stride, 0};
    copy(column, n, 1, use);
    data = column.data;
    increment = 1;
  }

  void put_back() {
    for (int i = 0; i < count_; ++i) {
      const Written& w = written_[i];
      copy_matrix(w.copy, w.home, w.rows, w.cols, execution_, false, w.part);
    }
  }

 private:
  struct Written {
    Matrix<E> home, copy;
    Index rows, cols;
    Part part;
  };

  /// Replaces x by its copy, whose leading dimension it returns.
  template <class X>
  Index copy(Matrix<X>& x, Index rows, Index cols, const Use& use) {
    const Index ld = std::max<Index>(rows, 1);
    const Index columns_taken = cols + (use.padded ? 1 : 0);
    const Matrix<E> to{execution_.workspace.take<E>(static_cast<std::size_t>(ld * columns_taken)), 1, ld};
    const bool rehearses = execution_.workspace.rehearses();
    if (use.read && !rehearses) copy_matrix(x, to, rows, cols, execution_, false, use.part);
    if constexpr (!std::is_const_v<X>)
      if (use.written && !rehearses) written_[count_++] = {x, to, rows, cols, use.part};
    x = {to.data, 1, ld};
    return ld;
  }

  Execution& execution_;
  Written written_[2];
  int count_ = 0;
};

/// `what`: the routines, in the plural.
void require_sizes(const char* what, std::initializer_list<Index> sizes) {
  const Index largest = std::max(sizes);
  if (!fits_integers(largest))
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE,
                "a size of " + std::to_string(largest) + " is larger than 2^31 - 1, the most " +
                    "that the real BLAS takes in its " + what + "; the other engines of mode dp and mode cr take it");
}

Index halved(Index edge) { return std::max(tuning().native.least_edge, round_up(edge / 2, 64)); }

/// In any order of summation (Jeannerod and Rump 2013: no higher order terms), while nothing over- or underflows.
template <class T>
void set_bound(Index k, Execution& execution) {
  put_bound(execution.report, any_order<T>(k));
}

/// NRM2 and ASUM in parts that BLAS can read: norm(n, x, increment) of a part, join(norm, norm). BLAS's norms take
/// positive increments only; the order of the terms is free here.
template <class E, class Norm, class Join>
void native_norm(Index length, Vector<const E> all, RealOf<E>* to, Execution& execution, Norm norm, Join join) {
  real_blas();
  set_bound<RealOf<E>>(is_complex<E> ? 2 * length : length, execution);
  PhaseTimer timer(execution, &accublas_report_t::ms_product);
  constexpr Index chunk = 512;
  const bool direct = blas_increment(all, length);
  const Index step = direct ? size_limit : chunk;
  E space[chunk];
  RealOf<E> result{0};
  for (Index i = 0; i < length; i += step) {
    const Index n = std::min(step, length - i);
    Vector<const E> x{all.data + i * all.stride, all.stride};
    if (!direct) {
      for (Index j = 0; j < n; ++j) space[j] = x[j];
      execution.report.copied_bytes += n * static_cast<Index>(sizeof(E));
      x = {space, 1};
    }
    const RealOf<E> part = norm(static_cast<F77Int>(n), lowest(x, n), std::abs(increment(x, n)));
    result = i == 0 ? part : join(result, part);
  }
  *to = result;
}

/// The norm in the vector's own type of numbers.
template <class T, class Norm, class Join>
void native_norm(const Reduction<T>& p, Execution& execution, Norm norm, Join join) {
  if (!p.x.pairs) return native_norm<T>(p.n, p.x, p.result, execution, norm, join);
  const Vector<const Complex<T>> x{reinterpret_cast<const Complex<T>*>(p.x.data), p.x.stride / 2};
  native_norm<Complex<T>>(p.length(), x, p.result, execution, norm, join);
}

}  // namespace

template <class T>
void native_nrm2(const Reduction<T>& p, Execution& execution) {
  const auto norm = [](F77Int n, const auto* x, F77Int increment) { return call_nrm2(real_blas(), n, x, increment); };
  native_norm(p, execution, norm, [norm](T a, T b) {
    const T parts[] = {a, b};
    return norm(2, parts, 1);
  });
}

template <class T>
void native_asum(const Reduction<T>& p, Execution& execution) {
  const auto norm = [](F77Int n, const auto* x, F77Int increment) { return call_asum(real_blas(), n, x, increment); };
  native_norm(p, execution, norm, [](T a, T b) { return a + b; });
}

template <class T>
void native_gemm(const Gemm<T>& p, Execution& execution) {
  // A row-major C is the column-major C^T = B^T A^T.
  if (!column_major_ld(p.c, p.m, p.n) && column_major_ld(p.c.transposed(), p.n, p.m)) {
    return native_gemm(p.transposed(), execution);
  }
  real_blas();  // a missing BLAS is told before C is written
  set_bound<RealOf<T>>(is_complex<T> ? 2 * p.k + 4 : p.k, execution);
  const BlasMatrix<const T> a = blas_matrix(p.a, p.m, p.k, p.conjugate_a),
                            b = blas_matrix(p.b, p.k, p.n, p.conjugate_b);
  const F77Int ldc = column_major_ld(p.c, p.m, p.n);
  if (a.ld && b.ld && ldc && std::max({p.m, p.n, p.k}) <= int_max) {
    if (execution.workspace.rehearses()) return;
    PhaseTimer timer(execution, &accublas_report_t::ms_product);
    call_gemm(real_blas(), a.op, b.op, static_cast<F77Int>(p.m), static_cast<F77Int>(p.n), static_cast<F77Int>(p.k),
              p.alpha, a.data, a.ld, b.data, b.ld, p.beta, p.c.data, ldc);
    return;
  }

  // The largest blocks whose copies fit. Halving the longest edge that is copied keeps them square.
  Index mb = std::min(p.m, size_limit), nb = std::min(p.n, size_limit), kb = std::min(p.k, size_limit);
  const double room =
      static_cast<double>(std::min(tuning().native.pack_bytes, execution.workspace.available())) / sizeof(T);
  const auto elements = [&](bool copied, Index rows, Index cols) {
    return copied ? static_cast<double>(rows) * static_cast<double>(cols) : 0.0;
  };
  while (elements(!a.ld, mb, kb) + elements(!b.ld, kb, nb) + elements(!ldc, mb, nb) > room) {
    const Index edge_m = !a.ld || !ldc ? mb : 0, edge_n = !b.ld || !ldc ? nb : 0, edge_k = !a.ld || !b.ld ? kb : 0;
    Index& longest = edge_m >= edge_n && edge_m >= edge_k ? mb : edge_n >= edge_k ? nb : kb;
    if (longest <= tuning().native.least_edge) break;
    longest = halved(longest);
  }
  T* const space_a = a.ld ? nullptr : execution.workspace.take<T>(static_cast<std::size_t>(mb * kb));
  T* const space_b = b.ld ? nullptr : execution.workspace.take<T>(static_cast<std::size_t>(kb * nb));
  T* const space_c = ldc ? nullptr : execution.workspace.take<T>(static_cast<std::size_t>(mb * nb));
  if (execution.workspace.rehearses()) return;

  Index held_i = -1, held_pa = -1, held_j = -1, held_pb = -1;  // the blocks that space_a and space_b hold
  for (Index j = 0; j < p.n; j += nb) {
    const Index n = std::min(nb, p.n - j);
    for (Index i = 0; i < p.m; i += mb) {
      const Index m = std::min(mb, p.m - i);
      const Matrix<T> c_block = p.c.block(i, j), c_copy{space_c, 1, m};
      if (!ldc && p.beta != 0) copy_matrix(c_block, c_copy, m, n, execution);
      for (Index q = 0; q < p.k; q += kb) {
        const Index k = std::min(kb, p.k - q);
        BlasMatrix<const T> a_block{p.a.block(i, q).data, a.op, a.ld}, b_block{p.b.block(q, j).data, b.op, b.ld};
        if (!a.ld) {
          if (held_i != i || held_pa != q)
            copy_matrix(p.a.block(i, q), Matrix<T>{space_a, 1, m}, m, k, execution, p.conjugate_a);
          held_i = i, held_pa = q;
          a_block = {space_a, 'N', static_cast<F77Int>(m)};
        }
        if (!b.ld) {
          if (held_j != j || held_pb != q)
            copy_matrix(p.b.block(q, j), Matrix<T>{space_b, 1, k}, k, n, execution, p.conjugate_b);
          held_j = j, held_pb = q;
          b_block = {space_b, 'N', static_cast<F77Int>(k)};
        }
        PhaseTimer timer(execution, &accublas_report_t::ms_product);
        call_gemm(real_blas(), a_block.op, b_block.op, static_cast<F77Int>(m), static_cast<F77Int>(n),
                  static_cast<F77Int>(k), p.alpha, a_block.data, a_block.ld, b_block.data, b_block.ld,
                  q == 0 ? p.beta : T{1}, ldc ? c_block.data : space_c, ldc ? ldc : static_cast<F77Int>(m));
      }
      if (!ldc) copy_matrix(c_copy, c_block, m, n, execution);
    }
  }
}

template <class T>
void native_gemv(const Gemv<T>& p, Execution& execution) {
  real_blas();
  set_bound<RealOf<T>>(is_complex<T> ? 2 * p.k + 4 : p.k, execution);
  const BlasMatrix<const T> a = blas_matrix(p.a, p.m, p.k, p.conjugate_a);
  const bool direct_x = blas_increment(p.x, p.k), direct_y = blas_increment(p.y, p.m);
  Index mb = std::min(p.m, size_limit), kb = std::min(p.k, size_limit);
  const double room =
      static_cast<double>(std::min(tuning().native.pack_bytes, execution.workspace.available())) / sizeof(T);
  const auto elements = [&] {
    return (a.ld ? 0.0 : static_cast<double>(mb) * static_cast<double>(kb)) +
           (direct_x ? 0.0 : static_cast<double>(kb)) + (direct_y ? 0.0 : static_cast<double>(mb));
  };
  while (elements() > room) {
    Index& longest = mb >= kb ? mb : kb;
    if (longest <= tuning().native.least_edge) break;
    longest = halved(longest);
  }
  T* const space_a = a.ld ? nullptr : execution.workspace.take<T>(static_cast<std::size_t>(mb * kb));
  T* const space_x = direct_x ? nullptr : execution.workspace.take<T>(static_cast<std::size_t>(kb));
  T* const space_y = direct_y ? nullptr : execution.workspace.take<T>(static_cast<std::size_t>(mb));
  if (execution.workspace.rehearses()) return;

  for (Index i = 0; i < p.m; i += mb) {
    const Index m = std::min(mb, p.m - i);
    Vector<T> y{p.y.data + i * p.y.stride, p.y.stride};
    const Vector<T> y_home = y;
    if (!direct_y) {
      y = {space_y, 1};
      if (p.beta != 0) copy_matrix(as_column(y_home), as_column(y), m, 1, execution);
    }
    for (Index q = 0; q < p.k; q += kb) {
      const Index k = std::min(kb, p.k - q);
      BlasMatrix<const T> block{p.a.block(i, q).data, a.op, a.ld};
      if (!a.ld) {
        copy_matrix(p.a.block(i, q), Matrix<T>{space_a, 1, m}, m, k, execution, p.conjugate_a);
        block = {space_a, 'N', static_cast<F77Int>(m)};
      }
      Vector<const T> x{p.x.data + q * p.x.stride, p.x.stride};
      if (!direct_x) {
        copy_matrix(as_column(x), as_column(Vector<T>{space_x, 1}), k, 1, execution);
        x = {space_x, 1};
      }
      const bool plain = block.op == 'N';
      PhaseTimer timer(execution, &accublas_report_t::ms_product);
      call_gemv(real_blas(), block.op, static_cast<F77Int>(plain ? m : k), static_cast<F77Int>(plain ? k : m), p.alpha,
                block.data, block.ld, lowest(x, k), increment(x, k), q == 0 ? p.beta : T{1}, lowest(y, m),
                increment(y, m));
    }
    if (!direct_y) copy_matrix(as_column(y), as_column(y_home), m, 1, execution);
  }
}

template <class T>
void native_dot(const Dot<T>& p, Execution& execution) {
  real_blas();
  set_bound<RealOf<T>>(is_complex<T> ? 2 * p.n + 4 : p.n, execution);
  PhaseTimer timer(execution, &accublas_report_t::ms_product);
  constexpr Index chunk = 512;
  const bool direct_x = blas_increment(p.x, p.n), direct_y = blas_increment(p.y, p.n);
  const Index step = direct_x && direct_y ? size_limit : chunk;
  T space_x[chunk], space_y[chunk];
  const auto gather = [&](const Vector<const T>& from, T* to, Index n) {
    for (Index i = 0; i < n; ++i) to[i] = from[i];
    execution.report.copied_bytes += n * static_cast<Index>(sizeof(T));
    return Vector<const T>{to, 1};
  };
  T sum{0};
  for (Index i = 0; i < p.n; i += step) {
    const Index n = std::min(step, p.n - i);
    Vector<const T> x{p.x.data + i * p.x.stride, p.x.stride}, y{p.y.data + i * p.y.stride, p.y.stride};
    if (!direct_x) x = gather(x, space_x, n);
    if (!direct_y) y = gather(y, space_y, n);
    const F77Int count = static_cast<F77Int>(n);
    if constexpr (is_complex<T>) {
      const T part =
          call_dot(real_blas(), p.conjugate_x, count, lowest(x, n), increment(x, n), lowest(y, n), increment(y, n));
      sum = i == 0 ? part : T{sum.re + part.re, sum.im + part.im};
    } else {
      const T part = call_dot(real_blas(), count, lowest(x, n), increment(x, n), lowest(y, n), increment(y, n));
      sum = i == 0 ? part : sum + part;
    }
  }
  *p.result = sum;
}

template <class E>
void native_level3(const Level3<E>& l, Execution& execution) {
  const RealBlas& blas = real_blas();
  require_sizes("products of level 3", {l.m, l.n, l.k});
  const bool sides = is_symm(l.kind) || is_in_place(l.kind);
  Level3<E> call = l;
  Compact<E> operands(execution);
  if (sides)
    operands.columns(call.a, call.lda, l.order(), l.order(),
                     {{l.part(), !is_in_place(l.kind) || l.diag == ACCUBLAS_NON_UNIT}});
  else
    operands.columns(call.a, call.lda, tall_a(l) ? l.n : l.k, tall_a(l) ? l.k : l.n, {});
  operands.columns(call.b, call.ldb, sides ? l.m : tall_b(l) ? l.n : l.k, sides || !tall_b(l) ? l.n : l.k, {});
  operands.columns(call.c, is_in_place(l.kind) ? call.ldb : call.ldc, l.rows(), l.n,
                   result_of(l.wanted(), is_in_place(l.kind) || !(l.beta == 0)));
  if (execution.workspace.rehearses()) return;
  {
    PhaseTimer timer(execution, &accublas_report_t::ms_product);
    call_level3(blas, call);
  }
  operands.put_back();
}

/// For LAPACK what is stored by rows is copied, as LAPACKE does, and so are pivots of another width.
template <class E>
void native_factorization(const Factorization<E>& f, Execution& execution) {
  const RealBlas& blas = real_blas();
  require_sizes("routines of LAPACK", {f.m, f.n, f.nrhs});
  Factorization<E> call = f;
  Compact<E> operands(execution);
  const Triangle part = !has_uplo(f.kind)          ? Triangle::all
                        : f.uplo == ACCUBLAS_UPPER ? Triangle::upper
                                                   : Triangle::lower;
  operands.columns(call.a, call.lda, f.rows(), f.n, {{part, f.diag == ACCUBLAS_NON_UNIT}, true, has_factor(f.kind)});
  operands.columns(call.b, call.ldb, f.n, f.nrhs, result_of(Triangle::all, true));
  const bool copied_pivots = !has_uplo(f.kind) && f.pivots.narrow != blas.narrow_integers;
  if (copied_pivots) {
    call.pivots = {execution.workspace.take<std::int64_t>(static_cast<std::size_t>(f.order())), blas.narrow_integers};
    if (!finds_pivots(f.kind) && !execution.workspace.rehearses())
      for (Index i = 0; i < f.order(); ++i) call.pivots.put(i, f.pivots.at(i));
  }
  if (f.kind == Operation::getri) {
    const Index least = std::max<Index>(f.n, 1), room = static_cast<Index>(execution.workspace.available() / sizeof(E));
    call.lwork = std::max(least, std::min(f.best_work(), room / least * least));
    call.work = execution.workspace.take<E>(static_cast<std::size_t>(call.lwork));
  }
  if (execution.workspace.rehearses()) return;
  {
    PhaseTimer timer(execution, &accublas_report_t::ms_product);
    *f.info = call_lapack(blas, call);
  }
  if (copied_pivots && finds_pivots(f.kind))
    for (Index i = 0; i < f.order(); ++i) f.pivots.put(i, call.pivots.at(i));
  operands.put_back();
}

namespace {

/// The workspace that LAPACK's routine finds best, as far as there is room for it.
template <class E>
Index work_of(const RealBlas& blas, Orthogonal<E> call, const Execution& execution) {
  E best{};
  call.work = &best;
  call.lwork = -1;
  call_lapack(blas, call);
  double numbers = 0;
  if constexpr (is_complex<E>)
    numbers = static_cast<double>(best.re);
  else
    numbers = static_cast<double>(best);
  const Index room = static_cast<Index>(execution.workspace.available() / sizeof(E)) / 2;
  return std::max(call.least_work(), std::min({static_cast<Index>(numbers), room, int_max}));
}

/// ORMQR. LAPACK's own writes the ones of its reflectors into A for a while, which is the caller's to read alone here:
/// it is handed copies of as many columns at a time as the workspace holds.
template <class E>
void apply_reflectors(const RealBlas& blas, const Orthogonal<E>& o, Execution& execution) {
  const Index rows = o.a_rows(), room = static_cast<Index>(execution.workspace.available() / sizeof(E)) / rows;
  const Index blocks = room / 64 * 64, width = std::min(o.k, std::max<Index>(blocks > 0 ? blocks : room, 1));
  E* const space = execution.workspace.take<E>(static_cast<std::size_t>(rows * width));
  if (execution.workspace.rehearses()) return;
  const bool left = o.side == ACCUBLAS_LEFT, forwards = left == (o.trans != ACCUBLAS_NO_TRANS);
  const Index panels = ceil_div(o.k, width);
  for (Index step = 0; step < panels; ++step) {
    const Index first = (forwards ? step : panels - 1 - step) * width;
    Orthogonal<E> panel = o;
    panel.k = std::min(width, o.k - first);
    (left ? panel.m : panel.n) -= first;
    panel.a = {space, 1, rows - first};
    panel.lda = rows - first;
    panel.tau = o.tau + first;
    panel.c = left ? o.c.block(first, 0) : o.c.block(0, first);
    copy_matrix(o.a.block(first, first), panel.a, rows - first, panel.k, execution, false, {Triangle::lower});
    PhaseTimer timer(execution, &accublas_report_t::ms_product);
    call_lapack(blas, panel);
  }
}

}  // namespace

template <class E>
void native_orthogonal(const Orthogonal<E>& o, Execution& execution) {
  const RealBlas& blas = real_blas();
  require_sizes("routines of LAPACK", {o.m, o.n, o.k, o.nrhs});
  const bool reads_a = o.kind == Operation::ormqr;
  Orthogonal<E> call = o;
  Compact<E> operands(execution);
  Use of_a = result_of(Triangle::all, true);
  // OpenBLAS's GELS reads beyond the rows of a complex matrix that has more columns than rows.
  of_a.padded = is_complex<E> && o.kind == Operation::gels && o.m < o.n;
  if (reads_a)
    call.lda = o.a_rows();
  else
    operands.columns(call.a, call.lda, o.a_rows(), o.a_cols(), of_a);
  if (o.has_c()) operands.columns(call.c, call.ldc, o.c_rows(), o.c_cols(), result_of(Triangle::all, true));
  call.lwork = work_of(blas, call, execution);
  call.work = execution.workspace.take<E>(static_cast<std::size_t>(call.lwork));
  if (reads_a) {
    apply_reflectors(blas, call, execution);
  } else if (!execution.workspace.rehearses()) {
    PhaseTimer timer(execution, &accublas_report_t::ms_product);
    const std::int64_t info = call_lapack(blas, call);
    if (o.info) *o.info = info;
  }
  operands.put_back();
}

template <class E>
void native_level2(const Level2<E>& l, Execution& execution) {
  const RealBlas& blas = real_blas();
  require_sizes("routines of level 2", {l.m, l.n});
  Level2<E> call = l;
  Compact<E> operands(execution);
  if (is_update(l.kind)) {
    operands.columns(call.c, call.lda, l.rows(), l.n, result_of(l.wanted(), true));
  } else {
    operands.columns(call.a, call.lda, l.n, l.n, {{l.part(), l.diag == ACCUBLAS_NON_UNIT}});
    operands.vector(call.c, is_triangular(l.kind) ? call.incx : call.incy, l.n,
                    result_of(Triangle::all, is_triangular(l.kind) || !(l.beta == 0)));
  }
  operands.vector(call.x, call.incx, length_of_x(l), {});
  operands.vector(call.y, call.incy, l.n, {});
  if (execution.workspace.rehearses()) return;
  {
    PhaseTimer timer(execution, &accublas_report_t::ms_product);
    call_level2(blas, call);
  }
  operands.put_back();
}

template <class T>
void native_mixed_dot(const MixedDot<T>& p, Execution& execution) {
  PhaseTimer timer(execution, &accublas_report_t::ms_product);
  const RealBlas& blas = real_blas();
  if (!blas.lacks({Operation::mixed_dot, type_of<T>}) && p.n <= int_max && blas_increment(p.x, p.n) &&
      blas_increment(p.y, p.n)) {
    *p.result = call_mixed_dot(blas, static_cast<F77Int>(p.n), p.addend, lowest(p.x, p.n), increment(p.x, p.n),
                               lowest(p.y, p.n), increment(p.y, p.n));
  } else {  // netlib's loop
    double sum = p.addend;
    for (Index i = 0; i < p.n; ++i) sum += static_cast<double>(p.x[i]) * p.y[i];
    *p.result = static_cast<T>(sum);
  }
}

template void native_mixed_dot(const MixedDot<double>&, Execution&);
template void native_mixed_dot(const MixedDot<float>&, Execution&);
template void native_factorization(const Factorization<double>&, Execution&);
template void native_factorization(const Factorization<float>&, Execution&);
template void native_factorization(const Factorization<Complex<double>>&, Execution&);
template void native_factorization(const Factorization<Complex<float>>&, Execution&);
template void native_orthogonal(const Orthogonal<double>&, Execution&);
template void native_orthogonal(const Orthogonal<float>&, Execution&);
template void native_orthogonal(const Orthogonal<Complex<double>>&, Execution&);
template void native_orthogonal(const Orthogonal<Complex<float>>&, Execution&);
template void native_level2(const Level2<double>&, Execution&);
template void native_level2(const Level2<float>&, Execution&);
template void native_level2(const Level2<Complex<double>>&, Execution&);
template void native_level2(const Level2<Complex<float>>&, Execution&);
template void native_level3(const Level3<double>&, Execution&);
template void native_level3(const Level3<float>&, Execution&);
template void native_level3(const Level3<Complex<double>>&, Execution&);
template void native_level3(const Level3<Complex<float>>&, Execution&);
template void native_gemm(const Gemm<double>&, Execution&);
template void native_gemm(const Gemm<float>&, Execution&);
template void native_gemm(const Gemm<Complex<double>>&, Execution&);
template void native_gemm(const Gemm<Complex<float>>&, Execution&);
template void native_gemv(const Gemv<Complex<double>>&, Execution&);
template void native_gemv(const Gemv<Complex<float>>&, Execution&);
template void native_dot(const Dot<Complex<double>>&, Execution&);
template void native_dot(const Dot<Complex<float>>&, Execution&);
template void native_gemv(const Gemv<double>&, Execution&);
template void native_gemv(const Gemv<float>&, Execution&);
template void native_dot(const Dot<double>&, Execution&);
template void native_dot(const Dot<float>&, Execution&);
template void native_nrm2(const Reduction<double>&, Execution&);
template void native_nrm2(const Reduction<float>&, Execution&);
template void native_asum(const Reduction<double>&, Execution&);
template void native_asum(const Reduction<float>&, Execution&);

}  // namespace accublas::cpu
