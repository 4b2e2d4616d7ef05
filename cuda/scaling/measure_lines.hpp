// Defines how a block of threads goes through lines of an operand: which thread reads which entries, and what it
// collects. For measure.cu.
#pragma once

#include "cuda/core/arithmetic.hpp"
#include "cuda/core/call_group.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/warp_reduce.hpp"

namespace accublas::cuda::measuring {

inline constexpr int block_threads = 256, block_warps = block_threads / 32;
inline constexpr int chunk = 64;  ///< terms that are processed together: a word of the nonzero bits
inline constexpr int batch = 8;   ///< loads of a thread in flight
inline constexpr unsigned all_lanes = 0xFFFFFFFFu;

/// How the threads of a block share its lines. If lines are adjacent in memory, the block reads 32 to 128 adjacent
/// bytes of them, and a thread takes whole chunks of one line. Otherwise `warps` warps share a line, and a lane takes
/// two terms of a chunk.
template <class T>
struct Side {
  Operand<T> x;
  Lines lines;
  SideSummary *summary, *same;  ///< same: null, or the summary of the other side, if that has the same lines
  bool adjacent;
  int warps;         ///< warps that share a line (adjacent: all warps of the block), a power of two
  int lines_a_warp;  ///< adjacent: 4 to 32, a power of two, else 1
  bool two_batches;  ///< short lines (measure_short.hpp): a thread keeps two batches of entries, else one
  Index groups;      ///< groups of lines, a block each; including the padding
  int parts;         ///< parts along k
  Index chunks;      ///< chunks of a part
};
template <class T>
struct Sides {
  Side<T> side[2];
  const std::int32_t* refused;        ///< `refused` of CallState
  const unsigned long long* pending;  ///< if not null and *pending is zero, nothing is measured
  CallGroup<T> group{};
#ifdef __CUDACC__
  __device__ bool skipped() const { return *refused || (pending && *pending == 0); }
  /// For arguments_of_block.
  __device__ void move_to_product() {
    side[0].x.data = group.rows[group.product()];
    side[1].x.data = group.cols[group.product()];
    for (Side<T>& own : side) {
      group.move(own.lines);
      group.move(own.summary);
      group.move(own.same);
    }
    group.move(refused);
    group.move(pending);
  }
#endif
};

// ---- what a pass collects

/// The extremes of abs(x) over a line: the largest, as far as E and special values need it, and the least last bit.
template <class T>
struct Scan;

template <>
struct Scan<double> {
  static constexpr bool serves_all = true;  ///< serves all lines
  std::uint32_t top = 0;                    ///< largest 2 high + (low != 0), the high word without its sign
  std::uint32_t low = 0;  ///< OR of the low words: if top is 1, its leading bit is that of the largest
  int last = no_last_bit + 1075;

  __device__ void add(double x) {
    const std::uint32_t high = high_word(x), lower = low_word(x);
    const std::uint32_t key = 2 * high + min(lower, 1u);
    top = max(top, key);
    low |= lower;
    // The hidden bit is set in subnormals too, which have a one below it.
    const std::uint32_t word = lower != 0 ? lower : high | 0x100000u;
    const int position = leading_one(word & (0u - word)) + (lower != 0 ? 0 : 32);
    const int field = max(static_cast<int>(key >> 21), 1);
    if (key != 0) last = min(last, field + position);
  }
  __device__ void merge(const Scan& o) {
    top = max(top, o.top);
    low |= o.low;
    last = min(last, o.last);
  }
  __device__ Scan of_lane_xor(int mask) const {
    Scan o;
    o.top = __shfl_xor_sync(all_lanes, top, mask);
    o.low = __shfl_xor_sync(all_lanes, low, mask);
    o.last = __shfl_xor_sync(all_lanes, last, mask);
    return o;
  }

  __device__ void over_warp() {
    top = lanes_max(top);
    low = lanes_or(low);
    last = lanes_min(last);
  }

  __device__ int special() const { return top > 0xFFE00000u ? 2 : top == 0xFFE00000u; }
  __device__ bool zero() const { return top == 0; }
  __device__ int last_bit() const { return last - 1075; }
  __device__ int exponent() const {
    const int field = static_cast<int>(top >> 21);
    if (field != 0) return field - 1022;
    return (top >= 2 ? 32 + leading_one(top >> 1) : leading_one(low)) - 1073;
  }
};

/// The float version is shorter, since a number is a single word.
template <>
struct Scan<float> {
  static constexpr bool serves_all = true;
  std::uint32_t top = 0;  ///< largest word, without its sign
  int last = no_last_bit + 150;

  __device__ void add(float x) {
    const std::uint32_t word = __float_as_uint(x) & 0x7FFFFFFFu;
    top = max(top, word);
    // The hidden bit is set in subnormals too, which have a one below it.
    const std::uint32_t bits = word | 0x800000u;
    const int position = leading_one(bits & (0u - bits)), field = max(static_cast<int>(word >> 23), 1);
    if (word != 0) last = min(last, field + position);
  }
  __device__ void merge(const Scan& o) {
    top = max(top, o.top);
    last = min(last, o.last);
  }
  __device__ Scan of_lane_xor(int mask) const {
    Scan o;
    o.top = __shfl_xor_sync(all_lanes, top, mask);
    o.last = __shfl_xor_sync(all_lanes, last, mask);
    return o;
  }

  __device__ void over_warp() {
    top = lanes_max(top);
    last = lanes_min(last);
  }

  __device__ int special() const { return top > 0x7F800000u ? 2 : top == 0x7F800000u; }
  __device__ bool zero() const { return top == 0; }
  __device__ int last_bit() const { return last - 150; }
  __device__ int exponent() const {
    const int field = static_cast<int>(top >> 23);
    return field != 0 ? field - 126 : leading_one(top) - 148;
  }
};

/// Sums of z = abs(x) 2^(24 - E) over a line.
struct Sum {
  double lambda;   ///< sum of ceil(z); an upper bound if it exceeds 2^53
  double squares;  ///< upper bound of the sum of z^2

  __device__ void merge(const Sum& o) {
    lambda = add_up(lambda, o.lambda);
    squares = add_up(squares, o.squares);
  }
  __device__ Sum of_lane_xor(int mask) const {
    return {__shfl_xor_sync(all_lanes, lambda, mask), __shfl_xor_sync(all_lanes, squares, mask)};
  }
  __device__ void over_warp() {
#pragma unroll
    for (int mask = 16; mask >= 1; mask /= 2) merge(of_lane_xor(mask));
  }
};

/// Sums for `Window` exponents E, E + 1, ... at once, where abs(x) < 2^(E + Window - 1).
template <int Window>
struct Sums {
  double lambda[Window];  ///< 2^52 more: a sum in [2^52, 2^53) is rounded up to an integer, so ceil is free
  double squares = 0;     ///< for E

  __device__ Sums() {
#pragma unroll
    for (int i = 0; i < Window; ++i) lambda[i] = 0x1p52;
  }
  __device__ void add(double z) {
    squares = fma_up(z, z, squares);
#pragma unroll
    for (int i = 0; i < Window; ++i) lambda[i] = fma_up(z, 1.0 / (1 << i), lambda[i]);
  }
  __device__ Sum at(int i) const {
    Sum s{lambda[0], multiply_up(squares, power_of_two(-2 * i))};
#pragma unroll
    for (int j = 1; j < Window; ++j) s.lambda = i == j ? lambda[j] : s.lambda;
    s.lambda -= 0x1p52;
    return s;
  }
};

/// Adds a batch of entries times `scale`; the first factor is 1 for most lines.
template <int Window, class T>
__device__ __forceinline__ void add_batch(Sums<Window>& sums, const T* v, const PowerScale& scale) {
  if (scale.first == 1) {
#pragma unroll
    for (int i = 0; i < batch; ++i) sums.add(multiply_up(fabs(static_cast<double>(v[i])), scale.second));
  } else {
#pragma unroll
    for (int i = 0; i < batch; ++i) sums.add(multiply_up(fabs(v[i] * scale.first), scale.second));
  }
}

/// Sums of a line whose exponent is guessed, for the guess and the three exponents above it.
class WindowSums {
 public:
  static constexpr int most_below = 0, most_above = 3;
  template <class T>
  using Look = Scan<T>;  ///< measurement of the first entries
  template <class T>
  using Found = Scan<T>;
  using Total = Sum;

  template <class T>
  __device__ WindowSums(int guess, const Scan<T>&) : scale_(power_scale(24 - guess)) {}
  template <class T>
  __device__ __forceinline__ void add(const T (&v)[batch]) {
    add_batch(sums_, v, scale_);
  }
  /// Returns the sums for the exponent guess + above.
  __device__ Sum at(int above) const { return sums_.at(above); }

 private:
  Sums<most_above + 1> sums_;
  PowerScale scale_;
};

__device__ inline double norm_of(double squares) { return multiply_up(sqrt_up(squares), 0x1p-24); }

/// Combines values over the threads that share a line, in a fixed tree; all of them get the result. `shared`:
/// block_threads long.
template <class T, class Value>
__device__ Value over_line(const Side<T>& side, Value value, Value* shared) {
  if (side.lines_a_warp == 1) {
    value.over_warp();
  } else {
    for (int mask = 16; mask >= side.lines_a_warp; mask /= 2) value.merge(value.of_lane_xor(mask));
  }
  if (side.warps == 1) return value;
  const int warp = threadIdx.x / 32, in_warp = static_cast<int>(threadIdx.x) & (side.lines_a_warp - 1);
  __syncthreads();  // `shared` may still be read for the previous value
  if (threadIdx.x % 32 < side.lines_a_warp) shared[warp * side.lines_a_warp + in_warp] = value;
  __syncthreads();
  const int first = warp & ~(side.warps - 1);
  value = shared[first * side.lines_a_warp + in_warp];
  for (int w = 1; w < side.warps; ++w) value.merge(shared[(first + w) * side.lines_a_warp + in_warp]);
  return value;
}

// ---- passes

/// Returns x / divisor for a power of two. Divisions by numbers that are known at run time only would be a large part
/// of the instructions for short lines.
__device__ __forceinline__ int divided(int x, int divisor) {
  return x >> leading_one(static_cast<std::uint32_t>(divisor));
}
/// Returns how many lines a thread block has.
template <class T>
__device__ int lines_of_block(const Side<T>& side) {
  return side.adjacent ? side.lines_a_warp : divided(block_warps, side.warps);
}

/// The line of this thread, and its share of the chunks.
struct Share {
  Index line;
  int member, members;  ///< number of this thread (adjacent) or warp among those that share the line
  bool leader;          ///< true in one thread of each line
};
template <class T>
__device__ Share share_of(const Side<T>& side, Index group) {
  const int thread = threadIdx.x;
  if (side.adjacent) {
    const int lines = side.lines_a_warp;
    return {group * lines + (thread & (lines - 1)), divided(thread, lines), divided(block_threads, lines),
            thread < lines};
  }
  const int warp = thread / 32;
  return {group * lines_of_block(side) + divided(warp, side.warps), warp & (side.warps - 1), side.warps,
          (thread & (32 * side.warps - 1)) == 0};
}

/// Returns the number of the thread's line among those of the thread block.
template <class T>
__device__ int line_in_block(const Side<T>& side, Index group, const Share& share) {
  return static_cast<int>(share.line - group * lines_of_block(side));
}

/// The thread's entries among chunks first .. last - 1 of its line, a batch at a time.
template <bool Adjacent, class T>
class Entries {
 public:
  __device__ Entries(const Operand<T>& x, const Share& share, Index first, Index last, bool wanted)
      : step_(x.k_stride),
        to_second_(x.term_pairs != 0 ? 1 : x.k_stride),
        chunk_(first + share.member),
        last_(wanted ? last : 0),
        members_(share.members) {
    term_ = chunk_ * chunk + (Adjacent ? 0 : threadIdx.x % 32);
    end_ = x.k < last * chunk ? x.k : last * chunk;
    from_ = x.at(share.line, term_);
  }
  __device__ bool more() const { return chunk_ < last_; }

  /// Loads the next entries, with zeros beyond the last one.
  __device__ __forceinline__ void load(T* v) {
    const int left = end_ - term_ < (1 << 30) ? static_cast<int>(end_ - term_) : 1 << 30;
    const auto ahead = [&](int i) { return Adjacent ? i : i / 2 * members_ * chunk + i % 2 * 32; };
    const T* at = from_;
    const auto advance = [&](int i) {
      if (Adjacent) {
        at += i % 2 == 0 ? to_second_ : 2 * step_ - to_second_;
      } else {
        at += i % 2 == 0 ? 32 * step_ : (members_ * chunk - 32) * step_;
      }
    };
    if (more() && ahead(batch - 1) < left) {  // nearly always
#pragma unroll
      for (int i = 0; i < batch; ++i) v[i] = *at, advance(i);
    } else {
#pragma unroll
      for (int i = 0; i < batch; ++i) v[i] = more() && ahead(i) < left ? *at : T(0), advance(i);
    }
  }
  /// Writes the nonzero bits of the loaded entries. If lines are adjacent, it writes after a whole chunk.
  __device__ __forceinline__ void store_nonzero(const T* v, std::uint64_t* nonzero) {
    if constexpr (Adjacent) {
      std::uint32_t byte = 0;
#pragma unroll
      for (int i = 0; i < batch; ++i) byte |= (v[i] != 0 ? 1u : 0u) << i;
      bits_ = bits_ >> batch | std::uint64_t{byte} << (chunk - batch);
      if (term_ % chunk == chunk - batch && more()) nonzero[chunk_] = bits_;
    } else {
#pragma unroll
      for (int i = 0; i < batch / 2; ++i) {
        const Index at = chunk_ + i * members_;
        const std::uint64_t low = __ballot_sync(all_lanes, v[2 * i] != 0);
        const std::uint64_t high = __ballot_sync(all_lanes, v[2 * i + 1] != 0);
        if (threadIdx.x % 32 == i && at < last_) nonzero[at] = high << 32 | low;
      }
    }
  }
  __device__ __forceinline__ void next() {
    const bool within = Adjacent && term_ % chunk != chunk - batch;
    const Index chunks = within ? 0 : Index{members_} * (Adjacent ? 1 : batch / 2);
    const Index terms = within ? batch : chunks * chunk - (Adjacent ? chunk - batch : 0);
    chunk_ += chunks;
    term_ += terms;
    from_ += terms * step_;
  }

 private:
  const T* from_;
  Index step_, to_second_;  ///< steps from the first and from the second term of a pair; equal if there are no pairs
  Index term_, end_, chunk_, last_;
  std::uint64_t bits_ = 0;
  int members_;
};

/// Returns the sum of z over the thread's entries, combined over the line.
template <bool Adjacent, class T>
__device__ Sum sum(const Side<T>& side, const Share& share, Index first, Index last, bool wanted, int exponent,
                   Sum* shared) {
  Sums<1> s;
  const PowerScale scale = power_scale(24 - exponent);
  Entries<Adjacent, T> entries(side.x, share, first, last, wanted);
  for (; entries.more(); entries.next()) {
    T v[batch];
    entries.load(v);
    add_batch(s, v, scale);
  }
  return over_line(side, s.at(0), shared);
}

/// Clears the nonzero bits of lines of the padding.
template <class T>
__device__ void clear_nonzero(const Side<T>& side, const Share& share, Index first, Index last) {
  const int each = side.adjacent ? 1 : 32, mine = side.adjacent ? 0 : threadIdx.x % 32;
  for (Index c = first + each * share.member + mine; c < last; c += each * share.members)
    side.lines.nonzero[share.line * side.lines.words + c] = 0;
}

}  // namespace accublas::cuda::measuring
