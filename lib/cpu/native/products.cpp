// Engine native: GEMM and GEMV.
#include <algorithm>

#include "lib/cpu/blas_calls.hpp"
#include "lib/cpu/native/operands.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu {
namespace {

Index halved(Index edge) { return std::max(tuning().native.least_edge, round_up(edge / 2, 64)); }

/// Computes a product by the largest blocks whose copies fit. `direct_a`, `direct_b` and `direct_c` say which operands
/// BLAS accesses in place; `multiply` gets copies of the others, with contiguous columns. multiply(m, n, k, a, b, beta,
/// c) computes C = alpha A B + beta C for blocks m x k, k x n and m x n.
template <class T, class Multiply>
void multiply_blocks(const Gemm<T>& p, bool direct_a, bool direct_b, bool direct_c, Execution& execution,
                     const Multiply& multiply) {
  // Halving the longest edge that is copied keeps the blocks square.
  Index mb = std::min(p.m, size_limit), nb = std::min(p.n, size_limit), kb = std::min(p.k, size_limit);
  const double room =
      static_cast<double>(std::min(tuning().native.pack_bytes, execution.workspace.available())) / sizeof(T);
  const auto elements = [&](bool direct, Index rows, Index cols) {
    return direct ? 0.0 : static_cast<double>(rows) * static_cast<double>(cols);
  };
  while (elements(direct_a, mb, kb) + elements(direct_b, kb, nb) + elements(direct_c, mb, nb) > room) {
    const Index edge_m = direct_a && direct_c ? 0 : mb, edge_n = direct_b && direct_c ? 0 : nb,
                edge_k = direct_a && direct_b ? 0 : kb;
    Index& longest = edge_m >= edge_n && edge_m >= edge_k ? mb : edge_n >= edge_k ? nb : kb;
    if (longest <= tuning().native.least_edge) break;
    longest = halved(longest);
  }
  const auto space = [&](bool direct, Index rows, Index cols) {
    return direct ? nullptr : execution.workspace.take<T>(static_cast<std::size_t>(rows * cols));
  };
  T* const space_a = space(direct_a, mb, kb);
  T* const space_b = space(direct_b, kb, nb);
  T* const space_c = space(direct_c, mb, nb);
  if (execution.workspace.rehearses()) return;

  /// Memory for a copy of a block of an operand, and the position of the block that it holds.
  struct Copy {
    T* space;
    Index row = -1, col = -1;
  } of_a{space_a}, of_b{space_b};
  const auto block_of = [&](const Matrix<const T>& operand, bool conjugate, Copy& copy, Index i, Index j, Index rows,
                            Index cols) -> Matrix<const T> {
    if (!copy.space) return operand.block(i, j);
    const Matrix<T> to{copy.space, 1, rows};
    if (copy.row != i || copy.col != j) copy_matrix(operand.block(i, j), to, rows, cols, execution, conjugate);
    copy.row = i, copy.col = j;
    return read_only(to);
  };
  for (Index j = 0; j < p.n; j += nb) {
    const Index n = std::min(nb, p.n - j);
    for (Index i = 0; i < p.m; i += mb) {
      const Index m = std::min(mb, p.m - i);
      const Matrix<T> home = p.c.block(i, j), c = direct_c ? home : Matrix<T>{space_c, 1, m};
      if (!direct_c && p.beta != 0) copy_matrix(home, c, m, n, execution);
      for (Index q = 0; q < p.k; q += kb) {
        const Index k = std::min(kb, p.k - q);
        const Matrix<const T> a = block_of(p.a, p.conjugate_a, of_a, i, q, m, k);
        const Matrix<const T> b = block_of(p.b, p.conjugate_b, of_b, q, j, k, n);
        PhaseTimer timer(execution, &accublas_report_t::ms_product);
        multiply(m, n, k, a, b, q == 0 ? p.beta : T{1}, c);
      }
      if (!direct_c) copy_matrix(c, home, m, n, execution);
    }
  }
}

}  // namespace

template <class T>
void native_gemm(const Gemm<T>& p, Execution& execution) {
  // A row-major C is the column-major C^T = B^T A^T.
  const Index ldc = column_major_ld(p.c, p.m, p.n);
  if (!ldc && column_major_ld(p.c.transposed(), p.n, p.m)) return native_gemm(p.transposed(), execution);
  const RealBlas& blas = real_blas();  // a missing BLAS is reported before C is written
  set_bound<RealOf<T>>(is_complex<T> ? 2 * p.k + 4 : p.k, execution);
  const BlasMatrix<const T> a = blas_matrix(p.a, p.m, p.k, p.conjugate_a),
                            b = blas_matrix(p.b, p.k, p.n, p.conjugate_b);
  multiply_blocks(p, a.ld, b.ld, ldc, execution,
                  [&](Index m, Index n, Index k, const Matrix<const T>& block_a, const Matrix<const T>& block_b, T beta,
                      const Matrix<T>& block_c) {
                    call_gemm(blas, a.ld ? a.op : 'N', b.ld ? b.op : 'N', m, n, k, p.alpha, block_a.data,
                              a.ld ? a.ld : m, block_b.data, b.ld ? b.ld : k, beta, block_c.data, ldc ? ldc : m);
                  });
}

template <class T>
void native_gemv(const Gemv<T>& p, Execution& execution) {
  const RealBlas& blas = real_blas();
  set_bound<RealOf<T>>(is_complex<T> ? 2 * p.k + 4 : p.k, execution);
  const BlasMatrix<const T> a = blas_matrix(p.a, p.m, p.k, p.conjugate_a);
  Gemm<T> product{p.m, 1, p.k, p.alpha, p.a, as_column(p.x), p.beta, as_column(p.y), p.conjugate_a};
  multiply_blocks(product, a.ld, blas_increment(p.x, p.k), blas_increment(p.y, p.m), execution,
                  [&](Index m, Index, Index k, const Matrix<const T>& block, const Matrix<const T>& block_x, T beta,
                      const Matrix<T>& block_y) {
                    const Vector<const T> x = block_x.col(0);
                    const Vector<T> y = block_y.col(0);
                    const char op = a.ld ? a.op : 'N';
                    call_gemv(blas, op, op == 'N' ? m : k, op == 'N' ? k : m, p.alpha, block.data, a.ld ? a.ld : m,
                              lowest(x, k), increment(x, k), beta, lowest(y, m), increment(y, m));
                  });
}

#define ACCUBLAS_INSTANTIATE(E)                          \
  template void native_gemm(const Gemm<E>&, Execution&); \
  template void native_gemv(const Gemv<E>&, Execution&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
