// Converts slabs to residues. The kernel balances entries for the square that they are multiplied with, and then scales
// each line by its largest entry in the slab.
#include "cuda/core/launch.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/int8/four_terms.hpp"
#include "cuda/int8/slab_planning.hpp"

namespace accublas::cuda {

namespace {

using namespace converting;

/// A thread block takes a slab of slab_lines lines at a time. It reads them once for all squares of the other side.
constexpr int slab_lines = 16, convert_threads = 256, lines_of_warp = slab_lines / (convert_threads / 32);
/// The positions of entries (line, term) in shared memory have a gap after every 16 terms and an odd pitch, against
/// bank conflicts.
__device__ int slab_pitch(int terms) { return terms + terms / 16 + 1; }
__device__ int slab_at(int line, int term, int pitch) { return line * pitch + term + term / 16; }
constexpr std::size_t slab_bytes(Index terms, std::size_t entry) {
  return static_cast<std::size_t>(slab_lines * (terms + terms / 16 + 1)) * entry;
}

/// Returns the scale 2^exponent, with `exponent` limited to -1200 .. 1250. An entry with a smaller one rounds to zero,
/// also in the lowest of three limbs: 2^(1024 - 1200 + 84) is below 1/2. Only zeros can have a larger one.
__device__ __forceinline__ LineScale entry_scale(int exponent) {
  const PowerScale scale = power_scale(min(max(exponent, -1200), 1250));
  return {scale.first, scale.second, true};
}

/// Writes the residues of a warp's line in a slab, and returns the lane's share of SlabLine::size. A lane has 4 Quads
/// of every 128 Quads terms.
template <int Limbs, int Quads, class T>
__device__ __forceinline__ double write_line(const T* line, const std::int16_t* shift, int terms, int exponent,
                                             int moduli, Index bytes_of_line, std::uint8_t* out) {
  const int own = 4 * Quads * static_cast<int>(threadIdx.x % 32);
  double size = 0;
  const auto scale_of = [&](int p) { return entry_scale(shift[p] + exponent - int8_limb_bits * (Limbs - 1)); };
#pragma unroll 1
  for (int p = own; p < terms; p += 128 * Quads) {
    FourTerms<Limbs> t[Quads];
#pragma unroll
    for (int q = 0; q < Quads; ++q) {
      t[q] = take_four_apart<Limbs>(line + p + p / 16 + 4 * q, [&](int j) { return scale_of(p + 4 * q + j); });
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        // The limbs stand for the rounded entry, which is within 1/2 of it.
        double value = t[q].limb[Limbs - 1][j];
#pragma unroll
        for (int i = Limbs - 2; i >= 0; --i)
          value = value * static_cast<double>(1ll << int8_limb_bits) + t[q].limb[i][j];
        size += fabs(value) + 2;
      }
    }
    std::uint8_t* to = out + p;
#pragma unroll 2
    for (int l = 0; l < moduli; ++l) {
      std::uint32_t bytes[Quads];
#pragma unroll
      for (int q = 0; q < Quads; ++q) bytes[q] = residues(t[q], modulus_table.modulus[l]);
      store_terms(to, bytes);
      to += line_group * bytes_of_line;
    }
  }
  return size;
}
template <int Limbs, class T>
__device__ __forceinline__ double write_line(const T* line, const std::int16_t* shift, int terms, int exponent,
                                             int moduli, Index bytes_of_line, std::uint8_t* out) {
  return terms % 256 == 0 ? write_line<Limbs, 2>(line, shift, terms, exponent, moduli, bytes_of_line, out)
                          : write_line<Limbs, 1>(line, shift, terms, exponent, moduli, bytes_of_line, out);
}

struct SlabOutputs {
  std::uint8_t* residues[2];
};

template <class T>
__global__ void __launch_bounds__(convert_threads, 2)
    convert_slabs_of_chunk(const __grid_constant__ SlabJob<T> job, Index row, Index col, SlabOutputs outputs) {
  await_predecessor();
  const SlabPlan& plan = job.state->slabs;
  if (plan.active == 0) return;
  extern __shared__ __align__(16) unsigned char raw[];
  T* const tile = reinterpret_cast<T*>(raw);
  __shared__ std::int16_t shift[most_slab_terms];
  const SlabShape& shape = job.shape;
  const int terms = static_cast<int>(shape.terms), pitch = slab_pitch(terms), moduli = plan.moduli, bits = plan.bits;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const Index k_padded = shape.k_padded();
  const Index first_line[2] = {row, col}, of_chunk[2] = {shape.rows, shape.cols};
  const auto lines_here = [&](int side) {
    const Index left = job.operand(side).count - first_line[side];
    return left < 0 ? Index{0} : min(left, of_chunk[side]);
  };
  const Index row_items = ceil_div(lines_here(0), Index{slab_lines}) * shape.slabs,
              items = row_items + ceil_div(lines_here(1), Index{slab_lines}) * shape.slabs;
  for (Index item = blockIdx.x; item < items; item += gridDim.x) {
    const int side = item < row_items ? 0 : 1, other = 1 - side;
    const Index of_side = side == 0 ? item : item - row_items;
    const Index slab = of_side % shape.slabs,
                line = of_side / shape.slabs * slab_lines;  // the line's number in the chunk
    const Index in_all = first_line[side] + line, first = slab * terms;
    const Operand<T>& x = job.operand(side);
    const std::uint8_t* const special = job.lines(side).special;
    const auto entry = [&](int i, int p) {
      return in_all + i < x.count && first + p < x.k && special[in_all + i] == 0 ? *x.at(in_all + i, first + p) : T(0);
    };
    __syncthreads();
    if (abs(x.stride) < abs(x.k_stride)) {
#pragma unroll 8
      for (int q = static_cast<int>(threadIdx.x); q < slab_lines * terms; q += convert_threads) {
        const int i = q % slab_lines, p = q / slab_lines;
        tile[slab_at(i, p, pitch)] = entry(i, p);
      }
    } else {
#pragma unroll 8
      for (int q = static_cast<int>(threadIdx.x); q < slab_lines * terms; q += convert_threads) {
        const int i = q / terms, p = q % terms;
        tile[slab_at(i, p, pitch)] = entry(i, p);
      }
    }
    const Index square = in_all / shape.square, others = ceil_div(lines_here(other), shape.square),
                first_other = first_line[other] / shape.square;
    const Index bytes_of_line = side == 0 ? shape.bytes_of_row() : shape.bytes_of_col();
    for (Index o = 0; o < others; ++o) {
      const Index squares[2] = {side == 0 ? square : first_other + o, side == 0 ? first_other + o : square};
      const Balance balance = static_cast<Balance>(
          job.arrays.balance[(squares[0] * shape.squares(job.cols.count) + squares[1]) * shape.slabs + slab]);
      if (balance == Balance::none) continue;
      __syncthreads();  // the tile is loaded, and no thread needs the shifts of the previous square
      const std::int16_t* const row_centre = job.arrays.centre[0] + squares[0] * k_padded + first;
      const std::int16_t* const col_centre = job.arrays.centre[1] + squares[1] * k_padded + first;
      for (int p = static_cast<int>(threadIdx.x); p < terms; p += convert_threads) {
        const int d = balance_exponent(balance, row_centre[p], col_centre[p]);
        shift[p] = static_cast<std::int16_t>(side == 0 ? d : -d);
      }
      __syncthreads();
#pragma unroll 1
      for (int i = warp * lines_of_warp; i < (warp + 1) * lines_of_warp; ++i) {
        const Index own = line + i;
        if (in_all + i >= x.count) break;
        int top = 2 * no_term;
        for (int p = lane; p < terms; p += 32)
          top = max(top, exponents_of(static_cast<double>(tile[slab_at(i, p, pitch)])).top + shift[p]);
        top = lanes_max(top);
        SlabLine& known = job.arrays.lines[side][(o * shape.slabs + slab) * of_chunk[side] + own];
        if (top < no_term_sum) {
          if (lane == 0) known = {0, 0};
          continue;
        }
        const int exponent = bits - top;
        std::uint8_t* const out = outputs.residues[side] +
                                  (own / line_group * moduli * line_group + own % line_group) * bytes_of_line +
                                  o * k_padded + first;
        const T* const entries = tile + i * pitch;
        double size = real_limbs(bits) <= 2
                          ? write_line<2>(entries, shift, terms, exponent, moduli, bytes_of_line, out)
                          : write_line<3>(entries, shift, terms, exponent, moduli, bytes_of_line, out);
        for (int offset = 16; offset > 0; offset /= 2) size += __shfl_xor_sync(0xFFFFFFFFu, size, offset);
        if (lane == 0) known = {exponent, __double2float_ru(size * (1 + 0x1p-30))};
      }
    }
  }
}

}  // namespace

template <class T>
void convert_slabs(const DeviceModel& model, const SlabJob<T>& job, Index row, Index col, std::uint8_t* row_residues,
                   std::uint8_t* col_residues, cudaStream_t stream) {
  const std::size_t bytes = slab_bytes(job.shape.terms, sizeof(T));
  allow_shared_bytes(convert_slabs_of_chunk<T>, bytes, "convert slabs");
  launch(model, "convert slabs", convert_slabs_of_chunk<T>,
         {static_cast<unsigned>(2 * model.processors), convert_threads, bytes}, stream, job, row, col,
         SlabOutputs{{row_residues, col_residues}});
}

template void convert_slabs(const DeviceModel&, const SlabJob<double>&, Index, Index, std::uint8_t*, std::uint8_t*,
                            cudaStream_t);
template void convert_slabs(const DeviceModel&, const SlabJob<float>&, Index, Index, std::uint8_t*, std::uint8_t*,
                            cudaStream_t);

}  // namespace accublas::cuda
