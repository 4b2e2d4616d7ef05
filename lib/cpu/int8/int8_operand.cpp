#include "lib/cpu/int8/int8_operand.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "lib/base/integers.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cpu {

namespace {

/// 32 rows of doubles, ld apart.
struct Rows {
  const double* x;
  Index ld;
};

/// Whether all 32 lines from `first` on are there and, if `special` is given, none has Inf or NaN.
bool is_whole(Index first, Index count, const std::uint8_t* special) {
  bool whole = count == int8_panel;
  for (Index i = 0; special && whole && i < count; ++i) whole = special[first + i] == 0;
  return whole;
}

/// Lines first .. first + count - 1 (at most 32), `terms` of their terms from p0, as rows of doubles ld apart: complete
/// to 32 rows and to a multiple of 64 terms by zeros. Lines with Inf or NaN are zero, if `special` is given.
template <class T>
void pack(const Int8Operand<T>& x, Index first, Index count, Index p0, Index terms, const std::uint8_t* special,
          const Int8ConvertKernels& kernels, double* out, Index ld) {
  const T* from = x.data + first * x.stride + p0 * x.k_stride;
  const Index padded = round_up(terms, int8_k_step);
  const bool whole = is_whole(first, count, special);
  Index done = 0;
  if constexpr (sizeof(T) == sizeof(double)) {
    if (whole && x.stride == 1) {
      done = terms / 8 * 8;
      kernels.transpose(from, x.k_stride, done, out, ld);
    }
  }
  for (Index i = 0; i < int8_panel; ++i) {
    double* row = out + i * ld;
    const bool zero = i >= count || (special && special[first + i] != 0);
    const T* at = from + i * x.stride;
    if (zero) {
      for (Index p = 0; p < terms; ++p) row[p] = 0;
    } else if (x.k_stride == 1 && sizeof(T) == sizeof(double)) {
      std::memcpy(row + done, at + done, static_cast<std::size_t>(terms - done) * sizeof(double));
    } else if (x.k_stride == 1) {
      for (Index p = done; p < terms; ++p) row[p] = at[p];
    } else {
      for (Index p = done; p < terms; ++p) row[p] = at[p * x.k_stride];
    }
    for (Index p = terms; p < padded; ++p) row[p] = 0;
  }
}

/// Returns the lines as contiguous rows of doubles, without a copy if they already lie so.
template <class T>
Rows rows_of(const Int8Operand<T>& x, Index first, Index count, Index p0, Index terms, const std::uint8_t* special,
             const Int8ConvertKernels& kernels, double* buffer) {
  if constexpr (sizeof(T) == sizeof(double)) {
    if (x.k_stride == 1 && terms % int8_k_step == 0 && is_whole(first, count, special))
      return {x.data + first * x.stride + p0, x.stride};
  }
  pack(x, first, count, p0, terms, special, kernels, buffer, Int8Pack::stride);
  return {buffer, Int8Pack::stride};
}

/// Whether the first `bits` bits are set; those beyond are not.
bool all_ones(const std::uint64_t* words, Index bits) {
  for (; bits >= 64; bits -= 64)
    if (~*words++ != 0) return false;
  return bits == 0 || *words == (std::uint64_t{1} << bits) - 1;
}

/// 2^exponent as a product of two doubles, abs(exponent) <= 2000.
void set_scale(int exponent, double* scale) {
  const int half = exponent / 2;
  scale[0] = power_of_two(half);
  scale[1] = power_of_two(exponent - half);
}

}  // namespace

Int8Lines int8_take_numbers(Workspace& workspace, Index count, Index k) {
  const std::size_t n = static_cast<std::size_t>(round_up(count, int8_panel));
  Int8Lines lines{};
  lines.count = count;
  lines.k = k;
  lines.exponent = workspace.take<std::int32_t>(n);
  lines.last_bit = workspace.take<std::int32_t>(n);
  lines.norm = workspace.take<double>(n);
  lines.lambda = workspace.take<double>(n);
  lines.special = workspace.take<std::uint8_t>(n);
  return lines;
}

Int8Lines int8_take_lines(Workspace& workspace, Index count, Index k, bool keep_nonzero) {
  const std::size_t n = static_cast<std::size_t>(round_up(count, int8_panel));
  Int8Lines lines = int8_take_numbers(workspace, count, k);
  lines.sparse = workspace.take<std::uint8_t>(n);
  lines.words = round_up(k, 64) / 64;
  // Where the caches and the workspace hold them, the packed lines are made once.
  lines.packed_stride = int8_pack_stride(64 * lines.words);
  const std::size_t packed = (n + int8_panel) * static_cast<std::size_t>(lines.packed_stride);
  if (k <= int8_pack_terms && packed <= static_cast<std::size_t>(tuning().int8.packed) &&
      packed * sizeof(double) <= workspace.available() / 4)
    lines.packed = workspace.take<double>(packed);
  if (keep_nonzero) lines.nonzero = workspace.take<std::uint64_t>(n * static_cast<std::size_t>(lines.words));
  return lines;
}

template <class T>
void int8_measure(const Int8Operand<T>& x, const Int8Lines& lines, const Int8ConvertKernels& kernels,
                  const Int8Pack* packs, int threads) {
  const Index k = x.k;
  parallel_for(ceil_div(x.count, int8_panel), threads, [&](Index task, int thread) {
    const Index first = task * int8_panel, count = x.count - first < int8_panel ? x.count - first : int8_panel;
    Rows rows{};
    auto read = [&](Index p, Index terms, const std::uint8_t* special) {
      if (!lines.packed) {
        rows = rows_of(x, first, count, p, terms, special, kernels, packs[thread].x);
        return;
      }
      double* const out = lines.packed + first * lines.packed_stride;
      pack(x, first, count, p, terms, special, kernels, out, lines.packed_stride);
      rows = {out, lines.packed_stride};
    };
    Int8Scan scans[int8_panel];
    Int8Sums sums[int8_panel];
    double scale[2 * int8_panel];
    for (Index p = 0; p < k; p += int8_pack_terms) {
      const Index terms = k - p < int8_pack_terms ? k - p : int8_pack_terms, padded = round_up(terms, int8_k_step);
      read(p, terms, nullptr);
      for (Index i = 0; i < count; ++i)
        kernels.scan(rows.x + i * rows.ld, padded, scans[i],
                     lines.nonzero ? lines.nonzero + (first + i) * lines.words + p / 64 : nullptr);
    }
    for (Index i = 0; i < int8_panel; ++i) {
      const double largest = from_bits<double>(scans[i].largest);
      const Index at = first + i;
      lines.special[at] = is_finite(largest) ? 0 : is_nan(largest) ? 2 : 1;
      const bool zero = i >= count || scans[i].largest == 0 || lines.special[at] != 0;
      lines.exponent[at] = zero ? 0 : exponent_above(largest);
      lines.last_bit[at] = zero ? std::numeric_limits<std::int32_t>::max() / 2 : exponent_above(scans[i].last_bit) - 1;
      set_scale(24 - lines.exponent[at], scale + 2 * i);
      lines.sparse[at] = lines.nonzero && i < count && !all_ones(lines.nonzero + at * lines.words, k);
    }
    for (Index p = 0; p < k; p += int8_pack_terms) {
      const Index terms = k - p < int8_pack_terms ? k - p : int8_pack_terms, padded = round_up(terms, int8_k_step);
      bool any_special = false;
      for (Index i = 0; i < count; ++i) any_special |= lines.special[first + i] != 0;
      if (k > int8_pack_terms || any_special) read(p, terms, lines.special);
      for (Index i = 0; i < count; ++i) kernels.sums(rows.x + i * rows.ld, padded, scale + 2 * i, sums[i]);
    }
    for (Index i = 0; i < int8_panel; ++i) {
      // k roundings of the squares; beyond 2^53 those of lambda too.
      const double slack = 1 + static_cast<double>(k + 8) * 0x1p-52;
      lines.norm[first + i] = std::sqrt(sums[i].squares * slack) * (0x1p-24 * (1 + 0x1p-50));
      lines.lambda[first + i] = sums[i].lambda < 0x1p53 ? sums[i].lambda : sums[i].lambda * slack;
    }
  });
}

template <class T>
void int8_convert(const Int8Operand<T>& x, const Int8Lines& lines, const Int8Bytes& bytes, Index first,
                  Index lines_count, Index p0, Index terms, const Int8ConvertKernels& kernels, const Int8Pack* packs,
                  int threads) {
  const Index padded = round_up(terms, int8_k_step),
              panel_stride = bytes.panel_stride > 0 ? bytes.panel_stride : int8_panel * padded;
  parallel_for(ceil_div(lines_count, int8_panel), threads, [&](Index task, int thread) {
    double* const buffer = packs[thread].x;
    const bool sampled = bytes.certificate && certificate_stride(x.k) != 1;
    const Index line = first + task * int8_panel, left = lines_count - task * int8_panel,
                count = left < int8_panel ? left : int8_panel;
    double scale[2 * int8_panel];
    for (Index i = 0; i < int8_panel; ++i) {
      const int exponent = i >= count          ? 0
                           : bytes.certificate ? 7 - lines.exponent[line + i]
                                               : bytes.scale[line + i] - int8_limb_bits * (bytes.limbs - 1);
      set_scale(exponent, scale + 2 * i);
    }
    Int8Conversion c{};
    c.scale = scale;
    c.panel = bytes.panel;
    c.row_stride = bytes.row_stride;
    c.plane_stride = bytes.plane_stride;
    c.moduli = bytes.moduli;
    c.limbs = bytes.limbs;
    const bool packed = lines.packed && !sampled;
    if (packed) {
      c.x = lines.packed + line * lines.packed_stride + p0;
      c.ld = lines.packed_stride;
    }
    std::uint8_t* const base = bytes.out + task * (bytes.panel ? panel_stride : int8_panel * bytes.row_stride);
    for (Index p = 0; p < padded; p += c.k) {
      const Index wanted = terms - p < int8_pack_terms ? terms - p : int8_pack_terms;
      if (packed) {
        c.k = padded;
      } else if (sampled) {
        // Whole blocks of 128 terms, `certificate_stride` apart.
        const Index stride = certificate_stride(x.k) * Index{certificate_block};
        c.k = round_up(wanted, int8_k_step);
        for (Index q = 0; q < wanted; q += certificate_block) {
          const Index block = (p0 + p + q) / certificate_block;
          const Index at = block * stride;
          const Index in_block = wanted - q < certificate_block ? wanted - q : certificate_block;
          pack(x, line, count, at, in_block, lines.special, kernels, buffer + q, Int8Pack::stride);
        }
        c.x = buffer;
        c.ld = Int8Pack::stride;
      } else {
        c.k = round_up(wanted, int8_k_step);
        if (bytes.panel) {
          // The kernel goes across the lines, which may meet in one set of the first-level cache where they lie.
          pack(x, line, count, p0 + p, wanted, lines.special, kernels, buffer, Int8Pack::stride);
          c.x = buffer;
          c.ld = Int8Pack::stride;
        } else {
          const Rows rows = rows_of(x, line, count, p0 + p, wanted, lines.special, kernels, buffer);
          c.x = rows.x;
          c.ld = rows.ld;
        }
      }
      c.out = base + (bytes.panel ? p * int8_panel : p);
      bytes.certificate ? kernels.certificate(c) : kernels.residues(c);
    }
  });
}

template void int8_measure(const Int8Operand<double>&, const Int8Lines&, const Int8ConvertKernels&, const Int8Pack*,
                           int);
template void int8_measure(const Int8Operand<float>&, const Int8Lines&, const Int8ConvertKernels&, const Int8Pack*,
                           int);
template void int8_convert(const Int8Operand<double>&, const Int8Lines&, const Int8Bytes&, Index, Index, Index, Index,
                           const Int8ConvertKernels&, const Int8Pack*, int);
template void int8_convert(const Int8Operand<float>&, const Int8Lines&, const Int8Bytes&, Index, Index, Index, Index,
                           const Int8ConvertKernels&, const Int8Pack*, int);

}  // namespace accublas::cpu
