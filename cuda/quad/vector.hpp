// Kernels of matrix-vector products, dot products and norms beyond double precision: exact sums, rounded once.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/quad/kernels.hpp"
#include "lib/quad/narrow_sum.hpp"

namespace accublas::cuda {

/// y = alpha A x + beta y, or the root of the sums A x.
struct QuadVector {
  quad::Operand rows;    ///< A: entry (i, p)
  quad::Operand vector;  ///< x: entry (p, 0)
  Index count, k;        ///< rows and terms
  quad::Number alpha, beta;
  quad::Results at;  ///< element (i, 0)
  bool root;

  Index parts, part_terms;  ///< parts of a row, and the terms of a part
  Index splits;             ///< parts of a row whose terms are far apart
  quad::NarrowSum* part;    ///< part q of row i at i parts + q
  quad::TermRange* range;   ///< of each row
  Index* list;              ///< the rows that registers leave undecided, counts->listed of them
  std::int64_t* words;      ///< splits > 1: of each listed row, 2 QuadScratch::limbs digits
  unsigned* arrivals;       ///< splits > 1: how many parts of each listed row are in its words
  QuadCounts* counts;
};

/// Returns how many rows a warp takes side by side: entries that are adjacent in memory are read together.
int quad_rows_of_warp(const QuadVector&);

/// Computes all elements. `counts`, and with splits > 1 `words` and `arrivals`, are zero before.
void quad_vector(const DeviceModel&, const QuadVector&, QuadScratch* scratch, int scratch_blocks, cudaStream_t);

/// op(A) X = alpha B beyond double precision, as quad::Solve describes it.
struct QuadSolve {
  Index m, n;
  bool upper, unit;
  quad::Number alpha;
  quad::Operand a;
  quad::Results b;
  QuadCounts* counts;

  /// The row of unknown t, in the order in which they are computed.
  ACCUBLAS_HD Index row(Index t) const { return upper ? m - 1 - t : t; }
};
/// Solves with `blocks` thread blocks, which share quad_solve_limbs(blocks) limbs. `counts` are zero before.
std::size_t quad_solve_limbs(int blocks);
int quad_solve_blocks(const DeviceModel&);
void quad_solve(const DeviceModel&, const QuadSolve&, std::uint64_t* limbs, int blocks, cudaStream_t);

}  // namespace accublas::cuda
