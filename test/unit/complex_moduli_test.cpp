// The planes of complex products: what they give back is the product, in each component.
#include "lib/numerics/complex_moduli.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lib/numerics/capacity.hpp"
#include "lib/numerics/crt.hpp"

namespace accublas {
namespace {

using Integer = Wide<crt_limbs>;

bool is_zero_integer(const Integer& x) { return wide_bit_length(x) == 0; }

struct Gaussian {
  std::int64_t re, im;
};

/// x x' + y y' of small numbers times powers of two, as sums of products of lines have them.
Integer product(std::int64_t a, std::int64_t b, int shift) {
  const bool negative = (a < 0) != (b < 0);
  const auto magnitude = [](std::int64_t v) { return static_cast<std::uint64_t>(v < 0 ? -v : v); };
  Integer wide = wide_mul(wide_from<crt_limbs>(static_cast<std::int64_t>(magnitude(a))), magnitude(b));
  return wide_negate_if(wide_shift_left(wide, shift), negative);
}

int residue(const ComplexPlane& plane, const Gaussian& z, int p) {
  return balanced_residue(plane.real * balanced_residue(z.re, p) + plane.imag * balanced_residue(z.im, p), p);
}

TEST(ComplexModuli, TheListIsThePublishedOne) {
  const int split[] = {241, 233, 229, 221, 205, 197, 193, 181, 173, 157, 149, 137, 113, 109, 101, 97, 89, 73, 61, 53};
  const ComplexModuliList list = complex_moduli_list();
  for (int l = 0; l < split_moduli; ++l) EXPECT_EQ(list.of[l].p, split[l]);
  for (int l = split_moduli; l < complex_moduli; ++l) EXPECT_EQ(root_of_minus_one(list.of[l].p), 0);
}

TEST(ComplexModuli, CapacitiesGrowAndStay) {
  for (int count = 1; count <= complex_moduli; ++count)
    EXPECT_GT(int8_capacity(count, ResidueKind::complex), int8_capacity(count - 1, ResidueKind::complex) + 5.7);
  EXPECT_NEAR(int8_capacity(14, ResidueKind::complex), 104.4 - 1 - std::log2(crt_margin), 0.1);
  EXPECT_NEAR(int8_capacity(20, ResidueKind::complex), 142.0 - 1 - std::log2(crt_margin), 0.1);
  EXPECT_EQ(int8_capacity(max_moduli, ResidueKind::complex), int8_capacity(complex_moduli, ResidueKind::complex));
  EXPECT_EQ(int8_moduli_for(int8_capacity(complex_moduli, ResidueKind::complex) + 1, ResidueKind::complex), 0);
  EXPECT_EQ(int8_moduli_for(int8_capacity(15, ResidueKind::complex), ResidueKind::complex), 15);
}

/// Sums of products of Gaussian integers, their residues by planes, and back, for every number of moduli; sums go up to
/// the capacity, with any representative in a byte.
TEST(ComplexModuli, PlanesGiveBackBothComponents) {
  std::mt19937_64 random(1);
  const ComplexModuliList list = complex_moduli_list();
  for (int count = 1; count <= complex_moduli; ++count) {
    const CrtTable tables[2] = {make_crt_table(component_planes(count, false)),
                                make_crt_table(component_planes(count, true))};
    const int planes = complex_planes(count);
    ASSERT_EQ(tables[0].count, planes);
    ASSERT_EQ(tables[1].count, planes);
    Integer all = wide_from<crt_limbs>(1);
    for (int l = 0; l < count; ++l) all = wide_mul(all, static_cast<std::uint64_t>(list.of[l].p));
    for (const CrtTable& table : tables) ASSERT_TRUE(is_zero_integer(wide_sub(table.product, all)));
    const int bits = static_cast<int>(int8_capacity(count, ResidueKind::complex)) - 3;
    for (int trial = 0; trial < 100; ++trial) {
      // a a' 2^shift: factors of up to 31 bits, so that two terms stay below 2^bits.
      const int wanted = bits < 2 ? 0 : static_cast<int>(random() % static_cast<unsigned>(bits));
      const int factor = wanted / 2 < 31 ? wanted / 2 : 31, shift = wanted - 2 * factor;
      const auto number = [&] {
        const std::int64_t x = static_cast<std::int64_t>(random() & ((std::uint64_t{1} << factor) - 1));
        return random() % 2 ? x : -x;
      };
      const Gaussian a{number(), number()}, b{number(), number()};
      const Integer want[2] = {wide_sub(product(a.re, b.re, shift), product(a.im, b.im, shift)),
                               wide_add(product(a.re, b.im, shift), product(a.im, b.re, shift))};
      std::int8_t bytes[max_planes];
      for (int h = 0; h < planes; ++h) {
        const ComplexPlane plane = complex_plane(h);
        const int p = list.of[plane.modulus].p;
        int r = balanced_residue(residue(plane, a, p) * residue(plane, b, p), p);
        r = balanced_residue(r * power_of_two_residue(shift, p), p);
        if (r == 128 || (random() % 2 && r - p >= -128)) r -= p;
        bytes[h] = static_cast<std::int8_t>(r);
      }
      for (int part : {0, 1}) {
        const Integer got = crt_reconstruct<crt_limbs>(tables[part], bytes, 1);
        ASSERT_TRUE(is_zero_integer(wide_sub(got, want[part]))) << count << " moduli, part " << part;
      }
    }
  }
}

}  // namespace
}  // namespace accublas
