// cr for SYMV, HEMV and TRMV without writing their matrix out. The vector x is halved again and again. This leaves
// rectangular blocks beside the diagonal, which the kernels of GEMV read in place, as stored or as their transposes,
// and small squares on the diagonal, which are written out. The sums of a row over its blocks are combined (triple_add)
// before Ziv's test, and exact accumulators compute the rest. Numbers are real here: a complex number is two adjacent
// ones.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/structured/components.hpp"
#include "lib/cpu/sums/fullest_sum.hpp"
#include "lib/cpu/sums/scaled_results.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/exact_sum.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas::cpu {

namespace {

template <class E>
class LinePieces {
  using T = RealOf<E>;
  static constexpr Index parts = is_complex<E> ? 2 : 1;
  static constexpr Index unit = 32;            ///< rows of a square on the diagonal
  static constexpr Index panel = 256 / parts;  ///< rows that are added up at a time

  struct Scratch {
    double columns[cr_scratch(panel * parts)];
    TripleSum sums[2][panel * parts];
    T square[unit * unit * parts];
  };

 public:
  LinePieces(const LineProduct<E>& g, Execution& execution)
      : g_(g),
        execution_(execution),
        kernels_(kernels_for<CrKernels<T>>(execution.isa)),
        n_(g.order),
        hermitian_(g.a.structure == Structure::hermitian),
        triangular_(g.a.structure == Structure::triangular),
        conjugate_rows_(conjugated(g.a.stored.row_stride != 1)) {
    while ((unit << levels_) < n_) ++levels_;
  }

  /// Returns false, with nothing done, if the workspace is too small.
  bool run() {
    Workspace& workspace = execution_.workspace;
    const std::size_t lanes = static_cast<std::size_t>(n_ * parts),
                      threads = static_cast<std::size_t>(execution_.threads);
    const std::size_t each = sizeof(TripleSum) + 1 + 2 * sizeof(T) + 2 * sizeof(double) + sizeof(T);
    constexpr std::size_t alignment = 64 * 9;  // at most, for nine arrays
    if (lanes * each + threads * sizeof(Scratch) + alignment > workspace.available()) return false;
    scratch_ = workspace.take<Scratch>(threads);
    sums_ = workspace.take<TripleSum>(lanes);
    done_ = workspace.take<bool>(lanes);
    take_x();
    copy_x();
    put_bound(execution_.report, rounded_once<T>());
    PhaseTimer timer(execution_, &accublas_report_t::ms_product);
    std::fill_n(done_, lanes, false);
    add_up(Speed::swift);
    Index left = finish();
    for (const ProductRange range : {ProductRange::below, ProductRange::above}) {
      if (sizeof(T) != sizeof(double) || count_in(range) * tuning().structured.hard_share <= n_ * parts) continue;
      scale_x(range);
      add_up(Speed::swift);
      left = finish();
    }
    if (left * tuning().structured.hard_share > n_ * parts) {
      add_up(Speed::full);
      left = finish();
    }
    if (left > 0) finish_exactly();
    return true;
  }

 private:
  void take_x() {
    Workspace& workspace = execution_.workspace;
    const std::size_t n = static_cast<std::size_t>(n_);
    x_ = workspace.take<E>(n);
    for (Index p = 0; p < n_; ++p) x_[p] = g_.x[p];
    for (Index part = 0; part < parts; ++part) {
      column_x_[part] = workspace.take<double>(n);
      row_x_[part] = workspace.take<T>(n * parts);
    }
  }

  /// Returns how many sums are pending whose products lie in a range.
  Index count_in(ProductRange range) const {
    Index count = 0;
    for (Index lane = 0; lane < n_ * parts; ++lane) count += !done_[lane] && range_of(sums_[lane]) == range;
    return count;
  }

  /// Scales x for products in a range.
  void scale_x(ProductRange range) {
    double largest = 0;
    for (Index p = 0; p < n_; ++p)
      for (const double* const x : column_x_)
        if (x && is_finite(x[p])) largest = std::max(largest, std::fabs(std::ldexp(x[p], -scale_)));
    scale_ = vector_scale(range, exponent_of(largest));
    copy_x();
  }

  /// Copies x times 2^scale_ for both kinds of kernels.
  void copy_x() {
    if constexpr (is_complex<E>) {
      const T sign = conjugate_rows_ ? -1 : 1;
      for (Index p = 0; p < n_; ++p) {
        const E z = x_[p];
        row_x_[0][2 * p] = z.re, row_x_[0][2 * p + 1] = -sign * z.im;
        row_x_[1][2 * p] = z.im, row_x_[1][2 * p + 1] = sign * z.re;
        column_x_[0][p] = z.re, column_x_[1][p] = z.im;
      }
    } else {
      for (Index p = 0; p < n_; ++p) column_x_[0][p] = row_x_[0][p] = x_[p];
    }
    error_ = 0;
    if (scale_ == 0) return;
    const double first = power_of_two(scale_ / 2), second = power_of_two(scale_ - scale_ / 2);
    const auto scale = [&](auto* x, Index count) {
      for (Index p = 0; p < count; ++p) {
        const double scaled = x[p] * first * second;
        if (x[p] != 0 && std::fabs(scaled) < std::numeric_limits<double>::min())
          error_ = vector_scale_error(n_ * parts);
        x[p] = static_cast<std::remove_reference_t<decltype(*x)>>(scaled);
      }
    };
    for (Index part = 0; part < parts; ++part) {
      scale(column_x_[part], n_);
      scale(row_x_[part], n_ * parts);
    }
  }

  /// Returns whether entries are conjugates of stored ones: for entries that are stored (`held`), or for mirrored ones.
  bool conjugated(bool held) const { return g_.a.conjugate != (hermitian_ && !held); }

  void add_up(Speed speed) {
    const Index units = ceil_div(n_, unit), threads = execution_.threads;
    parallel_for(units, execution_.threads, [&](Index u, int thread) {
      add_square(u * unit, std::min((u + 1) * unit, n_), speed, scratch_[thread]);
    });
    for (int level = 0; level < levels_; ++level) {
      // The rows of each half of an interval take the columns of its other half. If there are few halves, tasks share
      // their rows.
      const Index halves = Index{2} << level, slices = ceil_div(2 * threads, halves);
      const auto place = [&](Index half) { return std::min((half * units >> (level + 1)) * unit, n_); };
      parallel_for(halves * slices, execution_.threads, [&](Index task, int thread) {
        const Index half = task / slices, other = half ^ 1, first = place(half), end = place(half + 1);
        const Index share = round_up(ceil_div(end - first, slices), unit), from = first + task % slices * share;
        add_block(from, std::min(from + share, end), place(other), place(other + 1), speed, scratch_[thread]);
      });
    }
  }

  /// Sets the sums of rows first .. end - 1 over a square on the diagonal.
  void add_square(Index first, Index end, Speed speed, Scratch& s) {
    const Index n = end - first;
    const auto put = [&](Index i, Index q, E z) {
      z = conjugate_if(conjugate_rows_, z);  // row_x_ has the conjugation
      T* const to = s.square + ((i - first) * unit + q - first) * parts;
      if constexpr (is_complex<E>)
        to[0] = z.re, to[1] = z.im;
      else
        *to = z;
    };
    for (Index q = first; q < end; ++q) {
      const bool lower = g_.a.part == Triangle::lower;
      for (Index i = lower ? q + 1 : first; i < (lower ? end : q); ++i) {
        const E z = g_.a.stored(i, q);
        put(i, q, conjugate_if(conjugated(true), z));
        put(q, i, triangular_ ? E{} : conjugate_if(conjugated(false), z));
      }
      put(q, q, g_.a(q, q));
    }
    for (Index part = 0; part < parts; ++part) {
      kernels_.rows[index(speed)](n, n * parts, s.square, unit * parts, row_x_[part] + first * parts, {}, s.sums[0]);
      for (Index i = 0; i < n; ++i) sums_[(first + i) * parts + part] = s.sums[0][i];
    }
  }

  /// Adds the sums over a block beside the diagonal: rows first .. end - 1, columns left .. right - 1.
  void add_block(Index first, Index end, Index left, Index right, Speed speed, Scratch& s) {
    const bool held = (g_.a.part == Triangle::lower) == (first >= right);
    if (left >= right || (triangular_ && !held)) return;
    const Matrix<const E> block = (held ? g_.a.stored : g_.a.stored.transposed()).block(0, left);
    const Index terms = right - left;
    for (Index i = first, m; i < end; i += m) {
      m = std::min(panel, end - i);
      const T* const a = reinterpret_cast<const T*>(&block(i, 0));
      TripleSum* const to = sums_ + i * parts;
      if (block.row_stride == 1) {
        for (Index part = 0; part < parts; ++part)
          kernels_.columns[index(speed)](m * parts, terms, a, block.col_stride * parts, column_x_[part] + left,
                                         s.columns, s.sums[part]);
        join_columns(m, conjugated(held), s, to);
      } else {
        for (Index part = 0; part < parts; ++part) {
          kernels_.rows[index(speed)](m, terms * parts, a, block.row_stride * parts, row_x_[part] + left * parts, {},
                                      s.sums[0]);
          for (Index r = 0; r < m; ++r) triple_add(to[r * parts + part], s.sums[0][r]);
        }
      }
    }
  }

  /// Adds the sums over a block's columns to `to`. For complex entries (a, b) and x = (u, v), s.sums[0] has the sums of
  /// a u and b u, and s.sums[1] those of a v and b v.
  static void join_columns(Index m, bool conjugate, const Scratch& s, TripleSum* to) {
    if constexpr (is_complex<E>) {
      for (Index r = 0; r < m; ++r) {
        const TripleSum &au = s.sums[0][2 * r], &bu = s.sums[0][2 * r + 1], &av = s.sums[1][2 * r],
                        &bv = s.sums[1][2 * r + 1];
        triple_add(to[2 * r], au);
        triple_add(to[2 * r], conjugate ? bv : negative(bv));
        triple_add(to[2 * r + 1], conjugate ? negative(bu) : bu);
        triple_add(to[2 * r + 1], av);
      }
    } else {
      for (Index r = 0; r < m; ++r) triple_add(to[r], s.sums[0][r]);
    }
  }
  static TripleSum negative(const TripleSum& s) { return {-s.a1, -s.a2, -s.a3, s.error}; }
  static int index(Speed speed) { return static_cast<int>(speed); }

  T* result(Index lane) const { return reinterpret_cast<T*>(&g_.y[lane / parts]) + lane % parts; }

  /// Rounds the elements that the sums decide. Returns how many are left.
  Index finish() {
    std::atomic<Index> left{0};
    parallel_for(ceil_div(n_, panel), execution_.threads, [&](Index task, int) {
      const Index end = std::min((task + 1) * panel, n_) * parts;
      for (Index lane = task * panel * parts; lane < end; lane += round_most)
        left.fetch_add(finish(lane, std::min(round_most, end - lane)), std::memory_order_relaxed);
    });
    return left.load();
  }

  Index finish(Index begin, Index count) {
    ScaledResults<T> results(kernels_for<RoundKernel<T>>(execution_.isa), {g_.alpha, 0}, {g_.beta, 0});
    const auto addend = [&](Index i) { return read_addend(g_.beta, result(begin + i)); };
    std::uint64_t wanted = 0;
    for (Index i = 0; i < count; ++i) {
      if (done_[begin + i]) continue;
      TripleSum& sum = sums_[begin + i];
      sum.error += error_;
      if (scale_ != 0) results.set(i, sum, {}, -scale_, {addend(i), 0});
      wanted |= std::uint64_t{1} << i;
    }
    T out[round_most];
    const std::uint64_t pending = scale_ == 0 || wanted == 0 ? wanted : results.round(wanted, out);
    Index open = 0;
    for (; wanted != 0; wanted &= wanted - 1) {
      const Index i = std::countr_zero(wanted);
      bool& done = done_[begin + i];
      done = (pending >> i & 1) == 0 || ziv_test(g_.alpha, sums_[begin + i], g_.beta, addend(i), &out[i], -scale_);
      if (done)
        *result(begin + i) = out[i];
      else
        ++open;
    }
    return open;
  }

  void finish_exactly() {
    const Operand<E> x{{x_, 1, 0}};
    const ProductLines<E> rows{g_.a, {}, n_}, columns{x.transposed(), {}, n_};
    std::atomic<Index> undecided{0};
    parallel_for(n_ * parts, execution_.threads, [&](Index lane, int) {
      if (done_[lane]) return;
      const Index i = lane / parts;
      const Index first = triangular_ && g_.a.part == Triangle::upper ? i : 0,
                  end = triangular_ && g_.a.part == Triangle::lower ? i + 1 : n_;
      ExactSum<T> sum;
      if constexpr (is_complex<E>)
        sum.add(2 * first, 2 * end, RowLine<T>{rows, i}, ColumnLine<T>{columns, 0, lane % parts == 1});
      else
        sum.add(first, end, RealLine<E>{rows, i}, x_);
      T* const y = result(lane);
      *y = sum.finish(g_.alpha, g_.beta, y);
      undecided.fetch_add(1, std::memory_order_relaxed);
    });
    execution_.report.undecided += undecided.load();
  }

  const LineProduct<E>& g_;
  Execution& execution_;
  const CrKernels<T>& kernels_;
  const Index n_;
  const bool hermitian_, triangular_;
  const bool conjugate_rows_;  ///< whether blocks that are read by rows are conjugated, which row_x_ takes care of
  int levels_ = 0;
  Scratch* scratch_ = nullptr;  ///< one for each thread
  TripleSum* sums_ = nullptr;   ///< one for each component of each row
  bool* done_ = nullptr;
  E* x_ = nullptr;
  T* row_x_[2]{};          ///< factors of rows of components, for Re and for Im
  double* column_x_[2]{};  ///< Re x and Im x
  int scale_ = 0;          ///< exponent of the power of two that row_x_ and column_x_ are scaled by
  double error_ = 0;       ///< what that adds to the errors of sums
};

}  // namespace

template <class E>
bool cr_line_product(const LineProduct<E>& g, Execution& execution) {
  return LinePieces<E>(g, execution).run();
}

#define ACCUBLAS_INSTANTIATE(E) template bool cr_line_product(const LineProduct<E>&, Execution&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
