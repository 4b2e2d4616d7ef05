// Results of complex products that combine both parts of S (cuda/exact/combined_parts.hpp) outside of an engine's own
// kernel: the bits of a certificate, dot2's pairs, and the elements that nothing else decides.
#include <new>

#include "cuda/core/launch.hpp"
#include "cuda/exact/combine_parts.hpp"
#include "cuda/exact/exact_element.hpp"
#include "cuda/exact/finish_element.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/sums/dot2_pair.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr int combined_threads = 256, combined_warps = combined_threads / 32;
/// The warps of a block for exact parts: half as many as in exact(), because the storage also has a ComponentSum here.
constexpr int combining_warps = 4;

template <class T>
__global__ void __launch_bounds__(combined_threads)
    combine_rejected_kernel(CombinedParts<T> combined, Index words, std::uint32_t* open, CallState* state) {
  await_predecessor();
  const Complex<T> alpha = combined.alpha.get();
  if (is_zero(alpha.im) || state->common_moduli != 0 || state->all_by_cr != 0) return;
  constexpr std::uint32_t real = 0x55555555;
  for (Index w = Index{blockIdx.x} * combined_threads + threadIdx.x; w < words;
       w += Index{gridDim.x} * combined_threads) {
    const std::uint32_t before = open[w], other = (before & real) << 1 | (before >> 1 & real);
    if (before == 0) continue;
    const std::uint32_t after = is_zero(alpha.re) ? other : before | other;
    open[w] = after;
    // Both bits of a special pair are set already.
    const int more = __popc(after) - __popc(before);
    if (more != 0) atomicAdd(&state->rejected, static_cast<unsigned long long>(more));
  }
}

/// Computes a component from the exact sums of both parts, one after the other in a warp's storage.
template <class T>
class ExactParts {
 public:
  __device__ ExactParts(const ExactArguments<T>& a, Index row, Index col, const Team& team)
      : a_(a), row_(row), col_(col), team_(team) {}

  /// Adds factor S, of the column's part or of the other part of its number, to the first lane's sum; all lanes call
  /// this.
  __device__ void add_to(ComponentSum<T>* sum, int which, T factor) const {
    if (is_zero(factor)) return;
    const Index col = which == 0 ? col_ : col_ ^ 1;
    const LinePair<T> lines(a_.rows, row_, a_.cols, col);
    const bool leads = team_.leads();
    if (a_.row_lines.special[row_] != 0 || a_.col_lines.special[col] != 0) {
      const T value = special_sum(lines, a_.row_lines.special[row_] == 2 || a_.col_lines.special[col] == 2);
      if (leads) sum->add_special(factor, value);
      return;
    }
    if (!(a_.row_lines.norm[row_] > 0) || !(a_.col_lines.norm[col] > 0)) {
      if (leads) sum->add(factor, Wide<1>{}, 0);
      return;
    }
    const auto base_of = [](const Lines& l, Index i) { return l.last_bit[i] - (FloatFormat<T>::digits - 1); };
    const int base = base_of(a_.row_lines, row_) + base_of(a_.col_lines, col);
    const int bits = a_.row_lines.exponent[row_] + a_.col_lines.exponent[col] - base, count = bits / 32 + 5;
    exact_sum(lines, base, count, team_);
    if (leads) {
      const std::uint64_t* const limb = team_.storage->limb + finish_below;
      const int limbs = ceil_div(count, 2);
      std::uint64_t any = 0;
      for (int i = 0; i < limbs; ++i) any |= limb[i];
      if (!is_finite(factor)) {
        sum->add(factor, wide_from<1>(limb[limbs - 1] >> 63 != 0 ? -1 : any != 0), 0);
      } else {
        for (int i = 0; i < limbs; ++i)
          if (limb[i] != 0) sum->add(factor, Wide<2>{{limb[i], 0}}, base + 64 * i);
        if (limb[limbs - 1] >> 63 != 0) sum->add(factor, wide_from<1>(-1), base + 64 * limbs);
      }
    }
    team_.sync();
  }

 private:
  const ExactArguments<T>& a_;
  const Index row_, col_;
  const Team& team_;
};

template <class T>
__global__ void __launch_bounds__(32 * combining_warps, exact_blocks)
    exact_combined_kernel(const __grid_constant__ ExactArguments<T> a,
                          const __grid_constant__ CombinedParts<T> combined) {
  await_predecessor();
  if (combined.alpha.get() == T(0)) return;
  __shared__ ExactStorage storage[combining_warps];
  __shared__ alignas(ComponentSum<T>) unsigned char sums[combining_warps][sizeof(ComponentSum<T>)];
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const Team team{storage + warp, 0, 1};
  ComponentSum<T>* const sum = reinterpret_cast<ComponentSum<T>*>(sums[warp]);
  const CombineFactors<T> factors[2] = {{combined, false}, {combined, true}};
  const Index pitch = OpenBits::words_per_row(a.cols.count), total = a.rows.count * pitch;
  unsigned long long computed = 0;
  for (;;) {
    unsigned long long begin = 0;
    if (lane == 0) begin = atomicAdd(&a.state->next_chunk, 32ull);
    begin = __shfl_sync(0xFFFFFFFFu, begin, 0);
    if (static_cast<Index>(begin) >= total) break;
    const Index own = static_cast<Index>(begin) + lane;
    const std::uint32_t word = own < total ? a.open[own] : 0;
    for (unsigned left = __ballot_sync(0xFFFFFFFFu, word != 0); left != 0; left &= left - 1) {
      const int source = __ffs(static_cast<int>(left)) - 1;
      const Index at = static_cast<Index>(begin) + source, row = at / pitch;
      for (unsigned rest = __shfl_sync(0xFFFFFFFFu, word, source); rest != 0;) {
        const int bit = __ffs(static_cast<int>(rest)) - 1;
        const Index col = at % pitch * 32 + bit;
        rest &= rest - 1;
        const CombineFactors<T>& f = factors[col % 2];
        if (lane == 0) new (sum) ComponentSum<T>();
        const ExactParts<T> parts(a, row, col, team);
        parts.add_to(sum, 0, f.own_alpha);
        parts.add_to(sum, 1, f.other_alpha);
        if (lane == 0) {
          const auto c = [&](Index of) { return *addend_at(combined, row, of, element(a.at, row, of)); };
          if (f.reads_c) sum->add(f.own_beta, c(col));
          if (!is_zero(f.other_beta)) sum->add(f.other_beta, c(col ^ 1));
          *element(a.at, row, col) = sum->round();
        }
        __syncwarp();
        computed += a.row_lines.special[row] == 0 && a.col_lines.special[col] == 0;
      }
    }
  }
  if (lane == 0 && computed != 0) atomicAdd(&a.state->undecided, computed);
}

/// A warp takes 32 neighbouring columns of a row.
template <class T>
__global__ void __launch_bounds__(combined_threads)
    combine_pairs_kernel(const __grid_constant__ ExactArguments<T> a, const __grid_constant__ CombinedParts<T> combined,
                         Wanted wanted) {
  await_predecessor();
  const int lane = static_cast<int>(threadIdx.x % 32);
  const CombineFactors<T> factors(combined, lane % 2 == 1);
  if (factors.leaves_c) return;
  const Index across = OpenBits::words_per_row(a.cols.count);
  for (Index at = Index{blockIdx.x} * combined_warps + threadIdx.x / 32; at < a.rows.count * across;
       at += Index{gridDim.x} * combined_warps) {
    const Index row = at / across, col = at % across * 32 + lane;
    const bool inside = col < a.cols.count && (wanted.mask(row, col - lane) >> lane & 1) != 0;
    Pair own{0, 0};
    if (col < a.cols.count)
      own = load_pair((lane % 2 == 1 ? combined.imaginary : combined.real) + row * (a.cols.count / 2) + col / 2);
    const Pair other{__shfl_xor_sync(0xFFFFFFFFu, own.s, 1), __shfl_xor_sync(0xFFFFFFFFu, own.c, 1)};
    const auto known = [](const Pair& p, T factor) { return is_zero(factor) || (is_finite(p.s) && is_finite(p.c)); };
    const bool decided = known(own, factors.own_alpha) && known(other, factors.other_alpha);
    T* const to = element(a.at, row, col);
    const CombineAddend<T> c(combined, factors, col < a.cols.count, row, col, to);
    if (inside && decided) {
      const auto sum_of = [](const Pair& p) {
        const DoublePair sum = two_sum(p.s, p.c);
        return LeadingSum{sum.high, sum.low, is_finite(sum.low) ? 0 : CUDART_INF};
      };
      T out;
      if (!combine_leading(factors, sum_of(own), sum_of(other), c, &out))
        out = combine_exactly(factors, c, [&](ComponentSum<T>& sum, int which, T factor) {
          // An infinite factor times S has the sign of s + c, which may differ from that of s or c.
          const Pair& p = which == 0 ? own : other;
          if (is_finite(factor)) {
            sum.add(factor, p.s);
            sum.add(factor, p.c);
          } else if (!is_zero(factor)) {
            const double whole = p.s + p.c;
            sum.add(factor, whole > 0 ? 1.0 : whole < 0 ? -1.0 : 0.0);
          }
        });
      *to = out;
    }
    write_open_word(a.open + at, inside, inside && !decided, true, nullptr);
  }
}

}  // namespace

template <class T>
void combine_rejected(const DeviceModel& model, const CombinedParts<T>& combined, Index rows, Index cols,
                      std::uint32_t* open, CallState* state, cudaStream_t stream) {
  launch(model, "combining the certificate's bits", combine_rejected_kernel<T>,
         {static_cast<unsigned>(model.processors), combined_threads}, stream, combined,
         rows * OpenBits::words_per_row(cols), open, state);
}

template <class T>
void exact_combined(const DeviceModel& model, const ExactArguments<T>& a, const CombinedParts<T>& combined,
                    cudaStream_t stream) {
  launch(model, "exact parts", exact_combined_kernel<T>,
         {static_cast<unsigned>(exact_blocks * model.processors), 32 * combining_warps}, stream, a, combined);
}

template <class T>
void combine_pairs(const DeviceModel& model, const ExactArguments<T>& a, const CombinedParts<T>& combined,
                   const Wanted& wanted, cudaStream_t stream) {
  launch(model, "combining pairs", combine_pairs_kernel<T>,
         {static_cast<unsigned>(8 * model.processors), combined_threads}, stream, a, combined, wanted);
}

#define ACCUBLAS_INSTANTIATE(T)                                                                                      \
  template void combine_rejected(const DeviceModel&, const CombinedParts<T>&, Index, Index, std::uint32_t*,          \
                                 CallState*, cudaStream_t);                                                          \
  template void exact_combined(const DeviceModel&, const ExactArguments<T>&, const CombinedParts<T>&, cudaStream_t); \
  template void combine_pairs(const DeviceModel&, const ExactArguments<T>&, const CombinedParts<T>&, const Wanted&,  \
                              cudaStream_t);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
