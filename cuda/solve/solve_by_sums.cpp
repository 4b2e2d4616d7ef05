// Blocks of unknowns (solve_block), and after them the products that they make, added to the sums of the unknowns that
// follow: for blocks of 1, 2, 4, ... unknowns together, so that half of all work is in products as large as half of the
// system. cr's larger ones are the INT8 engine's.
#include "cuda/solve/solve_by_sums.hpp"

#include <algorithm>
#include <optional>

#include "cuda/complex/components.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/inner_calls.hpp"
#include "cuda/residues/gemm_int8.hpp"
#include "cuda/solve/solve_kernels.hpp"
#include "lib/base/integers.hpp"
#include "lib/base/test_hooks.hpp"
#include "lib/call/accuracy.hpp"

namespace accublas::cuda {

namespace {

/// Unknowns from which on products are the INT8 engine's, and elements that it has to have then: measured on an H200.
constexpr Index least_terms_of_residues = 128, least_elements_of_residues = Index{1} << 18;

/// Right-hand sides of a launch: 32 a thread block, whose numbers along y end there.
constexpr Index most_sides = Index{32} * 65535;

template <class E>
class SolveBySums {
  using T = RealOf<E>;
  static constexpr int parts = is_complex<E> ? 2 : 1;

 public:
  SolveBySums(State& state, const TriangularSystem<E>& system, const E* alpha, bool dot2, Execution& execution)
      : state_(state), system_(system), dot2_(dot2), execution_(execution), block_(solve_block_unknowns<E>(dot2)) {
    job_.alpha = alpha;
  }

  void run() {
    if (!dot2_) put_bound(execution_.report, rounded_once<T>());
    choose_panel();
    const ArrayMemory<CopyMemory> memory([this](Carver& carver) { lay_out(carver); }, state_, execution_.workspace);
    Workspace rest = rest_of(execution_.workspace, memory.data(), memory.bytes());
    Execution inner = execution_.within(rest);
    // All memory is there before an unknown is written over its right-hand side.
    const std::size_t product_bytes = bytes_of_products(inner);
    std::optional<CallMemory> product_memory;
    if (product_bytes > 0) {
      product_memory.emplace(state_.device(), state_.cuda_stream(), state_.capture_memory(), rest.buffer(),
                             rest.buffer_bytes(), product_bytes);
      product_memory_ = product_memory->data();
    }
    std::optional<BatchScope> scope;
    if (!state_.in_batch()) scope.emplace(state_, execution_.report.level);
    clear(job_.undecided, 1);
    solve_panels(inner);
    CallState* const call = state_.begin_call(execution_.report.level);
    report_undecided(state_.model(), job_.undecided, call, state_.cuda_stream());
    state_.end_call();
    if (scope) scope->end();
    execution_.report.workspace_bytes = static_cast<std::int64_t>(memory.bytes() + product_bytes);
  }

 private:
  void solve_panels(Execution& inner) {
    for (Index side = 0; side < system_.sides; side += panel_) {
      job_.system = panel_from(side);
      clear(job_.lost, panel_);
      clear(job_.sums.pair, parts * system_.order * panel_);
      if (job_.sums.error) clear(job_.sums.error, parts * system_.order * panel_);
      solve(0, system_.order, inner);
    }
  }

  TriangularSystem<E> panel_from(Index side) const {
    TriangularSystem<E> panel = system_;
    panel.sides = std::min(panel_, system_.sides - side);
    panel.x = system_.x.block(0, side);
    return panel;
  }

  /// Right-hand sides at a time: their sums take half of the workspace at most, but those of 32 are always there.
  void choose_panel() {
    const Index each = parts * system_.order * static_cast<Index>(sizeof(double2) + (dot2_ ? 0 : sizeof(double)));
    const Index room = static_cast<Index>(execution_.workspace.cap() / 2) / each / 32 * 32;
    panel_ = std::min({system_.sides, std::max<Index>(room, 32), most_sides});
  }

  void lay_out(Carver& carver) {
    const Index count = parts * system_.order * panel_;
    job_.forward = system_.m.part == Triangle::lower;
    job_.dot2 = dot2_;
    job_.all_undecided = hook_all_undecided();
    job_.sums = {carver.take<double2>(count), dot2_ ? nullptr : carver.take<double>(count), panel_};
    job_.lost = carver.take<unsigned char>(panel_);
    job_.undecided = carver.take<unsigned long long>(1);
    // Lines of the largest complex products as real ones.
    if (is_complex<E>) {
      const MostLines most = most_lines();
      row_lines_ = carver.take<T>(4 * most.row_entries);
      if (system_.x.row_stride != 1) col_lines_ = carver.take<T>(2 * most.terms * panel_);
    }
  }
  /// The unknowns of the first half of so many.
  Index half_of(Index count) const {
    Index half = block_;
    while (2 * half < count) half *= 2;
    return half;
  }
  /// Whether the products of so many unknowns, for the sums of so many, are the INT8 engine's.
  bool takes_residues(Index terms, Index rows) const {
    return !dot2_ && terms >= least_terms_of_residues && rows * panel_ >= least_elements_of_residues;
  }
  /// What the products of the INT8 engine need at most: entries of A, and terms.
  struct MostLines {
    Index row_entries, terms;
  };
  MostLines most_lines() const {
    MostLines most{0, 0};
    for_products(system_.order, [&](Index terms, Index rows) {
      most = {std::max(most.row_entries, rows * terms), std::max(most.terms, terms)};
    });
    return most;
  }
  /// body(terms, rows) for the shapes of the INT8 engine's products in a system of so many unknowns.
  template <class Body>
  void for_products(Index count, Body&& body) const {
    if (count <= block_) return;
    const Index half = half_of(count), rest = count - half;
    if (takes_residues(half, rest)) body(half, rest);
    for_products(half, body);
    for_products(rest, body);
  }

  template <class Number>
  void clear(Number* numbers, Index count) {
    check(cudaMemsetAsync(numbers, 0, static_cast<std::size_t>(count) * sizeof(Number), state_.cuda_stream()),
          "clearing sums");
  }

  /// Unknowns from position `first` on.
  void solve(Index first, Index count, Execution& inner) {
    if (count <= block_) {
      solve_block(state_.model(), job_, first, count, state_.cuda_stream());
      return;
    }
    const Index half = half_of(count);
    solve(first, half, inner);
    add_products(first, half, count - half, inner);
    solve(first + half, count - half, inner);
  }

  /// The products of the unknowns from position `first` on to the sums of the `rows` unknowns after them.
  void add_products(Index first, Index terms, Index rows, Execution& inner) {
    const TriangularSystem<E>& s = job_.system;
    const cudaStream_t stream = state_.cuda_stream();
    if (!takes_residues(terms, rows)) return add_known(state_.model(), job_, first, terms, rows, stream);
    const Index column = job_.forward ? first : s.order - first - terms,
                row = job_.forward ? first + terms : s.order - first - terms - rows;
    if constexpr (is_complex<E>) {
      write_rows(s.m.stored.block(row, column), rows, terms, RowLayout::both, s.m.conjugate, false, false, row_lines_,
                 stream);
      if (s.x.row_stride != 1)
        write_columns(Matrix<const E>{&s.x(column, 0), s.x.row_stride, s.x.col_stride}, terms, s.sides, false,
                      col_lines_, stream);
    }
    int8_sums(state_, engine_product(s, row, rows, column, terms), job_.sums.from(parts * row, 0), product_memory_,
              inner);
  }

  /// The INT8 engine's product of unknowns from `column` on for the rows from `row` on; complex numbers' lines are
  /// written by then.
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

  /// What the INT8 engine needs for the largest product of any panel.
  std::size_t bytes_of_products(Execution& inner) const {
    const Index last = (ceil_div(system_.sides, panel_) - 1) * panel_;
    std::size_t bytes = 0;
    for (const Index side : {Index{0}, last}) {
      const TriangularSystem<E> panel = panel_from(side);
      for_products(system_.order, [&](Index terms, Index rows) {
        bytes = std::max(bytes, int8_sums_bytes(state_, engine_product(panel, 0, rows, 0, terms), inner));
      });
    }
    return bytes;
  }

  State& state_;
  const TriangularSystem<E> system_;
  const bool dot2_;
  Execution& execution_;
  const Index block_;
  Index panel_ = 0;
  std::byte* product_memory_ = nullptr;
  SolveJob<E> job_{};
  T *row_lines_ = nullptr, *col_lines_ = nullptr;
};

}  // namespace

template <class E>
void solve_by_sums(State& state, const TriangularSystem<E>& system, const E* alpha, const Mode& mode,
                   Execution& execution) {
  SolveBySums<E>(state, system, alpha, mode.kind == ACCUBLAS_MODE_DOT2, execution).run();
}

template void solve_by_sums(State&, const TriangularSystem<double>&, const double*, const Mode&, Execution&);
template void solve_by_sums(State&, const TriangularSystem<float>&, const float*, const Mode&, Execution&);
template void solve_by_sums(State&, const TriangularSystem<Complex<double>>&, const Complex<double>*, const Mode&,
                            Execution&);
template void solve_by_sums(State&, const TriangularSystem<Complex<float>>&, const Complex<float>*, const Mode&,
                            Execution&);

}  // namespace accublas::cuda
