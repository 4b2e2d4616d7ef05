// Rows of op(A) and columns of op(B) as the int8 engine multiplies them: measured, scaled to integers, and taken apart
// into limbs, of which the engine's kernels make residues.
#pragma once

#include "lib/cpu/int8/int8_operand.hpp"
#include "lib/quad/number.hpp"

namespace accublas::quad {

/// op(A) by rows, or op(B) by columns: entry (i, p) of line i.
struct LineOperand {
  Operand entries;
  Index count, k;
};

/// Buffer of one thread: 32 lines of `terms` entries as limbs, limb plane by limb plane.
struct LimbPack {
  static constexpr Index terms = 256, stride = cpu::int8_pack_stride(terms), plane = cpu::int8_panel * stride;
  static constexpr int most_limbs = 4;
  static constexpr std::size_t count = static_cast<std::size_t>(most_limbs * plane);
  double* x;
};

/// Fills exponent, last_bit, norm, lambda and special of every line. Norm and lambda are bounds from above.
void measure(const LineOperand& operand, const cpu::Int8Lines& lines, int threads);

/// Lines first ... first + lines_count - 1, terms p0 ... p0 + terms - 1, as bytes. Same contract as cpu::int8_convert.
void int8_convert(const LineOperand& operand, const cpu::Int8Lines& lines, const cpu::Int8Bytes& bytes, Index first,
                  Index lines_count, Index p0, Index terms, const cpu::Int8ConvertKernels& kernels,
                  const LimbPack* packs, int threads);

}  // namespace accublas::quad
