// Accumulators in device memory. The steps are those of engine int8 (cuda/int8/int8_pass.cpp), apart in time: a panel
// is measured and converted when it arrives, products follow when enough terms wait, and results are reconstructed at
// the end (rounding.hpp). Work is on a stream of the accumulator, which is ordered with the user's by events.
#pragma once

#include <memory>
#include <optional>

#include "cuda/accumulator/lines.hpp"
#include "cuda/accumulator/listed_sums.hpp"
#include "cuda/accumulator/panel_parts.hpp"
#include "cuda/accumulator/pinned_notes.hpp"
#include "cuda/accumulator/steps.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/core/pool_memory.hpp"
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
      waiting_memory_.release();
      again_.release();
      return;
    }
    try {
      const DeviceScope scope(device());
      again_.reset();
      waiting_memory_.reset();
      memory_.reset();
    } catch (const Error&) {  // the device is lost
    }
  }

  int device() const override { return model_.device; }
  std::size_t bytes() const override { return bytes_ + waiting_bytes(); }
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

  void add(const AccumulatorPanel<E>& panel, const DeviceUse& use,
           const std::function<void(const PanelFindings&)>& known) override;

  void add_again(const AccumulatorPanel<E>& panel, const DeviceUse& use, const std::vector<Index>& listed,
                 const std::function<void(const PanelFindings&)>& known, std::vector<LongAccumulator>& sums) override;

  DeviceOutcome finish(const DeviceRounding<E>& rounding, const DeviceUse& use) override;

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

  /// Makes the memory of terms that wait the most that a share of `cap` allows. Throws Error(ACCUBLAS_ERROR_MEMORY).
  void fit_waiting(std::size_t cap);
  /// Multiplies what waits, and gives its memory back if it exceeds a share of `cap`.
  void empty_waiting(std::size_t cap);
  std::size_t waiting_bytes() const { return row_bytes_ + col_bytes_; }

  /// Measures the lines of a part of a panel.
  void measure_part(const AccumulatorPanel<E>& part);
  /// Measures all parts of a panel, and lets the device write its findings to the host. The last part stays.
  void measure_panel(PanelParts<E>& parts);
  /// Makes the measured lines those of part i of a panel. Lines with Inf or NaN in any part are zero.
  void measure_again(PanelParts<E>& parts, Index i);
  /// Waits for the findings about the panel.
  PanelFindings findings();

  void add_errors_of_part();

  /// Converts `terms` real terms of a part behind those that wait.
  void convert_terms(const AccumulatorPanel<E>& part, Index first, Index terms);
  /// Converts a part, and multiplies whenever the buffers are full.
  void convert_part(const AccumulatorPanel<E>& part, BackendState* users);
  /// The terms that were converted wait from now on.
  void let_wait(Index terms) { waiting_ += round_up(terms, panel_step); }
  Index real_terms(const AccumulatorPanel<E>& part) const { return parts * part.k; }

  void multiply();

  /// The memory of the second round, for `count` listed sums at a time.
  struct SecondRound {
    SecondRound(Index sums, int digits, int device, cudaStream_t stream)
        : count(sums),
          memory(
              [&](Carver& carver) {
                list = carver.take<Index>(sums);
                found = carver.take<ListedSum>(sums);
                of_digits = carver.take<std::uint32_t>(sums * digits);
              },
              device, stream),
          found_here(size(sums)),
          digits_here(size(sums * digits)) {}
    static std::size_t bytes_a_sum(int digits) {
      return sizeof(Index) + sizeof(ListedSum) + size(digits) * sizeof(std::uint32_t);
    }

    const Index count;
    Index *list = nullptr, sent = -1;  ///< sent: number of the first sum in `list`; -1: none
    ListedSum* found = nullptr;
    std::uint32_t* of_digits = nullptr;
    const ArrayMemory<PoolMemory> memory;
    std::vector<ListedSum> found_here;
    std::vector<std::uint32_t> digits_here;
  };
  /// Makes `again_` the memory for all listed sums, or for as many as a share of `cap` allows.
  void fit_second_round(Index listed, std::size_t cap);
  /// Computes the sums of a part from number `first` of the list on.
  void sum_part(const AccumulatorPanel<E>& part, const std::vector<Index>& listed, Index first);
  /// Adds the sums that sum_part computed.
  void take_sums(const std::vector<Index>& listed, Index first, std::vector<LongAccumulator>& sums);

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
  const Index most_terms_;  ///< real terms of all panels that may come
  Index terms_;             ///< real terms of all panels so far
  const int most_digits_;
  Index depth_ = 0;          ///< terms that the residue buffers hold
  Index waiting_ = 0;        ///< terms there, each panel rounded up to a multiple of 16
  bool unfinished_ = false;  ///< a part of a panel was added, and nothing can take it back
  bool empty_ = true;        ///< nothing is in `result_`, and the sums are zero
  std::size_t bytes_ = 0, workspace_bytes_ = 0;
  std::unique_ptr<PoolMemory> memory_, waiting_memory_;
  std::unique_ptr<SecondRound> again_;
  std::vector<std::byte> constants_;  ///< the host's copy of state_ and the limits, in the device's layout
  CallState* state_ = nullptr;
  std::int32_t *row_limits_ = nullptr, *col_limits_ = nullptr;  ///< exponents of the numbers (LineExponents)
  PanelNotes* notes_ = nullptr;
  const PinnedNotes notes_here_;
  /// Measurements of the panel: the columns of op(B), the numbers of op(A) and their real lines
  Lines rows_{}, numbers_{}, cols_lines_{};
  std::uint8_t *row_flags_ = nullptr, *number_flags_ = nullptr;
  LineErrors row_errors_{}, col_errors_{};
  std::int32_t *row_exponent_ = nullptr, *col_exponent_ = nullptr;
  std::size_t row_bytes_ = 0, col_bytes_ = 0;
  std::uint8_t *row_residues_ = nullptr, *col_residues_ = nullptr;
  std::int8_t* result_ = nullptr;  ///< row r, column c of modulus l at (l block_rows + r) block_cols + c
};

}  // namespace accublas::cuda
