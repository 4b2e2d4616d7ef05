#include "lib/certified/calls.hpp"

#include "lib/base/error.hpp"
#include "lib/certified/host_place.hpp"
#include "lib/certified/results.hpp"

namespace accublas::certified {

accublas_options options_of(Context& context, const accublas_options* options) {
  accublas_options inner = lapack::inner_options(options);
  if (context.resolved({Operation::getrf, Type::d}, inner).plan.mode.kind == ACCUBLAS_MODE_NATIVE)
    inner.mode_name = "dp";
  return inner;
}

Calls::Calls(Context& context, const accublas_options* options) : lapack::Calls(context, options) { move_to_host(); }

void Calls::move_to(const Run& run) {
  operands_on_device_ = run.on_device();
  if (run.backend() == ACCUBLAS_BACKEND_CUDA) place_ = device_place(context_.state_on());
}

void Calls::move_to_host() { place_ = host_place(*this); }

void Calls::product(Index m, Index n, Index k, double alpha, const Matrix<const double>& a,
                    const Matrix<const double>& b, double beta, const Matrix<double>& c) const {
  if (n == 1)
    gemv(Gemv<double>{m, k, alpha, a, b.col(0), beta, c.col(0)});
  else
    gemm(Gemm<double>{m, n, k, alpha, a, b, beta, c});
}

void Calls::product_in_mode(Index m, Index n, Index k, const Matrix<const double>& a, const Matrix<const double>& b,
                            const Matrix<double>& c) const {
  const double one = 1, zero = 0;
  run_gemm(context_, Gemm<double>{m, n, k, one, a, b, zero, c}, &one, &zero, &in_mode_);
}

void Calls::subtract_gram(Index n, Index k, const double* a, double* c) const {
  Level3<double> problem{
      shape_with_triangle(Operation::syrk, false, ACCUBLAS_UPPER, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, n, k, k, 0, n)};
  problem.alpha = -1;
  problem.beta = 1;
  problem.a = a;
  problem.c = c;
  level3(problem);
}

void Calls::square(Index n, const double* a, double* c) const {
  Level3<double> problem{
      shape_with_triangle(Operation::syrk, false, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, 0, n)};
  problem.alpha = 1;
  problem.a = a;
  problem.c = c;
  level3(problem);
}

Index Calls::factor(Index n, double* a, const Placed& pivots) const {
  std::int64_t info = 0;
  Factorization<double> call{{Operation::getrf, false, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, n, n, 0, n, 0}};
  call.a = {a, 1, n};
  call.pivots = {pivots.data(), false};
  call.info = &info;
  run_factorization(context_, call, &in_mode_);
  Index zeros = 0;
  change_diagonal(n, a, [&](const Mirrored& diagonal) {
    for (Index i = 0; i < n; ++i) {
      if (diagonal[i] != 0) continue;
      diagonal[i] = 0x1p-53;
      ++zeros;
    }
  });
  return zeros;
}

void Calls::left_inverse(Index n, const double* factors, const Placed& pivots, double* x) const {
  std::int64_t info = 0;
  set_identity(n, x);
  Factorization<double> call{{Operation::getrs, false, ACCUBLAS_UPPER, ACCUBLAS_TRANS, 0, n, n, n, n}};
  call.a = {const_cast<double*>(factors), 1, n};
  call.b = {x, 1, n};
  call.pivots = {pivots.data(), false};
  call.info = &info;
  run_factorization(context_, call, &in_mode_);
}

bool Calls::inverse_cholesky(Index n, double* a, double* x) const {
  std::int64_t info = 0;
  Factorization<double> call{{Operation::potrf, false, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, 0, n, 0, n, 0}};
  call.a = {a, 1, n};
  call.info = &info;
  run_factorization(context_, call, &in_mode_);
  if (info != 0) return false;
  set_identity(n, x);
  Level3<double> solution{shape_with_side(Operation::trsm, false, ACCUBLAS_LEFT, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS,
                                          ACCUBLAS_NON_UNIT, n, n, n, n, 0)};
  solution.a = a;
  solution.c = x;
  const double one = 1;
  run_level3(context_, solution, &one, static_cast<const double*>(nullptr), &in_mode_);
  return true;
}

void Calls::copy(Index count, const double* from, double* to) const {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(double);
  place().copy(to, bytes, from, bytes, bytes, 1);
}

void Calls::copy(Index rows, Index cols, const Matrix<const double>& from, const Matrix<double>& to) const {
  place().run(CopyStep<double>{to, from}, rows, cols);
}

void Calls::set_identity(Index n, double* to) const { place().run(FillStep<double>{{to, 1, n}, 1}, n, n); }

Mirrored Calls::diagonal(Index n, const double* a) const {
  Mirrored diagonal(place(), n);
  copy(n, 1, {a, n + 1, 1}, {diagonal.there(), 1, 1});
  diagonal.fetch();
  return diagonal;
}

void Calls::row_sums_up(Index rows, Index cols, const Matrix<const double>& m, const double* v, double* to) const {
  place().row_sums(rows, cols, m, v, to);
  for (Index i = 0; i < rows; ++i) to[i] = sum_up(to[i], cols);
}

accublas_reason certify_where_possible(Calls& calls, accublas_certificate_t* certificate,
                                       const std::function<accublas_reason()>& certify) {
  const auto attempt = [&] {
    try {
      return certify();
    } catch (const Error& error) {
      if (error.status() == ACCUBLAS_ERROR_C_UNDEFINED) throw Error(ACCUBLAS_ERROR_MEMORY, error.what());
      throw;
    }
  };
  try {
    return attempt();
  } catch (const Error& error) {
    // The device's memory does not hold the matrices; calls may still have it for theirs.
    if (error.status() != ACCUBLAS_ERROR_MEMORY || !calls.is_staged()) throw;
  }
  calls.move_to_host();
  *certificate = {};
  return attempt();
}

}  // namespace accublas::certified
