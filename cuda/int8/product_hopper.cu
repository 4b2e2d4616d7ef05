// Residue products for compute capability 9.0: one persistent kernel. In every block a producer thread fills a ring of
// stages in shared memory by bulk copies, and two warpgroups of consumers multiply from it by warpgroup MMAs of 64 x
// 256, reduce and store. The MMA's rows are the block's rows; its 256 columns arrive permuted, so that a thread owns 16
// neighbouring columns of C and stores its bytes with no exchange between threads. A cluster of two blocks, one above
// the other, fetches its columns once, half of them by each, sent to both.

#include <algorithm>
#include <type_traits>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/grid_barrier.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/occupancy.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/ptx_hopper.hpp"
#include "cuda/core/ptx_words.hpp"
#include "cuda/int8/certify.hpp"
#include "cuda/int8/certify_output.hpp"
#include "cuda/int8/cluster_tiles.hpp"
#include "cuda/int8/product.hpp"
#include "cuda/int8/product_kernels.hpp"
#include "cuda/int8/product_tiles.hpp"
#include "cuda/int8/tensor_map.hpp"

namespace accublas::cuda::hopper {

namespace {

constexpr TileConfig tiles = sm_90.int8_tiles;
constexpr int row_bytes = tiles.rows * tiles.step;
constexpr int consumers = tiles.rows / 64;  // warpgroups
constexpr int shared_bytes = tiles.stages * tiles.stage_bytes() + 16 * tiles.stages + 1024;
static_assert(tiles.step == 128 && tiles.cols == 256 && tiles.cluster == 2,
              "tensor maps and mma_64x256x32 are made for it");
static_assert(tiles.threads == 128 * (consumers + 1));
static_assert(line_group == tiles.cluster_rows() && line_group == tiles.cols, "a tile lies in one group of lines");

// A thread starts with 168 registers, which the warpgroups redistribute by setmaxnreg: producers need few (24 spill),
// consumers hold 128 accumulators.
constexpr int producer_registers = 40, consumer_registers = 232;

/// The ring in shared memory: stages (rows' bytes, then columns'), a barrier `full` and one `empty` for each.
struct Ring {
  std::uint32_t base;

  __device__ explicit Ring(const void* shared) : base((ptx::shared_address(shared) + 1023) & ~1023u) {}
  __device__ std::uint32_t rows(int stage) const { return base + stage * tiles.stage_bytes(); }
  __device__ std::uint32_t cols(int stage) const { return rows(stage) + row_bytes; }
  __device__ std::uint32_t full(int stage) const { return base + tiles.stages * tiles.stage_bytes() + 8 * stage; }
  __device__ std::uint32_t empty(int stage) const { return full(stage) + 8 * tiles.stages; }

  __device__ void initialise() const {
    for (int stage = 0; stage < tiles.stages; ++stage) {
      ptx::barrier_init(full(stage), 1);
      // Every warp of both blocks' consumers frees a stage, because both blocks' producers write to it.
      ptx::barrier_init(empty(stage), tiles.cluster * consumers * 4);
    }
    ptx::publish_barriers();
  }
};

/// A position in the ring, and the parity of the barriers' phase there.
struct Position {
  int stage;
  std::uint32_t parity;

  __device__ void advance() {
    if (++stage == tiles.stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// Keeps the thread blocks near each other in k, so that they find each other's rows and columns in L2. Without it, a
/// product with n = 16384 reads 227 GB instead of 57. If the blocks are not resident at a time, it costs a quarter of
/// the time at worst.
using Lockstep = AdvisoryBarrier<tiles.lockstep_steps>;

/// One thread of a block: the operands of all its tiles, through the ring.
template <bool Slabs, class Element, class Tiles>
__device__ void produce(const CUtensorMap& row_map, const CUtensorMap& col_map, const ProductJob<Element>& job,
                        Tiles own, const Ring& ring) {
  const int rank = static_cast<int>(ptx::cluster_rank());
  constexpr int half_cols = tiles.cols / tiles.cluster;
  const BlockExtent& extent = own.extent();
  Lockstep lockstep(lockstep_wanted(Index{extent.rows} + extent.cols, job.k_padded) ? job.lockstep : nullptr);
  const TermsOfTiles<tiles, Slabs, Element> terms_of(job, extent);
  Position at{0, 1};
  for (; own.more(); own.advance()) {
    const Tile tile = own.tile();
    if (!own.wanted()) continue;
    const TileTerms terms = terms_of.of(tile);
    const int row = own.row_lines_before() + buffer_line(tile.row + rank * tiles.rows, terms.plane, extent.planes);
    const int col =
        own.col_lines_before() + buffer_line(tile.col + rank * half_cols, terms.plane ^ extent.exchange, extent.planes);
    for (int step = 0; step < terms.steps; ++step, at.advance()) {
      lockstep.step();
      ptx::barrier_wait(ring.empty(at.stage), at.parity);
      const std::uint32_t full = ring.full(at.stage);
      ptx::barrier_expect(full, tiles.stage_bytes());
      ptx::copy_lines(ring.rows(at.stage), row_map, (terms.row_step + step) * tiles.step, row, full);
      ptx::copy_permuted_lines(ring.cols(at.stage) + rank * half_cols * tiles.step, col_map,
                               (terms.col_step + step) * tiles.step, col / 64, full, (1 << tiles.cluster) - 1);
    }
  }
  lockstep.leave();
}

/// The turns of the warpgroups in products by slabs, whose sums are so short that storing a tile takes as long as its
/// MMAs. One warpgroup multiplies while the other one stores.
template <bool Slabs>
struct Turns {
  static_assert(consumers == 2);
  static constexpr int first_barrier = 1, threads = 128 * consumers;
  int own;

  __device__ explicit Turns(int warpgroup) : own(first_barrier + warpgroup) {
    if (Slabs && warpgroup == 1) ptx::barrier_signal(first_barrier, threads);
  }
  __device__ void wait() const {
    if (Slabs) ptx::barrier_sync(own, threads);
  }
  __device__ void pass() const {
    if (Slabs) ptx::barrier_signal(2 * first_barrier + 1 - own, threads);
  }
  /// Waits for the last turn that the other warpgroup has passed on, so that no arrival at the barrier stays pending.
  __device__ void end() const {
    if (Slabs && own == first_barrier) ptx::barrier_sync(own, threads);
  }
};

/// A warpgroup: 64 rows of every tile of its block.
template <bool Slabs, class Output, class Tiles>
__device__ void consume(const ProductJob<typename Output::Element>& job, Tiles own, const Ring& ring, int warpgroup,
                        Output& output) {
  const int rank = static_cast<int>(ptx::cluster_rank());
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  // Lanes 0 and 1 of a warp free a stage in blocks 0 and 1 of the cluster.
  const auto free_stage = [&](int stage) {
    if (lane < tiles.cluster) ptx::barrier_arrive(ring.empty(stage), lane);
  };
  const BlockExtent& extent = own.extent();
  const TermsOfTiles<tiles, Slabs, typename Output::Element> terms_of(job, extent);
  Turns<Slabs> turns(warpgroup);
  Position at{0, 0};
  while (own.more()) {
    const Tile tile = own.tile();
    const TileTerms terms = own.wanted() ? terms_of.of(tile) : TileTerms{};
    if (terms.steps == 0) {
      own.advance();
      continue;
    }
    const int first_row = tile.row + rank * tiles.rows + warpgroup * 64;
    turns.wait();
    if (first_row >= extent.rows) {  // no such lines
      for (int step = 0; step < terms.steps; ++step, at.advance()) {
        ptx::barrier_wait(ring.full(at.stage), at.parity);
        free_stage(at.stage);
      }
      turns.pass();
      own.advance();
      continue;
    }
    const Index row = first_row + warp * 16 + lane / 4, col = tile.col + 16 * (lane % 4), stride = terms_of.stride();
    typename Output::Element* const out = own.out() + terms.out + (row - tile.row) * stride + col - tile.col;

    // One group of MMAs stays in flight while the next stage is awaited.
    std::uint32_t sums[128];
    int previous = 0;
    for (int step = 0; step < terms.steps; ++step, at.advance()) {
      ptx::barrier_wait(ring.full(at.stage), at.parity);
      const bool first = step == 0;
      const std::uint64_t rows = ptx::line_descriptor(ring.rows(at.stage) + warpgroup * 64 * tiles.step);
      const std::uint64_t cols = ptx::line_descriptor(ring.cols(at.stage));
      ptx::mma_begin();
#pragma unroll
      for (int part = 0; part < tiles.step / 32; ++part)
        ptx::mma_64x256x32(sums, rows + 2 * part, cols + 2 * part, !first || part > 0);
      ptx::mma_commit();
      if (first) {
        own.advance();  // finding a tile takes divisions and loads, one after the other, while MMAs run
      } else {
        ptx::mma_wait<1>();
        free_stage(previous);
      }
      previous = at.stage;
    }
    turns.pass();
    output.begin_tile(terms.plane, tile.col);
    ptx::mma_wait<0>();
    free_stage(previous);

#pragma unroll
    for (int group = 0; group < tiles.cols / 64; ++group) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        std::uint32_t neighbours[16];
#pragma unroll
        for (int i = 0; i < 16; ++i) neighbours[i] = sums[4 * (8 * group + i / 2) + 2 * half + i % 2];
        output.store(neighbours, out + 8 * half * stride + 64 * group, row + 8 * half, col + 64 * group);
      }
    }
    output.end_tile();
  }
  turns.end();
  output.end();
}

/// Whether the thread blocks of a group go through all of its products. Tests of the certificate keep facts about one
/// product.
template <class Output, bool Grouped>
constexpr bool walks_group = Grouped&& std::is_same_v<typename Output::Element, std::int8_t>;

template <class Output, bool Slabs, bool Grouped>
__global__ void __launch_bounds__(tiles.threads, tiles.blocks)
    product(const __grid_constant__ CUtensorMap row_map, const __grid_constant__ CUtensorMap col_map,
            const __grid_constant__ CUtensorMap shared_map,
            const __grid_constant__ ProductJob<typename Output::Element> given,
            const __grid_constant__ typename Output::Parameters parameters) {
  extern __shared__ std::uint8_t shared[];
  const Ring ring(shared);
  if (threadIdx.x == 0) ring.initialise();
  __syncthreads();
  ptx::cluster_sync();
  await_predecessor();
  const auto& own_parameters = parameters_of_block<Grouped, Output>(parameters);
  const int warpgroup = threadIdx.x / 128;
  const auto run = [&](const ProductJob<typename Output::Element>& job, const CUtensorMap& cols, auto&& own) {
    if (warpgroup == consumers) {
      ptx::give_registers_up<producer_registers>();
      if (threadIdx.x == 128 * consumers) produce<Slabs>(row_map, cols, job, own(), ring);
      __syncwarp();
    } else {
      ptx::take_registers<consumer_registers>();
      Output output(own_parameters);
      consume<Slabs>(job, own(), ring, warpgroup, output);
    }
  };
  if constexpr (walks_group<Output, Grouped>) {
    run(given, col_map, [&] { return TilesOfGroup<tiles, typename Output::Element>(given); });
  } else {
    const ProductJob<typename Output::Element>& job = arguments_of_block<Grouped>(given);
    const BlockExtent extent = block_extent(job, job.plan);
    if (extent.rows == 0 || extent.cols == 0) return;
    run(job, extent.shared ? shared_map : col_map,
        [&] { return TilesOfBlock<tiles, typename Output::Element>(job, extent); });
  }
  ptx::cluster_sync();  // no block leaves while its peer may still write to it
}

template <class Output, bool Slabs = false>
void launch(const DeviceModel& model, const std::uint8_t* rows, std::size_t rows_bytes, const std::uint8_t* cols,
            std::size_t cols_bytes, const ProductJob<typename Output::Element>& job, cudaStream_t stream,
            const typename Output::Parameters& parameters) {
  const CUtensorMap row_map = line_map(rows, job.in_all(rows_bytes), job.bytes_of_row, tiles.rows);
  const CUtensorMap col_map =
      permuted_line_map(cols, job.in_all(cols_bytes), job.bytes_of_col, tiles.cols / tiles.cluster);
  const CUtensorMap shared_map =
      job.same_lines ? permuted_line_map(rows, rows_bytes, job.bytes_of_row, tiles.cols / tiles.cluster) : col_map;
  LaunchShape shape{1, tiles.threads, shared_bytes, tiles.cluster};
  const auto start = [&](auto kernel) {
    const Index resident = resident_blocks(model, "residue product", kernel, shape),
                clusters = resident / tiles.cluster;
    ProductJob<typename Output::Element> own = job;
    if (job.group.exists() && walks_group<Output, true>) {
      own.parts = static_cast<int>(job.usual_tiles(tiles));
      shape.grid = static_cast<unsigned>(std::min(clusters, job.group.count * own.parts) * tiles.cluster);
    } else {
      const Index blocks = job.group.blocks_of_product(clusters, clusters, job.usual_tiles(tiles), 2);
      shape.grid = dim3(static_cast<unsigned>(blocks * tiles.cluster), job.group.grid_rows());
    }
    cuda::launch(model, "residue product", kernel, shape, stream, row_map, col_map, shared_map, own, parameters);
  };
  if constexpr (!Slabs) {
    if (job.group.exists()) return start(product<Output, Slabs, true>);
  }
  start(product<Output, Slabs, false>);
}

}  // namespace

void residue_product(const DeviceModel& model, const ProductArguments& a, cudaStream_t stream) {
  const auto start = a.accumulate ? launch<ResidueOutput<true>> : launch<ResidueOutput<false>>;
  start(model, a.rows, a.rows_bytes, a.cols, a.cols_bytes, make_job(a), stream, {a.first_reduction()});
}

void slab_product(const DeviceModel& model, const SlabProduct& a, cudaStream_t stream) {
  launch<ResidueOutput<false>, true>(model, a.rows, a.rows_bytes, a.cols, a.cols_bytes, make_job(a), stream, {0});
}

void certificate_sums(const DeviceModel& model, const SumsArguments& a, cudaStream_t stream) {
  const auto start = a.accumulate ? launch<SumOutput<true>> : launch<SumOutput<false>>;
  start(model, a.rows, a.rows_bytes, a.cols, a.cols_bytes, make_job(a), stream, {});
}

void certify_product(const DeviceModel& model, const SumsArguments& a, const CertifyJob& job, cudaStream_t stream) {
  constexpr int groups = tiles.cols / 64;
  const bool bits = job.kind == CertificateRungKind::bits;
  const auto start = bits ? launch<CertifyOutput<BitsTest, groups>> : launch<CertifyOutput<ModuliTest, groups>>;
  start(model, a.rows, a.rows_bytes, a.cols, a.cols_bytes, make_job(a), stream, job);
}

}  // namespace accublas::cuda::hopper
