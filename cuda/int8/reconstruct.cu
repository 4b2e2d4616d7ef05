// From residues of real sums to results.
#include "cuda/int8/crt_tables.hpp"
#include "cuda/int8/reconstruct.hpp"
#include "cuda/int8/reconstruct_combined.hpp"
#include "cuda/int8/reconstruct_tiles.hpp"
#include "cuda/sums/bounded_pair.hpp"
#include "lib/numerics/quotient.hpp"

namespace accublas::cuda {

namespace {

__device__ const CrtTables<max_moduli> tables = real_tables();

struct RealNumbers {
  static constexpr int parts = 1, later = 2;

  __device__ static const CrtTable& crt(int moduli, int /*part*/) { return tables.crt(moduli); }
  __device__ static const LeadingBytes& leading_bytes(int moduli, int /*part*/) { return tables.leading_bytes(moduli); }
  /// 16 moduli have 125.4 bits, 24 184.4.
  __device__ static int limbs_of(int moduli) { return moduli <= 16 ? 2 : moduli <= 24 ? 3 : crt_limbs; }
};

using namespace reconstructing;

/// Returns `unit` times S, from all of its bits.
template <int L>
__device__ BoundedPair<double, true> pair_of(const Wide<L>& sum, double unit) {
  if (wide_bit_length(sum) == 0) return {};
  int exponent = 0;
  const Approximation x = Approximation::leading(sum, &exponent);
  const double scale = power_of_two(exponent) * unit;
  // A pair holds 106 bits.
  return {{x.high * scale, x.low * scale}, exponent < 106 ? 0 : x.error * scale};
}
/// Adds the sums of a lane's columns of row r that are in `rest`, a bit each, from all bits of S. Their lines drop no
/// bits.
template <class T>
__device__ ACCUBLAS_NOINLINE void add_whole_sums(const ReconstructArguments<T>& a, const BlockState<T, RealNumbers>& b,
                                                 const Tile& tile, const PairSums& sums, int r, int own,
                                                 unsigned rest) {
  const PassPlan& plan = b.plan;
  const Index row = a.row_block * plan.block_rows + tile.row + r, plane = plan.block_rows * plan.block_cols;
  const CrtTable& crt = RealNumbers::crt(plan.moduli, 0);
  const int limbs = RealNumbers::limbs_of(plan.moduli);
  for (; rest != 0; rest &= rest - 1) {
    const int col = own + column_of(__ffs(static_cast<int>(rest)) - 1);
    const std::int8_t* const residues = a.result + (tile.row + r) * plan.block_cols + tile.col + col;
    const double unit = power_of_two(b.lines.row[r].shift - 64 - b.weights[0].exponent -
                                     (static_cast<int>(b.lines.scale[col]) >> 20) + sums.lift);
    const Index at = row * sums.stride + a.col_block * plan.block_cols + tile.col + col;
    BoundedPair<double, true> sum = load_sum<double, true>(sums, at);
    sum.add(limbs == 2   ? pair_of(crt_reconstruct<2>(crt, residues, plane), unit)
            : limbs == 3 ? pair_of(crt_reconstruct<3>(crt, residues, plane), unit)
                         : pair_of(crt_reconstruct<crt_limbs>(crt, residues, plane), unit));
    store_sum<double, true>(sums, at, sum);
  }
}

/// The sums of a tile's rows, by all leading bits, for they are rounded with others' products. Sums of lines that drop
/// no bits take all bits where the leading ones are few, so that sums of zeros are known to be zero. `Narrow`: more
/// than 16 planes.
template <class T, bool Narrow>
__device__ __forceinline__ void add_tile(const ReconstructArguments<T>& a, const BlockState<T, RealNumbers>& b,
                                         const Tile& tile, const PairSums& sums) {
  using Order = Steps<RealNumbers::later>;
  const PassPlan& plan = b.plan;
  const LeadingWeights<RealNumbers::later>& weights = b.weights[0];
  const int warp = threadIdx.x / 32, group = threadIdx.x % 4, planes = plan.planes();
  const int strip_col = warp % tile.strips * strip, own = strip_col + first_column();
  if (strip_col >= tile.width) return;
  const Index plane = plan.block_rows * plan.block_cols;
  const Index first_row = a.row_block * plan.block_rows + tile.row,
              first_col = a.col_block * plan.block_cols + tile.col;
  const auto load = [&](int r, int step, auto& residues) {
    load_residues(a.result + (tile.row + r) * plan.block_cols + tile.col + strip_col + 16 * (threadIdx.x % 32 / 4) +
                      Order::first_plane(step, group, planes) * plane,
                  Order::a_lane(step, planes) == 1 ? 0 : plane, residues);
  };
  constexpr double infinity = from_bits<double>(FloatFormat<double>::infinity);
  constexpr double few_leading_bits = 0x1p16;  // heads are below 2^60, with an error of 2^-49
  for (int r = warp / tile.strips; r < tile.height; r += warps_of_block() / tile.strips) {
    const TileRow& row = b.lines.row[r];
    const bool zero_row = !(a.rows.norm[first_row + r] > 0);
    const Index at = (first_row + r) * sums.stride + first_col + own;
    BoundedPair<double, true> sum[columns];
    bool adds[columns];
#pragma unroll
    for (int e = 0; e < columns; ++e) {
      const int col = own + column_of(e);
      const bool special = row.special || (col < tile.width && b.lines.special[col]);
      adds[e] = col < tile.width && (special || !(zero_row || !(a.cols.norm[first_col + col] > 0)));
      if (adds[e]) sum[e] = load_sum<double, true>(sums, at + column_of(e));
    }
    Residues<4> wide;
    Residues<RealNumbers::later> later{};
    load(r, 0, wide);
    if (Narrow) load(r, 1, later);
    DigitSums digits;
    start_sums<Narrow, 0>(weights, wide, later, digits);
    if (Narrow) {
      for (int step = 2; step < Order::of(planes); ++step) {
        load(r, step, later);
        add_step<0>(weights, step, later, digits);
      }
    }
    unsigned rest = 0;
#pragma unroll
    for (int e = 0; e < columns; ++e) {
      if (!adds[e]) continue;
      const int col = own + column_of(e);
      const LeadingPart part = fine_part(weights, digits.pair[e]);
      const double dropped = element_error(b.lines, row, col), bound = __dadd_rn(dropped, fine_slack);
      const double unit = power_of_two(row.shift - (static_cast<int>(b.lines.scale[col]) >> 20) + sums.lift);
      const bool known = row.normal && !row.special && !b.lines.special[col];
      if (known && dropped == 0 && fabs(part.head) < few_leading_bits) {
        rest |= 1u << e;
        continue;
      }
      sum[e].add({known ? Pair{part.head * unit, part.tail * unit} : Pair{0, 0}, known ? bound * unit : infinity});
      store_sum<double, true>(sums, at + column_of(e), sum[e]);
    }
    if (rest != 0) add_whole_sums(a, b, tile, sums, r, own, rest);
  }
}

template <class T>
__global__ void __launch_bounds__(threads, blocks)
    add_sums_of_block(const __grid_constant__ ReconstructArguments<T> a, PairSums sums) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char shared[];
  BlockState<T, RealNumbers>& b = *reinterpret_cast<BlockState<T, RealNumbers>*>(shared);
  for_tiles<false>(a, b, [&](const Tile& tile) {
    b.plan.planes() <= wide_step ? add_tile<T, false>(a, b, tile, sums) : add_tile<T, true>(a, b, tile, sums);
  });
}

}  // namespace

template <class T>
void add_sums(const DeviceModel& model, const ReconstructArguments<T>& a, const PairSums& sums, cudaStream_t stream) {
  launch_on_tiles<T, RealNumbers>(model, add_sums_of_block<T>, stream, a, sums);
}

template <class T>
void reconstruct(const DeviceModel& model, const ReconstructArguments<T>& a, const CombinedParts<T>* combined,
                 cudaStream_t stream) {
  if (combined) return reconstructing::launch_combined<RealNumbers>(model, a, *combined, stream);
  reconstructing::launch_reconstruct<RealNumbers>(model, a, stream);
}

template void add_sums(const DeviceModel&, const ReconstructArguments<double>&, const PairSums&, cudaStream_t);
template void add_sums(const DeviceModel&, const ReconstructArguments<float>&, const PairSums&, cudaStream_t);
template void reconstruct(const DeviceModel&, const ReconstructArguments<double>&, const CombinedParts<double>*,
                          cudaStream_t);
template void reconstruct(const DeviceModel&, const ReconstructArguments<float>&, const CombinedParts<float>*,
                          cudaStream_t);

}  // namespace accublas::cuda
