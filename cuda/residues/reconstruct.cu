// From residues to results: one pass over the residue products of a block. A block of threads takes tiles of up to 128
// rows and 1024 columns, a warp 128 of the columns, one row at a time, and a thread four: their leading bits, rounded
// in double precision where that decides. The rest, one element in a million and ties beyond 112 bits, goes through
// crt_reconstruct and finish_within.
#include "cuda/core/arithmetic.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/elements/finish_element.hpp"
#include "cuda/elements/open_elements.hpp"
#include "cuda/residues/finish_leading.hpp"
#include "cuda/residues/reconstruct.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/crt.hpp"

namespace accublas::cuda {

namespace {

constexpr int threads = 256, warps = threads / 32, blocks = 2;          ///< of a multiprocessor: 128 registers a thread
constexpr int most_rows = 128, strip = 128, most_cols = warps * strip;  ///< of a tile; a warp has a strip of columns
constexpr unsigned all_columns = 0x303;  ///< sets of a lane's columns have bit column_of(e) for the e-th

/// Limbs that hold S: P without its top bit, and a sign. 16 moduli have 125.4 bits, 24 184.4.
__device__ constexpr int limbs_of(int moduli) { return moduli <= 16 ? 2 : moduli <= 24 ? 3 : crt_limbs; }

/// alpha and beta, and which arithmetic they want.
template <class T>
struct Factors {
  enum Kind { power_of_two, general, slow } kind;
  T alpha, beta;
  int exponent;   ///< power_of_two: alpha = +-2^exponent
  unsigned sign;  ///< power_of_two: the sign bit of alpha
};

template <class T>
__device__ Factors<T> classify(T alpha, T beta) {
  Factors<T> f{Factors<T>::general, alpha, beta, 0, 0};
  if (!is_finite(alpha) || !is_finite(beta) || is_zero(alpha)) {
    f.kind = Factors<T>::slow;
    return f;
  }
  const Decoded a = decode(alpha);
  if (!is_zero(beta) || (a.mantissa & (a.mantissa - 1)) != 0) return f;
  f.kind = Factors<T>::power_of_two;
  f.exponent = a.exponent + 63 - leading_zeros(a.mantissa);
  f.sign = a.negative ? 0x80000000 : 0;
  return f;
}

/// How elements are finished: `exact` and `interval` for alpha a power of two and beta zero, where the leading bits are
/// all of S, and where errors or bits below stay.
enum class Rounding { exact, interval, general };

/// A row for the leading bits. 2^shift is the unit of a sum's head before the column's scale is taken off; errors are
/// in these units.
struct TileRow {
  int shift;
  unsigned special;  ///< all_columns, or none
  bool normal;       ///< the leading bits may be tried
  double error, drop;
};
/// What the threads of a block share of a tile.
struct TileLines {
  TileRow row[most_rows];
  alignas(16) unsigned scale[most_cols];  ///< times 2^20
  alignas(16) double error[most_cols], drop[most_cols];
  std::uint8_t special[most_cols];
  int least_scale, largest_scale;  ///< of the columns
};

/// What a block shares: the pass, its tables, and the lines of the tile at hand.
template <class T>
struct BlockState {
  PassPlan plan;
  Factors<T> factors;
  LeadingWeights weights;
  TileLines lines;
};

/// A tile of the block: its place in it, its size, and how many strips side by side the warps take.
struct Tile {
  Index row, col;
  int height, width, strips;
};

/// Columns of a row of the block, from `block_col` on, from the whole of S; returns which of `rest` are written.
template <class T>
__device__ ACCUBLAS_NOINLINE unsigned resolve_columns(const ReconstructArguments<T>& a, const BlockState<T>& b,
                                                      Index block_row, Index block_col, unsigned rest) {
  const PassPlan& plan = b.plan;
  const CrtTable& crt = crt_table(plan.moduli);
  const Index plane = plan.block_rows * plan.block_cols, i = a.row_block * plan.block_rows + block_row;
  const FinishLine row = finish_line(plan, a.rows, i, true);
  unsigned done = 0;
  for (; rest != 0; rest &= rest - 1) {
    const int c = __ffs(static_cast<int>(rest)) - 1;
    const Index j = a.col_block * plan.block_cols + block_col + c;
    const FinishLine col = finish_line(plan, a.cols, j, false);
    const std::int8_t* const residues = a.result + block_row * plan.block_cols + block_col + c;
    const auto finish = [&]<int L>(Wide<L> sum) {
      return finish_element(sum, row, col, plan.interval != 0, a.all_undecided, b.factors.alpha, b.factors.beta,
                            element(a.at, i, j));
    };
    const bool written = limbs_of(plan.moduli) == 2   ? finish(crt_reconstruct<2>(crt, residues, plane))
                         : limbs_of(plan.moduli) == 3 ? finish(crt_reconstruct<3>(crt, residues, plane))
                                                      : finish(crt_reconstruct<crt_limbs>(crt, residues, plane));
    done |= static_cast<unsigned>(written) << c;
  }
  return done;
}

/// A lane's columns of a row, in the tile from `own` on, by their leading bits; returns which of them are right.
template <class T, bool Narrow, Rounding Kind>
__device__ __forceinline__ unsigned finish_columns(const BlockState<T>& b, const DigitSums& sums, const TileRow& row,
                                                   int own, const T (&c)[columns], T (&out)[columns]) {
  unsigned good = 0;
#pragma unroll
  for (int e = 0; e < columns; ++e) {
    const int col = own + column_of(e);
    const LeadingPart sum = leading_part<Narrow>(b.weights, sums.pair[e]);
    double bound = 0;
    if (Kind != Rounding::exact) {
      const double error = __fma_rn(b.lines.drop[col], row.error, __dmul_rn(row.drop, b.lines.error[col]));
      // Fixed passes have no errors; then up to 14 moduli have no bits below either.
      const bool none = !Narrow && Kind == Rounding::interval && b.weights.complete && error == 0;
      bound = none ? 0 : __dadd_rn(error, leading_slack<Narrow>);
    }
    bool right;
    if constexpr (Kind == Rounding::general) {
      const int shift = row.shift - (static_cast<int>(b.lines.scale[col]) >> 20);
      right = round_general(b.factors.alpha, b.factors.beta, sum, bound, shift, c[e], &out[e]);
    } else {
      const unsigned scale = (static_cast<unsigned>(row.shift) << 20) + b.factors.sign - b.lines.scale[col];
      right = round_power_of_two<T, Kind == Rounding::exact>(sum, bound, scale, &out[e]);
    }
    good |= static_cast<unsigned>(right) << column_of(e);
  }
  return good;
}

/// Stores the columns of `which`; `together`: two at a time, where they lie so.
template <class T>
__device__ __forceinline__ void store_columns(T* at, Index stride, bool together, const T (&x)[columns],
                                              unsigned which) {
  using Two = std::conditional_t<sizeof(T) == 8, double2, float2>;
  if (together && which == all_columns) {
    __stcs(reinterpret_cast<Two*>(at), Two{x[0], x[1]});
    __stcs(reinterpret_cast<Two*>(at + column_of(2)), Two{x[2], x[3]});
    return;
  }
#pragma unroll
  for (int e = 0; e < columns; ++e)
    if ((which >> column_of(e) & 1) != 0) at[column_of(e) * stride] = x[e];
}

/// Which of a lane's columns of a row a pass computes.
struct RowWork {
  unsigned open, wanted;  ///< open: before the pass
  bool any;               ///< of the warp's columns
};

/// The rows of a tile, by kind of arithmetic; a warp takes one at a time, with the residues of its next one on their
/// way. `Narrow`: more than 16 moduli. Returns the thread's count of elements left open.
template <class T, bool Narrow, Rounding Kind>
__device__ __forceinline__ unsigned finish_tile(const ReconstructArguments<T>& a, const BlockState<T>& b,
                                                const Tile& tile) {
  const PassPlan& plan = b.plan;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, height = tile.height;
  const int first = warp / tile.strips, step = warps / tile.strips;  // rows of the warp
  const int strip_col = warp % tile.strips * strip, own = strip_col + first_column();
  const Index row_base = a.row_block * plan.block_rows + tile.row + first;  // of C
  const Index col = a.col_block * plan.block_cols + tile.col + own;
  unsigned inside = 0, special_cols = 0, left_open = 0;
  for (int e = 0; e < columns; ++e) {
    inside |= static_cast<unsigned>(own + column_of(e) < tile.width) << column_of(e);
    special_cols |= static_cast<unsigned>(b.lines.special[own + column_of(e)]) << column_of(e);
  }

  const Index words_a_row = OpenBits::words_per_row(a.cols.count);
  const unsigned next_words = static_cast<unsigned>(step) * static_cast<unsigned>(words_a_row);
  std::uint32_t* word = a.open + row_base * words_a_row + col / 32;
  const bool has_bits = plan.elements != Elements::all && inside != 0;
  const unsigned flip = plan.elements == Elements::not_open ? all_columns : 0;
  const unsigned all = plan.elements == Elements::all ? all_columns : 0;
  const auto work_of = [&](int r, std::uint32_t bits) {
    const unsigned open = bits >> (col & 31) & inside;
    const unsigned wanted = inside & ~special_cols & ~b.lines.row[r].special & ((open ^ flip) | all);
    return RowWork{open, wanted, __any_sync(0xFFFFFFFFu, wanted != 0) != 0};
  };

  const int moduli = plan.moduli, group = lane % 4, planes_before = first_plane(0, group, moduli);
  const Index plane = plan.block_rows * plan.block_cols, wide_plane = moduli_a_lane(0, moduli) == 1 ? 0 : plane;
  const unsigned to_next_row = static_cast<unsigned>(step) * static_cast<unsigned>(plan.block_cols);
  const std::int8_t* source =
      a.result + (tile.row + first) * plan.block_cols + tile.col + strip_col + 16 * (lane / 4) + planes_before * plane;
  const Index to_narrow = (first_plane(1, group, moduli) - planes_before) * plane;  // to those of the second step
  Residues<4> wide{};
  Residues<2> narrow{};
  RowWork next{};
  const auto start = [&](int r, std::uint32_t bits) {
    if (r < height) {
      next = work_of(r, bits);
      if (next.any) {
        load_residues(source, wide_plane, wide);
        if (Narrow) load_residues(source + to_narrow, plane, narrow);
      } else {
        wide = {}, narrow = {};  // else those of the row before would have to be kept
      }
    }
    source += to_next_row;
  };
  start(first, has_bits && first < height ? *word : 0);
  std::uint32_t next_bits = has_bits && first + step < height ? word[next_words] : 0;

  T* at = element(a.at, row_base, col);
  const bool together =
      a.at.col_stride == 1 && reinterpret_cast<std::uintptr_t>(at) % (2 * sizeof(T)) == 0 && a.at.row_stride % 2 == 0;
  for (int r = first; r < height; r += step) {
    const TileRow& row = b.lines.row[r];
    const RowWork work = next;
    unsigned done = 0;
    if (work.any && row.normal) {
      T c[columns] = {}, out[columns];
      if (Kind == Rounding::general && !is_zero(b.factors.beta)) {
#pragma unroll
        for (int e = 0; e < columns; ++e)
          if ((work.wanted >> column_of(e) & 1) != 0) c[e] = at[column_of(e) * a.at.col_stride];
      }
      DigitSums sums;
      start_sums<Narrow>(b.weights, wide, narrow, sums);
      if (Narrow) {
        for (int s = 2; s < steps_of(moduli); ++s) {
          const std::int8_t* const row_source = source - to_next_row;
          load_residues(row_source + (first_plane(s, group, moduli) - planes_before) * plane, plane, narrow);
          add_step(b.weights, s, narrow, sums);
        }
      }
      start(r + step, next_bits);
      done = work.wanted & finish_columns<T, Narrow, Kind>(b, sums, row, own, c, out);
      store_columns(at, a.at.col_stride, together, out, done);
    } else {
      start(r + step, next_bits);
    }
    if (done != work.wanted && !(plan.interval && a.all_undecided))
      done |= resolve_columns(a, b, tile.row + r, tile.col + own, work.wanted & ~done);
    const unsigned special = row.special | special_cols;
    const unsigned open = ((inside & special) | work.open | work.wanted) & ~done;
    // Eight lanes have a word.
    unsigned bits = open << (col & 31);
    if (__any_sync(0xFFFFFFFFu, open != 0)) {
      for (int offset = 1; offset < 8; offset *= 2) bits |= __shfl_xor_sync(0xFFFFFFFFu, bits, offset);
      left_open += __popc(open & ~special);
    }
    if (lane % 8 == 0 && inside != 0) *word = bits;
    word += next_words;
    at += step * a.at.row_stride;
    next_bits = has_bits && r + 2 * step < height ? word[next_words] : 0;
  }
  return left_open;
}

/// Rows of a tile where `across` of them lie side by side: blocks get equally many tiles, and not more than needed.
__device__ int tile_rows_of(Index rows, Index across) {
  const Index tiles = gridDim.x;
  for (Index each = 1;; ++each) {
    const Index parts = max(each * tiles / across, Index{1}), height = ceil_div(rows, parts);
    if (height <= most_rows) return static_cast<int>(max(height, Index{warps}));
  }
}

/// What the block must know of a tile's lines. All threads call, and synchronise before and after.
template <class T>
__device__ void load_lines(const ReconstructArguments<T>& a, const Tile& tile, BlockState<T>& b) {
  const Index first_row = a.row_block * b.plan.block_rows + tile.row;
  const Index first_col = a.col_block * b.plan.block_cols + tile.col;
  const int thread = static_cast<int>(threadIdx.x);
  TileLines& lines = b.lines;
  FinishLine row{0, {0, 0}, true};
  static_assert(most_rows <= threads);
  if (thread < tile.height) row = finish_line(b.plan, a.rows, first_row + thread, true);
  if (thread == 0) {
    lines.least_scale = 1 << 20;
    lines.largest_scale = -(1 << 20);
  }
  __syncthreads();
  for (int i = thread; i < tile.strips * strip; i += threads) {
    FinishLine col{0, {0, 0}, true};
    if (i < tile.width) {
      col = finish_line(b.plan, a.cols, first_col + i, false);
      atomicMin(&lines.least_scale, col.scale);
      atomicMax(&lines.largest_scale, col.scale);
    }
    lines.scale[i] = static_cast<unsigned>(col.scale) << 20;
    lines.error[i] = col.error.error;
    lines.drop[i] = col.error.drop;
    lines.special[i] = col.special;
  }
  __syncthreads();
  if (thread >= tile.height) return;
  const int shift = b.weights.exponent + 64 - row.scale + b.factors.exponent;
  const bool normal = b.factors.kind != Factors<T>::slow && !(b.plan.interval && a.all_undecided) &&
                      shift - lines.least_scale <= 800 && shift - lines.largest_scale >= -800;
  // Error of a sum in units of its head, with the roundings of the products that it enters.
  const double unit = __dmul_rn(power_of_two(-64 - b.weights.exponent), 1 + 0x1p-40);
  lines.row[thread] = {shift, row.special ? all_columns : 0u, normal, __dmul_rn(row.error.error, unit),
                       __dmul_rn(row.error.drop, unit)};
}

template <class T>
__global__ void __launch_bounds__(threads, blocks)
    reconstruct_block(const __grid_constant__ ReconstructArguments<T> a) {
  await_predecessor();
  const PassPlan& plan = a.state->pass[a.index];
  if (!plan.active) return;
  const Index first_row = a.row_block * plan.block_rows, first_col = a.col_block * plan.block_cols;
  if (first_row >= a.rows.count || first_col >= a.cols.count) return;
  const Index rows = min(plan.block_rows, a.rows.count - first_row);
  const Index cols = min(plan.block_cols, a.cols.count - first_col);
  __shared__ BlockState<T> b;
  if (threadIdx.x == 0) {
    b.plan = plan;
    b.factors = classify(a.alpha.get(), a.beta.get());
  }
  load_leading_weights(leading_bytes(plan.moduli), plan.moduli, b.weights);
  unsigned left_open = 0;
  int strips = 1;
  while (strips < warps && strips * strip < cols) strips *= 2;
  const int tile_cols = strips * strip;
  const Index across = ceil_div(cols, tile_cols);
  const int tile_rows = tile_rows_of(rows, across);
  const Index tiles = ceil_div(rows, tile_rows) * across;
  for (Index t = blockIdx.x; t < tiles; t += gridDim.x) {
    const Index row = t / across * tile_rows, col = t % across * tile_cols;
    const Tile tile{row, col, static_cast<int>(min(Index{tile_rows}, rows - row)),
                    static_cast<int>(min(Index{tile_cols}, cols - col)), strips};
    __syncthreads();  // the lines of the tile before are not needed any more
    load_lines(a, tile, b);
    __syncthreads();
    const bool simple = b.factors.kind == Factors<T>::power_of_two, exact = !b.plan.interval && b.weights.complete;
    if (b.plan.moduli <= wide_step) {
      left_open += !simple ? finish_tile<T, false, Rounding::general>(a, b, tile)
                   : exact ? finish_tile<T, false, Rounding::exact>(a, b, tile)
                           : finish_tile<T, false, Rounding::interval>(a, b, tile);
    } else {
      left_open += simple ? finish_tile<T, true, Rounding::interval>(a, b, tile)
                          : finish_tile<T, true, Rounding::general>(a, b, tile);
    }
  }
  unsigned long long in_all = left_open;
  for (int offset = 16; offset > 0; offset /= 2) in_all += __shfl_xor_sync(0xFFFFFFFFu, in_all, offset);
  if (threadIdx.x % 32 == 0 && in_all != 0) atomicAdd(&a.state->open[a.index], in_all);
}

}  // namespace

template <class T>
void reconstruct(const DeviceModel& model, const ReconstructArguments<T>& a, cudaStream_t stream) {
  launch(model, "reconstruction", reconstruct_block<T>, {static_cast<unsigned>(blocks * model.processors), threads},
         stream, a);
}

template void reconstruct(const DeviceModel&, const ReconstructArguments<double>&, cudaStream_t);
template void reconstruct(const DeviceModel&, const ReconstructArguments<float>&, cudaStream_t);

}  // namespace accublas::cuda
