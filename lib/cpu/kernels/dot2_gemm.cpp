// dot2's GEMM: a tile of outputs whose chains stay in registers over a block of k, then meet the pairs of the blocks
// before.
#include "lib/cpu/kernels/panels.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

constexpr const KernelTuning& tuned = tunings[ACCUBLAS_ISA_LEVEL]->kernels;
constexpr int pair_vectors = tuned.pair_vectors, pair_cols = tuned.pair_cols;
constexpr int chain_vectors = tuned.chain_vectors, chain_cols = tuned.chain_cols;

/// double: a tile of M vectors by N columns.
template <int M, int N>
void pair_tile(Index k, Index block, const double* a, const double* b, double* pair) {
  for (Index first = 0; first < k; first += block) {
    const Index end = first + block < k ? first + block : k;
    V s[N][M], c[N][M];
    for (int j = 0; j < N; ++j)
      for (int i = 0; i < M; ++i) s[j][i] = c[j][i] = zero();
    for (Index p = first; p < end; ++p) {
      V x[M];
      for (int i = 0; i < M; ++i) x[i] = load(a + (p * M + i) * W);
      for (int j = 0; j < N; ++j) {
        const V y = splat(b[p * N + j]);
        for (int i = 0; i < M; ++i) step(s[j][i], c[j][i], x[i], y);
      }
    }
    for (int j = 0; j < N; ++j) {
      for (int i = 0; i < M; ++i) {
        double* const total_s = pair + (j * M + i) * W;
        double* const total_c = total_s + M * N * W;
        V sum = load(total_s), error = load(total_c);
        combine(sum, error, s[j][i], c[j][i]);
        store(total_s, sum);
        store(total_c, error);
      }
    }
  }
}

/// float: the same without the error terms.
template <int M, int N>
void chain_tile(Index k, Index block, const double* a, const double* b, double* pair) {
  for (Index first = 0; first < k; first += block) {
    const Index end = first + block < k ? first + block : k;
    V s[N][M];
    for (int j = 0; j < N; ++j)
      for (int i = 0; i < M; ++i) s[j][i] = zero();
    for (Index p = first; p < end; ++p) {
      V x[M];
      for (int i = 0; i < M; ++i) x[i] = load(a + (p * M + i) * W);
      for (int j = 0; j < N; ++j) {
        const V y = splat(b[p * N + j]);
        for (int i = 0; i < M; ++i) step(s[j][i], x[i], y);
      }
    }
    for (int j = 0; j < N; ++j) {
      for (int i = 0; i < M; ++i) {
        double* const total = pair + (j * M + i) * W;
        store(total, add(load(total), s[j][i]));
      }
    }
  }
}

}  // namespace

template <>
const Dot2GemmKernel<double>& kernels() {
  constexpr int rows = pair_vectors * W, cols = pair_cols;
  static constexpr Dot2GemmKernel<double> table = {rows, cols, pack_panels<double, rows>, pack_panels<double, cols>,
                                                   pair_tile<pair_vectors, pair_cols>};
  return table;
}

template <>
const Dot2GemmKernel<float>& kernels() {
  constexpr int rows = chain_vectors * W, cols = chain_cols;
  static constexpr Dot2GemmKernel<float> table = {rows, cols, pack_panels<float, rows>, pack_panels<float, cols>,
                                                  chain_tile<chain_vectors, chain_cols>};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
