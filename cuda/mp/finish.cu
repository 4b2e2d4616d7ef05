// From residues of sums to elements: Y by the Chinese remainder theorem, alpha Y + beta c exactly in limbs, one
// rounding, residues of the result. A team of threads an output, one limb a thread: a warp up to 212 bits or so, else a
// thread block.
#include "cuda/mp/wide.hpp"

namespace accublas::cuda {

namespace {

constexpr int warp_teams = 4;  // of a thread block

/// x = x + y, neither zero; true where a rest between 0 and 1 in units of its last place belongs to it.
///
/// Both are cut to a window of all of the team's limbs whose highest place but two is the highest bit of the two. Where
/// one loses bits at the lower end, it is at least three places below the other, which loses none: then the difference
/// keeps all but one of its places, and the bits lost count as a rest between 0 and 1.
template <bool one_warp>
__device__ bool add_number(const Team<one_warp>& team, SignedNumber& x, const SignedNumber& y, int x_length,
                           int y_length, const NumberScratch& scratch) {
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
    // u - v, less one where a rest is taken away.
    sum = team.carried(static_cast<std::uint64_t>(u) + static_cast<std::uint32_t>(~v), x_rest || y_rest ? 0 : 1);
    if (team.broadcast(sum, size - 1) >> 31 != 0) {
      sum = team.carried(static_cast<std::uint32_t>(~sum), 1);
      negative = !negative;
    }
  }
  x = {sum, negative, low};
  return x_rest || y_rest;
}

template <bool one_warp>
__global__ void __launch_bounds__(one_warp ? 32 * warp_teams : 1024)
    finish_kernel(const __grid_constant__ MpFinish g, int words) {
  extern __shared__ uint4 shared[];
  const int size = one_warp ? 32 : blockDim.x, number = one_warp ? threadIdx.x / 32 : 0;
  std::uint32_t* const mine = reinterpret_cast<std::uint32_t*>(shared) + number * words;
  const Team<one_warp> team(one_warp ? threadIdx.x % 32 : threadIdx.x, size, mine);
  const NumberScratch scratch(mine + team_words(size), size);
  const Index o = static_cast<Index>(blockIdx.x) * (one_warp ? warp_teams : 1) + number;
  const int r = blockIdx.y, rank = team.rank();
  BasisWords words_of_basis = basis_words_early<one_warp>(g.basis, rank);
  await_predecessor();
  if (o >= g.outputs) return;
  // Loads that depend on nothing go out together.
  const bool sums = g.terms > 0;
  const bool one_sum = g.band_sums.groups == 0;
  std::uint32_t residue = sums && one_sum && rank < g.basis.moduli
                              ? __ldcg(g.y + (static_cast<Index>(r) * g.basis.moduli + rank) * g.y_stride + o)
                              : 0;
  const std::int32_t a_band = sums ? g.a_band[o] : 0, scale = sums ? g.scale[o] : 0;
  const MpVector vector = sums ? g.call->vector[r] : MpVector{};
  const bool special = sums && (g.matrix->special != 0 || vector.special != 0);
  const Output out = examine_output(team, g, o, r, special);
  if (out.known) return store_special(team, g.format, g.c, out.at, out.code, out.negative);
  if (out.product && (a_band > 0 || mp_banded(vector, g.width)))
    return store_wide(team, g, o, r, out, scratch, mine + team_words(size) + number_words(size));
  SignedNumber sum{0, false, 0};
  if (out.product) {
    if (!one_sum) residue = sum_residue(g, o, r, 0, rank);
    rest_of_words<one_warp>(g.basis, rank, words_of_basis);
    sum.limb = limb_from_residues(team, g.basis, words_of_basis, residue, scratch, &sum.negative);
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

}  // namespace

void mp_finish(const DeviceModel& model, const MpFinish& g, cudaStream_t stream) {
  if (g.outputs == 0) return;
  const int size = finish_team_size(g);
  const int words = team_words(size) + number_words(size) + wide_words(g.format, g.basis);
  const std::size_t bytes = static_cast<std::size_t>(words) * sizeof(std::uint32_t);
  const unsigned outputs = static_cast<unsigned>(g.outputs), columns = static_cast<unsigned>(g.columns);
  if (size == 32)
    return launch(model, "mp_finish", finish_kernel<true>,
                  {dim3((outputs + warp_teams - 1) / warp_teams, columns), 32 * warp_teams, warp_teams * bytes}, stream,
                  g, words);
  launch(model, "mp_finish", finish_kernel<false>, {dim3(outputs, columns), static_cast<unsigned>(size), bytes}, stream,
         g, words);
}

}  // namespace accublas::cuda
