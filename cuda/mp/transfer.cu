// Numbers in and out of arrays: limbs or doubles to residues, residues to limbs; copies.
#include <algorithm>

#include "cuda/mp/align.hpp"
#include "cuda/mp/number.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr std::size_t shared_limit = 48 * 1024, shared_wanted = 32 * 1024;
constexpr unsigned block_limit = 1u << 20;

/// Number t of a block, counted down its columns.
__device__ __forceinline__ Index number_at(const mp::Block& block, Index t) {
  return element_at(block, t % block.rows, t / block.rows);
}

__device__ __forceinline__ void store_head(const MpFormat& format, const mp::Elements& to, Index at,
                                           std::int32_t exponent, bool negative, std::uint64_t leading) {
  to.exponent[at] = exponent;
  to.sign[at] = negative;
  const Interval bounds = mp::is_special(exponent) ? Interval{0, 0} : evaluate(leading, format.eval);
  to.eval[at] = bounds.lower;
  to.eval[to.length + at] = bounds.upper;
}

/// Tiles of 32 `count` numbers, each for `sharers` warps.
template <int count>
__global__ void __launch_bounds__(threads) encode_kernel(const MpFormat format, const mp::Elements to,
                                                         const mp::Block block, const MpLimbs from, int sharers) {
  extern __shared__ uint4 shared[];
  const int lane = threadIdx.x % 32, number = threadIdx.x / 32 / sharers;
  std::uint32_t* const factors = reinterpret_cast<std::uint32_t*>(shared) + number * tile_words(format.limbs, 0, count);
  const TileWarp warp{static_cast<int>(threadIdx.x) / 32 % sharers, sharers, factors};
  const Index tile = static_cast<Index>(blockIdx.x) * (warps / sharers) + number;
  Index at[count];
#pragma unroll
  for (int c = 0; c < count; ++c) {
    const Index t = tile * (32 * count) + c * 32 + lane;
    const bool here = t < from.count;
    const std::int32_t exponent = here ? from.exponent[t] : mp::exponent_zero;
    const bool finite = !mp::is_special(exponent);
    const std::uint32_t* const limb = from.limb + (here ? t : 0) * format.limbs;
    at[c] = here ? number_at(block, from.first + t) : -1;
    for (int l = warp.member; l < format.limbs; l += sharers) {
      const std::uint32_t word = limb[l];
      factors[(l * 32 + lane) * count + c] = finite ? word : 0;
    }
    if (here && warp.member == 0)
      store_head(format, to, at[c], exponent, from.sign[t] != 0 && exponent != mp::exponent_nan,
                 finite ? leading_bits(limb, format) : 0);
  }
  __syncthreads();
  multiply_tile<count>(warp, factors, format.limbs, format.power, format.line, format.basis.moduli,
                       [&](int k, const Sum96(&sums)[count]) {
                         const RnsModulus modulus = load_modulus(format.basis.modulus + k);
#pragma unroll
                         for (int c = 0; c < count; ++c)
                           if (at[c] >= 0) to.digits[k * to.stride + at[c]] = sums[c].modulo(modulus);
                       });
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
  // X = mantissa 2^(precision - 53): a power of two below 2^32 times one of the table.
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

template <bool one_warp>
__global__ void __launch_bounds__(one_warp ? threads : 1024)
    decode_kernel(const MpFormat format, const mp::Elements from, const mp::Block block, const MpLimbs to) {
  extern __shared__ std::uint32_t words[];
  const int size = one_warp ? 32 : blockDim.x, teams = one_warp ? warps : 1, number = one_warp ? threadIdx.x / 32 : 0;
  std::uint32_t* const mine = words + number * (team_words(size) + number_words(size));
  const Team<one_warp> team(one_warp ? threadIdx.x % 32 : threadIdx.x, size, mine);
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

/// Blocks (., k): plane k; k = moduli: the rest.
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

unsigned blocks_of(Index count, Index each) { return static_cast<unsigned>((count + each - 1) / each); }

/// Shared memory of a thread block.
std::size_t shared_bytes(const MpFormat& format, int sharers, int count) {
  return static_cast<std::size_t>(warps / sharers * tile_words(format.limbs, 0, count)) * sizeof(std::uint32_t);
}

template <int count>
void encode(const MpFormat& format, const mp::Elements& to, const mp::Block& block, const MpLimbs& from,
            cudaStream_t stream) {
  int sharers = 1;
  while (sharers < warps && shared_bytes(format, sharers, count) > shared_wanted) sharers *= 2;
  encode_kernel<count><<<blocks_of(from.count, 32 * count * (warps / sharers)), threads,
                         shared_bytes(format, sharers, count), stream>>>(format, to, block, from, sharers);
}

}  // namespace

void mp_encode(const MpFormat& format, const mp::Elements& to, const mp::Block& block, const MpLimbs& from,
               cudaStream_t stream) {
  if (from.count == 0) return;
  // Four elements a thread where their limbs fit into shared memory.
  if (from.count > 32 && shared_bytes(format, warps, 4) <= shared_limit)
    encode<4>(format, to, block, from, stream);
  else
    encode<1>(format, to, block, from, stream);
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
  const int size = (std::max({format.basis.moduli, format.basis.limbs, format.limbs}) + 31) / 32 * 32;
  const std::size_t bytes = static_cast<std::size_t>(team_words(size) + number_words(size)) * sizeof(std::uint32_t);
  if (size == 32)
    decode_kernel<true><<<std::min(block_limit, blocks_of(to.count, warps)), threads, warps * bytes, stream>>>(
        format, from, block, to);
  else
    decode_kernel<false><<<static_cast<unsigned>(std::min<Index>(block_limit, to.count)), size, bytes, stream>>>(
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
