// The sums of skinny products in mode cr on compute capability 9.0: C has few rows or few columns, and the operand with
// many lines is large. It is read once. Residues would read it twice and write a byte for each entry and modulus.
//
// The small side is cut into digits before (skinny_digits.hpp). A thread block takes 64 lines of the large side and 64
// of the small side, 32 terms a step. One warpgroup reads the large side's entries, cuts them, and stores the digits in
// a ring of stages in shared memory; bulk copies bring those of the small side. Two other warpgroups multiply them, 32
// lines of the small side each, with sums for all eleven weights in registers.
//
// A line's field is not known before the line is read. It starts from a sample of the line. When a larger entry comes,
// the field rises: the multiplying warps then add their sums to totals in device memory, as integers in units of the
// old field, and shift these when they add the next ones. So each total is exact but for bits that a shift loses.
#include <cuda_pipeline_primitives.h>

#include <algorithm>

#include "cuda/batch/skinny_lines.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/ptx_hopper_signed.hpp"
#include "cuda/core/ptx_words.hpp"

namespace accublas::cuda::skinny {

namespace {

constexpr int row_bytes = skinny_digits * row_digit_bytes;
constexpr int stages = 4;
constexpr int buffers = 4;                   ///< for the entries of a step; two or three are on their way
constexpr int entry_pitch = step_terms + 1;  ///< adjacent lines lie in different banks
constexpr int multipliers = 256, cutters = 128, threads = multipliers + cutters;
constexpr int cutter_registers = 88, multiplier_registers = 208;  // a thread starts with 168
constexpr int own_terms = lines * step_terms / cutters;           // of a cutting thread in a step
constexpr int most_steps = 256;  // then int32 holds all sums: at most 9 pairs of weight 8, 2^14 each, of 2^13 terms
static_assert(own_terms == 16, "16 terms of a line are adjacent in a stage");
static_assert(9ll * (1 << 14) * (most_steps * step_terms) < 1ll << 31);

struct alignas(128) Stage {
  std::uint8_t rows[row_bytes], cols[col_bytes];
};
struct Shared {
  Stage stage[stages];
  double entries[buffers][lines * entry_pitch];  ///< of the large side
  std::int32_t field[stages][lines];             ///< of the stage's rows
  std::uint32_t most[2][2][lines];               ///< high words of the largest entries: by parity of the step and half
  alignas(8) std::uint64_t full[stages], empty[stages];
};

static_assert(sizeof(Shared) <= 227 * 1024);

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

/// Copies the entries of a tile's lines to shared memory, some steps ahead of their use. In each step a cutting thread
/// copies 16 of them: the same term of adjacent lines if the terms of a line are adjacent in memory, so that a warp
/// reads whole lines; otherwise adjacent terms of a line, while the warp has adjacent lines.
struct EntryCopies {
  const Operand<double>& x;
  const SkinnyPlan& plan;
  bool along;      ///< the thread's entries are those of adjacent lines
  int line, term;  ///< of the thread's first entry, in a tile and a step
  const double* from;
  Index lines_left, terms_left;  ///< of the operand, from the first entry on
  Walk walk;
  int buffer = 0;

  __device__ EntryCopies(const Operand<double>& large, const SkinnyPlan& of_product, int thread)
      : x(large),
        plan(of_product),
        along(magnitude(large.k_stride) < magnitude(large.stride)),
        line(along ? thread / 32 * own_terms : thread % lines),
        term(along ? thread % 32 : thread / lines * own_terms),
        walk(plan) {
    find();
  }
  __device__ static Index magnitude(Index stride) { return stride < 0 ? -stride : stride; }
  /// Finds the first entry in the walk's step.
  __device__ void find() {
    const Index first_line = walk.tile / plan.groups * lines + line, first_term = walk.step * step_terms + term;
    from = x.data + first_line * x.stride + first_term * x.k_stride;
    lines_left = x.count - first_line;
    terms_left = x.k - first_term;
  }
  /// Starts the copy of the next step, if there is one. Entries that do not exist become 0.
  __device__ __forceinline__ void start(double (&entries)[buffers][lines * entry_pitch]) {
    if (walk.left > 0) {
      double* const to = &entries[buffer][line * entry_pitch + term];
      const Index apart = along ? x.stride : x.k_stride, left = along ? lines_left : terms_left;
      const int to_apart = along ? entry_pitch : 1;
      const int count = (along ? terms_left : lines_left) <= 0 ? 0 : static_cast<int>(min(left, Index{own_terms}));
      if (count == own_terms) {
#pragma unroll
        for (int e = 0; e < own_terms; ++e) __pipeline_memcpy_async(to + e * to_apart, from + e * apart, 8);
      } else {
        for (int e = 0; e < own_terms; ++e)
          __pipeline_memcpy_async(to + e * to_apart, e < count ? from + e * apart : x.data, 8, e < count ? 0 : 8);
      }
      const bool ends = walk.ends_part();
      walk.advance();
      if (ends && walk.left > 0) {
        find();
      } else {
        from += step_terms * x.k_stride;
        terms_left -= step_terms;
      }
    }
    __pipeline_commit();
    buffer = (buffer + 1) % buffers;
  }
};

/// The thread block's cutting warpgroup. Each thread has 16 terms of a line in every step.
__device__ void cut_large_lines(const Operand<double>& x, const SkinnyPlan& plan, const SkinnyArrays& arrays,
                                Shared& shared) {
  const int t = static_cast<int>(threadIdx.x) - multipliers, row = t % lines, part = t / lines;
  Walk walk(plan);
  EntryCopies copies(x, plan, t);
  for (int i = 0; i < buffers - 1; ++i) copies.start(shared.entries);
  __pipeline_wait_prior(buffers - 2);
  ptx::barrier_sync(1, cutters);
  Position at{0, 1};
  LineMarks marks;
  std::uint32_t squares = 0, flags = 0;
  int field = 0, buffer = 0, parity = 0;
  const std::uint8_t* digits = nullptr;
  bool starts = true;
  while (walk.left > 0) {
    if (starts) {
      marks = {};
      squares = flags = 0;
      field = arrays.first_field[walk.tile / plan.groups * lines + row];
      digits = arrays.digits + (walk.tile % plan.groups * plan.steps + walk.step) * col_bytes;
    }
    // The barrier before has shown that this step's entries are there.
    double own[own_terms];
#pragma unroll
    for (int e = 0; e < own_terms; ++e) own[e] = shared.entries[buffer][row * entry_pitch + part * own_terms + e];
    buffer = (buffer + 1) % buffers;
    std::uint32_t most = 0;
#pragma unroll
    for (int e = 0; e < own_terms; ++e) most = max(most, magnitude_word(own[e]));
    shared.most[parity][part][row] = most;
    copies.start(shared.entries);        // to the buffer that was read before the last barrier
    __pipeline_wait_prior(buffers - 2);  // the next step's entries are there
    ptx::barrier_sync(1, cutters);
    most = max(most, shared.most[parity][1 - part][row]);
    parity ^= 1;
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

/// A multiplying thread's sums, 16 elements for each weight: weights 10 and 9, weights 8 to 1, and weight 0.
using LastSums = std::int32_t[16 * 2];
using MiddleSums = std::int32_t[16 * 8];
using FirstSums = std::int32_t[16];

/// Adds the products of a stage's digits for one half of its columns. The columns' digits are adjacent, the last one
/// first: digit j is number 9 - j. One MMA multiplies digit I of the rows by the columns' digits of weights 8 to I, and
/// one by those of weights 10 and 9. (All MMAs on the same sums start at the same register. The compiler moves
/// registers between MMAs that overlap in other ways.)
template <int I = 0>
__device__ __forceinline__ void multiply_digits(LastSums& last, MiddleSums& middle, FirstSums& first,
                                                std::uint64_t rows, std::uint64_t cols) {
  constexpr int next_row = row_digit_bytes / 16, next_col = col_digit_bytes / 16;
  const std::uint64_t row = rows + I * next_row;
  ptx::mma_signed<std::min(9 - I, 8)>(middle, row, cols + (I + 1) * next_col);
  if constexpr (I == 0) ptx::mma_signed<1>(first, row, cols + 9 * next_col);
  if constexpr (I > 0) ptx::mma_signed<2>(last, row, cols + (I - 1) * next_col);
  if constexpr (I + 1 < skinny_digits) multiply_digits<I + 1>(last, middle, first, rows, cols);
}

template <int count>
__device__ __forceinline__ void clear_sums(std::int32_t (&sums)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) sums[i] = 0;
}

/// Adds a thread's sums to totals, which are shifted down by shift[h] bits first.
__device__ __forceinline__ void add_to_totals(const LastSums& last, const MiddleSums& middle, const FirstSums& first,
                                              SkinnyTotal* totals, bool alone, const int (&shift)[2]) {
  constexpr auto unit = [](int bytes) { return std::int64_t{1} << (8 * bytes); };
#pragma unroll
  for (int q = 0; q < 16; ++q) {
    // Weights 0 to 4, 5 to 7, and 8 to 10.
    std::int64_t parts[3] = {first[q] * unit(4), 0, middle[q] * unit(2) + last[16 + q] * unit(1) + last[q]};
#pragma unroll
    for (int w = 1; w < 5; ++w) parts[0] += middle[16 * (8 - w) + q] * unit(4 - w);
#pragma unroll
    for (int w = 5; w < 8; ++w) parts[1] += middle[16 * (8 - w) + q] * unit(7 - w);
    Int128 total = static_cast<Int128>(parts[0]) * unit(6) + static_cast<Int128>(parts[1]) * unit(3) + parts[2];
    const int h = q / 2 % 2, col = q / 4 * 8 + q % 2;
    SkinnyTotal* const at = totals + col * lines + 8 * h;
    if (!alone) {
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
  LastSums last;
  MiddleSums middle;
  FirstSums first;
  const auto clear = [&] {
    clear_sums(last);
    clear_sums(middle);
    clear_sums(first);
  };
  clear();
  Walk walk(plan);
  while (walk.left > 0) {
    const int own_steps = static_cast<int>(min(walk.left, walk.steps - walk.step));
    SkinnyTotal* const totals = arrays.totals + (walk.slot() * lines + col) * lines + row;
    int field[2] = {0, 0}, field_of_total[2] = {0, 0}, since = 0, previous = 0;
    bool alone = true;
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
        add_to_totals(last, middle, first, totals, alone, shift);
        clear();
        alone = false;
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
      multiply_digits(last, middle, first, rows, cols);
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

}  // namespace
}  // namespace accublas::cuda::skinny

namespace accublas::cuda {

void multiply_skinny(const DeviceModel& model, const Operand<double>& large, const SkinnyPlan& plan,
                     const SkinnyArrays& arrays, cudaStream_t stream) {
  using skinny::Shared;
  const auto kernel = skinny::skinny_product;
  allow_shared_bytes(kernel, sizeof(Shared), "skinny product");
  launch(model, "skinny product", kernel, {static_cast<unsigned>(plan.blocks), skinny::threads, sizeof(Shared)}, stream,
         large, plan, arrays);
}

}  // namespace accublas::cuda
