#include "cuda/vector/narrow_gemm.hpp"

#include <algorithm>
#include <cstring>

#include "cuda/core/inner_calls.hpp"
#include "cuda/vector/vector_call.hpp"
#include "lib/call/engines.hpp"

namespace accublas::cuda {

namespace {

/// Times of a GEMV in mode cr: microseconds of its launches, and bytes of the matrix in a microsecond. Measured by
/// `accublas-gpu-bench vectors dgemv` on an H200.
struct GemvTime {
  double start = 9, bytes = 4e6;
};

}  // namespace

template <class T>
bool narrow_gemm_serves(const Call<Gemm<T>, T>& call, double other_time) {
  const Gemm<T>& g = call.problem;
  if (call.mode.kind != ACCUBLAS_MODE_CR || g.combined || g.row_pairs != RowPairs::none || g.numbers_as_stored ||
      g.wanted != Triangle::all)
    return false;
  constexpr GemvTime gemv;
  const double entries = static_cast<double>(std::max(g.m, g.n)) * static_cast<double>(g.k);
  return static_cast<double>(std::min(g.m, g.n)) * (gemv.start + entries * sizeof(T) / gemv.bytes) < other_time;
}

template <class T>
void narrow_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution) {
  const Gemm<T>& g = call.problem;
  std::strcpy(execution.report.engine, engine_name(ACCUBLAS_ENGINE_SUMS));
  std::strcpy(execution.report.reason, "few rows or columns are faster by GEMV");
  bool wrote = false;
  const auto vector_call = [&](const Gemv<T>& gemv) {
    with_written(wrote, [&] {
      gemv_call(state, Call<Gemv<T>, T>{gemv, call.alpha, call.beta, true, true, call.mode, ACCUBLAS_ENGINE_SUMS},
                execution);
    });
    wrote = true;
  };
  BatchScope scope(state, execution.report.level, std::min(g.m, g.n) > 1);
  if (g.n <= g.m) {
    for (Index j = 0; j < g.n; ++j) vector_call({g.m, g.k, g.alpha, g.a, g.b.col(j), g.beta, g.c.col(j)});
  } else {
    const Matrix<const T> columns = g.b.transposed();
    for (Index i = 0; i < g.m; ++i) vector_call({g.n, g.k, g.alpha, columns, g.a.row(i), g.beta, g.c.row(i)});
  }
  scope.end();
}

template bool narrow_gemm_serves(const Call<Gemm<double>, double>&, double);
template bool narrow_gemm_serves(const Call<Gemm<float>, float>&, double);
template void narrow_gemm(State&, const Call<Gemm<double>, double>&, Execution&);
template void narrow_gemm(State&, const Call<Gemm<float>, float>&, Execution&);

}  // namespace accublas::cuda
