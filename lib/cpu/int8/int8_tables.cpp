// Tables of the int8 engine's kernels, computed by the compiler.
#include <utility>

#include "lib/base/integers.hpp"
#include "lib/cpu/kernels/int8_kernels.hpp"
namespace accublas::cpu {

namespace {

/// Why f inverse_float + magic, rounded once to an integer, is 1.5 2^23 + q with abs(s - p q) small enough for a signed
/// byte. f = g p + s with g p a multiple of 256 p, 2^23 + 2^18 <= g p < 2^23 + 2^18 + 2^16, and abs(s) < 2^17 + 2^9: s
/// is a sum of four bytes times at most p / 2, a correction of at most p / 2 for the 2^31, and a residue to be added.
/// So f is an integer in [2^23, 2^24), and its low byte is that of s. inverse_float = (1 + e) / p with abs(e) <= 2^-24,
/// magic = 1.5 2^23 - g exactly, hence the sum before rounding is 1.5 2^23 + s / p + f e / p, and abs(s - p q) <= p / 2
/// + 2^23.1 2^-24 < p / 2 + 0.54: at most 127 for p <= 253. For p = 255, e > 0, so q is never too small and -128 <= s -
/// p q <= 127. For p = 256 the low byte itself is the residue.
constexpr Int8Modulus make_modulus(int p) {
  Int8Modulus m{};
  m.p = p;
  m.inverse = 1.0 / p;
  for (int i = 0; i < 4; ++i) {
    m.limb16[i] = static_cast<std::int16_t>(power_of_two_residue(int8_limb_bits * i, p));
    m.limb[i] = m.limb16[i];
    m.weight[i] = static_cast<std::int8_t>(power_of_two_residue(8 * i, p));
  }
  const int multiple = 256 * p, base = round_up((1 << 23) + (1 << 18), multiple);
  m.start = 0x4B000000 + (base - (1 << 23)) + balanced_residue(-(std::int64_t{1} << 31), p);
  m.inverse_float = 1.0f / static_cast<float>(p);
  m.magic = static_cast<float>(0xC00000 - base / p);
  return m;
}

struct Moduli {
  Int8Modulus modulus[max_moduli];
};

constexpr Moduli make_moduli() {
  constexpr ModuliList list = moduli_list();
  Moduli m{};
  for (int l = 0; l < max_moduli; ++l) m.modulus[l] = make_modulus(list.p[l]);
  return m;
}

template <int Count>
constexpr CrtTable crt_table_of = make_crt_table(Count);

template <int... I>
const CrtTable& pick(int count, std::integer_sequence<int, I...>) {
  static constexpr const CrtTable* tables[] = {&crt_table_of<I + 1>...};
  return *tables[count - 1];
}

constexpr Moduli all_moduli = make_moduli();

}  // namespace

const Int8Modulus* const int8_moduli = all_moduli.modulus;

const CrtTable& int8_crt_table(int count) { return pick(count, std::make_integer_sequence<int, max_moduli>()); }

}  // namespace accublas::cpu
