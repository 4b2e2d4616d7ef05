#include "lib/quad/lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "lib/base/integers.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/quad/line_scan.hpp"

namespace accublas::quad {

namespace {

using cpu::int8_panel;

/// Calls body(line, term, entry(position)) for the entries of up to 32 lines, in the order in which they lie in memory.
template <class Entry, class Body>
void for_positions(const LineOperand& x, Index first, Index count, Index p0, Index terms, Entry&& entry, Body&& body) {
  const Index row = x.entries.row_stride, col = x.entries.col_stride, start = first * row + p0 * col;
  if (std::abs(row) < std::abs(col)) {
    for (Index p = 0; p < terms; ++p)
      for (Index i = 0; i < count; ++i) body(i, p, entry(start + i * row + p * col));
  } else {
    for (Index i = 0; i < count; ++i)
      for (Index p = 0; p < terms; ++p) body(i, p, entry(start + i * row + p * col));
  }
}
template <class Body>
void for_entries(const LineOperand& x, Index first, Index count, Index p0, Index terms, Body&& body) {
  for_positions(
      x, first, count, p0, terms, [&](Index at) { return x.entries.at(at); }, body);
}
template <class Body>
void for_binary128(const LineOperand& x, Index first, Index count, Index p0, Index terms, Body&& body) {
  for_positions(
      x, first, count, p0, terms, [&](Index at) { return x.entries.binary128(at); }, body);
}

/// A power of two as two factors, abs(exponent) <= 2000.
struct TwoFactors {
  double first, second;
  explicit TwoFactors(int exponent)
      : first(power_of_two(exponent / 2)), second(power_of_two(exponent - exponent / 2)) {}
};

/// The integer nearest to x, abs(x) < 2^51, ties to even.
double nearest(double x) {
  constexpr double magic = 0x1.8p52;
  return (x + magic) - magic;
}

/// Adds the limbs of the integer nearest to x 2^scale, `top` being 2^(scale - 42 (limbs - 1)). The limbs of two doubles
/// may be added up: every one but the top one is then at most 2^42 in magnitude.
void put_double(double x, const TwoFactors& top, int limbs, double* to, Index plane, bool add) {
  double rest = x * top.first * top.second;
  for (int l = limbs - 1; l >= 0; --l) {
    const double limb = nearest(rest);
    rest = (rest - limb) * 0x1p42;
    to[l * plane] = add ? to[l * plane] + limb : limb;
  }
}

/// Writes the limbs of an entry, `plane` apart.
void put_limbs(const ScaledEntry& x, int limbs, double* to, Index plane) {
  std::int64_t limb[LimbPack::most_limbs] = {};
  cut_limbs(x, limbs, limb);
  for (int l = 0; l < limbs; ++l) to[l * plane] = static_cast<double>(limb[l]);
}

/// The three limbs of a binary128 entry without branches, the usual case. Returns false if it does not apply.
bool put_three(const Binary128& x, int scale, double* to) {
  const Uint128 bits = to_bits(x);
  const int field = static_cast<int>(bits >> 112 & 0x7FFF),
            shift = field - 1 + FloatFormat<Binary128>::min_exponent + scale;
  if (field == 0 || field == 0x7FFF || shift > 14 || shift < -126) return false;
  constexpr Uint128 hidden = Uint128{1} << 112;
  const Uint128 mantissa = (bits & (hidden - 1)) | hidden;
  const int down = shift < 0 ? -shift : 0, up = shift < 0 ? 0 : shift;
  const Uint128 v = ((mantissa << 1 >> down) + (down != 0)) >> 1 << up;
  constexpr std::int64_t unit = std::int64_t{1} << int8_limb_bits, half = unit / 2;
  const std::uint64_t low = static_cast<std::uint64_t>(v);
  std::int64_t d0 = static_cast<std::int64_t>(low) & (unit - 1),
               d1 = static_cast<std::int64_t>(v >> int8_limb_bits) & (unit - 1),
               d2 = static_cast<std::int64_t>(v >> (2 * int8_limb_bits));
  const std::int64_t c0 = d0 > half;
  d0 -= c0 * unit;
  d1 += c0;
  const std::int64_t c1 = d1 > half;
  d1 -= c1 * unit;
  d2 += c1;
  const std::int64_t sign = -static_cast<std::int64_t>(static_cast<std::uint64_t>(bits >> 127));
  to[0] = static_cast<double>((d0 ^ sign) - sign);
  to[LimbPack::plane] = static_cast<double>((d1 ^ sign) - sign);
  to[2 * LimbPack::plane] = static_cast<double>((d2 ^ sign) - sign);
  return true;
}

/// The limbs of doubles or pairs of doubles.
void put_doubles(const LineOperand& x, Index line, Index count, Index p0, Index terms, const cpu::Int8Lines& lines,
                 const cpu::Int8Bytes& bytes, double* buffer) {
  std::optional<TwoFactors> factors[int8_panel];
  for (Index i = 0; i < count; ++i)
    factors[i].emplace(lines.special[line + i] != 0 ? 0 : bytes.scale[line + i] - int8_limb_bits * (bytes.limbs - 1));
  const double* const high = static_cast<const double*>(x.entries.data);
  const double* const low = x.entries.low;
  const Index step = x.entries.step;
  for_positions(
      x, line, count, p0, terms, [](Index at) { return at; },
      [&](Index i, Index q, Index at) {
        double* const to = buffer + i * LimbPack::stride + q;
        const double first = high[step * at], second = low ? low[step * at] : 0;
        // A pair that is zero may have parts beyond the line's exponent.
        const bool zero = lines.special[line + i] != 0 || first == -second;
        put_double(zero ? 0 : first, *factors[i], bytes.limbs, to, LimbPack::plane, false);
        if (low && !zero) put_double(second, *factors[i], bytes.limbs, to, LimbPack::plane, true);
      });
}

}  // namespace

void measure(const LineOperand& x, const cpu::Int8Lines& lines, int threads) {
  parallel_for(ceil_div(x.count, int8_panel), threads, [&](Index task, int) {
    const Index first = task * int8_panel, count = std::min<Index>(int8_panel, x.count - first);
    LineScan scans[int8_panel];
    if (x.entries.format == Format::binary128)
      for_binary128(x, first, count, 0, x.k, [&](Index i, Index, const Binary128& entry) {
        LineScan& scan = scans[i];
        if (!is_finite(entry)) return scan.look(number_of(entry));
        const Decoded128 part = decode128(entry);
        if (part.mantissa == 0) return;
        const double size = scan.look(part.mantissa, part.exponent);
        scan.sum += size;
        scan.squares += size * size;
      });
    else
      for_entries(x, first, count, 0, x.k, [&](Index i, Index, const Number& entry) { scans[i].look(entry); });
    for (Index i = 0; i < int8_panel; ++i) {
      const LineFacts facts = facts_of(scans[i], x.k);
      const Index at = first + i;
      lines.special[at] = facts.special;
      lines.exponent[at] = facts.exponent;
      lines.last_bit[at] = facts.last_bit;
      lines.norm[at] = facts.norm;
      lines.lambda[at] = facts.lambda;
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
      const auto put = [&](Index i, Index q, const Binary128& entry) {
        double* const to = buffer + i * LimbPack::stride + q;
        const int scale = bytes.scale[line + i];
        const Number number = number_of(entry);
        if (number.parts == 0 || lines.special[line + i] != 0) {
          for (int l = 0; l < bytes.limbs; ++l) to[l * LimbPack::plane] = 0;
        } else {
          put_limbs(scale_part(number.part[0], scale), bytes.limbs, to, LimbPack::plane);
        }
      };
      if (x.entries.format != Format::binary128)
        put_doubles(x, line, count, p0 + p, wanted, lines, bytes, buffer);
      else
        for_binary128(x, line, count, p0 + p, wanted, [&](Index i, Index q, const Binary128& entry) {
          double* const to = buffer + i * LimbPack::stride + q;
          if (bytes.limbs != 3 || lines.special[line + i] != 0 || !put_three(entry, bytes.scale[line + i], to))
            put(i, q, entry);
        });
      c.out = base + (bytes.panel ? p * int8_panel : p);
      kernels.residues(c);
    }
  });
}

}  // namespace accublas::quad
