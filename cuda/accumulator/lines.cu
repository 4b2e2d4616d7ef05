#include "cuda/accumulator/lines.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/exact/open_elements.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/escalation.hpp"
#include "lib/numerics/held_lines.hpp"

namespace accublas::cuda {

namespace {

constexpr int line_threads = 128;

LaunchShape threads_for(Index count) {
  return {static_cast<unsigned>(ceil_div(count, Index{line_threads})), line_threads};
}
__device__ Index own_index() { return static_cast<Index>(blockIdx.x) * line_threads + threadIdx.x; }

/// Returns whether the line is one of zeros in all panels.
__device__ bool is_zero_line(const std::int32_t* limits, Index i) { return accublas::is_zero_line(limits[2 * i]); }
__device__ int scale_of(const std::int32_t* limits, Index i, int bits) { return held_scale(limits[2 * i], bits); }

__global__ void check_sides(LimitedLines rows, LimitedLines numbers, PanelPart part, PanelNotes* notes) {
  await_predecessor();
  Index i = own_index();
  const bool of_rows = i < rows.lines.count;
  const LimitedLines& side = of_rows ? rows : numbers;
  if (!of_rows) i -= rows.lines.count;
  if (i >= side.lines.count) return;
  int flags = part.first ? 0 : side.flags[i];
  flags |= side.lines.special[i];  // 1 with Inf, 2 with NaN
  if (side.lines.norm[i] > 0) {
    const int last_bit = side.lines.last_bit[i];
    if (!fits_exponents(side.limits[2 * i], side.limits[2 * i + 1], side.lines.exponent[i], last_bit))
      flags |= line_does_not_fit;
    else if (last_bit < -scale_of(side.limits, i, side.bits))
      flags |= line_drops_bits;
  }
  side.flags[i] = static_cast<std::uint8_t>(flags);
  if (!part.last) return;
  // A line with Inf or NaN counts as zero.
  if ((flags & (line_has_inf | line_has_nan)) != 0)
    notes->finite = 0;
  else if ((flags & line_does_not_fit) != 0)
    atomicMin(&notes->bad[of_rows ? 0 : 1], static_cast<unsigned long long>(i));
  else if ((flags & line_drops_bits) != 0)
    notes->keeps = 0;
}

__global__ void publish(PanelNotes* notes, PanelNotes* host) {
  await_predecessor();
  *host = *notes;
  constexpr unsigned long long none = ~0ull;
  *notes = {{none, none}, ~0u, ~0u};
}

__global__ void clear_lines(LimitedLines rows, LimitedLines numbers) {
  await_predecessor();
  Index i = own_index();
  const bool of_rows = i < rows.lines.count;
  const LimitedLines& side = of_rows ? rows : numbers;
  if (!of_rows) i -= rows.lines.count;
  if (i >= side.lines.count || (side.flags[i] & (line_has_inf | line_has_nan)) == 0) return;
  side.lines.norm[i] = side.lines.lambda[i] = 0;
  side.lines.exponent[i] = 0;
  side.lines.last_bit[i] = no_last_bit;
}

__global__ void start(LineErrors to, Index count, Index padded, double squares, std::int32_t* exponent) {
  await_predecessor();
  const Index i = own_index();
  if (i >= padded) return;
  exponent[i] = i < count && !is_zero_line(to.limits, i / to.parts) ? to.limits[2 * (i / to.parts)] : 0;
  if (i >= count) return;
  to.error[i] = 0;
  to.dropped[i] = 0;
  to.squares[i] = squares;
}

__global__ void add_errors_of_lines(MeasuredSide rows, MeasuredSide cols, bool errors) {
  await_predecessor();
  Index i = own_index();
  const bool row = i < rows.lines.count;
  if (!row) i -= rows.lines.count;
  const Lines& lines = row ? rows.lines : cols.lines;
  const LineErrors& to = row ? rows.to : cols.to;
  if (i >= lines.count) return;
  if (lines.norm[i] > 0) {
    const double norm = scalbn(lines.norm[i], lines.exponent[i] - to.limits[2 * (i / to.parts)]);
    to.squares[i] = add_upwards(to.squares[i], norm * norm * (1 + 0x1p-51));
  }
  if (!errors) return;
  const LineError e = line_error(lines.norm[i], lines.lambda[i], lines.exponent[i], lines.last_bit[i],
                                 scale_of(to.limits, i / to.parts, to.bits), lines.k, row);
  to.error[i] = add_upwards(to.error[i], e.error);
  if (e.drop != 0) to.dropped[i] = 1;
}

__global__ void write_lines(Lines lines, LineErrors from) {
  await_predecessor();
  const Index i = own_index();
  if (i >= padded_lines(lines.count)) return;
  const bool zero = i >= lines.count || is_zero_line(from.limits, i / from.parts);
  // norm_exponent(0.75) is 0, so that a line has the same scale in passes of both kinds.
  lines.norm[i] = zero ? 0 : 0.75;
  lines.special[i] = 0;
  lines.last_bit[i] =
      !zero && from.dropped[i] != 0 ? -scale_of(from.limits, i / from.parts, from.bits) - 1 : no_last_bit;
  lines.lambda[i] = zero ? 0 : scalbn(from.error[i], 25 - from.bits);
}

constexpr int choosing_threads = 1024;

/// Returns the largest of `count` squares to all threads of the one block.
__device__ double largest(const double* squares, Index count) {
  __shared__ unsigned long long most;
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  double own = 0;
  for (Index i = threadIdx.x; i < count; i += choosing_threads) own = fmax(own, squares[i]);
  atomicMax(&most, static_cast<unsigned long long>(__double_as_longlong(own)));
  __syncthreads();
  const double all = __longlong_as_double(static_cast<long long>(most));
  __syncthreads();
  return all;
}

__global__ void __launch_bounds__(choosing_threads)
    choose(LineErrors rows, LineErrors cols, FinishPasses to, const __grid_constant__ Capacities capacities) {
  await_predecessor();
  const auto log2_norm = [&](const LineErrors& side, Index count) {
    return int8_log2_norm(sqrt(largest(side.squares, count)) * (1 + 0x1p-50), side.bits, to.terms);
  };
  const double bound = log2_norm(rows, to.rows) + log2_norm(cols, to.cols);
  if (threadIdx.x > 0) return;
  const int moduli = capacities.moduli_for(bound, to.most);
  for (PassPlan* pass : to.pass) pass->moduli = moduli;
}

/// A thread takes a word of the bitmap.
template <class T>
__global__ void list_numbers(NumberBlock block, const std::uint32_t* open, const T* results, Index capacity,
                             Index* list, unsigned long long* count) {
  await_predecessor();
  const Index cols = block.parts * block.rows, words = OpenBits::words_per_row(cols), at = own_index();
  if (at >= block.columns * words) return;
  const Index column = at / words, first = at % words * 32;
  std::uint32_t bits = open[at];
  if (results) {
    for (int i = 0; i < 32 && first + i < cols; ++i)
      if (!is_finite(results[column * cols + first + i])) bits |= 1u << i;
  }
  if (block.parts == 2) bits = (bits | bits >> 1) & 0x55555555u;
  if (bits == 0) return;
  unsigned long long next = atomicAdd(count, static_cast<unsigned long long>(__popc(bits)));
  for (; bits != 0; bits &= bits - 1, ++next)
    if (next < static_cast<unsigned long long>(capacity))
      list[next] = block.first + column * block.rows + (first + __ffs(static_cast<int>(bits)) - 1) / block.parts;
}

/// A thread takes a residue of a number; the first one of a part also takes the element of C.
template <class T>
__global__ void gather(ResiduePlanes planes, NumberBlock block, const Index* list, Index count, Matrix<const T> c,
                       std::int8_t* residues, T* elements) {
  await_predecessor();
  const Index at = own_index(), sum = at / planes.moduli;
  const int l = static_cast<int>(at % planes.moduli), part = static_cast<int>(sum % planes.parts);
  if (sum >= count * planes.parts) return;
  const Index number = list[sum / planes.parts], column = number / block.rows, row = number % block.rows;
  residues[at] = planes.result[l * planes.plane + column * planes.row_stride + planes.parts * row + part];
  if (l == 0)
    elements[sum] =
        c.data ? c.data[(column - block.first / block.rows) * c.col_stride + row * c.row_stride + part] : T(0);
}

template <class T>
__global__ void scatter(NumberBlock block, const Index* list, Index count, const T* results, T* to) {
  await_predecessor();
  const Index at = own_index();
  if (at >= count * block.parts) return;
  to[(list[at / block.parts] - block.first) * block.parts + at % block.parts] = results[at];
}

}  // namespace

void check_lines(const DeviceModel& model, const LimitedLines& rows, const LimitedLines& numbers, const PanelPart& part,
                 PanelNotes* notes, cudaStream_t stream) {
  launch(model, "lines of a panel", check_sides, threads_for(rows.lines.count + numbers.lines.count), stream, rows,
         numbers, part, notes);
}

void publish_notes(const DeviceModel& model, PanelNotes* notes, PanelNotes* host, cudaStream_t stream) {
  launch(model, "lines of a panel", publish, {1, 1}, stream, notes, host);
}

void clear_special_lines(const DeviceModel& model, const LimitedLines& rows, const LimitedLines& numbers,
                         cudaStream_t stream) {
  launch(model, "lines of a panel", clear_lines, threads_for(rows.lines.count + numbers.lines.count), stream, rows,
         numbers);
}

void start_lines(const DeviceModel& model, const LineErrors& to, Index count, Index padded, double squares,
                 std::int32_t* exponent, cudaStream_t stream) {
  launch(model, "lines of an accumulator", start, threads_for(padded), stream, to, count, padded, squares, exponent);
}

void add_errors(const DeviceModel& model, const MeasuredSide& rows, const MeasuredSide& cols, bool errors,
                cudaStream_t stream) {
  launch(model, "errors of a panel", add_errors_of_lines, threads_for(rows.lines.count + cols.lines.count), stream,
         rows, cols, errors);
}

void choose_moduli(const DeviceModel& model, const LineErrors& rows, const LineErrors& cols, const FinishPasses& to,
                   cudaStream_t stream) {
  launch(model, "moduli of an accumulator", choose, {1, choosing_threads}, stream, rows, cols, to, int8_capacities());
}

void write_finish_lines(const DeviceModel& model, const Lines& lines, const LineErrors& from, cudaStream_t stream) {
  launch(model, "lines of an accumulator", write_lines, threads_for(padded_lines(lines.count)), stream, lines, from);
}

template <class T>
void list_open(const DeviceModel& model, const NumberBlock& block, const std::uint32_t* open, const T* results,
               Index capacity, Index* list, unsigned long long* count, cudaStream_t stream) {
  launch(model, "open elements", list_numbers<T>,
         threads_for(block.columns * OpenBits::words_per_row(block.parts * block.rows)), stream, block, open, results,
         capacity, list, count);
}

template <class T>
void gather_numbers(const DeviceModel& model, const ResiduePlanes& planes, const NumberBlock& block, const Index* list,
                    Index count, const Matrix<const T>& c, std::int8_t* residues, T* elements, cudaStream_t stream) {
  launch(model, "open elements", gather<T>, threads_for(count * planes.parts * planes.moduli), stream, planes, block,
         list, count, c, residues, elements);
}

template <class T>
void scatter_numbers(const DeviceModel& model, const NumberBlock& block, const Index* list, Index count,
                     const T* results, T* to, cudaStream_t stream) {
  launch(model, "open elements", scatter<T>, threads_for(count * block.parts), stream, block, list, count, results, to);
}

#define ACCUBLAS_INSTANTIATE(T)                                                                                   \
  template void list_open(const DeviceModel&, const NumberBlock&, const std::uint32_t*, const T*, Index, Index*,  \
                          unsigned long long*, cudaStream_t);                                                     \
  template void gather_numbers(const DeviceModel&, const ResiduePlanes&, const NumberBlock&, const Index*, Index, \
                               const Matrix<const T>&, std::int8_t*, T*, cudaStream_t);                           \
  template void scatter_numbers(const DeviceModel&, const NumberBlock&, const Index*, Index, const T*, T*,        \
                                cudaStream_t);
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
