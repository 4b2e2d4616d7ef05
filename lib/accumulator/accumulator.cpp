// Creation of accumulators, and the measurement of the exponents that they need.
#include "lib/accumulator/accumulator.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lib/base/aligned_memory.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/float_bits.hpp"
#include "lib/numerics/held_lines.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas {

namespace {

/// In cr, entries keep this many bits more than the type has, unless their lines need fewer. With normally distributed
/// entries and k = 1024, about one in a million of the sums whose lines drop bits is undecided.
constexpr int guard_bits = 27;
/// Conversion takes entries of up to this many bits as two integers, as those with the default number of bits.
constexpr int most_two_limb_bits = int8_limb_bits + 43;

/// Returns the least number of bits with which no line drops any, but at least 2 and at most `most`.
int needed_bits(const std::vector<LineExponents>& lines, int most) {
  std::int64_t needed = 2;
  for (const LineExponents& line : lines)
    if (!line.zero()) needed = std::max(needed, std::int64_t{line.above} + line.below);
  return static_cast<int>(std::min<std::int64_t>(needed, most));
}

std::uint8_t* allocate(std::size_t bytes) {
  void* const memory = allocate_aligned(bytes);
  if (!memory) throw std::bad_alloc();
  return static_cast<std::uint8_t*>(memory);
}

void set_up(AccumulatorSide& side, Index count, int parts, const LineExponents* exponents) {
  side.count = count;
  side.parts = parts;
  side.exponents.assign(exponents, exponents + count);
}
void set_scales(AccumulatorSide& side) {
  const std::size_t parts = static_cast<std::size_t>(side.parts);
  side.scale.resize(static_cast<std::size_t>(side.lines()));
  for (std::size_t i = 0; i < side.scale.size(); ++i)
    side.scale[i] = held_scale(side.exponents[i / parts].above, side.bits);
  side.error.assign(side.scale.size(), 0.0);
  side.dropped.assign(side.scale.size(), 0);
}

}  // namespace

template <class E>
void measure_lines(Index count, Index k, Matrix<const E> x, LineExponents* exponents, AccumulatorCall& call) {
  using T = RealOf<E>;
  if (count == 0 || k == 0) return;
  constexpr int parts = is_complex<E> ? 2 : 1;
  const auto raise_to = [&](const cpu::Int8Lines& lines) {
    for (Index i = 0; i < count; ++i)
      if (lines.norm[i] > 0) exponents[i].raise(lines.exponent[i], lines.last_bit[i]);
  };
  for (int part = 0; part < parts; ++part) {
    const T* const data = reinterpret_cast<const T*>(x.data) + part;
    const cpu::Int8Operand<T> operand{data, parts * x.row_stride, parts * x.col_stride, count, k};
    call.run([&](Execution& execution) { cpu::int8_measure_lines<T>(operand, raise_to, execution); });
  }
}

OwnedAccumulator make_accumulator(const AccumulatorShape& shape, int threads) {
  OwnedAccumulator made(new Accumulator);
  made->type = shape.type;
  made->mode = shape.mode;
  made->m = shape.m;
  made->n = shape.n;
  made->k = shape.k;
  const int parts = is_complex_type(shape.type) ? 2 : 1;
  set_up(made->a, shape.m, parts, shape.rows);
  set_up(made->b, shape.n, 1, shape.columns);
  AccumulatorSide &a = made->a, &b = made->b;
  a.bits = needed_bits(a.exponents, shape.row_bits);
  b.bits = needed_bits(b.exponents, shape.column_bits);
  const double terms = static_cast<double>(std::max<Index>(shape.k, 1)) * parts;
  const auto moduli = [&] { return int8_moduli_for(a.bits + b.bits + std::log2(terms) + 1e-9); };
  made->moduli = moduli();
  if (made->moduli == 0)
    throw Error(ACCUBLAS_ERROR_ARGUMENT, "sums of " + std::to_string(shape.k) + " terms with " +
                                             std::to_string(made->a.bits) + " and " + std::to_string(made->b.bits) +
                                             " bits need more than " + std::to_string(max_moduli) +
                                             " moduli: reduce k or bits");
  const auto fill = [&](AccumulatorSide& side) {
    if (side.bits >= needed_bits(side.exponents, shape.filled_bits)) return false;
    ++side.bits;
    if (moduli() == made->moduli) return true;
    --side.bits;
    return false;
  };
  for (bool more = true; more;) more = fill(a) | fill(b);
  set_scales(a);
  set_scales(b);
  if (made->rows() == 0 || made->cols() == 0) return made;
  made->tiling = cpu::int8_residue_tiling(made->rows(), made->cols(), threads, cpu::detected_isa());
  made->waiting = cpu::Int8Waiting(made->tiling, parts * std::max<Index>(shape.k, 1));
  return made;
}

void AccumulatorDeleter::operator()(Accumulator* accumulator) const { delete accumulator; }

AccumulatorFacts facts_of(const Accumulator& x) {
  const auto dropped = [](const AccumulatorSide& side) {
    return std::find(side.dropped.begin(), side.dropped.end(), 1) != side.dropped.end();
  };
  return {x.type,
          x.mode,
          x.m,
          x.n,
          x.k,
          x.added,
          x.added_again,
          x.a.bits,
          x.b.bits,
          x.moduli,
          !(x.drops_on_device || dropped(x.a) || dropped(x.b)),
          &x.listed,
          x.a.parts,
          x.bytes(),
          x.workspace_bytes,
          x.milliseconds};
}

void put_cost(Accumulator& accumulator, std::size_t workspace_bytes, double milliseconds) {
  accumulator.workspace_bytes = static_cast<std::int64_t>(workspace_bytes);
  accumulator.milliseconds = milliseconds;
}

int device_of(const Accumulator& x) { return x.on_device ? x.on_device->device() : -1; }

EntryBits entry_bits(Type type, const Mode& mode, int bits) {
  if (mode.kind == ACCUBLAS_MODE_FIXED) return {mode.parameter, 0};
  if (bits > 0) return {bits, 0};
  const int digits = is_single(type) ? FloatFormat<float>::digits : FloatFormat<double>::digits;
  return {digits + guard_bits, is_single(type) ? 0 : most_two_limb_bits};
}

}  // namespace accublas

std::size_t accublas_accumulator::bytes() const {
  const auto side = [](const accublas::AccumulatorSide& s) {
    return s.exponents.size() * sizeof(accublas::LineExponents) + s.scale.size() * (sizeof(int) + sizeof(double) + 1);
  };
  const std::size_t of_waiting = waiting_bytes ? waiting.row_bytes(moduli) + waiting.col_bytes(moduli) : 0;
  const std::size_t residues = on_device ? on_device->bytes() : tile_bytes() * static_cast<std::size_t>(tiling.count());
  return residues + of_waiting + classes.size() + side(a) + side(b) +
         listed.size() * (sizeof(accublas::Index) + sizeof(accublas::LongAccumulator));
}

void accublas_accumulator::use_tiles() {
  using namespace accublas;
  const std::size_t bytes = tile_bytes() * static_cast<std::size_t>(tiling.count());
  if (bytes > 0 && !tiles) tiles.reset(allocate(bytes));
  if (!on_device) {
    if (blank && bytes > 0) std::memset(tiles.get(), 0, bytes);
    blank = false;
    return;
  }
  std::memset(tiles.get(), 0, bytes);
  std::vector<std::int8_t> plane(static_cast<std::size_t>(rows() * cols()));
  for (int l = 0; l < moduli; ++l) {
    on_device->read_plane(l, plane.data());
    for_each_run(*this, l, [&](std::int8_t* run, Index row, Index col, Index count) {
      std::memcpy(run, plane.data() + row * cols() + col, static_cast<std::size_t>(count));
    });
  }
  on_device->read_errors(a, b);
  blank = drops_on_device = false;
  on_device.reset();
}

void accublas_accumulator::take_waiting() {
  if (waiting_bytes) return;
  const std::size_t rows = waiting.row_bytes(moduli), cols = waiting.col_bytes(moduli);
  waiting_bytes.reset(accublas::allocate(rows + cols));
  // Kernels read the padding's lines, but nothing reads the results of these.
  std::memset(waiting_bytes.get(), 0, rows + cols);
  waiting.rows = waiting_bytes.get();
  waiting.cols = waiting.rows + rows;
}

std::int8_t& accublas_accumulator::residue(int l, accublas::Index row, accublas::Index col) const {
  const accublas::Index tile = tiling.tile_of(row, col), at = row % tiling.rows * tiling.cols + col % tiling.cols;
  std::uint8_t* const plane = tiles.get() + tile_bytes() * static_cast<std::size_t>(tile) +
                              static_cast<std::size_t>(l * accublas::int8_tile_plane(tiling.rows, tiling.cols) + at);
  return *reinterpret_cast<std::int8_t*>(plane);
}

namespace accublas {

#define ACCUBLAS_INSTANTIATE(E) \
  template void measure_lines(Index, Index, Matrix<const E>, LineExponents*, AccumulatorCall&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas
