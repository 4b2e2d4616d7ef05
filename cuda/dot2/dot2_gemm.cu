// dot2's GEMM: the choice among the tile shapes of the table, and the launches. If there are too few tiles to fill the
// device, thread blocks share the blocks of a tile's k. Then the pairs go to scratch, and a second kernel combines
// them, in order.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/dot2/dot2_gemm.hpp"
#include "cuda/dot2/dot2_gemm_kernel.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/exact/open_elements.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr bool table_is_right() {
  for (const Dot2Row& row : Dot2Table::rows)
    if (dot2_shape_fault(row.shape, !row.single) != nullptr) return false;
  return true;
}
static_assert(table_is_right());

Index tiles_of(const Dot2Shape& shape, Index m, Index n) { return ceil_div(m, shape.rows) * ceil_div(n, shape.cols); }

/// Returns how many thread blocks of a row's kernel the device holds.
Index places(const DeviceModel& model, const Dot2Row& row) { return Index{row.shape.resident} * model.processors; }

/// Returns the row that finishes an m x n result first, measured by full waves of thread blocks. If `shared`, waves may
/// be fractional, because thread blocks share the terms of a tile.
template <class T>
int choose_row(const DeviceModel& model, Index m, Index n, bool shared) {
  const auto serves = [&](const Dot2Row& row) {
    return row.single == !compensated<T> && row.major == model.major && row.minor == model.minor;
  };
  bool own = false;
  for (const Dot2Row& row : Dot2Table::rows) own = own || serves(row);
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < static_cast<int>(std::size(Dot2Table::rows)); ++i) {
    const Dot2Row& row = Dot2Table::rows[i];
    if (own ? !serves(row) : row.single != !compensated<T> || row.shape.tensor) continue;
    const double tiles = static_cast<double>(tiles_of(row.shape, m, n)),
                 at_once = static_cast<double>(places(model, row));
    const double waves = shared ? tiles / at_once : std::ceil(tiles / at_once);
    const double time = waves * row.shape.resident * row.shape.rows * row.shape.cols * row.cycles;
    if (time < least) best = i, least = time;
  }
  return best;
}

template <class T, int index, Dot2Compare compare>
void launch_row(const DeviceModel& model, const ExactArguments<T>& g, const Dot2Blocks& blocks, cudaStream_t stream) {
  constexpr Dot2Shape shape = Dot2Table::rows[index].shape;
  constexpr int bytes = shape.shared_bytes(compensated<T>);
  constexpr auto kernel = dot2_gemm_kernel<T, Dot2Table, index, compare>;
  allow_shared_bytes(kernel, bytes, "dot2_gemm");
  const dim3 grid(static_cast<unsigned>(tiles_of(shape, g.rows.count, g.cols.count)),
                  static_cast<unsigned>(ceil_div(blocks.end - blocks.first, blocks.segment)));
  launch(model, "dot2_gemm", kernel, {grid, static_cast<unsigned>(shape.threads()), bytes}, stream, g, blocks);
}

/// Launches the kernel of row `wanted`.
template <class T, int index = 0>
void launch_wanted(const DeviceModel& model, int wanted, const ExactArguments<T>& g, const Dot2Blocks& blocks,
                   cudaStream_t stream) {
  if constexpr (index < static_cast<int>(std::size(Dot2Table::rows))) {
    if constexpr (Dot2Table::rows[index].single == !compensated<T>)
      if (index == wanted) return launch_row<T, index, Dot2Compare::high_words>(model, g, blocks, stream);
    launch_wanted<T, index + 1>(model, wanted, g, blocks, stream);
  }
}

template <class T>
void launch_tiles(const DeviceModel& model, int row, const ExactArguments<T>& g, const Dot2Blocks& blocks,
                  cudaStream_t stream) {
  launch_wanted(model, row, g, blocks, stream);
  // This launch serves tiles with numbers beyond binary32's range; the other tiles return at once.
  if constexpr (compensated<T>) launch_row<T, 0, Dot2Compare::numbers>(model, g, blocks, stream);
}

constexpr int combine_warps = 8, ahead = 8;  ///< pairs that a thread loads at a time

/// Combines the pairs of a chunk of blocks with `totals`, those of the earlier chunks. A warp takes 32 neighbouring
/// elements of a row. The last chunk finishes the elements.
template <class T>
__global__ void __launch_bounds__(32 * combine_warps)
    combine_blocks(ExactArguments<T> g, Dot2Blocks blocks, Pair* totals) {
  await_predecessor();
  if (leaves_c(*g.state, g.alpha)) return;
  const Index words = OpenBits::words_per_row(g.cols.count),
              index = Index{blockIdx.x} * combine_warps + threadIdx.x / 32;
  const Index row = index / words, word = index % words, col = 32 * word + threadIdx.x % 32,
              size = g.rows.count * g.cols.count;
  if (row >= g.rows.count) return;
  const Index element = row * g.cols.count + min(col, g.cols.count - 1);
  Pair total{0, 0};
  if (blocks.first > 0) total = load_pair(totals + element);
  const Pair* p = blocks.pairs + element;
  Index left = blocks.end - blocks.first;
  for (; left >= ahead; left -= ahead) {
    Pair next[ahead];
#pragma unroll
    for (int i = 0; i < ahead; ++i, p += size) next[i] = load_pair(p);
#pragma unroll
    for (int i = 0; i < ahead; ++i) total = combine<T>(total, next[i]);
  }
  for (; left > 0; --left, p += size) total = combine<T>(total, load_pair(p));
  if (blocks.end * dot2_block_terms >= g.rows.k) {
    dot2::write_word(g, row, word, total, g.alpha.get(), g.beta.get());
  } else if (col < g.cols.count) {
    store_pair(totals + element, total);
  }
}

}  // namespace

template <class T>
Dot2Division dot2_division(const DeviceModel& model, Index m, Index n, Index k, std::size_t cap) {
  const Index blocks = ceil_div(k, dot2_block_terms);
  Dot2Division d{choose_row<T>(model, m, n, true), 1, blocks, 0};
  const Dot2Row& row = Dot2Table::rows[d.row];
  const Index tiles = tiles_of(row.shape, m, n);
  // One pair of each element is for the totals.
  const Index room = std::min(model.tuning().dot2.most_pairs, static_cast<Index>(cap / sizeof(Pair))) / (m * n) - 1;
  if (2 * tiles <= places(model, row) && std::min(blocks, room) >= 2) {
    d.segments = std::min(places(model, row) / tiles, blocks);
    d.chunk = std::min(blocks, room);
    d.scratch_bytes = static_cast<std::size_t>((d.chunk + 1) * m * n) * sizeof(Pair);
  } else {
    d.row = choose_row<T>(model, m, n, false);
  }
  return d;
}

template <class T>
void dot2_tiles(const DeviceModel& model, const ExactArguments<T>& g, const Dot2Division& d, void* scratch,
                cudaStream_t stream) {
  const Index m = g.rows.count, n = g.cols.count, blocks = ceil_div(g.rows.k, dot2_block_terms);
  if (d.segments == 1) return launch_tiles(model, d.row, g, {0, blocks, blocks, nullptr}, stream);
  Pair* const totals = static_cast<Pair*>(scratch);
  const Index warps = m * OpenBits::words_per_row(n);
  for (Index first = 0; first < blocks; first += d.chunk) {
    const Index end = std::min(first + d.chunk, blocks);
    const Dot2Blocks part{first, end, ceil_div(end - first, d.segments), totals + m * n};
    launch_tiles(model, d.row, g, part, stream);
    launch(model, "dot2_gemm_combine", combine_blocks<T>,
           {static_cast<unsigned>(ceil_div(warps, combine_warps)), 32 * combine_warps}, stream, g, part, totals);
  }
}

#define ACCUBLAS_INSTANTIATE(T)                                                                 \
  template Dot2Division dot2_division<T>(const DeviceModel&, Index, Index, Index, std::size_t); \
  template void dot2_tiles(const DeviceModel&, const ExactArguments<T>&, const Dot2Division&, void*, cudaStream_t);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
