// cr for DOT and GEMV at memory speed. One pass sums every inner product to some 80 or 120 bits with a bound of its
// error (lib/cpu/kernels/cr_vector.cpp). Ziv's test rounds the sums that decide their elements, and exact accumulators
// compute the others. The first rows of a GEMV show how many bits the others need.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <new>

#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/sums/fullest_sum.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/exact_sum.hpp"
#include "lib/numerics/powers_of_two.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas::cpu {

namespace {

/// How the inner products are computed.
enum class Way {
  rows,     ///< from contiguous rows of A and a contiguous x
  columns,  ///< from contiguous columns of A
  packed    ///< from copies of blocks of A and x, for any strides
};

/// Sets *out to RN(alpha sum + beta c) of an element by its fullest sums. Returns whether they decide it.
template <class T>
bool decide_element(Isa isa, Index k, T alpha, Vector<const T> row, Vector<const T> col, T beta, T addend, T* out) {
  const TripleSum sum = fullest_sum(isa, k, row, col);
  if (ziv_test(alpha, sum, beta, addend, out)) return true;
  const TermScale scale = leaves_range(sum) ? scale_of(k, row, col, sum) : TermScale{};
  return scale && ziv_test(alpha, fullest_sum(isa, k, row, col, scale), beta, addend, out, -scale.product());
}

/// Scratch of one thread: sums of a panel, bits of x, then the state of `columns` or a packed block.
template <class T>
struct Scratch {
  TripleSum* sums;
  std::uint64_t* nonzero;
  double* columns;
  T *packed_a, *packed_x;
};

/// One GEMV, divided into tasks: panels of rows times segments of the inner dimension.
template <class T>
class CrGemv {
 public:
  CrGemv(const Gemv<T>& g, Execution& execution)
      : g_(g), execution_(execution), kernels_(kernels_for<CrKernels<T>>(execution.isa)) {
    choose_way();
    divide();
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
    scratch_ = execution.workspace.take<unsigned char>(static_cast<std::size_t>(scratch));
    if (g.m <= 2 * tuning_.probed_rows) needs_ = Needs::much;  // a probe would not pay
    if (segments_ > 1) {
      partial_ = execution.workspace.take<TripleSum>(static_cast<std::size_t>(segments_ * g.m));
      parts_ = execution.workspace.take<ExactSum<T>>(static_cast<std::size_t>(execution.threads));
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

  /// Computes rows begin .. begin + rows - 1 over all terms.
  void run_panel(Index begin, Index rows, const Scratch<T>& scratch) {
    bool masked = false;
    for (Index done = 0; done < rows;) {
      const Needs needs = needs_.load(std::memory_order_relaxed);
      const Index first = begin + done;
      const Index probe = way_ == Way::columns ? tuning_.probed_by_columns : tuning_.probed_rows;
      const Index count = needs == Needs::unknown ? std::min(probe, rows - done) : rows - done;
      const Speed speed = needs == Needs::little ? Speed::swift : Speed::full;
      add_up(speed, first, count, 0, g_.k, scratch, scratch.sums);
      Index hard = 0;
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
        if (!done) retry_row(first + i);
      }
      const Needs found = hard * tuning_.hard_rows > count ? Needs::much : Needs::little;
      if (needs != Needs::much && needs != found) needs_.store(found, std::memory_order_relaxed);
      done += count;
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

  void choose_way() {
    const bool rows = g_.a.col_stride == 1 || g_.k == 1, columns = g_.a.row_stride == 1 && g_.m >= 4;
    way_ = rows ? Way::rows : columns ? Way::columns : Way::packed;
    x_ = g_.x.data;
    const bool as_it_is = g_.x.stride == 1 && (way_ == Way::rows || sizeof(T) == sizeof(double));
    if (way_ == Way::packed || as_it_is) return;
    // x must be contiguous, and double if A is read by columns. If the workspace cannot hold it, blocks are copied.
    const std::size_t bytes = static_cast<std::size_t>(g_.k) * sizeof(double);
    if (bytes > execution_.workspace.most() / 2) {
      way_ = Way::packed;
    } else if (way_ == Way::columns) {
      x_double_ = execution_.workspace.take<double>(static_cast<std::size_t>(g_.k));
      for (Index p = 0; x_double_ && p < g_.k; ++p) x_double_[p] = g_.x[p];
    } else {
      T* copy = execution_.workspace.take<T>(static_cast<std::size_t>(g_.k));
      for (Index p = 0; copy && p < g_.k; ++p) copy[p] = g_.x[p];
      x_ = copy;
    }
    execution_.report.copied_bytes += static_cast<std::int64_t>(g_.k * static_cast<Index>(sizeof(T)));
  }

  void divide() {
    const Index threads = execution_.threads;
    const Index unit = way_ == Way::columns ? 64 : way_ == Way::packed ? VectorTuning::packed_rows : 1;
    // Tasks by rows have few terms, so that threads share the work evenly. Tasks by columns are whole panels.
    Index rows = way_ == Way::columns ? cr_panel : std::max<Index>(1, tuning_.task_terms / g_.k);
    rows = std::min({rows, cr_panel, ceil_div(g_.m, threads)});
    panel_rows_ = std::min(cr_panel, round_up(rows, unit));
    const Index row_bytes = 96;  // of scratch by columns; a small workspace makes shorter panels
    if (threads * panel_rows_ * row_bytes > static_cast<Index>(execution_.workspace.available())) {
      panel_rows_ = std::min<Index>(panel_rows_, 64);
    }
    panels_ = ceil_div(g_.m, panel_rows_);
    segments_ = 1;
    if (threads > 1 && panels_ < 2 * threads && g_.k >= 2 * tuning_.segment_terms) {
      segments_ = std::min(ceil_div(4 * threads, panels_), g_.k / tuning_.segment_terms);
    }
    segment_terms_ = ceil_div(g_.k, segments_);
    segment_terms_ = round_up(segment_terms_, 64);
    segments_ = ceil_div(g_.k, segment_terms_);
  }

  /// Sets sums[i] to the inner product of row begin + i and x over `terms` terms from `first` on.
  void add_up(Speed speed, Index begin, Index rows, Index first, Index terms, const Scratch<T>& scratch,
              TripleSum* sums) const {
    const T* a = &g_.a(begin, first);
    switch (way_) {
      case Way::rows:
        kernels_.rows[index(speed)](rows, terms, a, g_.a.row_stride, x_ + first, {}, sums);
        break;
      case Way::columns: {
        const double* x = x_double_;
        if constexpr (sizeof(T) == sizeof(double)) x = x_double_ ? x_double_ : x_;
        kernels_.columns[index(speed)](rows, terms, a, g_.a.col_stride, x + first, scratch.columns, sums);
        break;
      }
      case Way::packed:
        for (Index i = 0; i < rows; i += VectorTuning::packed_rows) {
          add_up_packed(speed, begin + i, std::min(VectorTuning::packed_rows, rows - i), first, terms, scratch,
                        sums + i);
        }
        break;
    }
  }

  static int index(Speed speed) { return static_cast<int>(speed); }

  void add_up_packed(Speed speed, Index begin, Index rows, Index first, Index terms, const Scratch<T>& scratch,
                     TripleSum* sums) const {
    std::fill(sums, sums + rows, TripleSum{0, 0, 0, 0});
    for (Index p = 0; p < terms; p += VectorTuning::packed_terms) {
      const Index n = std::min(VectorTuning::packed_terms, terms - p);
      const Matrix<const T> block = g_.a.block(begin, first + p);
      for (Index q = 0; q < n; ++q) {
        scratch.packed_x[q] = g_.x[first + p + q];
        for (Index i = 0; i < rows; ++i) scratch.packed_a[i * VectorTuning::packed_terms + q] = block(i, q);
      }
      TripleSum part[VectorTuning::packed_rows];
      kernels_.rows[index(speed)](rows, n, scratch.packed_a, VectorTuning::packed_terms, scratch.packed_x, {}, part);
      for (Index i = 0; i < rows; ++i) triple_add(sums[i], part[i]);
    }
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

  const Gemv<T>& g_;
  Execution& execution_;
  const VectorTuning& tuning_ = tuning().vector;
  const CrKernels<T>& kernels_;
  Way way_;
  const T* x_ = nullptr;        ///< contiguous
  double* x_double_ = nullptr;  ///< a copy of x as double; null without one
  Index panel_rows_, panels_, segment_terms_, segments_;
  bool fits_ = false;
  unsigned char* scratch_ = nullptr;  ///< scratch_bytes_ for each thread that may have a task
  Index sums_bytes_, nonzero_bytes_ = 0, scratch_bytes_, block_rows_;
  TripleSum* partial_ = nullptr;  ///< segments x m
  ExactSum<T>* parts_ = nullptr;  ///< one for each thread
  std::atomic<std::int64_t> undecided_{0};
  /// Bits that the rows need so that Ziv's test decides them, as far as is known.
  enum class Needs { unknown, little, much };
  std::atomic<Needs> needs_{Needs::unknown};
};

}  // namespace

template <class T>
TripleSum fullest_sum(Isa isa, Index k, Vector<const T> row, Vector<const T> col, TermScale scale) {
  const CrKernels<T>& kernels = kernels_for<CrKernels<T>>(isa);
  T row_copy[VectorTuning::packed_terms], col_copy[VectorTuning::packed_terms];
  TripleSum sum{0, 0, 0, 0};
  bool lost = false;
  for (Index p = 0; p < k; p += VectorTuning::packed_terms) {
    const Index terms = std::min(VectorTuning::packed_terms, k - p);
    auto contiguous = [=, &lost](Vector<const T> x, int exponent, T* copy) -> const T* {
      if (x.stride == 1 && exponent == 0) return &x[p];
      const T factor = static_cast<T>(power_of_two(exponent)), inverse = static_cast<T>(power_of_two(-exponent));
      for (Index i = 0; i < terms; ++i) {
        copy[i] = x[p + i] * factor;
        lost |= copy[i] * inverse != x[p + i];
      }
      return copy;
    };
    const T *const a = contiguous(row, scale.row, row_copy), *const x = contiguous(col, scale.col, col_copy);
    const double last_bit = kernels.last_bit(terms, a);
    TripleSum part;
    kernels.deep_rows(1, terms, a, terms, x, {&last_bit, kernels.last_bit(terms, x)}, &part);
    triple_add(sum, part);
  }
  // An entry loses at most 2^-1075, and its partner is below 2^scaled_down.
  if (lost) sum.error += static_cast<double>(k) * std::ldexp(1.0, scaled_down - 1073);
  return sum;
}

template <class T>
TermScale scale_of(Index k, Vector<const T> row, Vector<const T> col, const TripleSum& sum) {
  const auto exponent_above_all = [=](const Vector<const T>& x) {
    T largest = 0;
    for (Index p = 0; p < k; ++p)
      if (!(std::fabs(x[p]) <= largest) && !is_nan(largest)) largest = std::fabs(x[p]);  // a NaN stays
    return exponent_of(largest);
  };
  const int of_row = exponent_above_all(row), of_col = exponent_above_all(col);
  if (sizeof(T) != sizeof(double) || std::max(of_row, of_col) > greatest_exponent) return {};
  if (!triple_known(sum)) return {std::min(0, scaled_down - of_row), std::min(0, scaled_down - of_col)};
  // A sum that may have underflowed has an error below 2^-1000, which is at least 2^-174 times the limits of its chains
  // (Grid::deep_error). So these are below 2^-826. Twice 860 lifts them to 2^894, where the kernels' grids do not
  // overflow. No line is scaled down, because its least entries might lose bits.
  const auto lift = [](int exponent) { return std::clamp(1000 - exponent, 0, 860); };
  return {lift(of_row), lift(of_col)};
}

template <class T>
void cr_gemv(const Gemv<T>& g, Execution& execution) {
  CrGemv<T> gemv(g, execution);
  if (!execution.workspace.rehearses()) gemv.run();
}

template <class T>
void cr_dot(const Dot<T>& d, Execution& execution) {
  cr_gemv(Gemv<T>{1, d.n, T(1), {d.x.data, 0, d.x.stride}, d.y, T(0), {d.result, 1}}, execution);
}

template <class T>
T cr_element(Isa isa, Index k, T alpha, Vector<const T> row, Vector<const T> col, T beta, const T* c) {
  T result = 0;
  const bool decided = decide_element(isa, k, alpha, row, col, beta, read_addend(beta, c), &result);
  return decided ? result : exact_element<T>(k, alpha, row, col, beta, c);
}

#define ACCUBLAS_INSTANTIATE(T)                                                            \
  template TripleSum fullest_sum(Isa, Index, Vector<const T>, Vector<const T>, TermScale); \
  template TermScale scale_of(Index, Vector<const T>, Vector<const T>, const TripleSum&);  \
  template T cr_element(Isa, Index, T, Vector<const T>, Vector<const T>, T, const T*);     \
  template void cr_gemv(const Gemv<T>&, Execution&);                                       \
  template void cr_dot(const Dot<T>&, Execution&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
