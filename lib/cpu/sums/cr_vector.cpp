// cr for DOT and GEMV at memory speed. One pass sums every inner product to some 80 or 120 bits with a bound of its
// error (lib/cpu/kernels/cr_vector.cpp). Ziv's test rounds the sums that decide their elements, and exact accumulators
// compute the others. The first rows of a GEMV show how many bits the others need. Rows whose products leave the range
// of the kernels are summed with x scaled by a power of two, one for small products and one for large ones.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <new>

#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/sums/fullest_sum.hpp"
#include "lib/cpu/sums/gemv_sums.hpp"
#include "lib/cpu/sums/scaled_results.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/exact_sum.hpp"
#include "lib/numerics/powers_of_two.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas::cpu {

namespace {

/// One GEMV, divided into tasks: panels of rows times segments of the inner dimension.
template <class T>
class CrGemv : GemvSums<T> {
  using Sums = GemvSums<T>;
  using Sums::g_, Sums::execution_, Sums::tuning_, Sums::way_, Sums::panel_rows_, Sums::panels_, Sums::segment_terms_,
      Sums::segments_, Sums::add_up;

 public:
  CrGemv(const Gemv<T>& g, Execution& execution) : Sums(g, execution) {
    block_rows_ = way_ == Way::packed ? VectorTuning::packed_rows : 1;
    const Index state = way_ == Way::rows ? 0
                                          : std::max((block_rows_ + 1) * VectorTuning::packed_terms,
                                                     way_ == Way::columns ? cr_scratch(panel_rows_) : 0);
    sums_bytes_ = panel_rows_ * static_cast<Index>(sizeof(TripleSum));
    if (g.m > 1 && g.k <= tuning_.most_masked)
      nonzero_bytes_ = ceil_div(g.k, 64) * static_cast<Index>(sizeof(std::uint64_t));
    scratch_bytes_ = round_up(sums_bytes_ + nonzero_bytes_ + state * static_cast<Index>(sizeof(double)), 64);
    const Index lanes = std::min<Index>(execution.threads, panels_ * segments_);
    const Index scratch = scratch_bytes_ * lanes, sums = segments_ > 1 ? segments_ * g.m * Index{sizeof(TripleSum)} : 0,
                parts = segments_ > 1 ? execution.threads * Index{sizeof(ExactSum<T>)} : 0;
    constexpr Index alignment = 64 * 3;
    fits_ = execution.workspace.spares(static_cast<std::size_t>(scratch + sums + parts + alignment));
    if (!fits_) return;
    scratch_ = execution.workspace.template take<unsigned char>(static_cast<std::size_t>(scratch));
    if (g.m <= 2 * tuning_.probed_rows) needs_ = Needs::much;  // a probe would not pay
    if (sizeof(T) == sizeof(double) && segments_ == 1) take_scaled();
    if (segments_ > 1) {
      partial_ = execution.workspace.template take<TripleSum>(static_cast<std::size_t>(segments_ * g.m));
      parts_ = execution.workspace.template take<ExactSum<T>>(static_cast<std::size_t>(execution.threads));
    }
  }

  void run() {
    if (!fits_) return run_by_elements();
    {
      PhaseTimer timer(execution_, &accublas_report_t::ms_product);
      parallel_for(panels_ * segments_, execution_.threads, [&](Index task, int thread) {
        const Index panel = task % panels_, segment = task / panels_;
        const Index begin = panel * panel_rows_, rows = std::min(panel_rows_, g_.m - begin);
        if (segments_ > 1) {
          const Index first = segment * segment_terms_, terms = std::min(segment_terms_, g_.k - first);
          add_up(Speed::full, begin, rows, first, terms, scratch(thread), partial_ + segment * g_.m + begin);
        } else {
          run_panel(begin, rows, scratch(thread));
        }
      });
    }
    if (segments_ > 1) finish_segments();
    for (const Range range : {Range::below, Range::above})
      if (any_outside_[index(range)].load(std::memory_order_relaxed)) run_scaled(range);
    execution_.report.undecided += undecided_.load();
    put_bound(execution_.report, rounded_once<T>());
  }

 private:
  /// Computes row by row, if the workspace has no room for sums of several rows.
  void run_by_elements() {
    PhaseTimer timer(execution_, &accublas_report_t::ms_exact);
    put_bound(execution_.report, rounded_once<T>());
    parallel_for(g_.m, execution_.threads, [&](Index i, int) {
      T* const y = &g_.y[i];
      *y = cr_element<T>(execution_.isa, g_.k, g_.alpha, g_.a.row(i), g_.x, g_.beta, y);
    });
  }

  using Range = ProductRange;
  static int index(Range range) { return static_cast<int>(range); }

  void set_outside(Range range, Index i) {
    outside_[i] = static_cast<std::uint8_t>(range);
    any_outside_[index(range)].store(true, std::memory_order_relaxed);
  }

  /// Takes memory for rows that leave the range, if there is enough.
  void take_scaled() {
    const std::size_t rows = static_cast<std::size_t>(g_.m), terms = static_cast<std::size_t>(g_.k);
    if (!execution_.workspace.spares(rows + terms * sizeof(T) + 128)) return;
    outside_ = execution_.workspace.template take<std::uint8_t>(rows);
    scaled_x_ = execution_.workspace.template take<T>(terms);
    if (!execution_.workspace.rehearses()) std::fill_n(outside_, rows, std::uint8_t{0});
  }

  /// Computes the rows whose products lie outside the range, with x scaled by a power of two.
  void run_scaled(Range range) {
    T largest = 0;
    for (Index p = 0; p < g_.k; ++p)
      if (is_finite(g_.x[p])) largest = std::max(largest, std::fabs(g_.x[p]));
    const int scale = vector_scale(range, exponent_of(largest));
    const T first = power_of_two(scale / 2), second = power_of_two(scale - scale / 2);
    bool lost = false;
    for (Index p = 0; p < g_.k; ++p) {
      scaled_x_[p] = g_.x[p] * first * second;
      lost |= std::fabs(scaled_x_[p]) < std::numeric_limits<T>::min() && g_.x[p] != 0;
    }
    const double error = lost ? vector_scale_error(g_.k) : 0;
    parallel_for(panels_, execution_.threads, [&](Index panel, int thread) {
      const Index begin = panel * panel_rows_, rows = std::min(panel_rows_, g_.m - begin);
      for (const Speed speed : {Speed::swift, Speed::full}) {
        const Index left = run_scaled(range, speed, begin, rows, -scale, error, scratch(thread));
        if (left == 0 || (speed == Speed::swift && left * tuning_.hard_rows > rows)) continue;
        for (Index i = begin; i < begin + rows; ++i) {
          if (outside_[i] != static_cast<std::uint8_t>(range)) continue;
          if (speed == Speed::swift) run_scaled(range, Speed::full, i, 1, -scale, error, scratch(thread));
          finish_outside(range, i);
        }
        break;
      }
    });
  }
  /// Computes those of some rows that are in a range, and puts those inside that their sums decide. Returns how many
  /// are left. `exponent` is that of the unit of their sums, and `error` what scaling adds to their errors.
  Index run_scaled(Range range, Speed speed, Index begin, Index rows, int exponent, double error,
                   const Scratch<T>& scratch) {
    const auto is_wanted = [&](Index i) { return outside_[i] == static_cast<std::uint8_t>(range); };
    Index first = begin, end = begin + rows;
    while (first < end && !is_wanted(first)) ++first;
    while (first < end && !is_wanted(end - 1)) --end;
    if (first == end) return 0;
    add_up(speed, first, end - first, 0, g_.k, scratch, scratch.sums, scaled_x_);
    ScaledResults<T> results(kernels_for<RoundKernel<T>>(execution_.isa), {g_.alpha, 0}, {g_.beta, 0});
    Index left = 0;
    for (Index at = first; at < end; at += round_most) {
      const auto addend = [&](Index i) { return read_addend(g_.beta, &g_.y[at + i]); };
      std::uint64_t wanted = 0;
      for (Index i = 0; i < std::min(round_most, end - at); ++i) {
        if (!is_wanted(at + i)) continue;
        TripleSum& sum = scratch.sums[at - first + i];
        sum.error += error;
        results.set(i, sum, {}, exponent, {addend(i), 0});
        wanted |= std::uint64_t{1} << i;
      }
      if (wanted == 0) continue;
      T out[round_most];
      const std::uint64_t pending = results.round(wanted, out);
      for (; wanted != 0; wanted &= wanted - 1) {
        const Index i = std::countr_zero(wanted);
        if ((pending >> i & 1) != 0 &&
            !ziv_test(g_.alpha, scratch.sums[at - first + i], g_.beta, addend(i), &out[i], exponent)) {
          if (range == Range::below && range_of(scratch.sums[at - first + i]) == Range::above)
            set_outside(Range::above, at + i);
          else
            ++left;
        } else {
          g_.y[at + i] = out[i];
          outside_[at + i] = static_cast<std::uint8_t>(Range::inside);
        }
      }
    }
    return left;
  }
  /// Computes a row that the sums of its range do not decide. It may be in the other one.
  void finish_outside(Range range, Index i) {
    if (outside_[i] != static_cast<std::uint8_t>(range)) return;
    if (range == Range::below) {
      set_outside(Range::above, i);
    } else {
      retry_row(i);
    }
  }

  /// Computes rows begin .. begin + rows - 1 over all terms.
  void run_panel(Index begin, Index rows, const Scratch<T>& scratch) {
    bool masked = false;
    for (Index done = 0; done < rows;) {
      if (const Range rest = rest_; rest != Range::inside) {
        for (; done < rows; ++done) set_outside(rest, begin + done);
        break;
      }
      const Needs needs = needs_.load(std::memory_order_relaxed);
      const Index first = begin + done;
      const Index probe = way_ == Way::columns ? tuning_.probed_by_columns : tuning_.probed_rows;
      const Index count = needs == Needs::unknown ? std::min(probe, rows - done) : rows - done;
      const Speed speed = needs == Needs::little ? Speed::swift : Speed::full;
      add_up(speed, first, count, 0, g_.k, scratch, scratch.sums);
      Index hard = 0, outside = 0, above = 0;
      for (Index i = 0; i < count; ++i) {
        TripleSum& sum = scratch.sums[i];
        bool done = finish_row(first + i, sum);
        if (!done && is_zero(sum) && nonzero_bytes_ > 0) {
          if (!masked) mark_nonzero(scratch.nonzero);
          masked = true;
          if (has_no_term(first + i, scratch.nonzero)) sum.error = 0, done = finish_row(first + i, sum);
        }
        if (speed == Speed::swift)
          hard += !done;
        else if (needs == Needs::unknown)
          hard += !swift_decides(first + i, sum);
        if (!done && outside_ && range_of(sum) != Range::inside) {
          set_outside(range_of(sum), first + i);
          ++outside;
          above += range_of(sum) == Range::above;
        } else if (!done) {
          retry_row(first + i);
        }
      }
      const Needs found = hard * tuning_.hard_rows > count ? Needs::much : Needs::little;
      if (needs != Needs::much && needs != found) needs_.store(found, std::memory_order_relaxed);
      done += count;
      if (2 * outside > count) rest_ = above == outside ? Range::above : Range::below;
    }
  }

  Scratch<T> scratch(int thread) const {
    unsigned char *const base = scratch_ + thread * scratch_bytes_, *const bits = base + sums_bytes_;
    T* packed = reinterpret_cast<T*>(bits + nonzero_bytes_);
    return {reinterpret_cast<TripleSum*>(base), reinterpret_cast<std::uint64_t*>(bits),
            reinterpret_cast<double*>(packed), packed, packed + block_rows_ * VectorTuning::packed_terms};
  }

  static bool is_zero(const TripleSum& s) { return s.a1 == 0 && s.a2 == 0 && s.a3 == 0; }

  /// Sets bit p % 64 of word p / 64 if x_p is not zero.
  void mark_nonzero(std::uint64_t* bits) const {
    std::fill_n(bits, ceil_div(g_.k, 64), 0);
    for (Index p = 0; p < g_.k; ++p) bits[p / 64] |= std::uint64_t{g_.x[p] != 0} << p % 64;
  }
  /// Returns whether every product of row i has a zero factor. Only then is a sum of zero known to be exact.
  bool has_no_term(Index i, const std::uint64_t* nonzero) const {
    const Vector<const T> row = g_.a.row(i);
    for (Index first = 0; first < g_.k; first += 64)
      for (std::uint64_t bits = nonzero[first / 64]; bits != 0; bits &= bits - 1)
        if (row[first + std::countr_zero(bits)] != 0) return false;
    return true;
  }

  /// Returns whether a sum of Speed::swift would decide y_i, judged by the sum of Speed::full.
  bool swift_decides(Index i, TripleSum sum) const {
    const T addend = read_addend(g_.beta, &g_.y[i]);
    sum.error *= Grid::swift_loss;
    T out = 0;
    return triple_known(sum) && round_within(g_.alpha, sum, 0, g_.beta, addend, &out);
  }

  /// Computes an undecided row by its fullest sums, or by an exact accumulator.
  void retry_row(Index i) {
    T* const y = &g_.y[i];
    T out = 0;
    if (decide_element(execution_.isa, g_.k, g_.alpha, g_.a.row(i), g_.x, g_.beta, read_addend(g_.beta, y), &out))
      *y = out;
    else
      exact_row(i);
  }

  /// Writes y_i if Ziv's test decides it. Returns whether it does.
  bool finish_row(Index i, TripleSum sum) {
    T* y = &g_.y[i];
    const T addend = read_addend(g_.beta, y);
    T out = 0;
    const bool decided = ziv_test(g_.alpha, sum, g_.beta, addend, &out);
    if (decided) *y = out;
    return decided;
  }

  void exact_row(Index i) {
    T* y = &g_.y[i];
    *y = exact_element<T>(g_.k, g_.alpha, g_.a.row(i), g_.x, g_.beta, y);
    undecided_.fetch_add(1, std::memory_order_relaxed);
  }

  /// Adds up the segments of each row and rounds it. The threads share the terms of a row that stays undecided.
  void finish_segments() {
    for (Index i = 0; i < g_.m; ++i) {
      TripleSum sum = partial_[i];
      for (Index segment = 1; segment < segments_; ++segment) triple_add(sum, partial_[segment * g_.m + i]);
      if (!finish_row(i, sum)) exact_long_row(i);
    }
  }

  void exact_long_row(Index i) {
    const Index share = ceil_div(g_.k, execution_.threads);
    parallel_for(execution_.threads, execution_.threads, [&](Index task, int) {
      const Index begin = task * share, terms = std::min(share, g_.k - begin);
      ExactSum<T>& part = *new (parts_ + task) ExactSum<T>;
      part.add(begin, begin + terms, g_.a.row(i), g_.x);
    });
    for (Index task = 1; task < execution_.threads; ++task) parts_[0].add(parts_[task]);
    T* y = &g_.y[i];
    *y = parts_[0].finish(g_.alpha, g_.beta, y);
    undecided_.fetch_add(1, std::memory_order_relaxed);
  }

  bool fits_ = false;
  unsigned char* scratch_ = nullptr;  ///< scratch_bytes_ for each thread that may have a task
  Index sums_bytes_, nonzero_bytes_ = 0, scratch_bytes_, block_rows_;
  TripleSum* partial_ = nullptr;     ///< segments x m
  ExactSum<T>* parts_ = nullptr;     ///< one for each thread
  std::uint8_t* outside_ = nullptr;  ///< the Range of each row; null without memory for such rows
  T* scaled_x_ = nullptr;
  std::atomic<Range> rest_{Range::inside};  ///< where other rows are taken to be, if many of the first ones are outside
  std::atomic<bool> any_outside_[3]{};      ///< by Range
  std::atomic<std::int64_t> undecided_{0};
  /// Bits that the rows need so that Ziv's test decides them, as far as is known.
  enum class Needs { unknown, little, much };
  std::atomic<Needs> needs_{Needs::unknown};
};

}  // namespace

template <class T>
void cr_gemv(const Gemv<T>& g, Execution& execution) {
  CrGemv<T> gemv(g, execution);
  if (!execution.workspace.rehearses()) gemv.run();
}

template <class T>
void cr_dot(const Dot<T>& d, Execution& execution) {
  cr_gemv(Gemv<T>{1, d.n, T(1), {d.x.data, 0, d.x.stride}, d.y, T(0), {d.result, 1}}, execution);
}

#define ACCUBLAS_INSTANTIATE(T)                      \
  template void cr_gemv(const Gemv<T>&, Execution&); \
  template void cr_dot(const Dot<T>&, Execution&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
