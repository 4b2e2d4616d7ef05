// Substitution for many right-hand sides: what TRSM, TRSV and the factorizations share. Every unknown is defined by
// those before it, so that blocks and threads change no bit. A thread takes some right-hand sides at a time; an unknown
// is rounded where the bound of its sum decides, else by exact sums.
#pragma once

#include <algorithm>
#include <atomic>

#include "lib/call/execution.hpp"
#include "lib/cpu/trsm/line_sums.hpp"
#include "lib/cpu/trsm/unknowns.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/cholesky_pivot.hpp"

namespace accublas::cpu {

template <class E>
class Sweep {
  using T = RealOf<E>;
  static constexpr int parts = parts_of<E>;

 public:
  /// Right-hand sides that a thread takes at a time at most.
  static constexpr Index most_together = TriangularTuning::most_together;

  /// Takes memory for systems of up to this order and so many right-hand sides: all that solve and factor need.
  Sweep(Index order, Index sides, bool dot2, Execution& execution)
      : dot2_(dot2), execution_(execution), threads_(std::clamp<Index>(sides, 1, execution.threads)) {
    Workspace& workspace = execution.workspace;
    const Index line = LineSums<E>::numbers(order), of_m = LineSums<E>::lines_of_m(dot2);
    // Lines of M's parts, and unknowns that a cache holds.
    const Index wanted =
        of_m * line + std::max(line, std::min(tuning().triangular.cached, std::min(sides, most_together) * line));
    const Index room = static_cast<Index>(workspace.available() / sizeof(T)) / threads_;
    each_ = std::min(wanted, room / 2 * 2);
    if (each_ >= (of_m + 1) * LineSums<E>::numbers(1))
      lines_ = workspace.template take<T>(static_cast<std::size_t>(each_ * threads_));
    else
      each_ = 0;
  }
  ~Sweep() { execution_.report.undecided += undecided_.load(); }

  /// Right-hand sides with `order` unknowns that a thread's memory holds; 0: not one, and sums are exact.
  Index together(Index order) const {
    const Index line = LineSums<E>::numbers(order), room = each_ / line - LineSums<E>::lines_of_m(dot2_);
    return room < 1 ? 0 : std::min({room, std::max<Index>(tuning().triangular.cached / line, 1), most_together});
  }

  /// The unknowns first .. end - 1 of a system, in the order of substitution: those before are known.
  void solve(const TriangularSystem<E>& system, Index first, Index end) {
    if (first >= end) return;
    PhaseTimer timer(execution_, &accublas_report_t::ms_product);
    const Part part = part_of_system(system, first, end);
    const Index step = std::clamp<Index>(ceil_div(system.sides, threads_), 1, std::max<Index>(part.together, 1));
    parallel_for(ceil_div(system.sides, step), static_cast<int>(threads_), [&](Index task, int thread) {
      run(part, task * step, std::min(step, system.sides - task * step), thread, false);
    });
  }

  /// X^H X = A, X an upper triangle in A's place: columns first .. end - 1 of X from row `first` on, where the rows
  /// before are known; as many as together(end), if that is not 0. Returns the first column whose pivot is not the root
  /// of a positive number, which stays as it is with all that follow; else `end`.
  Index factor(const Matrix<E>& x, Index first, Index end) {
    PhaseTimer timer(execution_, &accublas_report_t::ms_product);
    const TriangularSystem<E> system = cholesky_system(x, end, first, end);
    return run(part_of_system(system, first, end), 0, end - first, 0, true);
  }

  /// The rows of that X before `order`, its columns from `first` on: what they have to solve.
  static TriangularSystem<E> cholesky_system(const Matrix<E>& x, Index order, Index first, Index end) {
    const Operand<E> m{{x.data, x.col_stride, x.row_stride}, is_complex<E>, Structure::triangular, Triangle::lower};
    return {order, end - first, E{1}, m, x.block(0, first)};
  }

 private:
  struct Part {
    const TriangularSystem<E>& system;
    LineSums<E> sums;
    Index first, end;
    Index line;      ///< numbers from one right-hand side's unknowns to the next one's
    Index together;  ///< as of the system
  };

  /// The largest magnitude of the unknowns. Each call of up_to() looks at the unknowns that are new.
  struct Largest {
    T magnitude = 0;
    Index known = 0;  ///< unknowns of each right-hand side

    T up_to(Index end, Index sides, const T* unknowns, Index step) {
      for (Index s = 0; s < sides; ++s)
        magnitude = LineSums<E>::larger(magnitude, parts * (end - known), unknowns + s * step + parts * known);
      known = end;
      return magnitude;
    }
  };

  Part part_of_system(const TriangularSystem<E>& s, Index first, Index end) const {
    const Index line = LineSums<E>::numbers(end);
    return {s, LineSums<E>(s.m, s.order, line, dot2_, execution_.isa), first, end, line, together(end)};
  }

  /// Right-hand sides side .. side + count - 1. `factors`: right-hand side s is the column of X with pivot first + s.
  Index run(const Part& part, Index side, Index count, int thread, bool factors) {
    const LineSums<E>& sums = part.sums;
    const TriangularSystem<E>& system = part.system;
    T* const lines = part.together > 0 ? lines_ + thread * each_ : nullptr;
    T* const unknowns = lines ? lines + LineSums<E>::lines_of_m(dot2_) * part.line : nullptr;
    double last_bits[most_together];
    if (lines) load(part, side, count, unknowns);
    bool tracks = false;
    Largest largest;
    TripleSum space[parts][most_together];
    Speed speed = dot2_ ? Speed::full : CrKernels<T>::first_speed;
    for (Index p = part.first; p < part.end; ++p) {
      const Index i = sums.place(p), begin = factors ? p - part.first + 1 : 0;
      const Index from = factors ? begin - 1 : 0;  // the pivot's own column is summed with those behind it
      const auto add_up = [&](double last_bit) {
        TripleSum* to[parts];
        for (int of = 0; of < parts; ++of) to[of] = space[of] + from;
        sums.add_up(speed, p, lines, count - from, unknowns + from * part.line, part.line,
                    tracks ? LastBits{last_bits + from, last_bit} : LastBits{}, to);
      };
      if (lines) {
        sums.write(p, 0, p, lines);
        if (!tracks && exact_sums_.load(std::memory_order_relaxed)) {
          tracks = true;
          for (Index s = from; s < count; ++s) last_bits[s] = sums.last_bit(p, unknowns + s * part.line);
        }
        add_up(tracks ? sums.last_bit(p, lines) : 0);
      }
      if (factors && !root(part, p, unknowns, lines ? &space[0][from] : nullptr)) return p;
      Unknown<E> unknown = Unknown<E>::of_row(system.alpha, sums.pivot(p), system.m.unit);
      bool open[most_together];
      const auto approximate = [&](Index s, int scale) {
        E& x = system.x(i, side + s);
        E result{};
        unknown.b = x;
        TripleSum own[parts];
        for (int of = 0; of < parts; ++of) own[of] = space[of][s];
        open[s] = !unknown.approximate_scaled(own, scale, result);
        if (!open[s]) x = result;
        return open[s] && std::any_of(own, own + parts, leaves_range);
      };
      Index out_of_range = 0, hard = 0;
      if (lines) {
        Unknowns<E> rounded(unknown, count - begin, execution_.isa);
        const std::uint64_t pending = rounded.round(count - begin, space[0] + begin, most_together,
                                                    [&](Index s) { return system.x(i, side + begin + s); });
        for (Index s = begin; s < count; ++s) {
          open[s] = (pending >> (s - begin) & 1) != 0;
          if (open[s])
            out_of_range += approximate(s, 0);
          else
            system.x(i, side + s) = rounded[s - begin];
        }
      } else {
        for (Index s = begin; s < count; ++s) open[s] = true;
      }
      int scale = 0;
      if (lines && !dot2_ && p > 0 && out_of_range * tuning().triangular.hard_share > count) {
        // Columns of a factor before `begin` end at their pivots, above row p. The memory after these is not written.
        const T of_unknowns = largest.up_to(p, count - begin, unknowns + begin * part.line, part.line);
        scale = sums.scale(p, lines, of_unknowns);
      }
      if (scale != 0) {
        add_up(tracks ? sums.last_bit(p, lines) : 0);
        for (Index s = begin; s < count; ++s)
          if (open[s]) approximate(s, scale);
      }
      for (Index s = begin; s < count; ++s) {
        E& x = system.x(i, side + s);
        if (open[s]) {
          unknown.b = x;
          TripleSum own[parts];
          const auto known = [&](Index q) { return system.x(sums.place(q), side + s); };
          bool decided = lines && !is_finite(space[0][s].a1) && sums.special(unknown, p, p, known, x);
          if (!decided && lines && !dot2_) {
            decided = sums.decide(unknown, p, lines, scale, unknowns + s * part.line, own, x);
            if (decided && speed != Speed::plain && lost_nothing(own))
              exact_sums_.store(true, std::memory_order_relaxed);
            else
              ++hard;
          }
          if (!decided) {
            x = sums.exact(unknown, p, p, known);
            undecided_.fetch_add(1, std::memory_order_relaxed);
          }
        }
        if (lines) keep(x, unknowns + s * part.line + parts * p);
        if (tracks) last_bits[s] = last_bit_with(last_bits[s], x);
      }
      if (hard * tuning().triangular.hard_share > count) speed = CrKernels<T>::after(speed);
    }
    return part.end;
  }

  static void keep(const E& x, T* to) {
    for (int of = 0; of < parts; ++of) to[of] = part_of(x, of);
  }

  /// The unknowns that are known.
  static void load(const Part& part, Index side, Index count, T* unknowns) {
    const Matrix<E>& x = part.system.x;
    const auto copy = [&](Index q, Index s) {
      keep(x(part.sums.place(q), side + s), unknowns + s * part.line + parts * q);
    };
    if (x.row_stride == 1) {
      for (Index s = 0; s < count; ++s)
        for (Index q = 0; q < part.first; ++q) copy(q, s);
    } else {
      for (Index q = 0; q < part.first; ++q)
        for (Index s = 0; s < count; ++s) copy(q, s);
    }
  }

  /// Computes the pivot of column p from the unknowns of that column; `squares` is a sum of their squares, or null.
  /// Returns false if there is no pivot.
  bool root(const Part& part, Index p, const T* unknowns, const TripleSum* squares) {
    const Matrix<E>& x = part.system.x;
    const Index s = p - part.first;
    const CholeskyPivot<T> pivot{part_of(x(p, s), 0)};
    T result{};
    bool decided = squares && pivot.approximate(*squares, result);
    for (const Speed speed : {Speed::swift, Speed::full}) {
      if (!unknowns || decided) break;
      const T* const own = unknowns + s * part.line;
      TripleSum sum{0, 0, 0, 0};
      const double last_bit = speed == Speed::full ? part.sums.last_bit(p, own) : 0;
      const LastBits bits = speed == Speed::full ? LastBits{&last_bit, last_bit} : LastBits{};
      if (p > 0)
        kernels_for<CrKernels<T>>(execution_.isa)
            .rows[static_cast<int>(speed)](1, parts * p, own, part.line, own, bits, &sum);
      decided = pivot.approximate(sum, result);
    }
    if (!decided) {
      ExactSum<double> above;
      for (Index q = 0; q < p; ++q)
        for (int of = 0; of < parts; ++of) {
          const T number = part_of(x(q, s), of);
          above.add(-number, number);
        }
      if (!pivot.exact(above, result)) return false;
      undecided_.fetch_add(1, std::memory_order_relaxed);
    }
    x(p, s) = E{result};
    return true;
  }

  const bool dot2_;
  Execution& execution_;
  const Index threads_;
  Index each_ = 0;  ///< numbers of a thread's memory
  T* lines_ = nullptr;
  std::atomic<std::int64_t> undecided_ = 0;
  std::atomic<bool> exact_sums_ = false;  ///< some sums are decided by last bits alone
};

}  // namespace accublas::cpu
