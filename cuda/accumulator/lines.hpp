// Kernels for accumulators in device memory: the lines of their panels, and the elements that the host decides.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"

namespace accublas::cuda {

/// Findings about a panel. All bytes are 0xFF before check_lines.
struct PanelNotes {
  unsigned long long bad[2];    ///< the first line of either side that does not fit its exponents; all ones: none
  std::uint32_t finite, keeps;  ///< finite: zero if a line has Inf or NaN; keeps: zero if a line drops bits
};

/// Measured lines of numbers, and the exponents E and D of each, two integers a line (LineExponents).
struct LimitedLines {
  Lines lines;
  const std::int32_t* limits;
  int bits;
};

/// Compares the lines of both sides with their exponents.
void check_lines(const DeviceModel&, const LimitedLines& rows, const LimitedLines& numbers, PanelNotes*, cudaStream_t);

/// The error bounds of the real lines of a side. Line i has the exponents of number i / parts.
struct LineErrors {
  const std::int32_t* limits;
  int parts, bits;
  double* error;
  std::uint8_t* dropped;
  double* squares;  ///< bound of the sum of (x 2^-E)^2 over a line's entries x
};
struct MeasuredSide {
  Lines lines;
  LineErrors to;
};
/// Adds the squares of a panel's real lines, and if `errors` also their errors, with sums rounded upwards.
void add_errors(const DeviceModel&, const MeasuredSide& rows, const MeasuredSide& cols, bool errors, cudaStream_t);
/// Writes measurements from which a pass computes the scales and the errors of the accumulator: `lines` are then lines
/// of no terms, with lambda for the error.
void write_finish_lines(const DeviceModel&, const Lines&, const LineErrors&, cudaStream_t);

/// Sets the moduli of the passes that round the sums: the first ones that hold all of them, by the norms of their lines
/// of `terms` terms. With more moduli the sums are small beside the product of the moduli, and their leading
/// bits decide fewer elements.
struct FinishPasses {
  PassPlan* pass[2];
  Index rows, cols, terms;
  int most;  ///< moduli of the residues
};
void choose_moduli(const DeviceModel&, const LineErrors& rows, const LineErrors& cols, const FinishPasses&,
                   cudaStream_t);

/// Numbers of a block of columns of C, which begins at number `first` of all.
struct NumberBlock {
  Index first, columns, rows;  ///< rows: numbers of a column
  int parts;
};
/// Lists the numbers whose bit in `open` is set and, if `results` is not null, the numbers whose result is not finite.
/// *count becomes the number of all of them; the list has those that fit.
template <class T>
void list_open(const DeviceModel&, const NumberBlock&, const std::uint32_t* open, const T* results, Index capacity,
               Index* list, unsigned long long* count, cudaStream_t);

/// Where the residues of all sums are.
struct ResiduePlanes {
  const std::int8_t* result;
  Index row_stride, plane;
  int moduli, parts;
};
/// Copies the residues of the listed numbers and, if `c` is not null, their elements of it. `c` is an array of parts
/// with any strides.
template <class T>
void gather_numbers(const DeviceModel&, const ResiduePlanes&, const NumberBlock&, const Index* list, Index count,
                    const Matrix<const T>& c, std::int8_t* residues, T* elements, cudaStream_t);
/// Writes results of numbers to the block, whose numbers are adjacent.
template <class T>
void scatter_numbers(const DeviceModel&, const NumberBlock&, const Index* list, Index count, const T* results, T* to,
                     cudaStream_t);

}  // namespace accublas::cuda
