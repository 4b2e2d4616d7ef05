// The kernels of products beyond double precision. Coordinates are those of cuda/core/operand.hpp: the columns' side
// runs along the shorter stride of C.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "lib/numerics/escalation.hpp"
#include "lib/quad/interval_finish.hpp"
#include "lib/quad/line_scan.hpp"

namespace accublas::cuda {

/// A side of a product: entry (i, p) of line i, and what is known of its lines, in arrays of padded_lines(count).
struct QuadSide {
  quad::Operand entries;
  Index count, k;
  quad::LineFacts* facts;
  quad::LineScaling* scaling;

  ACCUBLAS_HD bool pairs() const { return entries.format == quad::Format::pair; }
};

/// The host reads these findings before it chooses the moduli: lines that need so many bits, and sampled elements.
struct QuadFindings {
  int needs[2][most_needs + 1];
  int sampled;
  UndecidedSample samples[most_samples];
};

/// Facts about a call that the kernels count.
struct QuadCounts {
  unsigned listed;               ///< elements on the list of the current block
  unsigned raised;               ///< exceptions of results
  unsigned long long undecided;  ///< elements that exact sums computed
};

/// A product in the engine's coordinates.
struct QuadProblem {
  QuadSide rows, cols;
  quad::Number alpha, beta;
  quad::Results at;  ///< element (row, col)
  Triangle wanted;
  QuadCounts* counts;

  ACCUBLAS_HD bool wants(Index row, Index col) const {
    return wanted == Triangle::all || (wanted == Triangle::upper ? row <= col : row >= col);
  }
};

/// Fills facts of all lines of a side.
void quad_measure(const DeviceModel&, const QuadSide&, cudaStream_t);

/// Fills the findings, which are zero before. The samples are exact sums in `scratch`, a QuadScratch for each of
/// most_samples thread blocks.
struct QuadScratch;
std::size_t quad_scratch_bytes(int blocks);
void quad_find(const DeviceModel&, const QuadProblem&, QuadFindings*, QuadScratch* scratch, int scratch_blocks,
               cudaStream_t);

/// Fills the scaling of all lines, and the plan of the products' kernels.
void quad_scale(const DeviceModel&, const QuadProblem&, int row_bits, int col_bits, const PassPlan& plan, CallState*,
                cudaStream_t);

/// Returns the limbs of integers up to 2^bits: cuda/int8/four_terms.hpp takes a single limb up to 2^51, and of several
/// a top one up to 2^44.
constexpr int quad_limbs(int bits) {
  return bits <= 51 ? 1 : bits <= int8_limb_bits + 43 ? 2 : bits <= 2 * int8_limb_bits + 43 ? 3 : 4;
}

/// Residues of lines first ... first + lines - 1 (a multiple of line_group) in the layout of cuda/int8/convert.hpp, for
/// terms p0 ... p0 + terms - 1.
struct QuadConversion {
  QuadSide side;
  Index first, lines, p0, terms, k_padded;
  int moduli, limbs;
  std::uint8_t* out;
};
void quad_convert(const DeviceModel&, const QuadConversion&, cudaStream_t);

/// A block of C, from residues to results. Elements that are not decided go to `list`: row (within the block) cols +
/// col.
struct QuadBlock {
  const std::int8_t* residues;
  Index row, col;    ///< first element
  Index rows, cols;  ///< of the buffers
  int moduli;
  std::uint32_t* list;
};
void quad_reconstruct(const DeviceModel&, const QuadProblem&, const QuadBlock&, cudaStream_t);

/// Computes the elements of a block's list by exact sums, or all wanted elements of C if `list` is null.
void quad_exact(const DeviceModel&, const QuadProblem&, const QuadBlock&, QuadScratch* scratch, int scratch_blocks,
                cudaStream_t);

}  // namespace accublas::cuda
