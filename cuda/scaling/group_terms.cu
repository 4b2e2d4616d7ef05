#include "cuda/core/group_terms.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/scaling/measure.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr int together = 8;  ///< words of a line in flight

/// Returns how many words are zero in all lines of a group before one is not; the thread has a line of them. word(w):
/// the w-th word in the order of the search.
template <class Word>
__device__ int zero_words(const std::uint64_t* line, int words, Word&& word) {
  for (int first = 0; first < words; first += together) {
    unsigned found = 0;  // bit w: word first + w is not zero
#pragma unroll
    for (int w = 0; w < together; ++w)
      if (first + w < words && line[word(first + w)] != 0) found |= 1u << w;
    if (__syncthreads_or(static_cast<int>(found)) == 0) continue;
    __shared__ unsigned of_group;
    if (threadIdx.x == 0) of_group = 0;
    __syncthreads();
    if (found != 0) atomicOr(&of_group, found);
    __syncthreads();
    return first + __ffs(static_cast<int>(of_group)) - 1;
  }
  return words;
}

/// A thread block takes a group of lines.
__global__ void __launch_bounds__(line_group)
    find_terms(const __grid_constant__ Lines rows, const __grid_constant__ Lines cols, GroupTerms terms,
               const CallState* state) {
  await_predecessor();
  if (state->refused) return;
  const Index row_groups = padded_lines(rows.count) / line_group;
  const bool row = blockIdx.x < row_groups;
  const Index group = row ? blockIdx.x : blockIdx.x - row_groups;
  const int words = static_cast<int>(rows.words);
  const std::uint64_t* const line = (row ? rows : cols).nonzero + (group * line_group + threadIdx.x) * rows.words;
  const int before = zero_words(line, words, [](int w) { return w; });
  const int end = words - zero_words(line, words, [&](int w) { return words - 1 - w; });
  if (threadIdx.x > 0) return;
  (row ? terms.rows : terms.cols)[group] = {Index{64} * before, min(Index{64} * end, rows.k)};
  if (before > 0 || end < words) *terms.some = 1;
}

}  // namespace

void find_group_terms(const DeviceModel& model, const Lines& rows, const Lines& cols, const GroupTerms& terms,
                      const CallState* state, cudaStream_t stream) {
  const bool same = terms.cols == terms.rows;
  const Index groups = (padded_lines(rows.count) + (same ? 0 : padded_lines(cols.count))) / line_group;
  set_on_stream(terms.some, 0, sizeof *terms.some, stream, "terms of groups");
  launch(model, "terms of groups", find_terms, {static_cast<unsigned>(groups), static_cast<unsigned>(line_group)},
         stream, rows, cols, terms, state);
}

}  // namespace accublas::cuda
