// Householder reflectors: the reflector of a column, and the product of the reflectors of a panel, by calls in cr
// (docs/factorizations.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "lib/base/exceptions.hpp"
#include "lib/call/element_steps.hpp"
#include "lib/lapack/calls.hpp"
#include "lib/numerics/rounding.hpp"

namespace accublas::lapack {

/// x = x / *d, each part of an exact quotient rounded once.
template <class E>
void divide(const Calls& calls, Index n, const Vector<E>& x, const E* d) {
  Level3<E> quotient{shape_with_side(Operation::trsm, is_complex<E>, ACCUBLAS_LEFT, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS,
                                     ACCUBLAS_NON_UNIT, 1, n, 1, x.stride, 0)};
  quotient.alpha = E{1};
  quotient.a = d;
  quotient.c = x.data;
  calls.level3(quotient);
}

/// Returns x, or the canonical NaN if x is a NaN.
template <class T>
T written(T x) {
  return x == x ? x : canonical_nan<T>();
}

/// Computes the reflector H = I - tau v v^H of a column x of length n >= 1, for which H^H x = beta e_1 with a real
/// beta. x becomes beta, followed by the elements of v below its 1. Returns tau, which is 0 if x has that form already.
/// *divisor is overwritten.
template <class E>
E reflect(const Calls& calls, ElementSteps<E>& steps, Index n, const Vector<E>& x, E* divisor) {
  using T = RealOf<E>;
  using limits = std::numeric_limits<T>;
  using Question = ElementQuestion<E>;
  E d = steps.read(x.data), tau{};
  const Matrix<E> column{x.data, x.stride, 1};
  const Vector<E> below{x.data + x.stride, x.stride};
  bool done = steps.first(Question{Question::Kind::nonzero, {below.data, x.stride, 1}}, n - 1, 1) < 0;
  if constexpr (is_complex<E>) done = done && d.im == 0;
  if (done) {
    if constexpr (is_complex<E>)
      d = {written(d.re), written(d.im)};
    else
      d = written(d);
    steps.overwrite(FillStep<E>{column, d}, 1, 1);
    return E{};
  }
  T s = calls.norm(n, Vector<const E>{x.data, x.stride});
  // This is exact, except for bits below 2^-1000 of the norm.
  const T scale = s < limits::min()                                 ? T(std::ldexp(1, limits::digits))
                  : s >= std::ldexp(T(1), limits::max_exponent - 2) ? T(0.25)
                                                                    : T(1);
  if (scale != 1) {
    steps.overwrite(ScaleStep<E>{column, scale}, n, 1);
    d = steps.read(x.data);
    s = scale > 1 ? calls.norm(n, Vector<const E>{x.data, x.stride}) : s * scale;
  }
  T real;
  if constexpr (is_complex<E>)
    real = d.re;
  else
    real = d;
  // s - s is NaN if the norm overflowed.
  const T beta = real < 0 ? s : -s, first = written(1 + std::fabs(real) / s + (s - s));
  if (is_nan(first) && !is_nan(s)) signal_exceptions(exceptions::invalid);
  if constexpr (is_complex<E>) {
    tau = {first, written(-d.im / beta)};
    d.re -= beta;
  } else {
    tau = first;
    d -= beta;
  }
  steps.put(divisor, d);
  if (n > 1) steps.overwrite([&] { divide(calls, n - 1, below, divisor); });
  steps.overwrite(FillStep<E>{column, E{written(beta / scale)}}, 1, 1);
  return tau;
}

/// The numbers that a flow of reflectors works with.
template <class E>
struct ReflectorMemory {
  /// Takes memory for at most `reflectors` reflectors of at most `rows` rows, and for matrices of at most `columns`
  /// columns.
  ReflectorMemory(ElementSteps<E>& steps, Index rows, Index reflectors, Index columns)
      : width(std::clamp<Index>(reflectors, 1, panel_columns)),
        chunk(std::clamp<Index>(columns, 1, most_columns)),
        v(steps.take(rows * width)),
        s(steps.take(width * width)),
        w(steps.take(chunk * width)),
        divisor(steps.take(1)),
        large(steps.take(columns)),
        overflowed(steps.take(chunk)) {}

  static constexpr Index panel_columns = 32;   ///< part of the definition
  static constexpr Index most_columns = 1024;  ///< that are updated at a time

  const Index width, chunk;
  E *const v, *const s, *const w, *const divisor;  ///< rows x width, width x width, width x chunk; columns adjacent
  E *const large, *const overflowed;               ///< marks of the matrix's columns, and of a chunk's
};

/// Q = H_1 H_2 ... of a panel of rows, in the form I - V S^-1 V^H with an upper triangular S.
template <class E>
class Reflectors {
 public:
  Reflectors(const Calls& calls, ElementSteps<E>& steps, const ReflectorMemory<E>& memory)
      : calls_(calls), steps_(steps), memory_(memory) {}

  Index width() const { return memory_.width; }

  /// Sets the matrix that apply() overwrites from now on. Its large columns are those with large numbers now; without
  /// `ready` the numbers are not known yet, and no column counts as large.
  void set_target(const Matrix<E>& c, Index rows, Index columns, bool ready = true) {
    using Question = ElementQuestion<E>;
    c_ = c;
    has_large_ = false;
    if (!ready || !steps_.can_wait()) return;
    const Matrix<const E> all = read_only(c);
    const bool by_columns = std::abs(c.row_stride) <= std::abs(c.col_stride);
    has_large_ = by_columns ? steps_.first(Question{Question::Kind::large, all}, rows, columns) >= 0
                            : steps_.first(Question{Question::Kind::large, all.transposed()}, columns, rows) >= 0;
    if (has_large_) steps_.run(MarkLargeStep<E>{memory_.large, all, rows}, 1, columns);
  }

  void begin(Index rows) {
    rows_ = rows;
    count_ = 0;
  }

  /// Adds the next reflector. `below` has the elements of v after its 1, which is in row `count` and moves down by one
  /// each time.
  void append(const Vector<const E>& below, const E* tau, bool conjugated = false) {
    E *const v = memory_.v + count_ * rows_, *const s = memory_.s + count_ * width();
    steps_.run(ReflectorStep<E>{v, count_, below, tau, conjugated, s + count_, memory_.divisor}, rows_, 1);
    if (count_ > 0)
      calls_.gemm(Gemm<E>{count_, 1, rows_, E{1}, adjoint_v(), {v, 1, rows_}, E{}, {s, 1, width()}, is_complex<E>});
    divide(calls_, 1, Vector<E>{s + count_, 1}, memory_.divisor);
    ++count_;
  }
  /// Computes the reflector of a column x, which it overwrites, and returns its tau.
  E reflect(Index n, const Vector<E>& x) const { return lapack::reflect(calls_, steps_, n, x, memory_.divisor); }

  /// Multiplies columns from `column` on by the panel's Q, or by Q^H, in the panel's rows, the first of which is `row`.
  void apply(Index row, Index column, Index columns, bool adjoint) {
    if (count_ == 0) return;
    for (Index j = 0; j < columns; j += memory_.chunk) {
      const Index n = std::min(memory_.chunk, columns - j);
      const Matrix<E> part = c_.block(row, column + j);
      const Matrix<E> y{memory_.w, 1, width()};
      if (!has_large_) {
        solve(part, n, adjoint, y, 1);
        subtract(part, n, y, 1);
        continue;
      }
      const unsigned of_y = collect_exceptions([&] { solve(part, n, adjoint, y, 1); });
      subtract_apart(part, n, adjoint, y, memory_.large + column + j, of_y);
    }
  }

 private:
  Matrix<const E> adjoint_v() const { return {memory_.v, rows_, 1}; }

  /// Computes Y = factor S^-1 V^H C, or with S^-H, rounded after V^H C and by the solution.
  void solve(const Matrix<E>& c, Index n, bool adjoint, const Matrix<E>& y, RealOf<E> factor) {
    calls_.gemm(Gemm<E>{count_, n, rows_, E{factor}, adjoint_v(), read_only(c), E{}, y, is_complex<E>});
    Level3<E> solution{shape_with_side(Operation::trsm, is_complex<E>, ACCUBLAS_LEFT, ACCUBLAS_UPPER,
                                       adjoint ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, count_, n,
                                       width(), width(), 0)};
    solution.alpha = E{1};
    solution.a = memory_.s;
    solution.c = y.data;
    calls_.level3(solution);
  }
  /// Computes C = C - factor V Y.
  void subtract(const Matrix<E>& c, Index n, const Matrix<E>& y, RealOf<E> factor) {
    steps_.overwrite([&] {
      calls_.gemm(Gemm<E>{rows_, n, count_, E{-factor}, {memory_.v, 1, rows_}, read_only(y), E{1}, c});
    });
  }
  /// Computes C = C - V Y. Large columns whose Y overflowed are computed with a smaller Y; the overflow is then not one
  /// of the result. Without such columns it signals `of_y`, the exceptions of Y. With some it computes the Y of the
  /// other columns again, which signals their exceptions.
  void subtract_apart(const Matrix<E>& c, Index n, bool adjoint, const Matrix<E>& y, const E* large, unsigned of_y) {
    using Kind = typename ElementQuestion<E>::Kind;
    constexpr auto factor = static_cast<RealOf<E>>(0x1p32);
    steps_.run(MarkOverflowStep<E>{memory_.overflowed, large, read_only(y), count_}, 1, n);
    const auto run_before = [&](Index from, Kind kind) {  // of columns whose marks are not of this kind
      const Index found = steps_.first({kind, {memory_.overflowed + from, 1, 1}}, n - from, 1);
      return found < 0 ? n - from : found;
    };
    for (Index j = 0; j < n;) {
      const Index plain = run_before(j, Kind::nonzero);
      if (plain == n)
        signal_exceptions(of_y);
      else if (plain > 0 && of_y != exceptions::none)
        solve(c.block(0, j), plain, adjoint, y.block(0, j), 1);
      if (plain > 0) subtract(c.block(0, j), plain, y.block(0, j), 1);
      j += plain;
      if (j == n) break;
      const Index apart = run_before(j, Kind::zero);
      solve(c.block(0, j), apart, adjoint, y.block(0, j), 1 / factor);
      subtract(c.block(0, j), apart, y.block(0, j), factor);
      j += apart;
    }
  }

  const Calls& calls_;
  ElementSteps<E>& steps_;
  const ReflectorMemory<E>& memory_;
  Matrix<E> c_{};
  bool has_large_ = false;
  Index rows_ = 0, count_ = 0;
};

}  // namespace accublas::lapack
