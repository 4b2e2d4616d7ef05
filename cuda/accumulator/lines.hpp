// Kernels for accumulators in device memory: the lines of their panels, and the elements that the host decides.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"

namespace accublas::cuda {

/// Findings about a panel. All bytes are 0xFF before the first call of check_lines, and after publish_notes.
struct PanelNotes {
  unsigned long long bad[2];    ///< the first line of either side that does not fit its exponents; all ones: none
  std::uint32_t finite, keeps;  ///< finite: zero if a line has Inf or NaN; keeps: zero if a line drops bits
};

/// Flags of a line of a panel, over all parts of the panel.
enum : std::uint8_t { line_has_inf = 1, line_has_nan = 2, line_does_not_fit = 4, line_drops_bits = 8 };

/// Measured lines of numbers, the exponents E and D of each, two integers a line (LineExponents), and its flags.
struct LimitedLines {
  Lines lines;
  const std::int32_t* limits;
  int bits;
  std::uint8_t* flags;  ///< line_has_inf ...
};
/// Which part of a panel the lines are measurements of.
struct PanelPart {
  bool first, last;
};

/// Compares the lines of both sides in a part of a panel with their exponents, and adds to their flags. The notes are
/// those of the whole panel after its last part.
void check_lines(const DeviceModel&, const LimitedLines& rows, const LimitedLines& numbers, const PanelPart&,
                 PanelNotes*, cudaStream_t);
/// Copies the notes to `host`, pinned memory, and resets them. A kernel takes a third of the time that a copy of the
/// stream and a memset take between two kernels.
void publish_notes(const DeviceModel&, PanelNotes* notes, PanelNotes* host, cudaStream_t);
/// Makes the lines zero that have Inf or NaN in some part of the panel.
void clear_special_lines(const DeviceModel&, const LimitedLines& rows, const LimitedLines& numbers, cudaStream_t);

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
/// Sets the error bounds of lines without panels, whose sums of squares are at most `squares`, and the exponents of
/// `padded` lines: E, or 0 for lines of zeros and the padding.
void start_lines(const DeviceModel&, const LineErrors&, Index count, Index padded, double squares,
                 std::int32_t* exponent, cudaStream_t);
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
