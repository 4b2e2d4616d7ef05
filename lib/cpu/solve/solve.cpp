// TRSM and TRSV in cr and dot2 (docs/modes.md, "TRSM and TRSV"). Every unknown is defined by those before it, so that
// blocks and threads change no bit. A thread takes some right-hand sides at a time, their unknowns side by side in the
// order of substitution: one line of A then meets all of them in one call of DOT's kernels, whose sums come with a
// bound; the quotient is rounded where the bound decides, else by exact sums. dot2 differs in the sums alone: they are
// GEMV's pairs, taken as exact.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/batch.hpp"
#include "lib/cpu/dot2/dot2.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/sums/exact_sum.hpp"
#include "lib/cpu/sums/ziv.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/quotient.hpp"

namespace accublas::cpu {

namespace {

template <class E>
class Solve {
  using T = RealOf<E>;
  static constexpr Index parts = is_complex<E> ? 2 : 1;

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
  static T part_of(const E& z, Index part) {
    if constexpr (is_complex<E>)
      return part == 0 ? z.re : z.im;
    else
      return z;
  }

  /// Right-hand sides first .. first + count - 1. lines, unknowns: null where there is no memory for them.
  void solve(Index first, Index count, T* lines, T* unknowns) {
    TripleSum sums[parts][most_together];
    Speed speed = dot2_ ? Speed::full : Speed::swift;
    for (Index p = 0; p < order_; ++p) {
      const Index i = place(p);
      const E pivot = m_.unit ? E{T(1)} : m_(i, i);
      if (lines) {
        dot2_ ? write_line(p, reinterpret_cast<double*>(lines)) : write_line(p, lines);
        add_up(speed, p, count, lines, unknowns, sums, 0);
      }
      Index hard = 0;
      for (Index s = 0; s < count; ++s) {
        E& x = x_(i, first + s);
        E result{};
        bool decided = lines && approximate(x, pivot, sums, s, result);
        if (lines && !decided && speed == Speed::swift) {
          ++hard;
          add_up(Speed::full, p, 1, lines, unknowns + s * line_, sums, s);
          decided = approximate(x, pivot, sums, s, result);
        }
        if (decided || (lines && mutant(Mutant::solve_undecided))) {
          x = result;
        } else {
          x = exact(p, pivot, first + s, result);
          undecided_.fetch_add(1, std::memory_order_relaxed);
        }
        if (lines)
          for (Index part = 0; part < parts; ++part) unknowns[s * line_ + parts * p + part] = part_of(x, part);
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

  /// The products whose sum is a part of alpha b; a part of alpha that is zero makes none.
  template <class Add>
  void for_products(const E& b, Index part, Add&& add) const {
    if constexpr (is_complex<E>) {
      if (!is_zero(alpha_.re)) add(alpha_.re, part == 0 ? b.re : b.im);
      if (!is_zero(alpha_.im)) add(part == 0 ? -alpha_.im : alpha_.im, part == 0 ? b.im : b.re);
    } else {
      add(alpha_, b);
    }
  }

  /// alpha b - sum; false where a product may have lost something.
  bool numerator(const E& b, Index part, const TripleSum& sum, TripleSum& to) const {
    to = {-sum.a1, -sum.a2, -sum.a3, sum.error};
    bool good = true;
    for_products(b, part, [&](T factor, T number) {
      const DoublePair p = two_product(factor, number);
      if (factor == T(1) || (is_zero(number) && is_finite(factor)))
        triple_add(to, {static_cast<double>(number), 0, 0, 0});
      else if (Approximation::in_range(p.high))
        triple_add(to, {p.high, p.low, 0, 0});
      else
        good = false;
    });
    if (mutant(Mutant::solve_numerator)) to = {static_cast<double>(static_cast<T>(to.a1 + (to.a2 + to.a3))), 0, 0, 0};
    return good && triple_known(to);
  }
  static bool is_nothing(const TripleSum& s) { return s.a1 == 0 && s.a2 == 0 && s.a3 == 0 && s.error == 0; }

  /// False where the sums do not decide; `result` is near then, or anything.
  bool approximate(const E& b, const E& pivot, const TripleSum (&sums)[parts][most_together], Index s,
                   E& result) const {
    TripleSum above[parts];
    for (Index part = 0; part < parts; ++part)
      if (!numerator(b, part, sums[part][s], above[part])) return false;
    T value[parts];
    bool decided = true;
    for (Index part = 0; part < parts; ++part) {
      TripleSum quotient = above[part];
      if (!m_.unit && !divide(above, pivot, part, quotient)) return false;
      if (is_nothing(quotient)) {
        value[part] = T(0);
      } else {
        value[part] = static_cast<T>(quotient.a1);
        decided &= ziv_test(T(1), quotient, T(0), T(0), &value[part]);
      }
    }
    if constexpr (is_complex<E>)
      result = {value[0], value[1]};
    else
      result = value[0];
    return decided;
  }

  /// A part of the quotient; false where a number is out of range.
  bool divide(const TripleSum (&above)[parts], const E& pivot, Index part, TripleSum& to) const {
    using A = Approximation;
    const auto number = [](double x) { return A{x, 0, 0}; };
    const auto usable = [](double x) { return x == 0 || A::in_range(x); };
    A y[parts];
    bool nothing = true;
    for (Index i = 0; i < parts; ++i) {
      y[i] = A::of(above[i]);
      nothing &= is_nothing(above[i]);
      if (!(A::in_range(y[i].high) || is_nothing(above[i]))) return false;
    }
    A quotient;
    if constexpr (is_complex<E>) {
      const double re = pivot.re, im = pivot.im;
      if (!usable(re) || !usable(im) || (re == 0 && im == 0)) return false;
      to = {0, 0, 0, 0};
      if (nothing) return true;
      const A size = number(re).times(re).plus(number(im).times(im));
      quotient = (part == 0 ? y[0].times(re).plus(y[1].times(im)) : y[1].times(re).plus(y[0].times(-im))).over(size);
    } else {
      if (!A::in_range(pivot)) return false;
      to = {0, 0, 0, 0};
      if (nothing) return true;
      quotient = y[0].over(number(pivot));
    }
    to = quotient.sum();
    return A::in_range(quotient.high);
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
  E exact(Index p, const E& pivot, Index side, const E& guess) const {
    ExactSum<double> above[parts];
    for (Index part = 0; part < parts; ++part) {
      const Terms terms{*this, p, side, part};
      const Dot2Pair pair = dot2_ ? chain(terms, parts * p) : Dot2Pair{};
      if (dot2_ && is_finite(pair)) {
        const double one = 1;
        for (const double x : {pair.s, pair.c})
          above[part].add(1, Vector<const double>{&one, 1}, Vector<const double>{&x, 1});
      } else {
        above[part].add(0, parts * p, Row{terms}, Column{terms});
      }
      for_products(x_(place(p), side), part, [&](T factor, T number) {
        above[part].add(1, Vector<const T>{&factor, 1}, Vector<const T>{&number, 1});
      });
    }
    T value[parts];
    for (Index part = 0; part < parts; ++part)
      value[part] = m_.unit ? above[part].template round<T>() : quotient(above, pivot, part, part_of(guess, part));
    if constexpr (is_complex<E>)
      return {value[0], value[1]};
    else
      return value[0];
  }

  static T quotient(const ExactSum<double> (&above)[parts], const E& pivot, Index part, T guess) {
    T special[parts], sign[parts];
    bool any_special[parts];
    Wide<LongAccumulator::limbs> sum[parts];
    for (Index i = 0; i < parts; ++i) {
      double value = 0;
      any_special[i] = above[i].special(value);
      special[i] = static_cast<T>(value);
      sum[i] = above[i].value();
      sign[i] = T(wide_negative(sum[i]) ? -1 : wide_bit_length(sum[i]) != 0);
    }
    if constexpr (is_complex<E>) {
      const T factor[2] = {pivot.re, part == 0 ? pivot.im : -pivot.im};  // of this part of y and of the other
      if (is_nan(pivot.re) || is_nan(pivot.im)) return canonical_nan<T>();
      if (!is_finite(pivot.re) || !is_finite(pivot.im))
        return any_special[0] || any_special[1] ? canonical_nan<T>() : T(0);
      const bool zero = is_zero(pivot.re) && is_zero(pivot.im);
      if (zero) return canonical((any_special[part] ? special[part] : sign[part]) / pivot.re);
      ComponentSum<double> y;
      T infinite = 0;
      bool is_infinite = false;
      for (Index i = 0; i < 2; ++i) {
        const Index of = i == 0 ? part : 1 - part;
        if (is_zero(factor[i])) continue;
        if (any_special[of]) {
          infinite += special[of] * factor[i];
          is_infinite = true;
        } else {
          y.add(factor[i], sum[of], LongAccumulator::min_exponent);
        }
      }
      if (is_infinite) return canonical(infinite);
      const bool negative = y.sign() < 0;
      if (y.sign() == 0) return T(0);
      return round_quotient<T>(negative, guess, [&](int times, T a, T b, T c) {
        ComponentSum<double> left;
        for (Index i = 0; i < 2; ++i) {
          const double f = factor[i], scale = (negative ? -1 : 1) * times;
          // Twice a factor, which may be the largest number, is added as two.
          for (int again = 0; again < times; ++again)
            left.add(f * (scale / times), sum[i == 0 ? part : 1 - part], LongAccumulator::min_exponent);
          const Decoded d = decode(f);
          const Uint128 square = static_cast<Uint128>(d.mantissa) * d.mantissa;
          const Wide<3> wide{{static_cast<std::uint64_t>(square), static_cast<std::uint64_t>(square >> 64), 0}};
          for (T v : {a, b, c}) left.add(-static_cast<double>(v), wide, 2 * d.exponent);
        }
        return left.sign();
      });
    } else {
      const T d = pivot;
      if (any_special[0]) return canonical(special[0] / d);
      if (is_nan(d)) return canonical_nan<T>();
      if (is_zero(d)) return canonical(sign[0] / d);
      if (sign[0] == 0) return T(0);
      const bool negative = (sign[0] < 0) != (d < 0);
      if (!is_finite(d)) return negative ? -T(0) : T(0);
      const double size = std::fabs(static_cast<double>(d));
      return round_quotient<T>(negative, guess, [&](int times, T a, T b, T c) {
        ComponentSum<double> left;
        left.add(sign[0] * times, sum[0], LongAccumulator::min_exponent);
        for (T v : {a, b, c}) left.add(-size, static_cast<double>(v));
        return left.sign();
      });
    }
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
