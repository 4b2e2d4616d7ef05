// From residues to results: one pass over the residue products of a block. A block of threads takes tiles of 32 rows and 128
// columns, a thread four neighbouring columns of a row: their sums to 112 bits, rounded in double precision where that decides.
// The rest, one element in a million and ties beyond 112 bits, goes through crt_reconstruct and finish_within.
#include "cuda/check.hpp"
#include "cuda/finish_element.hpp"
#include "cuda/leading.hpp"
#include "cuda/open_elements.hpp"
#include "lib/numerics/crt.hpp"

namespace accublas::cuda {

namespace {

constexpr int threads = 256, blocks = 3;  ///< of a multiprocessor: 80 registers a thread
constexpr int tile_rows = 32, tile_cols = 128, columns = 4;

/// Limbs that hold S: P without its top bit, and a sign. 16 moduli have 125.4 bits, 24 184.4.
__device__ constexpr int limbs_of(int moduli) { return moduli <= 16 ? 2 : moduli <= 24 ? 3 : crt_limbs; }

/// alpha and beta, and which arithmetic they want.
template <class T>
struct Factors {
  enum Kind { power_of_two, general, slow } kind;
  T alpha, beta;
  int exponent;   ///< alpha = +-2^exponent
  double sign;
};

template <class T>
__device__ Factors<T> classify(T alpha, T beta) {
  Factors<T> f{Factors<T>::general, alpha, beta, 0, alpha < 0 ? -1.0 : 1.0};
  if (!is_finite(alpha) || !is_finite(beta) || is_zero(alpha)) {
    f.kind = Factors<T>::slow;
    return f;
  }
  const Decoded a = decode(alpha);
  if (!is_zero(beta) || (a.mantissa & (a.mantissa - 1)) != 0) return f;
  f.kind = Factors<T>::power_of_two;
  f.exponent = a.exponent + 63 - leading_zeros(a.mantissa);
  return f;
}

/// What the threads of a block share.
struct Shared {
  LeadingTable table;
  FinishLine row[tile_rows];
  // Columns.
  alignas(16) int scale[tile_cols];
  alignas(16) double error[tile_cols], drop[tile_cols];
  std::uint8_t special[tile_cols];
};

/// One element from the whole of S; true if it was written.
template <class T, int L>
__device__ ACCUBLAS_NOINLINE bool resolve_element(const CrtTable& crt, const std::int8_t* residues, Index plane,
                                                  const FinishLine& row, const FinishLine& col, bool interval, T alpha, T beta,
                                                  T* at) {
  return finish_element(crt_reconstruct<L>(crt, residues, plane), row, col, interval, false, alpha, beta, at);
}

/// alpha (head + tail) + beta c for a sum of magnitude 2^-800 to 2^900, by products and sums of pairs of doubles; the error of
/// some ten roundings of terms of 2^-53 is far below 2^-100 times the operands. False where it does not decide.
template <class T>
__device__ bool round_general(const Factors<T>& f, double head, double tail, double bound, T c, T* out) {
  const double alpha = f.alpha, beta = f.beta, addend = c;
  const double p = __dmul_rn(alpha, head), p_low = __fma_rn(alpha, tail, __fma_rn(alpha, head, -p));
  const double q = is_zero(f.beta) ? 0.0 : __dmul_rn(beta, addend), q_low = is_zero(f.beta) ? 0.0 : __fma_rn(beta, addend, -q);
  const double p_size = fabs(p), q_size = fabs(q);
  // Errors of products must be exact.
  if (!(p_size > 0x1p-900 && p_size < 0x1p1000 && (q_size == 0 || q_size > 0x1p-900) && q_size < 0x1p1000)) return false;
  if (q_size == 0 && !is_zero(f.beta) && !is_zero(c)) return false;
  const double sum = __dadd_rn(p, q), z = __dsub_rn(sum, p);
  const double low = __dadd_rn(__dsub_rn(p, __dsub_rn(sum, z)), __dsub_rn(q, z));
  const double slack = __fma_rn(__dadd_rn(p_size, q_size), 0x1p-100, __dmul_rn(fabs(alpha), bound));
  return round_between(sum, __dadd_rn(low, __dadd_rn(p_low, q_low)), slack, out);
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

template <class T>
__global__ void __launch_bounds__(threads, blocks) reconstruct_block(ReconstructArguments<T> a) {
  const PassPlan plan = a.state->pass[a.index];
  if (!plan.active) return;
  const Index m = a.rows.count, n = a.cols.count;
  const Index first_row = a.row_block * plan.block_rows, first_col = a.col_block * plan.block_cols;
  if (first_row >= m || first_col >= n) return;
  const Index rows = min(plan.block_rows, m - first_row), cols = min(plan.block_cols, n - first_col);
  const Index plane = plan.block_rows * plan.block_cols, pitch = OpenBits::words_per_row(n);
  const CrtTable& crt = crt_table(plan.moduli);
  const Factors<T> factors = classify(a.alpha.get(), a.beta.get());
  const bool interval = plan.interval != 0, undecided = a.all_undecided && interval;
  __shared__ Shared shared;
  load_leading_table(crt, shared.table);
  // Error of a sum in units of its head.
  const double error_unit = power_of_two(-64 - crt.unit_exponent - 16 * (crt.digits - leading_digits));
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  unsigned long long left_open = 0;

  const Index across = (cols + tile_cols - 1) / tile_cols, tiles = (rows + tile_rows - 1) / tile_rows * across;
  for (Index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const Index tile_row = tile / across * tile_rows, tile_col = tile % across * tile_cols;
    const int tile_height = static_cast<int>(min(Index{tile_rows}, rows - tile_row));
    __syncthreads();
    for (int i = threadIdx.x; i < tile_rows + tile_cols; i += threads) {
      if (i < tile_rows) {
        if (i < tile_height) shared.row[i] = finish_line(plan, a.rows, first_row + tile_row + i, true);
        continue;
      }
      const int c = i - tile_rows;
      FinishLine line{0, {0, 0}, true};
      if (tile_col + c < cols) line = finish_line(plan, a.cols, first_col + tile_col + c, false);
      shared.scale[c] = line.scale;
      shared.error[c] = line.error.error;
      shared.drop[c] = line.error.drop;
      shared.special[c] = line.special;
    }
    __syncthreads();
    const int own = columns * lane;
    const Index col = first_col + tile_col + own;  // of C
    unsigned inside = 0, special_cols = 0;
    for (int e = 0; e < columns; ++e) {
      inside |= static_cast<unsigned>(tile_col + own + e < cols) << e;
      special_cols |= static_cast<unsigned>(shared.special[own + e]) << e;
    }
    for (int r = warp; r < tile_height; r += threads / 32) {
      const FinishLine& row = shared.row[r];
      const Index row_index = first_row + tile_row + r;
      std::uint32_t* const word = &a.open[row_index * pitch + col / 32];
      unsigned was_open = 0;
      if (plan.elements != Elements::all && inside != 0) was_open = *word >> (col & 31) & 0xF;
      const unsigned special = row.special ? 0xF : special_cols;
      const unsigned of_elements = plan.elements == Elements::all ? 0xF : plan.elements == Elements::open ? was_open : ~was_open;
      const unsigned wanted = inside & ~special & of_elements;
      unsigned done = 0;
      if (__any_sync(0xFFFFFFFFu, wanted != 0) && !undecided) {
        T* const at = element(a.at, row_index, col);
        const std::int8_t* const residues = a.result + (tile_row + r) * plan.block_cols + tile_col + own;
        T out[columns], c[columns] = {};
        if (factors.kind == Factors<T>::general && !is_zero(factors.beta)) {
#pragma unroll
          for (int e = 0; e < columns; ++e)
            if ((wanted >> e & 1) != 0) c[e] = at[e * a.at.col_stride];
        }
        if (factors.kind != Factors<T>::slow) {
          const DigitSums sums = digit_sums(shared.table, residues, plane);
#pragma unroll
          for (int e = 0; e < columns; ++e) {
            const LeadingSum sum = leading_sum(shared.table, sums.digit[e]);
            const int shift = shared.table.exponent + 64 - row.scale - shared.scale[own + e] + factors.exponent;
            double error = 0;
            if (interval) error = element_error(row.error, {shared.drop[own + e], shared.error[own + e]});
            // What is below 2^-40 of tail, and the roundings of tail - bound and tail + bound.
            const bool exact = shared.table.complete && error == 0;
            const double bound = exact ? 0.0 : __fma_rn(__dmul_rn(error, error_unit), 1 + 0x1p-40, 0x1p-39);
            const bool normal = abs(shift) <= 800;
            const double scale = power_of_two(normal ? shift : 0);
            const double head = __dmul_rn(sum.head, scale), tail = __dmul_rn(sum.tail, scale), size = __dmul_rn(bound, scale);
            bool good;
            if (factors.kind == Factors<T>::power_of_two) {
              good = round_between(__dmul_rn(head, factors.sign), __dmul_rn(tail, factors.sign), size, &out[e]) &&
                     (!exact || fabs(sum.head) >= 0x1p16);
              if (exact && sum.zero) {
                good = true;
                out[e] = T(0);
              }
            } else {
              good = round_general(factors, head, tail, fmax(size, __dmul_rn(0x1p-39, scale)), c[e], &out[e]);
            }
            done |= static_cast<unsigned>(good && (normal || (exact && sum.zero && factors.kind == Factors<T>::power_of_two))) << e;
          }
          done &= wanted;
          store_columns(at, a.at.col_stride, out, done);
        }
        for (unsigned rest = wanted & ~done; rest != 0; rest &= rest - 1) {
          const int e = __ffs(static_cast<int>(rest)) - 1;
          const FinishLine line{shared.scale[own + e], {shared.drop[own + e], shared.error[own + e]}, false};
          T* const to = at + e * a.at.col_stride;
          const int limbs = limbs_of(plan.moduli);
          const bool written =
              limbs == 2   ? resolve_element<T, 2>(crt, residues + e, plane, row, line, interval, factors.alpha, factors.beta, to)
              : limbs == 3 ? resolve_element<T, 3>(crt, residues + e, plane, row, line, interval, factors.alpha, factors.beta, to)
                           : resolve_element<T, crt_limbs>(crt, residues + e, plane, row, line, interval, factors.alpha,
                                                           factors.beta, to);
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
  }
  for (int offset = 16; offset > 0; offset /= 2) left_open += __shfl_xor_sync(0xFFFFFFFFu, left_open, offset);
  if (lane == 0 && left_open != 0) atomicAdd(&a.state->open[a.index], left_open);
}

}  // namespace

template <class T>
void reconstruct(const DeviceModel& model, const ReconstructArguments<T>& a, cudaStream_t stream) {
  reconstruct_block<T><<<static_cast<unsigned>(blocks * model.processors), threads, 0, stream>>>(a);
  check_launch("reconstruction");
}

template void reconstruct(const DeviceModel&, const ReconstructArguments<double>&, cudaStream_t);
template void reconstruct(const DeviceModel&, const ReconstructArguments<float>&, cudaStream_t);

}  // namespace accublas::cuda
