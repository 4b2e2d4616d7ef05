// Accumulators in device memory. The steps are those of engine int8 (cuda/int8/int8_pass.cpp), apart in time: a panel
// is measured and converted when it arrives, products follow when enough terms wait, and results are reconstructed at
// the end (rounding.hpp). Work is on a stream of the accumulator, which is ordered with the user's by events.
#pragma once

#include <memory>
#include <optional>

#include "cuda/accumulator/lines.hpp"
#include "cuda/accumulator/steps.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/pool_memory.hpp"
#include "cuda/core/staged_matrix.hpp"
#include "cuda/core/staging.hpp"
#include "lib/accumulator/accumulator.hpp"
#include "lib/accumulator/device_sums.hpp"
#include "lib/base/stack.hpp"

namespace accublas::cuda {

template <class E>
class FinalRounding;

/// Returns the residues' lines of a matrix that a call multiplies: the columns of op(B), or the rows of op(A).
template <class E>
Operand<RealOf<E>> columns_of(const Matrix<const E>& b, Index n, Index k) {
  using T = RealOf<E>;
  if constexpr (is_complex<E>) {
    Operand<T> x{reinterpret_cast<const T*>(b.data), 2 * b.col_stride, b.row_stride, n, 2 * k};
    x.term_pairs = 1;
    return x;
  } else {
    return {b.data, b.col_stride, b.row_stride, n, k};
  }
}

inline Lines with_exponents(const Lines& measured, std::int32_t* exponent) {
  Lines lines = measured;
  lines.exponent = exponent;
  return lines;
}

template <class E>
class HeldResidues final : public DeviceSums<E> {
 public:
  using T = RealOf<E>;
  static constexpr int parts = is_complex<E> ? 2 : 1;

  HeldResidues(const Accumulator& of, int device, std::size_t cap);
  ~HeldResidues() override {
    if (forked_from_user()) {
      memory_.release();
      return;
    }
    try {
      const DeviceScope scope(device());
      memory_.reset();
    } catch (const Error&) {  // the device is lost
    }
  }

  int device() const override { return model_.device; }
  std::size_t bytes() const override { return bytes_; }
  std::size_t workspace_bytes() const override { return workspace_bytes_; }

  void read_plane(int l, std::int8_t* to) override {
    in_scope([&] {
      if (waiting_ > 0) multiply();
      if (empty_) clear();
      copy_plane(to, result_ + l * plane(), width(), static_cast<std::size_t>(block_cols_));
      steps_.wait();
    });
  }
  void write_plane(int l, const std::int8_t* from) override {
    in_scope([&] {
      if (empty_) clear();
      copy_plane(result_ + l * plane(), from, static_cast<std::size_t>(block_cols_), width());
      steps_.wait();
    });
  }
  void read_errors(AccumulatorSide& a, AccumulatorSide& b) override {
    if (!rounds_) return;
    in_scope([&] {
      const auto read = [&](AccumulatorSide& side, const LineErrors& from) {
        steps_.fetch(side.error.data(), from.error, side.lines());
        steps_.fetch(side.dropped.data(), from.dropped, side.lines());
      };
      read(a, col_errors_);
      read(b, row_errors_);
      steps_.wait();
    });
  }

  void add(const AccumulatorPanel<E>& panel, const OperandSpace& space,
           const std::function<void(const PanelFindings&)>& known) override;

  void add_again(const AccumulatorPanel<E>& panel, const OperandSpace& space, const std::vector<Index>& listed,
                 const std::function<void(const PanelFindings&)>& known, std::vector<LongAccumulator>& sums) override;

  DeviceOutcome finish(const DeviceRounding<E>& rounding, const OperandSpace& space) override;

 private:
  friend class FinalRounding<E>;

  /// After a failure nothing on the accumulator's stream uses the caller's arrays any more.
  template <class Body>
  void in_scope(Body&& body, BackendState* users = nullptr) {
    with_stack(needed_stack, [&] {
      if (unfinished_)
        throw Error(ACCUBLAS_ERROR_DEVICE, "the device failed while it added a panel to the accumulator");
      const DeviceScope scope(device());
      std::optional<CallScope> call;
      if (users) call.emplace(static_cast<State&>(*users));
      try {
        body();
      } catch (...) {
        steps_.drain();
        throw;
      }
    });
  }
  /// Calls body(panel) with the panel in device memory and its measurements on the way.
  template <class Body>
  void with_panel(const AccumulatorPanel<E>& panel, const OperandSpace& space, Body&& body) {
    in_scope(
        [&] {
          steps_.follow(space.users);
          // Host operands are copied in a whole number of columns or rows.
          StagedMatrix<E> a(here(panel.a, !space.a_there), m_, panel.k), b(here(panel.b, !space.b_there), panel.k, n_);
          const std::size_t staged = a.bytes() + b.bytes();
          std::optional<PoolMemory> memory;
          AccumulatorPanel<E> there = panel;
          if (staged > 0) {
            memory.emplace(device(), steps_.stream(), staged);
            std::byte* next = memory->data();
            if (!space.a_there) there.a = read_only(a.take(next)), a.copy_in(steps_.stream());
            if (!space.b_there) there.b = read_only(b.take(next)), b.copy_in(steps_.stream());
          }
          workspace_bytes_ = staged;
          measure_panel(there);
          body(there);
        },
        space.users);
  }
  static Matrix<E> here(const Matrix<const E>& x, bool wanted) {
    return {wanted ? const_cast<E*>(x.data) : nullptr, x.row_stride, x.col_stride};
  }
  static std::size_t size(Index count) { return static_cast<std::size_t>(count); }

  Index cols() const { return parts * m_; }
  std::size_t width() const { return size(cols()); }
  Index plane() const { return block_rows_ * block_cols_; }
  void copy_plane(std::int8_t* to, const std::int8_t* from, std::size_t to_next, std::size_t from_next) const {
    check(cudaMemcpy2DAsync(to, to_next, from, from_next, width(), size(n_), cudaMemcpyDefault, steps_.stream()),
          "copying residues");
  }

  void lay_out(Carver& carver);

  /// Sets the constant arrays, and the errors so far.
  void start(const Accumulator& of);

  /// Returns the most digits that exact sums of the accumulator's lines take (sum_listed).
  static int digits_of(const Accumulator& of) {
    const auto span = [](const AccumulatorSide& side) {
      int most = 0;
      for (const LineExponents& e : side.exponents)
        if (!e.zero()) most = std::max(most, e.above + e.below);
      return most + FloatFormat<T>::digits - 1;
    };
    return (span(of.a) + span(of.b) + 31) / 32 + 5;
  }

  /// Makes all sums zero.
  void clear() {
    steps_.fill(result_, 0, size(plane() * moduli_));
    empty_ = false;
  }

  Operand<T> rows_of(const AccumulatorPanel<E>& panel) const { return columns_of(panel.b, n_, panel.k); }
  /// Returns two lines for a row of complex numbers (EngineCall).
  Operand<T> cols_of(const AccumulatorPanel<E>& panel) const;

  /// Measures the lines of a panel, and compares them with their exponents.
  void measure_panel(const AccumulatorPanel<E>& panel);
  /// Waits for the findings about the panel.
  PanelFindings findings();

  void add_errors_of_panel();

  /// Converts a panel, and multiplies when the buffers are full.
  void convert_panel(const AccumulatorPanel<E>& panel, BackendState* users);

  void multiply();

  /// The passes of `state_`: conversion and products, and roundings that take the sums as they are, or with their
  /// errors.
  static constexpr int product_pass = 0, exact_pass = 1, interval_pass = 2;

  const DeviceModel& model_;
  OrderedStream steps_;
  const Index n_, m_;
  const int moduli_;
  const bool rounds_;
  const int row_bits_, col_bits_;
  const Index block_rows_, block_cols_;
  const std::size_t cap_;
  Index terms_;  ///< real terms of all panels so far
  const int most_digits_;
  Index depth_ = 0;          ///< terms that the residue buffers hold
  Index waiting_ = 0;        ///< terms there, each panel rounded up to a multiple of 16
  bool unfinished_ = false;  ///< a part of a panel was added, and nothing can take it back
  bool empty_ = true;        ///< nothing is in `result_`, and the sums are zero
  std::size_t bytes_ = 0, workspace_bytes_ = 0;
  std::unique_ptr<PoolMemory> memory_;
  CallState* state_ = nullptr;
  PanelNotes* notes_ = nullptr;
  /// Measurements of the panel: the columns of op(B), the numbers of op(A) and their real lines
  Lines rows_{}, numbers_{}, cols_lines_{};
  LineErrors row_errors_{}, col_errors_{};
  std::int32_t *row_exponent_ = nullptr, *col_exponent_ = nullptr;
  std::size_t row_bytes_ = 0, col_bytes_ = 0;
  std::uint8_t *row_residues_ = nullptr, *col_residues_ = nullptr;
  std::int8_t* result_ = nullptr;  ///< row r, column c of modulus l at (l block_rows + r) block_cols + c
};

}  // namespace accublas::cuda
