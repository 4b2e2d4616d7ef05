// Householder reflectors: one of a column, and the product of those of a panel, by calls in cr
// (docs/factorizations.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/test_hooks.hpp"
#include "lib/call/element_steps.hpp"
#include "lib/lapack/calls.hpp"
#include "lib/numerics/rounding.hpp"

namespace accublas::lapack {

/// x = x / *d, each part of an exact quotient rounded once.
template <class E>
void divide(const Calls& calls, Index n, const Vector<E>& x, const E* d) {
  if (n == 0) return;
  Level3<E> quotient{shape_with_side(Level3Kind::trsm, is_complex<E>, ACCUBLAS_LEFT, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS,
                                     ACCUBLAS_NON_UNIT, 1, n, 1, x.stride, 0)};
  quotient.alpha = E{1};
  quotient.a = d;
  quotient.c = x.data;
  calls.level3(quotient);
}

/// A NaN that is written is the canonical one.
template <class T>
T written(T x) {
  return x == x ? x : canonical_nan<T>();
}

/// The reflector H = I - tau v v^H of a column x of length n >= 1 with H^H x = beta e_1, beta real: x becomes beta and
/// what is below the 1 of v; returns tau, 0 where x is that already. *divisor is overwritten.
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
  if (mutant(Mutant::qr_reduced)) done = false;
  if (done) {
    if constexpr (is_complex<E>)
      d = {written(d.re), written(d.im)};
    else
      d = written(d);
    steps.put(x.data, d);
    return E{};
  }
  T s = calls.norm(n, Vector<const E>{x.data, x.stride});
  // Exact, but for what is below 2^-1000 of the norm.
  const T scale = s < limits::min()                                 ? T(std::ldexp(1, limits::digits))
                  : s >= std::ldexp(T(1), limits::max_exponent - 2) ? T(0.25)
                                                                    : T(1);
  if (scale != 1 && !mutant(Mutant::qr_scale)) {
    steps.run(ScaleStep<E>{column, scale}, n, 1);
    d = steps.read(x.data);
    s = scale > 1 ? calls.norm(n, Vector<const E>{x.data, x.stride}) : s * scale;
  }
  T real;
  if constexpr (is_complex<E>)
    real = d.re;
  else
    real = d;
  // s - s: NaN where the norm overflowed.
  const T beta = (real < 0) != mutant(Mutant::qr_sign) ? s : -s, first = written(1 + std::fabs(real) / s + (s - s));
  if constexpr (is_complex<E>) {
    tau = {first, written(-d.im / beta)};
    d.re -= beta;
  } else {
    tau = first;
    d -= beta;
  }
  steps.put(divisor, d);
  divide(calls, n - 1, below, divisor);
  steps.put(x.data, E{written(mutant(Mutant::qr_scale) ? beta : beta / scale)});
  return tau;
}

/// Q = H_1 H_2 ... of a panel of rows, as I - V S^-1 V^H with the upper triangular S.
template <class E>
class Reflectors {
 public:
  /// At most `reflectors` in all, of at most `rows` rows, for matrices of at most `columns` columns.
  Reflectors(const Calls& calls, ElementSteps<E>& steps, Index rows, Index reflectors, Index columns)
      : calls_(calls),
        steps_(steps),
        width_(std::clamp<Index>(reflectors, 1, hook_panel(panel_columns))),
        chunk_(std::clamp<Index>(columns, 1, most_columns)),
        v_(steps.take(rows * width_)),
        s_(steps.take(width_ * width_)),
        w_(steps.take(chunk_ * width_)),
        divisor_(steps.take(1)) {}

  Index width() const { return width_; }

  void begin(Index rows) {
    rows_ = rows;
    count_ = 0;
  }

  /// The next reflector: `below` has v's elements after the 1, which stands in row `count`, one further each time.
  void append(const Vector<const E>& below, const E* tau, bool conjugated = false) {
    E *const v = v_ + count_ * rows_, *const s = s_ + count_ * width_;
    steps_.run(ReflectorStep<E>{v, count_, below, tau, conjugated, s + count_, divisor_}, rows_, 1);
    if (count_ > 0)
      calls_.gemm(Gemm<E>{count_, 1, rows_, E{1}, adjoint_v(), {v, 1, rows_}, E{}, {s, 1, width_}, is_complex<E>});
    divide(calls_, 1, Vector<E>{s + count_, 1}, divisor_);
    ++count_;
  }
  /// The reflector of a column x, which it overwrites: its tau.
  E reflect(Index n, const Vector<E>& x) const { return lapack::reflect(calls_, steps_, n, x, divisor_); }

  /// C = Q C, or Q^H C; C has the panel's rows.
  void apply(const Matrix<E>& c, Index columns, bool adjoint) {
    if (count_ == 0) return;
    for (Index j = 0; j < columns; j += chunk_) {
      const Index n = std::min(chunk_, columns - j);
      const Matrix<E> part = c.block(0, j);
      calls_.gemm(Gemm<E>{count_,
                          n,
                          rows_,
                          E{1},
                          adjoint_v(),
                          {part.data, part.row_stride, part.col_stride},
                          E{},
                          {w_, 1, width_},
                          is_complex<E>});
      const bool turned = adjoint != mutant(Mutant::qr_adjoint);
      Level3<E> solution{shape_with_side(Level3Kind::trsm, is_complex<E>, ACCUBLAS_LEFT, ACCUBLAS_UPPER,
                                         turned ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, count_, n,
                                         width_, width_, 0)};
      solution.alpha = E{1};
      solution.a = s_;
      solution.c = w_;
      calls_.level3(solution);
      calls_.gemm(Gemm<E>{rows_, n, count_, E{-1}, {v_, 1, rows_}, {w_, 1, width_}, E{1}, part});
      wrote_ = true;
    }
  }
  /// Whether a matrix was changed.
  bool wrote() const { return wrote_; }

 private:
  static constexpr Index panel_columns = 32;   ///< part of the definition
  static constexpr Index most_columns = 1024;  ///< that are updated at a time

  Matrix<const E> adjoint_v() const { return {v_, rows_, 1}; }

  const Calls& calls_;
  ElementSteps<E>& steps_;
  const Index width_, chunk_;
  E *const v_, *const s_, *const w_, *const divisor_;  ///< rows x width, width x width, width x chunk; columns adjacent
  Index rows_ = 0, count_ = 0;
  bool wrote_ = false;
};

}  // namespace accublas::lapack
