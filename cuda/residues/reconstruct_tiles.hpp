// The kernel from residues to results: one pass over the residue products of a block. A block of threads takes tiles of
// up to 128 rows and 1024 columns, a warp 128 of the columns, one row at a time, and a thread four: their leading bits,
// rounded in double precision where that decides. The rest, one element in a million and ties beyond 112 bits, goes
// through crt_reconstruct and finish_within. For .cu files.
//
// Of complex residues a column is a pair of columns of C, the two parts of complex numbers, which are as many sums over
// the same planes. What differs is a policy `Numbers`: parts, of a column; later, of Steps; crt(moduli, part),
// leading_bytes(moduli, part) and limbs_of(moduli), the limbs that hold S: P without its top bit, and a sign.
#pragma once

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

namespace accublas::cuda::reconstructing {

inline constexpr int threads = 256, warps = threads / 32, blocks = 2;  ///< of a multiprocessor: 128 registers a thread
inline constexpr int most_rows = 128, strip = 128,
                     most_cols = warps * strip;  ///< of a tile; a warp has a strip of columns

/// Columns of C: those of a lane's e-th column are `Parts` side by side. Sets of a lane's have bit c_column(e, part).
template <int Parts>
__device__ constexpr int c_column(int e, int part) {
  return Parts * column_of(e) + part;
}
template <int Parts>
__device__ constexpr unsigned columns_of_parts(unsigned first, unsigned last) {
  unsigned set = 0;
  for (unsigned part = first; part < last; ++part)
    for (int e = 0; e < columns; ++e) set |= 1u << c_column<Parts>(e, static_cast<int>(part));
  return set;
}
template <int Parts>
constexpr unsigned all_columns = columns_of_parts<Parts>(0, Parts);

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
  unsigned special;  ///< all ones, or none
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
template <class T, class Numbers>
struct BlockState {
  PassPlan plan;
  Factors<T> factors;
  LeadingWeights<Numbers::later> weights[Numbers::parts];
  TileLines lines;
};

/// A tile of the block: its place in it, its size, and how many strips side by side the warps take.
struct Tile {
  Index row, col;
  int height, width, strips;
};

/// What is known of a column's line; of complex numbers that of both parts is that of the real one, so that they are
/// scaled alike.
template <class Numbers>
__device__ FinishLine column_line(const PassPlan& plan, const Lines& cols, Index column) {
  return finish_line(plan, cols, Numbers::parts * column, false);
}

/// Columns of a row of the block, from `block_col` on, from the whole of S; returns which of `rest` are written.
template <class Numbers, class T>
__device__ ACCUBLAS_NOINLINE unsigned resolve_columns(const ReconstructArguments<T>& a, const BlockState<T, Numbers>& b,
                                                      Index block_row, Index block_col, unsigned rest) {
  const PassPlan& plan = b.plan;
  const Index plane = plan.block_rows * plan.block_cols, i = a.row_block * plan.block_rows + block_row;
  const FinishLine row = finish_line(plan, a.rows, i, true);
  unsigned done = 0;
  for (; rest != 0; rest &= rest - 1) {
    const int c = __ffs(static_cast<int>(rest)) - 1, part = c % Numbers::parts;
    const Index in_block = block_col + c / Numbers::parts, j = a.col_block * plan.block_cols + in_block;
    const FinishLine col = column_line<Numbers>(plan, a.cols, j);
    const std::int8_t* const residues = a.result + block_row * plan.block_cols + in_block;
    const CrtTable& crt = Numbers::crt(plan.moduli, part);
    const auto finish = [&]<int L>(Wide<L> sum) {
      return finish_element(sum, row, col, plan.interval != 0, a.all_undecided, b.factors.alpha, b.factors.beta,
                            element(a.at, i, Numbers::parts * j + part));
    };
    const int limbs = Numbers::limbs_of(plan.moduli);
    const bool written = limbs == 2   ? finish(crt_reconstruct<2>(crt, residues, plane))
                         : limbs == 3 ? finish(crt_reconstruct<3>(crt, residues, plane))
                                      : finish(crt_reconstruct<crt_limbs>(crt, residues, plane));
    done |= static_cast<unsigned>(written) << c;
  }
  return done;
}

/// How far the sum of a row and a column may be from its integer's, in units of its head.
__device__ __forceinline__ double element_error(const TileLines& lines, const TileRow& row, int col) {
  return __fma_rn(lines.drop[col], row.error, __dmul_rn(row.drop, lines.error[col]));
}

/// A part of a lane's columns of a row, in the tile from `own` on, by their leading bits; returns which are right.
template <class T, bool Narrow, Rounding Kind, class Numbers>
__device__ __forceinline__ unsigned finish_columns(const BlockState<T, Numbers>& b, int part, const DigitSums& sums,
                                                   const TileRow& row, int own, const T (&c)[columns],
                                                   T (&out)[columns]) {
  const LeadingWeights<Numbers::later>& weights = b.weights[part];
  unsigned good = 0;
#pragma unroll
  for (int e = 0; e < columns; ++e) {
    const int col = own + column_of(e);
    const LeadingPart sum = leading_part<Narrow>(weights, sums.pair[e]);
    double bound = 0;
    if (Kind != Rounding::exact) {
      const double error = element_error(b.lines, row, col);
      // Fixed passes have no errors; then up to 112 bits have none below either.
      const bool none = !Narrow && Kind == Rounding::interval && weights.complete && error == 0;
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
    good |= static_cast<unsigned>(right) << c_column<Numbers::parts>(e, part);
  }
  return good;
}

/// Stores the columns of `which`; `together`: two at a time, where they lie so.
template <int Parts, class T>
__device__ __forceinline__ void store_columns(T* at, Index stride, bool together, const T (&x)[Parts][columns],
                                              unsigned which) {
  using Two = std::conditional_t<sizeof(T) == 8, double2, float2>;
  if (together && which == all_columns<Parts>) {
    if constexpr (Parts == 1) {
      __stcs(reinterpret_cast<Two*>(at), Two{x[0][0], x[0][1]});
      __stcs(reinterpret_cast<Two*>(at + column_of(2)), Two{x[0][2], x[0][3]});
    } else {
#pragma unroll
      for (int e = 0; e < columns; ++e)
        __stcs(reinterpret_cast<Two*>(at + c_column<Parts>(e, 0)), Two{x[0][e], x[1][e]});
    }
    return;
  }
#pragma unroll
  for (int e = 0; e < columns; ++e)
#pragma unroll
    for (int part = 0; part < Parts; ++part)
      if ((which >> c_column<Parts>(e, part) & 1) != 0) at[c_column<Parts>(e, part) * stride] = x[part][e];
}

/// Which of a lane's columns of a row a pass computes.
struct RowWork {
  unsigned open, wanted;  ///< open: before the pass
  bool any;               ///< of the warp's columns
};

/// The rows of a tile, by kind of arithmetic; a warp takes one at a time, with the residues of its next one on their
/// way. `Narrow`: more than 16 planes. Returns the thread's count of elements left open.
template <class T, bool Narrow, Rounding Kind, class Numbers>
__device__ __forceinline__ unsigned finish_tile(const ReconstructArguments<T>& a, const BlockState<T, Numbers>& b,
                                                const Tile& tile) {
  constexpr int parts = Numbers::parts;
  constexpr unsigned all_of_lane = all_columns<parts>;
  using Order = Steps<Numbers::later>;
  const PassPlan& plan = b.plan;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, height = tile.height;
  const int first = warp / tile.strips, step = warps / tile.strips;  // rows of the warp
  const int strip_col = warp % tile.strips * strip, own = strip_col + first_column();
  const Index row_base = a.row_block * plan.block_rows + tile.row + first;  // of C
  const Index col = parts * (a.col_block * plan.block_cols + tile.col + own);
  unsigned of_tile = 0, special_cols = 0, left_open = 0;
#pragma unroll
  for (int e = 0; e < columns; ++e) {
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      of_tile |= static_cast<unsigned>(own + column_of(e) < tile.width) << c_column<parts>(e, part);
      special_cols |= static_cast<unsigned>(b.lines.special[own + column_of(e)]) << c_column<parts>(e, part);
    }
  }

  const Index words_a_row = OpenBits::words_per_row(a.cols.count);
  const unsigned next_words = static_cast<unsigned>(step) * static_cast<unsigned>(words_a_row);
  std::uint32_t* word = a.open + row_base * words_a_row + col / 32;
  const bool has_bits = plan.elements != Elements::all && of_tile != 0;
  const auto inside_of = [&](int r) { return of_tile & a.wanted.mask(row_base + (r - first), col); };
  const unsigned flip = plan.elements == Elements::not_open ? all_of_lane : 0;
  const unsigned all = plan.elements == Elements::all ? all_of_lane : 0;
  const auto work_of = [&](int r, std::uint32_t bits) {
    const unsigned inside = inside_of(r), open = bits >> (col & 31) & inside;
    const unsigned wanted = inside & ~special_cols & ~b.lines.row[r].special & ((open ^ flip) | all);
    return RowWork{open, wanted, __any_sync(0xFFFFFFFFu, wanted != 0) != 0};
  };

  const int planes = plan.planes(), group = lane % 4, planes_before = Order::first_plane(0, group, planes);
  const Index plane = plan.block_rows * plan.block_cols, wide_plane = Order::a_lane(0, planes) == 1 ? 0 : plane;
  const unsigned to_next_row = static_cast<unsigned>(step) * static_cast<unsigned>(plan.block_cols);
  const std::int8_t* source =
      a.result + (tile.row + first) * plan.block_cols + tile.col + strip_col + 16 * (lane / 4) + planes_before * plane;
  const Index to_later = (Order::first_plane(1, group, planes) - planes_before) * plane;  // to those of the second step
  Residues<4> wide{};
  Residues<Numbers::later> later{};
  RowWork next{};
  const auto start = [&](int r, std::uint32_t bits) {
    if (r < height) {
      next = work_of(r, bits);
      if (next.any) {
        load_residues(source, wide_plane, wide);
        if (Narrow) load_residues(source + to_later, plane, later);
      } else {
        wide = {}, later = {};  // else those of the row before would have to be kept
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
      T out[parts][columns] = {};
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        T c[columns] = {};
        if (Kind == Rounding::general && !is_zero(b.factors.beta)) {
#pragma unroll
          for (int e = 0; e < columns; ++e)
            if ((work.wanted >> c_column<parts>(e, part) & 1) != 0)
              c[e] = at[c_column<parts>(e, part) * a.at.col_stride];
        }
        const LeadingWeights<Numbers::later>& weights = b.weights[part];
        DigitSums sums;
        start_sums<Narrow>(weights, wide, later, sums);
        if (Narrow) {
          for (int s = 2; s < Order::of(planes); ++s) {
            const std::int8_t* const row_source = source - to_next_row;
            Residues<Numbers::later> further;
            load_residues(row_source + (Order::first_plane(s, group, planes) - planes_before) * plane, plane, further);
            add_step(weights, s, further, sums);
          }
        }
        if (part == parts - 1) start(r + step, next_bits);
        done |= work.wanted & finish_columns<T, Narrow, Kind>(b, part, sums, row, own, c, out[part]);
      }
      store_columns<parts>(at, a.at.col_stride, together, out, done);
    } else {
      start(r + step, next_bits);
    }
    if (done != work.wanted && !(plan.interval && a.all_undecided))
      done |= resolve_columns(a, b, tile.row + r, tile.col + own, work.wanted & ~done);
    const unsigned special = row.special | special_cols;
    const unsigned open = ((inside_of(r) & special) | work.open | work.wanted) & ~done;
    // Eight lanes have a word, of complex numbers four.
    unsigned bits = open << (col & 31);
    if (__any_sync(0xFFFFFFFFu, open != 0)) {
#pragma unroll
      for (int offset = 1; offset < 8 / parts; offset *= 2) bits |= __shfl_xor_sync(0xFFFFFFFFu, bits, offset);
      left_open += __popc(open & ~special);
    }
    if (lane % (8 / parts) == 0 && of_tile != 0) *word = bits;
    word += next_words;
    at += step * a.at.row_stride;
    next_bits = has_bits && r + 2 * step < height ? word[next_words] : 0;
  }
  return left_open;
}

/// Strips side by side of a tile, and its rows.
struct TileShape {
  int strips, rows;
};
/// Blocks get equally many tiles, and not more than needed. Of a triangle, where that is more than one, eight or more
/// narrow ones: these have fewer columns beyond the diagonal, and blocks with less to do there go on. Of n = 8192 that
/// saves a third of the time; at 4096 what a tile costs besides (26 us) takes as much again.
__device__ inline TileShape tile_shape(Index rows, Index cols, bool triangle) {
  const auto strips_of = [&](int most) {
    int strips = 1;
    while (strips < most && strips * strip < cols) strips *= 2;
    return strips;
  };
  int strips = strips_of(warps);
  Index across = ceil_div(cols, strips * strip), blocks = gridDim.x, each = 1;
  const auto height = [&] { return ceil_div(rows, max(each * blocks / across, Index{1})); };
  if (triangle && height() > most_rows) {
    strips = strips_of(2);
    across = ceil_div(cols, strips * strip) + 1;  // half of these, with the diagonal's
    blocks *= 2;
    each = 8;
  }
  while (height() > most_rows) ++each;
  return {strips, static_cast<int>(max(height(), Index{warps}))};
}

/// Of `count` tiles side by side, each of `width` columns of C from `col` on, those that rows from `row` on may want.
struct TileRange {
  Index first, end;
};
__device__ inline TileRange wanted_tiles(const Wanted& wanted, Index row, Index rows, Index col, Index width,
                                         Index count) {
  if (wanted.part == Triangle::upper) return {min(max(wanted.diagonal(row) - col, Index{0}) / width, count), count};
  if (wanted.part == Triangle::lower) {
    const Index beyond = max(wanted.diagonal(row + rows - 1) + wanted.parts - col, Index{0});
    return {0, min(ceil_div(beyond, width), count)};
  }
  return {0, count};
}

/// What the block must know of a tile's lines. All threads call, and synchronise before and after.
template <class Numbers, class T>
__device__ void load_lines(const ReconstructArguments<T>& a, const Tile& tile, BlockState<T, Numbers>& b) {
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
      col = column_line<Numbers>(b.plan, a.cols, first_col + i);
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
  const int exponent = b.weights[0].exponent;  // of both parts
  const int shift = exponent + 64 - row.scale + b.factors.exponent;
  const bool normal = b.factors.kind != Factors<T>::slow && !(b.plan.interval && a.all_undecided) &&
                      shift - lines.least_scale <= 800 && shift - lines.largest_scale >= -800;
  // Error of a sum in units of its head, with the roundings of the products that it enters.
  const double unit = __dmul_rn(power_of_two(-64 - exponent), 1 + 0x1p-40);
  lines.row[thread] = {shift, row.special ? ~0u : 0u, normal, __dmul_rn(row.error.error, unit),
                       __dmul_rn(row.error.drop, unit)};
}

/// Calls body(tile) for the block's tiles that are wanted, with what all of them need in `b`. All threads call.
/// `triangles`: less than all of C may be wanted.
template <bool triangles, class T, class Numbers, class Body>
__device__ __forceinline__ void for_tiles(const ReconstructArguments<T>& a, BlockState<T, Numbers>& b, Body&& body) {
  const PassPlan& plan = a.state->pass[a.index];
  if (!plan.active) return;
  const Index cols_in_all = a.cols.count / Numbers::parts;
  const Index first_row = a.row_block * plan.block_rows, first_col = a.col_block * plan.block_cols;
  if (first_row >= a.rows.count || first_col >= cols_in_all) return;
  const Index rows = min(plan.block_rows, a.rows.count - first_row);
  const Index cols = min(plan.block_cols, cols_in_all - first_col);
  if (threadIdx.x == 0) {
    b.plan = plan;
    b.factors = classify(a.alpha.get(), a.beta.get());
  }
  for (int part = 0; part < Numbers::parts; ++part)
    load_leading_weights(Numbers::leading_bytes(plan.moduli, part), plan.planes(), b.weights[part]);
  const TileShape shape = tile_shape(rows, cols, triangles && !a.wanted.all());
  const int strips = shape.strips, tile_rows = shape.rows, tile_cols = strips * strip;
  const Index across = ceil_div(cols, tile_cols);
  const bool whole = !triangles || a.wanted.all();
  Index row = 0, before = 0;  // wanted tiles of the rows above
  for (Index next = blockIdx.x;; next += gridDim.x) {
    Index col = 0;
    if (whole) {
      row = next / across * tile_rows, col = next % across * tile_cols;
      if (row >= rows) return;
    } else {
      TileRange here;
      for (;; before += here.end - here.first, row += tile_rows) {
        if (row >= rows) return;
        here = wanted_tiles(a.wanted, first_row + row, min(Index{tile_rows}, rows - row), Numbers::parts * first_col,
                            Numbers::parts * tile_cols, across);
        if (next < before + here.end - here.first) break;
      }
      col = (here.first + next - before) * tile_cols;
    }
    const Tile tile{row, col, static_cast<int>(min(Index{tile_rows}, rows - row)),
                    static_cast<int>(min(Index{tile_cols}, cols - col)), strips};
    __syncthreads();  // the lines of the tile before are not needed any more
    load_lines(a, tile, b);
    __syncthreads();
    body(tile);
  }
}

template <class T, class Numbers>
__global__ void __launch_bounds__(threads, blocks)
    reconstruct_block(const __grid_constant__ ReconstructArguments<T> a) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char shared[];
  BlockState<T, Numbers>& b = *reinterpret_cast<BlockState<T, Numbers>*>(shared);
  unsigned left_open = 0;
  for_tiles<true>(a, b, [&](const Tile& tile) {
    const bool simple = b.factors.kind == Factors<T>::power_of_two, exact = !b.plan.interval && b.weights[0].complete;
    if (b.plan.planes() <= wide_step) {
      left_open += !simple ? finish_tile<T, false, Rounding::general>(a, b, tile)
                   : exact ? finish_tile<T, false, Rounding::exact>(a, b, tile)
                           : finish_tile<T, false, Rounding::interval>(a, b, tile);
    } else {
      left_open += simple ? finish_tile<T, true, Rounding::interval>(a, b, tile)
                          : finish_tile<T, true, Rounding::general>(a, b, tile);
    }
  });
  unsigned long long in_all = left_open;
  for (int offset = 16; offset > 0; offset /= 2) in_all += __shfl_xor_sync(0xFFFFFFFFu, in_all, offset);
  if (threadIdx.x % 32 == 0 && in_all != 0) atomicAdd(&a.state->open[a.index], in_all);
}

/// A kernel of for_tiles.
template <class T, class Numbers, class Kernel, class... Arguments>
void launch_on_tiles(const DeviceModel& model, Kernel kernel, cudaStream_t stream, const Arguments&... arguments) {
  constexpr std::size_t bytes = sizeof(BlockState<T, Numbers>);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "reconstruction");
  launch(model, "reconstruction", kernel, {static_cast<unsigned>(blocks * model.processors), threads, bytes}, stream,
         arguments...);
}
template <class Numbers, class T>
void launch_reconstruct(const DeviceModel& model, const ReconstructArguments<T>& a, cudaStream_t stream) {
  launch_on_tiles<T, Numbers>(model, reconstruct_block<T, Numbers>, stream, a);
}

}  // namespace accublas::cuda::reconstructing
