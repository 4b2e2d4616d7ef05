#include "cuda/quad/vector_call.hpp"

#include <algorithm>
#include <optional>

#include "cuda/core/check.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/quad/lane_sums.hpp"
#include "cuda/quad/vector.hpp"
#include "lib/base/workspace.hpp"

namespace accublas::cuda {

namespace {

constexpr const char* quad_sum = "a sum beyond double precision";

/// Memory of a call: `lay_out(Carver&, blocks)` takes the arrays of so many thread blocks. There are at most `most`
/// blocks, as many as fit the workspace, and at least one.
template <class LayOut>
class BlocksMemory {
 public:
  BlocksMemory(State& state, quad::DeviceCall& call, Index most, LayOut lay_out) : blocks_(static_cast<int>(most)) {
    const Workspace workspace(call.cap, call.buffer, call.buffer_bytes);
    const auto arrays = [&](Carver& carver) { lay_out(carver, blocks_); };
    while (blocks_ > 1 && bytes_of_arrays(arrays) > workspace.cap()) blocks_ = (blocks_ + 1) / 2;
    memory_.emplace(arrays, state, workspace);
    call.peak = std::max(call.peak, memory_->bytes());
  }
  int blocks() const { return blocks_; }

 private:
  int blocks_;
  std::optional<ArrayMemory<CallMemory>> memory_;
};

/// Waits for a call, and returns the exceptions of its results.
unsigned raised_by(const QuadCounts* counts, cudaStream_t stream) {
  QuadCounts found{};
  check(cudaMemcpyAsync(&found, counts, sizeof found, cudaMemcpyDeviceToHost, stream), quad_sum);
  check(cudaStreamSynchronize(stream), quad_sum);
  return found.raised;
}

Index most_blocks(const State& state) { return Index{3} * state.model().processors; }

/// Chooses the parts of rows: enough warps to keep the memory busy, and terms enough for a warp.
void choose_parts(QuadVector& v) {
  constexpr Index wanted_warps = 4096, most_parts = 1024, terms_of_lane = 16;
  const Index rows = quad_rows_of_warp(v), groups = ceil_div(v.count, rows), least_terms = terms_of_lane * 32 / rows;
  const Index parts = std::clamp(wanted_warps / groups, Index{1}, std::min(most_parts, ceil_div(v.k, least_terms)));
  v.part_terms = ceil_div(v.k, parts);
  v.parts = ceil_div(v.k, v.part_terms);
}

}  // namespace

bool is_vector_product(const quad::Product& product, const quad::DeviceCall& call) {
  return std::min(product.m, product.n) == 1 && product.elements == Triangle::all &&
         call.wanted != ACCUBLAS_ENGINE_INT8;
}

unsigned sum_vector(State& state, const quad::Product& product, bool root, quad::DeviceCall& call) {
  const cudaStream_t stream = state.cuda_stream();
  const bool by_columns = product.n == 1;
  QuadVector v{};
  v.rows = by_columns ? product.a : product.b.transposed();
  v.vector = by_columns ? product.b : product.a.transposed();
  v.at = {by_columns ? product.c.place : product.c.place.transposed()};
  v.count = by_columns ? product.m : product.n;
  v.k = product.k;
  v.alpha = product.alpha;
  v.beta = product.beta;
  v.root = root;
  choose_parts(v);
  constexpr Index least_split = 2048;
  QuadScratch* scratch = nullptr;
  std::byte* result = nullptr;
  // A row whose terms lie far apart is shared by the thread blocks that rows leave idle.
  const auto lay_out = [&](Carver& carver, int blocks) {
    v.splits = std::clamp(blocks / v.count, Index{1}, ceil_div(v.k, least_split));
    v.counts = carver.take<QuadCounts>(1);
    result = carver.take<std::byte>(16);
    v.part = carver.take<quad::NarrowSum>(v.count * v.parts);
    v.range = carver.take<quad::TermRange>(v.count);
    v.list = carver.take<Index>(v.count);
    v.arrivals = carver.take<unsigned>(v.splits > 1 ? v.count : 0);
    v.words = carver.take<std::int64_t>(v.splits > 1 ? v.count * 2 * QuadScratch::limbs : 0);
    scratch = reinterpret_cast<QuadScratch*>(carver.take<std::byte>(quad_scratch_bytes(blocks)));
  };
  // Rows in blocks, if the workspace is too small for the arrays of all.
  const Index rows = v.count;
  const std::size_t cap = Workspace(call.cap, call.buffer, call.buffer_bytes).cap();
  while (v.count > 1 && bytes_of_arrays([&](Carver& carver) { lay_out(carver, 1); }) > cap)
    v.count = ceil_div(v.count, Index{2});
  const Index at_once = v.count;
  const BlocksMemory memory(state, call, most_blocks(state), lay_out);
  if (call.result_on_host) v.at.place = quad::view(v.at.place.format, result, 1, 1);
  state.begin_call(call.report->level);
  state.phase(&accublas_report_t::ms_exact);
  check(cudaMemsetAsync(v.counts, 0, sizeof(QuadCounts), stream), quad_sum);
  const quad::Operand all = v.rows, results = v.at.place;
  for (Index first = 0; first < rows; first += at_once) {
    v.count = std::min(at_once, rows - first);
    v.rows = all.from(first, 0);
    v.at.place = results.from(first, 0);
    if (first > 0) check(cudaMemsetAsync(&v.counts->listed, 0, sizeof(unsigned), stream), quad_sum);
    if (v.splits > 1) {
      const std::size_t count = static_cast<std::size_t>(v.count);
      check(cudaMemsetAsync(v.arrivals, 0, count * sizeof(unsigned), stream), quad_sum);
      check(cudaMemsetAsync(v.words, 0, count * 2 * QuadScratch::limbs * sizeof(std::int64_t), stream), quad_sum);
    }
    quad_vector(state.model(), v, scratch, memory.blocks(), stream);
  }
  state.end_call();
  call.used = ACCUBLAS_ENGINE_SUMS;
  if (call.result_on_host)
    check(cudaMemcpyAsync(const_cast<void*>(product.c.place.data), result, quad::bytes_of(product.c.place.format),
                          cudaMemcpyDeviceToHost, stream),
          quad_sum);
  return raised_by(v.counts, stream);
}

unsigned solve_columns(State& state, const quad::Solve& solve, quad::DeviceCall& call) {
  const cudaStream_t stream = state.cuda_stream();
  QuadSolve s{solve.m, solve.n, solve.upper, solve.unit, solve.alpha, solve.a, solve.b, nullptr};
  std::uint64_t* limbs = nullptr;
  const Index most = std::min(Index{quad_solve_blocks(state.model())}, solve.n);
  const BlocksMemory memory(state, call, most, [&](Carver& carver, int blocks) {
    s.counts = carver.take<QuadCounts>(1);
    limbs = carver.take<std::uint64_t>(quad_solve_limbs(blocks));
  });
  state.begin_call(call.report->level);
  state.phase(&accublas_report_t::ms_exact);
  check(cudaMemsetAsync(s.counts, 0, sizeof(QuadCounts), stream), quad_sum);
  quad_solve(state.model(), s, limbs, memory.blocks(), stream);
  state.end_call();
  call.used = ACCUBLAS_ENGINE_SUMS;
  return raised_by(s.counts, stream);
}

}  // namespace accublas::cuda
