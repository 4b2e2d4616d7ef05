// Measures short lines. The threads of a block keep their entries of a line, so that they know the line's exponent
// before they sum the entries. For measure.cu.
#pragma once

#include <type_traits>

#include "cuda/core/operand.hpp"
#include "cuda/scaling/measure_lines.hpp"
#include "cuda/scaling/measure_summary.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda::measuring {

inline constexpr int short_batches = 2;  ///< the most batches of a thread in a short line
inline constexpr Index most_short_terms = 1024;
inline constexpr int most_short_lines = 16;  ///< of a thread block

/// Shares the terms of short lines among as many threads as keep them.
template <class T>
void share_short_lines(Side<T>& s) {
  constexpr Index kept = short_batches * batch;
  s.lines_a_warp = s.adjacent ? most_short_lines : 1;
  while (s.adjacent && kept * block_threads / s.lines_a_warp < s.x.k) s.lines_a_warp /= 2;
  s.warps = s.adjacent ? block_warps : 1;
  while (!s.adjacent && kept * 32 * s.warps < s.x.k) s.warps *= 2;
  s.two_batches = Index{batch} * 32 * s.warps / s.lines_a_warp < s.x.k;
}

/// Counterpart of Entries<true> for short lines: the members of a line take a batch of its terms in turn.
template <class T>
class ShortEntries {
 public:
  __device__ ShortEntries(const Operand<T>& x, const Share& share, Index /*first*/, Index /*last*/, bool wanted)
      : step_(x.k_stride),
        to_second_(x.term_pairs != 0 ? 1 : x.k_stride),
        term_(batch * share.member),
        end_(wanted ? static_cast<int>(x.k) : 0),
        all_(wanted ? static_cast<int>(round_up(x.k, Index{chunk})) : 0),
        members_(share.members),
        from_(x.at(share.line, term_)) {}

  /// Loads the next entries, with zeros beyond the last one.
  __device__ __forceinline__ void load(T (&v)[batch]) const {
    const T* at = from_;
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      v[i] = term_ + i < end_ ? *at : T(0);
      at += i % 2 == 0 ? to_second_ : 2 * step_ - to_second_;
    }
  }
  /// Writes the nonzero bits of the loaded entries: a byte of a word, whose bytes are in little-endian order.
  __device__ __forceinline__ void store_nonzero(const T (&v)[batch], std::uint64_t* nonzero) const {
    unsigned byte = 0;
#pragma unroll
    for (int i = 0; i < batch; ++i) byte |= (v[i] != 0 ? 1u : 0u) << i;
    if (term_ < all_) reinterpret_cast<std::uint8_t*>(nonzero)[term_ / batch] = static_cast<std::uint8_t>(byte);
  }
  __device__ __forceinline__ void next() {
    term_ += batch * members_;
    from_ += Index{batch} * members_ * step_;
  }

 private:
  Index step_, to_second_;  ///< as in Entries
  int term_, end_, all_, members_;
  const T* from_;
};

/// The measures of one of the lines of a thread block.
struct ShortLine {
  Sum total;
  int special, exponent, last_bit;
  bool zero;
};

/// Counterpart of measure_lines. The threads keep a short line's entries, so that they know its exponent before they
/// sum them.
template <bool Adjacent, class T>
__device__ __forceinline__ void measure_short_lines(const Side<T>& side, Index group, bool with_lambda, Sum* shared) {
  const Share share = share_of(side, group);
  const bool exists = share.line < side.x.count, two = side.two_batches;
  std::uint64_t* const nonzero = side.lines.nonzero ? side.lines.nonzero + share.line * side.lines.words : nullptr;
  if (nonzero && !exists) clear_nonzero(side, share, 0, side.chunks);
  std::conditional_t<Adjacent, ShortEntries<T>, Entries<false, T>> first(side.x, share, 0, side.chunks, exists);
  auto second = first;
  second.next();
  T v[short_batches][batch];
  first.load(v[0]);
  if (two) second.load(v[1]);
  Scan<T> found;
#pragma unroll
  for (int i = 0; i < batch; ++i) found.add(v[0][i]);
  if (two) {
#pragma unroll
    for (int i = 0; i < batch; ++i) found.add(v[1][i]);
  }
  if (nonzero && exists) {
    first.store_nonzero(v[0], nonzero);
    if (two) second.store_nonzero(v[1], nonzero);
  }
  static_assert(sizeof(Scan<T>) <= sizeof(Sum));
  found = over_line(side, found, reinterpret_cast<Scan<T>*>(shared));
  const int special = found.special();
  const bool wanted = exists && special == 0 && !found.zero();
  const int exponent = wanted ? found.exponent() : 0;
  Sums<1> sums;
  if (wanted) {
    const PowerScale scale = power_scale(24 - exponent);
    add_batch(sums, v[0], scale);
    if (two) add_batch(sums, v[1], scale);
  }
  const Sum total = over_line(side, sums.at(0), shared);
  // One warp finishes all lines, with a lane each. The warps of the lines together would take as many instructions for
  // that as for all entries of lines of 256 terms. finish_lines() and over_line() use the first half of `shared`.
  static_assert(most_short_lines * block_warps <= block_threads / 2);
  static_assert(most_short_lines * sizeof(ShortLine) <= block_threads / 2 * sizeof(Sum));
  ShortLine* const ends = reinterpret_cast<ShortLine*>(shared + block_threads / 2);
  if (share.leader)
    ends[line_in_block(side, group, share)] = {total, special, exponent, found.last_bit(), found.zero()};
  const int own = static_cast<int>(threadIdx.x);
  finish_lines(side, own, own < lines_of_block(side), shared, [&](auto&& raise) {
    const ShortLine line = ends[own];
    finish_line(side.lines, group * lines_of_block(side) + own, line.special, line.zero, line.exponent, line.last_bit,
                norm_of(line.total.squares), ceil(line.total.lambda), with_lambda, raise);
  });
}

}  // namespace accublas::cuda::measuring
