// The tables of the Chinese remainder theorem for every number of moduli: the plan on the device picks one.
#pragma once

#include <utility>

#include "lib/numerics/complex_moduli.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas::cuda {

/// The leading bytes of a CrtTable's numbers in base 256, digits in -128 .. 127, for sums of products of signed bytes.
/// Digit 0 counts 2^exponent; P lies below the middle of the top digit. Where fewer digits are needed, zero ones stand
/// below.
struct LeadingBytes {
  static constexpr int digits = 14;                    ///< 111 bits: 14 moduli and a sign
  alignas(16) std::int8_t weight[digits][max_planes];  ///< zero beyond the planes
  int product[digits / 2];                             ///< P in pairs of digits
  float quotient;                                      ///< 2^96 / P in units of digit 0, at most 2^-7
  int exponent;
  bool complete;  ///< no digits stand below
};

constexpr LeadingBytes make_leading_bytes(const CrtTable& crt) {
  LeadingBytes t{};
  constexpr int digits = LeadingBytes::digits;
  const int low = wide_bit_length(crt.product) / 8 + 1 - digits;  // negative: zero digits stand below
  const auto digits_of = [&](const Wide<crt_limbs>& value, int(&out)[digits]) {
    int carry = 0;
    for (int d = low < 0 ? low : 0; d < low + digits; ++d) {
      int v = carry;
      if (d >= 0) v += static_cast<int>(value.limb[d / 8] >> (8 * (d % 8)) & 0xFF);
      carry = v >= 0x80;
      if (d >= low) out[d - low] = carry ? v - 0x100 : v;
    }
  };
  int digit[digits] = {};
  for (int l = 0; l < crt.count; ++l) {
    digits_of(crt.weight[l], digit);
    for (int d = 0; d < digits; ++d) t.weight[d][l] = static_cast<std::int8_t>(digit[d]);
  }
  digits_of(crt.product, digit);
  for (int i = 0; i < digits / 2; ++i) t.product[i] = digit[2 * i] + 256 * digit[2 * i + 1];
  t.exponent = 8 * low;
  t.quotient = static_cast<float>(power_over(96 + t.exponent, crt.product));
  t.complete = low <= 0;
  return t;
}

#ifdef __CUDACC__

/// For 1 to `Most` moduli.
template <int Most>
struct CrtTables {
  CrtTable table[Most];
  LeadingBytes leading[Most];

  __device__ const CrtTable& crt(int count) const { return table[count - 1]; }
  __device__ const LeadingBytes& leading_bytes(int count) const { return leading[count - 1]; }
};

namespace crt_detail {

template <int Count>
constexpr CrtTable crt_table_of = make_crt_table(Count);
template <int Count>
constexpr LeadingBytes leading_bytes_of = make_leading_bytes(crt_table_of<Count>);

template <int Count, bool Imaginary>
constexpr CrtTable component_table_of = make_crt_table(component_planes(Count, Imaginary));

template <int... I>
constexpr CrtTables<max_moduli> all_real_tables(std::integer_sequence<int, I...>) {
  return {{crt_table_of<I + 1>...}, {leading_bytes_of<I + 1>...}};
}
template <bool Imaginary, int... I>
constexpr CrtTables<complex_moduli> all_component_tables(std::integer_sequence<int, I...>) {
  return {{component_table_of<I + 1, Imaginary>...}, {make_leading_bytes(component_table_of<I + 1, Imaginary>)...}};
}

}  // namespace crt_detail

/// For kernels to define a __device__ constant of: a table for every number of moduli.
constexpr CrtTables<max_moduli> real_tables() {
  return crt_detail::all_real_tables(std::make_integer_sequence<int, max_moduli>());
}
template <bool Imaginary>
constexpr CrtTables<complex_moduli> component_tables() {
  return crt_detail::all_component_tables<Imaginary>(std::make_integer_sequence<int, complex_moduli>());
}

#endif

}  // namespace accublas::cuda
