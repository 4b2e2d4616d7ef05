// Operands to bytes: residues of the scaled integers a', every plane in rows of 128 or 256 bytes.
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/int8/convert.hpp"
#include "cuda/int8/convert_sides.hpp"
#include "cuda/int8/four_terms.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas::cuda {

namespace {

using namespace converting;

struct RealNumbers {
  static constexpr int entries_a_term = 1, most_limbs = 4;

  __device__ static int limbs_of(int bits) { return real_limbs(bits); }

  /// Some lines at a time, the tile's terms below `terms`.
  template <int Limbs, class Shape, class T>
  __device__ static void write_residues(const Buffer<T, Shape>& shared, int moduli, int /*sign*/, Index line_bytes,
                                        int terms, std::uint8_t* out) {
    constexpr int quads = Shape::quads, together = (Limbs == 1 ? 4 : Limbs == 2 ? 2 : quads) / quads;
    const int line = threadIdx.x / 32 * Shape::lines_a_warp, term = threadIdx.x % 32 * Shape::terms_a_lane;
    if (term >= terms) return;
#pragma unroll 1
    for (int i = 0; i < Shape::lines_a_warp; i += together) {
      FourTerms<Limbs> t[together][quads];
#pragma unroll
      for (int r = 0; r < together; ++r)
#pragma unroll
        for (int q = 0; q < quads; ++q)
          t[r][q] = take_four_apart<Limbs>(&shared.tile[Shape::at(line + i + r, term) + 4 * q],
                                           [&](int) { return shared.line[line + i + r]; });
      std::uint8_t* to = out + i * line_bytes;
#pragma unroll 2
      for (int l = 0; l < moduli; ++l) {
#pragma unroll
        for (int r = 0; r < together; ++r) {
          std::uint32_t bytes[quads];
#pragma unroll
          for (int q = 0; q < quads; ++q) bytes[q] = residues(t[r][q], modulus_table.modulus[l]);
          store_terms(to + r * line_bytes, bytes);
        }
        to += line_group * line_bytes;
      }
    }
  }
};

}  // namespace

template <class T>
void convert(const DeviceModel& device, const ConvertSide<T>& rows, const ConvertSide<T>& cols,
             const GroupTerms& nonzero, const PassPlan* plan, Index p0, Index terms, Index k_padded,
             cudaStream_t stream, const CallGroup<T>& group) {
  const ConvertSides<T> sides = {{rows, cols}, plan, nonzero, group};
  const Index tiles = most_tiles<LongRows>(sides, k_padded) * group.grid_rows();
  if (tiles >= device.tuning().int8.long_tiles * device.processors &&
      has_shared_memory(device, shared_bytes<T, LongRows>))
    launch_convert<T, LongRows, RealNumbers>(device, sides, p0, terms, k_padded, stream);
  else
    launch_convert<T, ShortRows, RealNumbers>(device, sides, p0, terms, k_padded, stream);
}

template void convert(const DeviceModel&, const ConvertSide<double>&, const ConvertSide<double>&, const GroupTerms&,
                      const PassPlan*, Index, Index, Index, cudaStream_t, const CallGroup<double>&);
template void convert(const DeviceModel&, const ConvertSide<float>&, const ConvertSide<float>&, const GroupTerms&,
                      const PassPlan*, Index, Index, Index, cudaStream_t, const CallGroup<float>&);
}  // namespace accublas::cuda
