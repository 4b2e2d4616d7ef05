#include "lib/certified/calls.hpp"

#include <cmath>

namespace accublas::certified {

Calls::Calls(Context& context, const accublas_options* options) : lapack::Calls(context, options) {
  context.resolved(Routine::dgetrf, in_mode_);  // a mode that it lacks
}

void Calls::product(Index m, Index n, Index k, double alpha, const Matrix<const double>& a,
                    const Matrix<const double>& b, double beta, const Matrix<double>& c) const {
  gemm(Gemm<double>{m, n, k, alpha, a, b, beta, c});
}

void Calls::square(Index n, const double* a, double* c) const {
  Level3<double> problem{shape_with_triangle(Level3Kind::syrk, false, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS,
                                             ACCUBLAS_NO_TRANS, n, n, n, 0, n)};
  problem.alpha = 1;
  problem.a = a;
  problem.c = c;
  level3(problem);
}

Index Calls::factor(Index n, double* a, std::int64_t* pivots) const {
  std::int64_t info = 0;
  Factorization<double> call{{FactorizationKind::getrf, false, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, n, n, 0, n, 0}};
  call.a = {a, 1, n};
  call.pivots = {pivots, false};
  call.info = &info;
  run_factorization(context_, call, &in_mode_);
  Index zeros = 0;
  for (Index i = 0; i < n; ++i) {
    if (a[i * (n + 1)] != 0) continue;
    a[i * (n + 1)] = 0x1p-53;
    ++zeros;
  }
  return zeros;
}

void Calls::left_inverse(Index n, const double* factors, const std::int64_t* pivots, double* x) const {
  std::int64_t info = 0;
  set_identity(n, x);
  Factorization<double> call{{FactorizationKind::getrs, false, ACCUBLAS_UPPER, ACCUBLAS_TRANS, 0, n, n, n, n}};
  call.a = {const_cast<double*>(factors), 1, n};
  call.b = {x, 1, n};
  call.pivots = {const_cast<std::int64_t*>(pivots), false};
  call.info = &info;
  run_factorization(context_, call, &in_mode_);
}

bool Calls::inverse_cholesky(Index n, double* a, double* x) const {
  std::int64_t info = 0;
  Factorization<double> call{{FactorizationKind::potrf, false, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, 0, n, 0, n, 0}};
  call.a = {a, 1, n};
  call.info = &info;
  run_factorization(context_, call, &in_mode_);
  if (info != 0) return false;
  set_identity(n, x);
  Level3<double> solution{shape_with_side(Level3Kind::trsm, false, ACCUBLAS_LEFT, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS,
                                          ACCUBLAS_NON_UNIT, n, n, n, n, 0)};
  solution.a = a;
  solution.c = x;
  const double one = 1;
  run_level3(context_, solution, &one, static_cast<const double*>(nullptr), &in_mode_);
  return true;
}

void Calls::row_sums_up(Index rows, Index cols, const Matrix<const double>& m, const double* v, double* to) const {
  for_rows(rows, [&](Index first, Index end) {
    const auto add = [&](Index i, Index j) { to[i] += std::fabs(m(i, j)) * (v ? v[j] : 1); };
    std::fill(to + first, to + end, 0.0);
    if (m.row_stride == 1) {
      for (Index j = 0; j < cols; ++j)
        for (Index i = first; i < end; ++i) add(i, j);
    } else {
      for (Index i = first; i < end; ++i)
        for (Index j = 0; j < cols; ++j) add(i, j);
    }
    for (Index i = first; i < end; ++i) to[i] = sum_up(to[i], cols);
  });
}

}  // namespace accublas::certified
