// The kernels of products and conversions of the int8 engine against their portable twins.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "int8_levels.hpp"
#include "int8_sums.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/base/integers.hpp"
#include "lib/cpu/int8/int8_blocking.hpp"
#include "lib/cpu/int8/int8_portable.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/scaling.hpp"

using namespace accublas;
using namespace accublas::cpu;
using namespace accublas_test;

TEST(Int8Kernels, Products) {
  std::mt19937_64 g(3);
  for (Index k : {Index{64}, Index{192}, Index{1024}, int8_most_terms}) {
    const Index rows = k > 2000 ? 14 : 41, cols = k > 2000 ? 33 : 67, room = 80, panels = 3, stride = k + 64;
    Aligned<std::uint8_t> u(static_cast<std::size_t>(room * stride));
    Aligned<std::int8_t> v(static_cast<std::size_t>(panels * 32 * k));
    for (int extreme = 0; extreme < 3; ++extreme) {
      for (Index i = 0; i < room * stride; ++i) u.data[i] = extreme ? 255 : static_cast<std::uint8_t>(g());
      for (Index i = 0; i < panels * 32 * k; ++i)
        v.data[i] = extreme == 1 ? -128 : extreme == 2 ? 127 : static_cast<std::int8_t>(g());
      const Int8Product t{u.data, stride, v.data, 32 * k, rows, cols, k, u.data, v.data};
      const Index out_stride = panels * 32;
      Aligned<std::int32_t> want(static_cast<std::size_t>(room * out_stride)),
          got(static_cast<std::size_t>(room * out_stride));
      int8_product_portable().sums(t, want.data, out_stride);
      for (Isa isa : levels()) {
        int8_product_kernels(isa).sums(t, got.data, out_stride);
        for (Index r = 0; r < rows; ++r)
          for (Index c = 0; c < cols; ++c)
            ASSERT_EQ(got.data[r * out_stride + c], want.data[r * out_stride + c]) << isa_name(isa);
        for (int l = 0; l<max_moduli; l += k> 2000 ? 12 : 1) {
          const int p = int8_moduli[l].p;
          Aligned<std::int8_t> out(static_cast<std::size_t>(room * out_stride));
          for (int pass = 0; pass < 2; ++pass) {  // the second adds to the first
            int8_product_kernels(isa).residues(t, int8_moduli[l], pass == 1, out.data, out_stride);
            for (Index r = 0; r < rows; ++r) {
              for (Index c = 0; c < cols; ++c) {
                const std::int64_t s = std::int64_t{want.data[r * out_stride + c]} * (pass + 1);
                ASSERT_EQ((s - out.data[r * out_stride + c]) % p, 0)
                    << isa_name(isa) << " modulus " << p << " sum " << s;
              }
            }
          }
        }
      }
    }
  }
}

TEST(Int8Kernels, Conversions) {
  const FpEnvironment environment;
  std::mt19937_64 g(4);
  constexpr Index k = 128, ld = 192;
  Aligned<double> x(32 * ld), flipped(32 * ld);
  Aligned<std::uint8_t> want(49 * 32 * 256), got(49 * 32 * 256);
  for (int round = 0; round < 60; ++round) {
    const int t = round % 5 == 0 ? 53 : 2 + static_cast<int>(g() % 149), limbs = int8_limbs(t);
    double scale[64];
    for (int r = 0; r < 32; ++r) {
      const int exponent = static_cast<int>(g() % 2000) - 1000, e = t - exponent - 42 * (limbs - 1);
      scale[2 * r] = std::ldexp(1.0, e / 2);
      scale[2 * r + 1] = std::ldexp(1.0, e - e / 2);
      for (Index p = 0; p < k; ++p) {
        double m = std::ldexp(static_cast<double>(g() >> 11), -53);
        if (p % 4 == 0) m = 1 - 0x1p-53;
        if (p % 8 == 1) m = std::ldexp(std::floor(std::ldexp(m, t > 50 ? 50 : t)) + 0.5, t > 50 ? -50 : -t);  // ties
        if (m >= 1) m = 0.5;
        const double v = std::ldexp(m, exponent - (p % 3 == 0 ? static_cast<int>(g() % 80) : 0));
        x.data[r * ld + p] = g() % 2 ? v : -v;
        if (g() % 20 == 0) x.data[r * ld + p] = 0;
        ASSERT_LT(std::fabs(x.data[r * ld + p]), std::ldexp(1.0, exponent));
      }
    }
    for (bool panel : {false, true}) {
      Int8Conversion c{x.data, ld, k, scale, panel, want.data, ld, 32 * 256, max_moduli, limbs};
      int8_convert_portable().residues(c);
      for (Isa isa : levels()) {
        c.out = got.data;
        std::memset(got.data, 0x55, 49 * 32 * 256);
        int8_convert_kernels(isa).residues(c);
        for (int l = 0; l < max_moduli; ++l) {
          for (Index r = 0; r < 32; ++r) {
            for (Index p = 0; p < k; ++p) {
              const Index at = l * c.plane_stride + (panel ? p / 4 * 128 + r * 4 + p % 4 : r * ld + p);
              const int a = panel ? static_cast<std::int8_t>(want.data[at]) : want.data[at];
              const int b = panel ? static_cast<std::int8_t>(got.data[at]) : got.data[at];
              ASSERT_EQ((a - b) % int8_moduli[l].p, 0)
                  << isa_name(isa) << " T " << t << " p " << int8_moduli[l].p << " x " << x.data[r * ld + p];
            }
          }
        }
      }
      // Certificate: scaled to 7 bits.
      for (int r = 0; r < 32; ++r) {
        const int e = std::ilogb(scale[2 * r]) + std::ilogb(scale[2 * r + 1]) + 42 * (limbs - 1) - t + 7;
        scale[2 * r] = std::ldexp(1.0, e / 2);
        scale[2 * r + 1] = std::ldexp(1.0, e - e / 2);
      }
      c.out = want.data;
      int8_convert_portable().certificate(c);
      for (Isa isa : levels()) {
        c.out = got.data;
        int8_convert_kernels(isa).certificate(c);
        for (Index r = 0; r < 32; ++r)
          for (Index p = 0; p < k; ++p) {
            const Index at = panel ? p / 4 * 128 + r * 4 + p % 4 : r * ld + p;
            ASSERT_EQ(got.data[at], want.data[at]) << isa_name(isa);
          }
      }
      for (int r = 0; r < 32; ++r) {
        const int e = std::ilogb(scale[2 * r]) + std::ilogb(scale[2 * r + 1]) - 7 + t - 42 * (limbs - 1);
        scale[2 * r] = std::ldexp(1.0, e / 2);
        scale[2 * r + 1] = std::ldexp(1.0, e - e / 2);
      }
    }
    for (Isa isa : levels()) {
      const Int8ConvertKernels& fast = int8_convert_kernels(isa);
      fast.transpose(x.data, ld, 32, flipped.data, ld);  // the first 32 x 32 as 32 terms of 32 rows
      for (int r = 0; r < 32; ++r)
        for (int p = 0; p < 32; ++p) ASSERT_EQ(flipped.data[r * ld + p], x.data[r + p * ld]);
      for (int r = 0; r < 32; ++r) {
        Int8Scan a, b;
        Int8Sums s, u;
        std::uint64_t bits_a[2], bits_b[2];
        int8_convert_portable().scan(x.data + r * ld, k, a, bits_a);
        fast.scan(x.data + r * ld, k, b, bits_b);
        ASSERT_EQ(a.largest, b.largest);
        ASSERT_EQ(a.last_bit, b.last_bit);
        ASSERT_EQ(bits_a[0], bits_b[0]);
        ASSERT_EQ(bits_a[1], bits_b[1]);
        double to24[2];
        const int e = 24 - exponent_above(from_bits<double>(a.largest));
        to24[0] = std::ldexp(1.0, e / 2);
        to24[1] = std::ldexp(1.0, e - e / 2);
        int8_convert_portable().sums(x.data + r * ld, k, to24, s);
        fast.sums(x.data + r * ld, k, to24, u);
        ASSERT_EQ(s.lambda, u.lambda);
        ASSERT_NEAR(s.squares / u.squares, 1, 1e-13);
      }
    }
  }
}

/// Entries that are limbs already: residues of the fast kernels and of the portable ones.
TEST(Int8Kernels, Limbs) {
  const FpEnvironment environment;
  std::mt19937_64 g(7);
  constexpr Index k = 128, ld = k + 8, plane = 32 * ld, room = 32 * (k + 64);
  for (int limbs = 3; limbs <= 4; ++limbs) {
    Aligned<double> x(static_cast<std::size_t>(4 * plane));
    for (int l = 0; l < limbs; ++l)
      for (Index i = 0; i < plane; ++i) {
        const int bits = l + 1 < limbs ? 42 : 45;
        const double size =
            g() % 8 == 0 ? std::ldexp(1, bits) : std::floor(std::ldexp(static_cast<double>(g() >> 12), bits - 52));
        x.data[l * plane + i] = g() % 2 ? size : -size;
      }
    for (bool panel : {false, true}) {
      Aligned<std::uint8_t> want(static_cast<std::size_t>(max_moduli * room)),
          got(static_cast<std::size_t>(max_moduli * room));
      Int8Conversion t{x.data, ld, k, nullptr, panel, want.data, k + 64, room, max_moduli, limbs, plane};
      int8_convert_portable().residues(t);
      for (Isa isa : levels()) {
        t.out = got.data;
        int8_convert_kernels(isa).residues(t);
        for (int l = 0; l < max_moduli; ++l)
          for (Index i = 0; i < 32 * k; ++i) {
            const Index at = l * room + (panel ? i : i / k * (k + 64) + i % k);
            const int difference =
                panel ? static_cast<std::int8_t>(got.data[at]) - static_cast<std::int8_t>(want.data[at])
                      : got.data[at] - want.data[at];
            ASSERT_EQ(difference % int8_moduli[l].p, 0)
                << isa_name(isa) << " " << limbs << " " << panel << " " << l << " " << i;
          }
      }
    }
  }
}
