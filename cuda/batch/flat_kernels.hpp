// Kernels for flat products in mode cr. Launchers put work on the stream and return; none allocates or waits.
#pragma once

#include "cuda/batch/batch_kernels.hpp"

namespace accublas::cuda {

// ---- flat_cr.cu
inline constexpr int flat_lines = 64;     ///< rows and columns of a tile
inline constexpr Index flat_terms = 128;  ///< most terms of a sum

/// Returns whether flat_cr computes sums of k terms: there are at most flat_terms, and a tile fits in shared memory.
bool flat_cr_serves(const DeviceModel&, Index k);

/// Returns the bytes of the lines' digits of an m x n product of k <= flat_terms terms.
std::size_t flat_line_bytes(Index m, Index n, Index k);

/// Computes every element of one product that Ziv's test decides; flat_cr_serves must be true. It writes the bits of the
/// other elements to `open`, which is OpenBits of the transposed C, counts them in state->open[0], and counts those of
/// finite lines in state->rejected. `cut_lines` has flat_line_bytes. If alpha, in device memory, is zero, it computes
/// beta C. Tests set `all_undecided`, with which no element is decided.
template <class T>
void flat_cr(const DeviceModel&, const BatchProblem<T>&, std::byte* cut_lines, std::uint32_t* open, bool all_undecided,
             CallState* state, cudaStream_t);

}  // namespace accublas::cuda
