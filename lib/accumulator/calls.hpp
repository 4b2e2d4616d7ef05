// The calls that the C interface makes of accumulators.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "lib/call/steps_call.hpp"
#include "lib/numerics/held_lines.hpp"

namespace accublas {

class BackendState;
using Accumulator = ::accublas_accumulator;

struct AccumulatorDeleter {
  void operator()(Accumulator* accumulator) const;
};
/// Everything that a call uses besides the accumulator.
using AccumulatorCall = StepsCall;
using OwnedAccumulator = std::unique_ptr<Accumulator, AccumulatorDeleter>;

/// The most that m, n and k may be.
inline constexpr Index most_of_a_size = Index{1} << 44;

/// The exponents of a row of op(A) or a column of op(B): every entry is below 2^above in magnitude, and a multiple of
/// 2^-below. Both are combined by their maxima. The C interface passes them as two adjacent integers.
struct LineExponents {
  static constexpr std::int32_t none = ACCUBLAS_EXPONENT_NONE;
  std::int32_t above = none, below = none;  ///< both are `none` for a line of zeros

  bool zero() const { return is_zero_line(above); }
  /// Makes room for a line of magnitudes below 2^exponent that are multiples of 2^last_bit.
  void raise(std::int32_t exponent, std::int32_t last_bit) {
    above = std::max(above, exponent);
    below = std::max(below, -last_bit);
  }
  /// Returns whether numbers of double precision can have these exponents, with some room.
  bool valid() const {
    constexpr std::int32_t most = 1200;
    if (above == none || below == none) return above == below;
    return above >= -most && above <= most && below >= -most && below <= most;
  }
  friend bool operator==(const LineExponents&, const LineExponents&) = default;
};

/// Properties of an accumulator.
struct AccumulatorFacts {
  Type type;
  Mode mode;
  Index m, n, k;
  Index added;        ///< terms of the panels so far
  Index added_again;  ///< terms of the panels of the second round
  int row_bits, column_bits, moduli;
  bool exact;                        ///< no bit was dropped that the mode's definition keeps
  const std::vector<Index>* listed;  ///< the undecided sums: row * parts of m + column of op(A)'s lines
  int parts;                         ///< sums of an element: 2 for complex numbers
  std::size_t bytes;
  std::int64_t workspace_bytes;  ///< peak of the last call
  double milliseconds;           ///< time of the last call
};
AccumulatorFacts facts_of(const Accumulator& accumulator);
/// Records the workspace and the time of a call.
void put_cost(Accumulator& accumulator, std::size_t workspace_bytes, double milliseconds);

/// Raises the exponents of `count` lines to those of the panel x, count x k. Those of lines that hold Inf or NaN stay
/// as they are.
template <class E>
void measure_lines(Index count, Index k, Matrix<const E> x, LineExponents* exponents, AccumulatorCall& call);

/// The sizes and settings of an accumulator.
struct AccumulatorShape {
  Type type;
  Mode mode;
  Index m, n, k;
  const LineExponents *rows, *columns;
  int row_bits, column_bits;  ///< the most bits of a'; a side whose lines need fewer takes these
  /// If a side needs more than its bits, it may take up to this many, as far as they cost no modulus. If no side drops
  /// bits, no element is undecided.
  int filled_bits = 0;
};
/// `most`: the bits of an entry. `filled`: up to so many bits if they need no further modulus (0: no more). `bits` is
/// the caller's number for cr, or 0.
struct EntryBits {
  int most, filled;
};
EntryBits entry_bits(Type type, const Mode& mode, int bits);
/// Creates an accumulator of zeros. Throws Error(ACCUBLAS_ERROR_ARGUMENT) if no number of moduli holds the sums.
OwnedAccumulator make_accumulator(const AccumulatorShape& shape, int threads);

/// A panel: A is m x k and B is k x n, after op except for its conjugation.
template <class E>
struct AccumulatorPanel {
  Index k;
  Matrix<const E> a, b;
  bool conjugate_a, conjugate_b;
};
/// Adds a panel: to the residues, or in the second round to the exact sums. If it throws, the accumulator is as it was.
template <class E>
void add_panel(Accumulator& to, const AccumulatorPanel<E>& panel, AccumulatorCall& call);

/// Computes C = alpha S + beta C. If elements are undecided, it begins the second round, leaves C as it was and throws
/// Error(ACCUBLAS_ERROR_UNDECIDED).
template <class E>
void finish_accumulator(Accumulator& sums, E alpha, E beta, Matrix<E> c, AccumulatorCall& call);

/// The memory space of the operands of a call.
struct OperandSpace {
  BackendState* users = nullptr;  ///< whose stream has operands in device memory; null: all are in host memory
  bool a_there = false, b_there = false, c_there = false;
};
/// The device that a call uses.
struct DeviceUse {
  int device = -1;      ///< -1: none
  std::size_t cap = 0;  ///< of temporary memory there, terms that wait for a product included
  OperandSpace space{};
};
/// Returns the device that has the residues, or -1.
int device_of(const Accumulator& accumulator);
/// Adds a panel, whose operands are in the memory spaces of `use`, to residues on a device. Returns false if the CPU
/// must add it, because memory is missing there, or in the second round; the accumulator is then as it was.
/// in_host_memory() returns the panel in host memory, for its Inf and NaN.
template <class E>
bool add_on_device(Accumulator& to, const AccumulatorPanel<E>& panel, const DeviceUse& use,
                   const std::function<AccumulatorPanel<E>()>& in_host_memory, AccumulatorCall& call);
/// Same contract as finish_accumulator, for residues on a device. Returns false, and has changed nothing, if the CPU
/// must compute the call.
template <class E>
bool finish_on_device(Accumulator& sums, E alpha, E beta, Matrix<E> c, const DeviceUse& use, AccumulatorCall& call);
/// Raises the exponents of `count` lines to those of a panel in device memory (measure_lines).
template <class E>
void measure_on_device(BackendState& users, Index count, Index k, Matrix<const E> x, LineExponents* exponents);

/// Returns the number of bytes that `export_accumulator` writes.
std::size_t exported_bytes(const Accumulator& from);
void export_accumulator(Accumulator& from, unsigned char* to, int threads);
/// Throws Error(ACCUBLAS_ERROR_FORMAT) for bytes that are not those of an accumulator.
OwnedAccumulator import_accumulator(const unsigned char* bytes, std::size_t size, int threads);
/// Adds the sums of another accumulator of the same sizes and settings. Throws Error(ACCUBLAS_ERROR_ARGUMENT) if they
/// differ; the accumulator is then as it was.
void merge_accumulator(Accumulator& to, const Accumulator& from);

}  // namespace accublas
