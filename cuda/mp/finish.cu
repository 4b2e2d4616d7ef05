// Converts residues of sums to elements: Y by the Chinese remainder theorem, alpha Y + beta c exactly in limbs, one
// rounding, and the residues of the result. A team of threads computes an output, one limb a thread. The team is half
// of a warp up to 212 bits or so, a warp up to 424, else a thread block.
#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/mp/wide.hpp"
#include "lib/base/integers.hpp"
namespace accublas::cuda {

namespace {

constexpr int warp_threads = 128;                 // threads of a block whose teams are warps or half-warps
constexpr int joint_teams = 4, joint_size = 128;  // teams that read the cofactors once, and threads of such a team
constexpr int shared_words = 48 * 1024 / 4;

/// Sets x = x + y, neither zero. Returns true if a rest between 0 and 1, in units of x's last bit, is to be added.
///
/// Both numbers are cut to a window of all of the team's limbs. The highest bit of the two is the third highest bit of
/// the window. If one number loses bits at the lower end, it is at least three bits below the other, which loses none.
/// Then the difference keeps all but one of its bits, and the lost bits count as a rest between 0 and 1.
template <int width>
__device__ bool add_number(const Team<width>& team, SignedNumber& x, const SignedNumber& y, int x_length, int y_length,
                           const NumberScratch& scratch) {
  const int rank = team.rank(), size = team.size();
  const std::int64_t top = max(x.exponent + x_length, y.exponent + y_length), low = top + 2 - 32 * size;
  team.sync();
  scratch.first[rank] = x.limb;
  scratch.second[rank] = y.limb;
  team.sync();
  std::uint32_t u = team.shifted(scratch.first, size, low - x.exponent),
                v = team.shifted(scratch.second, size, low - y.exponent);
  const bool x_rest = team.loses(x.limb, low - x.exponent), y_rest = team.loses(y.limb, low - y.exponent);
  bool negative = x.negative;
  std::uint32_t sum;
  if (x.negative == y.negative) {
    sum = team.carried(static_cast<std::uint64_t>(u) + v);
  } else {
    if (x_rest) {
      const std::uint32_t other = u;
      u = v;
      v = other;
      negative = y.negative;
    }
    // This is u - v, less one if a rest is subtracted.
    sum = team.carried(static_cast<std::uint64_t>(u) + static_cast<std::uint32_t>(~v), x_rest || y_rest ? 0 : 1);
    if (team.broadcast(sum, size - 1) >> 31 != 0) {
      sum = team.carried(static_cast<std::uint32_t>(~sum), 1);
      negative = !negative;
    }
  }
  x = {sum, negative, low};
  return x_rest || y_rest;
}

/// Returns how many words of shared memory a team needs for joint_sum.
constexpr int joint_words(int teams, int size) { return 3 * teams * size; }

/// Returns the thread's word of sum_k d_k M_k for its team. All teams of a thread block call this together: each takes
/// a share of the moduli for all teams, so that the thread block reads the cofactors once. The digits of consecutive
/// teams are `stride` words apart, and so is the memory of joint_words.
template <int teams>
__device__ __forceinline__ Sum96 joint_sum(const MpBasis& basis, int number, int rank, int size,
                                           const std::uint32_t* digits, std::uint32_t* memory, int stride) {
  static_assert(mp_quads(1) % teams == 0);
  const int share = mp_quads(basis.moduli) / teams, first = number * share;
  __syncthreads();
  Sum96 sums[teams];
  if (rank < basis.limbs) {
    const uint4* table = basis.cofactor + static_cast<std::ptrdiff_t>(first) * basis.limbs + rank;
    const uint4* digit = reinterpret_cast<const uint4*>(digits) + first;
#pragma unroll 4
    for (int q = 0; q < share; ++q, table += basis.limbs, ++digit) {
      const uint4 w = __ldg(table);
#pragma unroll
      for (int t = 0; t < teams; ++t) {
        const uint4 d = digit[t * (stride / 4)];
        sums[t].add_product(d.x, w.x);
        sums[t].add_product(d.y, w.y);
        sums[t].add_product(d.z, w.z);
        sums[t].add_product(d.w, w.w);
      }
    }
  }
#pragma unroll
  for (int t = 0; t < teams; ++t) {
    std::uint32_t* const to = memory + t * stride + 3 * number * size + rank;
    to[0] = sums[t].low, to[size] = sums[t].middle, to[2 * size] = sums[t].high;
  }
  __syncthreads();
  Sum96 sum;
#pragma unroll
  for (int t = 0; t < teams; ++t) {
    const std::uint32_t* const from = memory + number * stride + 3 * t * size + rank;
    sum.add(from[0], from[size], from[2 * size]);
  }
  return sum;
}

/// Returns the thread blocks of a multiprocessor. With two of them, teams within warps took four rounds for 4000
/// outputs; and all thread blocks of 1000 outputs should be resident.
constexpr int resident(int width, int teams) { return width != many_warps ? 4 : teams > 1 ? 2 : 1; }

template <int width, int teams>
__global__ void __launch_bounds__(width != many_warps ? width * teams
                                  : teams == 1        ? 1024
                                                      : joint_size * teams,
                                  resident(width, teams)) finish_kernel(const __grid_constant__ MpFinish g, int words) {
  constexpr bool within_warp = width != many_warps, joint = !within_warp && teams > 1;
  extern __shared__ uint4 shared[];
  const int size = within_warp ? width : blockDim.x / teams, number = teams == 1 ? 0 : threadIdx.x / size;
  std::uint32_t* const all = reinterpret_cast<std::uint32_t*>(shared);
  std::uint32_t* const mine = all + number * words;
  const Team<width> team(threadIdx.x - number * size, size, mine, number);
  const NumberScratch scratch(mine + team_words(size), size);
  std::uint32_t* const further = mine + team_words(size) + number_words(size);
  const Index o = static_cast<Index>(blockIdx.x) * teams + number;
  const int r = blockIdx.y, rank = team.rank();
  const BasisWords words_of_basis = basis_words_early(g.basis, rank);
  FirstQuads cofactors;
  if (within_warp) cofactors = first_cofactors_early(g.basis, rank);
  await_predecessor();
  const bool exists = o < g.outputs && holds(g.triangle, o, g.first + r);
  if (!joint && !exists) return;
  // Independent loads are issued together.
  const bool sums = g.terms > 0 && exists;
  std::uint32_t residue = 0;
  if (sums && g.band_sums.groups > 0)
    residue = sum_residue(g, o, r, 0, rank);
  else if (sums && rank < g.basis.moduli)
    residue = __ldcg(g.y + (static_cast<Index>(r) * g.basis.moduli + rank) * g.y_stride + o);
  const std::int32_t a_band = sums ? g.a_band[o] : 0, scale = sums ? g.scale[o] : 0;
  const MpVector vector = sums ? g.call->vector[r] : MpVector{};
  const bool special = sums && (g.matrix->special != 0 || vector.special != 0);
  std::uint64_t fraction = 0;
  Sum96 place;
  if constexpr (joint) {
    fraction = put_digit(g.basis, words_of_basis, rank, residue, scratch);
    place = joint_sum<teams>(g.basis, number, rank, size, all + (scratch.digits - mine), all + (further - mine), words);
    if (!exists) return;
    team.sync();
  }
  const Output out = examine_output(team, g, o, r, special);
  if (out.known) return store_special(team, g.format, g.c, out.at, out.code, out.negative);
  if (out.product && (a_band > 0 || mp_banded(vector, g.width)))
    return store_wide(team, g, o, r, out, scratch, further);
  SignedNumber sum{0, false, 0};
  if (out.product) {
    if (joint)
      sum.limb = limb_from_sum(team, g.basis, words_of_basis, place, fraction, &sum.negative);
    else
      sum.limb =
          limb_from_residues(team, g.basis, words_of_basis, within_warp ? cofactors : first_cofactors(g.basis, rank),
                             residue, scratch, &sum.negative);
    if (out.infinite) return store_infinite(team, g, out, !team.any(sum.limb != 0), sum.negative);
    sum.exponent = scale + vector.least;
    times_alpha(team, g, sum, g.basis.limbs, scratch);
  }
  bool rest = false;
  if (out.addend) {
    const SignedNumber addend = scaled_addend(team, g, out, scratch);
    const int sum_length = team.bit_length(sum.limb), addend_length = team.bit_length(addend.limb);
    if (sum_length == 0)
      sum = addend;
    else
      rest = add_number(team, sum, addend, sum_length, addend_length, scratch);
  }
  store_rounded(team, g.format, g.c, out.at, sum.limb, sum.negative, sum.exponent, rest, scratch);
}

template <int width, int teams>
void finish(const DeviceModel& model, const MpFinish& g, int size, int words, cudaStream_t stream) {
  launch(model, "mp_finish", finish_kernel<width, teams>,
         {dim3(static_cast<unsigned>(ceil_div(g.outputs, teams)), static_cast<unsigned>(g.columns)),
          static_cast<unsigned>(teams * size), static_cast<std::size_t>(teams * words) * sizeof(std::uint32_t)},
         stream, g, words);
}

}  // namespace

void mp_finish(const DeviceModel& model, const MpFinish& g, cudaStream_t stream) {
  if (g.outputs == 0) return;
  const int size = finish_team_size(g), own = team_words(size) + number_words(size);
  const int words = own + wide_words(g.format, g.basis);
  if (size == 16) return finish<16, warp_threads / 16>(model, g, size, words, stream);
  if (size == 32) return finish<32, warp_threads / 32>(model, g, size, words, stream);
  const int joint = std::max(words, own + joint_words(joint_teams, size));
  if (size <= joint_size && joint_teams * joint <= shared_words)
    return finish<many_warps, joint_teams>(model, g, size, joint, stream);
  finish<many_warps, 1>(model, g, size, words, stream);
}

}  // namespace accublas::cuda
