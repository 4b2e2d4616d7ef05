// slices:D and slices:D:fast (docs/modes.md): OzBLAS with an exact final sum. The slices x^(p) of a line, over
// 2^(rho + tau - 53), are integers of at most 53 - rho bits; 4^rho >= 2^53 k makes every DGEMM on them exact. All
// slices of B that slice p of A is multiplied with are adjacent, so there is one DGEMM per slice of A.
#include <algorithm>
#include <limits>

#include "lib/cpu/engines.hpp"
#include "lib/cpu/fp64/fp64_products.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cpu {

int slice_rho(Index k) {
  int r = 27;
  while (r < 53 && (Index{1} << (2 * r - 53)) < k) ++r;
  return r;
}

namespace {

/// A block of C with the arguments of its products. Slice q of a line has the grid at [line * slices + q], and plane
/// (p, q) starts at plane[p] + q m n.
struct SliceBlock {
  Index m, n;
  int slices, width;  ///< digits reach 2^width, and a full slice moves the grid by width + 1
  bool fast;
  const Cut *cut_a, *cut_b;
  const int *grid_a, *grid_b;
  double* plane[max_digits];

  /// Returns how many slices of B slice p of A is multiplied with. If `fast`, they have p + q <= D + 1, counted from 1.
  int partners(int p) const { return fast ? slices - p : slices; }
};

/// Returns whether every slice took its full width, so that grid[p] = grid[0] - p (width + 1) and pairs of one p + q
/// have one exponent.
bool regular(const int* grid, int count, int width) {
  for (int p = 1; p < count; ++p)
    if (grid[p] != grid[p - 1] - width - 1) return false;
  return true;
}

/// Returns the sum over all pairs of slices, divided by 2^(last grid of the row + last grid of the column).
template <int L>
Wide<L> sum_pairs(const SliceBlock& b, Index i, Index j, bool level_by_level) {
  const int na = b.cut_a[i].count, nb = b.cut_b[j].count;
  const int *ga = b.grid_a + i * b.slices, *gb = b.grid_b + j * b.slices;
  const Index size = b.m * b.n, at = i + j * b.m;
  Wide<L> s{};
  if (level_by_level) {
    std::int64_t level[2 * max_digits];  // below 50 2^53
    for (int l = 0; l <= na + nb - 2; ++l) level[l] = 0;
    for (int p = 0; p < na; ++p) {
      const double* const g = b.plane[p] + at;
      for (int q = 0, count = std::min(nb, b.partners(p)); q < count; ++q) {
        level[p + q] += static_cast<std::int64_t>(g[q * size]);
      }
    }
    return sum_of_levels<L>(level, na + nb - 2, b.width + 1, 53 + ceil_log2(b.slices));
  }
  const int base = ga[na - 1] + gb[nb - 1];
  for (int p = 0; p < na; ++p) {
    const double* const g = b.plane[p] + at;
    for (int q = 0, count = std::min(nb, b.partners(p)); q < count; ++q) {
      const std::int64_t v = static_cast<std::int64_t>(g[q * size]);
      if (v != 0) add_at(s, v, ga[p] + gb[q] - base);
    }
  }
  return s;
}

template <class T, int L>
void finish_block(const Gemm<T>& g, Index i0, Index j0, const SliceBlock& b, const bool* regular_a,
                  const bool* regular_b, Execution& execution) {
  PhaseTimer timer(execution, &accublas_report_t::ms_reconstruct);
  for_elements(b.m, b.n, execution.threads, [&](Index i, Index j) {
    T* const c = &g.c(i0 + i, j0 + j);
    if (b.cut_a[i].special || b.cut_b[j].special) {  // every mode has the same S, NaN or Inf
      *c = exact_element<T>(g.k, g.alpha, g.a.row(i0 + i), g.b.col(j0 + j), g.beta, c);
      return;
    }
    const int na = b.cut_a[i].count, nb = b.cut_b[j].count;
    const T addend = read_addend(g.beta, c);
    if (na == 0 || nb == 0) {
      *c = finish(g.alpha, Wide<1>{}, 0, g.beta, addend);
      return;
    }
    const int base = b.grid_a[i * b.slices + na - 1] + b.grid_b[j * b.slices + nb - 1];
    *c = finish(g.alpha, sum_pairs<L>(b, i, j, regular_a[i] && regular_b[j]), base, g.beta, addend);
  });
}

/// Returns the most bits between the first and the last grid of a line, and sets whether each line is regular.
int grid_span(const Cut* cut, const int* grid, Index lines, int slices, int width, bool* is_regular) {
  int span = 0;
  for (Index i = 0; i < lines; ++i) {
    const int* const g = grid + i * slices;
    is_regular[i] = regular(g, cut[i].count, width);
    if (cut[i].count > 0) span = std::max(span, g[0] - g[cut[i].count - 1]);
  }
  return span;
}

int most_slices(const Cut* cut, Index lines) {
  int most = 0;
  for (Index i = 0; i < lines; ++i) most = std::max(most, cut[i].count);
  return most;
}

}  // namespace

template <class T>
void slices_gemm(const Gemm<T>& g, const Mode& mode, Execution& execution) {
  const int slices = mode.parameter, rho = slice_rho(g.k);
  const int planes = mode.fast ? slices * (slices + 1) / 2 : slices * slices;
  const BlockSizes size = block_sizes(g.m, g.n, g.k, slices, planes, false, execution.workspace.available());
  const auto count = [](Index a, Index b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); };
  Workspace& w = execution.workspace;
  double* const a = w.take<double>(count(size.m * slices, size.k + 8));
  double* const b = w.take<double>(count(size.n * slices, size.k + 8));
  double* const plane = w.take<double>(count(size.m * planes, size.n));
  Cut *const cut_a = w.take<Cut>(count(size.m, 1)), *const cut_b = w.take<Cut>(count(size.n, 1));
  int *const grid_a = w.take<int>(count(size.m, slices)), *const grid_b = w.take<int>(count(size.n, slices));
  bool *const regular_a = w.take<bool>(count(size.m, 1)), *const regular_b = w.take<bool>(count(size.n, 1));
  if (w.rehearses()) return;
  execution.report.bound_relative = execution.report.bound_componentwise = execution.report.bound_absolute =
      std::numeric_limits<double>::infinity();

  for (Index i0 = 0; i0 < g.m; i0 += size.m) {
    const Index m = std::min(size.m, g.m - i0);
    const Lines<T> rows{g.a.block(i0, 0), m, g.k};
    {
      PhaseTimer timer(execution, &accublas_report_t::ms_convert);
      slice_grids(rows, rho, slices, cut_a, grid_a, execution);
    }
    const int span_a = grid_span(cut_a, grid_a, m, slices, 53 - rho, regular_a), used_a = most_slices(cut_a, m);
    execution.report.parts = std::max(execution.report.parts, used_a);
    bool a_is_cut = false;
    for (Index j0 = 0; j0 < g.n; j0 += size.n) {
      const Index n = std::min(size.n, g.n - j0);
      const Lines<T> cols{g.b.block(0, j0).transposed(), n, g.k};
      {
        PhaseTimer timer(execution, &accublas_report_t::ms_convert);
        slice_grids(cols, rho, slices, cut_b, grid_b, execution);
      }
      const int span_b = grid_span(cut_b, grid_b, n, slices, 53 - rho, regular_b), used_b = most_slices(cut_b, n);
      SliceBlock block{m, n, slices, 53 - rho, mode.fast, cut_a, cut_b, grid_a, grid_b, {}};
      double* next = plane;
      for (int p = 0; p < used_a; ++p) {
        block.plane[p] = next;
        next += std::max(0, std::min(used_b, block.partners(p))) * m * n;
      }
      for (Index k0 = 0; k0 < g.k; k0 += size.k) {
        const Index k = std::min(size.k, g.k - k0), ld = k + 8;  // avoids powers of two
        {
          PhaseTimer timer(execution, &accublas_report_t::ms_convert);
          if (!a_is_cut) {
            split_lines(rows, k0, k, cut_a, grid_a, slices, used_a, {a, ld, m * ld}, execution);
            a_is_cut = k == g.k;
          }
          split_lines(cols, k0, k, cut_b, grid_b, slices, used_b, {b, ld, n * ld}, execution);
        }
        PhaseTimer timer(execution, &accublas_report_t::ms_product);
        for (int p = 0; p < used_a; ++p) {
          const int q = std::min(used_b, block.partners(p));
          if (q > 0) digit_product(m, q * n, k, a + p * m * ld, ld, b, ld, k0 > 0, block.plane[p], m);
        }
      }
      // The sum of all pairs has the bits that their exponents span, 53 for a pair, those for their number, and a sign.
      const int bits = span_a + span_b + 54 + ceil_log2(used_a * used_b) + 1;
      const auto run = [&]<int L>() { finish_block<T, L>(g, i0, j0, block, regular_a, regular_b, execution); };
      if (bits <= 128) {
        run.template operator()<2>();
      } else if (bits <= 192) {
        run.template operator()<3>();
      } else if (bits <= 256) {
        run.template operator()<4>();
      } else if (bits <= 512) {
        run.template operator()<8>();
      } else if (bits <= 1024) {
        run.template operator()<16>();
      } else {
        run.template operator()<72>();  // doubles span no more
      }
    }
  }
}

template void slices_gemm(const Gemm<double>&, const Mode&, Execution&);
template void slices_gemm(const Gemm<float>&, const Mode&, Execution&);

}  // namespace accublas::cpu
