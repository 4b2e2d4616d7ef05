// Exact sums of products beyond double precision: the elements that residues leave undecided, those of lines with
// infinities or NaN, and the samples by which the number of moduli is chosen. A thread block computes one element at a
// time. Its lanes have an accumulator each in shared memory, as long as the exponents of the two lines ask for.
#include <new>

#include "cuda/core/launch.hpp"
#include "cuda/quad/kernels.hpp"
#include "cuda/quad/lane_sums.hpp"

namespace accublas::cuda {

namespace {

using namespace lane_sums;

/// Forms the exact sum of element (row, col), whose lines have no infinities or NaN, in *scratch, as abs and sign. All
/// threads call it; it is complete at return.
__device__ void sum_element(const QuadProblem& problem, Index row, Index col, std::int64_t* accumulators,
                            QuadScratch* scratch, SharedSum* shared) {
  const QuadSide &rows = problem.rows, &cols = problem.cols;
  const quad::LineFacts &of_row = rows.facts[row], &of_col = cols.facts[col];
  const bool zero = !(of_row.norm > 0) || !(of_col.norm > 0);
  // A mantissa of 113 bits begins at most 112 bits below the last bit of its number.
  const int base = zero ? 0 : of_row.last_bit + of_col.last_bit - 224;
  const int bits = of_row.exponent + of_col.exponent - base + 64;  // with 2^62 terms and a sign
  const int words = zero ? 0 : bits / 32 + 11;
  const int lanes = lanes_of(words), thread = static_cast<int>(threadIdx.x);
  clear(accumulators, words, lanes);
  if (!zero && thread < lanes) {
    for (Index p = thread; p < rows.k; p += lanes) {
      const quad::Number x = rows.entries(row, p), y = cols.entries(col, p);
      add_term(accumulators + thread, lanes, x, y, base);
    }
  }
  add_lanes(accumulators, words, lanes);
  if (thread == 0) put_sum([&](int w) { return accumulators[w * lanes]; }, words, base, scratch->sum, shared);
  __syncthreads();
}

/// The classes of the terms of a row or column with infinities or NaN.
__device__ quad::TermClasses classes_of(const QuadProblem& problem, Index row, Index col, SharedSum* shared) {
  quad::TermClasses own;
  for (Index p = threadIdx.x; p < problem.rows.k; p += threads) {
    const quad::Number x = problem.rows.entries(row, p), y = problem.cols.entries(col, p);
    if (!x.finite() || !y.finite()) own.add(x, y);
  }
  __syncthreads();
  if (threadIdx.x == 0) shared->classes = 0;
  __syncthreads();
  const unsigned bits = own.bits();
  if (bits != 0) atomicOr(&shared->classes, bits);
  __syncthreads();
  return quad::TermClasses::of_bits(shared->classes);
}

__device__ void exact_element(const QuadProblem& problem, Index row, Index col, std::int64_t* accumulators,
                              QuadScratch* scratch, SharedSum* shared) {
  const int special = problem.rows.facts[row].special | problem.cols.facts[col].special;
  const bool has_addend = !problem.beta.is_zero();
  const quad::Number addend = has_addend ? problem.at(row, col) : quad::Number{};
  const bool finite_addend = !has_addend || (problem.beta.finite() && addend.finite());
  quad::TermClasses classes;
  const bool is_nan_alone = (special & 2) != 0 || problem.alpha.kind == quad::Number::Kind::nan;
  if ((special & 2) != 0)
    classes.any_nan = true;
  else if (special != 0)
    classes = classes_of(problem, row, col, shared);
  // Infinite terms, or an infinite addend beside a finite alpha S, decide without the sum of the others.
  const bool sums = special == 0 && !is_nan_alone && (finite_addend || !problem.alpha.finite());
  if (sums) sum_element(problem, row, col, accumulators, scratch, shared);
  if (threadIdx.x == 0) {
    quad::Finish* const finish =
        new (scratch->finish) quad::Finish(problem.alpha, problem.beta, problem.at.place.format);
    const SignedLimbs s = sums ? limbs_of(scratch->sum, *shared) : SignedLimbs{nullptr, 0, 0, false};
    unsigned raised = 0;
    problem.at.put(row, col, finish->finish(s, classes, addend, raised));
    if (raised != 0) atomicOr(&problem.counts->raised, raised);
    if (special == 0) atomicAdd(&problem.counts->undecided, 1ull);
  }
  __syncthreads();
}

__global__ void __launch_bounds__(threads)
    quad_exact_elements(const __grid_constant__ QuadProblem problem, const __grid_constant__ QuadBlock block,
                        QuadScratch* scratch) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char raw[];
  std::int64_t* const accumulators = reinterpret_cast<std::int64_t*>(raw);
  __shared__ __align__(8) unsigned char shared_raw[sizeof(SharedSum)];
  SharedSum* const shared = reinterpret_cast<SharedSum*>(shared_raw);
  QuadScratch* const own = scratch + blockIdx.x;
  if (block.list) {
    const unsigned count = problem.counts->listed;
    for (unsigned t = blockIdx.x; t < count; t += gridDim.x) {
      const std::uint32_t element = block.list[t];
      exact_element(problem, block.row + element / block.cols, block.col + element % block.cols, accumulators, own,
                    shared);
    }
    return;
  }
  const Index elements = problem.rows.count * problem.cols.count;
  for (Index t = blockIdx.x; t < elements; t += gridDim.x) {
    const Index row = t / problem.cols.count, col = t % problem.cols.count;
    if (problem.wants(row, col)) exact_element(problem, row, col, accumulators, own, shared);
  }
}

/// Bits of a result beyond which nothing matters. The low part of a pair begins a bit below the high one or later.
__device__ int digits_of(quad::Format format) {
  return format == quad::Format::binary128 ? 113 : format == quad::Format::pair ? 108 : 53;
}

/// A thread block of the grid takes a sample, and a share of the lines.
__global__ void __launch_bounds__(threads)
    quad_find_samples(const __grid_constant__ QuadProblem problem, QuadFindings* findings, QuadScratch* scratch) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char raw[];
  std::int64_t* const accumulators = reinterpret_cast<std::int64_t*>(raw);
  __shared__ __align__(8) unsigned char shared_raw[sizeof(SharedSum)];
  SharedSum* const shared = reinterpret_cast<SharedSum*>(shared_raw);
  __shared__ Index position[2];
  const QuadSide* const sides[2] = {&problem.rows, &problem.cols};
  for (int side = 0; side < 2; ++side)
    for (Index i = Index{blockIdx.x} * threads + threadIdx.x; i < sides[side]->count; i += Index{gridDim.x} * threads) {
      const quad::LineFacts& line = sides[side]->facts[i];
      if (!(line.norm > 0)) continue;
      // Most lines need as many bits as their neighbours: one lane counts those of its warp that do.
      const int need = line_needs(std::int64_t{line.exponent} - line.last_bit, line.norm);
      const unsigned same = __match_any_sync(__activemask(), need);
      if (static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(same)) - 1)
        atomicAdd(&findings->needs[side][need], __popc(same));
    }
  constexpr int attempts = 8;
  for (int sample = static_cast<int>(blockIdx.x); sample < most_samples; sample += static_cast<int>(gridDim.x)) {
    __syncthreads();
    if (threadIdx.x == 0) {
      SampleSequence sequence;
      position[0] = -1;
      for (int i = 0; i < 2 * attempts * sample; ++i) sequence.next(1);
      for (int i = 0; i < attempts && position[0] < 0; ++i) {
        const Index row = sequence.next(problem.rows.count), col = sequence.next(problem.cols.count);
        if (!problem.wants(row, col) || !(problem.rows.facts[row].norm > 0) || !(problem.cols.facts[col].norm > 0))
          continue;
        position[0] = row, position[1] = col;
      }
    }
    __syncthreads();
    if (position[0] < 0) continue;
    const Index row = position[0], col = position[1];
    sum_element(problem, row, col, accumulators, scratch + blockIdx.x, shared);
    if (threadIdx.x != 0) continue;
    const quad::LineFacts &r = problem.rows.facts[row], &c = problem.cols.facts[col];
    const SignedLimbs s = limbs_of(scratch[blockIdx.x].sum, *shared);
    // The chance is that of a sum in units of 2^(E + F). An exact zero is decided only if no bit is dropped.
    std::int64_t size = s.is_zero() ? -2000 : s.top() - r.exponent - c.exponent;
    if (size < -900) size = -900;
    const UndecidedSample u =
        undecided_sample<Binary128>(scalbn(1.0, static_cast<int>(size) - 1), r.norm, r.lambda, c.norm, c.lambda);
    const int more = digits_of(problem.at.place.format) - 113;
    findings->samples[atomicAdd(&findings->sampled, 1)] = {scalbn(u.row_term, more), scalbn(u.col_term, more)};
  }
}

}  // namespace

std::size_t quad_scratch_bytes(int blocks) { return sizeof(QuadScratch) * static_cast<std::size_t>(blocks); }

void quad_find(const DeviceModel& model, const QuadProblem& problem, QuadFindings* findings, QuadScratch* scratch,
               int scratch_blocks, cudaStream_t stream) {
  allow_shared_bytes(quad_find_samples, accumulator_bytes, "quad_find");
  const unsigned blocks = static_cast<unsigned>(scratch_blocks < most_samples ? scratch_blocks : most_samples);
  launch(model, "quad_find", quad_find_samples, {blocks, threads, accumulator_bytes}, stream, problem, findings,
         scratch);
}

void quad_exact(const DeviceModel& model, const QuadProblem& problem, const QuadBlock& block, QuadScratch* scratch,
                int scratch_blocks, cudaStream_t stream) {
  allow_shared_bytes(quad_exact_elements, accumulator_bytes, "quad_exact");
  launch(model, "quad_exact", quad_exact_elements, {static_cast<unsigned>(scratch_blocks), threads, accumulator_bytes},
         stream, problem, block, scratch);
}

}  // namespace accublas::cuda
