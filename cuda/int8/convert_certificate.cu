// The certificate's factors: 7-bit magnitudes of sampled terms.
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/int8/certify_moduli.hpp"
#include "cuda/int8/convert.hpp"
#include "cuda/int8/convert_tiles.hpp"

namespace accublas::cuda {

namespace {

using namespace converting;

/// The certificate's magnitudes. A tile is one of its blocks of terms; those of the columns come after those of the
/// rows.
static_assert(ShortRows::terms == certificate_block);
template <class T>
struct MagnitudeSides {
  CertificateSide<T> side[2];
  CallState* state;
  CallGroup<T> group{};

#ifdef __CUDACC__
  /// For arguments_of_block.
  __device__ void move_to_product() {
    side[0].operand.data = group.rows[group.product()];
    side[1].operand.data = group.cols[group.product()];
    for (CertificateSide<T>& own : side) {
      group.move(own.lines);
      group.move(own.out);
    }
    group.move(state);
  }
#endif
};
template <class T>
ACCUBLAS_HD Index magnitude_tiles(const CertificateSide<T>& side, Index k_padded) {
  return side.wanted ? padded_lines(side.count) / tile_lines * k_tiles<ShortRows>(k_padded) : 0;
}

template <class T, bool Grouped>
__global__ void __launch_bounds__(ShortRows::threads, ShortRows::blocks_a_processor)
    convert_magnitudes(const __grid_constant__ MagnitudeSides<T> given, const __grid_constant__ GroupTerms nonzero,
                       int stride, Index first_term, Index terms, Index k_padded,
                       const __grid_constant__ LineRungs by_lines, int exact_bits) {
  await_predecessor();
  const MagnitudeSides<T>& sides = arguments_of_block<Grouped>(given);
  CallState* const state = sides.state;
  if (state->refused) return;
  if (exact_bits > 0 && max(state->rows.needed_bits, state->cols.needed_bits) <= exact_bits) {
    if (blockIdx.x == 0 && threadIdx.x == 0) state->common_moduli = 1;
    return;
  }
  __shared__ LinesVerdict verdict;
  if (by_lines.count > 0) {
    if (threadIdx.x == 0) verdict = certify_lines(by_lines, *state);
    __syncthreads();
    if (verdict.moduli > 0) {
      if (blockIdx.x == 0 && threadIdx.x == 0) {
        state->common_moduli = verdict.moduli;
        state->common_bits = verdict.shares_bits;
      }
      return;
    }
  }
  using Shape = ShortRows;
  const int rows = static_cast<int>(magnitude_tiles(sides.side[0], k_padded));
  const int count = rows + static_cast<int>(magnitude_tiles(sides.side[1], k_padded));
  const int across = k_tiles<Shape>(k_padded);
  struct Place {
    bool row;
    int line, term;  // first line of the tile in the block, first term in the chunk
  };
  const auto place = [&](int t) {
    const bool row = t < rows;
    if (!row) t -= rows;
    return Place{row, t / across * tile_lines, t % across * Shape::terms};
  };
  const bool some_terms = nonzero.matter();
  for_tiles<T, Shape>(
      count,
      [&](int t) {
        const Place at = place(t);
        return !some_terms || terms_are_read((at.row ? nonzero.rows : nonzero.cols)[at.line / line_group],
                                             first_term + at.term, Shape::terms, at.term);
      },
      [&](int t) {
        const Place at = place(t);
        const CertificateSide<T>& side = sides.side[at.row ? 0 : 1];
        return Tile<T>{side.operand, side.first + at.line, side.operand.count, (first_term + at.term) * stride,
                       terms - at.term};
      },
      [&](int t, int line) {
        const Place at = place(t);
        const CertificateSide<T>& side = sides.side[at.row ? 0 : 1];
        const Index i = side.first + at.line + line;
        const bool wanted = i < side.operand.count && side.lines.norm[i] > 0;
        return line_scale_of(wanted, wanted ? 7 - side.lines.exponent[i] : 0);
      },
      [&](int t, const Buffer<T, Shape>& buffer) {
        const Place at = place(t);
        const int first = threadIdx.x / 32 * Shape::lines_a_warp, term = threadIdx.x % 32 * Shape::terms_a_lane;
        std::uint8_t* to = sides.side[at.row ? 0 : 1].out + (at.line + first) * k_padded + at.term + term;
        for (int i = 0; i < Shape::lines_a_warp; ++i, to += k_padded) {
          const LineScale line = buffer.line[first + i];
          const T* const from = &buffer.tile[Shape::at(first + i, term)];
          std::uint32_t byte[4];
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            const double a = line.wanted ? fabs(static_cast<double>(from[j])) * line.first : 0;
            byte[j] = low_word(fma_down(a, line.second, 0x1p52));
          }
          *reinterpret_cast<std::uint32_t*>(to) = pack(byte[0], byte[1], byte[2], byte[3]);
        }
      });
}

}  // namespace

template <class T>
void convert_certificate(const DeviceModel& device, const CertificateSide<T>& rows, const CertificateSide<T>& cols,
                         const GroupTerms& nonzero, int stride, Index first_term, Index terms, Index k_padded,
                         const LineRungs& by_lines, int exact_bits, CallState* state, cudaStream_t stream,
                         const CallGroup<T>& group) {
  using Shape = ShortRows;
  const Index count = magnitude_tiles(rows, k_padded) + magnitude_tiles(cols, k_padded);
  if (count == 0) return;
  const auto kernel = group.exists() ? convert_magnitudes<T, true> : convert_magnitudes<T, false>;
  allow_shared_memory<T, Shape>(kernel);
  launch(device, "convert_certificate", kernel,
         {grid<Shape>(device, count, group), Shape::threads, shared_bytes<T, Shape>}, stream,
         MagnitudeSides<T>{{rows, cols}, state, group}, nonzero, stride, first_term, terms, k_padded, by_lines,
         exact_bits);
}

template void convert_certificate(const DeviceModel&, const CertificateSide<double>&, const CertificateSide<double>&,
                                  const GroupTerms&, int, Index, Index, Index, const LineRungs&, int, CallState*,
                                  cudaStream_t, const CallGroup<double>&);
template void convert_certificate(const DeviceModel&, const CertificateSide<float>&, const CertificateSide<float>&,
                                  const GroupTerms&, int, Index, Index, Index, const LineRungs&, int, CallState*,
                                  cudaStream_t, const CallGroup<float>&);

}  // namespace accublas::cuda
