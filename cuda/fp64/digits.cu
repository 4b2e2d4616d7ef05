// The kernels of engines fp16 and fp64: cutting into digits, adding products by level, finishing.
#include <cuda_fp16.h>

#include "cuda/core/call_state.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/exact/finish_element.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/fp64/digits.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cuda {
namespace {

// ---- plan ------------------------------------------------------------------------------------------------

struct PlanArguments {
  DigitScheme scheme;
  Index block_rows, block_cols;
  int index;
  CallState* state;
};

__device__ void set_pass(const PlanArguments& a, bool interval, Elements elements, int bits) {
  a.state->pass[a.index] = {1, interval, elements, bits, bits, a.scheme.digits, a.block_rows, a.block_cols};
  if (bits > a.state->bits) a.state->bits = bits;
  if (a.scheme.digits > a.state->parts) a.state->parts = a.scheme.digits;
}

template <class T>
__global__ void plan_fixed_kernel(PlanArguments a, int t, double target, Index elements, Scalar<T> alpha) {
  CallState& state = *a.state;
  state.pass[a.index].active = 0;
  if (leaves_c(state, alpha)) return;
  const bool certified = t == 0;
  if (certified) {
    if (state.all_by_cr != 0) {
      state.rejected_in_all = static_cast<unsigned long long>(elements);
      state.rejected = 0;
      return;
    }
    if (state.largest_rung == 0) return;
    constexpr CertificateRungs rungs = certificate_rungs<T>();
    t = rungs.t[state.largest_rung - 1];
  } else {
    const bool exact = state.rows.needed_bits <= t && state.cols.needed_bits <= t;
    state.bound_componentwise = exact ? 0 : from_bits<double>(FloatFormat<double>::infinity);
    if (target > 0 && !(exact && unit_roundoff<T>() <= target)) {
      state.missed_target = state.refused = 1;
      return;
    }
  }
  set_pass(a, false, certified ? Elements::not_open : Elements::all, t);
}

template <class T>
__global__ void plan_cr_kernel(PlanArguments a, bool first, unsigned long long few, Scalar<T> alpha) {
  CallState& state = *a.state;
  state.pass[a.index].active = 0;
  first = first || state.all_by_cr != 0;
  if (leaves_c(state, alpha) || (!first && open_before(state, a.index) <= few)) return;
  set_pass(a, true, first ? Elements::all : Elements::open, a.scheme.bits());
}

// ---- digits ----------------------------------------------------------------------------------------------

/// Yields the digits of an integer mantissa 2^shift from the lowest up, balanced: -2^(width-1) < d <= 2^(width-1). The
/// last digit takes the remainder, which the scheme keeps within 2^(width-1) too.
class Digits {
 public:
  __device__ Digits(ScaledInteger value, int width)
      : magnitude_(static_cast<std::uint64_t>(value.mantissa < 0 ? -value.mantissa : value.mantissa)),
        position_(-value.shift),
        width_(width),
        negative_(value.mantissa < 0) {}

  __device__ int next() {
    const std::uint64_t mask = (std::uint64_t{1} << width_) - 1;
    std::uint64_t bits = 0;
    if (position_ > -width_ && position_ < 64)
      bits = (position_ >= 0 ? magnitude_ >> position_ : magnitude_ << -position_) & mask;
    position_ += width_;
    int digit = static_cast<int>(bits) + carry_;
    carry_ = digit > 1 << (width_ - 1);
    if (carry_) digit -= 1 << width_;
    return negative_ ? -digit : digit;
  }

 private:
  std::uint64_t magnitude_;
  int position_;  ///< position of the next digit's last bit in the magnitude
  int width_;
  int carry_ = 0;
  bool negative_;
};

__device__ void store(__half* to, int digit) { *to = __int2half_rn(digit); }  // exact up to 2^11
__device__ void store(double* to, int digit) { *to = digit; }

template <class T, class Digit>
__global__ void __launch_bounds__(OperandTile::side* OperandTile::rows)
    cut_kernel(CutArguments<T> a, int width, int digits, bool along_terms, const PassPlan* plan) {
  if (!plan->active) return;
  const OperandBlock<T>& x = a.block;
  Digit* const out = static_cast<Digit*>(a.out);
  for_entries(x, along_terms, [&](Index i, Index p, T entry) {
    const Index at = x.first + i;
    const int scale = line_scale(*plan, a.lines, at, a.row ? plan->row_bits : plan->col_bits);
    Digits cut(scale_entry(a.lines.special[at] != 0 ? T(0) : entry, 0, scale), width);
    Digit* to = out + (i * digits + (a.falling ? digits - 1 : 0)) * x.terms_padded + p;
    for (int q = 0; q < digits; ++q, to += a.falling ? -x.terms_padded : x.terms_padded) store(to, cut.next());
  });
}

// ---- levels ----------------------------------------------------------------------------------------------

template <class Sum>
__global__ void add_kernel(LevelArguments a, const PassPlan* plan) {
  if (!plan->active) return;
  const Sum* const products = static_cast<const Sum*>(a.products);
  for (Index r = blockIdx.y; r < a.rows; r += gridDim.y) {
    for (Index c = Index{blockIdx.x} * blockDim.x + threadIdx.x; c < a.cols; c += Index{gridDim.x} * blockDim.x) {
      const Index at = r * a.ld + c;
      std::int64_t sum = a.accumulate ? a.level[at] : 0;
      // products are integers
      for (int i = 0; i < a.count; ++i) sum += static_cast<std::int64_t>(products[i * a.plane + at]);
      a.level[at] = sum;
    }
  }
}

/// Computes s = s 2^shift + value, 0 < shift < 64.
template <int L>
__device__ void shift_add(Wide<L>& s, int shift, std::int64_t value) {
#pragma unroll
  for (int i = L - 1; i > 0; --i) s.limb[i] = s.limb[i] << shift | s.limb[i - 1] >> (64 - shift);
  s.limb[0] <<= shift;
  s = wide_add(s, wide_from<L>(value));
}

constexpr int finish_rows = 8;  ///< rows of a warp, which share its columns' constants

template <class T>
struct FinishArguments {
  DigitPass<T> pass;
  const std::int64_t* levels;
  Index plane, ld;
  int width, level_count;
  Index first_row, rows, first_col, cols;
};

template <class T, int L>
__global__ void __launch_bounds__(128) finish_kernel(FinishArguments<T> a) {
  const DigitPass<T>& pass = a.pass;
  const PassPlan plan = pass.state->pass[pass.index];
  if (!plan.active) return;
  const T alpha = pass.alpha.get(), beta = pass.beta.get();
  const Index c = (Index{blockIdx.x} * blockDim.x + threadIdx.x), col = a.first_col + c;
  if (c / 32 * 32 >= a.cols) return;  // the whole warp returns
  const bool inside = c < a.cols;
  const FinishLine column = inside ? finish_line(plan, pass.col_lines, col, false) : FinishLine{0, {0, 0}, true};
  const Index words = OpenBits::words_per_row(pass.cols.count);
  for (Index r = Index{blockIdx.y} * finish_rows; r < a.rows; r += Index{gridDim.y} * finish_rows) {
    for (Index i = r; i < r + finish_rows && i < a.rows; ++i) {
      const Index row = a.first_row + i;
      const FinishLine line = finish_line(plan, pass.row_lines, row, true);
      const bool special = line.special || column.special;
      std::uint32_t* const word = pass.open + row * words + col / 32;
      const bool was_open = plan.elements == Elements::all || (*word >> (col % 32) & 1) != 0;
      bool open = was_open;
      if (inside && !special && of_pass(plan.elements, was_open)) {
        Wide<L> sum{};
        const std::int64_t* level = a.levels + i * a.ld + c;
        for (int l = a.level_count - 1; l >= 0; --l) shift_add(sum, a.width, level[l * a.plane]);
        T* const at = element(pass.at, row, col);
        open = !finish_element(sum, line, column, plan.interval != 0, pass.all_undecided, alpha, beta, at);
      }
      __syncwarp();  // every lane has read the word
      write_open_word(word, inside, open, special, &pass.state->open[pass.index]);
    }
  }
}

unsigned grid(Index blocks, Index most) { return static_cast<unsigned>(blocks < most ? blocks : most); }

}  // namespace

template <class T>
void plan_digits_fixed(const DigitScheme& scheme, const DigitBlocks& blocks, const DigitPass<T>& pass, int t,
                       double target, Index elements, cudaStream_t stream) {
  if (rehearses()) return;
  plan_fixed_kernel<<<1, 1, 0, stream>>>(PlanArguments{scheme, blocks.rows, blocks.cols, pass.index, pass.state}, t,
                                         target, elements, pass.alpha);
  check_launch("plan_digits_fixed");
}

template <class T>
void plan_digits_cr(const DigitScheme& scheme, const DigitBlocks& blocks, const DigitPass<T>& pass, bool first,
                    cudaStream_t stream) {
  if (rehearses()) return;
  const unsigned long long few = few_elements_gpu(pass.rows.count, pass.cols.count);
  plan_cr_kernel<<<1, 1, 0, stream>>>(PlanArguments{scheme, blocks.rows, blocks.cols, pass.index, pass.state}, first,
                                      few, pass.alpha);
  check_launch("plan_digits_cr");
}

template <class T>
void cut_digits(const DigitScheme& scheme, const CutArguments<T>& a, const PassPlan* plan, cudaStream_t stream) {
  if (rehearses()) return;
  const bool along_terms = lies_along_terms(a.block.operand);
  const dim3 threads(OperandTile::side, OperandTile::rows);
  if (scheme.half)
    cut_kernel<T, __half>
        <<<tile_blocks(a.block), threads, 0, stream>>>(a, scheme.width, scheme.digits, along_terms, plan);
  else
    cut_kernel<T, double>
        <<<tile_blocks(a.block), threads, 0, stream>>>(a, scheme.width, scheme.digits, along_terms, plan);
  check_launch("cut_digits");
}

void add_to_level(const LevelArguments& a, const PassPlan* plan, cudaStream_t stream) {
  if (rehearses()) return;
  const dim3 blocks(grid(ceil_div(a.cols, 256), 1024), grid(a.rows, 16384));
  if (a.half)
    add_kernel<float><<<blocks, 256, 0, stream>>>(a, plan);
  else
    add_kernel<double><<<blocks, 256, 0, stream>>>(a, plan);
  check_launch("add_to_level");
}

template <class T>
void finish_levels(const DigitScheme& scheme, const DigitBlocks& blocks, const DigitPass<T>& pass,
                   const std::int64_t* levels, Index first_row, Index rows, Index first_col, Index cols,
                   cudaStream_t stream) {
  if (rehearses()) return;
  const FinishArguments<T> a{
      pass,      levels, blocks.rows * blocks.cols, blocks.cols, scheme.width, scheme.levels(), first_row, rows,
      first_col, cols};
  const dim3 grid_size(static_cast<unsigned>(ceil_div(cols, 128)), grid(ceil_div(rows, finish_rows), 65535));
  if (scheme.limbs == 2)
    finish_kernel<T, 2><<<grid_size, 128, 0, stream>>>(a);
  else if (scheme.limbs == 3)
    finish_kernel<T, 3><<<grid_size, 128, 0, stream>>>(a);
  else
    finish_kernel<T, 6><<<grid_size, 128, 0, stream>>>(a);
  check_launch("finish_levels");
}

#define ACCUBLAS_INSTANTIATE(T)                                                                                        \
  template void plan_digits_fixed(const DigitScheme&, const DigitBlocks&, const DigitPass<T>&, int, double, Index,     \
                                  cudaStream_t);                                                                       \
  template void plan_digits_cr(const DigitScheme&, const DigitBlocks&, const DigitPass<T>&, bool, cudaStream_t);       \
  template void cut_digits(const DigitScheme&, const CutArguments<T>&, const PassPlan*, cudaStream_t);                 \
  template void finish_levels(const DigitScheme&, const DigitBlocks&, const DigitPass<T>&, const std::int64_t*, Index, \
                              Index, Index, Index, cudaStream_t);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
