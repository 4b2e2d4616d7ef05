// Mode cr for skinny products on compute capability 9.0: C has few rows or few columns, and the operand with many lines
// is large. It is read once. Residues would read it twice and write a byte for each entry and modulus.
//
// The small side is cut into digits first (skinny_digits.hpp). A thread block takes 64 lines of the large side and 64
// of the small side, 32 terms a step. One warpgroup reads the large side's entries, cuts them, and stores the digits in
// a ring of stages in shared memory; bulk copies bring those of the small side. Two other warpgroups multiply them, 32
// lines of the small side each, with sums for all ten weights in registers.
//
// A line's field is not known before the line is read. It starts from a sample of the line. When a larger entry comes,
// the field rises: the multiplying warps then add their sums to totals in device memory, as integers in units of the
// old field, and shift these when they add the next ones. So each total is exact but for bits that a shift loses.
#include <algorithm>

#include "cuda/batch/batch_cr_square.hpp"
#include "cuda/batch/skinny_digits.hpp"
#include "cuda/batch/skinny_kernels.hpp"
#include "cuda/core/arithmetic.hpp"
#include "cuda/core/device.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/ptx_hopper_signed.hpp"
#include "cuda/core/ptx_words.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/scaling/measure.hpp"

namespace accublas::cuda {

namespace {

constexpr int lines = skinny_lines, step_terms = skinny_step;
constexpr int half_lines = lines / 2;  ///< lines of the small side for a multiplying warpgroup
constexpr int row_digit_bytes = lines * step_terms, col_digit_bytes = half_lines * step_terms;
constexpr int row_bytes = skinny_digits * row_digit_bytes;
/// Digit j of the small side's lines is number 9 - j of a half's digits. Number 0 is zero.
constexpr int col_digits = skinny_weights, half_bytes = col_digits * col_digit_bytes, col_bytes = 2 * half_bytes;
constexpr int stages = 4;
constexpr int multipliers = 256, cutters = 128, threads = multipliers + cutters;
constexpr int cutter_registers = 104, multiplier_registers = 200;  // a thread starts with 168
constexpr int own_terms = lines * step_terms / cutters;            // of a cutting thread in a step
constexpr int most_steps = 256;  // then int32 holds all sums: at most 9 pairs of weight 8, 2^14 each, of 2^13 terms
static_assert(own_terms == 16, "16 terms of a line are adjacent in a stage");
static_assert(9ll * (1 << 14) * (most_steps * step_terms) < 1ll << 31);

/// The offset of the first of 16 terms of a line in a group of eight lines (short_line_descriptor).
__device__ __forceinline__ int line_offset(int line, int chunk) { return line / 8 * 256 + chunk * 128 + line % 8 * 16; }

// ---- the small side

constexpr int small_threads = 256, small_parts = 8;

/// The digits of eight terms of a line: low[i] and high[i] have digit i of the first four and of the others.
struct EightTerms {
  std::uint32_t low[skinny_digits], high[skinny_digits];
};

__device__ __forceinline__ std::uint32_t bytes_of(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
}

/// Cuts four terms into words of digits, and adds the squares of digits 2 to 8.
__device__ __forceinline__ void cut_four(const double* x, int field, std::uint32_t (&word)[skinny_digits],
                                         LineMarks& marks, std::uint32_t& squares) {
  NineDigits part[4];
  bool far = false;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const ShiftedMantissa entry(x[e], field);
    part[e] = cut_nine(entry, marks);
    far |= entry.is_far();
  }
  if (far) {
#pragma unroll
    for (int e = 0; e < 4; ++e) marks.dropped += ShiftedMantissa(x[e], field).is_dropped();
  }
#pragma unroll
  for (int i = 0; i < 8; i += 4) {
    std::uint32_t four[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) four[e] = static_cast<std::uint32_t>(part[e].leading >> (i == 0 ? 32 : 0));
    transpose_bytes(four);
#pragma unroll
    for (int e = 0; e < 4; ++e) word[i + e] = four[3 - e];
  }
  word[8] = bytes_of(part[0].last, part[1].last, part[2].last, part[3].last);
#pragma unroll
  for (int i = 2; i < skinny_digits; ++i)
    squares = static_cast<std::uint32_t>(
        __dp4a(static_cast<int>(word[i]), static_cast<int>(word[i]), static_cast<int>(squares)));
}
__device__ __forceinline__ EightTerms cut_eight(const double* x, int field, LineMarks& marks, std::uint32_t& squares) {
  EightTerms t;
  cut_four(x, field, t.low, marks, squares);
  cut_four(x + 4, field, t.high, marks, squares);
  return t;
}

__device__ __forceinline__ std::uint32_t magnitude_word(double x) { return high_word(x) & 0x7FFFFFFFu; }
constexpr std::uint32_t infinity_word = 0x7FF00000u;

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

// ---- the large side

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

struct alignas(128) Stage {
  std::uint8_t rows[row_bytes], cols[col_bytes];
};
struct Shared {
  Stage stage[stages];
  std::int32_t field[stages][lines];  ///< of the stage's rows
  std::uint32_t most[2][2][lines];    ///< high words of the largest entries: by parity of the step and half
  alignas(8) std::uint64_t full[stages], empty[stages];
};

/// A position in the ring, and the parity of the barriers' phase there.
struct Position {
  int stage;
  std::uint32_t parity;
  __device__ void advance() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// Walks through the steps of a thread block.
struct Walk {
  Index left, tile, step, steps;

  __device__ explicit Walk(const SkinnyPlan& plan)
      : left(min(plan.share, plan.tiles() * plan.steps - Index{blockIdx.x} * plan.share)),
        tile(Index{blockIdx.x} * plan.share / plan.steps),
        step(Index{blockIdx.x} * plan.share % plan.steps),
        steps(plan.steps) {}
  __device__ Index slot() const { return blockIdx.x + tile; }
  __device__ bool ends_part() const { return left == 1 || step + 1 == steps; }
  __device__ void advance() {
    --left;
    if (++step == steps) {
      step = 0;
      ++tile;
    }
  }
};

/// The terms of a step that a cutting thread reads: own_terms of a line. Beyond the last line there is the last one
/// again.
struct OwnTerms {
  const double* from;
  Index stride;
  int left;  ///< terms of the line from the first one on

  __device__ OwnTerms(const Operand<double>& x, const SkinnyPlan& plan, const Walk& walk, int row, int part)
      : stride(x.k_stride) {
    const Index line = min(walk.tile / plan.groups * lines + row, x.count - 1),
                term = walk.step * step_terms + part * own_terms;
    from = x.data + line * x.stride + term * stride;
    left = static_cast<int>(x.k - term);
  }
  __device__ void advance() {
    from += step_terms * stride;
    left -= step_terms;
  }
  /// Loads eight terms, from number `first` on.
  __device__ __forceinline__ void load(int first, double* to) const {
    if (left >= own_terms) {
#pragma unroll
      for (int e = 0; e < 8; ++e) to[e] = __ldg(from + (first + e) * stride);
    } else {
#pragma unroll
      for (int e = 0; e < 8; ++e) to[e] = first + e < left ? __ldg(from + (first + e) * stride) : 0.0;
    }
  }
};

/// The thread block's cutting warpgroup. Each thread has 16 terms of a line in every step.
__device__ void cut_large_lines(const Operand<double>& x, const SkinnyPlan& plan, const SkinnyArrays& arrays,
                                Shared& shared) {
  const int t = static_cast<int>(threadIdx.x) - multipliers, row = t % lines, part = t / lines;
  Walk walk(plan);
  OwnTerms terms(x, plan, walk, row, part);
  double own[own_terms];
  terms.load(0, own);
  terms.load(8, own + 8);
  Position at{0, 1};
  LineMarks marks;
  std::uint32_t squares = 0, flags = 0;
  int field = 0, buffer = 0;
  const std::uint8_t* digits = nullptr;
  bool starts = true;
  while (walk.left > 0) {
    if (starts) {
      marks = {};
      squares = flags = 0;
      field = arrays.first_field[walk.tile / plan.groups * lines + row];
      digits = arrays.digits + (walk.tile % plan.groups * plan.steps + walk.step) * col_bytes;
    }
    std::uint32_t most = 0;
#pragma unroll
    for (int e = 0; e < own_terms; ++e) most = max(most, magnitude_word(own[e]));
    shared.most[buffer][part][row] = most;
    ptx::barrier_sync(1, cutters);
    most = max(most, shared.most[buffer][1 - part][row]);
    buffer ^= 1;
    if (most >= infinity_word) {
      flags |= SkinnyLine::special;
    } else if (const int needed = skinny_field(most); needed > field) {
      marks.rise(needed - field);
      flags += SkinnyLine::raise;
      field = needed;
    }
    const Index slot = walk.slot();
    starts = walk.ends_part();
    walk.advance();
    if (starts && walk.left > 0) {
      terms = OwnTerms(x, plan, walk, row, part);
    } else {
      terms.advance();
    }
    Stage& stage = shared.stage[at.stage];
    ptx::barrier_wait(ptx::shared_address(&shared.empty[at.stage]), at.parity);
    const std::uint32_t full = ptx::shared_address(&shared.full[at.stage]);
    if (t == 0) {
      ptx::barrier_expect(full, col_bytes);
      ptx::copy_bytes(ptx::shared_address(stage.cols), digits, col_bytes, full);
    }
    digits += col_bytes;
    if (part == 0) shared.field[at.stage][row] = field;
    const std::uint32_t to = ptx::shared_address(stage.rows) + line_offset(row, part);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const EightTerms cut = cut_eight(own + 8 * half, field, marks, squares);
      if (walk.left > 0) terms.load(8 * half, own + 8 * half);
#pragma unroll
      for (int i = 0; i < skinny_digits; ++i)
        ptx::store_shared(to + i * row_digit_bytes + 8 * half, cut.low[i], cut.high[i]);
    }
    ptx::publish_shared_writes();
    __syncwarp();
    if (t % 32 == 0) ptx::barrier_arrive(full);
    at.advance();
    if (starts)
      arrays.large[(slot * 2 + part) * lines + row] = {field, squares, marks.dropped,
                                                       flags | 1u << (marks.last_digit() + 1)};
  }
}

/// A multiplying thread's sums, 16 elements for each weight: weights 9 to 2, and weights 1 and 0.
using LateSums = std::int32_t[16 * 8];
using EarlySums = std::int32_t[16 * 2];

/// Adds the products of a stage's digits for one half of its columns. The columns' digits are adjacent, the last one
/// first. So one MMA multiplies digit i of the rows by columns' digits 9 - i to 0, whose sums have weights 9 to i. (All
/// MMAs start at the same registers: the compiler moves registers between MMAs that overlap in other ways.)
template <int I = 0>
__device__ __forceinline__ void multiply_digits(LateSums& late, EarlySums& early, std::uint64_t rows,
                                                std::uint64_t cols) {
  constexpr int count = skinny_weights - I;
  constexpr int next_row = row_digit_bytes / 16, next_col = col_digit_bytes / 16;
  ptx::mma_signed<std::min(count, 8)>(late, rows + I * next_row, cols + I * next_col);
  if constexpr (count > 8) ptx::mma_signed<count - 8>(early, rows + I * next_row, cols + (I + 8) * next_col);
  if constexpr (I + 1 < skinny_digits) multiply_digits<I + 1>(late, early, rows, cols);
}

__device__ __forceinline__ void clear_sums(LateSums& late, EarlySums& early) {
#pragma unroll
  for (int i = 0; i < 16 * 8; ++i) late[i] = 0;
#pragma unroll
  for (int i = 0; i < 16 * 2; ++i) early[i] = 0;
}

/// Adds a thread's sums to totals, which are shifted down by shift[h] bits first.
__device__ __forceinline__ void add_to_totals(const LateSums& late, const EarlySums& early, SkinnyTotal* totals,
                                              bool first, const int (&shift)[2]) {
  constexpr auto unit = [](int bytes) { return std::int64_t{1} << (8 * bytes); };
#pragma unroll
  for (int q = 0; q < 16; ++q) {
    std::int64_t high = early[16 + q] * unit(4) + early[q] * unit(3), low = 0;
#pragma unroll
    for (int w = 2; w < 5; ++w) high += late[16 * (9 - w) + q] * unit(4 - w);
#pragma unroll
    for (int w = 5; w < 10; ++w) low += late[16 * (9 - w) + q] * unit(9 - w);
    Int128 total = static_cast<Int128>(high) * (Int128{1} << 40) + low;
    const int h = q / 2 % 2, col = q / 4 * 8 + q % 2;
    SkinnyTotal* const at = totals + col * lines + 8 * h;
    if (!first) {
      const SkinnyTotal before = *at;
      total += (static_cast<Int128>(before.high) * (Int128{1} << 64) + before.low) >> shift[h];
    }
    *at = {static_cast<std::uint64_t>(total), static_cast<std::int64_t>(total >> 64)};
  }
}

/// A multiplying warpgroup.
__device__ void multiply_lines(const SkinnyPlan& plan, const SkinnyArrays& arrays, Shared& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % 4,
            half = static_cast<int>(threadIdx.x) / 128;
  const int row = 16 * warp + lane / 4, col = half * half_lines + 2 * (lane % 4);
  const auto free_stage = [&](int stage) {
    if (lane == 0) ptx::barrier_arrive(ptx::shared_address(&shared.empty[stage]));
  };
  Position at{0, 0};
  LateSums late;
  EarlySums early;
  clear_sums(late, early);
  Walk walk(plan);
  while (walk.left > 0) {
    const int own_steps = static_cast<int>(min(walk.left, walk.steps - walk.step));
    SkinnyTotal* const totals = arrays.totals + (walk.slot() * lines + col) * lines + row;
    int field[2] = {0, 0}, field_of_total[2] = {0, 0}, since = 0, previous = 0;
    bool first = true;
    for (int step = 0;; ++step, ++since, at.advance()) {
      const bool ends = step == own_steps;
      int now[2] = {0, 0};
      if (!ends) {
        ptx::barrier_wait(ptx::shared_address(&shared.full[at.stage]), at.parity);
        now[0] = shared.field[at.stage][row];
        now[1] = shared.field[at.stage][row + 8];
      }
      const bool rises = now[0] != field[0] || now[1] != field[1];
      if (step > 0 && (ends || since == most_steps || __any_sync(0xFFFFFFFFu, rises))) {
        ptx::mma_wait<0>();
        const int shift[2] = {min(field[0] - field_of_total[0], 127), min(field[1] - field_of_total[1], 127)};
        add_to_totals(late, early, totals, first, shift);
        clear_sums(late, early);
        first = false;
        since = 0;
        field_of_total[0] = field[0];
        field_of_total[1] = field[1];
      }
      if (ends) break;
      field[0] = now[0];
      field[1] = now[1];
      const std::uint64_t rows = ptx::short_line_descriptor(ptx::shared_address(shared.stage[at.stage].rows));
      const std::uint64_t cols =
          ptx::short_line_descriptor(ptx::shared_address(shared.stage[at.stage].cols) + half * half_bytes);
      ptx::mma_begin();
      multiply_digits(late, early, rows, cols);
      ptx::mma_commit();
      if (step > 0) {
        ptx::mma_wait<1>();
        free_stage(previous);
      }
      previous = at.stage;
    }
    free_stage(previous);
    walk.left -= own_steps;
    walk.step = 0;
    ++walk.tile;
  }
}

__global__ void __launch_bounds__(threads, 1)
    skinny_product(const __grid_constant__ Operand<double> x, const __grid_constant__ SkinnyPlan plan,
                   const __grid_constant__ SkinnyArrays arrays) {
  extern __shared__ uint4 memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < stages; ++stage) {
      ptx::barrier_init(ptx::shared_address(&shared.full[stage]), cutters / 32 + 1);
      ptx::barrier_init(ptx::shared_address(&shared.empty[stage]), multipliers / 32);
    }
    ptx::publish_barriers();
  }
  __syncthreads();
  await_predecessor();
  if (threadIdx.x >= multipliers) {
    ptx::give_registers_up<cutter_registers>();
    cut_large_lines(x, plan, arrays, shared);
  } else {
    ptx::take_registers<multiplier_registers>();
    multiply_lines(plan, arrays, shared);
  }
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
      const int steps = min(abs(own - field), 127);
      const Int128 rounded = finer >> steps;
      found.dropped += rounded * (Int128{1} << steps) != finer;
      finer = rounded;
    }
    field = max(field, own);
    total += more;
  }
  const auto last_digit = [](std::uint32_t flags) { return 30 - __clz(static_cast<int>(flags & 0x3FF)); };
  found.row_last = last_digit(last);
  found.col_last = last_digit(column.last);
  return {{static_cast<long long>(total >> 48), static_cast<long long>(total & ((Int128{1} << 48) - 1))},
          skinny_error(found, static_cast<double>(k)),
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
          const int exponent = line_exponent<double>(s.field) + line_exponent<double>(arrays.small[small].field) - 84;
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

SkinnyPlan::SkinnyPlan(const DeviceModel& model, Index large_lines, Index small_lines, Index k)
    : row_tiles(ceil_div(large_lines, Index{lines})),
      groups(ceil_div(small_lines, Index{lines})),
      steps(ceil_div(k, Index{step_terms})) {
  constexpr Index least_share = 8;  // steps of a thread block, which writes 4096 totals
  const Index all = tiles() * steps, most = std::min(Index{model.processors}, ceil_div(all, least_share));
  share = ceil_div(all, most);
  blocks = ceil_div(all, share);
}

SkinnyArrays take_skinny(Carver& carver, const SkinnyPlan& plan) {
  SkinnyArrays arrays{};
  arrays.digits = carver.take<std::uint8_t>(plan.groups * plan.steps * col_bytes);
  arrays.small = carver.take<SkinnyLine>(plan.groups * lines);
  arrays.first_field = carver.take<std::int32_t>(plan.row_tiles * lines);
  arrays.totals = carver.take<SkinnyTotal>(plan.slots() * lines * lines);
  arrays.large = carver.take<SkinnyLine>(plan.slots() * 2 * lines);
  arrays.counts = carver.take<SkinnyCounts>(1);
  return arrays;
}

bool skinny_cr_serves(const DeviceModel& model, Index small_lines, Index k) {
  return use_hopper_kernels(model) && small_lines <= most_skinny_lines && k <= most_skinny_terms;
}

double skinny_time(const SkinnyPlan& plan) {
  constexpr double start = 150, step = 1.2;
  return start + step * static_cast<double>(plan.share);
}

void skinny_cr(const DeviceModel& model, const ExactArguments<double>& exact, bool large_cols, const SkinnyPlan& plan,
               const SkinnyArrays& arrays, bool all_undecided, cudaStream_t stream) {
  const Operand<double>&large = large_cols ? exact.cols : exact.rows, &small = large_cols ? exact.rows : exact.cols;
  set_on_stream(arrays.small, 0, static_cast<std::size_t>(plan.groups * lines) * sizeof(SkinnyLine), stream,
                "clearing findings about lines");
  set_on_stream(arrays.counts, 0, sizeof(SkinnyCounts), stream, "clearing counts of pending elements");
  launch(model, "digits of few lines", cut_small_lines,
         {{static_cast<unsigned>(plan.groups * lines), small_parts}, small_threads}, stream, small,
         large_cols ? exact.row_lines : exact.col_lines, plan, arrays);
  launch(model, "sample of many lines", sample_fields, {static_cast<unsigned>(plan.row_tiles), 256}, stream, large,
         plan, arrays.first_field);
  allow_shared_bytes(skinny_product, sizeof(Shared), "skinny product");
  launch(model, "skinny product", skinny_product, {static_cast<unsigned>(plan.blocks), threads, sizeof(Shared)}, stream,
         large, plan, arrays);
  const Index words = exact.rows.count * OpenBits::words_per_row(exact.cols.count);
  launch(model, "elements of a skinny product", finish_elements,
         {static_cast<unsigned>(std::min(ceil_div(words, Index{finish_threads / 32}), Index{16} * model.processors)),
          finish_threads},
         stream, exact, large_cols, plan, arrays, all_undecided);
}

void finish_skinny(const DeviceModel& model, const ExactArguments<double>& exact, const SkinnyArrays& arrays,
                   cudaStream_t stream) {
  const PendingTiles least = PendingTiles::faster_by_tiles(model, exact.rows.count, exact.cols.count);
  const auto measure_if = [&](const unsigned long long* pending) {
    measure_if_pending(model, exact.rows, exact.row_lines, exact.cols, exact.col_lines, pending, exact.state, stream);
  };
  if (computes_tiles(model, exact.rows.count, exact.cols.count)) {
    launch(model, "count of pending elements", count_many, {1, 1}, stream, exact.state,
           static_cast<unsigned long long>(least.elements), arrays.counts);
    measure_if(&arrays.counts->many);
    decide_by_tiles(model, exact, least, least, stream);
  }
  decide_by_grid_sums(model, exact, stream);
  launch(model, "count of pending elements", count_rest, {1, 1}, stream, exact.state, arrays.counts);
  measure_if(&arrays.counts->rest);
  accumulate_open_elements(model, exact, stream);
}

}  // namespace accublas::cuda
