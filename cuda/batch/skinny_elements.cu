// Skinny products in mode cr before and after their sums (skinny_hopper.cu): the digits of the small side, samples of
// the large side's lines, and the elements by Ziv's test.
#include <algorithm>

#include "cuda/batch/batch_cr_square.hpp"
#include "cuda/batch/skinny_lines.hpp"
#include "cuda/core/device.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/scaling/measure.hpp"

namespace accublas::cuda {

namespace skinny {
namespace {

constexpr int small_threads = 256, small_parts = 8;

/// Cuts the lines of the small side. Thread block (line, part) finds the largest entry of the line, and cuts a part of
/// it. Lines that do not exist become zeros.
__global__ void __launch_bounds__(small_threads)
    cut_small_lines(Operand<double> x, Lines known, SkinnyPlan plan, SkinnyArrays arrays) {
  await_predecessor();
  __shared__ std::uint32_t most_of_warp[small_threads / 32];
  const int t = static_cast<int>(threadIdx.x);
  const Index line = blockIdx.x;
  const bool exists = line < x.count;
  std::uint32_t most = 0;
  if (exists) {
#pragma unroll 8
    for (Index p = t; p < x.k; p += small_threads)
      most = max(most, magnitude_word(__ldg(x.data + line * x.stride + p * x.k_stride)));
  }
  for (int half = 16; half > 0; half /= 2) most = max(most, __shfl_xor_sync(0xFFFFFFFFu, most, half));
  if (t % 32 == 0) most_of_warp[t / 32] = most;
  __syncthreads();
  for (const std::uint32_t other : most_of_warp) most = max(most, other);
  const bool special = most >= infinity_word;
  const int field = skinny_field(special ? 0 : most);
  const Index chunks = 2 * plan.steps, share = ceil_div(chunks, Index{small_parts}), first = blockIdx.y * share,
              end = min(first + share, chunks);
  const int in_half = static_cast<int>(line % half_lines);
  std::uint8_t* const out =
      arrays.digits + line / lines * plan.steps * col_bytes + line % lines / half_lines * half_bytes;
  LineMarks marks;
  std::uint32_t squares = 0;
  for (Index chunk = first + t; chunk < end; chunk += small_threads) {
    std::uint8_t* const to = out + chunk / 2 * col_bytes + line_offset(in_half, static_cast<int>(chunk % 2));
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      double own[8];
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        const Index p = 16 * chunk + 8 * half + e;
        own[e] = exists && p < x.k ? __ldg(x.data + line * x.stride + p * x.k_stride) : 0.0;
      }
      const EightTerms cut = cut_eight(own, field, marks, squares);
#pragma unroll
      for (int i = 0; i < skinny_digits; ++i)
        *reinterpret_cast<uint2*>(to + (9 - i) * col_digit_bytes + 8 * half) = make_uint2(cut.low[i], cut.high[i]);
      *reinterpret_cast<uint2*>(to + 8 * half) = make_uint2(0, 0);
    }
  }
  SkinnyLine& found = arrays.small[line];
  if (squares != 0) atomicAdd(&found.squares, squares);
  if (marks.dropped != 0) atomicAdd(&found.dropped, marks.dropped);
  atomicOr(&found.last, 1u << (marks.last_digit() + 1));
  if (t != 0 || blockIdx.y != 0) return;
  found.field = field;
  if (special) {
    atomicOr(&found.last, SkinnyLine::special);
    arrays.counts->special = 1;
  }
  if (exists) known.special[line] = special;
}

constexpr int sample_steps = 24;  ///< steps of a line that a sample reads

/// Finds the fields that the large side's lines start with.
__global__ void __launch_bounds__(256) sample_fields(Operand<double> x, SkinnyPlan plan, std::int32_t* first_field) {
  await_predecessor();
  __shared__ std::uint32_t most_of_line[lines];
  const int t = static_cast<int>(threadIdx.x), row = t % lines, part = t / lines;
  constexpr int parts = 256 / lines;
  if (t < lines) most_of_line[t] = 0;
  __syncthreads();
  const Index line = min(Index{blockIdx.x} * lines + row, x.count - 1);
  const int samples = static_cast<int>(min(plan.steps, Index{sample_steps}));
  std::uint32_t most = 0;
  for (int s = part; s < samples; s += parts) {
    const Index first = s * plan.steps / samples * step_terms;
#pragma unroll
    for (int e = 0; e < step_terms; ++e) {
      const Index p = min(first + e, x.k - 1);
      const std::uint32_t word = magnitude_word(__ldg(x.data + line * x.stride + p * x.k_stride));
      if (word < infinity_word) most = max(most, word);
    }
  }
  atomicMax(&most_of_line[row], most);
  __syncthreads();
  if (t < lines) first_field[blockIdx.x * lines + t] = skinny_field(most_of_line[t]);
}

// ---- the elements

constexpr int finish_threads = 256;

/// The sum of an element, S = (high 2^48 + low +- error) 2^(field's unit), and the field of its large line.
struct SkinnySum {
  WeightedSum sum;
  double error;
  int field;
  bool large_special, small_special;
};

/// Adds up the slots of an element of line `large` and line `small`.
__device__ SkinnySum sum_of_slots(const SkinnyPlan& plan, const SkinnyArrays& arrays, Index large, Index small,
                                  Index k) {
  const Index tile = large / lines * plan.groups + small / lines;
  const int row = static_cast<int>(large % lines), col = static_cast<int>(small % lines);
  const SkinnyLine column = arrays.small[small];
  SkinnyFindings found{0, static_cast<double>(column.squares), 0, 0, static_cast<double>(column.dropped), 0};
  std::uint32_t last = 0;
  Int128 total = 0;
  int field = 0;
  for (Index block = plan.first_block(tile); block <= plan.last_block(tile); ++block) {
    const Index slot = block + tile;
    const SkinnyLine part[2] = {arrays.large[slot * 2 * lines + row], arrays.large[(slot * 2 + 1) * lines + row]};
    const SkinnyTotal stored = arrays.totals[(slot * lines + col) * lines + row];
    Int128 more = static_cast<Int128>(stored.high) * (Int128{1} << 64) + stored.low;
    for (const SkinnyLine& p : part) {
      found.row_squares += p.squares;
      found.dropped += p.dropped;
      last |= p.last & 0xFFFF;
    }
    found.shifts += part[0].last / SkinnyLine::raise;
    const int own = part[0].field;
    if (field != 0 && own != field) {
      // Sums in smaller units may have bits below the larger unit.
      Int128& finer = own > field ? total : more;
      const int steps = min(abs(own - field), 126);
      found.dropped += (finer & ((Int128{1} << steps) - 1)) != 0;
      finer >>= steps;
    }
    field = max(field, own);
    total += more;
  }
  const auto last_digit = [](std::uint32_t flags) { return 30 - __clz(static_cast<int>(flags & 0x3FF)); };
  found.row_last = last_digit(last);
  found.col_last = last_digit(column.last);
  // The sum that is rounded is in units of weight 9, so that a double holds its high part.
  const bool below = (total & 0xFF) != 0;
  total >>= 8;
  return {{static_cast<long long>(total >> 48), static_cast<long long>(total & ((Int128{1} << 48) - 1))},
          skinny_error(found, static_cast<double>(k)) / 256 + (below ? 1.01 : 0.0),
          field,
          (last & SkinnyLine::special) != 0,
          (column.last & SkinnyLine::special) != 0};
}

/// Rounds the elements that Ziv's test decides. A warp has a word of the bitmap of pending elements.
__global__ void __launch_bounds__(finish_threads)
    finish_elements(const __grid_constant__ ExactArguments<double> a, bool large_cols,
                    const __grid_constant__ SkinnyPlan plan, const __grid_constant__ SkinnyArrays arrays,
                    bool all_undecided) {
  await_predecessor();
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Scalars<double> scalars(a.alpha.get(), a.beta.get());
  const bool scaled_only = is_zero(scalars.alpha);
  const Index words = OpenBits::words_per_row(a.cols.count), all = a.rows.count * words,
              warps = Index{gridDim.x} * (finish_threads / 32);
  Left left;
  for (Index word = (Index{blockIdx.x} * finish_threads + threadIdx.x) / 32; word < all; word += warps) {
    const Index row = word / words, col = word % words * 32 + lane;
    const bool exists = col < a.cols.count;
    bool undecided = false, special = false;
    if (exists) {
      double* const at = element(a.at, row, col);
      const Index large = large_cols ? col : row, small = large_cols ? row : col;
      const SkinnySum s = sum_of_slots(plan, arrays, large, small, a.rows.k);
      special = s.large_special || s.small_special;
      if (small == 0) {
        (large_cols ? a.col_lines : a.row_lines).special[large] = s.large_special;
        if (s.large_special) arrays.counts->special = 1;
      }
      if (scaled_only) {
        if (scalars.beta != 1) *at = finish_scaled(scalars.beta, read_addend(scalars.beta, at));
      } else {
        undecided = all_undecided || special;
        double out;
        if (!undecided) {
          const int exponent = line_exponent<double>(s.field) + line_exponent<double>(arrays.small[small].field) -
                               (skinny_unit - 8);  // of weight 9
          undecided = !finish_sum(s.sum, s.error, exponent, scalars, at, &out);
          if (!undecided) *at = out;
        }
      }
    }
    const unsigned bits = __ballot_sync(0xFFFFFFFFu, undecided);
    if (lane == 0) a.open[word] = bits;
    left.all += static_cast<unsigned>(__popc(bits));
    left.finite += static_cast<unsigned>(__popc(__ballot_sync(0xFFFFFFFFu, undecided && !special)));
  }
  if (lane == 0 && left.all != 0) {
    atomicAdd(&a.state->open[0], static_cast<unsigned long long>(left.all));
    if (left.finite != 0) atomicAdd(&a.state->rejected, static_cast<unsigned long long>(left.finite));
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    a.state->parts = skinny_digits;
    a.state->bits = 8 * skinny_digits - 1;
  }
}

__global__ void count_many(const CallState* state, unsigned long long least, SkinnyCounts* counts) {
  await_predecessor();
  counts->many = state->rejected > least ? state->rejected : 0;
}
__global__ void count_rest(const CallState* state, SkinnyCounts* counts) {
  await_predecessor();
  counts->rest = counts->many == 0 && (state->rejected != state->resolved || counts->special != 0);
}

}  // namespace
}  // namespace skinny

SkinnyPlan::SkinnyPlan(const DeviceModel& model, Index large_lines, Index small_lines, Index k)
    : row_tiles(ceil_div(large_lines, Index{skinny_lines})),
      groups(ceil_div(small_lines, Index{skinny_lines})),
      steps(ceil_div(k, Index{skinny_step})) {
  constexpr Index least_share = 8;  // steps of a thread block, which writes 4096 totals
  const Index all = tiles() * steps, most = std::min(Index{model.processors}, ceil_div(all, least_share));
  share = ceil_div(all, most);
  blocks = ceil_div(all, share);
}

SkinnyArrays take_skinny(Carver& carver, const SkinnyPlan& plan) {
  SkinnyArrays arrays{};
  arrays.digits = carver.take<std::uint8_t>(plan.groups * plan.steps * skinny::col_bytes);
  arrays.small = carver.take<SkinnyLine>(plan.groups * skinny_lines);
  arrays.first_field = carver.take<std::int32_t>(plan.row_tiles * skinny_lines);
  arrays.totals = carver.take<SkinnyTotal>(plan.slots() * skinny_lines * skinny_lines);
  arrays.large = carver.take<SkinnyLine>(plan.slots() * 2 * skinny_lines);
  arrays.counts = carver.take<SkinnyCounts>(1);
  return arrays;
}

bool skinny_serves(const DeviceModel& model, Index small_lines, Index k) {
  return use_hopper_kernels(model) && small_lines <= most_skinny_lines && k <= most_skinny_terms;
}

double skinny_time(const SkinnyPlan& plan) {
  constexpr double start = 150, step = 2;
  return start + step * static_cast<double>(plan.share);
}

void start_skinny(const DeviceModel& model, const ExactArguments<double>& exact, bool large_cols,
                  const SkinnyPlan& plan, const SkinnyArrays& arrays, cudaStream_t stream) {
  const Operand<double>&large = large_cols ? exact.cols : exact.rows, &small = large_cols ? exact.rows : exact.cols;
  set_on_stream(arrays.small, 0, static_cast<std::size_t>(plan.groups * skinny_lines) * sizeof(SkinnyLine), stream,
                "clearing findings about lines");
  set_on_stream(arrays.counts, 0, sizeof(SkinnyCounts), stream, "clearing counts of pending elements");
  launch(model, "digits of few lines", skinny::cut_small_lines,
         {{static_cast<unsigned>(plan.groups * skinny_lines), skinny::small_parts}, skinny::small_threads}, stream,
         small, large_cols ? exact.row_lines : exact.col_lines, plan, arrays);
  launch(model, "sample of many lines", skinny::sample_fields, {static_cast<unsigned>(plan.row_tiles), 256}, stream,
         large, plan, arrays.first_field);
}

void round_skinny(const DeviceModel& model, const ExactArguments<double>& exact, bool large_cols,
                  const SkinnyPlan& plan, const SkinnyArrays& arrays, bool all_undecided, cudaStream_t stream) {
  const Index words = exact.rows.count * OpenBits::words_per_row(exact.cols.count);
  launch(model, "elements of a skinny product", skinny::finish_elements,
         {static_cast<unsigned>(
              std::min(ceil_div(words, Index{skinny::finish_threads / 32}), Index{16} * model.processors)),
          skinny::finish_threads},
         stream, exact, large_cols, plan, arrays, all_undecided);
}

void finish_skinny(const DeviceModel& model, const ExactArguments<double>& exact, const SkinnyArrays& arrays,
                   cudaStream_t stream) {
  const PendingTiles least = PendingTiles::faster_by_tiles(model, exact.rows.count, exact.cols.count);
  const auto measure_if = [&](const unsigned long long* pending) {
    measure_if_pending(model, exact.rows, exact.row_lines, exact.cols, exact.col_lines, pending, exact.state, stream);
  };
  if (computes_tiles(model, exact.rows.count, exact.cols.count)) {
    launch(model, "count of pending elements", skinny::count_many, {1, 1}, stream, exact.state,
           static_cast<unsigned long long>(least.elements), arrays.counts);
    measure_if(&arrays.counts->many);
    decide_by_tiles(model, exact, least, least, stream);
  }
  decide_by_grid_sums(model, exact, stream);
  launch(model, "count of pending elements", skinny::count_rest, {1, 1}, stream, exact.state, arrays.counts);
  measure_if(&arrays.counts->rest);
  accumulate_open_elements(model, exact, stream);
}

}  // namespace accublas::cuda
