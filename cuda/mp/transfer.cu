// Transfers numbers into and out of arrays: limbs or doubles to residues, residues to limbs; also copies.
#include <algorithm>

#include "cuda/mp/align.hpp"
#include "cuda/mp/byte_product.hpp"
#include "cuda/mp/number.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr std::size_t shared_limit = 48 * 1024, shared_wanted = 32 * 1024;
constexpr unsigned block_limit = 1u << 20;

/// Returns the position of number t of a block, counted down its columns.
__device__ __forceinline__ Index number_at(const mp::Block& block, Index t) {
  if ((t | block.rows) >> 32 != 0) return element_at(block, t % block.rows, t / block.rows);
  const std::uint32_t number = static_cast<std::uint32_t>(t), rows = static_cast<std::uint32_t>(block.rows),
                      j = number / rows;  // takes a fifth of the instructions
  return element_at(block, number - j * rows, j);
}

__device__ __forceinline__ void store_head(const MpFormat& format, const mp::Elements& to, Index at,
                                           std::int32_t exponent, bool negative, std::uint64_t leading) {
  to.exponent[at] = exponent;
  to.sign[at] = negative;
  const Interval bounds = mp::is_special(exponent) ? Interval{0, 0} : evaluate(leading, format.eval);
  to.eval[at] = bounds.lower;
  to.eval[to.length + at] = bounds.upper;
}

/// The shared memory of encode_kernel: positions in the array (negative: none), and limbs.
template <int elements>
struct EncodeLayout {
  Index* at;            ///< [elements]
  std::uint32_t* limb;  ///< [elements][line]
  int line;             ///< 4 modulo 8, at least 8 byte_steps(limbs)
  static constexpr int line_of(int limbs) { return 8 * byte_steps(limbs) + 4; }
  static std::size_t bytes(int limbs) {
    return elements * (sizeof(Index) + static_cast<std::size_t>(line_of(limbs)) * sizeof(std::uint32_t));
  }
  __device__ EncodeLayout(void* shared, int limbs)
      : at(static_cast<Index*>(shared)), limb(reinterpret_cast<std::uint32_t*>(at + elements)), line(line_of(limbs)) {}
};

/// A thread block takes `elements` numbers; a warp takes 16 `tiles` of them and four moduli at a time.
template <int elements, int tiles>
__global__ void __launch_bounds__(threads) encode_kernel(const __grid_constant__ MpFormat format, const mp::Elements to,
                                                         const mp::Block block, const MpLimbs from) {
  extern __shared__ uint4 shared[];
  const EncodeLayout<elements> s(shared, format.limbs);
  const Index first = static_cast<Index>(blockIdx.x) * elements;
  const int count = static_cast<int>(min(static_cast<Index>(elements), from.count - first));
  const std::uint32_t* const limbs = from.limb + first * format.limbs;
  int number = threadIdx.x / format.limbs, l = threadIdx.x % format.limbs;
  const int numbers = threads / format.limbs, more = threads % format.limbs;
#pragma unroll 4
  for (int i = threadIdx.x; i < count * format.limbs; i += threads) {
    s.limb[number * s.line + l] = __ldcs(limbs + i);
    number += numbers;
    l += more;
    if (l >= format.limbs) l -= format.limbs, ++number;
  }
  __syncthreads();
  if (threadIdx.x < elements) {
    const int e = threadIdx.x;
    const bool here = e < count;
    const Index at = here ? number_at(block, from.first + first + e) : -1;
    s.at[e] = at;
    const std::int32_t exponent = here ? from.exponent[first + e] : mp::exponent_zero;
    const bool special = mp::is_special(exponent);
    std::uint32_t* const limb = s.limb + e * s.line;
    if (here)
      store_head(format, to, at, exponent, from.sign[first + e] != 0 && exponent != mp::exponent_nan,
                 special ? 0 : leading_bits(limb, format));
    if (special)
      for (int i = 0; i < format.limbs; ++i) limb[i] = 0;
  }
  __syncthreads();
  constexpr int runs = elements / (16 * tiles);
  const int lane = threadIdx.x % 32, steps = byte_steps(format.limbs), groups = byte_groups(format.basis.moduli);
  for (int unit = threadIdx.x / 32; unit < runs * groups; unit += warps) {
    const int group = unit / runs, offset = unit % runs * (16 * tiles), k = 4 * group + lane % 4;
    ByteSums<tiles> sums;
    byte_products(sums, s.limb + offset * s.line, 1, s.line, steps, format.byte_power + 32 * steps * group);
    if (k >= format.basis.moduli) continue;
    const RnsModulus modulus = load_modulus(format.basis.modulus + k);
#pragma unroll
    for (int t = 0; t < tiles; ++t)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const Index at = s.at[offset + 16 * t + 8 * h + lane / 4];
        if (at >= 0) to.digits[k * to.stride + at] = reduce_sum(sums.value(t, h), modulus);
      }
  }
}

__global__ void __launch_bounds__(threads)
    encode_doubles_kernel(const MpFormat format, const mp::Elements to, const mp::Block block, const double* value,
                          Index first, Index count) {
  const Index t = static_cast<Index>(blockIdx.x) * threads + threadIdx.x;
  if (t >= count) return;
  const std::uint64_t bits = to_bits(value[t]), magnitude = bits & ~FloatFormat<double>::sign;
  const Index at = number_at(block, first + t);
  std::uint64_t mantissa = 0;
  std::int32_t exponent = mp::exponent_zero;
  if (magnitude >= FloatFormat<double>::infinity) {
    exponent = magnitude == FloatFormat<double>::infinity ? mp::exponent_infinity : mp::exponent_nan;
  } else if (magnitude != 0) {
    const int field = static_cast<int>(magnitude >> 52);
    mantissa = field == 0 ? magnitude : (magnitude & 0xFFFFFFFFFFFFFu) | 0x10000000000000u;
    const int zeros = __clzll(static_cast<long long>(mantissa)) - 11;
    mantissa <<= zeros;
    exponent = (field == 0 ? 1 : field) - 1022 - zeros;
  }
  store_head(format, to, at, exponent, (bits >> 63) != 0 && exponent != mp::exponent_nan, mantissa << 11);
  // X = mantissa 2^(precision - 53) is a power of two below 2^32 times one of the table.
  const int shift = format.precision - 53, limb = shift / 32;
  const std::uint64_t low = mantissa << (shift % 32);
  const std::uint32_t high = shift % 32 == 0 ? 0 : static_cast<std::uint32_t>(mantissa >> (64 - shift % 32));
  for (int k = 0; k < format.basis.moduli; ++k) {
    const RnsModulus modulus = load_modulus(format.basis.modulus + k);
    const std::uint32_t r =
        rns_reduce96(static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32), high, modulus);
    to.digits[k * to.stride + at] = rns_mul(r, __ldg(format.power + limb * format.line + k), modulus);
  }
}

template <int width>
__global__ void __launch_bounds__(width != many_warps ? threads : 1024)
    decode_kernel(const MpFormat format, const mp::Elements from, const mp::Block block, const MpLimbs to) {
  extern __shared__ uint4 shared[];
  constexpr bool one_warp = width != many_warps;
  const int size = one_warp ? 32 : blockDim.x, teams = one_warp ? warps : 1, number = one_warp ? threadIdx.x / 32 : 0;
  std::uint32_t* const mine =
      reinterpret_cast<std::uint32_t*>(shared) + number * (team_words(size) + number_words(size));
  const Team<width> team(one_warp ? threadIdx.x % 32 : threadIdx.x, size, mine);
  const NumberScratch scratch(mine + team_words(size), size);
  for (Index t = static_cast<Index>(blockIdx.x) * teams + number; t < to.count;
       t += static_cast<Index>(gridDim.x) * teams) {
    const Index at = number_at(block, to.first + t);
    const std::int32_t exponent = from.exponent[at];
    const std::uint32_t limb = mp::is_special(exponent) ? 0 : limb_of_element(team, format, from, at, scratch);
    if (team.rank() < format.limbs) to.limb[t * format.limbs + team.rank()] = limb;
    if (team.rank() == 0) {
      to.exponent[t] = exponent;
      to.sign[t] = from.sign[at];
    }
    team.sync();
  }
}

template <int width>
__global__ void __launch_bounds__(width != many_warps ? threads : 1024)
    convert_kernel(const __grid_constant__ MpFormat to_format, const mp::Elements to, const mp::Block to_block,
                   const __grid_constant__ MpFormat from_format, const mp::Elements from, const mp::Block from_block) {
  extern __shared__ uint4 shared[];
  constexpr bool one_warp = width != many_warps;
  const int size = one_warp ? 32 : blockDim.x, teams = one_warp ? warps : 1, number = one_warp ? threadIdx.x / 32 : 0;
  std::uint32_t* const mine =
      reinterpret_cast<std::uint32_t*>(shared) + number * (team_words(size) + number_words(size));
  const Team<width> team(one_warp ? threadIdx.x % 32 : threadIdx.x, size, mine);
  const NumberScratch scratch(mine + team_words(size), size);
  const Index count = to_block.rows * to_block.columns;
  for (Index t = static_cast<Index>(blockIdx.x) * teams + number; t < count;
       t += static_cast<Index>(gridDim.x) * teams) {
    const Index at = number_at(to_block, t), source = number_at(from_block, t);
    const std::int32_t exponent = from.exponent[source];
    const bool negative = from.sign[source] != 0;
    if (mp::is_special(exponent)) {
      store_special(team, to_format, to, at, exponent, negative);
    } else {
      const std::uint32_t limb = limb_of_element(team, from_format, from, source, scratch);
      store_rounded(team, to_format, to, at, limb, negative,
                    static_cast<std::int64_t>(exponent) - from_format.precision, false, scratch);
    }
    team.sync();
  }
}

/// Thread blocks (., k) copy plane k; k = moduli copies the other arrays.
__global__ void __launch_bounds__(threads)
    copy_kernel(const mp::Elements to, const mp::Block to_block, const mp::Elements from, const mp::Block from_block) {
  const Index step = static_cast<Index>(gridDim.x) * threads;
  const int k = blockIdx.y;
  for (Index t = static_cast<Index>(blockIdx.x) * threads + threadIdx.x; t < to_block.rows * to_block.columns;
       t += step) {
    const Index at = number_at(to_block, t), source = number_at(from_block, t);
    if (k < to.format.moduli) {
      to.digits[k * to.stride + at] = from.digits[k * from.stride + source];
      continue;
    }
    to.exponent[at] = from.exponent[source];
    to.sign[at] = from.sign[source];
    to.eval[at] = from.eval[source];
    to.eval[to.length + at] = from.eval[from.length + source];
  }
}

__global__ void __launch_bounds__(threads) clear_exponents(std::int32_t* exponent, Index length) {
  const Index t = static_cast<Index>(blockIdx.x) * threads + threadIdx.x;
  if (t < length) exponent[t] = mp::exponent_zero;
}

unsigned blocks_of(Index count, Index each) { return static_cast<unsigned>(ceil_div(count, each)); }

template <int elements, int tiles>
void encode(const MpFormat& format, const mp::Elements& to, const mp::Block& block, const MpLimbs& from,
            cudaStream_t stream) {
  encode_kernel<elements, tiles>
      <<<blocks_of(from.count, elements), threads, EncodeLayout<elements>::bytes(format.limbs), stream>>>(format, to,
                                                                                                          block, from);
}

}  // namespace

void mp_encode(const MpFormat& format, const mp::Elements& to, const mp::Block& block, const MpLimbs& from,
               cudaStream_t stream) {
  if (from.count == 0) return;
  // A thread block takes as many elements as fit; few groups are divided among the warps by elements.
  const bool few = byte_groups(format.basis.moduli) == 1;
  if (EncodeLayout<128>::bytes(format.limbs) <= shared_wanted)
    few ? encode<128, 1>(format, to, block, from, stream) : encode<128, 2>(format, to, block, from, stream);
  else if (EncodeLayout<64>::bytes(format.limbs) <= shared_limit)
    encode<64, 2>(format, to, block, from, stream);
  else
    encode<32, 2>(format, to, block, from, stream);
  check_launch("mp_encode");
}

void mp_encode_doubles(const MpFormat& format, const mp::Elements& to, const mp::Block& block, const double* value,
                       Index first, Index count, cudaStream_t stream) {
  if (count == 0) return;
  encode_doubles_kernel<<<blocks_of(count, threads), threads, 0, stream>>>(format, to, block, value, first, count);
  check_launch("mp_encode_doubles");
}

void mp_decode(const MpFormat& format, const mp::Elements& from, const mp::Block& block, const MpLimbs& to,
               cudaStream_t stream) {
  if (to.count == 0) return;
  const int size = round_up(std::max({format.basis.moduli, format.basis.limbs, format.limbs}), 32);
  const std::size_t bytes = static_cast<std::size_t>(team_words(size) + number_words(size)) * sizeof(std::uint32_t);
  if (size == 32)
    decode_kernel<32><<<std::min(block_limit, blocks_of(to.count, warps)), threads, warps * bytes, stream>>>(
        format, from, block, to);
  else
    decode_kernel<many_warps><<<static_cast<unsigned>(std::min<Index>(block_limit, to.count)), size, bytes, stream>>>(
        format, from, block, to);
  check_launch("mp_decode");
}

void mp_copy(const mp::Elements& to, const mp::Block& to_block, const mp::Elements& from, const mp::Block& from_block,
             cudaStream_t stream) {
  if (to_block.size() == 0) return;
  const dim3 grid(std::min(block_limit, blocks_of(to_block.size(), threads)),
                  static_cast<unsigned>(to.format.moduli + 1));
  copy_kernel<<<grid, threads, 0, stream>>>(to, to_block, from, from_block);
  check_launch("mp_copy");
}

void mp_convert(const MpFormat& to_format, const mp::Elements& to, const mp::Block& to_block,
                const MpFormat& from_format, const mp::Elements& from, const mp::Block& from_block,
                cudaStream_t stream) {
  const Index count = to_block.size();
  if (count == 0) return;
  // One more limb holds the carry of the rounding.
  const auto places = [](const MpFormat& f) { return std::max({f.basis.moduli, f.basis.limbs, f.limbs + 1}); };
  const int size = round_up(std::max(places(to_format), places(from_format)), 32);
  const std::size_t bytes = static_cast<std::size_t>(team_words(size) + number_words(size)) * sizeof(std::uint32_t);
  if (size == 32)
    convert_kernel<32><<<std::min(block_limit, blocks_of(count, warps)), threads, warps * bytes, stream>>>(
        to_format, to, to_block, from_format, from, from_block);
  else
    convert_kernel<many_warps><<<static_cast<unsigned>(std::min<Index>(block_limit, count)), size, bytes, stream>>>(
        to_format, to, to_block, from_format, from, from_block);
  check_launch("mp_convert");
}

void mp_clear(const mp::Elements& e, cudaStream_t stream) {
  if (e.length == 0) return;
  const auto zero = [&](void* p, Index bytes) {
    check(cudaMemsetAsync(p, 0, static_cast<std::size_t>(bytes), stream), "cudaMemsetAsync");
  };
  zero(e.digits, e.stride * e.format.moduli * 4);
  zero(e.sign, e.length);
  zero(e.eval, 2 * e.length * 8);
  clear_exponents<<<blocks_of(e.length, threads), threads, 0, stream>>>(e.exponent, e.length);
  check_launch("mp_clear");
}

}  // namespace accublas::cuda
