#include "lib/quad/lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/integers.hpp"
#include "lib/base/thread_pool.hpp"

namespace accublas::quad {

namespace {

using cpu::int8_panel;

/// What is known of a line.
struct LineScan {
  bool infinite = false, nan = false;
  int above = std::numeric_limits<int>::min();  ///< least with abs(part) < 2^above for all parts
  int last_bit = std::numeric_limits<int>::max() / 2;
  bool pairs = false;
  double sum = 0, squares = 0;  ///< of abs(x) 2^-above

  void look(const Number& x) {
    infinite |= x.kind == Number::Kind::infinite;
    nan |= x.kind == Number::Kind::nan;
    pairs |= x.parts == 2;
    for (int i = 0; i < x.parts; ++i) {
      const Uint128 m = x.part[i].mantissa;
      const std::uint64_t low = static_cast<std::uint64_t>(m);
      const int zeros = low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(m >> 64));
      above = std::max(above, x.part[i].exponent + bit_length(m));
      last_bit = std::min(last_bit, x.part[i].exponent + zeros);
    }
  }
  /// Entries below 2^-1000 of the largest count as 2^-1000, so that nothing underflows to 0.
  void add(const Number& x) {
    double size = 0;
    for (int i = 0; i < x.parts; ++i) {
      const int length = bit_length(x.part[i].mantissa), exponent = x.part[i].exponent + length - above;
      const double top = static_cast<double>(static_cast<std::uint64_t>(x.part[i].mantissa << (128 - length) >> 64));
      size += exponent < -900 ? 0x1p-900 : top * power_of_two(exponent - 64);
    }
    sum += size;
    squares += size * size;
  }
};

/// Calls body(entry, line) for the entries of up to 32 lines, in the order in which they lie in memory.
template <class Body>
void for_entries(const LineOperand& x, Index first, Index count, Index p0, Index terms, Body&& body) {
  const Operand& entries = x.entries;
  if (std::abs(entries.row_stride) < std::abs(entries.col_stride)) {
    for (Index p = 0; p < terms; ++p)
      for (Index i = 0; i < count; ++i) body(i, p, entries(first + i, p0 + p));
  } else {
    for (Index i = 0; i < count; ++i)
      for (Index p = 0; p < terms; ++p) body(i, p, entries(first + i, p0 + p));
  }
}

/// The integer nearest to x 2^scale, abs(x) 2^scale < 2^171, as a magnitude.
struct ScaledEntry {
  Wide<3> magnitude;
  bool negative;
};

ScaledEntry scale_part(const Decoded128& x, int scale) {
  const int shift = x.exponent + scale;
  ScaledEntry r{{}, x.negative};
  if (shift >= 0) {
    r.magnitude.limb[0] = static_cast<std::uint64_t>(x.mantissa);
    r.magnitude.limb[1] = static_cast<std::uint64_t>(x.mantissa >> 64);
    r.magnitude = wide_shift_left(r.magnitude, shift);
  } else if (shift > -114) {
    const Uint128 nearest = (x.mantissa + (Uint128{1} << (-shift - 1))) >> -shift;
    r.magnitude.limb[0] = static_cast<std::uint64_t>(nearest);
    r.magnitude.limb[1] = static_cast<std::uint64_t>(nearest >> 64);
  }
  return r;
}

/// Both parts in units of 2^-64, rounded down in magnitude; their sum is then rounded to an integer. It is within
/// 1/2 + 2^-63 of x 2^scale.
ScaledEntry scale_pair(const Number& x, int scale) {
  Wide<4> sum{};
  for (const Decoded128& part : x.part) {
    const int shift = part.exponent + scale + 64;
    Wide<4> term{{static_cast<std::uint64_t>(part.mantissa), static_cast<std::uint64_t>(part.mantissa >> 64)}};
    if (shift >= 0) {
      term = wide_shift_left(term, shift);
    } else {
      const Uint128 down = shift > -128 ? part.mantissa >> -shift : 0;
      term = {{static_cast<std::uint64_t>(down), static_cast<std::uint64_t>(down >> 64)}};
    }
    sum = wide_add(sum, wide_negate_if(term, part.negative));
  }
  const bool negative = wide_negative(sum);
  sum = wide_add(wide_negate_if(sum, negative), Wide<4>{{std::uint64_t{1} << 63}});
  return {{{sum.limb[1], sum.limb[2], sum.limb[3]}}, negative};
}

/// Writes the limbs of an entry, `plane` apart. Every limb but the top one is at most 2^41 in magnitude.
void put_limbs(const ScaledEntry& x, int limbs, double* to, Index plane) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << int8_limb_bits) - 1;
  constexpr std::int64_t half = std::int64_t{1} << (int8_limb_bits - 1);
  const std::uint64_t* const w = x.magnitude.limb;
  const std::uint64_t digit[4] = {w[0], w[0] >> 42 | w[1] << 22, w[1] >> 20 | w[2] << 44, w[1] >> 62 | w[2] << 2};
  std::int64_t carry = 0;
  for (int l = 0; l < limbs; ++l) {
    std::int64_t limb = static_cast<std::int64_t>(l + 1 < limbs ? digit[l] & mask : digit[l]) + carry;
    carry = l + 1 < limbs && limb > half;
    if (carry) limb -= std::int64_t{1} << int8_limb_bits;
    to[l * plane] = static_cast<double>(x.negative ? -limb : limb);
  }
}

}  // namespace

void measure(const LineOperand& x, const cpu::Int8Lines& lines, int threads) {
  parallel_for(ceil_div(x.count, int8_panel), threads, [&](Index task, int) {
    const Index first = task * int8_panel, count = std::min<Index>(int8_panel, x.count - first);
    LineScan scans[int8_panel];
    for_entries(x, first, count, 0, x.k, [&](Index i, Index, const Number& entry) { scans[i].look(entry); });
    for_entries(x, first, count, 0, x.k, [&](Index i, Index, const Number& entry) { scans[i].add(entry); });
    for (Index i = 0; i < int8_panel; ++i) {
      const LineScan& scan = scans[i];
      const Index at = first + i;
      lines.special[at] = scan.nan ? 2 : scan.infinite ? 1 : 0;
      const bool zero = scan.sum == 0 || lines.special[at] != 0;
      // Both parts of a pair are below 2^above.
      lines.exponent[at] = zero ? 0 : scan.above + scan.pairs;
      lines.last_bit[at] = zero ? std::numeric_limits<std::int32_t>::max() / 2 : scan.last_bit;
      // k roundings of each sum, those of the conversions, and the truncation of each entry to 64 bits.
      const double slack = 1 + static_cast<double>(x.k + 16) * 0x1p-51, unit = scan.pairs ? 0.5 : 1;
      lines.norm[at] = zero ? 0 : std::sqrt(scan.squares * slack) * (1 + 0x1p-50) * unit;
      // The ceiling of each entry adds up to 1.
      lines.lambda[at] = zero ? 0 : (scan.sum * unit * 0x1p24 + static_cast<double>(x.k)) * slack;
    }
  });
}

void int8_convert(const LineOperand& x, const cpu::Int8Lines& lines, const cpu::Int8Bytes& bytes, Index first,
                  Index lines_count, Index p0, Index terms, const cpu::Int8ConvertKernels& kernels,
                  const LimbPack* packs, int threads) {
  const Index padded = round_up(terms, cpu::int8_k_step);
  parallel_for(ceil_div(lines_count, int8_panel), threads, [&](Index task, int thread) {
    double* const buffer = packs[thread].x;
    const Index line = first + task * int8_panel, count = std::min<Index>(int8_panel, lines_count - task * int8_panel);
    cpu::Int8Conversion c{};
    c.x = buffer;
    c.ld = LimbPack::stride;
    c.limb_stride = LimbPack::plane;
    c.panel = bytes.panel;
    c.row_stride = bytes.row_stride;
    c.plane_stride = bytes.plane_stride;
    c.moduli = bytes.moduli;
    c.limbs = bytes.limbs;
    std::uint8_t* const base = bytes.out + task * int8_panel * (bytes.panel ? padded : bytes.row_stride);
    for (Index p = 0; p < padded; p += c.k) {
      const Index wanted = std::min(LimbPack::terms, terms - p);
      c.k = round_up(wanted, cpu::int8_k_step);
      if (wanted < c.k || count < int8_panel)
        std::fill_n(buffer, static_cast<std::size_t>(bytes.limbs * LimbPack::plane), 0.0);
      for_entries(x, line, count, p0 + p, wanted, [&](Index i, Index q, const Number& entry) {
        double* const to = buffer + i * LimbPack::stride + q;
        const int scale = bytes.scale[line + i];
        if (entry.parts == 0 || lines.special[line + i] != 0) {
          for (int l = 0; l < bytes.limbs; ++l) to[l * LimbPack::plane] = 0;
        } else {
          put_limbs(entry.parts == 1 ? scale_part(entry.part[0], scale) : scale_pair(entry, scale), bytes.limbs, to,
                    LimbPack::plane);
        }
      });
      c.out = base + (bytes.panel ? p * int8_panel : p);
      kernels.residues(c);
    }
  });
}

}  // namespace accublas::quad
