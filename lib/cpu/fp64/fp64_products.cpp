#include "lib/cpu/fp64/fp64_products.hpp"

#include <algorithm>

#include "lib/cpu/blas_calls.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu {

void digit_product(Index m, Index n, Index terms, const double* a, Index lda, const double* b, Index ldb, bool add,
                   double* plane, Index ld) {
  call_gemm(real_blas(), 'T', 'N', m, n, terms, 1.0, a, lda, b, ldb, add ? 1.0 : 0.0, plane, ld);
}

BlockSizes block_sizes(Index m, Index n, Index k, int digits, int planes, bool marks, std::size_t bytes) {
  const double room = static_cast<double>(bytes) - (1 << 16);
  const auto need = [&](const BlockSizes& s) {
    constexpr double tables = 4.0 * max_digits + 128;  // bytes per line: grids, Cut and the like
    const double lines = static_cast<double>(s.m + s.n);
    return lines * (8.0 * digits * (static_cast<double>(s.k) + 8) + tables) +
           static_cast<double>(s.m) * static_cast<double>(s.n) * (8.0 * planes + 1) +
           (marks ? static_cast<double>(ceil_div(m, s.m)) * static_cast<double>(ceil_div(n, s.n)) : 0);
  };
  const auto [longest_edge, longest_chunk] = std::pair{tuning().fp64.longest_edge, tuning().fp64.longest_chunk};
  const BlockSizes most{std::min(m, longest_edge), std::min(n, longest_edge), std::min(k, longest_chunk)};
  if (need(most) <= room) return most;
  BlockSizes best{1, 1, std::min<Index>(k, 64)}, least = best;
  double least_cost = 1e300;
  for (Index edge_m = longest_edge; edge_m > 0; edge_m /= 2) {
    for (Index edge_n = longest_edge; edge_n > 0; edge_n /= 2) {
      for (Index chunk = longest_chunk; chunk >= 64; chunk /= 4) {
        const BlockSizes s{std::min(m, edge_m), std::min(n, edge_n), std::min(k, chunk)};
        if (need(s) < need(least)) least = s;
        if (need(s) > room) continue;
        // The cost is one of a term of an element of C. DGEMM packs A for every block of columns and B for every block
        // of rows. B is cut anew for every block of rows, A for every block of columns unless all of k is held. A chunk
        // of k reads and writes the planes once.
        const double per_m = 1 / static_cast<double>(s.m), per_n = 1 / static_cast<double>(s.n);
        const double cost =
            per_m + per_n + (s.m < m ? 2 * per_m : 0) + (s.k < k ? 2 * per_n + 4 / static_cast<double>(s.k) : 0);
        if (cost < least_cost) {
          least_cost = cost;
          best = s;
        }
      }
    }
  }
  return least_cost < 1e300 ? best : least;
}

template <class T>
void fp64_gemm(const Gemm<T>& p, const Mode& mode, Execution& execution) {
  real_blas();  // a missing BLAS is reported before C is written
  if (mode.kind == ACCUBLAS_MODE_SLICES) return slices_gemm(p, mode, execution);
  levels_gemm(p, mode, execution);
}

template <class T>
void slices_gemv(const Gemv<T>& p, const Mode& mode, Execution& execution) {
  fp64_gemm(Gemm<T>{p.m, 1, p.k, p.alpha, p.a, {p.x.data, p.x.stride, 0}, p.beta, {p.y.data, p.y.stride, 0}}, mode,
            execution);
}

template <class T>
void slices_dot(const Dot<T>& p, const Mode& mode, Execution& execution) {
  fp64_gemm(Gemm<T>{1, 1, p.n, T{1}, {p.x.data, 0, p.x.stride}, {p.y.data, p.y.stride, 0}, T{0}, {p.result, 0, 0}},
            mode, execution);
}

#define ACCUBLAS_INSTANTIATE(T)                                       \
  template void fp64_gemm(const Gemm<T>&, const Mode&, Execution&);   \
  template void slices_gemv(const Gemv<T>&, const Mode&, Execution&); \
  template void slices_dot(const Dot<T>&, const Mode&, Execution&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
