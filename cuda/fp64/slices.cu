// The kernels of slices:D. They use integers on mantissa and exponent throughout: no power of two needs to be a double.
#include "cuda/core/call_state.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/exact/combine_parts.hpp"
#include "cuda/exact/finish_element.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/fp64/slice_remainder.hpp"
#include "cuda/fp64/slices.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

constexpr int grid_threads = 256;
constexpr int nothing = -1 << 30;

/// Returns the largest of the block's values.
__device__ int block_max(int value) {
  __shared__ int partial[grid_threads / 32];
  value = lanes_max(value);
  __syncthreads();
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  for (int warp = 0; warp < grid_threads / 32; ++warp) value = max(value, partial[warp]);
  return value;
}

/// A block computes the grids of a line. For every slice it computes the remainder after the earlier slices again from
/// the entries, which costs nothing compared with the products.
template <class T>
__global__ void __launch_bounds__(grid_threads)
    grids_kernel(SliceScheme scheme, Operand<T> x, Lines lines, LineSlices out, CallState* state) {
  __shared__ int grid[most_slices];
  for (Index i = blockIdx.x; i < x.count; i += gridDim.x) {
    int count = 0;
    while (count < scheme.slices && lines.special[i] == 0) {
      int top = nothing;
      for (Index p = threadIdx.x; p < x.k; p += grid_threads) {
        Remainder left(x.data[i * x.stride + p * x.k_stride]);
        for (int q = 0; q < count && left.mantissa != 0; ++q) left.take(grid[q]);
        if (left.mantissa != 0) top = max(top, left.ceil_log2());
      }
      top = block_max(top);
      if (top == nothing) break;
      if (threadIdx.x == 0) {
        grid[count] = scheme.rho + top - 53;
        out.grid[count * out.lines + i] = grid[count];
      }
      __syncthreads();
      ++count;
    }
    if (threadIdx.x == 0) {
      out.count[i] = count;
      atomicMax(&state->parts, count);
    }
    __syncthreads();
  }
}

/// Eight blocks are resident on a multiprocessor: with the five that 48 registers allow, n = 2048 and five slices take
/// 81 us, not 72.
template <class T>
__global__ void __launch_bounds__(OperandTile::side* OperandTile::rows, 8)
    cut_slices_kernel(SliceScheme scheme, SliceArguments<T> a, bool along_terms) {
  const OperandBlock<T>& x = a.block;
  for_entries(x, along_terms, [&](Index i, Index p, T entry) {
    const Index at = x.first + i;
    const int count = a.slices.count[at];
    Remainder left(count > 0 ? entry : T(0));
    double* to = a.out + i * x.terms_padded + p;
    for (int q = 0; q < scheme.slices; ++q, to += x.count * x.terms_padded)
      *to = q < count ? static_cast<double>(left.take(a.slices.grid[q * a.slices.lines + at])) : 0.0;
  });
}

// ---- the exact sum ---------------------------------------------------------------------------------------

/// An integer in words of 48 bits. Word w of a thread is at words[32 w] in shared memory; carries wait in the upper 16
/// bits. alpha S and beta c together span at most 5330 bits: S from 2^-2200 to 2^2115 (slices of finite doubles), alpha
/// adds 53 bits, and beta c / alpha ends at most at 2^3122 and starts at least at 2^-3119. In local memory this would
/// take gigabytes of the device for all its threads.
class LongSum {
 public:
  static constexpr int bits = 48, most_words = 116, lanes = 32;

  __device__ LongSum(std::int64_t* words, int count) : words_(words), count_(count) {
    for (int w = 0; w < count; ++w) at(w) = 0;
  }

  /// Adds value 2^position.
  __device__ void add(Int128 value, int position) {
    const int w = position / bits;
    const Int128 low = (value & mask) << (position % bits);
    const Int128 high = (value >> bits) << (position % bits);  // in units of the next word
    at(w) += static_cast<std::int64_t>(low & mask);
    const Int128 rest = (low >> bits) + high;
    at(w + 1) += static_cast<std::int64_t>(rest & mask);
    at(w + 2) += static_cast<std::int64_t>(rest >> bits & mask);
    at(w + 3) += static_cast<std::int64_t>(rest >> (2 * bits));
  }

  /// Multiplies by `factor`; all words but the last become 0 .. 2^48 - 1.
  __device__ void multiply(std::int64_t factor) {
    Int128 carry = 0;
    for (int w = 0; w < count_; ++w) {
      carry += static_cast<Int128>(at(w)) * factor;
      at(w) = static_cast<std::int64_t>(w + 1 < count_ ? carry & mask : carry);
      carry >>= bits;
    }
  }

  __device__ bool negative() const { return at(count_ - 1) < 0; }

  /// Returns RN(sum 2^exponent), and +0 for 0. The sum is made positive on the way.
  template <class T>
  __device__ T round(int exponent) {
    const bool minus = negative();
    if (minus) multiply(-1);
    int h = count_ - 1;
    while (h >= 0 && at(h) == 0) --h;
    if (h < 0) return T(0);
    const std::uint64_t x2 = word(h), x1 = word(h - 1), x0 = word(h - 2);
    const Uint128 top =
        static_cast<Uint128>(x2) << 80 | static_cast<Uint128>(x1) << 32 | x0 >> 16;  // bit 127: bit 47 of x2
    const int zeros = leading_zeros(x2) - 16;
    const Uint128 shifted = top << zeros;
    bool sticky = static_cast<std::uint64_t>(shifted) != 0 || (x0 & 0xFFFF) != 0;
    for (int w = h - 3; w >= 0 && !sticky; --w) sticky = at(w) != 0;
    return round_to<T>(minus, static_cast<std::uint64_t>(shifted >> 64), sticky, exponent + bits * h - 16 - zeros);
  }

  __device__ bool zero() const {
    for (int w = 0; w < count_; ++w)
      if (at(w) != 0) return false;
    return true;
  }

 private:
  static constexpr Int128 mask = (Int128{1} << bits) - 1;
  __device__ std::int64_t& at(int w) const { return words_[w * lanes]; }
  __device__ std::uint64_t word(int w) const { return w < 0 ? 0 : static_cast<std::uint64_t>(at(w)); }

  std::int64_t* words_;
  int count_;
};

template <class T>
struct SliceFinish {
  SliceScheme scheme;
  ExactArguments<T> pass;
  LineSlices row_slices, col_slices;
  const double* planes;
  Index first_row, rows, first_col, cols;
};

/// Returns RN(alpha S + beta c) of an element, whose products are at `product` + q cols of each slice's planes.
template <class T>
__device__ T finish_sum(const SliceFinish<T>& a, Index r, Index c, T alpha, T beta, T addend, std::int64_t* words) {
  const Index row = a.first_row + r, col = a.first_col + c;
  const int row_count = a.row_slices.count[row], col_count = a.col_slices.count[col];
  const auto row_grid = [&](int p) { return a.row_slices.grid[p * a.row_slices.lines + row]; };
  const auto col_grid = [&](int q) { return a.col_slices.grid[q * a.col_slices.lines + col]; };
  const bool regular = is_finite(alpha) && (is_zero(beta) || (is_finite(beta) && is_finite(addend)));
  // With infinite factors elsewhere only the sign of S matters.
  const Decoded factor = regular ? decode(alpha) : Decoded{1, 0, false};
  const Decoded b = decode(regular ? beta : T(0)), d = decode(regular ? addend : T(0));
  const bool has_sum = row_count > 0 && col_count > 0, has_addend = b.mantissa != 0 && d.mantissa != 0;
  const int addend_low = b.exponent + d.exponent - factor.exponent;  // alpha's exponent is left out of all positions
  if (!has_sum && !has_addend) return regular ? T(0) : detail::finish_nonfinite(alpha, T(0), beta, addend);

  int low = addend_low, high = addend_low + 106;
  if (has_sum) {
    const int sum_low = row_grid(row_count - 1) + col_grid(col_count - 1);
    const int sum_high = row_grid(0) + col_grid(0) + 54 + 12 + 53;  // 2^12 pairs at most, and alpha
    low = has_addend ? min(low, sum_low) : sum_low;
    high = has_addend ? max(high, sum_high) : sum_high;
  }
  LongSum sum(words, (high - low) / LongSum::bits + 5);  // add() touches 4 words, and a sign
  const Index block = a.rows * a.cols;
  for (int p = 0; has_sum && p < row_count; ++p) {
    const double* const product = a.planes + block * a.scheme.pairs_before(p) + r * a.scheme.partners(p) * a.cols + c;
    const int partners = min(col_count, a.scheme.partners(p)), position = row_grid(p) - low;
    for (int q = 0; q < partners; ++q) {
      const std::int64_t value = static_cast<std::int64_t>(product[q * a.cols]);  // an integer of at most 53 bits
      if (value != 0) sum.add(value, position + col_grid(q));
    }
  }
  const auto mantissa = static_cast<std::int64_t>(factor.mantissa);
  sum.multiply(factor.negative ? -mantissa : mantissa);
  if (!regular) return detail::finish_nonfinite(alpha, T(sum.zero() ? 0 : sum.negative() ? -1 : 1), beta, addend);
  if (has_addend) {
    const auto magnitude = static_cast<Int128>(static_cast<Uint128>(b.mantissa) * d.mantissa);
    sum.add(b.negative != d.negative ? -magnitude : magnitude, addend_low - low);
    sum.multiply(1);
  }
  return sum.template round<T>(low + factor.exponent);
}

/// Calls finish(r, c, inside, whether a line is special) for a thread's elements, all lanes of a warp together, and
/// records which of them stay pending.
template <class T, class Finish>
__device__ __forceinline__ void finish_elements(const SliceFinish<T>& a, Finish&& finish) {
  const Index c = Index{blockIdx.x} * LongSum::lanes + threadIdx.x, col = a.first_col + c;
  const bool inside = c < a.cols;
  const bool special_col = inside && a.pass.col_lines.special[col] != 0;
  const Index words_per_row = OpenBits::words_per_row(a.pass.cols.count);
  for (Index r = blockIdx.y; r < a.rows; r += gridDim.y) {
    const Index row = a.first_row + r;
    const bool special = special_col || a.pass.row_lines.special[row] != 0;
    finish(r, c, inside, special);
    __syncwarp();
    write_open_word(a.pass.open + row * words_per_row + col / 32, inside, special, special, nullptr);
  }
}

template <class T>
__global__ void __launch_bounds__(LongSum::lanes) finish_slices_kernel(SliceFinish<T> a) {
  __shared__ std::int64_t words[LongSum::most_words * LongSum::lanes];
  const T alpha = a.pass.alpha.get(), beta = a.pass.beta.get();
  if (leaves_c(*a.pass.state, a.pass.alpha)) return;
  finish_elements(a, [&](Index r, Index c, bool inside, bool special) {
    if (!inside || special) return;
    T* const at = element(a.pass.at, a.first_row + r, a.first_col + c);
    *at = finish_sum(a, r, c, alpha, beta, read_addend(beta, at), words + threadIdx.x);
  });
}

/// The words for both parts of S, alpha's, and both products of beta and c: they span at most 6600 bits.
constexpr int combined_words = 144;

/// Returns a component of alpha S + beta c from both parts of S, which are columns c and c ^ 1.
template <class T>
__device__ T finish_combined(const SliceFinish<T>& a, Index r, Index c, const CombineFactors<T>& f,
                             const CombineAddend<T>& addend, std::int64_t* words) {
  const Index row = a.first_row + r;
  const int row_count = a.row_slices.count[row];
  const auto row_grid = [&](int p) { return a.row_slices.grid[p * a.row_slices.lines + row]; };
  const auto col_grid = [&](Index col, int q) { return a.col_slices.grid[q * a.col_slices.lines + a.first_col + col]; };
  const Index block = a.rows * a.cols;
  const auto add_products = [&](LongSum& sum, Index col, std::int64_t factor, int unit) {
    const int col_count = a.col_slices.count[a.first_col + col];
    for (int p = 0; p < row_count; ++p) {
      const double* const product =
          a.planes + block * a.scheme.pairs_before(p) + r * a.scheme.partners(p) * a.cols + col;
      const int partners = min(col_count, a.scheme.partners(p));
      for (int q = 0; q < partners; ++q) {
        const std::int64_t value = static_cast<std::int64_t>(product[q * a.cols]);
        if (value != 0) sum.add(static_cast<Int128>(value) * factor, row_grid(p) + col_grid(col, q) + unit);
      }
    }
  };
  const T alpha[2] = {f.own_alpha, f.other_alpha}, beta[2] = {f.own_beta, f.other_beta},
          of_c[2] = {addend.own, addend.other};
  bool special = false;
  T value = 0;
  int low = 1 << 20, high = -(1 << 20);
  const auto reach = [&](int from, int to) {
    low = min(low, from);
    high = max(high, to);
  };
  for (int i = 0; i < 2; ++i) {
    const Index col = c ^ i;
    const int col_count = a.col_slices.count[a.first_col + col];
    const bool any = row_count > 0 && col_count > 0;
    if (!is_finite(alpha[i])) {
      int sign = 0;
      if (any) {
        const int least = row_grid(row_count - 1) + col_grid(col, col_count - 1);
        LongSum sum(words, (row_grid(0) + col_grid(col, 0) + 54 + 12 - least) / LongSum::bits + 5);
        add_products(sum, col, 1, -least);
        sum.multiply(1);
        sign = sum.zero() ? 0 : sum.negative() ? -1 : 1;
      }
      value += alpha[i] * static_cast<T>(sign);
      special = true;
    } else if (any && !is_zero(alpha[i])) {
      const int unit = decode(alpha[i]).exponent;
      reach(row_grid(row_count - 1) + col_grid(col, col_count - 1) + unit,
            row_grid(0) + col_grid(col, 0) + 54 + 12 + 53 + unit);
    }
    if (is_zero(beta[i])) continue;
    if (!is_finite(beta[i]) || !is_finite(of_c[i])) {
      value += beta[i] * of_c[i];
      special = true;
    } else if (!is_zero(of_c[i])) {
      const int unit = decode(beta[i]).exponent + decode(of_c[i]).exponent;
      reach(unit, unit + 106);
    }
  }
  if (special) return canonical(value);
  if (high < low) return T(0);
  LongSum sum(words, (high - low) / LongSum::bits + 5);
  for (int i = 0; i < 2; ++i) {
    if (!is_zero(alpha[i])) {
      const Decoded d = decode(alpha[i]);
      const auto mantissa = static_cast<std::int64_t>(d.mantissa);
      add_products(sum, c ^ i, d.negative ? -mantissa : mantissa, d.exponent - low);
    }
    if (!is_zero(beta[i]) && !is_zero(of_c[i])) {
      const Decoded b = decode(beta[i]), d = decode(of_c[i]);
      const auto magnitude = static_cast<Int128>(static_cast<Uint128>(b.mantissa) * d.mantissa);
      sum.add(b.negative != d.negative ? -magnitude : magnitude, b.exponent + d.exponent - low);
    }
  }
  sum.multiply(1);
  return sum.template round<T>(low);
}

template <class T>
__global__ void __launch_bounds__(LongSum::lanes)
    combine_kernel(const __grid_constant__ SliceFinish<T> a, const __grid_constant__ CombinedParts<T> combined) {
  __shared__ std::int64_t words[combined_words * LongSum::lanes];
  const CombineFactors<T> factors(combined, threadIdx.x % 2 == 1);
  if (factors.leaves_c) return;
  finish_elements(a, [&](Index r, Index c, bool inside, bool special) {
    const Index row = a.first_row + r, col = a.first_col + c;
    T* const at = element(a.pass.at, row, col);
    const CombineAddend<T> addend(combined, factors, inside, row, col, at);
    if (inside && !special) *at = finish_combined(a, r, c, factors, addend, words + threadIdx.x);
  });
}

unsigned at_most(Index blocks, Index most) { return static_cast<unsigned>(blocks < most ? blocks : most); }

}  // namespace

template <class T>
void slice_grids(const SliceScheme& scheme, const Operand<T>& x, const Lines& lines, const LineSlices& out,
                 CallState* state, cudaStream_t stream) {
  if (rehearses()) return;
  grids_kernel<<<at_most(x.count, 1 << 20), grid_threads, 0, stream>>>(scheme, x, lines, out, state);
  check_launch("slice_grids");
}

template <class T>
void cut_slices(const SliceScheme& scheme, const SliceArguments<T>& a, cudaStream_t stream) {
  if (rehearses()) return;
  cut_slices_kernel<<<tile_blocks(a.block), dim3(OperandTile::side, OperandTile::rows), 0, stream>>>(
      scheme, a, lies_along_terms(a.block.operand));
  check_launch("cut_slices");
}

template <class T>
void finish_slices(const SliceScheme& scheme, const ExactArguments<T>& pass, const LineSlices& row_slices,
                   const LineSlices& col_slices, const double* planes, Index first_row, Index rows, Index first_col,
                   Index cols, const CombinedParts<T>* combined, cudaStream_t stream) {
  if (rehearses()) return;
  const SliceFinish<T> a{scheme, pass, row_slices, col_slices, planes, first_row, rows, first_col, cols};
  const dim3 blocks(static_cast<unsigned>(ceil_div(cols, LongSum::lanes)), at_most(rows, 65535));
  if (combined) {
    combine_kernel<<<blocks, LongSum::lanes, 0, stream>>>(a, *combined);
    return check_launch("finish_slices");
  }
  finish_slices_kernel<<<blocks, LongSum::lanes, 0, stream>>>(a);
  check_launch("finish_slices");
}

#define ACCUBLAS_INSTANTIATE(T)                                                                                   \
  template void slice_grids(const SliceScheme&, const Operand<T>&, const Lines&, const LineSlices&, CallState*,   \
                            cudaStream_t);                                                                        \
  template void cut_slices(const SliceScheme&, const SliceArguments<T>&, cudaStream_t);                           \
  template void finish_slices(const SliceScheme&, const ExactArguments<T>&, const LineSlices&, const LineSlices&, \
                              const double*, Index, Index, Index, Index, const CombinedParts<T>*, cudaStream_t);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
