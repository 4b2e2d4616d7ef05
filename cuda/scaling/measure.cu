// Measures every line (row of op(A) or column of op(B)) for the engines: exponent, last bit, norm, lambda, special
// values, nonzero entries.
//
// lambda and the norm are in units of the line's exponent E, which is known only at the end. A block takes whole lines,
// guesses E from the first entries that its threads read, and sums for the guess and the three exponents above it. If E
// is beyond these, it reads the line again. If there are too few lines for that, lines are cut along k and read twice,
// and the parts are combined in integers. The results do not depend on any order.
#include <algorithm>
#include <type_traits>

#include "cuda/core/arithmetic.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/scaling/measure.hpp"
#include "cuda/scaling/measure_bounds.hpp"
#include "cuda/scaling/measure_short.hpp"
#include "cuda/scaling/measure_summary.hpp"
#include "cuda/scaling/scaling.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

namespace {

using namespace measuring;

// ---- whole lines

template <bool Adjacent, class T>
__device__ __noinline__ void measure_unusual_lines(const Side<T>& side, Index group, Sum* shared);

/// WindowSums as LineSums measures exponent, norm, lambda and last bit as docs/modes.md defines them. QuickSums
/// measures bounds of the last three, and the shares that certify_lines asks for.
template <bool Adjacent, class LineSums, class T>
__device__ void measure_lines(const Side<T>& side, Index group, bool with_lambda, typename LineSums::Total* shared) {
  using Look = typename LineSums::template Look<T>;
  using Found = typename LineSums::template Found<T>;
  const Share share = share_of(side, group);
  const bool exists = share.line < side.x.count;
  std::uint64_t* const nonzero = side.lines.nonzero ? side.lines.nonzero + share.line * side.lines.words : nullptr;
  if (nonzero && !exists) clear_nonzero(side, share, 0, side.chunks);

  Look look;
  Entries<Adjacent, T> entries(side.x, share, 0, side.chunks, exists);
  T v[batch];
  const auto scan_batch = [&](auto& scan) {
#pragma unroll
    for (int i = 0; i < batch; ++i) scan.add(v[i]);
    if (nonzero && exists) entries.store_nonzero(v, nonzero);
  };
  entries.load(v);
  scan_batch(look);
  Found found = look;
  look = over_line(side, look, reinterpret_cast<Look*>(shared));
  const int guess = look.zero() || look.special() != 0 ? 0 : look.exponent();
  LineSums sums(guess, look);
  while (true) {
    sums.add(v);
    entries.next();
    if (!entries.more()) break;
    entries.load(v);
    scan_batch(found);
  }

  found = over_line(side, found, reinterpret_cast<Found*>(shared));
  if constexpr (!Found::serves_all)
    if (__syncthreads_or(found.unusual())) {
      if (threadIdx.x == 0) raise(side, raised_lack, bits_of(2));
      return measure_unusual_lines<Adjacent>(side, group, reinterpret_cast<Sum*>(shared));
    }
  const int special = found.special();
  const bool wanted = exists && special == 0 && !found.zero();
  const int exponent = wanted ? found.exponent() : 0, above = exponent - guess;
  const bool missed = wanted && (above < -LineSums::most_below || above > LineSums::most_above);
  auto total = over_line(side, sums.at(missed || !wanted ? 0 : above), shared);
  if (__syncthreads_or(missed)) {
    const Sum again = sum<Adjacent>(side, share, 0, side.chunks, missed, exponent, reinterpret_cast<Sum*>(shared));
    if (missed) static_cast<Sum&>(total) = again;
  }
  finish_lines(side, line_in_block(side, group, share), share.leader, shared, [&](auto&& raise) {
    finish_line(side.lines, share.line, special, found.zero(), exponent, found.last_bit(), norm_of(total.squares),
                ceil(total.lambda), with_lambda, raise);
    if constexpr (!Found::serves_all)
      if (wanted) raise_shares(side.x.k, total, missed ? 0 : sums.level(), above, raise);
  });
}

/// Separate from the code around it, which needs fewer registers.
template <bool Adjacent, class T>
__device__ void measure_unusual_lines(const Side<T>& side, Index group, Sum* shared) {
  measure_lines<Adjacent, WindowSums>(side, group, true, shared);
}

/// Measures the group of whole lines of the thread block.
template <class LineSums, class T>
__device__ __forceinline__ void measure_group(const Sides<T>& sides, bool with_lambda,
                                              typename LineSums::Total* shared) {
  const bool rows = blockIdx.x < sides.side[0].groups;
  const Side<T>& side = sides.side[rows ? 0 : 1];
  const Index group = rows ? blockIdx.x : blockIdx.x - sides.side[0].groups;
  if (side.adjacent)
    measure_lines<true, LineSums>(side, group, with_lambda, shared);
  else
    measure_lines<false, LineSums>(side, group, with_lambda, shared);
}

template <class T>
__global__ void __launch_bounds__(block_threads, 3) bound_whole(const __grid_constant__ Sides<T> sides) {
  await_predecessor();
  if (sides.skipped()) return;
  __shared__ QuickSum shared[block_threads];
  static_assert(sizeof(FirstEntries<T>) <= sizeof(QuickSum));
  measure_group<QuickSums<T>>(sides, true, shared);
}

template <class T, bool Grouped>
__global__ void __launch_bounds__(block_threads, Grouped ? 4 : 3)
    measure_whole(const __grid_constant__ Sides<T> given, bool with_lambda) {
  await_predecessor();
  const Sides<T>& sides = arguments_of_block<Grouped>(given);
  if (sides.skipped()) return;
  __shared__ Sum shared[block_threads];
  measure_group<WindowSums>(sides, with_lambda, shared);
}

// ---- short lines

/// Measures the group of short lines of the thread block. Nothing refuses a call of a group before it is measured.
template <class T, bool Grouped>
__global__ void __launch_bounds__(block_threads, 4)
    measure_short(const __grid_constant__ Sides<T> sides, bool with_lambda) {
  await_predecessor();
  if (!Grouped && sides.skipped()) return;
  __shared__ Sum shared[block_threads];
  const bool rows = blockIdx.x < sides.side[0].groups;
  Side<T> side = sides.side[rows ? 0 : 1];
  if constexpr (Grouped) {
    side.x.data = (rows ? sides.group.rows : sides.group.cols)[sides.group.product()];
    sides.group.move(side.lines);
    sides.group.move(side.summary);
    sides.group.move(side.same);
  }
  const Index group = rows ? blockIdx.x : blockIdx.x - sides.side[0].groups;
  if (side.adjacent)
    measure_short_lines<true>(side, group, with_lambda, shared);
  else
    measure_short_lines<false>(side, group, with_lambda, shared);
}

// ---- parts of lines

// The arrays of Lines hold integers while the parts are combined. exponent is the largest so far, or one of the
// following constants; lambda is its sum. norm is the sum of squares in units of 2^-square_bits(k). That unit leaves
// room for a carry, and with at most 512 parts a relative 2^-20 for k = 2^30.

constexpr int exponent_of_zero = -100000, exponent_of_infinity = 100000, exponent_of_nan = 200000;
constexpr int most_parts = 512;

/// The squares satisfy squares < k 2^48.
__device__ int square_bits(Index k) { return 62 - 48 - (64 - leading_zeros(static_cast<std::uint64_t>(k))); }
__device__ unsigned long long* as_integer(double* x) { return reinterpret_cast<unsigned long long*>(x); }

template <class T>
__global__ void prepare_parts(const __grid_constant__ Sides<T> sides) {
  await_predecessor();
  if (sides.skipped()) return;
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
  const Index first = b / side.groups * side.chunks, all = ceil_div(side.x.k, chunk);
  return {at, b % side.groups, first, first + side.chunks < all ? first + side.chunks : all};
}

template <bool Adjacent, class T>
__device__ void scan_part(const Side<T>& side, const PartOfLines& part, Scan<T>* shared) {
  const Share share = share_of(side, part.group);
  const bool exists = share.line < side.x.count;
  std::uint64_t* const nonzero = side.lines.nonzero ? side.lines.nonzero + share.line * side.lines.words : nullptr;
  if (nonzero && !exists) clear_nonzero(side, share, part.first, part.last);
  Scan<T> found;
  Entries<Adjacent, T> entries(side.x, share, part.first, part.last, exists);
  for (; entries.more(); entries.next()) {
    T v[batch];
    entries.load(v);
#pragma unroll
    for (int i = 0; i < batch; ++i) found.add(v[i]);
    if (nonzero) entries.store_nonzero(v, nonzero);
  }
  found = over_line(side, found, shared);
  if (!share.leader || found.zero()) return;
  const int special = found.special();
  atomicMax(&side.lines.exponent[share.line], special == 2   ? exponent_of_nan
                                              : special == 1 ? exponent_of_infinity
                                                             : found.exponent());
  atomicMin(&side.lines.last_bit[share.line], found.last_bit());
}

template <class T>
__global__ void __launch_bounds__(block_threads, 3) scan_parts(const __grid_constant__ Sides<T> sides) {
  await_predecessor();
  if (sides.skipped()) return;
  __shared__ Scan<T> shared[block_threads];
  const PartOfLines part = part_of_block(sides);
  const Side<T>& side = sides.side[part.side];
  side.adjacent ? scan_part<true>(side, part, shared) : scan_part<false>(side, part, shared);
}

template <bool Adjacent, class T>
__device__ void sum_part(const Side<T>& side, const PartOfLines& part, bool with_lambda, Sum* shared) {
  const Share share = share_of(side, part.group);
  const int exponent = side.lines.exponent[share.line];
  const bool wanted = exponent > exponent_of_zero && exponent < exponent_of_infinity;
  const Sum total = sum<Adjacent>(side, share, part.first, part.last, wanted, exponent, shared);
  if (!share.leader || !wanted) return;
  const double squares = multiply_up(total.squares, power_of_two(square_bits(side.x.k)));
  atomicAdd(as_integer(&side.lines.norm[share.line]), __double2ull_ru(squares));
  if (with_lambda) atomicAdd(as_integer(&side.lines.lambda[share.line]), __double2ull_ru(total.lambda));
}

template <class T>
__global__ void __launch_bounds__(block_threads, 3)
    sum_parts(const __grid_constant__ Sides<T> sides, bool with_lambda) {
  await_predecessor();
  if (sides.skipped()) return;
  __shared__ Sum shared[block_threads];
  const PartOfLines part = part_of_block(sides);
  const Side<T>& side = sides.side[part.side];
  side.adjacent ? sum_part<true>(side, part, with_lambda, shared) : sum_part<false>(side, part, with_lambda, shared);
}

template <class T>
__global__ void finish_parts(const __grid_constant__ Sides<T> sides, bool with_lambda) {
  await_predecessor();
  if (sides.skipped()) return;
  const Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  for (const Side<T>& side : sides.side) {
    if (i >= padded_lines(side.x.count)) continue;
    const Lines& lines = side.lines;
    const int exponent = lines.exponent[i];
    const int special = exponent == exponent_of_nan ? 2 : exponent == exponent_of_infinity;
    const double squares =
        multiply_up(__ull2double_ru(*as_integer(&lines.norm[i])), power_of_two(-square_bits(side.x.k)));
    finish_line(lines, i, special, exponent == exponent_of_zero, exponent, lines.last_bit[i], norm_of(squares),
                with_lambda ? __ull2double_ru(*as_integer(&lines.lambda[i])) : 0, with_lambda,
                [&](int what, unsigned long long value) { raise(side, what, value); });
  }
}

// ---- launcher

Index magnitude(Index x) { return x < 0 ? -x : x; }

template <class T>
bool has_short_lines(const Operand<T>& x, bool bounds) {
  return !bounds && x.k <= most_short_terms;
}

template <class T>
Side<T> make_side(const DeviceModel& device, const Operand<T>& x, const Lines& lines, SideSummary* summary, bool bounds,
                  bool grouped) {
  Side<T> s{};
  s.x = x;
  s.lines = lines;
  s.summary = summary;
  s.adjacent = x.count > 1 && (x.k <= 1 || magnitude(x.stride) < magnitude(x.k_stride));
  s.lines_a_warp = s.adjacent ? 128 / static_cast<int>(sizeof(T)) : 1;
  // If the blocks do not fill the device once (three blocks a multiprocessor), each block takes fewer adjacent lines,
  // down to a sector of 32 bytes, as long as every thread of a block finds a chunk.
  while (!grouped && s.lines_a_warp * static_cast<int>(sizeof(T)) > 32 &&
         x.count < Index{3} * device.processors * s.lines_a_warp && Index{block_threads} / s.lines_a_warp * chunk < x.k)
    s.lines_a_warp /= 2;
  s.warps = block_warps;
  // A thread takes about 32 terms; more threads would only wait for each other.
  while (!s.adjacent && s.warps > 1 && 1024 * Index{s.warps} / 2 >= x.k) s.warps /= 2;
  if (has_short_lines(x, bounds)) share_short_lines(s);
  const Index lines_a_block = s.adjacent ? s.lines_a_warp : block_warps / s.warps;
  s.groups = padded_lines(x.count) / lines_a_block;
  const Index all = ceil_div(x.k, chunk);
  // If a block reads half a mebibyte or more, and there are too few blocks, lines are cut into parts of at least 64
  // KiB.
  constexpr Index least_part = Index{1} << 16;
  const Index bytes = lines_a_block * x.k * static_cast<Index>(sizeof(T));
  const Index busy = ceil_div(x.count, lines_a_block);
  Index parts = 1;
  if (!grouped && bytes >= 8 * least_part && busy < device.processors) {
    parts = ceil_div(4 * device.processors, busy);
    if (parts > bytes / least_part) parts = bytes / least_part;
    if (parts > most_parts) parts = most_parts;
  }
  s.chunks = ceil_div(all, parts);
  s.parts = static_cast<int>(s.chunks > 0 ? ceil_div(all, s.chunks) : 1);
  return s;
}

unsigned grid(Index blocks) { return static_cast<unsigned>(blocks); }

template <class T>
void launch_measure(const DeviceModel& device, const Sides<T>& sides, bool with_lambda, bool bounds,
                    cudaStream_t stream) {
  const Side<T>&r = sides.side[0], &c = sides.side[1];
  if (r.groups + c.groups == 0) return;
  if (r.parts == 1 && c.parts == 1) {
    const LaunchShape whole{{grid(r.groups + c.groups), sides.group.grid_rows()}, block_threads};
    if (bounds) return launch(device, "measure", bound_whole<T>, whole, stream, sides);
    const bool grouped = sides.group.exists();
    const auto kernel = has_short_lines(r.x, bounds) ? (grouped ? measure_short<T, true> : measure_short<T, false>)
                                                     : (grouped ? measure_whole<T, true> : measure_whole<T, false>);
    return launch(device, "measure", kernel, whole, stream, sides, with_lambda);
  }
  constexpr int threads = 256;
  const Index most = padded_lines(r.x.count > c.x.count ? r.x.count : c.x.count);
  const Index blocks = r.groups * r.parts + c.groups * c.parts;
  const LaunchShape lines{grid(most / threads), threads}, shares{grid(blocks), block_threads};
  launch(device, "measure", prepare_parts<T>, lines, stream, sides);
  launch(device, "measure", scan_parts<T>, shares, stream, sides);
  launch(device, "measure", sum_parts<T>, shares, stream, sides, with_lambda);
  launch(device, "measure", finish_parts<T>, lines, stream, sides, with_lambda);
}

template <class T>
void measure_sides(const DeviceModel& device, const Operand<T>& rows, const Lines& row_lines, const Operand<T>& cols,
                   const Lines& col_lines, bool with_lambda, bool bounds, const unsigned long long* pending,
                   CallState* state, cudaStream_t stream, const CallGroup<T>& group = {}) {
  const bool grouped = group.exists();
  Sides<T> sides = {
      {make_side(device, rows, row_lines, &state->rows, bounds, grouped), {}}, &state->refused, pending, group};
  if (row_lines.norm == col_lines.norm) {
    sides.side[0].same = &state->cols;
    sides.side[1].parts = 1;
  } else {
    sides.side[1] = make_side(device, cols, col_lines, &state->cols, bounds, grouped);
  }
  launch_measure(device, sides, with_lambda, bounds, stream);
}

}  // namespace

template <class T>
void measure(const DeviceModel& device, const Operand<T>& rows, const Lines& row_lines, const Operand<T>& cols,
             const Lines& col_lines, bool with_lambda, CallState* state, cudaStream_t stream,
             const CallGroup<T>& group) {
  measure_sides(device, rows, row_lines, cols, col_lines, with_lambda, false, nullptr, state, stream, group);
}

template <class T>
void measure_if_pending(const DeviceModel& device, const Operand<T>& rows, const Lines& row_lines,
                        const Operand<T>& cols, const Lines& col_lines, const unsigned long long* pending,
                        CallState* state, cudaStream_t stream) {
  measure_sides(device, rows, row_lines, cols, col_lines, false, false, pending, state, stream);
}

template <class T>
void measure_bounds(const DeviceModel& device, const Operand<T>& rows, const Lines& row_lines, const Operand<T>& cols,
                    const Lines& col_lines, CallState* state, cudaStream_t stream) {
  measure_sides(device, rows, row_lines, cols, col_lines, true, true, nullptr, state, stream);
}

#define ACCUBLAS_INSTANTIATE(T)                                                                                      \
  template void measure(const DeviceModel&, const Operand<T>&, const Lines&, const Operand<T>&, const Lines&, bool,  \
                        CallState*, cudaStream_t, const CallGroup<T>&);                                              \
  template void measure_if_pending(const DeviceModel&, const Operand<T>&, const Lines&, const Operand<T>&,           \
                                   const Lines&, const unsigned long long*, CallState*, cudaStream_t);               \
  template void measure_bounds(const DeviceModel&, const Operand<T>&, const Lines&, const Operand<T>&, const Lines&, \
                               CallState*, cudaStream_t);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
