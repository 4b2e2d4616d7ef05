// cr for DOT and GEMV in one pass at memory speed. Grid sums (cuda/sums/grid_chain.hpp) give every inner product to
// some 120 bits with a bound of its error. Ziv's test rounds the rows that this bound decides; the exact kernel
// computes the rest. With FixedScaling the entries are first scaled to magnitudes up to 1 and rounded to T bits of
// their row; the results are doubles.
#include <algorithm>

#include "cuda/core/arithmetic.hpp"
#include "cuda/core/arrival.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/loads.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/sums/grid_chain.hpp"
#include "cuda/vector/vector_device.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cuda {

namespace {

// Two or three thread blocks of 8 warps on a multiprocessor keep 64 to 96 KiB of loads in flight.
constexpr int warps = 8, threads = 32 * warps, resident = 3, pairs_resident = 2;
constexpr int column_rows = 64;  // rows of a thread block whose lanes have two rows each
constexpr int column_parts = threads / column_rows;
constexpr Index tile = 32 * chain_group;     // terms that a warp loads at a time along a row
constexpr Index least_terms = warps * tile;  // terms of a thread block's segment of a row
constexpr Index least_columns = warps * chain_group;

template <class T>
struct Arguments {
  RowProblem<T> p;
  FixedScaling fixed;
  OpenRows open;
  TripleSum* partial;
  Index segments, segment_terms;  ///< segments of the inner dimension
  bool all_undecided;
};

/// Rounds an entry to T bits below 2^E. The entry is scaled by 2^-E in two factors, since the power may not be a
/// double.
struct Rounding {
  double factor1, factor2, magic;

  __device__ double operator()(double a) const {
    const double y = mul_rn(mul_rn(a, factor1), factor2), size = absolute(y);
    const double rounded = add_rn(add_rn(size, magic), -magic);
    return copysign(size < magic ? rounded : size, y);
  }
};

template <class T>
__device__ T magnitude_of(std::uint64_t most) {
  return from_bits<T>(static_cast<typename FloatFormat<T>::Bits>(most));
}

template <class T>
__device__ Rounding rounding_of(const FixedScaling& fixed, Index i) {
  const int e = -exponent_above(magnitude_of<T>(fixed.most[i])), half = e / 2;
  const bool one = e >= -1000 && e <= 1000;
  return {power_of_two(one ? e : half), power_of_two(one ? 0 : e - half), power_of_two(52 - fixed.bits)};
}

/// Rounds the entries of a row and of x; in cr it returns them unchanged.
template <class T, bool Fixed>
struct Entries {
  Rounding row, x;
  __device__ Entries(const Arguments<T>& g, Index i)
      : row(rounding_of<T>(g.fixed, i)), x(rounding_of<T>(g.fixed, g.p.m)) {}
  __device__ double of_row(T a) const { return row(a); }
  __device__ double of_x(T a) const { return x(a); }
};
template <class T>
struct Entries<T, false> {
  __device__ Entries(const Arguments<T>&, Index) {}
  __device__ double of_row(T a) const { return a; }
  __device__ double of_x(T a) const { return a; }
};

template <class T>
constexpr bool exact_product = sizeof(T) < sizeof(double);

template <class T, bool Fixed, class Chain>
__device__ void add_group(const Entries<T, Fixed>& entries, const T (&u)[chain_group], const T (&v)[chain_group],
                          Chain& chain) {
  double a[chain_group], x[chain_group];
#pragma unroll
  for (int j = 0; j < chain_group; ++j) {
    a[j] = entries.of_row(u[j]);
    x[j] = entries.of_x(v[j]);
  }
  chain.add(a, x);
}

/// Finishes row i from its sum: rounds it, or leaves it pending.
template <class T, bool Fixed>
__device__ void finish_row(const Arguments<T>& g, Index i, TripleSum sum) {
  T* const y = g.p.y.data + i * g.p.y.stride;
  const T alpha = g.p.alpha.get(), beta = g.p.beta.get(), addend = read_addend(beta, y);
  int exponent = 0;
  bool known = triple_known(sum);
  if (Fixed) {
    const T row = magnitude_of<T>(g.fixed.most[i]), x = magnitude_of<T>(g.fixed.most[g.p.m]);
    if (!is_finite(row) || !is_finite(x)) {
      known = false;
    } else if (is_zero(row) || is_zero(x)) {
      *y = finish(alpha, wide_zero<2>(), 0, beta, addend);
      return;
    } else {
      exponent = exponent_above(row) + exponent_above(x);
    }
  }
  T out;
  if (known && !g.all_undecided && finish_triple(alpha, sum, exponent, beta, addend, &out)) {
    *y = out;
  } else {
    leave_open(g.open, i);
  }
}

/// Computes for lane 0 the sums of rows i, i + 1, ... over `terms` terms from `first` on: tile number `part` and every
/// `parts`-th after it. The rows share the loads of x.
template <class T, bool Fixed, int rows>
struct AlongRows {
  TripleSum sums[rows];

  __device__ AlongRows(const Arguments<T>& g, Index i, Index first, Index terms, int part, int parts) {
    const Entries<T, Fixed> entries(g, i), last_entries(g, i + rows - 1);
    const Index a_stride = g.p.a.col_stride, x_stride = g.p.x.stride;
    const T* const a = g.p.a.data + i * g.p.a.row_stride + first * a_stride;
    const T* const x = g.p.x.data + first * x_stride;
    const int lane = threadIdx.x % 32;
    GridChain<exact_product<T>, true> chain[rows];
    for (Index begin = part * tile; begin < terms; begin += parts * tile) {
      T u[rows][chain_group], v[chain_group];
      const T* const a_tile = a + (begin + lane) * a_stride;
      const T* const x_tile = x + (begin + lane) * x_stride;
      const Index left = terms - begin;
      if (left >= tile) {
#pragma unroll
        for (int r = 0; r < rows; ++r) load_spaced<32>(a_tile + r * g.p.a.row_stride, a_stride, u[r]);
        load_spaced<32>(x_tile, x_stride, v);
      } else {
#pragma unroll
        for (int r = 0; r < rows; ++r)
          load_spaced_below<32>(a_tile + r * g.p.a.row_stride, a_stride, left - lane, u[r]);
        load_spaced_below<32>(x_tile, x_stride, left - lane, v);
      }
#pragma unroll
      for (int r = 0; r < rows; ++r) add_group(r == 0 ? entries : last_entries, u[r], v, chain[r]);
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) sums[r] = warp_sum(chain[r].result());
  }
};

/// Serves many rows: a warp takes two rows. If the number of rows is odd, the last warp computes the last but one
/// again.
template <class T, bool Fixed>
__global__ void __launch_bounds__(threads, pairs_resident) cr_warps(Arguments<T> g) {
  await_predecessor();
  const Index task = static_cast<Index>(blockIdx.x) * warps + threadIdx.x / 32;
  const Index i = 2 * task + 2 <= g.p.m ? 2 * task : g.p.m - 2;
  if (2 * task >= g.p.m) return;
  const int lane = threadIdx.x % 32;
  const Index fresh = 2 * task;
  if (is_zero(g.p.alpha.get())) {
    if (lane < 2 && i + lane >= fresh) write_without_terms(g.p, i + lane);
    return;
  }
  const AlongRows<T, Fixed, 2> along(g, i, 0, g.p.k, 0, 1);
  if (lane != 0) return;
  if (i >= fresh) finish_row<T, Fixed>(g, i, along.sums[0]);
  finish_row<T, Fixed>(g, i + 1, along.sums[1]);
}

/// Returns to thread 0 the sum of the warps' sums.
__device__ TripleSum block_sum(TripleSum sum) {
  __shared__ TripleSum sums[warps];
  __syncthreads();
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < warps ? sums[threadIdx.x] : TripleSum{0, 0, 0, 0};
    sum = warp_sum(sum);
  }
  return sum;
}

/// Serves few rows, including DOT: a thread block takes one segment of a row, and the last block of a row adds up.
template <class T, bool Fixed>
__global__ void __launch_bounds__(threads, resident) cr_segments(Arguments<T> g) {
  await_predecessor();
  const Index i = blockIdx.x / g.segments, segment = blockIdx.x % g.segments, first = segment * g.segment_terms;
  if (is_zero(g.p.alpha.get())) {
    if (segment == 0 && threadIdx.x == 0) write_without_terms(g.p, i);
    return;
  }
  const Index left = g.p.k - first, terms = left < g.segment_terms ? left : g.segment_terms;
  TripleSum sum = block_sum(AlongRows<T, Fixed, 1>(g, i, first, terms, threadIdx.x / 32, warps).sums[0]);
  if (g.segments > 1) {
    if (threadIdx.x == 0) g.partial[blockIdx.x] = sum;
    if (!last_to_arrive(&g.open.state->arrived[i], static_cast<std::uint32_t>(g.segments))) return;
    sum = {0, 0, 0, 0};
    for (Index s = threadIdx.x; s < g.segments; s += threads) triple_add(sum, load_sum(&g.partial[i * g.segments + s]));
    sum = block_sum(warp_sum(sum));
  }
  if (threadIdx.x == 0) finish_row<T, Fixed>(g, i, sum);
}

/// Adds up `count` rows of sums, at most 2 column_parts, into lines[0], which each row's own thread then reads.
template <int count>
__device__ void add_lines(TripleSum (&lines)[warps][column_rows]) {
  static_assert(count <= 2 * column_parts);
  const int row = threadIdx.x % column_rows, part = threadIdx.x / column_rows;
#pragma unroll
  for (int half = count / 2; half > 0; half /= 2) {
    __syncthreads();
    if (part < half) triple_add(lines[part][row], lines[part + half][row]);
  }
}

/// Serves rows that are adjacent in memory. A lane has two rows, 32 apart; the warps of a thread block take groups of
/// columns in turn. Thread blocks of the same rows (numbered by blockIdx.y) have segments of the columns; the last
/// block adds up.
template <class T, bool Fixed>
__global__ void __launch_bounds__(threads, pairs_resident) cr_columns(Arguments<T> g) {
  await_predecessor();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Index first_row = static_cast<Index>(blockIdx.x) * column_rows, own = first_row + threadIdx.x;
  const bool owner = threadIdx.x < column_rows && own < g.p.m;
  if (is_zero(g.p.alpha.get())) {
    if (blockIdx.y == 0 && owner) write_without_terms(g.p, own);
    return;
  }
  const Index last = g.p.m - 1, i0 = first_row + lane < last ? first_row + lane : last,
              i1 = i0 + 32 < last ? i0 + 32 : last;
  const Index first = blockIdx.y * g.segment_terms, stop = first + g.segment_terms, end = stop < g.p.k ? stop : g.p.k;
  const Index a_stride = g.p.a.col_stride, x_stride = g.p.x.stride, to_second = (i1 - i0) * g.p.a.row_stride;
  const Entries<T, Fixed> entries0(g, i0), entries1(g, i1);
  GridChain<exact_product<T>, false> chain0, chain1;
  Index begin = first + warp * chain_group;
  const T* a = g.p.a.data + i0 * g.p.a.row_stride + begin * a_stride;
  const T* x = g.p.x.data + begin * x_stride;
  for (; begin < end;
       begin += warps * chain_group, a += warps * chain_group * a_stride, x += warps * chain_group * x_stride) {
    T u0[chain_group], u1[chain_group], v[chain_group];
    const Index left = end - begin;
    if (left >= chain_group) {
      load_spaced<1>(a, a_stride, u0);
      load_spaced<1>(a + to_second, a_stride, u1);
      load_spaced<1>(x, x_stride, v);
    } else {
      load_spaced_below<1>(a, a_stride, left, u0);
      load_spaced_below<1>(a + to_second, a_stride, left, u1);
      load_spaced_below<1>(x, x_stride, left, v);
    }
    add_group(entries0, u0, v, chain0);
    add_group(entries1, u1, v, chain1);
  }
  __shared__ TripleSum sums[warps][column_rows];
  sums[warp][lane] = chain0.result();
  sums[warp][lane + 32] = chain1.result();
  const int row = threadIdx.x % column_rows, part = threadIdx.x / column_rows;
  add_lines<warps>(sums);
  if (g.segments > 1) {
    TripleSum* const partial = g.partial + blockIdx.x * g.segments * column_rows + row;
    if (part == 0) partial[blockIdx.y * column_rows] = sums[0][row];
    if (!last_to_arrive(&g.open.state->arrived[blockIdx.x], static_cast<std::uint32_t>(g.segments))) return;
    TripleSum sum{0, 0, 0, 0};
    for (Index s = part; s < g.segments; s += column_parts) triple_add(sum, load_sum(partial + s * column_rows));
    sums[part][row] = sum;
    add_lines<column_parts>(sums);
  }
  if (owner) finish_row<T, Fixed>(g, own, sums[0][row]);
}

/// A division into segments of `terms` terms, each a multiple of `unit`, for `sums` sums that share `places` thread
/// blocks, in at most `most_rounds` rounds of them.
struct Division {
  Index segments, terms;
};
Division divide(Index places, Index sums, Index k, Index unit, Index most_rounds) {
  const auto of_segments = [&](Index s) {
    const Index terms = round_up(ceil_div(k, s), unit);
    return Division{ceil_div(k, terms), terms};
  };
  if (sums > vector_tickets) return {1, k};
  const Index least = std::max<Index>(places / sums, 1);
  Division best = of_segments(least);
  // One round that fills nearly all thread blocks is best. It is chosen for few sums, whose search would be long.
  if (sums <= places && 20 * sums * best.segments >= 17 * places) return best;
  // Time is measured in terms that all thread blocks process: a round costs two units more than its terms, and a round
  // with few thread blocks costs three quarters of a full one, as memory is busy with them.
  const auto time = [&](const Division& d) {
    const Index blocks = sums * d.segments, rest = blocks % places;
    const double last = rest == 0 ? 0 : std::max(static_cast<double>(rest) / static_cast<double>(places), 0.75);
    return (static_cast<double>(blocks / places) + last) * static_cast<double>(d.terms) +
           static_cast<double>(ceil_div(blocks, places) * 2 * unit);
  };
  for (Index s = least + 1; s <= ceil_div(k, unit) && sums * s <= most_rounds * places; ++s) {
    const Division d = of_segments(s);
    if (time(d) < time(best)) best = d;
  }
  return best;
}

Division divide_rows(const DeviceModel& model, Index m, Index k) {
  return divide(Index{resident} * model.processors, m, k, least_terms, model.tuning().vector.most_rounds);
}
Division divide_columns(const DeviceModel& model, Index m, Index k) {
  return divide(Index{pairs_resident} * model.processors, ceil_div(m, column_rows), k, least_columns,
                model.tuning().vector.most_rounds);
}

/// Takes memory for the sums of segments, enough for either kind of thread blocks. A single segment needs none.
TripleSum* take_partial(const DeviceModel& model, Index m, Index k, Carver& carver) {
  const auto sums = [](Index rows, Index segments) { return segments > 1 ? rows * segments : 0; };
  return carver.take<TripleSum>(
      static_cast<std::size_t>(std::max(sums(m, divide_rows(model, m, k).segments),
                                        sums(round_up(m, column_rows), divide_columns(model, m, k).segments))));
}

template <class T, bool Fixed>
void launch_rows(const VectorCall& call, Arguments<T> g) {
  const auto size = [](Index stride) { return stride < 0 ? -stride : stride; };
  const auto start = [&](void (*kernel)(Arguments<T>), dim3 grid) {
    launch(call.model, "cr_rows", kernel, {grid, threads}, call.stream, g);
  };
  const bool along = size(g.p.a.col_stride) < size(g.p.a.row_stride);
  const VectorTuning& tuning = call.model.tuning().vector;
  if (g.p.m >= tuning.rows_for_warps && along) {
    start(cr_warps<T, Fixed>, static_cast<unsigned>(ceil_div(g.p.m, 2 * warps)));
  } else if (along || g.p.m < tuning.few_rows) {
    const Division d = divide_rows(call.model, g.p.m, g.p.k);
    g.segments = d.segments;
    g.segment_terms = d.terms;
    start(cr_segments<T, Fixed>, static_cast<unsigned>(g.p.m * d.segments));
  } else {
    const Index groups = ceil_div(g.p.m, column_rows);
    const Division d = divide_columns(call.model, g.p.m, g.p.k);
    g.segments = d.segments;
    g.segment_terms = d.terms;
    start(cr_columns<T, Fixed>, dim3(static_cast<unsigned>(groups), static_cast<unsigned>(d.segments)));
  }
}

}  // namespace

void cr_scratch(const DeviceModel& model, Index m, Index k, Carver& carver) {
  ExactScratch::carve(carver, model, m);
  take_partial(model, m, k, carver);
}

template <class T>
void cr_rows(const VectorCall& call, const RowProblem<T>& p, FixedScaling fixed, Carver& carver) {
  const ExactScratch exact = ExactScratch::carve(carver, call.model, p.m);
  const Arguments<T> g{p, fixed, {call.state, exact.list}, take_partial(call.model, p.m, p.k, carver),
                       1, p.k,   call.all_undecided};
  if (fixed.most) {
    launch_rows<T, true>(call, g);
  } else {
    launch_rows<T, false>(call, g);
  }
  exact_rows(call, p, fixed, exact);
}

template <class T>
void cr_gemv(const VectorCall& call, const Gemv<T>& g, Scalar<T> alpha, Scalar<T> beta) {
  if (g.m <= 0 || g.k <= 0) return;
  Carver carver(call.scratch);
  cr_rows(call, row_problem(g, alpha, beta), {nullptr, 0}, carver);
}

template <class T>
void cr_dot(const VectorCall& call, const Dot<T>& d) {
  if (d.n <= 0) {
    set_on_stream(d.result, 0, sizeof(T), call.stream, "DOT of nothing");
    return;
  }
  Carver carver(call.scratch);
  cr_rows(call, row_problem(d), {nullptr, 0}, carver);
}

#define ACCUBLAS_INSTANTIATE(T)                                                          \
  template void cr_rows(const VectorCall&, const RowProblem<T>&, FixedScaling, Carver&); \
  template void cr_gemv(const VectorCall&, const Gemv<T>&, Scalar<T>, Scalar<T>);        \
  template void cr_dot(const VectorCall&, const Dot<T>&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
