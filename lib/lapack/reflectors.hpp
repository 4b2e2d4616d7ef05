// Householder reflectors: one of a column, and the product of those of a panel, by calls in cr
// (docs/factorizations.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/test_hooks.hpp"
#include "lib/base/workspace.hpp"
#include "lib/lapack/calls.hpp"
#include "lib/numerics/rounding.hpp"

namespace accublas::lapack {

/// x = x / d, each part of an exact quotient rounded once.
template <class E>
void divide(const Calls& calls, Index n, const Vector<E>& x, const E& d) {
  if (n == 0) return;
  Level3<E> quotient{shape_with_side(Level3Kind::trsm, is_complex<E>, ACCUBLAS_LEFT, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS,
                                     ACCUBLAS_NON_UNIT, 1, n, 1, x.stride, 0)};
  quotient.alpha = E{1};
  quotient.a = &d;
  quotient.c = x.data;
  calls.level3(quotient);
}

/// A NaN that is written is the canonical one.
template <class T>
T written(T x) {
  return x == x ? x : canonical_nan<T>();
}

/// The reflector H = I - tau v v^H of a column x of length n >= 1 with H^H x = beta e_1, beta real: x becomes beta and
/// what is below the 1 of v; returns tau, 0 where x is that already.
template <class E>
E reflect(const Calls& calls, Index n, const Vector<E>& x) {
  using T = RealOf<E>;
  using limits = std::numeric_limits<T>;
  const auto parts = [&](E& number, auto&& change) {
    if constexpr (is_complex<E>) {
      change(number.re);
      change(number.im);
    } else {
      change(number);
    }
  };
  bool done = true;
  for (Index i = 1; i < n && done; ++i) done = x[i] == 0;
  if constexpr (is_complex<E>) done = done && x[0].im == 0;
  if (mutant(Mutant::qr_reduced)) done = false;
  if (done) {
    parts(x[0], [](T& part) { part = written(part); });
    return E{};
  }
  T s = calls.norm(n, Vector<const E>{x.data, x.stride});
  // Exact, but for what is below 2^-1000 of the norm.
  const T scale = s < limits::min()                                 ? T(std::ldexp(1, limits::digits))
                  : s >= std::ldexp(T(1), limits::max_exponent - 2) ? T(0.25)
                                                                    : T(1);
  if (scale != 1 && !mutant(Mutant::qr_scale)) {
    for (Index i = 0; i < n; ++i) parts(x[i], [scale](T& part) { part *= scale; });
    s = scale > 1 ? calls.norm(n, Vector<const E>{x.data, x.stride}) : s * scale;
  }
  E d = x[0], tau{};
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
  divide(calls, n - 1, {x.data + x.stride, x.stride}, d);
  x[0] = E{written(mutant(Mutant::qr_scale) ? beta : beta / scale)};
  return tau;
}

/// Q = H_1 H_2 ... of a panel of rows, as I - V S^-1 V^H with the upper triangular S.
template <class E>
class Reflectors {
 public:
  /// At most `reflectors` in all, of at most `rows` rows, for matrices of at most `columns` columns.
  Reflectors(Workspace& workspace, Index rows, Index reflectors, Index columns)
      : width_(std::clamp<Index>(reflectors, 1, hook_panel(panel_columns))),
        chunk_(std::clamp<Index>(columns, 1, most_columns)),
        v_(workspace.take<E>(static_cast<std::size_t>(rows * width_))),
        s_(workspace.take<E>(static_cast<std::size_t>(width_ * width_))),
        w_(workspace.take<E>(static_cast<std::size_t>(chunk_ * width_))) {}

  Index width() const { return width_; }

  void begin(Index rows) {
    rows_ = rows;
    count_ = 0;
  }

  /// The next reflector: `below` has v's elements after the 1, which stands in row `count`, one further each time.
  void append(const Calls& calls, const Vector<const E>& below, const E& tau, bool conjugated = false) {
    const bool identity = tau == 0;
    E *const v = v_ + count_ * rows_, *const s = s_ + count_ * width_;
    std::fill_n(v, rows_, E{});
    if (!identity) {
      v[count_] = E{1};
      for (Index i = 0; i + count_ + 1 < rows_; ++i) v[count_ + 1 + i] = conjugate_if(conjugated, below[i]);
    }
    if (count_ > 0)
      calls.gemm(Gemm<E>{count_, 1, rows_, E{1}, adjoint_v(), {v, 1, rows_}, E{}, {s, 1, width_}, is_complex<E>});
    s[count_] = E{1};
    if (!identity) divide(calls, 1, Vector<E>{s + count_, 1}, conjugate_if(conjugated, tau));
    ++count_;
  }

  /// C = Q C, or Q^H C; C has the panel's rows.
  void apply(const Calls& calls, const Matrix<E>& c, Index columns, bool adjoint) {
    if (count_ == 0) return;
    for (Index j = 0; j < columns; j += chunk_) {
      const Index n = std::min(chunk_, columns - j);
      const Matrix<E> part = c.block(0, j);
      calls.gemm(Gemm<E>{count_,
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
      calls.level3(solution);
      calls.gemm(Gemm<E>{rows_, n, count_, E{-1}, {v_, 1, rows_}, {w_, 1, width_}, E{1}, part});
      wrote_ = true;
    }
  }
  /// Whether a matrix was changed.
  bool wrote() const { return wrote_; }

 private:
  static constexpr Index panel_columns = 32;   ///< part of the definition
  static constexpr Index most_columns = 1024;  ///< that are updated at a time

  Matrix<const E> adjoint_v() const { return {v_, rows_, 1}; }

  const Index width_, chunk_;
  E *const v_, *const s_, *const w_;  ///< rows x width, width x width, width x chunk; columns adjacent
  Index rows_ = 0, count_ = 0;
  bool wrote_ = false;
};

}  // namespace accublas::lapack
