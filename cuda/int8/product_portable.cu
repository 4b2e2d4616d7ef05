// Residue products for compute capability 8.0 and later: one persistent kernel, warps of 64 x 64 by mma.sync, two
// stages of shared memory. Columns are taken from shared memory in an order by which a thread owns 16 neighbouring
// ones.

#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/occupancy.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/ptx_portable.hpp"
#include "cuda/int8/certify.hpp"
#include "cuda/int8/certify_output.hpp"
#include "cuda/int8/product.hpp"
#include "cuda/int8/product_kernels.hpp"
#include "cuda/int8/product_tiles.hpp"

namespace accublas::cuda::portable {

namespace {

constexpr TileConfig tiles = sm_80.int8_tiles;
using Order = TileOrder<tiles>;
constexpr int warp_rows = 64, warp_cols = 64;
constexpr int row_bytes = tiles.rows * tiles.step;
constexpr int shared_bytes = tiles.stages * tiles.stage_bytes();
constexpr int chunks = tiles.step / 16;  // of 16 bytes, in a line of a stage
static_assert(tiles.step == 128 && tiles.rows == tiles.cols && tiles.stages == 2 && tiles.cluster == 1);
static_assert(tiles.threads == 32 * (tiles.rows / warp_rows) * (tiles.cols / warp_cols));
static_assert(line_group % tiles.rows == 0, "a tile lies in one group of lines");

/// Chunks of a line are stored in an order that differs between the 8 lines that load_matrices takes together, so that
/// these lie in different banks: lines i .. i + 7 of the rows, lines 16 q + 2 j + e (q < 4, e < 2) of the columns.
__device__ int row_offset(int line, int chunk) { return line * tiles.step + ((chunk ^ line % 8) * 16); }
__device__ int col_offset(int line, int chunk) {
  return line * tiles.step + ((chunk ^ (line / 16 % 4 * 2 + line % 2)) * 16);
}

/// Both operands of a tile in device memory.
struct Operands {
  const std::uint8_t *rows, *cols;
};

/// Starts the copy of a step into a stage.
__device__ void copy_step(std::uint32_t stage, const Operands& from, Index bytes_of_row, Index bytes_of_col, int step) {
  constexpr int lines_at_a_time = tiles.threads / chunks;
  const int first = threadIdx.x / chunks, chunk = threadIdx.x % chunks;
  const Index byte = Index{step} * tiles.step + 16 * chunk;
#pragma unroll
  for (int i = 0; i < tiles.rows / lines_at_a_time; ++i) {
    const int line = first + i * lines_at_a_time;
    ptx::copy_16(stage + row_offset(line, chunk), from.rows + line * bytes_of_row + byte);
    ptx::copy_16(stage + row_bytes + col_offset(line, chunk), from.cols + line * bytes_of_col + byte);
  }
}

/// Sums of a warp: [16 rows][8 columns][of mma_16x8x32]. Column 2 q + e of the j-th MMA is column 16 q + 2 j + e of the
/// warp's.
using WarpSums = std::uint32_t[warp_rows / 16][warp_cols / 8][4];

__device__ __forceinline__ void multiply_step(WarpSums& sums, std::uint32_t stage, int first_row, int first_col) {
  const int lane = threadIdx.x % 32, line = lane % 8;
  // Matrices of a row fragment: rows 0-7, 8-15 of k 0-15, then of k 16-31. Of a column fragment: MMA j of both, then j
  // + 1.
  const int row_line = first_row + line + lane / 8 % 2 * 8, row_chunk = lane / 16;
  const int col_line = first_col + line / 2 * 16 + lane / 16 * 2 + line % 2, col_chunk = lane / 8 % 2;
#pragma unroll
  for (int part = 0; part < tiles.step / 32; ++part) {
    std::uint32_t rows[warp_rows / 16][4];
#pragma unroll
    for (int i = 0; i < warp_rows / 16; ++i)
      ptx::load_matrices(rows[i], stage + row_offset(row_line + 16 * i, 2 * part + row_chunk));
#pragma unroll
    for (int j = 0; j < warp_cols / 8; j += 2) {
      std::uint32_t cols[4];
      ptx::load_matrices(cols, stage + row_bytes + col_offset(col_line + 2 * j, 2 * part + col_chunk));
#pragma unroll
      for (int i = 0; i < warp_rows / 16; ++i) {
        ptx::mma_16x8x32(sums[i][j], rows[i], cols[0], cols[1]);
        ptx::mma_16x8x32(sums[i][j + 1], rows[i], cols[2], cols[3]);
      }
    }
  }
}

template <class Output, bool Slabs, bool Grouped>
__global__ void __launch_bounds__(tiles.threads, tiles.blocks)
    product(const std::uint8_t* __restrict__ all_rows, const std::uint8_t* __restrict__ all_cols,
            const __grid_constant__ ProductJob<typename Output::Element> given,
            const __grid_constant__ typename Output::Parameters parameters) {
  await_predecessor();
  const ProductJob<typename Output::Element>& job = arguments_of_block<Grouped>(given);
  const auto& own_parameters = parameters_of_block<Grouped, Output>(parameters);
  const std::uint8_t* const rows = all_rows + (Grouped ? job.group.product() * job.group.bytes : 0);
  const std::uint8_t* const cols = all_cols + (Grouped ? job.group.product() * job.group.bytes : 0);
  const BlockExtent extent = block_extent(job, job.plan);
  if (extent.rows == 0 || extent.cols == 0) return;
  const Order order(extent);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = warp / 2 * warp_rows, warp_col = warp % 2 * warp_cols;
  extern __shared__ __align__(128) std::uint8_t shared[];
  const std::uint32_t base = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  int stage = 0;
  Output output(own_parameters);
  const TermsOfTiles<tiles, Slabs, typename Output::Element> terms_of(job, extent);

  for (int t = blockIdx.x; t < order.count(); t += gridDim.x) {
    const Tile tile = order.at(t);
    if (!order.wants(tile)) continue;
    const TileTerms terms = terms_of.of(tile);
    if (terms.steps == 0) continue;
    const Operands from{
        rows + buffer_line(tile.row, terms.plane, extent.planes) * job.bytes_of_row + terms.row_step * tiles.step,
        (extent.shared ? rows : cols) +
            buffer_line(tile.col, terms.plane ^ extent.exchange, extent.planes) * job.bytes_of_col +
            terms.col_step * tiles.step};
    WarpSums sums{};
    copy_step(base + stage * tiles.stage_bytes(), from, job.bytes_of_row, job.bytes_of_col, 0);
    for (int step = 0; step < terms.steps; ++step, stage ^= 1) {
      // After the barrier, everyone's copies of this step are there, and nobody reads the other stage any more.
      ptx::copies_wait();
      __syncthreads();
      if (step + 1 < terms.steps)
        copy_step(base + (stage ^ 1) * tiles.stage_bytes(), from, job.bytes_of_row, job.bytes_of_col, step + 1);
      multiply_step(sums, base + stage * tiles.stage_bytes(), warp_row, warp_col);
    }

    output.begin_tile(terms.plane, tile.col + warp_col);
    const Index row = tile.row + warp_row + lane / 4, col = tile.col + warp_col + 16 * (lane % 4);
    typename Output::Element* const out = job.out + terms.out + (row - tile.row) * terms_of.stride() + col - tile.col;
#pragma unroll
    for (int i = 0; i < warp_rows / 16; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        std::uint32_t neighbours[16];
#pragma unroll
        for (int c = 0; c < 16; ++c) neighbours[c] = sums[i][c / 2][2 * half + c % 2];
        output.store(neighbours, out + (16 * i + 8 * half) * terms_of.stride(), row + 16 * i + 8 * half, col);
      }
    }
    output.end_tile();
  }
  output.end();
}

template <class Output, bool Slabs = false>
void launch(const DeviceModel& model, const std::uint8_t* rows, const std::uint8_t* cols,
            const ProductJob<typename Output::Element>& job, cudaStream_t stream,
            const typename Output::Parameters& parameters) {
  LaunchShape shape{1, tiles.threads, shared_bytes};
  const auto start = [&](auto kernel) {
    const Index resident = resident_blocks(model, "residue product", kernel, shape);
    shape.grid = dim3(static_cast<unsigned>(job.group.blocks_of_product(resident, resident, job.usual_tiles(tiles), 1)),
                      job.group.grid_rows());
    cuda::launch(model, "residue product", kernel, shape, stream, rows, cols, job, parameters);
  };
  if constexpr (!Slabs) {
    if (job.group.exists()) return start(product<Output, Slabs, true>);
  }
  start(product<Output, Slabs, false>);
}

}  // namespace

void residue_product(const DeviceModel& model, const ProductArguments& a, cudaStream_t stream) {
  const auto start = a.accumulate ? launch<ResidueOutput<true>> : launch<ResidueOutput<false>>;
  start(model, a.rows, a.cols, make_job(a), stream, {a.first_reduction()});
}

void slab_product(const DeviceModel& model, const SlabProduct& a, cudaStream_t stream) {
  launch<ResidueOutput<false>, true>(model, a.rows, a.cols, make_job(a), stream, {0});
}

void certificate_sums(const DeviceModel& model, const SumsArguments& a, cudaStream_t stream) {
  const auto start = a.accumulate ? launch<SumOutput<true>> : launch<SumOutput<false>>;
  start(model, a.rows, a.cols, make_job(a), stream, {});
}

void certify_product(const DeviceModel& model, const SumsArguments& a, const CertifyJob& job, cudaStream_t stream) {
  constexpr int groups = warp_cols / 64;
  const bool bits = job.kind == CertificateRungKind::bits;
  const auto start = bits ? launch<CertifyOutput<BitsTest, groups>> : launch<CertifyOutput<ModuliTest, groups>>;
  start(model, a.rows, a.cols, make_job(a), stream, job);
}

}  // namespace accublas::cuda::portable
