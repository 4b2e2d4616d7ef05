#include "lib/certified/wide.hpp"

#include "lib/base/exceptions.hpp"
#include "lib/numerics/powers_of_two.hpp"

namespace accublas::certified {

namespace {

using Format = FloatFormat<Binary128>;

/// The least e with abs(x) < 2^e for a finite x.
int exponent_of(const Binary128& x) {
  const Decoded128 d = decode128(x);
  return d.mantissa == 0 ? no_exponent : bit_length(d.mantissa) + d.exponent;
}

/// x 2^e, rounded, for a finite x.
Binary128 scaled_by(const Binary128& x, std::int64_t e) {
  const Decoded128 d = decode128(x);
  if (d.mantissa == 0) return x;
  const int zeros = 128 - bit_length(d.mantissa);
  return round_to_binary128(d.negative, d.mantissa << zeros, false, d.exponent - zeros + e);
}

/// Replaces a finite x by x 2^e, rounded, and returns whether that changed the value.
bool scale_loses(Binary128& x, std::int64_t e) {
  const Binary128 before = x;
  x = scaled_by(before, e);
  return !is_finite(x) || to_bits(scaled_by(x, -e)) != to_bits(before);
}

}  // namespace

void multiply(const WideNumbers& wide, Index m, Index n, Index k, double alpha, const quad::Operand& a,
              const quad::Operand& b, double beta, const quad::Operand& c) {
  // An overflow or underflow makes a radius infinite or larger, which the caller sees.
  static_cast<void>(collect_exceptions([&] {
    quad::multiply({m, n, k, quad::number_of(alpha), a, b, quad::number_of(beta), {c}}, wide.call);
  }));
}

std::vector<Binary128> copies_above(const System& s, Index copies) {
  std::vector<Binary128> result(static_cast<std::size_t>(copies * s.n * s.n));
  for (Index j = 0; j < s.n; ++j)
    for (Index copy = 0; copy < copies; ++copy)
      std::copy_n(s.wide->a.data() + j * s.n, s.n, result.data() + (j * copies + copy) * s.n);
  return result;
}

std::vector<Binary128> copies_beside(const System& s, Index copies) {
  std::vector<Binary128> result;
  result.reserve(static_cast<std::size_t>(copies * s.n * s.n));
  for (Index copy = 0; copy < copies; ++copy) result.insert(result.end(), s.wide->a.begin(), s.wide->a.end());
  return result;
}

bool measure_wide(System& s) {
  const std::vector<Binary128>& a = s.wide->a;
  std::fill(s.row.begin(), s.row.end(), no_exponent);
  for (std::size_t at = 0; at < a.size(); ++at) {
    if (!is_finite(a[at])) return false;
    int& largest = s.row[at % static_cast<std::size_t>(s.n)];
    largest = std::max(largest, exponent_of(a[at]));
  }
  return true;
}

bool scale_wide(System& s) {
  std::vector<Binary128>& a = s.wide->a;
  const Index n = s.n;
  const auto at = [n](Index i, Index j) { return static_cast<std::size_t>(i + j * n); };
  const auto largest_exponents = [&](bool of_rows, const int* offsets, int* to) {
    std::fill_n(to, n, no_exponent);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        int& largest = to[of_rows ? i : j];
        if (const int e = exponent_of(a[at(i, j)]); e != no_exponent)
          largest = std::max(largest, e + offsets[of_rows ? j : i]);
      }
  };
  std::vector<int> diagonal;
  for (Index i = 0; s.symmetric && i < n; ++i) {
    const Binary128& x = a[at(i, i)];
    diagonal.push_back((to_bits(x) & Format::sign) != 0 ? no_exponent : exponent_of(x));
  }
  const bool same = choose_scales(s, largest_exponents, diagonal);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      Binary128& x = a[at(i, j)];
      s.inexact |= scale_loses(x, s.row[static_cast<std::size_t>(i)] + s.column[static_cast<std::size_t>(j)]);
      s.a.data()[at(i, j)] = away_from_zero(x);
    }
  return same;
}

int scale_side(const System& s, Index side, Binary128* to) {
  const Binary128* const b = s.wide->b.data() + side * s.n;
  int scale = no_exponent;
  for (Index i = 0; i < s.n; ++i)
    if (const int e = exponent_of(b[i]); e != no_exponent)
      scale = std::max(scale, e + s.row[static_cast<std::size_t>(i)]);
  for (Index i = 0; i < s.n; ++i) to[i] = scaled_by(b[i], s.row[static_cast<std::size_t>(i)] - std::int64_t{scale});
  return scale == no_exponent ? 0 : scale;
}

double away_from_zero(const Binary128& x, int by) {
  const Decoded128 d = decode128(x);
  if (d.mantissa == 0) return 0;
  const int length = bit_length(d.mantissa), e = length + d.exponent + by;
  const int kept = std::min(53, e + 1074);
  double size = least_subnormal<double>();
  if (e > greatest_exponent) {
    size = HUGE_VAL;
  } else if (kept > 0) {
    const int drop = std::max(length - kept, 0);
    const auto top = static_cast<std::uint64_t>(d.mantissa >> drop);
    const bool lost = (d.mantissa & ((Uint128{1} << drop) - 1)) != 0;
    size = std::ldexp(static_cast<double>(top + lost), d.exponent + by + drop);
  }
  return d.negative ? -size : size;
}

Binary128 to_binary128(double x) {
  const Uint128 sign = (to_bits(x) & FloatFormat<double>::sign) != 0 ? Format::sign : Uint128{0};
  if (is_nan(x)) return canonical_nan<Binary128>();
  if (!is_finite(x)) return from_bits<Binary128>(sign | Format::infinity);
  const Decoded128 d = decode128(x);
  if (d.mantissa == 0) return from_bits<Binary128>(sign);
  const int zeros = 128 - bit_length(d.mantissa);
  return round_to_binary128(d.negative, d.mantissa << zeros, false, d.exponent - zeros);
}

double unit_of(const Binary128& x) {
  const double unit = std::ldexp(1.0, decode128(x).exponent);
  return unit > 0 ? unit : least_subnormal<double>();
}

Ball<Binary128> scaled(const Binary128& center, double radius, std::int64_t e) {
  const Binary128 infinity = from_bits<Binary128>(Format::infinity);
  if (!is_finite(center)) return {center, infinity};
  Binary128 x = center, r = to_binary128(radius);
  const bool rounded = scale_loses(x, e);
  if (!is_finite(x) || !(radius < HUGE_VAL)) return {x, infinity};
  // Only subnormal numbers are rounded, each by at most half of 2^-16494, and the next number is at least 2^-16494
  // above.
  const bool radius_rounded = scale_loses(r, e);
  if ((rounded || radius_rounded) && is_finite(r)) r = from_bits<Binary128>(to_bits(r) + 1);
  return {x, r};
}

void PartsOf::add(Binary128* part, Index parts, Index step, const Binary128& more) {
  const Decoded128 one{1, 0, false};
  sum_.clear();
  for (Index p = 0; p < parts; ++p)
    if (!is_zero(part[p * step])) sum_.add_product(decode128(part[p * step]), one);
  if (!is_zero(more)) sum_.add_product(decode128(more), one);
  for (Index p = 0; p < parts; ++p) {
    const Binary128 next = round_to_binary128(sum_.value(limbs_));
    part[p * step] = next;
    if (!is_zero(next)) sum_.add_product(decode128(next), one, true);
  }
}

}  // namespace accublas::certified
