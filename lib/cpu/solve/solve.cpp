// TRSM and TRSV in cr and dot2 (docs/modes.md, "TRSM and TRSV"). Every unknown is defined by those before it, so that
// blocks and threads change no bit. A thread takes some right-hand sides at a time, their unknowns side by side in the
// order of substitution: one line of A then meets all of them in one call of DOT's kernels, whose sums come with a
// bound; the quotient is rounded where the bound decides, else by exact sums. dot2 differs in the sums alone: they are
// GEMV's pairs, taken as exact.
#include <algorithm>
#include <atomic>

#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/batch.hpp"
#include "lib/cpu/dot2/dot2.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/substitution.hpp"

namespace accublas::cpu {

namespace {

template <class E>
class Solve {
  using T = RealOf<E>;
  static constexpr int parts = parts_of<E>;

 public:
  Solve(const TriangularSystem<E>& s, bool dot2, Execution& execution)
      : alpha_(s.alpha),
        dot2_(dot2),
        execution_(execution),
        m_(s.m),
        x_(s.x),
        order_(s.order),
        sides_(s.sides),
        line_(round_up(parts * s.order, Index{2})),
        forward_(s.m.part == Triangle::lower) {}

  void run() {
    const Index threads = std::min<Index>(execution_.threads, sides_);
    Workspace& workspace = execution_.workspace;
    // Lines of A's parts, and unknowns that a cache holds.
    const Index words = dot2_ ? Index{sizeof(double) / sizeof(T)} : 1, of_a = parts * words;
    const Index room = static_cast<Index>(workspace.available() / sizeof(T)) / threads / line_ - of_a;
    together_ = std::clamp<Index>(std::min(cached / line_, ceil_div(sides_, threads)), 1, most_together);
    together_ = std::min(together_, room);
    const Index each = (of_a + together_) * line_;
    if (together_ > 0) lines_ = workspace.template take<T>(static_cast<std::size_t>(each * threads));
    const Index step = std::max<Index>(together_, 1);
    {
      PhaseTimer timer(execution_, &accublas_report_t::ms_product);
      parallel_for(ceil_div(sides_, step), execution_.threads, [&](Index task, int thread) {
        T* const lines = lines_ ? lines_ + thread * each : nullptr;
        solve(task * step, std::min(step, sides_ - task * step), lines, lines ? lines + of_a * line_ : nullptr);
      });
    }
    execution_.report.undecided += undecided_.load();
    if (!dot2_) put_bound(execution_.report, rounded_once<T>());
  }

 private:
  static constexpr Index most_together = 64;
  static constexpr Index cached = 1 << 16;  ///< numbers of the unknowns of a thread
  /// One unknown in so many that `swift` leaves undecided makes `full` worth while for all.
  static constexpr Index hard_share = 16;

  /// The p-th unknown in the order of substitution.
  Index place(Index p) const { return forward_ ? p : order_ - 1 - p; }

  /// Right-hand sides first .. first + count - 1. lines, unknowns: null where there is no memory for them.
  void solve(Index first, Index count, T* lines, T* unknowns) {
    TripleSum sums[parts][most_together];
    Speed speed = dot2_ ? Speed::full : Speed::swift;
    for (Index p = 0; p < order_; ++p) {
      const Index i = place(p);
      Unknown<E> unknown = Unknown<E>::of_row(alpha_, m_(i, i), m_.unit);
      if (lines) {
        dot2_ ? write_line(p, reinterpret_cast<double*>(lines)) : write_line(p, lines);
        add_up(speed, p, count, lines, unknowns, sums, 0);
      }
      Index hard = 0;
      for (Index s = 0; s < count; ++s) {
        E& x = x_(i, first + s);
        E result{};
        unknown.b = x;
        const auto decide = [&] {
          TripleSum own[parts];
          for (int part = 0; part < parts; ++part) own[part] = sums[part][s];
          return unknown.approximate(own, result);
        };
        bool decided = lines && decide();
        if (lines && !decided && speed == Speed::swift) {
          ++hard;
          add_up(Speed::full, p, 1, lines, unknowns + s * line_, sums, s);
          decided = decide();
        }
        if (decided || (lines && mutant(Mutant::solve_undecided))) {
          x = result;
        } else {
          x = exact(unknown, p, first + s);
          undecided_.fetch_add(1, std::memory_order_relaxed);
        }
        if (lines)
          for (int part = 0; part < parts; ++part) unknowns[s * line_ + parts * p + part] = part_of(x, part);
      }
      if (hard * hard_share > count) speed = Speed::full;
    }
  }

  /// Row p of M before the pivot, for each part of a sum.
  template <class Number>
  void write_line(Index p, Number* lines) const {
    for (Index q = 0; q < p; ++q) {
      const E entry = m_(place(p), place(q));
      if constexpr (is_complex<E>) {
        Number* const imaginary = lines + line_;
        lines[2 * q] = entry.re, lines[2 * q + 1] = -entry.im;
        imaginary[2 * q] = entry.im, imaginary[2 * q + 1] = entry.re;
      } else {
        lines[q] = entry;
      }
    }
  }

  /// sums[part][s] = that part of sum_q m(p, q) x(q, s) over the p unknowns before, for `count` right-hand sides from
  /// `first` on, whose unknowns these are.
  void add_up(Speed speed, Index p, Index count, const T* lines, const T* unknowns,
              TripleSum (&sums)[parts][most_together], Index first) const {
    for (Index part = 0; part < parts; ++part) {
      TripleSum* const to = sums[part] + first;
      if (p == 0)
        std::fill_n(to, count, TripleSum{0, 0, 0, 0});
      else if (dot2_)
        add_up_pairs(p, count, reinterpret_cast<const double*>(lines) + part * line_, unknowns, to);
      else
        cr_kernels<T>(execution_.isa)
            .rows[static_cast<int>(speed)](count, parts * p, unknowns, line_, lines + part * line_, to);
    }
  }

  /// Pairs as sums without an error; one that a kernel could not compute is no number.
  void add_up_pairs(Index p, Index count, const double* line, const T* unknowns, TripleSum* to) const {
    double s[most_together] = {}, c[most_together] = {};
    dot2_kernels<T>(execution_.isa).gemv.rows(count, parts * p, dot2_block_length(), unknowns, line_, line, s, c);
    for (Index i = 0; i < count; ++i) to[i] = {s[i], c[i], 0, 0};
  }

  /// A line of M before the pivot, negated, and the unknowns, as the exact sums take them; of complex ones term 2 q has
  /// the real parts of the unknowns.
  struct Terms {
    const Solve& of;
    Index p, side, part;
    T row(Index t) const {
      const E entry = of.m_(of.place(p), of.place(t / parts));
      if constexpr (is_complex<E>)
        return t % 2 == part ? -entry.re : part == 0 ? entry.im : -entry.im;
      else
        return -entry;
    }
    T col(Index t) const { return part_of(of.x_(of.place(t / parts), side), t % parts); }
  };
  struct Row {
    const Terms& terms;
    T operator[](Index t) const { return terms.row(t); }
  };
  struct Column {
    const Terms& terms;
    T operator[](Index t) const { return terms.col(t); }
  };

  /// dot2's pair of minus the sum, block by block.
  static Dot2Pair chain(const Terms& terms, Index count) {
    T row[dot2_block], col[dot2_block];
    Dot2Pair pair{0, 0};
    for (Index first = 0, length = dot2_block_length(); first < count; first += length) {
      const Index some = std::min(length, count - first);
      for (Index t = 0; t < some; ++t) row[t] = terms.row(first + t), col[t] = terms.col(first + t);
      pair = dot2_combine<T>(pair, dot2_chain<T>(some, {row, 1}, {col, 1}));
    }
    return pair;
  }

  /// The p-th unknown of a right-hand side. Where dot2's pair is no number, cr's sum stands for it.
  E exact(const Unknown<E>& unknown, Index p, Index side) const {
    ExactSum<double> above[parts];
    for (Index part = 0; part < parts; ++part) {
      const Terms terms{*this, p, side, part};
      const Dot2Pair pair = dot2_ ? chain(terms, parts * p) : Dot2Pair{};
      if (dot2_ && is_finite(pair)) {
        above[part].add(1, pair.s);
        above[part].add(1, pair.c);
      } else {
        above[part].add(0, parts * p, Row{terms}, Column{terms});
      }
    }
    return unknown.exact(above);
  }

  const E alpha_;
  const bool dot2_;
  Execution& execution_;
  const Operand<E> m_;
  const Matrix<E> x_;
  const Index order_, sides_, line_;  ///< line_: from the numbers of a line to the next, even
  const bool forward_;
  Index together_ = 0;
  T* lines_ = nullptr;
  std::atomic<std::int64_t> undecided_ = 0;
};

}  // namespace

template <class E>
void solve(const TriangularSystem<E>& system, const Mode& mode, Execution& execution) {
  Solve<E>(system, mode.kind == ACCUBLAS_MODE_DOT2, execution).run();
}

template void solve(const TriangularSystem<double>&, const Mode&, Execution&);
template void solve(const TriangularSystem<float>&, const Mode&, Execution&);
template void solve(const TriangularSystem<Complex<double>>&, const Mode&, Execution&);
template void solve(const TriangularSystem<Complex<float>>&, const Mode&, Execution&);

}  // namespace accublas::cpu
