// What the engine must know of every line: exponent, last bit, norm, lambda, special values, nonzero entries.
//
// Two passes over a line, since lambda and the norm are in units of its exponent E: *scan* finds E, the last bit and
// special values, *sum* adds up. A block takes whole lines and does both, so that the second pass finds much of them in
// the L2 cache. Where there are too few lines for that, they are cut along k, and the parts meet in integers: the
// results depend on no order.
#include <cmath>

#include "cuda/arithmetic.hpp"
#include "cuda/check.hpp"
#include "cuda/kernels.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

namespace {

constexpr int block_threads = 512, block_warps = block_threads / 32;
constexpr int chunk = 64;  ///< terms that are taken together: a word of the nonzero bits
constexpr int batch = 8;   ///< loads of a thread in flight
constexpr unsigned all_lanes = 0xFFFFFFFFu;

/// How the threads of a block share its lines. Adjacent lines: 16 (float: 32) of them, 128 bytes side by side; a thread
/// takes whole chunks of one line. Else: `warps` warps a line, and a lane takes two terms of a chunk.
template <class T>
struct Side {
  Operand<T> x;
  Lines lines;
  SideSummary* summary;
  bool adjacent;
  int warps;         ///< that share a line (adjacent: all of the block)
  int lines_a_warp;  ///< adjacent: 16 or 32, else 1
  Index groups;      ///< of lines, a block each; the padding included
  int parts;         ///< along k
  Index chunks;      ///< of a part
};
template <class T>
struct Sides {
  Side<T> side[2];
};

// ---- what a pass collects
// ----------------------------------------------------------------------------------------------

/// Of abs(x): the largest, in so far as E and special values need it, and the least last bit.
struct Scan {
  std::uint32_t top = 0;  ///< largest 2 high + (low != 0), the high word without its sign
  std::uint32_t low = 0;  ///< OR of the low words: where top is 1, its leading bit is that of the largest
  int last = no_last_bit + 1075;

  __device__ void add(double x) {
    const std::uint32_t high = high_word(x), lower = low_word(x);
    const std::uint32_t key = 2 * high + min(lower, 1u);
    top = max(top, key);
    low |= lower;
    // The hidden bit, set in subnormals too: these have a one below it.
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

  __device__ int special() const { return top > 0xFFE00000u ? 2 : top == 0xFFE00000u; }
  __device__ bool zero() const { return top == 0; }
  __device__ int last_bit() const { return last - 1075; }
  __device__ int exponent() const {
    const int field = static_cast<int>(top >> 21);
    if (field != 0) return field - 1022;
    return (top >= 2 ? 32 + leading_one(top >> 1) : leading_one(low)) - 1073;
  }
};

/// Of z = abs(x) 2^(24 - E).
struct Sum {
  unsigned long long lambda = 0;  ///< sum of ceil(z), exact: below 2^64 for k < 2^40
  double squares = 0;             ///< upper bound of the sum of z^2

  __device__ void add(double x, const PowerScale& scale, bool with_lambda) {
    const double z = multiply_up(fabs(x) * scale.first, scale.second);
    squares = fma_up(z, z, squares);
    if (with_lambda) lambda += low_word(add_up(z, 0x1p52));
  }
  __device__ void merge(const Sum& o) {
    lambda += o.lambda;
    squares = add_up(squares, o.squares);
  }
  __device__ Sum of_lane_xor(int mask) const {
    Sum o;
    o.lambda = __shfl_xor_sync(all_lanes, lambda, mask);
    o.squares = __shfl_xor_sync(all_lanes, squares, mask);
    return o;
  }
};

__device__ double norm_of(double squares) { return multiply_up(sqrt_up(squares), 0x1p-24); }

/// Over the threads that share a line, the same for all of them, in a fixed tree. `shared`: block_threads long.
template <class T, class Value>
__device__ Value over_line(const Side<T>& side, Value value, Value* shared) {
  for (int mask = 16; mask >= side.lines_a_warp; mask /= 2) value.merge(value.of_lane_xor(mask));
  if (side.warps == 1) return value;
  const int warp = threadIdx.x / 32, in_warp = threadIdx.x % side.lines_a_warp;
  __syncthreads();  // `shared` may still be read for the value before
  if (threadIdx.x % 32 < side.lines_a_warp) shared[warp * side.lines_a_warp + in_warp] = value;
  __syncthreads();
  const int first = warp / side.warps * side.warps;
  value = shared[first * side.lines_a_warp + in_warp];
  for (int w = 1; w < side.warps; ++w) value.merge(shared[(first + w) * side.lines_a_warp + in_warp]);
  return value;
}

// ---- passes
// ------------------------------------------------------------------------------------------------------------

/// The line of this thread, and its share of the chunks.
struct Share {
  Index line;
  int member, members;  ///< of the threads (adjacent) or warps that share the line
  bool leader;          ///< one thread a line
};
template <class T>
__device__ Share share_of(const Side<T>& side, Index group) {
  const int thread = threadIdx.x;
  if (side.adjacent) {
    const int lines = side.lines_a_warp;
    return {group * lines + thread % lines, thread / lines, block_threads / lines, thread < lines};
  }
  const int warp = thread / 32;
  return {group * (block_warps / side.warps) + warp / side.warps, warp % side.warps, side.warps,
          thread % (32 * side.warps) == 0};
}

/// Calls visit(x) for the thread's entries among chunks first .. last - 1. Nonzero bits go to `nonzero` where it is not
/// null.
template <bool Adjacent, class T, class Visit>
__device__ __forceinline__ void for_entries(const Operand<T>& x, const Share& share, Index first, Index last,
                                            std::uint64_t* nonzero, Visit&& visit) {
  const T* const from = x.data + share.line * x.stride;
  double v[batch];
  if constexpr (Adjacent) {
    for (Index c = first + share.member; c < last; c += share.members) {
      std::uint64_t bits = 0;
#pragma unroll 1
      for (int t = 0; t < chunk; t += batch) {
        const Index p = c * chunk + t;
#pragma unroll
        for (int i = 0; i < batch; ++i) v[i] = p + i < x.k ? static_cast<double>(from[(p + i) * x.k_stride]) : 0;
        std::uint32_t byte = 0;
#pragma unroll
        for (int i = 0; i < batch; ++i) {
          visit(v[i]);
          byte |= (v[i] != 0 ? 1u : 0u) << i;
        }
        bits |= std::uint64_t{byte} << t;
      }
      if (nonzero) nonzero[c] = bits;
    }
  } else {
    const int lane = threadIdx.x % 32;
    constexpr int together = batch / 2;
    for (Index c = first + share.member; c < last; c += together * share.members) {
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        const Index at = c + i / 2 * share.members, p = at * chunk + i % 2 * 32 + lane;
        v[i] = at < last && p < x.k ? static_cast<double>(from[p * x.k_stride]) : 0;
      }
#pragma unroll
      for (int i = 0; i < batch; ++i) visit(v[i]);
      if (nonzero) {
#pragma unroll
        for (int i = 0; i < together; ++i) {
          const Index at = c + i * share.members;
          const std::uint64_t low = __ballot_sync(all_lanes, v[2 * i] != 0);
          const std::uint64_t high = __ballot_sync(all_lanes, v[2 * i + 1] != 0);
          if (lane == i && at < last) nonzero[at] = high << 32 | low;
        }
      }
    }
  }
}

template <bool Adjacent, class T>
__device__ Scan scan(const Side<T>& side, const Share& share, Index first, Index last, Scan* shared) {
  Scan s;
  if (share.line < side.x.count) {
    std::uint64_t* const nonzero = side.lines.nonzero ? side.lines.nonzero + share.line * side.lines.words : nullptr;
    for_entries<Adjacent>(side.x, share, first, last, nonzero, [&](double x) { s.add(x); });
  } else if (side.lines.nonzero && side.adjacent) {
    for (Index c = first + share.member; c < last; c += share.members)
      side.lines.nonzero[share.line * side.lines.words + c] = 0;
  } else if (side.lines.nonzero) {
    for (Index c = first + 32 * share.member + threadIdx.x % 32; c < last; c += 32 * share.members)
      side.lines.nonzero[share.line * side.lines.words + c] = 0;
  }
  return over_line(side, s, shared);
}

template <bool Adjacent, class T>
__device__ Sum sum(const Side<T>& side, const Share& share, Index first, Index last, bool wanted, int exponent,
                   bool with_lambda, Sum* shared) {
  Sum s;
  if (wanted) {
    const PowerScale scale = power_scale(24 - exponent);
    for_entries<Adjacent>(side.x, share, first, last, nullptr, [&](double x) { s.add(x, scale, with_lambda); });
  }
  return over_line(side, s, shared);
}

/// Writes a line's results and raises the summary. `special` and zero lines have lambda = norm = 0.
__device__ void finish_line(const Lines& lines, SideSummary* summary, Index i, int special, bool zero, int exponent,
                            int last_bit, double norm, unsigned long long lambda, bool with_lambda) {
  const bool nothing = zero || special != 0;
  lines.special[i] = static_cast<std::uint8_t>(special);
  lines.exponent[i] = nothing ? 0 : exponent;
  lines.last_bit[i] = nothing ? no_last_bit : last_bit;
  lines.norm[i] = nothing ? 0 : norm;
  if (with_lambda) lines.lambda[i] = nothing ? 0 : __ull2double_ru(lambda);
  if (special != 0) atomicAdd(&summary->special, 1);
  if (nothing) return;
  // Most lines raise nothing: a look first saves the atomic operations on one address.
  const unsigned long long bits = static_cast<unsigned long long>(__double_as_longlong(norm));
  if (bits > *static_cast<volatile unsigned long long*>(&summary->largest_norm))
    atomicMax(&summary->largest_norm, bits);
  const int needed = exponent - last_bit;
  if (needed > *static_cast<volatile std::int32_t*>(&summary->needed_bits)) atomicMax(&summary->needed_bits, needed);
}

// ---- whole lines
// -------------------------------------------------------------------------------------------------------

template <bool Adjacent, class T>
__device__ void measure_lines(const Side<T>& side, Index group, bool with_lambda, Sum* shared) {
  const Share share = share_of(side, group);
  const Scan found = scan<Adjacent>(side, share, 0, side.chunks, reinterpret_cast<Scan*>(shared));
  const int special = found.special();
  const bool wanted = share.line < side.x.count && special == 0 && !found.zero();
  const int exponent = wanted ? found.exponent() : 0;
  const Sum total = sum<Adjacent>(side, share, 0, side.chunks, wanted, exponent, with_lambda, shared);
  if (share.leader)
    finish_line(side.lines, side.summary, share.line, special, found.zero(), exponent, found.last_bit(),
                norm_of(total.squares), total.lambda, with_lambda);
}

template <class T>
__global__ void __launch_bounds__(block_threads, 2)
    measure_whole(const __grid_constant__ Sides<T> sides, bool with_lambda) {
  __shared__ Sum shared[block_threads];
  const bool rows = blockIdx.x < sides.side[0].groups;
  const Side<T>& side = sides.side[rows ? 0 : 1];
  const Index group = rows ? blockIdx.x : blockIdx.x - sides.side[0].groups;
  if (side.adjacent) {
    measure_lines<true>(side, group, with_lambda, shared);
  } else {
    measure_lines<false>(side, group, with_lambda, shared);
  }
}

// ---- parts of lines
// ---------------------------------------------------------------------------------------------------- The arrays of
// Lines hold integers meanwhile: exponent is the largest so far, or one of these; lambda its sum; norm the sum of
// squares in units of 2^-square_bits(k), which leaves room for a carry and, with at most 512 parts, a relative 2^-20
// for k = 2^30.

constexpr int exponent_of_zero = -100000, exponent_of_infinity = 100000, exponent_of_nan = 200000;
constexpr int most_parts = 512;

/// squares < k 2^48.
__device__ int square_bits(Index k) { return 62 - 48 - (64 - leading_zeros(static_cast<std::uint64_t>(k))); }
__device__ unsigned long long* as_integer(double* x) { return reinterpret_cast<unsigned long long*>(x); }

template <class T>
__global__ void prepare_parts(const __grid_constant__ Sides<T> sides) {
  const Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  for (const Side<T>& side : sides.side) {
    if (i >= padded_lines(side.x.count)) continue;
    side.lines.exponent[i] = exponent_of_zero;
    side.lines.last_bit[i] = no_last_bit;
    *as_integer(&side.lines.norm[i]) = 0;
    if (side.lines.lambda) *as_integer(&side.lines.lambda[i]) = 0;
  }
}

/// Block (group, part) of a side.
struct PartOfLines {
  int side;
  Index group, first, last;
};
template <class T>
__device__ PartOfLines part_of_block(const Sides<T>& sides) {
  const Index rows = sides.side[0].groups * sides.side[0].parts;
  const int at = blockIdx.x < rows ? 0 : 1;
  const Side<T>& side = sides.side[at];
  const Index b = at == 0 ? blockIdx.x : blockIdx.x - rows;
  const Index first = b / side.groups * side.chunks, all = (side.x.k + chunk - 1) / chunk;
  return {at, b % side.groups, first, first + side.chunks < all ? first + side.chunks : all};
}

template <bool Adjacent, class T>
__device__ void scan_part(const Side<T>& side, const PartOfLines& part, Scan* shared) {
  const Share share = share_of(side, part.group);
  const Scan found = scan<Adjacent>(side, share, part.first, part.last, shared);
  if (!share.leader || found.zero()) return;
  const int special = found.special();
  atomicMax(&side.lines.exponent[share.line], special == 2   ? exponent_of_nan
                                              : special == 1 ? exponent_of_infinity
                                                             : found.exponent());
  atomicMin(&side.lines.last_bit[share.line], found.last_bit());
}

template <class T>
__global__ void __launch_bounds__(block_threads, 2) scan_parts(const __grid_constant__ Sides<T> sides) {
  __shared__ Scan shared[block_threads];
  const PartOfLines part = part_of_block(sides);
  const Side<T>& side = sides.side[part.side];
  side.adjacent ? scan_part<true>(side, part, shared) : scan_part<false>(side, part, shared);
}

template <bool Adjacent, class T>
__device__ void sum_part(const Side<T>& side, const PartOfLines& part, bool with_lambda, Sum* shared) {
  const Share share = share_of(side, part.group);
  const int exponent = side.lines.exponent[share.line];
  const bool wanted = exponent > exponent_of_zero && exponent < exponent_of_infinity;
  const Sum total = sum<Adjacent>(side, share, part.first, part.last, wanted, exponent, with_lambda, shared);
  if (!share.leader || !wanted) return;
  const double squares = multiply_up(total.squares, power_of_two(square_bits(side.x.k)));
  atomicAdd(as_integer(&side.lines.norm[share.line]), __double2ull_ru(squares));
  if (with_lambda) atomicAdd(as_integer(&side.lines.lambda[share.line]), total.lambda);
}

template <class T>
__global__ void __launch_bounds__(block_threads, 2)
    sum_parts(const __grid_constant__ Sides<T> sides, bool with_lambda) {
  __shared__ Sum shared[block_threads];
  const PartOfLines part = part_of_block(sides);
  const Side<T>& side = sides.side[part.side];
  side.adjacent ? sum_part<true>(side, part, with_lambda, shared) : sum_part<false>(side, part, with_lambda, shared);
}

template <class T>
__global__ void finish_parts(const __grid_constant__ Sides<T> sides, bool with_lambda) {
  const Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  for (const Side<T>& side : sides.side) {
    if (i >= padded_lines(side.x.count)) continue;
    const Lines& lines = side.lines;
    const int exponent = lines.exponent[i];
    const int special = exponent == exponent_of_nan ? 2 : exponent == exponent_of_infinity;
    const double squares =
        multiply_up(__ull2double_ru(*as_integer(&lines.norm[i])), power_of_two(-square_bits(side.x.k)));
    finish_line(lines, side.summary, i, special, exponent == exponent_of_zero, exponent, lines.last_bit[i],
                norm_of(squares), with_lambda ? *as_integer(&lines.lambda[i]) : 0, with_lambda);
  }
}

// ---- launcher
// ----------------------------------------------------------------------------------------------------------

Index magnitude(Index x) { return x < 0 ? -x : x; }

template <class T>
Side<T> make_side(const DeviceModel& device, const Operand<T>& x, const Lines& lines, SideSummary* summary) {
  Side<T> s{};
  s.x = x;
  s.lines = lines;
  s.summary = summary;
  s.adjacent = x.count > 1 && (x.k <= 1 || magnitude(x.stride) < magnitude(x.k_stride));
  s.lines_a_warp = s.adjacent ? 128 / static_cast<int>(sizeof(T)) : 1;
  s.warps = block_warps;
  // About 32 terms a thread; more threads than that only wait for each other.
  while (!s.adjacent && s.warps > 1 && 1024 * Index{s.warps} / 2 >= x.k) s.warps /= 2;
  const Index lines_a_block = s.adjacent ? s.lines_a_warp : block_warps / s.warps;
  s.groups = padded_lines(x.count) / lines_a_block;
  const Index all = (x.k + chunk - 1) / chunk;
  // Half a mebibyte or more a block, and too few blocks: parts of at least 64 KiB.
  constexpr Index least_part = Index{1} << 16;
  const Index bytes = lines_a_block * x.k * static_cast<Index>(sizeof(T));
  const Index busy = (x.count + lines_a_block - 1) / lines_a_block;
  Index parts = 1;
  if (bytes >= 8 * least_part && busy < device.processors) {
    parts = (4 * device.processors + busy - 1) / busy;
    if (parts > bytes / least_part) parts = bytes / least_part;
    if (parts > most_parts) parts = most_parts;
  }
  s.chunks = (all + parts - 1) / parts;
  s.parts = static_cast<int>(s.chunks > 0 ? (all + s.chunks - 1) / s.chunks : 1);
  return s;
}

unsigned grid(Index blocks) { return static_cast<unsigned>(blocks); }

}  // namespace

template <class T>
void measure(const DeviceModel& device, const Operand<T>& rows, const Lines& row_lines, const Operand<T>& cols,
             const Lines& col_lines, bool with_lambda, CallState* state, cudaStream_t stream) {
  const Sides<T> sides = {
      {make_side(device, rows, row_lines, &state->rows), make_side(device, cols, col_lines, &state->cols)}};
  const Side<T>&r = sides.side[0], &c = sides.side[1];
  if (r.groups + c.groups == 0) return;
  if (r.parts == 1 && c.parts == 1) {
    measure_whole<T><<<grid(r.groups + c.groups), block_threads, 0, stream>>>(sides, with_lambda);
    check_launch("measure");
    return;
  }
  constexpr int threads = 256;
  const Index most = padded_lines(rows.count > cols.count ? rows.count : cols.count);
  const Index blocks = r.groups * r.parts + c.groups * c.parts;
  prepare_parts<T><<<grid(most / threads), threads, 0, stream>>>(sides);
  scan_parts<T><<<grid(blocks), block_threads, 0, stream>>>(sides);
  sum_parts<T><<<grid(blocks), block_threads, 0, stream>>>(sides, with_lambda);
  finish_parts<T><<<grid(most / threads), threads, 0, stream>>>(sides, with_lambda);
  check_launch("measure");
}

template void measure(const DeviceModel&, const Operand<double>&, const Lines&, const Operand<double>&, const Lines&,
                      bool, CallState*, cudaStream_t);
template void measure(const DeviceModel&, const Operand<float>&, const Lines&, const Operand<float>&, const Lines&,
                      bool, CallState*, cudaStream_t);

}  // namespace accublas::cuda
