// The int8 engine's kernels in plain C++, on the integer headers of lib/numerics: the explanation of the fast ones,
// what tests compare them with, and what runs where there is nothing better.
#include "lib/cpu/int8/int8_portable.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "lib/numerics/certificate.hpp"
#include "lib/numerics/crt.hpp"
#include "lib/numerics/finish.hpp"
#include "lib/numerics/moduli.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cpu {

namespace {

/// Calls body(r, c, sums of row r and the columns c .. c + count - 1, count), a panel's columns at a time.
template <class Body>
void for_each_sums(const Int8Product& t, Body&& body) {
  std::int32_t sums[int8_panel];
  for (std::int64_t c = 0; c < t.cols; c += int8_panel) {
    const std::int8_t* const panel = t.columns_data + c / int8_panel * t.panel_stride;
    const std::int64_t count = std::min<std::int64_t>(int8_panel, t.cols - c);
    for (std::int64_t r = 0; r < t.rows; ++r) {
      std::fill(sums, sums + count, 0);
      for (std::int64_t p = 0; p < t.k; ++p) {
        const std::int32_t x = t.rows_data[r * t.row_stride + p];
        const std::int8_t* const terms = panel + p / 4 * 128 + p % 4;
        for (std::int64_t i = 0; i < count; ++i) sums[i] += x * terms[4 * i];
      }
      body(r, c, sums, count);
    }
  }
}

void product_residues(const Int8Product& t, const Int8Modulus& m, bool accumulate, std::int8_t* out,
                      std::int64_t stride) {
  for_each_sums(t, [&](std::int64_t r, std::int64_t c, const std::int32_t* sums, std::int64_t count) {
    std::int8_t* const to = out + r * stride + c;
    // 128 modulo 256 is -128 as a byte, which is the same residue.
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = static_cast<std::int8_t>(balanced_residue(std::int64_t{sums[i]} + (accumulate ? to[i] : 0), m.p));
  });
}

void product_sums(const Int8Product& t, std::int32_t* out, std::int64_t stride) {
  for_each_sums(t, [&](std::int64_t r, std::int64_t c, const std::int32_t* sums, std::int64_t count) {
    std::copy(sums, sums + count, out + r * stride + c);
  });
}

void transpose(const double* src, std::int64_t stride, std::int64_t k, double* dst, std::int64_t ld) {
  for (std::int64_t p = 0; p < k; ++p)
    for (int r = 0; r < int8_panel; ++r) dst[r * ld + p] = src[r + p * stride];
}

void scan(const double* x, std::int64_t n, Int8Scan& s, std::uint64_t* nonzero) {
  for (std::int64_t p = 0; p < n; ++p) {
    const std::uint64_t magnitude = to_bits(x[p]) & ~FloatFormat<double>::sign;
    if (nonzero && p % 64 == 0) nonzero[p / 64] = 0;
    if (magnitude == 0) continue;
    if (nonzero) nonzero[p / 64] |= std::uint64_t{1} << p % 64;
    if (magnitude > s.largest) s.largest = magnitude;
    if (!is_finite(x[p])) continue;
    const int last = exponent_of_last_bit(x[p]);
    const double bit = round_to<double>(false, std::uint64_t{1} << 63, false, last - 63);
    if (bit < s.last_bit) s.last_bit = bit;
  }
}

/// log2 of a row's scale, which is the product of two powers of two.
int scale_exponent(const double* scale) { return exponent_above(scale[0]) + exponent_above(scale[1]) - 2; }

void sums(const double* x, std::int64_t n, const double* scale, Int8Sums& s) {
  const int exponent = 24 - scale_exponent(scale);
  for (std::int64_t p = 0; p < n; ++p) {
    const double c = static_cast<double>(certificate_ceiling(x[p], exponent));
    s.lambda += c;
    s.squares += c * c;
  }
}

std::uint8_t& target(const Int8Conversion& t, std::int64_t r, std::int64_t p) {
  return t.panel ? t.out[p / 4 * 128 + r * 4 + p % 4] : t.out[r * t.row_stride + p];
}

void certificate(const Int8Conversion& t) {
  for (std::int64_t r = 0; r < int8_panel; ++r) {
    const int exponent = 7 - scale_exponent(t.scale + 2 * r);
    for (std::int64_t p = 0; p < t.k; ++p)
      target(t, r, p) = static_cast<std::uint8_t>(certificate_byte(t.x[r * t.ld + p], exponent));
  }
}

constexpr int most_shift = 192;

/// [l][shift]: 2^shift modulo the l-th modulus.
constexpr auto powers_of_two = [] {
  constexpr ModuliList list = moduli_list();
  std::array<std::array<std::int16_t, most_shift>, max_moduli> powers{};
  for (std::size_t l = 0; l < powers.size(); ++l) {
    powers[l][0] = 1;
    for (std::size_t i = 1; i < most_shift; ++i)
      powers[l][i] = static_cast<std::int16_t>(balanced_residue(2 * powers[l][i - 1], list.p[l]));
  }
  return powers;
}();

/// The balanced residue of an entry that is taken apart already, modulo the l-th modulus.
int limbs_residue(const Int8Conversion& t, std::int64_t r, std::int64_t i, int l) {
  std::int64_t sum = 0;
  for (int s = 0; s < t.limbs; ++s) {
    const int p = int8_moduli[l].p;
    const std::int64_t limb = static_cast<std::int64_t>(t.x[s * t.limb_stride + r * t.ld + i]);
    sum += std::int64_t{balanced_residue(limb, p)} * powers_of_two[l][int8_limb_bits * s];
  }
  return balanced_residue(sum, int8_moduli[l].p);
}

void residues(const Int8Conversion& t) {
  // Most of a small matrix is padding; what becomes of a line with Inf or NaN is not used.
  for (int l = 0; l < t.moduli; ++l)
    for (std::int64_t r = 0; r < (t.panel ? 1 : int8_panel); ++r)
      std::memset(&target(t, r, 0) + l * t.plane_stride, 0, static_cast<std::size_t>(t.panel ? t.k * int8_panel : t.k));
  for (std::int64_t r = 0; r < int8_panel; ++r) {
    const int scale = t.limb_stride != 0 ? 0 : scale_exponent(t.scale + 2 * r) + int8_limb_bits * (t.limbs - 1);
    for (std::int64_t i = 0; i < t.k; ++i) {
      const double x = t.x[r * t.ld + i];
      std::uint8_t* const to = &target(t, r, i);
      if (t.limb_stride != 0) {
        for (int l = 0; l < t.moduli; ++l) {
          const int residue = limbs_residue(t, r, i, l);
          to[l * t.plane_stride] =
              static_cast<std::uint8_t>(!t.panel && residue < 0 ? residue + int8_moduli[l].p : residue);
        }
        continue;
      }
      if (x == 0 || !is_finite(x)) continue;
      const ScaledInteger a = scale_entry(x, 0, scale);
      // A row beyond the last line may hold another line, whose entries are too large for scale 1. Its residues are
      // not used.
      const int shift = a.shift < most_shift ? a.shift : most_shift - 1;
      for (int l = 0; l < t.moduli; ++l) {
        const int p = int8_moduli[l].p, residue = scaled_residue(a.mantissa, powers_of_two[l][shift], p);
        to[l * t.plane_stride] = static_cast<std::uint8_t>(!t.panel && residue < 0 ? residue + p : residue);
      }
    }
  }
}

std::int64_t certify(const Int8Certificate& t, std::uint8_t* accepted) {
  std::int64_t count = 0;
  for (std::int64_t c = 0; c < t.n; ++c) {
    const bool good = t.factor * t.sums[c] - (t.lambda + t.mu[c]) >= t.least;
    if (accepted && c % 8 == 0) accepted[c / 8] = 0;
    if (accepted) accepted[c / 8] = static_cast<std::uint8_t>(accepted[c / 8] | good << c % 8);
    count += good;
  }
  return count;
}

/// L limbs hold S.
template <int L, class T>
std::int64_t reconstruct_wide(const Int8Reconstruction& t, T* out) {
  const T alpha = t.combine ? static_cast<T>(t.alpha) : T(t.negative ? -1 : 1);
  const T beta = t.combine ? static_cast<T>(t.beta) : T(0);
  std::int64_t open = 0;
  for (std::int64_t r = 0; r < t.rows; ++r) {
    for (std::int64_t c = 0; c < t.cols; ++c) {
      const Wide<L> s = crt_reconstruct<L>(*t.crt, t.planes + r * t.row_stride + c, t.plane_stride);
      const double error = t.row_error ? t.col_drop[c] * t.row_error[r] + t.row_drop[r] * t.col_error[c] : 0;
      T* const to = &out[r * t.out_stride + c];
      // Three roundings of the error's own are covered by its enlargement.
      // Infinities and NaN stay undecided, so that code that signals exceptions computes them.
      const bool decided = round_within(alpha, s, error * (1 + 0x1p-50), t.row_exponent[r] + t.col_exponent[c], beta,
                                        read_addend(beta, to), to) &&
                           is_finite(*to);
      t.open[r * t.row_stride + c] = !decided;
      open += !decided;
    }
  }
  return open;
}

template <class T>
std::int64_t reconstruct(const Int8Reconstruction& t, T* out) {
  const int bits = wide_bit_length(t.crt->product);
  return bits < 127   ? reconstruct_wide<2>(t, out)
         : bits < 191 ? reconstruct_wide<3>(t, out)
                      : reconstruct_wide<crt_limbs>(t, out);
}

void to_integers(const Int8Integers& t) {
  for (std::int64_t c = 0; c < t.cols; ++c) {
    const Wide<crt_limbs> s = crt_reconstruct<crt_limbs>(*t.crt, t.planes + c, t.plane_stride);
    for (int l = 0; l < t.limbs; ++l) t.out[l * t.out_stride + c] = s.limb[l];
  }
}

}  // namespace

const Int8ProductKernels& int8_product_portable() {
  static constexpr Int8ProductKernels table = {product_residues, product_sums};
  return table;
}

const Int8ConvertKernels& int8_convert_portable() {
  static constexpr Int8ConvertKernels table = {transpose, scan, sums, certificate, residues};
  return table;
}

const Int8ReconstructKernels& int8_reconstruct_portable() {
  static constexpr Int8ReconstructKernels table = {certify, reconstruct<double>, reconstruct<float>, to_integers};
  return table;
}

}  // namespace accublas::cpu
