// Triangular systems of binary128 numbers: every unknown is the exact quotient of the exact sum of its terms and the
// pivot, rounded once. A thread block solves a system with one right-hand side at a time, 32 unknowns at a time. Its
// warps add the terms of unknowns before these 32, a lane an unknown; then one warp divides and adds the terms of each
// unknown to the sums of those behind it.
#include "cuda/core/launch.hpp"
#include "cuda/quad/entries.hpp"
#include "cuda/quad/lane_sums.hpp"
#include "cuda/quad/vector.hpp"
#include "lib/quad/quotient.hpp"

namespace accublas::cuda {

namespace {

using lane_sums::SharedSum;

constexpr int solve_warps = lane_sums::threads / 32, solve_rows = 32, solve_blocks = 6;
/// One accumulator at least, over the whole range of exponents.
constexpr int solve_accumulator_bytes = 17 << 10;
static_assert(solve_accumulator_bytes >= static_cast<int>(2 * QuadScratch::limbs * sizeof(std::int64_t)));

/// Memory that the threads of a block share.
struct SolveShared {
  quad::NarrowSum sum[solve_warps][solve_rows];
  SharedSum long_sum;
  quad::TermRange range;  ///< of the current unknown, if its sum is wide
  Binary128 unknown;
  bool wide;
};

/// Adds -x y.
__device__ void subtract(quad::NarrowSum& sum, const Binary128& x, const Binary128& y) {
  Decoded128 of_x, of_y;
  if (quad::as_integer(x, of_x) && quad::as_integer(y, of_y))
    sum.add(of_x, of_y, true);
  else
    sum.add(quad::range_of_term(quad::number_of(x), quad::number_of(y), true));
}

/// Divides the sum of an unknown's terms, which have these classes, by its pivot. Writes the unknown, and returns it.
__device__ ACCUBLAS_NOINLINE Binary128 divide(const QuadSolve& solve, const SignedLimbs& sum, unsigned classes, Index i,
                                              Index j) {
  const quad::Number pivot = solve.unit ? quad::number_of(1.0) : solve.a(i, i);
  unsigned raised = 0;
  const quad::Value value = quad::quotient(sum, quad::TermClasses::of_bits(classes), pivot, raised);
  solve.b.put(i, j, value);
  if (raised != 0) atomicOr(&solve.counts->raised, raised);
  return value.quad;
}

/// Forms the sum of unknown `t` in a long accumulator, and divides it. All threads call it.
__device__ ACCUBLAS_NOINLINE void solve_wide(const QuadSolve& solve, Index t, Index j, std::int64_t* accumulators,
                                             std::uint64_t* limbs, SolveShared& shared) {
  const int thread = static_cast<int>(threadIdx.x), words = lane_sums::words_of(shared.range),
            lanes = lane_sums::lanes_of(words, solve_accumulator_bytes), base = shared.range.base;
  const Index i = solve.row(t);
  lane_sums::clear(accumulators, words, lanes);
  if (thread == 0) lane_sums::add_term(accumulators, lanes, solve.alpha, solve.b(i, j), base);
  if (thread < lanes)
    for (Index s = thread; s < t; s += lanes)
      lane_sums::add_term(accumulators + thread, lanes, solve.a(i, solve.row(s)), solve.b(solve.row(s), j), base, true);
  lane_sums::add_lanes(accumulators, words, lanes);
  if (thread == 0) {
    lane_sums::put_sum([&](int w) { return accumulators[w * lanes]; }, words, base, limbs, &shared.long_sum);
    shared.unknown = divide(solve, lane_sums::limbs_of(limbs, shared.long_sum), 0, i, j);
  }
  __syncwarp();
}

/// `limbs` has QuadScratch::limbs for each thread block.
__global__ void __launch_bounds__(lane_sums::threads, solve_blocks)
    quad_solve_columns(const __grid_constant__ QuadSolve solve, std::uint64_t* limbs) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char raw[];
  std::int64_t* const accumulators = reinterpret_cast<std::int64_t*>(raw);
  __shared__ __align__(16) unsigned char shared_raw[sizeof(SolveShared)];
  SolveShared& shared = *reinterpret_cast<SolveShared*>(shared_raw);
  limbs += Index{blockIdx.x} * QuadScratch::limbs;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const quad::Operand &a = solve.a, &b = solve.b.place;
  for (Index j = blockIdx.x; j < solve.n; j += gridDim.x) {
    for (Index first = 0; first < solve.m; first += solve_rows) {
      const int rows = static_cast<int>(min(Index{solve_rows}, solve.m - first));
      const Index own = solve.row(first + min(lane, rows - 1));
      quad::NarrowSum sum;
#pragma unroll 2
      for (Index s = warp; s < first; s += solve_warps) {
        const Index p = solve.row(s);
        subtract(sum, a.binary128(own, p), b.binary128(p, j));
      }
      shared.sum[warp][lane] = sum;
      __syncwarp();
      __syncthreads();
      if (warp == 0) {
        for (int w = 1; w < solve_warps; ++w) sum.merge(shared.sum[w][lane]);
        const quad::Number right = quad::number_of(b.binary128(own, j));
        if (solve.alpha.finite() && right.finite())
          sum.add(solve.alpha.part[0], right.part[0]);
        else
          sum.add(quad::range_of_term(solve.alpha, right));
      }
      for (int r = 0; r < rows; ++r) {
        const Index i = solve.row(first + r);
        if (warp == 0 && lane == r) {
          const unsigned classes = sum.range.flags & quad::TermClasses::all_bits;
          shared.wide = classes == 0 && sum.is_wide();
          if (shared.wide) {
            shared.range = sum.range;
          } else {
            std::uint64_t own_limbs[crt_limbs];
            const SignedLimbs y = classes == 0 ? sum.value(own_limbs) : SignedLimbs{nullptr, 0, 0, false};
            shared.unknown = divide(solve, y, classes, i, j);
          }
        }
        __syncwarp();
        __syncthreads();
        if (shared.wide) solve_wide(solve, first + r, j, accumulators, limbs, shared);
        __syncthreads();
        if (warp == 0 && lane > r && lane < rows) subtract(sum, a.binary128(own, i), shared.unknown);
        __syncwarp();
      }
    }
    __syncthreads();
  }
}

}  // namespace

std::size_t quad_solve_limbs(int blocks) { return static_cast<std::size_t>(blocks) * QuadScratch::limbs; }

int quad_solve_blocks(const DeviceModel& model) { return solve_blocks * model.processors; }

void quad_solve(const DeviceModel& model, const QuadSolve& solve, std::uint64_t* limbs, int blocks,
                cudaStream_t stream) {
  allow_shared_bytes(quad_solve_columns, solve_accumulator_bytes, "quad_solve");
  launch(model, "quad_solve", quad_solve_columns,
         {static_cast<unsigned>(blocks), lane_sums::threads, solve_accumulator_bytes}, stream, solve, limbs);
}

}  // namespace accublas::cuda
