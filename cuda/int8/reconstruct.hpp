// From residues to results.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_group.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/group_terms.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/wanted.hpp"
#include "cuda/exact/combined_parts.hpp"
#include "cuda/sums/pair_sums.hpp"

namespace accublas::cuda {

/// From residues to results: S by the Chinese remainder theorem, alpha S + beta C rounded once (pass fixed) or tested
/// by Ziv (pass interval). Writes the elements of the pass that are decided, and sets or clears their bits in `open`;
/// elements of special lines stay open. state->open[index] counts the open ones of finite lines. `combined`, unless
/// null, stands for alpha and beta, and columns 2 j and 2 j + 1 of `at` for the parts of numbers.
template <class T>
struct ReconstructArguments {
  const std::int8_t* result;
  Lines rows, cols;
  Index row_block, col_block;
  Matrix<T> at;
  Scalar<T> alpha, beta;
  std::uint32_t* open;
  int index;           ///< of the pass
  bool all_undecided;  ///< test hook: Ziv's test leaves everything open
  bool fine;           ///< the sums of an interval pass may be far below what the moduli hold
  CallState* state;
  Wanted wanted;         ///< `open` is zero elsewhere
  GroupTerms nonzero{};  ///< sums without a term have no residues
  CallGroup<T> group{};

#ifdef __CUDACC__
  /// For arguments_of_block.
  __device__ void move_to_product() {
    at.data = group.at[group.product()];
    group.move(result);
    group.move(rows);
    group.move(cols);
    group.move(open);
    group.move(state);
  }
#endif
};
template <class T>
void reconstruct(const DeviceModel&, const ReconstructArguments<T>&, const CombinedParts<T>* combined, cudaStream_t);
/// Reconstructs by a plan of complex residues. Columns 2 j and 2 j + 1 of `at`, and lines of `cols`, are the parts of
/// numbers; both are scaled as line 2 j.
template <class T>
void reconstruct_complex(const DeviceModel&, const ReconstructArguments<T>&, const CombinedParts<T>* combined,
                         cudaStream_t);

/// The sums S of an interval pass with real residues, added by their leading bits to `sums`, with bounds of what they
/// lack: infinite ones where a line is special or far out of scale. Of the arguments alpha is 1; C, beta, `open` and
/// `wanted` play no part.
template <class T>
void add_sums(const DeviceModel&, const ReconstructArguments<T>&, const PairSums& sums, cudaStream_t);

}  // namespace accublas::cuda
