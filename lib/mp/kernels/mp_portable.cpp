// The kernels of lib/mp/kernels/mp_kernels.hpp in plain C++. They explain what the kernels compute, and run if no
// faster kernels exist for the CPU.
#include "lib/base/integers.hpp"
#include "lib/mp/kernels/mp_kernels.hpp"
#include "lib/numerics/wide.hpp"

namespace accublas::cpu {

namespace {

/// A sum of products below 2^63, kept as low + high 2^32 with low < 2^32 between additions.
struct DelayedSum {
  std::uint64_t low = 0, high = 0;

  void add(std::uint64_t product) {
    low += product;
    high += low >> 32;
    low &= 0xFFFFFFFFu;
  }
  std::uint32_t reduced(const RnsModulus& modulus) const {
    return rns_reduce96(static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high),
                        static_cast<std::uint32_t>(high >> 32), modulus);
  }
};

std::uint64_t product(std::uint32_t a, std::uint32_t b) { return static_cast<std::uint64_t>(a) * b; }

void store(std::uint32_t sum, const MpProduct& p, std::uint32_t& y) { y = p.add ? rns_add(y, sum, p.modulus) : sum; }

/// Rows are processed in strips, whose sums stay in registers and first-level cache while the columns pass.
void product_n(const MpProduct& p) {
  constexpr std::int64_t strip = 64;
  for (std::int64_t v = 0; v < p.vectors; ++v) {
    const std::uint32_t* x = p.x + v * p.ldx;
    for (std::int64_t first = 0; first < p.rows; first += strip) {
      const std::int64_t rows = p.rows - first < strip ? p.rows - first : strip;
      DelayedSum sum[strip];
      for (std::int64_t j = 0; j < p.columns; ++j)
        for (std::int64_t i = 0; i < rows; ++i) sum[i].add(product(p.a[j * p.ld + first + i], x[j]));
      for (std::int64_t i = 0; i < rows; ++i) store(sum[i].reduced(p.modulus), p, p.y[v * p.ldy + first + i]);
    }
  }
}

void product_t(const MpProduct& p) {
  for (std::int64_t v = 0; v < p.vectors; ++v)
    for (std::int64_t j = 0; j < p.columns; ++j) {
      DelayedSum sum;
      for (std::int64_t i = 0; i < p.rows; ++i) sum.add(product(p.a[j * p.ld + i], p.x[v * p.ldx + i]));
      store(sum.reduced(p.modulus), p, p.y[v * p.ldy + j]);
    }
}

void product_groups(const MpGroups& p) {
  DelayedSum sum[mp_most_groups];
  for (std::int64_t q = 0; q < p.terms; ++q)
    if (p.group[q] < p.groups) sum[p.group[q]].add(product(p.a[q], p.x[q]));
  for (int g = 0; g < p.groups; ++g) p.y[g] = sum[g].reduced(p.modulus);
}

void rows(const MpRows& r) {
  for (std::int64_t j = 0; j < r.columns; ++j)
    for (std::int64_t i = 0; i < r.rows; ++i) r.out[i * r.out_stride + j] = r.a[j * r.ld + i];
}

/// +-residue 2^shift mod m.
std::uint32_t scaled(std::uint32_t residue, const RnsModulus& modulus, const mp::RnsPowers* powers,
                     const std::uint8_t* shift, const std::uint8_t* negative, std::int64_t e) {
  if (shift) residue = rns_mul(residue, powers->factor[shift[e]], modulus);
  return negative && negative[e] ? rns_negate(residue, modulus) : residue;
}

void combine(const MpCombine& c) {
  for (int k = 0; k < c.count; ++k)
    for (std::int64_t e = 0; e < c.elements; ++e) {
      DelayedSum sum;
      for (int l = 0; l < c.digits; ++l)
        sum.add(product(c.weight[k * c.weight_stride + l], c.digit[l * c.digit_stride + e]));
      c.out[k * c.out_stride + e] =
          scaled(sum.reduced(c.moduli[k]), c.moduli[k], c.powers + (c.shift ? k : 0), c.shift, c.negative, e);
    }
}

void combine_wide(const MpCombineWide& c) {
  const int first = 31 * c.low / 52, end = mp_wide_digits(c.low + c.digits);
  std::uint64_t digit[mp_most_wide_digits];
  for (std::int64_t e = 0; e < c.elements; ++e) {
    for (int j = first; j < end; ++j) {
      digit[j] = 0;
      for (int l = c.low; l < c.low + c.digits; ++l) {  // the part of bits 52 j .. 52 j + 51 that digit l holds
        const int at = 31 * l - 52 * j;
        const std::uint64_t d = c.digit[(l - c.low) * c.digit_stride + e];
        if (at > -31 && at < 52) digit[j] |= at < 0 ? d >> -at : d << at;
      }
      digit[j] &= (std::uint64_t{1} << 52) - 1;
    }
    for (int k = c.from; k < c.to; ++k) {
      std::uint32_t r = 0;
      for (int j = end - 1; j >= 0; --j) {  // r 2^52 + digit j, below 2^84
        const Uint128 next = (static_cast<Uint128>(r) << 52) + (j < first ? 0 : digit[j]);
        r = rns_reduce96(static_cast<std::uint32_t>(next), static_cast<std::uint32_t>(next >> 32),
                         static_cast<std::uint32_t>(next >> 64), c.moduli[k]);
      }
      c.out[(k - c.from) * c.out_stride + e] = c.negative && c.negative[e] ? rns_negate(r, c.moduli[k]) : r;
    }
  }
}

void scale(const MpScale& s) {
  for (int k = 0; k < s.count; ++k)
    for (std::int64_t e = 0; e < s.elements; ++e)
      s.out[k * s.out_stride + e] =
          scaled(s.in[k * s.in_stride + e], s.moduli[k], s.powers + (s.shift ? k : 0), s.shift, s.negative, e);
}

void crt_digits(const MpCrtDigits& c) {
  for (std::int64_t e = 0; e < c.elements; ++e) {
    double quotient = 0;
    for (int k = 0; k < c.count; ++k) {
      const std::uint32_t digit = rns_mul(c.residue[k * c.residue_stride + e], c.inverse[k], c.moduli[k]);
      c.digit[k * c.digit_stride + e] = digit;
      quotient += digit * c.reciprocal[k];
    }
    c.digit[c.count * c.digit_stride + e] = static_cast<std::uint32_t>(quotient + 0.5);
  }
}

void integers(const MpIntegers& c) {
  for (std::int64_t e = 0; e < c.elements; ++e) {
    std::uint64_t* limb = c.integer + e * c.limbs;
    for (int i = 0; i < c.limbs; ++i) limb[i] = 0;
    // `upper` and `carry` are the amounts that the columns below pass on: the upper half of the previous column, worth
    // 2 of the current column's units, and the carry.
    std::uint64_t upper = 0, carry = 0;
    std::uint32_t digit = 0;
    for (int l = 0; l < c.columns; ++l) {
      DelayedSum sum;
      for (int k = 0; k < c.digits; ++k)
        sum.add(product(c.weight[l * c.weight_stride + k], c.digit[k * c.digit_stride + e]));
      const std::uint64_t value = sum.low + 2 * upper + carry;
      upper = sum.high;
      carry = value >> 31;
      digit = static_cast<std::uint32_t>(value) & 0x7FFFFFFFu;
      const int at = 31 * l / 64, bit = 31 * l % 64;
      limb[at] |= static_cast<std::uint64_t>(digit) << bit;
      if (bit > 33) limb[at + 1] |= digit >> (64 - bit);
    }
    if ((digit >> 30 & 1) == 0) continue;
    const int end = 31 * c.columns;
    if (end % 64 != 0) limb[end / 64] |= ~std::uint64_t{0} << end % 64;
    for (int i = ceil_div(end, 64); i < c.limbs; ++i) limb[i] = ~std::uint64_t{0};
  }
}

void split(const MpSplit& s) {
  for (std::int64_t e = 0; e < s.elements; ++e) {
    const std::uint32_t* limb = s.limb + e * s.limb_stride;
    for (int l = 0; l < s.digits; ++l) {
      const int at = 31 * l / 32, bit = 31 * l % 32;
      std::uint64_t window = at < s.limbs ? limb[half_position(at)] : 0;
      if (at + 1 < s.limbs) window |= static_cast<std::uint64_t>(limb[half_position(at + 1)]) << 32;
      s.digit[l * s.digit_stride + e] = static_cast<std::uint32_t>(window >> bit) & 0x7FFFFFFFu;
    }
  }
}

void shift(const MpShift& s) {
  for (std::int64_t e = 0; e < s.elements; ++e) {
    const int far = s.shift[e] / 31, near = s.shift[e] % 31;
    for (int l = 0; l < s.digits + 3; ++l) {
      const int at = l - far;
      std::uint64_t two =
          at >= 0 && at < s.digits ? static_cast<std::uint64_t>(s.digit[at * s.digit_stride + e]) << 31 : 0;
      if (at >= 1 && at <= s.digits) two |= s.digit[(at - 1) * s.digit_stride + e];
      s.out[l * s.out_stride + e] = static_cast<std::uint32_t>(two >> (31 - near)) & 0x7FFFFFFFu;
    }
  }
}

}  // namespace

const MpKernels& mp_portable() {
  static constexpr MpKernels kernels = {product_n,  product_t, product_groups, rows,  combine,     scale,
                                        crt_digits, integers,  split,          shift, combine_wide};
  return kernels;
}

}  // namespace accublas::cpu
