#include "lib/cpu/fp64/fp64_levels.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "lib/base/atomic_maximum.hpp"
#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/fp64/fp64_side.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cpu {
namespace {

constexpr int last_level_cap = 8;  // cr: with 45 products all but the widest ranges are decided
constexpr int max_planes = 1024;
constexpr int held_factors = -2;  // held_ if the memory of A's digits has the factors of X

template <class T>
class Levels {
 public:
  Levels(const Gemm<T>& g, const Mode& mode, Execution& execution)
      : g_(g), mode_(mode), execution_(execution), width_(digit_width(g.k)) {
    // cr starts with the levels that decide a result 2^-7 times the largest possible one, unless it is closer to a tie
    // than 2^-3 of half an ulp.
    const int wanted = FloatFormat<T>::digits + 10;
    while (start_ < last_level_cap &&
           std::log2(left_out(g.k, width_, start_)) - 2 * width_.width - width_.step() * start_ > -wanted) {
      ++start_;
    }
    const bool fixed = mode.kind == ACCUBLAS_MODE_FIXED, cr = mode.kind == ACCUBLAS_MODE_CR;
    constexpr CertificateRungs rungs = certificate_rungs<T>();
    const int top = fixed ? mode.parameter : rungs.t[rungs.count - 1];
    const int fixed_digits = cr ? 0 : digits_for(top, width_);
    digits_ = std::max(fixed_digits, fixed ? 0 : start_ + 1);
    const int planes = std::max(cr ? 0 : count_groups(0, 2 * fixed_digits - 2, fixed_digits, width_.run),
                                fixed ? 0 : count_groups(0, last_level_cap, last_level_cap + 1, width_.run));
    if (planes > max_planes) throw Error(ACCUBLAS_ERROR_INTERNAL, "fp64: too many digits");

    Workspace& w = execution.workspace;
    size_ = block_sizes(g.m, g.n, g.k, digits_, planes, !fixed && !cr, w.available());
    const auto count = [](Index a, Index b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); };
    room_ = std::max<Index>(digits_ * size_.k, max_digits) + 8;
    a_.take(w, size_.m, room_);
    b_.take(w, size_.n, room_);
    plane_values_ = count(size_.m * planes, size_.n);
    plane_ = w.take<double>(plane_values_);
    done_ = w.take<unsigned char>(count(size_.m, size_.n));
    if (!fixed && !cr) {
      blocks_n_ = ceil_div(g.n, size_.n);
      rejected_ = w.take<unsigned char>(count(ceil_div(g.m, size_.m), blocks_n_));
    }
  }

  void run() {
    set_bounds();
    if (mode_.kind == ACCUBLAS_MODE_FIXED) {
      for_blocks([&] { fixed_block(mode_.parameter, false); });
      execution_.report.bits = mode_.parameter;
    } else if (mode_.kind == ACCUBLAS_MODE_CR) {
      for_blocks([&] {
        clear_done();
        cr_block(false);
      });
    } else {
      const int t = certify();
      if (execution_.measuring()) return;
      for_blocks([&] {
        clear_done();
        if (t > 0) fixed_block(t, rejected_[block_] != 0);
        if (t == 0 || rejected_[block_]) cr_block(t == 0 && sums_are_faster(g_, execution_));
      });
      execution_.report.bits = std::max(execution_.report.bits, t);
    }
  }

 private:
  template <class Body>
  void for_blocks(Body&& body) {
    block_ = 0;
    for (i0_ = 0; i0_ < g_.m; i0_ += size_.m) {
      m_ = std::min(size_.m, g_.m - i0_);
      a_.scan({g_.a.block(i0_, 0), m_, g_.k}, execution_);
      held_ = 0;
      for (j0_ = 0; j0_ < g_.n; j0_ += size_.n, ++block_) {
        n_ = std::min(size_.n, g_.n - j0_);
        b_.scan({g_.b.block(0, j0_).transposed(), n_, g_.k}, execution_);
        body();
      }
    }
  }

  void clear_done() { std::fill(done_, done_ + m_ * n_, static_cast<unsigned char>(0)); }
  bool special(Index i, Index j) const { return a_.cut[i].special || b_.cut[j].special; }
  T* c_at(Index i, Index j) const { return &g_.c(i0_ + i, j0_ + j); }
  T exact(Index i, Index j) const {
    return exact_element<T>(g_.k, g_.alpha, g_.a.row(i0_ + i), g_.b.col(j0_ + j), g_.beta, c_at(i, j));
  }

  void set_bounds() {
    accublas_report_t& r = execution_.report;
    const bool cr = mode_.kind == ACCUBLAS_MODE_CR, fixed = mode_.kind == ACCUBLAS_MODE_FIXED;
    constexpr double never = std::numeric_limits<double>::infinity();
    put_bound(r, cr      ? rounded_once<T>()
                 : fixed ? Bound{never, never, least_subnormal<T>()}
                         : Bound{0, dp_bound(g_.k, unit_roundoff<T>()), least_subnormal<T>()});
  }

  /// Computes the planes of levels first .. last from `digits` digits of both sides, and appends them to the planes so
  /// far. The digits of B are stored in falling order, so that the partners of consecutive digits of A in a level are
  /// consecutive too.
  void multiply(int first, int last, int digits, int t) {
    Group groups[max_planes];
    int count = 0;
    for (int l = first; l <= last; ++l) {
      level_begin_[l] = planes_ + count;
      count += level_groups(l, digits, width_.run, groups + count);
      level_begin_[l + 1] = planes_ + count;
      most_planes_ = std::max(most_planes_, ceil_log2(level_begin_[l + 1] - level_begin_[l]));
    }
    std::fill(written_ + planes_, written_ + planes_ + count, false);
    const Index chunk = std::min(size_.k, (room_ - 8) / digits);
    // The key names the digits of A, which are kept for the next block of columns if they cover all of k.
    const int key = chunk >= g_.k ? 1000 * digits + t : -1;
    if (held_ != key) a_.set_grids(digits, t, width_);
    b_.set_grids(digits, t, width_);
    for (Index k0 = 0; k0 < g_.k; k0 += chunk) {
      const Index k = std::min(chunk, g_.k - k0), ld = digits * k + 8;
      {
        PhaseTimer timer(execution_, &accublas_report_t::ms_convert);
        if (held_ != key) a_.split(k0, k, digits, false, execution_);
        b_.split(k0, k, digits, true, execution_);
      }
      PhaseTimer timer(execution_, &accublas_report_t::ms_product);
      constexpr std::uint64_t digit_bits = ~(std::uint64_t{1} << 63);
      const int used_a = bit_length(a_.nonzero & digit_bits), used_b = bit_length(b_.nonzero & digit_bits);
      for (int x = 0; x < count; ++x) {
        const Group& q = groups[x];
        // Digits that are zero throughout are left out.
        const int p0 = std::max(q.first, q.level - used_b + 1), p1 = std::min(q.first + q.count, used_a);
        if (p0 >= p1) continue;
        digit_product(m_, n_, (p1 - p0) * k, a_.digits + p0 * k, ld, b_.digits + (digits - 1 - q.level + p0) * k, ld,
                      written_[planes_ + x], plane_ + (planes_ + x) * m_ * n_, m_);
        written_[planes_ + x] = true;
      }
    }
    held_ = key > 0 ? key : 0;
    planes_ += count;
    execution_.report.parts = std::max(execution_.report.parts, digits);
  }

  /// Returns the sum of levels 0 .. last of an element, in units of level `last`.
  template <int L>
  Wide<L> sum_levels(Index at, int last) const {
    std::int64_t level[2 * max_digits];
    level[0] = 0;
    for (int l = 0; l <= last; ++l) {
      std::int64_t v = 0;
      for (int x = level_begin_[l]; x < level_begin_[l + 1]; ++x) {
        if (written_[x]) v += static_cast<std::int64_t>(plane_[x * m_ * n_ + at]);
      }
      level[l] = v;
    }
    return sum_of_levels<L>(level, last, width_.step(), 54 + most_planes_);
  }

  /// Calls body.operator()<L>(), where L limbs hold `width` bits and a sign.
  template <class Body>
  static void with_limbs(int width, Body&& body) {
    if (width < 128) {
      body.template operator()<2>();
    } else if (width < 192) {
      body.template operator()<3>();
    } else {
      body.template operator()<6>();
    }
  }

  int log2_terms() const { return bit_length(static_cast<std::uint64_t>(g_.k - 1)); }

  /// Computes fixed:t for the block; with `certify`, only for the elements that the certificate accepts at t.
  void fixed_block(int t, bool certify) {
    const int digits = digits_for(t, width_), last = 2 * digits - 2;
    if (certify) {
      certificate_plane();
      const CertificateTest test = certificate_test(t, FloatFormat<T>::digits, g_.k);
      for_elements(m_, n_, execution_.threads,
                   [&](Index i, Index j) { done_[i + j * m_] = special(i, j) || accepts(test, t, i, j); });
    }
    planes_ = 0;
    multiply(0, last, digits, t);
    PhaseTimer timer(execution_, &accublas_report_t::ms_reconstruct);
    with_limbs(2 * t + log2_terms(), [&]<int L>() {
      for_elements(m_, n_, execution_.threads, [&](Index i, Index j) {
        if (certify && !done_[i + j * m_]) return;
        T* const c = c_at(i, j);
        *c = special(i, j) ? exact(i, j)
                           : finish(g_.alpha, sum_levels<L>(i + j * m_, last), a_.exponent[i] + b_.exponent[j] - 2 * t,
                                    g_.beta, read_addend(g_.beta, c));
        done_[i + j * m_] = 1;
      });
    });
  }

  /// Computes cr for the elements that are not done. Levels decide nearly all elements of most data. Sums compute the
  /// block if many elements are left or `by_sums` is set, and exact sums a few. If sums lack memory, more levels are
  /// added instead.
  void cr_block(bool by_sums) {
    if (by_sums && sum_pending()) return;
    planes_ = 0;
    int last = start_;
    multiply(0, last, last + 1, 0);
    Index undecided = decide(last);
    while (undecided > m_ * n_ / tuning().undecided.few && last < last_level_cap) {
      if (sum_pending()) return;
      ++last;
      multiply(last, last, last + 1, 0);
      undecided = decide(last);
    }
    start_ = last;
    execution_.report.bits = std::max(execution_.report.bits, (last + 1) * width_.step() - 1);
    execution_.report.undecided += undecided;
    if (undecided == 0) return;
    PhaseTimer timer(execution_, &accublas_report_t::ms_exact);
    for_elements(m_, n_, execution_.threads, [&](Index i, Index j) {
      if (!done_[i + j * m_]) *c_at(i, j) = exact(i, j);
    });
  }

  /// Computes cr by sums for the elements that are not done, in the memory of the planes. Returns false, with nothing
  /// done, if that is too small.
  bool sum_pending() {
    const std::size_t bytes = plane_values_ * sizeof(double) / 64 * 64;
    Workspace workspace(Workspace::Part{plane_, bytes, bytes});
    Execution execution = execution_.within(workspace);
    const Gemm<T> block{m_, n_, g_.k, g_.alpha, g_.a.block(i0_, 0), g_.b.block(0, j0_), g_.beta, g_.c.block(i0_, j0_)};
    const auto pending = [&](Index row, Index col, Index count, bool along_row) {
      std::uint64_t bits = 0;
      for (Index i = 0; i < count; ++i) bits |= std::uint64_t{!done_[row + col * m_ + i * (along_row ? m_ : 1)]} << i;
      return bits;
    };
    return cr_pending<T>(block, pending, nullptr, execution);
  }

  /// Returns whether the levels 0 .. last hold all of S: there are no bits after the last digits, and no pairs beyond
  /// the last level.
  bool complete(Index i, Index j, int last) const {
    const std::uint64_t x = a_.cut[i].nonzero, y = b_.cut[j].nonzero;
    if (x == 0 || y == 0) return true;
    return ((x | y) >> 63) == 0 && bit_length(x) + bit_length(y) - 2 <= last;
  }

  /// Writes the elements that the levels so far decide, and returns how many they do not.
  Index decide(int last) {
    PhaseTimer timer(execution_, &accublas_report_t::ms_reconstruct);
    std::atomic<Index> undecided{0};
    double error = left_out(g_.k, width_, last);
    const int unit = -2 * width_.width - width_.step() * last;
    with_limbs(log2_terms() + 2 * width_.width + width_.step() * last + 2, [&]<int L>() {
      for_elements(m_, n_, execution_.threads, [&](Index i, Index j) {
        unsigned char& done = done_[i + j * m_];
        if (done) return;
        T* const c = c_at(i, j);
        T value{};
        if (special(i, j)) {
          value = exact(i, j);
        } else if (!finish_within(g_.alpha, sum_levels<L>(i + j * m_, last), complete(i, j, last) ? 0.0 : error,
                                  a_.exponent[i] + b_.exponent[j] + unit, g_.beta, read_addend(g_.beta, c), &value)) {
          undecided.fetch_add(1, std::memory_order_relaxed);
          return;
        }
        *c = value;
        done = 1;
      });
    });
    return undecided;
  }

  /// Computes X of the block, in the first plane.
  void certificate_plane() {
    PhaseTimer timer(execution_, &accublas_report_t::ms_product);
    bool any = false;
    const Index ld = size_.k + 8;
    for (Index k0 = 0; k0 < g_.k; k0 += size_.k) {
      const Index k = std::min(size_.k, g_.k - k0);
      if (held_ != held_factors) a_.certify(k0, k, ld, execution_.threads);
      const Index terms = b_.certify(k0, k, ld, execution_.threads);
      if (terms > 0) digit_product(m_, n_, terms, a_.digits, ld, b_.digits, ld, any, plane_, m_);
      any = any || terms > 0;
    }
    held_ = size_.k >= g_.k ? held_factors : 0;
  }

  bool accepts(const CertificateTest& test, int t, Index i, Index j) const {
    if (a_.info[i].last_bit >= a_.exponent[i] - t && b_.info[j].last_bit >= b_.exponent[j] - t) return true;
    return certificate_suffices(test, a_.info[i].lambda + b_.info[j].lambda,
                                static_cast<std::int64_t>(plane_[i + j * m_]));
  }

  /// Returns T*, the largest T_ij of the call, or 0 if all elements take cr's values. Sets rejected_ of the blocks in
  /// which an element has no T_ij. A larger T suffices wherever a smaller one does, so each element is first tried at
  /// the largest found so far.
  int certify() {
    constexpr CertificateRungs rungs = certificate_rungs<T>();
    CertificateTest test[6];
    for (int r = 0; r < rungs.count; ++r) test[r] = certificate_test(rungs.t[r], rungs.digits, g_.k);
    std::atomic<int> largest{-1};
    Index rejected_so_far = 0;
    const Index most_rejected = execution_.most_rejected(g_.m * g_.n);
    for_blocks([&] {
      if (rejected_so_far > most_rejected) return;
      certificate_plane();
      std::atomic<Index> rejected{0};
      for_elements(m_, n_, execution_.threads, [&](Index i, Index j) {
        if (special(i, j)) return;
        int r = std::max(largest.load(std::memory_order_relaxed), 0);
        while (r < rungs.count && !accepts(test[r], rungs.t[r], i, j)) ++r;
        if (r == rungs.count) {
          rejected.fetch_add(1, std::memory_order_relaxed);
          return;
        }
        raise(largest, r);
      });
      rejected_[block_] = rejected != 0;
      rejected_so_far += rejected;
    });
    return execution_.certified_bits(largest < 0 ? 0 : rungs.t[largest], rejected_so_far, g_.m * g_.n);
  }

  Gemm<T> g_;
  Mode mode_;
  Execution& execution_;
  DigitWidth width_;
  int start_ = 0;   ///< level where cr starts; grows with the blocks that needed more
  int digits_ = 0;  ///< digits that the buffers hold for chunks of size_.k
  BlockSizes size_{};
  Index room_ = 0;  ///< doubles for the digits of a line
  DigitSide<T> a_{}, b_{};
  std::size_t plane_values_ = 0;
  double* plane_ = nullptr;
  unsigned char *done_ = nullptr, *rejected_ = nullptr;
  Index blocks_n_ = 0, block_ = 0;

  Index i0_ = 0, j0_ = 0, m_ = 0, n_ = 0;
  int held_ = 0;         ///< the key of A's digits in memory, held_factors, or 0 for neither
  int planes_ = 0;       ///< planes of the block so far
  int most_planes_ = 0;  ///< log2 of the most planes of a level, rounded up
  int level_begin_[2 * max_digits + 2] = {};
  bool written_[max_planes] = {};
};

}  // namespace

template <class T>
void levels_gemm(const Gemm<T>& g, const Mode& mode, Execution& execution) {
  Levels<T> levels(g, mode, execution);
  if (!execution.workspace.rehearses()) levels.run();
}

template void levels_gemm(const Gemm<double>&, const Mode&, Execution&);
template void levels_gemm(const Gemm<float>&, const Mode&, Execution&);

}  // namespace accublas::cpu
