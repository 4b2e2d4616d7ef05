// Substitution by sums for many right-hand sides, shared by TRSM and the factorizations in cr. After each block of
// unknowns (solve_block) its products are added to the sums of the later unknowns. This is done for 1, 2, 4, ... blocks
// together, so that half of all work is in products as large as half of the system. The INT8 engine computes the larger
// products of cr.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "cuda/complex/components.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/inner_calls.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/int8/gemm_int8.hpp"
#include "cuda/trsm/solve_kernels.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/substitution.hpp"

namespace accublas::cuda {

/// Products that are added to sums use this many moduli, more than cr's products do. With them about one of a million
/// numbers that are rounded from the sums is left undecided. An undecided number makes others wait.
template <class T>
inline constexpr int sum_moduli = sizeof(T) == 8 ? 22 : 12;

/// Right-hand sides first .. end - 1 of a panel.
struct Sides {
  Index first, end;
  Index count() const { return end - first; }
};

/// Computes the unknowns of a system in place of its right-hand sides x. A body defines the steps. It is called as
/// body(steps) twice: first with steps that only learn how much memory they take (Steps::launches is false), then with
/// steps that launch on the stream.
template <class E>
class UnknownSums {
  using T = RealOf<E>;
  static constexpr int parts = parts_of<E>;

 public:
  /// alpha: null, or a pointer to device memory that replaces the system's alpha. `panel_step`: every panel but the
  /// last has a multiple of this many right-hand sides. `uncertain`: relative error from which on sums are refined.
  /// `panel`: right-hand sides of a panel, as most_sides() allows; 0: as many as that.
  UnknownSums(State& state, const TriangularSystem<E>& system, const E* alpha, bool dot2, Execution& execution,
              Index panel_step = 32, int moduli = sum_moduli<T>, double uncertain = uncertain_sum<T>, Index panel = 0)
      : state_(state), system_(system), execution_(execution), moduli_(moduli), block_(solve_block_unknowns<E>(dot2)) {
    job_.alpha = alpha;
    job_.forward = system_.m.part == Triangle::lower;
    job_.dot2 = dot2;
    job_.uncertain = uncertain;
    job_.all_undecided = false;
    panel_ = panel > 0
                 ? panel
                 : std::min(system_.sides, most_sides(system_.order, dot2, execution.workspace.cap(), panel_step));
  }

  /// Returns how many right-hand sides a panel of a system of `order` unknowns has at most, a multiple of `step`. The
  /// sums of a panel take at most half of the workspace, but a panel always has at least `step` right-hand sides.
  static Index most_sides(Index order, bool dot2, std::size_t workspace, Index step) {
    const Index each = parts * order * static_cast<Index>(sizeof(double2) + (dot2 ? 0 : sizeof(double)));
    const Index room = static_cast<Index>(workspace / 2) / each / step * step;
    return std::min(std::max(room, step), sides_of_launch / step * step);
  }

  /// From the next panel on the right-hand sides and unknowns are in x.
  void sides_lie_in(const Matrix<E>& x) { system_.x = x; }
  /// From the next step on the matrix is m, except for its far entries.
  void matrix_lies_in(const Matrix<const E>& m, const FarEntries<E>& far) {
    system_.m.stored = job_.system.m.stored = m;
    job_.far = far;
  }

  /// Returns how many unknowns a step solves at most; its products start at a multiple of this number.
  Index block() const { return block_; }
  /// Returns the number of right-hand sides in a panel.
  Index panel() const { return panel_; }

  /// The steps of the first call of a body, which launch nothing.
  class Sizing {
   public:
    static constexpr bool launches = false;
    explicit Sizing(UnknownSums& of) : of_(of) {}
    void begin(Sides panel, Index) { sides_ = panel; }
    void solve_block(Index, Index, Sides) {}
    void add_products(Index first, Index terms, Index rows, Sides sides) {
      if (of_.takes_residues(terms, rows, sides)) of_.note(first, terms, rows, sides_, sides);
    }

   private:
    UnknownSums& of_;
    Sides sides_{};
  };

  class Launches {
   public:
    static constexpr bool launches = true;
    Launches(UnknownSums& of, Execution& inner) : of_(of), inner_(inner) {}
    /// Begins a panel of the system's right-hand sides, at most panel() of them, and its sums in rows 0 .. rows - 1.
    void begin(Sides panel, Index rows) {
      SolveJob<E>& job = of_.job_;
      job.system = of_.panel_of(panel);
      of_.clear(job.lost, panel.count());
      if (job.dot2)
        of_.clear(job.sums.pair, parts * job.system.order * of_.panel_);
      else
        begin_sums(of_.state_.model(), job, rows, of_.state_.cuda_stream());
    }
    /// Solves `count` unknowns from position `first` on, up to a block of them, for some of the panel's right-hand
    /// sides.
    void solve_block(Index first, Index count, Sides sides) {
      if (sides.count() > 0)
        cuda::solve_block(of_.state_.model(), of_.job_of(sides), first, count, of_.state_.cuda_stream());
    }
    /// Adds the products of `terms` unknowns from position `first` on to the sums of the `rows` unknowns after them.
    void add_products(Index first, Index terms, Index rows, Sides sides) {
      if (rows > 0 && sides.count() > 0) of_.add_products(of_.job_of(sides), first, terms, rows, inner_);
    }
    /// Returns the job of some of the panel's right-hand sides.
    SolveJob<E> job_of(Sides sides) const { return of_.job_of(sides); }

   private:
    UnknownSums& of_;
    Execution& inner_;
  };

  /// Makes the steps for `count` unknowns from position `first` on.
  template <class Steps>
  void solve(Steps& steps, Index first, Index count, Sides sides) const {
    if (count <= block_) return steps.solve_block(first, count, sides);
    const Index half = half_of(count, block_);
    solve(steps, first, half, sides);
    steps.add_products(first, half, count - half, sides);
    solve(steps, first + half, count - half, sides);
  }
  /// Makes the steps for all unknowns of the system.
  template <class Steps>
  void solve_all(Steps& steps) const {
    for (Index first = 0; first < system_.sides; first += panel_) {
      const Sides panel{first, std::min(first + panel_, system_.sides)};
      steps.begin(panel, system_.order);
      solve(steps, 0, system_.order, {0, panel.count()});
    }
  }
  /// Returns the size of the first half of `count` unknowns: edge, 2 edge, 4 edge, ...
  static Index half_of(Index count, Index edge) {
    Index half = edge;
    while (2 * half < count) half *= 2;
    return half;
  }

  /// Takes all memory before any unknown overwrites its right-hand side, including the caller's own, which
  /// `own(carver)` takes. Then puts the steps on the stream. `stop`: see SolveJob.
  template <class Body, class LayOut>
  void run(Body&& body, LayOut&& own, long long* stop = nullptr) {
    Sizing sizing(*this);
    body(sizing);
    const ArrayMemory<CopyMemory> memory(
        [&](Carver& carver) {
          lay_out(carver);
          own(carver);
        },
        state_, execution_.workspace);
    Workspace rest = rest_of(execution_.workspace, memory.data(), memory.bytes());
    Execution inner = execution_.within(rest);
    std::size_t product_bytes = 0;
    for (const auto& [shape, product] : products_)
      product_bytes = std::max(product_bytes, int8_sums_bytes(state_, product, moduli_, inner));
    std::optional<CallMemory> product_memory;
    if (product_bytes > 0) {
      product_memory.emplace(state_, rest, product_bytes);
      product_memory_ = product_memory->data();
    }
    BatchScope scope(state_, execution_.report.level);
    clear(job_.undecided, 1);
    job_.stop = stop;
    Launches launches(*this, inner);
    body(launches);
    CallState* const call = state_.begin_call(execution_.report.level);
    report_undecided(state_.model(), job_.undecided, call, state_.cuda_stream());
    state_.end_call();
    scope.end();
    execution_.report.workspace_bytes = static_cast<std::int64_t>(memory.bytes() + product_bytes);
  }

 private:
  /// A launch takes at most this many right-hand sides: 32 a thread block, and the grid's y dimension ends there.
  static constexpr Index sides_of_launch = Index{32} * 65535;

  void lay_out(Carver& carver) {
    const Index count = parts * system_.order * panel_;
    job_.sums = {carver.take<double2>(count), job_.dot2 ? nullptr : carver.take<double>(count), panel_,
                 job_.dot2 ? 0 : sum_lift<E>};
    job_.lost = carver.take<unsigned char>(panel_);
    job_.undecided = carver.take<unsigned long long>(1);
    // The largest complex products need memory for their rows and columns written as real ones.
    if (is_complex<E>) {
      row_lines_ = carver.take<T>(most_row_numbers_);
      if (system_.x.row_stride != 1) col_lines_ = carver.take<T>(most_col_numbers_);
    }
  }

  TriangularSystem<E> panel_of(Sides panel) const {
    TriangularSystem<E> part = system_;
    part.sides = panel.count();
    part.x = system_.x.block(0, panel.first);
    return part;
  }
  SolveJob<E> job_of(Sides sides) const {
    SolveJob<E> part = job_;
    part.system.sides = sides.count();
    part.system.x = job_.system.x.block(0, sides.first);
    part.sums = job_.sums.from(0, sides.first);
    part.lost += sides.first;
    return part;
  }

  /// Returns whether the INT8 engine computes the products of `terms` unknowns for the sums of `rows` unknowns.
  bool takes_residues(Index terms, Index rows, Sides sides) const {
    const TrsmTuning& trsm = state_.model().tuning().trsm;
    return !job_.dot2 && terms >= trsm.least_residue_terms && rows * sides.count() >= trsm.least_residue_elements;
  }
  /// Records what the largest products need.
  void note(Index first, Index terms, Index rows, Sides panel, Sides sides) {
    TriangularSystem<E> s = panel_of(panel);
    s.sides = sides.count();
    products_.try_emplace({terms, rows, sides.count()},
                          engine_product(s, row_of(first + terms, rows), rows, row_of(first, terms), terms));
    most_row_numbers_ = std::max(most_row_numbers_, 4 * rows * terms);
    most_col_numbers_ = std::max(most_col_numbers_, 2 * terms * sides.count());
  }

  /// Returns the least index of the `count` unknowns from a position on.
  Index row_of(Index first, Index count) const { return job_.forward ? first : system_.order - first - count; }

  void add_products(const SolveJob<E>& job, Index first, Index terms, Index rows, Execution& inner) {
    const TriangularSystem<E>& s = job.system;
    const cudaStream_t stream = state_.cuda_stream();
    if (!takes_residues(terms, rows, {0, s.sides})) return add_known(state_.model(), job, first, terms, rows, stream);
    const Index column = row_of(first, terms), row = row_of(first + terms, rows);
    if constexpr (is_complex<E>) {
      write_rows(s.m.stored.block(row, column), rows, terms, RowLayout::both, s.m.conjugate, false, false, row_lines_,
                 stream);
      if (s.x.row_stride != 1)
        write_columns(Matrix<const E>{&s.x(column, 0), s.x.row_stride, s.x.col_stride}, terms, s.sides, false,
                      col_lines_, stream);
    }
    int8_sums(state_, engine_product(s, row, rows, column, terms), moduli_, job.sums.from(parts * row, 0),
              product_memory_, inner);
    refine_sums(state_.model(), job, first + terms, rows, stream);
  }

  /// Returns the INT8 engine's product of unknowns from `column` on for the rows from `row` on. By the time it runs,
  /// complex rows and columns are written as real ones.
  Gemm<T> engine_product(const TriangularSystem<E>& s, Index row, Index rows, Index column, Index terms) const {
    const E* const x = &s.x(column, 0);
    if constexpr (is_complex<E>) {
      Matrix<const T> columns{&x->re, 1, 2 * s.x.col_stride};
      if (s.x.row_stride != 1) columns = {col_lines_, 1, 2 * terms};
      return {2 * rows, s.sides, 2 * terms, T(1), {row_lines_, 1, 2 * rows}, columns, T(0), {}};
    } else {
      return {rows, s.sides, terms, T(1), s.m.stored.block(row, column), {x, s.x.row_stride, s.x.col_stride}, T(0), {}};
    }
  }

  template <class Number>
  void clear(Number* numbers, Index count) {
    set_on_stream(numbers, 0, static_cast<std::size_t>(count) * sizeof(Number), state_.cuda_stream(), "clearing sums");
  }

  State& state_;
  TriangularSystem<E> system_;
  Execution& execution_;
  const int moduli_;
  const Index block_;
  Index panel_ = 0;
  SolveJob<E> job_{};
  std::map<std::tuple<Index, Index, Index>, Gemm<T>> products_;  ///< keyed by terms, rows and sides
  Index most_row_numbers_ = 0, most_col_numbers_ = 0;            ///< for the rows and columns of complex products
  std::byte* product_memory_ = nullptr;
  T *row_lines_ = nullptr, *col_lines_ = nullptr;
};

}  // namespace accublas::cuda
