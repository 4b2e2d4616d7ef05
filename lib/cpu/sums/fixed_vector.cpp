// fixed:T for DOT and GEMV. Entries are scaled to magnitudes up to 1 and rounded to T bits, so that they are doubles.
// The mode's result is the exact inner product of the rounded entries, rounded once. So cr's single pass and Ziv's test
// compute it, and the exponents E + F are put back at the end.
#include <algorithm>
#include <atomic>

#include "lib/base/atomic_maximum.hpp"
#include "lib/base/integers.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/kernels/fixed_kernels.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/long_accumulator.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cpu {

namespace {

constexpr Index group = 8, block = 480;  // rows and terms that are rounded into a buffer at a time

struct FixedScratch {
  double a[group * block], x[block];
  TripleSum sums[group];
  std::uint64_t most[group];
};

template <class T>
class FixedGemv {
 public:
  FixedGemv(const Gemv<T>& g, int bits, Execution& execution)
      : g_(g),
        bits_(bits),
        execution_(execution),
        kernels_(kernels_for<FixedKernels<T>>(execution.isa)),
        sums_of_(kernels_for<CrKernels<double>>(execution.isa)) {
    groups_ = ceil_div(g.m, group);
    const Index threads = execution.threads;
    segments_ = 1;
    if (threads > 1 && groups_ < 2 * threads) {
      segments_ =
          std::clamp<Index>(ceil_div(4 * threads, groups_), 1, std::max<Index>(1, g.k / tuning().vector.segment_terms));
    }
    terms_ = ceil_div(g.k, segments_);
    segments_ = ceil_div(g.k, terms_);
    scratch_ = execution.workspace.take<FixedScratch>(static_cast<std::size_t>(std::min(threads, groups_ * segments_)));
    if (segments_ > 1) {
      sums_ = execution.workspace.take<TripleSum>(static_cast<std::size_t>(segments_ * g.m));
      most_ = execution.workspace.take<std::uint64_t>(static_cast<std::size_t>(segments_ * g.m));
    }
  }

  void run() {
    PhaseTimer timer(execution_, &accublas_report_t::ms_product);
    find_largest_x();
    if (segments_ == 1) {
      parallel_for(groups_, execution_.threads, [&](Index task, int thread) {
        FixedScratch& s = scratch_[thread];
        find_largest(task, 0, s.most);
        add_up(task, 0, s.most, s, s.sums);
        finish_rows(task, s.most, s.sums);
      });
    } else {
      parallel_for(groups_ * segments_, execution_.threads, [&](Index task, int) {
        const Index segment = task / groups_, part = task % groups_;
        find_largest(part, segment, most_ + segment * g_.m + part * group);
      });
      for (Index e = g_.m; e < segments_ * g_.m; ++e) most_[e % g_.m] = std::max(most_[e % g_.m], most_[e]);
      parallel_for(groups_ * segments_, execution_.threads, [&](Index task, int thread) {
        const Index segment = task / groups_, part = task % groups_;
        add_up(part, segment, most_ + part * group, scratch_[thread], sums_ + segment * g_.m + part * group);
      });
      for (Index e = g_.m; e < segments_ * g_.m; ++e) triple_add(sums_[e % g_.m], sums_[e]);
      parallel_for(groups_, execution_.threads,
                   [&](Index task, int) { finish_rows(task, most_ + task * group, sums_ + task * group); });
    }
    execution_.report.bits = bits_;
    execution_.report.undecided += undecided_.load();
  }

 private:
  Index rows_of(Index task) const { return std::min(group, g_.m - task * group); }

  static bool finite(std::uint64_t most) { return most < FloatFormat<T>::infinity; }
  static int exponent_of(std::uint64_t most) {
    return exponent_above(from_bits<T>(static_cast<typename FloatFormat<T>::Bits>(most)));
  }

  void find_largest_x() {
    std::atomic<std::uint64_t> most{0};
    parallel_for(ceil_div(g_.k, tuning().vector.segment_terms), execution_.threads, [&](Index task, int) {
      const Index begin = task * tuning().vector.segment_terms;
      raise(most, kernels_.largest(std::min(tuning().vector.segment_terms, g_.k - begin), &g_.x[begin], g_.x.stride));
    });
    most_x_ = most.load();
  }

  void find_largest(Index task, Index segment, std::uint64_t* most) const {
    const Index begin = task * group, rows = rows_of(task), first = segment * terms_,
                n = std::min(terms_, g_.k - first);
    std::fill(most, most + rows, std::uint64_t{0});
    // Rows are read in blocks of terms, so that the cache still holds the cache lines that adjacent rows share.
    for (Index p = 0; p < n; p += block) {
      for (Index i = 0; i < rows; ++i) {
        const std::uint64_t here =
            kernels_.largest(std::min(block, n - p), &g_.a(begin + i, first + p), g_.a.col_stride);
        most[i] = std::max(most[i], here);
      }
    }
  }

  /// Returns how a row is rounded whose largest magnitude is `most`, finite and not zero.
  FixedScale scale_of(std::uint64_t most) const { return fixed_scale(exponent_of(most), bits_); }

  /// Returns whether an inner product must be computed: it is finite and not surely zero.
  bool plain(std::uint64_t most) const { return finite(most) && most != 0 && finite(most_x_) && most_x_ != 0; }

  void add_up(Index task, Index segment, const std::uint64_t* most, FixedScratch& s, TripleSum* sums) const {
    const Index begin = task * group, rows = rows_of(task), first = segment * terms_,
                n = std::min(terms_, g_.k - first);
    std::fill(sums, sums + rows, TripleSum{0, 0, 0, 0});
    FixedScale scale[group];
    bool any = false;
    for (Index i = 0; i < rows; ++i) {
      if (!plain(most[i])) continue;
      scale[i] = scale_of(most[i]);
      any = true;
    }
    if (!any) return;
    const FixedScale scale_x = scale_of(most_x_);
    for (Index p = 0; p < n; p += block) {
      const Index count = std::min(block, n - p);
      kernels_.round(count, &g_.x[first + p], g_.x.stride, scale_x, s.x);
      for (Index i = 0; i < rows; ++i) {
        double* out = s.a + i * block;
        if (plain(most[i])) {
          kernels_.round(count, &g_.a(begin + i, first + p), g_.a.col_stride, scale[i], out);
        } else {
          std::fill(out, out + count, 0.0);
        }
      }
      TripleSum part[group];
      sums_of_.rows[static_cast<int>(Speed::full)](rows, count, s.a, block, s.x, {}, part);
      for (Index i = 0; i < rows; ++i) triple_add(sums[i], part[i]);
    }
  }

  void finish_rows(Index task, const std::uint64_t* most, const TripleSum* sums) {
    const Index begin = task * group, rows = rows_of(task);
    Index undecided = 0;
    for (Index i = 0; i < rows; ++i) {
      T* y = &g_.y[begin + i];
      const Vector<const T> row = g_.a.row(begin + i);
      const T addend = read_addend(g_.beta, y);
      if (!finite(most[i]) || !finite(most_x_)) {
        *y = exact_element<T>(g_.k, g_.alpha, row, g_.x, g_.beta, y);
      } else if (!plain(most[i])) {
        *y = finish(g_.alpha, wide_zero<2>(), 0, g_.beta, addend);
      } else {
        const int e = exponent_of(most[i]), f = exponent_of(most_x_);
        T out = 0;
        if (!finish_triple(g_.alpha, sums[i], e + f, g_.beta, addend, &out)) {
          ++undecided;
          out = exact_row(row, e, f, addend);
        }
        *y = out;
      }
    }
    undecided_.fetch_add(undecided, std::memory_order_relaxed);
  }

  /// Computes a row entry by entry, as the definition says.
  T exact_row(Vector<const T> row, int e, int f, T addend) const {
    LongAccumulator sum;
    for (Index p = 0; p < g_.k; ++p) sum.add_product(rounded_entry(row[p], e, bits_), rounded_entry(g_.x[p], f, bits_));
    return finish(g_.alpha, sum.value(), LongAccumulator::min_exponent + e + f, g_.beta, addend);
  }

  const Gemv<T>& g_;
  const int bits_;
  Execution& execution_;
  const FixedKernels<T>& kernels_;
  const CrKernels<double>& sums_of_;
  Index groups_, segments_, terms_;
  std::uint64_t most_x_ = 0;
  FixedScratch* scratch_;
  TripleSum* sums_ = nullptr;      ///< segments x m, if there are several segments
  std::uint64_t* most_ = nullptr;  ///< largest magnitudes, segments x m, if there are several segments
  std::atomic<std::int64_t> undecided_{0};
};

}  // namespace

template <class T>
void fixed_gemv(const Gemv<T>& g, const Mode& mode, Execution& execution) {
  const Gemm<T> product{g.m, 1, g.k, g.alpha, g.a, {g.x.data, g.x.stride, 0}, g.beta, {g.y.data, g.y.stride, 0}};
  if (g.m > 1 && g.m * g.k <= tuning().engine.fixed_gemv_entries && fixed_by_sums(product, mode.parameter, execution))
    return;
  FixedGemv<T> gemv(g, mode.parameter, execution);
  if (!execution.workspace.rehearses()) gemv.run();
}

template <class T>
void fixed_dot(const Dot<T>& d, const Mode& mode, Execution& execution) {
  fixed_gemv(Gemv<T>{1, d.n, T(1), {d.x.data, 0, d.x.stride}, d.y, T(0), {d.result, 1}}, mode, execution);
}

template void fixed_gemv(const Gemv<double>&, const Mode&, Execution&);
template void fixed_gemv(const Gemv<float>&, const Mode&, Execution&);
template void fixed_dot(const Dot<double>&, const Mode&, Execution&);
template void fixed_dot(const Dot<float>&, const Mode&, Execution&);

}  // namespace accublas::cpu
