// From residues to results: one pass over the residue products of a block. A block of threads takes tiles of 32 rows
// and 128 columns, a thread four neighbouring columns of a row: their sums to 112 bits, rounded in double precision
// where that decides. The rest, one element in a million and ties beyond 112 bits, goes through crt_reconstruct and
// finish_within.
#include "cuda/finish_element.hpp"
#include "cuda/launch.hpp"
#include "cuda/leading.hpp"
#include "cuda/open_elements.hpp"
#include "lib/numerics/crt.hpp"

namespace accublas::cuda {

namespace {

constexpr int threads = 256, blocks = 2;  ///< of a multiprocessor: 128 registers a thread
constexpr int tile_rows = 32, tile_cols = 128, columns = 4;

/// Limbs that hold S: P without its top bit, and a sign. 16 moduli have 125.4 bits, 24 184.4.
__device__ constexpr int limbs_of(int moduli) { return moduli <= 16 ? 2 : moduli <= 24 ? 3 : crt_limbs; }

/// alpha and beta, and which arithmetic they want.
template <class T>
struct Factors {
  enum Kind { power_of_two, general, slow } kind;
  T alpha, beta;
  int exponent;  ///< power_of_two: alpha = +-2^exponent
  int sign;      ///< power_of_two: the sign bit of alpha
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
  f.sign = a.negative ? static_cast<int>(0x80000000) : 0;
  return f;
}

/// What the threads of a block share of a tile.
struct TileLines {
  FinishLine row[tile_rows];
  alignas(16) int scale[tile_cols];
  alignas(16) double error[tile_cols], drop[tile_cols];
  std::uint8_t special[tile_cols];
  int least_scale, largest_scale;  ///< of the columns
};

/// Where a sum becomes a result: 2^shift is the unit of its head before the column's scale is taken off; errors are in
/// these units.
struct RowUnits {
  int shift;
  double error, drop;
};

/// One element from the whole of S; true if it was written.
template <class T>
__device__ ACCUBLAS_NOINLINE bool resolve_element(const ReconstructArguments<T>& a, const PassPlan& plan,
                                                  const CrtTable& crt, const std::int8_t* residues,
                                                  const FinishLine& row, const FinishLine& col,
                                                  const Factors<T>& factors, T* at) {
  const auto finish = [&]<int L>(Wide<L> sum) {
    return finish_element(sum, row, col, plan.interval != 0, a.all_undecided, factors.alpha, factors.beta, at);
  };
  const Index plane = plan.block_rows * plan.block_cols;
  if (limbs_of(plan.moduli) == 2) return finish(crt_reconstruct<2>(crt, residues, plane));
  if (limbs_of(plan.moduli) == 3) return finish(crt_reconstruct<3>(crt, residues, plane));
  return finish(crt_reconstruct<crt_limbs>(crt, residues, plane));
}

/// What is below the last bit of a LeadingSum's tail, and the roundings of tail - bound and tail + bound: a part of
/// every bound.
constexpr double leading_slack = 0x1p-39;

/// RN(+-2^shift (sum +- bound)), bound = 0: exact; abs(shift) <= 800. False where that is not one number.
template <class T>
__device__ bool round_power_of_two(const LeadingSum& sum, double bound, int shift, int sign, T* out) {
  const bool good = round_between(sum.head, sum.tail, bound, __hiloint2double(((1023 + shift) << 20) | sign, 0), out);
  // The tail's last bit tells what is below it only to a large head.
  const unsigned small = (1023u + 16u) << 21;
  if (static_cast<unsigned>(__double2hiint(sum.head)) << 1 >= small) return good;
  if (bound != 0) return good && !is_zero(*out);
  *out = T(0);
  return sum.bits == 0;
}

/// RN(alpha 2^shift (sum +- bound) + beta c), abs(shift) <= 800, by products and sums of pairs of doubles: the error of
/// some ten roundings of terms of 2^-53 is far below 2^-100 times the operands. False where it does not decide.
template <class T>
__device__ bool round_general(const Factors<T>& f, const LeadingSum& sum, double bound, int shift, T c, T* out) {
  const double scale = power_of_two(shift), head = __dmul_rn(sum.head, scale), tail = __dmul_rn(sum.tail, scale);
  const double alpha = f.alpha, p = __dmul_rn(alpha, head), p_low = __fma_rn(alpha, tail, __fma_rn(alpha, head, -p));
  // Errors of products must be exact, or there is no product.
  if (!within(p, -900, 1000)) return false;
  double q = 0, q_low = 0;
  if (!is_zero(f.beta)) {
    const double beta = f.beta, addend = c;
    q = __dmul_rn(beta, addend);
    q_low = __fma_rn(beta, addend, -q);
    if (!within(q, -900, 1000) && !is_zero(c)) return false;
  }
  const double s = __dadd_rn(p, q), z = __dsub_rn(s, p);
  const double low = __dadd_rn(__dsub_rn(p, __dsub_rn(s, z)), __dsub_rn(q, z));
  const double slack = __fma_rn(__dadd_rn(fabs(p), fabs(q)), 0x1p-100, __dmul_rn(fabs(alpha), __dmul_rn(bound, scale)));
  return round_between(s, __dadd_rn(low, __dadd_rn(p_low, q_low)), slack, 1.0, out) && !is_zero(*out);
}

/// Stores the columns whose bit is set; 16 bytes at a time where all are and lie so.
template <class T>
__device__ void store_columns(T* at, Index stride, const T (&x)[columns], unsigned which) {
  if (which == 0xF && stride == 1 && reinterpret_cast<std::uintptr_t>(at) % 16 == 0) {
    if constexpr (sizeof(T) == 8) {
      __stcs(reinterpret_cast<double2*>(at), double2{x[0], x[1]});
      __stcs(reinterpret_cast<double2*>(at) + 1, double2{x[2], x[3]});
    } else {
      __stcs(reinterpret_cast<float4*>(at), float4{x[0], x[1], x[2], x[3]});
    }
    return;
  }
#pragma unroll
  for (int e = 0; e < columns; ++e)
    if ((which >> e & 1) != 0) at[e * stride] = x[e];
}

/// Four columns of a row by their leading bits; returns which of `wanted` are written.
template <class T, bool Simple, bool Interval>
__device__ __forceinline__ unsigned finish_columns(const LeadingTable& table, const TileLines& lines,
                                                   const DigitSums& sums, const RowUnits& row, int own,
                                                   const Factors<T>& factors, const T (&c)[columns], unsigned wanted,
                                                   T* at, Index stride) {
  T out[columns];
  unsigned done = 0;
#pragma unroll
  for (int e = 0; e < columns; ++e) {
    const LeadingSum sum = leading_sum(table, sums.digit[e]);
    double bound = Simple && table.complete ? 0 : leading_slack;
    if (Interval) {
      const double error = __fma_rn(lines.drop[own + e], row.error, __dmul_rn(row.drop, lines.error[own + e]));
      if (error != 0) bound = __dadd_rn(error, leading_slack);
    }
    const int shift = row.shift - lines.scale[own + e];
    const bool good = Simple ? round_power_of_two(sum, bound, shift, factors.sign, &out[e])
                             : round_general(factors, sum, bound, shift, c[e], &out[e]);
    done |= static_cast<unsigned>(good) << e;
  }
  done &= wanted;
  store_columns(at, stride, out, done);
  return done;
}

/// The rows of a tile, by kind of arithmetic; a warp takes one at a time. Returns the thread's count of elements left
/// open.
template <class T, bool Simple, bool Interval>
__device__ __forceinline__ unsigned finish_tile(const ReconstructArguments<T>& a, const PassPlan& plan,
                                                const CrtTable& crt, const LeadingTable& table, const TileLines& lines,
                                                const Factors<T>& factors, Index tile_row, Index tile_col, int height,
                                                int width) {
  const int lane = threadIdx.x & 31, own = columns * lane;
  const Index row_base = a.row_block * plan.block_rows + tile_row;  // of C
  const Index col = a.col_block * plan.block_cols + tile_col + own;
  const Index plane = plan.block_rows * plan.block_cols, pitch = OpenBits::words_per_row(a.cols.count);
  const std::int8_t* const planes = a.result + tile_row * plan.block_cols + tile_col;
  // Error of a sum in units of its head, with the roundings of the products that it enters.
  const double error_unit = __dmul_rn(power_of_two(-64 - table.exponent), 1 + 0x1p-40);
  unsigned inside = 0, special_cols = 0, left_open = 0;
  for (int e = 0; e < columns; ++e) {
    inside |= static_cast<unsigned>(own + e < width) << e;
    special_cols |= static_cast<unsigned>(lines.special[own + e]) << e;
  }
  for (int r = threadIdx.x / 32; r < height; r += threads / 32) {
    const FinishLine& row = lines.row[r];
    std::uint32_t* const word = &a.open[(row_base + r) * pitch + col / 32];
    unsigned was_open = 0;
    if (plan.elements != Elements::all && inside != 0) was_open = *word >> (col & 31) & 0xF;
    const unsigned special = row.special ? 0xF : special_cols;
    const unsigned of_elements = plan.elements == Elements::all    ? 0xF
                                 : plan.elements == Elements::open ? was_open
                                                                   : ~was_open;
    const unsigned wanted = inside & ~special & of_elements;
    unsigned done = 0;
    if (__any_sync(0xFFFFFFFFu, wanted != 0) && !(Interval && a.all_undecided)) {
      T* const at = element(a.at, row_base + r, col);
      const unsigned offset =
          static_cast<unsigned>(r) * static_cast<unsigned>(plan.block_cols) + static_cast<unsigned>(own);
      const RowUnits units{table.exponent + 64 - row.scale + factors.exponent, __dmul_rn(row.error.error, error_unit),
                           __dmul_rn(row.error.drop, error_unit)};
      const bool normal = units.shift - lines.least_scale <= 800 && units.shift - lines.largest_scale >= -800;
      if (normal && factors.kind != Factors<T>::slow) {
        T c[columns] = {};
        if (!Simple && !is_zero(factors.beta)) {
#pragma unroll
          for (int e = 0; e < columns; ++e)
            if ((wanted >> e & 1) != 0) c[e] = at[e * a.at.col_stride];
        }
        const DigitSums sums = digit_sums(table, planes, offset, plane, plan.moduli);
        done = finish_columns<T, Simple, Interval>(table, lines, sums, units, own, factors, c, wanted, at,
                                                   a.at.col_stride);
      }
      for (unsigned rest = wanted & ~done; rest != 0; rest &= rest - 1) {
        const int e = __ffs(static_cast<int>(rest)) - 1;
        const FinishLine line{lines.scale[own + e], {lines.drop[own + e], lines.error[own + e]}, false};
        const bool written =
            resolve_element(a, plan, crt, planes + offset + e, row, line, factors, at + e * a.at.col_stride);
        done |= static_cast<unsigned>(written) << e;
      }
    }
    const unsigned open = inside & (special | was_open | wanted) & ~done;
    // Eight lanes have a word.
    unsigned bits = open << (col & 31);
    if (__any_sync(0xFFFFFFFFu, open != 0)) {
      for (int offset = 1; offset < 8; offset *= 2) bits |= __shfl_xor_sync(0xFFFFFFFFu, bits, offset);
      left_open += __popc(open & ~special);
    }
    if ((lane & 7) == 0 && inside != 0) *word = bits;
  }
  return left_open;
}

template <class T>
__global__ void __launch_bounds__(threads, blocks) reconstruct_block(ReconstructArguments<T> a) {
  await_predecessor();
  const PassPlan plan = a.state->pass[a.index];
  if (!plan.active) return;
  const Index m = a.rows.count, n = a.cols.count;
  const Index first_row = a.row_block * plan.block_rows, first_col = a.col_block * plan.block_cols;
  if (first_row >= m || first_col >= n) return;
  const Index rows = min(plan.block_rows, m - first_row), cols = min(plan.block_cols, n - first_col);
  const CrtTable& crt = crt_table(plan.moduli);
  const Factors<T> factors = classify(a.alpha.get(), a.beta.get());
  __shared__ LeadingTable table;
  __shared__ TileLines lines;
  load_leading_table(crt, table);
  unsigned long long left_open = 0;
  const Index across = (cols + tile_cols - 1) / tile_cols, tiles = (rows + tile_rows - 1) / tile_rows * across;
  for (Index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const Index tile_row = tile / across * tile_rows, tile_col = tile % across * tile_cols;
    const int height = static_cast<int>(min(Index{tile_rows}, rows - tile_row));
    const int width = static_cast<int>(min(Index{tile_cols}, cols - tile_col));
    __syncthreads();
    if (threadIdx.x == 0) {
      lines.least_scale = 1 << 20;
      lines.largest_scale = -(1 << 20);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < tile_rows + tile_cols; i += threads) {
      if (i < tile_rows) {
        if (i < height) lines.row[i] = finish_line(plan, a.rows, first_row + tile_row + i, true);
        continue;
      }
      const int c = i - tile_rows;
      FinishLine line{0, {0, 0}, true};
      if (c < width) {
        line = finish_line(plan, a.cols, first_col + tile_col + c, false);
        atomicMin(&lines.least_scale, line.scale);
        atomicMax(&lines.largest_scale, line.scale);
      }
      lines.scale[c] = line.scale;
      lines.error[c] = line.error.error;
      lines.drop[c] = line.error.drop;
      lines.special[c] = line.special;
    }
    __syncthreads();
    if (factors.kind == Factors<T>::power_of_two) {
      left_open +=
          plan.interval
              ? finish_tile<T, true, true>(a, plan, crt, table, lines, factors, tile_row, tile_col, height, width)
              : finish_tile<T, true, false>(a, plan, crt, table, lines, factors, tile_row, tile_col, height, width);
    } else {
      left_open +=
          plan.interval
              ? finish_tile<T, false, true>(a, plan, crt, table, lines, factors, tile_row, tile_col, height, width)
              : finish_tile<T, false, false>(a, plan, crt, table, lines, factors, tile_row, tile_col, height, width);
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) left_open += __shfl_xor_sync(0xFFFFFFFFu, left_open, offset);
  if ((threadIdx.x & 31) == 0 && left_open != 0) atomicAdd(&a.state->open[a.index], left_open);
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
