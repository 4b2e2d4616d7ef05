// cr for GEMM element by element: every inner product to some 70 or 110 bits with a bound of its error
// (lib/cpu/kernels/cr_gemm.cpp), Ziv's test rounds what that decides, and exact accumulators do the rest. A term costs
// four or five times what it costs DGEMM, and a call nothing besides: the way for matrices whose residues and their
// tables cost more than the product.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/sums/cr_panels.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/float_bits.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas::cpu {

namespace {

template <class T>
class CrGemm {
 public:
  /// The rows run along C's unit stride: the transposed product where C is row-major.
  CrGemm(const Gemm<T>& g, Execution& execution)
      : g_(g.c.col_stride == 1 && g.n > 1
               ? Gemm<T>{g.n, g.m, g.k, g.alpha, g.b.transposed(), g.a.transposed(), g.beta, g.c.transposed()}
               : g),
        execution_(execution),
        kernel_(kernels_for<CrGemmKernel<T>>(execution.isa)),
        panels_(kernels_for<CrPanelKernels>(execution.isa)),
        grid_{ceil_log2(g.k) + 1},
        error_{grid_.error(static_cast<double>(g.k), static_cast<double>(g.k)),
               grid_.swift_error(static_cast<double>(g.k))},
        combine_(moderate(g.alpha) && (g.beta == 0 || moderate(g.beta))) {}

  /// False, with nothing done, where the workspace is too small.
  bool run() {
    if (!divide()) return false;
    unsigned char* const memory =
        execution_.workspace.template take<unsigned char>(static_cast<std::size_t>(threads_ * thread_bytes()));
    if (execution_.workspace.rehearses()) return true;
    const Index down = ceil_div(g_.m, rows_), across = ceil_div(g_.n, cols_);
    PhaseTimer timer(execution_, &accublas_report_t::ms_product);
    parallel_for(down * across, threads_, [&](Index task, int thread) {
      const Index i = task % down * rows_, j = task / down * cols_;
      run_task(i, std::min(rows_, g_.m - i), j, std::min(cols_, g_.n - j), memory + thread * thread_bytes());
    });
    execution_.report.undecided += undecided_.load();
    return true;
  }

 private:
  /// Results of a tile, by columns.
  struct Results {
    double high[64], low[64], rest[64];
    T addend[64], out[64];
  };

  /// Rows and columns of a task; false where the workspace cannot hold the least of them.
  bool divide() {
    const Index unit = kernel_.lines;
    const Index most = std::clamp(tuning_.task_entries / g_.k / unit * unit, unit, tuning_.task_lines);
    rows_ = std::min(most, round_up(g_.m, unit));
    cols_ = std::min(most, round_up(g_.n, unit));
    const double work = static_cast<double>(g_.m) * static_cast<double>(g_.n) * static_cast<double>(g_.k);
    threads_ = work < tuning_.thread_work ? 1 : execution_.threads;
    const auto halve = [&] {
      Index& longer = rows_ > cols_ ? rows_ : cols_;
      longer = round_up(longer / 2, unit);
    };
    const auto tasks = [&] { return ceil_div(g_.m, rows_) * ceil_div(g_.n, cols_); };
    while (threads_ > 1 && tasks() < 2 * threads_ && (rows_ > unit || cols_ > unit)) halve();
    const Index available = static_cast<Index>(execution_.workspace.most());
    while (threads_ * thread_bytes() > available && (rows_ > unit || cols_ > unit)) halve();
    while (threads_ > 1 && threads_ * thread_bytes() > available) --threads_;
    return thread_bytes() <= available;
  }
  Index thread_bytes() const { return CrPanels::bytes(rows_, g_.k) + CrPanels::bytes(cols_, g_.k); }

  void run_task(Index i0, Index rows, Index j0, Index cols, unsigned char* memory) {
    const CrPanels a(memory, kernel_.lines, rows_, g_.k),
        b(memory + CrPanels::bytes(rows_, g_.k), kernel_.lines, cols_, g_.k);
    kernel_.pack(g_.k, rows, &g_.a(i0, 0), g_.a.row_stride, g_.a.col_stride, a.entries);
    kernel_.pack(g_.k, cols, &g_.b(0, j0), g_.b.col_stride, g_.b.row_stride, b.entries);
    for (Index i = 0; i < rows; i += kernel_.lines) panels_.measure(g_.k, rows - i, a.entry(i), a.known(i));
    for (Index j = 0; j < cols; j += kernel_.lines) panels_.measure(g_.k, cols - j, b.entry(j), b.known(j));
    Results results;
    CrTile<T> tile{};
    tile.k = g_.k;
    tile.base1 = grid_.base1();
    tile.base2 = grid_.base2();
    tile.quantum2 = grid_.quantum2();
    tile.combine = combine_;
    int exponent = 0;
    tile.alpha_power_of_two = std::fabs(std::frexp(static_cast<double>(g_.alpha), &exponent)) == 0.5;
    tile.alpha = g_.alpha;
    tile.beta = g_.beta;
    tile.addend = results.addend;
    tile.out = results.out;
    tile.high = results.high;
    tile.low = results.low;
    tile.rest = results.rest;
    Speed speed = Speed::swift;
    for (Index i = 0; i < rows; i += kernel_.lines) {
      tile.rows = std::min<Index>(kernel_.lines, rows - i);
      tile.a = a.entry(i);
      tile.row = a.known(i);
      for (Index j = 0; j < cols; j += kernel_.cols) {
        tile.b = b.entry(j);
        tile.col = b.known(j);
        const Index tile_cols = std::min<Index>(kernel_.cols, cols - j);
        run_tile(tile, results, g_.c.block(i0 + i, j0 + j), i0 + i, j0 + j, tile_cols, speed);
      }
    }
  }

  std::uint64_t compute(CrTile<T>& tile, Speed speed) const {
    tile.error = error_[static_cast<int>(speed)];
    return kernel_.tile[static_cast<int>(speed)](tile);
  }

  void run_tile(CrTile<T>& tile, Results& r, Matrix<T> c, Index row, Index col, Index cols, Speed& speed) {
    const Index lines = kernel_.lines;
    std::uint64_t wanted = 0;
    for (Index j = 0; j < cols; ++j) {
      wanted |= ((std::uint64_t{2} << (tile.rows - 1)) - 1) << j * lines;
      if (combine_ && g_.beta != 0)
        for (Index i = 0; i < tile.rows; ++i) r.addend[j * lines + i] = c(i, j);
    }
    std::uint64_t open = compute(tile, speed) & wanted;
    if (open != 0) open = round_open(open, r, c);
    if (std::popcount(open) > tuning_.few_open && speed == Speed::swift) {
      Results fuller;
      CrTile<T> again = tile;
      again.addend = r.addend;
      again.out = fuller.out;
      again.high = fuller.high;
      again.low = fuller.low;
      again.rest = fuller.rest;
      if (std::popcount(open) * tuning_.hard_elements > std::popcount(wanted)) speed = Speed::full;
      std::uint64_t left = compute(again, Speed::full) & open;
      left = round_open(left, fuller, c);
      for_each(open & ~left, [&](Index at) { r.out[at] = fuller.out[at]; });
      open = left;
    }
    for_each(open, [&](Index at) {
      const Index i = at % lines, j = at / lines;
      r.out[at] = exact_element<T>(g_.k, g_.alpha, g_.a.row(row + i), g_.b.col(col + j), g_.beta, &c(i, j));
    });
    if (open != 0) undecided_.fetch_add(std::popcount(open), std::memory_order_relaxed);
    for (Index j = 0; j < cols; ++j) {
      const T* const from = r.out + j * lines;
      if (c.row_stride == 1) {
        std::copy_n(from, tile.rows, &c(0, j));
      } else {
        for (Index i = 0; i < tile.rows; ++i) c(i, j) = from[i];
      }
    }
  }

  /// Rounds elements that the kernel left open one by one; returns those that are undecided.
  std::uint64_t round_open(std::uint64_t open, Results& r, const Matrix<T>& c) const {
    std::uint64_t left = 0;
    for_each(open, [&](Index at) {
      const T addend = read_addend(g_.beta, &c(at % kernel_.lines, at / kernel_.lines));
      if (!ziv_test(g_.alpha, {r.high[at], r.low[at], 0, r.rest[at]}, g_.beta, addend, &r.out[at]))
        left |= std::uint64_t{1} << at;
    });
    return left;
  }

  template <class Body>
  static void for_each(std::uint64_t bits, Body&& body) {
    for (; bits != 0; bits &= bits - 1) body(static_cast<Index>(std::countr_zero(bits)));
  }

  const Gemm<T> g_;
  Execution& execution_;
  const CrGemmTuning& tuning_ = tuning().cr_gemm;
  const CrGemmKernel<T>& kernel_;
  const CrPanelKernels& panels_;
  const Grid grid_;
  const double error_[2];  ///< by Speed
  const bool combine_;
  int threads_ = 1;
  Index rows_ = 0, cols_ = 0;  ///< of a task
  std::atomic<std::int64_t> undecided_{0};
};

}  // namespace

template <class T>
void cr_gemm(const Gemm<T>& g, Execution& execution) {
  put_bound(execution.report, rounded_once<T>());
  const bool done = g.k > tuning().engine.deep_terms ? deep_gemm<T>(deep_problem(g), Mode{ACCUBLAS_MODE_CR}, execution)
                                                     : CrGemm<T>(g, execution).run();
  if (!done && !execution.workspace.rehearses()) exact_gemm(g, execution);
}

template void cr_gemm(const Gemm<double>&, Execution&);
template void cr_gemm(const Gemm<float>&, Execution&);

}  // namespace accublas::cpu
