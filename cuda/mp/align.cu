// Computes the planes of a matrix from its elements; a thread block takes a part of a column.
#include <algorithm>

#include "cuda/mp/align.hpp"
#include "lib/base/integers.hpp"
namespace accublas::cuda {

namespace {

constexpr int align_threads = 256;
constexpr std::size_t align_limit = 48 * 1024,
                      align_wanted = 32 * 1024;  // leaves room for several resident thread blocks

struct AlignJob {
  mp::Elements a;
  mp::Block block;
  MpScaling scaling;
  MpExtension extension;
  MpAligned aligned;
  unsigned tiles;  ///< tiles of a column
};

template <int elements, int tiles>
__global__ void __launch_bounds__(align_threads) align_kernel(const __grid_constant__ AlignJob g) {
  extern __shared__ uint4 shared[];
  const TileMemory<elements> memory(shared, g.extension.from);
  const int e = threadIdx.x % elements, member = threadIdx.x / elements;
  const unsigned column = blockIdx.x / g.tiles;
  const Index j = column, first = Index{blockIdx.x - column * g.tiles} * elements, i = first + e,
              to = j * g.aligned.ld + i;
  TileElement element{i < g.block.rows ? element_at(g.block, i, j) : -1, 0};
  // The residues of zeros, infinities and NaN are zero already, so no load has to wait for the exponent.
  const TileResidues residues = load_residues(g.extension, g.a, element.at, member, align_threads / elements);
  BandAndRest s{0, 0};
  bool term = false;
  if (element.at >= 0) {
    const std::int32_t exponent = g.a.exponent[element.at];
    const bool negative = g.a.sign[element.at] != 0;
    term = !mp::is_special(exponent);
    if (term)
      s = band_and_rest(static_cast<std::int64_t>(exponent) - g.a.format.precision - g.scaling.column[j] -
                        g.scaling.row[i]);
    element.shift = static_cast<std::uint32_t>(s.rest) | (negative ? negative_bit : 0);
  }
  if (member == 0 && i < g.aligned.ld) {
    if (g.aligned.band) g.aligned.band[to] = s.band;
    if (g.aligned.small_band) g.aligned.small_band[to] = static_cast<std::uint8_t>(term ? s.band : mp_no_term);
  }
  const TilePlanes planes{g.aligned.a + to - e, g.aligned.plane,
                          static_cast<int>(min(static_cast<Index>(elements), g.aligned.ld - first))};
  extend_tile<elements, tiles, 1>(g.extension, g.a, element, residues, planes, memory);
}

template <int elements>
constexpr std::size_t shared_bytes(int from) {
  return static_cast<std::size_t>(TileMemory<elements>::words(align_threads, from)) * sizeof(std::uint32_t);
}

template <int elements, int tiles>
void align(AlignJob g, cudaStream_t stream) {
  g.tiles = static_cast<unsigned>(ceil_div(g.aligned.ld, elements));
  align_kernel<elements, tiles><<<g.tiles* static_cast<unsigned>(g.block.columns), align_threads,
                                  shared_bytes<elements>(g.extension.from), stream>>>(g);
  check_launch("mp_align");
}

}  // namespace

void mp_align(const mp::Elements& a, const mp::Block& block, const MpScaling& scaling, const MpExtension& extension,
              const MpAligned& aligned, cudaStream_t stream) {
  if (block.size() == 0) return;
  const AlignJob g{a, block, scaling, extension, aligned, 0};
  // A thread block takes as many elements as fit in shared memory; with few moduli and long columns each thread takes
  // one element.
  if (block.rows > 128 && extension.from <= 8) return align<256, 2>(g, stream);
  if (block.rows > 64 && shared_bytes<128>(extension.from) <= align_wanted) return align<128, 2>(g, stream);
  if (block.rows > 32 && shared_bytes<64>(extension.from) <= align_limit) return align<64, 2>(g, stream);
  align<32, 2>(g, stream);
}

}  // namespace accublas::cuda
