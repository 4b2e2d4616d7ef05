#include "lib/mp/cpu/byte_product.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "lib/base/integers.hpp"
#include "lib/base/phase_timer.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/cpu/int8/int8_blocking.hpp"
#include "lib/cpu/int8/int8_portable.hpp"
#include "lib/mp/transfer.hpp"

namespace accublas::mp {

namespace {

using cpu::int8_panel;
using cpu::mp_byte_block;

/// The moduli whose sums a conversion keeps at a time, in second-level cache.
constexpr int conversion_moduli = 16;

/// Costs in products of residues of 31 bits, 0.065 ns each on an AMD EPYC of the generation Zen 4, measured by
/// `accublas-mp-bench --gemm`: what an element and what a modulus of an element cost in a conversion, apart from the
/// products of bytes.
constexpr double element_terms = 230, modulus_terms = 22;
/// INT8 units are chosen if they take less than this part of the time. The steps before and after are the same.
constexpr double least_gain = 0.95;

/// Returns the cost of a product of bytes, or 0 if the processor has no units for such products. AMX was not measured:
/// its peak is eight times that of VNNI, and the reductions take as long as with VNNI.
double byte_term_of(cpu::Isa isa) { return isa == cpu::Isa::avx512_vnni ? 0.093 : isa == cpu::Isa::amx ? 0.02 : 0; }

/// A side of the product: `lines` lines of `terms` elements. Line l is vector l, or vector_of[l]. Element q of vector v
/// has index offset + v line_stride + q term_stride.
struct Side {
  const Elements* elements;
  std::int64_t offset, lines, terms, line_stride, term_stride;
  const std::int64_t* vector_of;  ///< or null
  bool is_signed;  ///< panels of signed bytes, else rows of unsigned bytes (lib/cpu/kernels/int8_kernels.hpp)
  int bytes;       ///< of X', a multiple of 64
  std::int64_t padded_terms, row_stride, plane_bytes;

  std::int64_t vector(std::int64_t line) const { return vector_of ? vector_of[line] : line; }
  /// The lines and terms of a block of mp_byte_block elements, which are contiguous bytes of a panel or of 16 rows.
  std::int64_t block_lines() const { return is_signed ? int8_panel : mp_byte_block / int8_panel; }
  std::int64_t block_terms() const { return mp_byte_block / block_lines(); }
  /// Returns how many leading positions of the block at `line` and `term` have all of its elements: whole panels of
  /// integers (Converter).
  std::int64_t used(std::int64_t line, std::int64_t term) const {
    const std::int64_t block_of_lines = std::clamp<std::int64_t>(lines - line, 0, block_lines()),
                       block_of_terms = std::clamp<std::int64_t>(terms - term, 0, block_terms());
    if (block_of_lines == 0 || block_of_terms == 0) return 0;
    return int8_panel * (is_signed ? round_up(block_of_terms, 4) : block_of_lines);
  }
  /// Returns the position of an element in the block.
  std::int64_t position(std::int64_t line, std::int64_t term) const {
    return is_signed ? term / 4 * 4 * int8_panel + 4 * line + term % 4 : line * block_terms() + term;
  }
};

Side make_side(const Elements& elements, std::int64_t offset, std::int64_t lines, std::int64_t terms,
               std::int64_t line_stride, std::int64_t term_stride, const std::int64_t* vector_of, bool is_signed,
               bool shifted) {
  Side side{&elements, offset, lines, terms, line_stride, term_stride, vector_of, is_signed, 0, 0, 0, 0};
  side.bytes = static_cast<int>(round_up(4 * elements.format.limbs + (shifted ? 8 : 0), cpu::int8_k_step));
  side.padded_terms = round_up(terms, cpu::int8_k_step);
  const std::int64_t padded_lines = round_up(lines, int8_panel);
  side.row_stride = is_signed ? int8_panel * side.padded_terms : int8_row_stride(side.padded_terms);
  side.plane_bytes =
      int8_plane(is_signed ? padded_lines * side.padded_terms : (padded_lines + int8_panel) * side.row_stride);
  return side;
}

/// Four bytes of the integer 0, each less 128.
constexpr std::uint32_t zeros = 0x80808080u;

/// Returns a word whose bytes in memory are the four bytes of `value`, lowest first.
std::uint32_t in_byte_order(std::uint32_t value) {
  return std::endian::native == std::endian::little ? value : __builtin_bswap32(value);
}

/// The memory of a thread that converts blocks of elements.
struct Converter {
  Converter(const Format& format, const cpu::MpKernels& kernels, int bytes)
      : decoder(format, kernels),
        numbers(format, chunk),
        integers(mp_byte_block * bytes / 4),
        sums((2 * conversion_moduli + int8_panel) * mp_byte_block),
        planes(3 * mp_byte_block),
        sign(mp_byte_block) {}

  Decoder decoder;
  NumberBuffer numbers;
  Buffer<std::uint32_t> integers;  ///< panels of 32 elements in words of four bytes, each less 128
  Buffer<std::int32_t> sums;
  Buffer<std::uint8_t> planes;
  Buffer<double> sign;
};

/// Writes the integers X' of `lines` lines of a block to panels, whose first line is `line` of the side and `at` of the
/// block. Their vectors are neighbours. rest(line, term, exponent) is an element's shift, or below 0 for an element
/// that counts as zero.
template <class Rest>
void gather_lines(const Side& side, std::int64_t line, std::int64_t at, std::int64_t lines, std::int64_t term,
                  Rest&& rest, Converter& to) {
  const std::int64_t words = side.bytes / 4, terms = std::min(side.block_terms(), side.terms - term),
                     vector = side.vector(line);
  const bool by_lines = side.line_stride == 1;  // the elements' order in memory
  const std::int64_t offset = side.offset + vector * side.line_stride + term * side.term_stride;
  const Block block = by_lines ? Block{offset, lines, terms, side.line_stride, side.term_stride}
                               : Block{offset, terms, lines, side.term_stride, side.line_stride};
  for (std::int64_t first = 0; first < block.size(); first += chunk) {
    const std::int64_t count = std::min(chunk, block.size() - first);
    to.decoder.limbs(*side.elements, block, first, count, to.numbers.view());
    for (std::int64_t t = 0, row = first % block.rows, column = first / block.rows; t < count; ++t, ++row) {
      if (row == block.rows) row = 0, ++column;
      const std::int32_t exponent = to.numbers.exponent[t];
      if (is_special(exponent)) continue;
      const std::int64_t l = by_lines ? row : column, q = by_lines ? column : row;
      const int shift = rest(line + l, term + q, exponent);
      if (shift < 0) continue;
      const std::int64_t position = side.position(at + l, q);
      if (to.numbers.sign[t]) to.sign[position] = -1.0;
      std::uint32_t* out = to.integers.data() + position / int8_panel * words * int8_panel + position % int8_panel;
      const std::uint64_t* const x = to.numbers.x(t);
      const auto put = [&](std::uint64_t value) {
        out[0] = in_byte_order(static_cast<std::uint32_t>(value)) ^ zeros;
        out[int8_panel] = in_byte_order(static_cast<std::uint32_t>(value >> 32)) ^ zeros;
        out += 2 * int8_panel;
      };
      std::uint64_t below = 0;
      for (int w = 0; w < to.numbers.limbs; ++w) {
        put(x[w] << shift | below);
        below = x[w] >> 1 >> (63 - shift);
      }
      if (below != 0) put(below);
    }
  }
}

/// Writes the integers X' of a block from `line` and `term` on, which has elements, to panels.
template <class Rest>
void gather_integers(const Side& side, std::int64_t line, std::int64_t term, Rest&& rest, Converter& to) {
  std::fill_n(to.integers.data(), to.integers.size(), zeros);
  std::fill_n(to.sign.data(), mp_byte_block, 1.0);
  const std::int64_t lines = std::min(side.block_lines(), side.lines - line);
  if (!side.vector_of) return gather_lines(side, line, 0, lines, term, rest, to);
  for (std::int64_t l = 0; l < lines; ++l) gather_lines(side, line + l, l, 1, term, rest, to);
}

/// Converts a side to the planes of moduli from .. to - 1.
template <class Rest>
void convert(const Side& side, const ByteBasis& basis, int from, int to, Rest&& rest, std::uint8_t* planes,
             const MpExecution& execution) {
  const cpu::MpKernels& kernels = cpu::mp_kernels(execution.isa);
  const cpu::MpByteKernels& bytes = cpu::kernels_for<cpu::MpByteKernels>(execution.isa);
  const cpu::Int8ProductKernels& products = cpu::int8_product_kernels(execution.isa);
  const ByteWeights& weights = byte_weights(basis, side.bytes);
  const std::int64_t across = side.padded_terms / side.block_terms(),
                     tasks = across * (round_up(side.lines, int8_panel) / side.block_lines());
  const int threads = static_cast<int>(std::min<std::int64_t>(execution.threads, tasks));
  std::vector<Converter> converters;
  converters.reserve(threads);
  for (int t = 0; t < threads; ++t) converters.emplace_back(side.elements->format, kernels, side.bytes);
  parallel_for(tasks, threads, [&](std::int64_t task, int thread) {
    Converter& own = converters[thread];
    const std::int64_t line = task / across * side.block_lines(), term = task % across * side.block_terms();
    const std::int64_t used = side.used(line, term);
    if (used > 0) gather_integers(side, line, term, rest, own);
    for (int first = from; first < to; first += conversion_moduli) {
      const int last = std::min(to, first + conversion_moduli), row = basis.weight_rows(first);
      const std::uint8_t* const weight = weights.weight.data() + std::int64_t{row} * side.bytes;
      const std::int8_t* const integers = reinterpret_cast<const std::int8_t*>(own.integers.data());
      if (used > 0)
        products.sums({weight, side.bytes, integers, std::int64_t{int8_panel} * side.bytes,
                       basis.weight_rows(last) - row, used, side.bytes, weight, integers},
                      own.sums.data(), mp_byte_block);
      for (int k = first; k < last; ++k) {
        const std::int32_t* const sums = own.sums.data() + (basis.weight_rows(k) - row) * mp_byte_block;
        const int count = basis.planes(k);
        std::uint8_t* const plane = planes + (basis.first_plane(k) - basis.first_plane(from)) * side.plane_bytes;
        cpu::MpByteSplit split{sums,
                               count == 1 ? nullptr : sums + mp_byte_block,
                               own.sign.data(),
                               weights.offset[k],
                               basis.modulus[k],
                               side.is_signed,
                               used,
                               {}};
        for (int i = 0; i < count; ++i)
          split.plane[i] = side.is_signed
                               ? plane + i * side.plane_bytes + line / int8_panel * side.row_stride + term * int8_panel
                               : own.planes.data() + i * mp_byte_block;
        bytes.split(split);
        for (int i = 0; i < count; ++i)
          std::memset(split.plane[i] + used, 0, static_cast<std::size_t>(mp_byte_block - used));
        if (side.is_signed) continue;
        for (int i = 0; i < count; ++i)
          for (std::int64_t l = 0; l < side.block_lines(); ++l)
            std::memcpy(plane + i * side.plane_bytes + (line + l) * side.row_stride + term,
                        split.plane[i] + l * side.block_terms(), static_cast<std::size_t>(side.block_terms()));
      }
    }
  });
}

/// Multiplies the planes of moduli from .. to - 1, tile by tile.
void multiply(const Side& rows, const Side& columns, const ByteBasis& basis, int from, int to, Triangle triangle,
              const std::uint8_t* row_planes, const std::uint8_t* column_planes, ByteSums& sums,
              const MpExecution& execution) {
  const cpu::MpByteKernels& bytes = cpu::kernels_for<cpu::MpByteKernels>(execution.isa);
  const cpu::Int8ProductKernels& products = cpu::int8_product_kernels(execution.isa);
  const cpu::Int8Tuning& tuning = cpu::tuning(execution.isa).int8;
  const std::int64_t tile_rows = tuning.tile_rows, tile_columns = tuning.tile_cols;
  const std::int64_t down = ceil_div(rows.lines, tile_rows), tiles = down * ceil_div(columns.lines, tile_columns),
                     tasks = tiles * (to - from), tile = (tile_rows + int8_panel) * tile_columns;
  const int threads = static_cast<int>(std::min<std::int64_t>(execution.threads, tasks));
  Buffer<std::int32_t> room(threads * 3 * tile);
  parallel_for(tasks, threads, [&](std::int64_t task, int thread) {
    const int k = from + static_cast<int>(task / tiles);
    const std::int64_t r = task % tiles % down * tile_rows, c = task % tiles / down * tile_columns;
    const std::int64_t height = std::min(tile_rows, rows.lines - r), width = std::min(tile_columns, columns.lines - c);
    // Rows of the tile are vectors, the columns of C, or the columns of split vectors.
    const std::int64_t vector = rows.vector(r);
    if (!holds_some(triangle, c, width, vector, rows.vector(r + height - 1) - vector + 1)) return;
    const std::int64_t first = basis.first_plane(k) - basis.first_plane(from);
    cpu::MpByteReduce reduce{{},
                             tile_columns,
                             height,
                             width,
                             basis.planes(k) == 3,
                             basis.modulus[k],
                             sums.plane(k) + r * sums.ld() + c,
                             sums.ld()};
    for (int i = 0; i < basis.planes(k); ++i) {
      std::int32_t* const out = room.data() + (thread * 3 + i) * tile;
      const std::uint8_t* const row = row_planes + (first + i) * rows.plane_bytes + r * rows.row_stride;
      const std::int8_t* const column = reinterpret_cast<const std::int8_t*>(
          column_planes + (first + i) * columns.plane_bytes + c / int8_panel * columns.row_stride);
      products.sums({row, rows.row_stride, column, columns.row_stride, height, width, rows.padded_terms, row, column},
                    out, tile_columns);
      reduce.sum[i] = out;
    }
    bytes.reduce(reduce);
  });
}

}  // namespace

bool takes_bytes(const MpProduct& p, int moduli, bool aligned, const ByteBasis& basis, const MpExecution& execution) {
  const ByteChoice choice = p.k > most_byte_terms() ? ByteChoice::never : byte_choice(p, execution);
  if (choice != ByteChoice::by_cost) return choice == ByteChoice::always;
  const double byte_term = byte_term_of(execution.isa);
  if (byte_term == 0) return false;
  const int bytes = p.c->format.limbs * 4;
  const double terms = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k),
               of_a = static_cast<double>(p.m) * static_cast<double>(p.k),
               of_b = static_cast<double>(p.n) * static_cast<double>(p.k);
  const double residues = moduli * (terms + digits_of(p.c->format) * ((aligned ? 0 : of_a) + of_b));
  const double by_bytes = byte_term * static_cast<double>(basis.products()) * terms +
                          (element_terms + modulus_terms * basis.count +
                           byte_term * basis.weight_rows(basis.count) * static_cast<double>(round_up(bytes, 64))) *
                              (of_a + of_b);
  return by_bytes < least_gain * residues;
}

ByteSums::ByteSums(const ByteBasis& basis, std::int64_t rows, std::int64_t columns)
    : basis_(basis),
      ld_(round_up(rows, std::int64_t{int8_panel})),
      plane_stride_(ld_ * columns),
      digit_(plane_stride_ * basis.count) {}

void ByteSums::digits(std::int64_t i, std::int64_t w, std::int64_t rows, const cpu::MpByteKernels& kernels,
                      std::uint32_t* digit, std::int64_t stride) const {
  static_assert(chunk <= cpu::mp_byte_outputs);
  kernels.digits({digit_.data() + w * ld_ + i, plane_stride_, basis_.modulus.data(), basis_.group.data(),
                  basis_.groups(), rows, digit, stride});
}

void byte_products(const MpProduct& p, const HostAligned& a, const AlignedVectors& b, ByteSums& sums,
                   MpExecution& execution) {
  const ByteBasis& basis = sums.basis();
  const Block &block_a = p.block_a, &block_b = p.block_b;
  std::vector<std::int64_t> vector_of(b.columns());
  for (std::int64_t v = 0; v < p.n; ++v)
    for (std::int64_t w = b.first_column(v); w < b.first_column(v + 1); ++w) vector_of[w] = v;
  const bool split = b.columns() > p.n;
  // Lines of the signed side run along the columns of C.
  const Side columns =
      make_side(*p.a, block_a.offset, p.m, p.k, p.transposed ? block_a.column_stride : block_a.row_stride,
                p.transposed ? block_a.row_stride : block_a.column_stride, nullptr, true, a.spread() > 0);
  const Side rows = make_side(*p.b, block_b.offset, b.columns(), p.k, block_b.column_stride, block_b.row_stride,
                              split ? vector_of.data() : nullptr, false, b.spread() > 0);
  const auto rest_a = [&](std::int64_t i, std::int64_t q, std::int32_t exponent) {
    return p.transposed ? a.rest(exponent, q, i) : a.rest(exponent, i, q);
  };
  const auto rest_b = [&](std::int64_t w, std::int64_t q, std::int32_t) {
    const std::int64_t v = vector_of[w];
    return split && b.band(q, v) != b.column_band(w) ? -1 : b.rest(q, v);
  };
  const std::int64_t pair = rows.plane_bytes + columns.plane_bytes,
                     most = std::max<std::int64_t>(3, byte_cap(execution) / pair);
  const std::int64_t planes = std::min(most, basis.products());
  Buffer<std::uint8_t> row_planes(planes * rows.plane_bytes), column_planes(planes * columns.plane_bytes);
  for (int from = 0; from < basis.count;) {
    int to = from + 1;
    while (to < basis.count && basis.first_plane(to + 1) - basis.first_plane(from) <= planes) ++to;
    {
      const PhaseTimer timer(execution, &accublas_mp_report_t::ms_align);
      convert(columns, basis, from, to, rest_a, column_planes.data(), execution);
      convert(rows, basis, from, to, rest_b, row_planes.data(), execution);
    }
    const PhaseTimer timer(execution, &accublas_mp_report_t::ms_product);
    multiply(rows, columns, basis, from, to, p.triangle, row_planes.data(), column_planes.data(), sums, execution);
    from = to;
  }
}

}  // namespace accublas::mp
