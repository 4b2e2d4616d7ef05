// An element of C that stands for many in the plan of a cr pass: how it is found, its sum, and what its tile needs.
// Device code, for thread blocks of `Threads` threads.
#pragma once

#include <algorithm>

#include "cuda/core/call_group.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/scaling/scaling.hpp"
#include "lib/numerics/escalation.hpp"

namespace accublas::cuda {

/// Returns how many samples a product has. The products of a group share the device.
inline unsigned count_samples(const DeviceModel& model, const GroupStride& group) {
  if (!group.exists()) return most_samples;
  constexpr Index least = 16;
  return static_cast<unsigned>(std::clamp<Index>(4 * model.processors / group.count, least, most_samples));
}

#ifdef __CUDACC__

inline constexpr int sample_threads = 256;
/// In a group, whose sums are short: all samples of 100 products run at a time.
inline constexpr int group_sample_threads = 64;

/// Returns whether a row and a column have a nonzero term. Without bitmaps of nonzero entries it returns true.
__device__ inline bool have_term(const Lines& rows, Index i, const Lines& cols, Index j) {
  if (!rows.nonzero || !cols.nonzero) return true;
  const std::uint64_t *const row = rows.nonzero + i * rows.words, *const col = cols.nonzero + j * cols.words;
  std::uint64_t common = 0;
#pragma unroll 8
  for (Index w = 0; w < rows.words; ++w) common |= row[w] & col[w];
  return common != 0;
}

/// Finds an element of the pass: the first one in 16 rounds of candidates from the sequence. Elements of lines of zeros
/// and of special lines are no candidates. Returns false if there is none. If `with_terms` is set and the pass has all
/// elements, the element must have a nonzero term, and two rounds are searched. All threads of a block call this
/// function.
template <int Threads>
__device__ bool find_element(SampleSequence& generator, const Lines& rows, const Lines& cols, const std::uint32_t* open,
                             bool with_terms, Index& row, Index& col) {
  __shared__ int winner;
  __shared__ Index found[2];
  const Index words = OpenBits::words_per_row(cols.count), total = rows.count * words;
  const int rounds = with_terms && !open ? 2 : 16;
  for (int round = 0; round < rounds; ++round) {
    Index i, j;
    bool good;
    if (!open) {
      SampleSequence own{generator.state + threadIdx.x * SampleSequence::seed};
      i = own.next(rows.count);
      j = own.next(cols.count);
      good = rows.norm[i] > 0 && cols.norm[j] > 0 && (!with_terms || have_term(rows, i, cols, j));
    } else {
      // The first open element of one of `Threads` words in a row.
      const Index word = (generator.next(total) + threadIdx.x) % total;
      i = word / words;
      j = -1;
      for (std::uint32_t bits = rows.norm[i] > 0 ? open[word] : 0; bits != 0 && j < 0; bits &= bits - 1) {
        const Index candidate = word % words * 32 + __ffs(static_cast<int>(bits)) - 1;
        if (cols.norm[candidate] > 0) j = candidate;
      }
      good = j >= 0;
    }
    generator.next(1);
    if (threadIdx.x == 0) winner = Threads;
    __syncthreads();
    if (good) atomicMin(&winner, static_cast<int>(threadIdx.x));
    __syncthreads();
    if (static_cast<int>(threadIdx.x) == winner) {
      found[0] = i;
      found[1] = j;
    }
    const bool any = winner < Threads;
    __syncthreads();
    if (any) {
      row = found[0];
      col = found[1];
      return true;
    }
  }
  return false;
}

/// sum of x y 2^-(E + F) over two lines, in a fixed order; for all threads of a block.
template <int Threads, class T>
__device__ double scaled_product(const Operand<T>& rows, Index i, int row_exponent, const Operand<T>& cols, Index j,
                                 int col_exponent) {
  __shared__ double part[Threads / 32];
  const ScaleDown row_scale(row_exponent), col_scale(col_exponent);
  double sum = 0;
#pragma unroll 8
  for (Index p = threadIdx.x; p < rows.k; p += Threads) sum += row_scale(rows(i, p)) * col_scale(cols(j, p));
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, offset);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (double x : part) sum += x;
  return sum;
}

/// Returns the share of the blocks of terms that the tile of element (i, j) needs (decide_by_tiles). All threads of a
/// thread block call it; four of them take the lines of a word.
template <int Threads>
__device__ double needed_share(const Lines& rows, Index i, const Lines& cols, Index j) {
  if (!rows.nonzero || !cols.nonzero) return 1;
  static_assert(pending_tile_lines == 4 * 8 && pending_tile_terms == 64);
  const Index row = i / pending_tile_lines * pending_tile_lines, col = j / pending_tile_lines * pending_tile_lines;
  int needed = 0;
  for (Index first = 0; first < rows.words; first += Threads / 4) {
    const Index word = first + threadIdx.x / 4;
    const Index part = threadIdx.x % 4 * 8;
    NonzeroTerms terms;
    terms.add<8>(rows, row + part, cols, col + part, word);
    for (int offset = 1; offset < 4; offset *= 2) {
      terms.in_rows |= __shfl_xor_sync(0xFFFFFFFFu, terms.in_rows, offset);
      terms.in_cols |= __shfl_xor_sync(0xFFFFFFFFu, terms.in_cols, offset);
    }
    needed += __syncthreads_count(threadIdx.x % 4 == 0 && terms.needed());
  }
  return static_cast<double>(needed) / static_cast<double>(rows.words);
}

#endif

}  // namespace accublas::cuda
