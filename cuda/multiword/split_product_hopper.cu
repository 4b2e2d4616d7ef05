// The multiword product of words that are split first, for compute capability 9.0: the fused product with another
// producer. One thread of a block fills the ring by TMA copies, and no warp of the product splits entries. Lines
// lie in device memory in the order of the ring (SplitWords).
#include "cuda/core/launch.hpp"
#include "cuda/core/occupancy.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/tensor_map.hpp"
#include "cuda/multiword/fused_consumers.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda::hopper {

namespace {

using namespace fused;

constexpr int split_threads = 128 * (consumers + 1);
// A thread starts with 168 registers.
constexpr int split_producer_registers = 40, split_consumer_registers = 232;

/// The distance between the words of an entry, in lines of the tensor maps.
struct WordLines {
  int rows, cols;
};

template <class C>
__device__ void copy_words(const CUtensorMap& row_map, const CUtensorMap& col_map, const Job& job, WordLines apart,
                           const Ring<C>& ring) {
  const int rank = C::cluster > 1 ? static_cast<int>(ptx::cluster_rank()) : 0;
  const int steps = static_cast<int>(ceil_div(job.product.rows.k, Index{C::step}));
  Position<C> at{0, 1};
  for (Walk<C> walk(job); !walk.ended(); walk.advance()) {
    const int row = static_cast<int>(walk.row) + rank * rows, col = static_cast<int>(walk.col) + rank * C::own_cols;
    for (int step = 0; step < steps; ++step, at.advance()) {
      ptx::barrier_wait(ring.empty(at.stage), at.parity);
      const std::uint32_t full = ring.full(at.stage);
      ptx::barrier_expect(full, C::stage_bytes);
      for (int word = 0; word < C::word_sets; ++word) {
        ptx::copy_lines(ring.row_words(at.stage, word), row_map, 128 * step, row + word * apart.rows, full);
        ptx::copy_lines(ring.col_words(at.stage, word) + rank * C::own_cols * 128, col_map, 128 * step,
                        col + word * apart.cols, full, (1 << C::cluster) - 1);
      }
    }
  }
}

template <class C>
__global__ void __launch_bounds__(split_threads, 1)
    multiply_split(const __grid_constant__ CUtensorMap row_map, const __grid_constant__ CUtensorMap col_map,
                   const __grid_constant__ Job job, WordLines apart) {
  extern __shared__ std::uint8_t shared[];
  const Ring<C> ring(shared);
  if (threadIdx.x == 0) ring.initialise();
  __syncthreads();
  if constexpr (C::cluster > 1) ptx::cluster_sync();
  await_predecessor();
  if (leaves_c(*job.product.state, job.product.alpha)) return;
  if (threadIdx.x >= 128 * consumers) {
    ptx::give_registers_up<split_producer_registers>();
    if (threadIdx.x == 128 * consumers) copy_words<C>(row_map, col_map, job, apart, ring);
    __syncwarp();
  } else {
    ptx::take_registers<split_consumer_registers>();
    consume(job, ring);
  }
  if constexpr (C::cluster > 1) ptx::cluster_sync();  // no block exits while its peer may still write to it
}

CUtensorMap map_of(const SplitWords& words, int box_lines) {
  const std::size_t bytes = words.numbers() * sizeof(std::uint16_t);
  return line_map(reinterpret_cast<const std::uint8_t*>(words.data), bytes, 2 * words.terms, box_lines);
}

template <class C>
void launch_split(const DeviceModel& model, const Job& job, const SplitWords& row_words, const SplitWords& col_words,
                  cudaStream_t stream) {
  LaunchShape shape{1, split_threads, C::shared_bytes, C::cluster};
  shape.grid = static_cast<unsigned>(resident_blocks(model, "multiword product", multiply_split<C>, shape));
  const WordLines apart{static_cast<int>(row_words.lines), static_cast<int>(col_words.lines)};
  cuda::launch(model, "multiword product", multiply_split<C>, shape, stream, map_of(row_words, rows),
               map_of(col_words, C::own_cols), job, apart);
}

}  // namespace

void split_product(const DeviceModel& model, WordKind words, int products, const MultiwordProduct& product,
                   const SplitWords& row_words, const SplitWords& col_words, cudaStream_t stream) {
  const Job job{product, true, true, true, true};  // the entries are not read
  if (words == WordKind::tf32_half && products == 3)
    return launch_split<Config<WordKind::tf32_half, 3, 128, 2, 3, true>>(model, job, row_words, col_words, stream);
  if (words == WordKind::half && products == 3)
    return launch_split<Config<WordKind::half, 3, 128, 2, 3, true>>(model, job, row_words, col_words, stream);
  if (words == WordKind::half && products == 1)
    return launch_split<Config<WordKind::half, 1, 256, 2, 4>>(model, job, row_words, col_words, stream);
  throw Error(ACCUBLAS_ERROR_INTERNAL, "no kernel for these words");
}

}  // namespace accublas::cuda::hopper
