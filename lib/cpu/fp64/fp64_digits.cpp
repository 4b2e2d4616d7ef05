#include "lib/cpu/fp64/fp64_digits.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "lib/base/atomic_maximum.hpp"
#include "lib/base/integers.hpp"
#include "lib/cpu/kernels/fp64_kernels.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cpu {
namespace {

// A task works on tile_lines lines in tiles that stay in L1.
constexpr Index tile_lines = Fp64Tuning::tile_lines, tile_terms = Fp64Tuning::tile_terms;

constexpr std::uint64_t magnitude_mask = ~(std::uint64_t{1} << 63);

/// Loads a tile to x[line][term]. The source is read along its smaller stride: a cache line of a column-major A holds 8
/// rows.
template <class T>
void load_tile(const Lines<T>& lines, Index i0, Index rows, Index p0, Index n, double (*x)[tile_terms]) {
  const Matrix<const T> v = lines.view.block(i0, p0);
  if (std::abs(v.col_stride) <= std::abs(v.row_stride) || rows == 1) {
    for (Index i = 0; i < rows; ++i)
      for (Index p = 0; p < n; ++p) x[i][p] = static_cast<double>(v(i, p));
  } else {
    for (Index p = 0; p < n; ++p)
      for (Index i = 0; i < rows; ++i) x[i][p] = static_cast<double>(v(i, p));
  }
}

/// Calls body(i0, rows, p0, n) for tiles that cover entries first .. first + n - 1 of all lines.
template <class Body>
void for_tiles(Index lines, Index first, Index n, int threads, Body&& body) {
  const Index groups = ceil_div(lines, tile_lines), chunks = ceil_div(n, tuning().fp64.task_terms);
  parallel_for(groups * chunks, threads, [&](Index task, int) {
    const Index i0 = task / chunks * tile_lines, rows = std::min(tile_lines, lines - i0);
    const Index begin = task % chunks * tuning().fp64.task_terms, end = std::min(n, begin + tuning().fp64.task_terms);
    for (Index p = begin; p < end; p += tile_terms) body(i0, rows, first + p, std::min(tile_terms, end - p));
  });
}

/// 2^e as a product of two doubles. If e lies far outside the range of exponents, it is limited; only zeros are then
/// multiplied by it.
struct Power {
  double first, second;
  explicit Power(int e) {
    const int f = std::clamp(e, -1000, 1000);
    first = std::ldexp(1.0, f);
    second = std::ldexp(1.0, std::clamp(e - f, -1000, 1000));
  }
};

// Above this grid the constants below could overflow, so that entries are multiplied by 2^-256. Entries that this
// rounds (below 2^-766) are far below half of 2^grid, and their digits are zero.
constexpr int high_grid = 850;

/// Subtracts from the entries of x their nearest multiples of 2^grid, ties to even, and writes these divided by 2^grid
/// to `digit` (unless null). Requires abs(x) < 2^(grid + 51). Returns the OR of the bits of the multiples without their
/// signs.
///
/// Adding and subtracting sigma = 1.5 2^(52 + grid) rounds to the grid: the sum lies in [2^52, 2^53) 2^grid, where the
/// last place is one grid, and sigma is an even number of grids. Every operation here but that addition is exact.
std::uint64_t take_digit(const DigitKernels& kernels, double* x, double* digit, Index n, int grid) {
  if (grid > high_grid) {
    std::uint64_t taken = 0;
    const double sigma = std::ldexp(1.5, 52 + grid - Cut::halving), down = std::ldexp(1.0, -Cut::halving);
    const double up = std::ldexp(1.0, Cut::halving), unit = std::ldexp(1.0, Cut::halving - grid);
    for (Index p = 0; p < n; ++p) {
      const double scaled = x[p] * down;
      const double t = (scaled + sigma) - sigma;
      taken |= to_bits(t) & magnitude_mask;
      if (digit) digit[p] = t * unit;
      if (t != 0) x[p] = (scaled - t) * up;
    }
    return taken;
  }
  // Below 2^-1074 every double is on the grid.
  const double sigma = grid < -1074 ? 0.0 : std::ldexp(1.5, 52 + grid);
  const Power unit(-grid);
  return kernels.take(x, digit, n, sigma, unit.first, unit.second);
}

/// Rounds the entries of x to multiples of 2^grid, ties to even. Doubles of 2^(52 + grid) and more are multiples
/// already.
void round_to_grid(double* x, Index n, int grid) {
  if (grid <= -1074) return;
  const double limit = std::ldexp(1.0, 52 + grid);
  for (Index p = 0; p < n; ++p) {
    const double magnitude = std::fabs(x[p]);
    const double rounded = magnitude < limit ? (magnitude + limit) - limit : magnitude;
    x[p] = std::copysign(rounded, x[p]);
  }
}

}  // namespace

int ceil_log2_magnitude(std::uint64_t magnitude) {
  const Decoded d = decode(from_bits<double>(magnitude));
  return d.exponent + static_cast<int>(std::bit_width(d.mantissa - 1));
}

template <class T>
void scan_lines(const Lines<T>& lines, Cut* cut, const Execution& execution) {
  const DigitKernels& kernels = kernels_for<DigitKernels>(execution.isa);
  for (Index i = 0; i < lines.count; ++i) cut[i] = Cut{0, 0, 0, false, false, Cut::no_grid};
  for_tiles(lines.count, 0, lines.k, execution.threads, [&](Index i0, Index rows, Index p0, Index n) {
    double x[tile_lines][tile_terms];
    load_tile(lines, i0, rows, p0, n, x);
    for (Index i = 0; i < rows; ++i) raise(std::atomic_ref(cut[i0 + i].top), kernels.largest(x[i], n));
  });
  for (Index i = 0; i < lines.count; ++i) cut[i].special = cut[i].top >= FloatFormat<double>::infinity;
}

template <class T>
void slice_grids(const Lines<T>& lines, int rho, int slices, Cut* cut, int* grid, const Execution& execution) {
  const DigitKernels& kernels = kernels_for<DigitKernels>(execution.isa);
  scan_lines(lines, cut, execution);
  for (int q = 0; q < slices; ++q) {
    bool any = false;
    for (Index i = 0; i < lines.count; ++i) {
      if (cut[i].special || cut[i].count < q || cut[i].top == 0) continue;
      grid[i * slices + q] = rho + ceil_log2_magnitude(cut[i].top) - 53;
      cut[i].count = q + 1;
      cut[i].top = 0;
      any = true;
    }
    if (!any || q + 1 == slices) return;
    // The remainder after q + 1 slices is computed anew from the entries, which costs little compared with the
    // products.
    for_tiles(lines.count, 0, lines.k, execution.threads, [&](Index i0, Index rows, Index p0, Index n) {
      double x[tile_lines][tile_terms];
      load_tile(lines, i0, rows, p0, n, x);
      for (Index i = 0; i < rows; ++i) {
        Cut& c = cut[i0 + i];
        if (c.count != q + 1) continue;
        for (int r = 0; r <= q; ++r) take_digit(kernels, x[i], nullptr, n, grid[(i0 + i) * slices + r]);
        raise(std::atomic_ref(c.top), kernels.largest(x[i], n));
      }
    });
  }
}

template <class T>
void split_lines(const Lines<T>& lines, Index first, Index terms, Cut* cut, const int* grid, Index grid_stride,
                 int digits, const DigitArray& out, const Execution& execution) {
  const DigitKernels& kernels = kernels_for<DigitKernels>(execution.isa);
  for_tiles(lines.count, first, terms, execution.threads, [&](Index i0, Index rows, Index p0, Index n) {
    double x[tile_lines][tile_terms];
    load_tile(lines, i0, rows, p0, n, x);
    for (Index i = 0; i < rows; ++i) {
      Cut& c = cut[i0 + i];
      double* const to = out.data + (i0 + i) * out.line_stride + (p0 - first);
      const int* const grids = grid + (i0 + i) * grid_stride;
      const int count = std::min(c.count, digits);
      if (count > 0 && c.halved) {
        for (Index p = 0; p < n; ++p) x[i][p] *= 0x1p-256;
      }
      if (count > 0 && c.round_grid != Cut::no_grid) round_to_grid(x[i], n, c.round_grid);
      std::uint64_t nonzero = 0;
      for (int q = 0; q < count; ++q) {
        nonzero |= std::uint64_t{take_digit(kernels, x[i], to + q * out.digit_stride, n, grids[q]) != 0} << q;
      }
      for (int q = count; q < digits; ++q)
        std::memset(to + q * out.digit_stride, 0, static_cast<std::size_t>(n) * sizeof(double));
      if (count > 0) nonzero |= std::uint64_t{kernels.largest(x[i], n) != 0} << 63;
      if (nonzero) std::atomic_ref<std::uint64_t>(c.nonzero).fetch_or(nonzero, std::memory_order_relaxed);
    }
  });
}

#define ACCUBLAS_INSTANTIATE(T)                                                                             \
  template void scan_lines(const Lines<T>&, Cut*, const Execution&);                                        \
  template void slice_grids(const Lines<T>&, int, int, Cut*, int*, const Execution&);                       \
  template void split_lines(const Lines<T>&, Index, Index, Cut*, const int*, Index, int, const DigitArray&, \
                            const Execution&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
