// From residues to rounded results of products beyond double precision.
#include "cuda/core/launch.hpp"
#include "cuda/quad/kernels.hpp"
#include "lib/cpu/kernels/int8_kernels.hpp"
#include "lib/quad/crt_digits.hpp"

namespace accublas::cuda {

namespace {

using quad::CrtDigits;

constexpr int rebuild_threads = 256, columns = 4;

/// Rounds one element, or puts it on the list: all cases.
__device__ ACCUBLAS_NOINLINE void finish_any(const QuadProblem& problem, const QuadBlock& block,
                                             const quad::IntervalFinish& finish, const Wide<crt_limbs>& s,
                                             std::int64_t exponent, double error, bool finite, Index r, Index c) {
  const Index row = block.row + r, col = block.col + c;
  if (finite) {
    quad::Value value;
    unsigned raised = 0;
    const quad::Number addend = finish.needs_addend() ? problem.at(row, col) : quad::Number{};
    if (finish.decide(s, exponent, error, addend, &value, raised)) {
      problem.at.put(row, col, value);
      if (raised != 0) atomicOr(&problem.counts->raised, raised);
      return;
    }
  }
  block.list[atomicAdd(&problem.counts->listed, 1u)] = static_cast<std::uint32_t>(r * block.cols + c);
}

/// Rounds one element, or puts it on the list.
__device__ void finish_element(const QuadProblem& problem, const QuadBlock& block, const quad::IntervalFinish& finish,
                               const Wide<crt_limbs>& s, Index r, Index c) {
  const Index row = block.row + r, col = block.col + c;
  const quad::LineScaling &of_row = problem.rows.scaling[row], &of_col = problem.cols.scaling[col];
  const bool finite = (problem.rows.facts[row].special | problem.cols.facts[col].special) == 0;
  const std::int64_t exponent = -(std::int64_t{of_row.scale} + of_col.scale);
  const double error = element_error(of_row.error, of_col.error);
  quad::Value value;
  if (finite && finish.usual() && finish.decide_usual(s, exponent, error, &value.quad))
    problem.at.put(row, col, value);
  else
    finish_any(problem, block, finish, s, exponent, error, finite, r, c);
}

/// A thread has four neighbouring columns of a row. `Digits` is at least crt.digits.
template <int Digits>
__global__ void __launch_bounds__(rebuild_threads, 2)
    quad_reconstruct_block(const __grid_constant__ QuadProblem problem, const __grid_constant__ QuadBlock block,
                           const __grid_constant__ CrtDigits crt) {
  await_predecessor();
  const Index rows = min(block.rows, problem.rows.count - block.row),
              cols = min(block.cols, problem.cols.count - block.col);
  const int across = static_cast<int>(ceil_div(cols, Index{columns * 32})), warp = static_cast<int>(threadIdx.x / 32);
  const Index strips = rows * across, plane = block.rows * block.cols;
  const quad::IntervalFinish finish(problem.alpha, problem.beta, problem.at.place.format);
  for (Index t = Index{blockIdx.x} * (rebuild_threads / 32) + warp; t < strips;
       t += Index{gridDim.x} * (rebuild_threads / 32)) {
    const Index r = t / across, c = (t % across * 32 + threadIdx.x % 32) * columns;
    if (c >= cols) continue;
    bool any = problem.wanted == Triangle::all;
    for (int e = 0; e < columns && !any; ++e) any = problem.wants(block.row + r, block.col + c + e);
    if (!any) continue;
    const std::int8_t* at = block.residues + r * block.cols + c;
    std::int32_t sum[columns][Digits] = {};
#pragma unroll 1
    for (int pair = 0; pair < crt.pairs; ++pair, at += 2 * plane) {
      const std::uint32_t first = *reinterpret_cast<const std::uint32_t*>(at);
      const std::uint32_t second = 2 * pair + 1 < crt.planes ? *reinterpret_cast<const std::uint32_t*>(at + plane) : 0u;
      const std::uint32_t low = __byte_perm(first, second, 0x5140), high = __byte_perm(first, second, 0x7362);
#pragma unroll
      for (int d = 0; d < Digits; ++d) {
        const std::uint32_t weight = crt.weight[pair][d];
        sum[0][d] = quad::add_two_products<false>(weight, low, sum[0][d]);
        sum[1][d] = quad::add_two_products<true>(weight, low, sum[1][d]);
        sum[2][d] = quad::add_two_products<false>(weight, high, sum[2][d]);
        sum[3][d] = quad::add_two_products<true>(weight, high, sum[3][d]);
      }
    }
    Wide<crt_limbs> s[columns];
#pragma unroll
    for (int e = 0; e < columns; ++e) s[e] = quad::integer_of_digits(crt, sum[e]);
#pragma unroll 1
    for (int e = 0; e < columns; ++e)
      if (c + e < cols && problem.wants(block.row + r, block.col + c + e))
        finish_element(problem, block, finish, s[e], r, c + e);
  }
}

}  // namespace

void quad_reconstruct(const DeviceModel& model, const QuadProblem& problem, const QuadBlock& block,
                      cudaStream_t stream) {
  const CrtDigits crt = quad::make_crt_digits(cpu::int8_crt_table(block.moduli));
  const Index rows = std::min(block.rows, problem.rows.count - block.row),
              cols = std::min(block.cols, problem.cols.count - block.col);
  const Index strips = rows * ceil_div(cols, Index{columns * 32}),
              wanted = ceil_div(strips, Index{rebuild_threads / 32}), most = Index{16} * model.processors;
  const LaunchShape shape{static_cast<unsigned>(wanted < most ? wanted : most), rebuild_threads};
  const auto start = [&](auto kernel) {
    launch(model, "quad_reconstruct", kernel, shape, stream, problem, block, crt);
  };
  if (crt.digits <= 10) return start(quad_reconstruct_block<10>);
  if (crt.digits <= 14) return start(quad_reconstruct_block<14>);
  if (crt.digits <= 16) return start(quad_reconstruct_block<16>);
  if (crt.digits <= 18) return start(quad_reconstruct_block<18>);
  start(quad_reconstruct_block<CrtDigits::most_digits>);
}

}  // namespace accublas::cuda
