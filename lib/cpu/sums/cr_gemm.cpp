// cr for GEMM element by element. Kernels sum every inner product to some 70 or 110 bits with a bound of its error
// (lib/cpu/kernels/cr_gemm.cpp). Ziv's test rounds the sums that decide their elements, and exact accumulators compute
// the others. A term takes four or five times as long as in DGEMM, and a call costs nothing else. So this is used for
// matrices whose residues cost more than the product, and for elements that no number of residues decides.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/sums/cr_panels.hpp"
#include "lib/cpu/sums/scaled_panels.hpp"
#include "lib/cpu/sums/scaled_results.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/exact_sum.hpp"
#include "lib/numerics/float_bits.hpp"
#include "lib/numerics/scaling.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas::cpu {

namespace {

template <class T>
class CrGemm {
 public:
  /// Without `pending` all elements are computed, and without `rounded` they are those of the entries as given. If C is
  /// row-major, the transposed product is computed, so that rows run along C's unit stride.
  CrGemm(const Gemm<T>& g, const PendingRun& pending, const RoundedLines* rounded, Execution& execution)
      : transposed_(g.c.col_stride == 1 && g.n > 1),
        g_(transposed_ ? g.transposed() : g),
        pending_(pending),
        rounds_(rounded != nullptr),
        rounded_(rounded ? *rounded : RoundedLines{}),
        execution_(execution),
        kernel_(kernels_for<CrGemmKernel<T>>(execution.isa)),
        panels_(kernels_for<CrPanelKernels>(execution.isa)),
        triples_(kernels_for<RoundKernel<T>>(execution.isa)),
        swift_error_(tile_error<T>(Speed::swift, g.k)),
        combine_(moderate(g.alpha) && (g.beta == 0 || moderate(g.beta))) {}

  /// Returns false, with nothing done, if the workspace is too small.
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

  /// Returns whether the rounding of measured lines dropped a bit that an element of C depends on.
  bool dropped_bits() const { return dropped_.load(); }

 private:
  /// Results of a tile, by columns.
  struct Results {
    double high[64], low[64], rest[64];
    T addend[64], out[64];
  };

  /// Chooses the rows and columns of a task. Returns false if the workspace cannot hold the smallest task.
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
    if (rounded_.rows == nullptr) {
      for (Index i = 0; i < rows; i += kernel_.lines) panels_.measure(g_.k, rows - i, a.entry(i), a.known(i));
      for (Index j = 0; j < cols; j += kernel_.lines) panels_.measure(g_.k, cols - j, b.entry(j), b.known(j));
      if (rounds_ && drop_bits(a, rows, b, cols, rounded_.bits)) dropped_.store(true, std::memory_order_relaxed);
    }
    const bool scaled = rounds_ || leave_range(a, rows, b, cols);
    if (rounds_) {
      round_lines(panels_, a, rows, rounded_.bits, transposed_ ? rounded_.cols : rounded_.rows, i0);
      round_lines(panels_, b, cols, rounded_.bits, transposed_ ? rounded_.rows : rounded_.cols, j0);
    } else if (scaled) {
      const int of_a = excess(a, rows), of_b = excess(b, cols);
      scale_lines(panels_, a, rows, scaled_top - of_b);
      scale_lines(panels_, b, cols, scaled_top - of_a);
    }
    Results results;
    CrTile<T> tile = tile_of_terms<T>(g_.k);
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
      if (scaled) tile.row_unscale = a.unscale + i;
      for (Index j = 0; j < cols; j += kernel_.cols) {
        tile.b = b.entry(j);
        tile.col = b.known(j);
        if (scaled) tile.col_unscale = b.unscale + j;
        const Index tile_cols = std::min<Index>(kernel_.cols, cols - j);
        run_tile(tile, results, g_.c.block(i0 + i, j0 + j), i0 + i, j0 + j, tile_cols, speed);
      }
    }
  }

  void run_tile(CrTile<T>& tile, Results& r, Matrix<T> c, Index row, Index col, Index cols, Speed& speed) {
    const Index lines = kernel_.lines;
    std::uint64_t whole = 0, wanted = 0;
    for (Index j = 0; j < cols; ++j) {
      const std::uint64_t run = (std::uint64_t{2} << (tile.rows - 1)) - 1;
      whole |= run << j * lines;
      wanted |= (!pending_     ? run
                 : transposed_ ? pending_(col + j, row, tile.rows, true)
                               : pending_(row, col + j, tile.rows, false))
                << j * lines;
    }
    if (wanted == 0) return;
    if (combine_ && g_.beta != 0)
      for (Index j = 0; j < cols; ++j)
        for (Index i = 0; i < tile.rows; ++i) r.addend[j * lines + i] = c(i, j);
    std::uint64_t open = compute(tile, speed, r, c, wanted);
    const Speed next = std::popcount(open) > tuning_.few_open ? after(speed, tile, r, open) : speed;
    if (next != speed) {
      const int hard = sizeof(T) == sizeof(float) ? tuning_.sgemm_hard : tuning_.dgemm_hard;
      if (std::popcount(open) * hard > std::popcount(wanted)) speed = next;
      Results fuller;
      CrTile<T> again = tile;
      again.addend = r.addend;
      again.out = fuller.out;
      again.high = fuller.high;
      again.low = fuller.low;
      again.rest = fuller.rest;
      const std::uint64_t left = compute(again, next, fuller, c, open);
      for_each(open & ~left, [&](Index at) { r.out[at] = fuller.out[at]; });
      open = left;
    }
    for_each(open, [&](Index at) {
      const Index i = at % lines, j = at / lines;
      const bool special = !is_finite(tile.row.largest[i]) || !is_finite(tile.col.largest[j]);
      r.out[at] =
          rounds_ && !special ? rounded_element(tile, i, j, &c(i, j)) : element(tile, i, j, row + i, col + j, &c(i, j));
    });
    if (open != 0) undecided_.fetch_add(std::popcount(open), std::memory_order_relaxed);
    if (wanted != whole || c.row_stride != 1)
      for_each(wanted, [&](Index at) { c(at % lines, at / lines) = r.out[at]; });
    else
      for (Index j = 0; j < cols; ++j) std::copy_n(r.out + j * lines, tile.rows, &c(0, j));
  }

  /// Returns CrTile::error of a speed. Most calls need that of swift sums alone.
  double error_of(Speed speed) const { return speed == Speed::swift ? swift_error_ : tile_error<T>(speed, g_.k); }

  /// Sums a tile, and rounds the elements that Ziv's test decides. Returns the wanted elements that are undecided.
  std::uint64_t compute(CrTile<T>& tile, Speed speed, Results& r, const Matrix<T>& c, std::uint64_t wanted) const {
    tile.error = error_of(speed);
    const std::uint64_t open = kernel_.tile[static_cast<int>(speed)](tile) & wanted;
    if (open == 0) return 0;
    // The kernel leaves results near the ends of the range, and those with such an alpha or beta.
    ScaledResults<T> results(triples_, {g_.alpha, 0}, {g_.beta, 0});
    const auto column = [&](Index at) { return at / kernel_.lines; };
    const auto exponent = [&](Index at) {
      return tile.row_unscale
                 ? exponent_of(tile.row_unscale[at % kernel_.lines]) + exponent_of(tile.col_unscale[column(at)]) - 2
                 : 0;
    };
    const auto sum = [&](Index at) { return TripleSum{r.high[at], r.low[at], 0, r.rest[at]}; };
    const auto addend = [&](Index at) { return read_addend(g_.beta, &c(at % kernel_.lines, column(at))); };
    for_each(open, [&](Index at) { results.set(at, sum(at), {}, exponent(at), {addend(at), 0}); });
    std::uint64_t left = 0;
    for_each(results.round(open, r.out), [&](Index at) {
      if (!ziv_test(g_.alpha, sum(at), g_.beta, addend(at), &r.out[at], exponent(at))) left |= std::uint64_t{1} << at;
    });
    return left;
  }

  /// Returns the speed that may decide elements that `speed` leaves undecided; `speed` itself if none may. `full` may,
  /// if most sums are known to be not too far below the limits of their chains. The errors of `compensated` do not
  /// depend on limits, and for float it takes two operations a term.
  Speed after(Speed speed, const CrTile<T>& tile, const Results& r, std::uint64_t open) const {
    if (sizeof(T) == sizeof(float) && speed == Speed::swift) return Speed::compensated;
    int known = 0;
    for_each(open, [&](Index at) {
      const double limit = 2 * tile.row.largest[at % kernel_.lines] * tile.col.largest[at / kernel_.lines],
                   least = std::ldexp(error_of(Speed::full), FloatFormat<T>::digits + 7) * limit;
      known += std::fabs(r.high[at]) > std::max(r.rest[at], least);
    });
    if (speed != Speed::full && 2 * known > std::popcount(open)) return Speed::full;
    return Speed::compensated;
  }

  /// Returns an element of C by its fullest sums. If few terms are not zero, it sums these alone.
  T element(const CrTile<T>& tile, Index i, Index j, Index row, Index col, const T* c) const {
    constexpr Index few = 256;
    T x[few], y[few];
    Index count = 0;
    if (is_finite(tile.row.largest[i]) && is_finite(tile.col.largest[j]))
      for (Index word = 0; word < CrPanels::words(g_.k) && count <= few; ++word) {
        const Index at = word * kernel_.lines;
        const std::uint64_t shared = tile.row.nonzero[at + i] & tile.col.nonzero[at + j];
        if (count + std::popcount(shared) > few) {
          count = few + 1;
          break;
        }
        for_each(shared, [&](Index p) {
          x[count] = g_.a(row, word * 64 + p);
          y[count++] = g_.b(word * 64 + p, col);
        });
      }
    else
      count = few + 1;
    const bool all = count > few || count == 0;
    const Vector<const T> first = all ? g_.a.row(row) : Vector<const T>{x, 1},
                          second = all ? g_.b.col(col) : Vector<const T>{y, 1};
    return cr_element<T>(execution_.isa, all ? g_.k : count, g_.alpha, first, second, g_.beta, c);
  }

  /// Returns an element of C by the exact sum of its rounded entries.
  T rounded_element(const CrTile<T>& tile, Index i, Index j, const T* c) const {
    ExactSum<double> sum;
    sum.add(0, g_.k, Vector<const double>{tile.a + i, kernel_.lines}, Vector<const double>{tile.b + j, kernel_.lines});
    const int exponent = std::ilogb(tile.row_unscale[i]) + std::ilogb(tile.col_unscale[j]);
    return finish(g_.alpha, sum.value(), LongAccumulator::min_exponent + exponent, g_.beta, read_addend(g_.beta, c));
  }

  template <class Body>
  static void for_each(std::uint64_t bits, Body&& body) {
    for (; bits != 0; bits &= bits - 1) body(static_cast<Index>(std::countr_zero(bits)));
  }

  const bool transposed_;
  const Gemm<T> g_;
  const PendingRun& pending_;
  const bool rounds_;
  const RoundedLines rounded_;
  Execution& execution_;
  const CrGemmTuning& tuning_ = tuning().cr_gemm;
  const CrGemmKernel<T>& kernel_;
  const CrPanelKernels& panels_;
  const RoundKernel<T>& triples_;
  const double swift_error_;
  const bool combine_;
  int threads_ = 1;
  Index rows_ = 0, cols_ = 0;  ///< rows and columns of a task
  std::atomic<std::int64_t> undecided_{0};
  std::atomic<bool> dropped_{false};
};

}  // namespace

template <class T>
void cr_gemm(const Gemm<T>& g, Execution& execution) {
  put_bound(execution.report, rounded_once<T>());
  const bool done = g.k > tuning().engine.deep_terms ? deep_gemm<T>(deep_problem(g), Mode{ACCUBLAS_MODE_CR}, execution)
                                                     : CrGemm<T>(g, {}, nullptr, execution).run();
  if (!done && !execution.workspace.rehearses()) exact_gemm(g, execution);
}

template <class T>
bool cr_pending(const Gemm<T>& g, const PendingRun& pending, const RoundedLines* rounded, Execution& execution) {
  return CrGemm<T>(g, pending, rounded, execution).run();
}

template <class T>
bool fixed_by_sums(const Gemm<T>& g, int bits, Execution& execution) {
  const RoundedLines rounded{bits};
  const PendingRun all;  // must outlive `gemm`, which keeps a reference
  CrGemm<T> gemm(g, all, &rounded, execution);
  if (!gemm.run()) return false;
  put_bound(execution.report, rounded_once<T>());
  execution.report.bound_componentwise = gemm.dropped_bits() ? std::numeric_limits<double>::infinity() : 0;
  execution.report.bits = std::max(execution.report.bits, bits);
  return true;
}

template <class T>
bool sums_are_faster(const Gemm<T>& g, const Execution& execution) {
  const EngineTuning& most = tuning(execution.isa).engine;
  const double terms = static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
  return !execution.engine_forced && terms <= (sizeof(T) == sizeof(float) ? most.sgemm_cr : most.dgemm_cr);
}

template void cr_gemm(const Gemm<double>&, Execution&);
template void cr_gemm(const Gemm<float>&, Execution&);
template bool sums_are_faster(const Gemm<double>&, const Execution&);
template bool sums_are_faster(const Gemm<float>&, const Execution&);
template bool fixed_by_sums(const Gemm<double>&, int, Execution&);
template bool fixed_by_sums(const Gemm<float>&, int, Execution&);
template bool cr_pending(const Gemm<double>&, const PendingRun&, const RoundedLines*, Execution&);
template bool cr_pending(const Gemm<float>&, const PendingRun&, const RoundedLines*, Execution&);

}  // namespace accublas::cpu
