// The foundations of the int8 engine: tables of moduli, scaling, reconstruction at the edges of its range, blocking
// under caps.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "int8_sums.hpp"
#include "lib/cpu/int8/int8_blocking.hpp"
#include "lib/cpu/int8/int8_crt.hpp"
#include "lib/cpu/int8/int8_portable.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/crt.hpp"
#include "lib/numerics/scaling.hpp"

using namespace accublas;
using namespace accublas::cpu;
using namespace accublas_test;

namespace {

Integer to_integer(const Wide<crt_limbs>& w) {
  Integer r;
  const bool negative = wide_negative(w);
  const Wide<crt_limbs> m = wide_negate_if(w, negative);
  mpz_import(r.z_, crt_limbs, -1, 8, 0, 0, m.limb);
  if (negative) mpz_neg(r.z_, r.z_);
  return r;
}

}  // namespace

TEST(Int8Tables, Moduli) {
  const int begin[] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199, 197, 193};
  for (int l = 0; l < 16; ++l) EXPECT_EQ(int8_moduli[l].p, begin[l]);
  for (int l = 0; l < max_moduli; ++l) {
    for (int i = 0; i < l; ++i) EXPECT_EQ(std::gcd(int8_moduli[l].p, int8_moduli[i].p), 1);
    // Greedy: nothing between two neighbours is coprime to all before.
    for (int p = int8_moduli[l].p + 1; l > 0 && p < int8_moduli[l - 1].p; ++p) {
      bool coprime = true;
      for (int i = 0; i < l; ++i) coprime &= std::gcd(p, int8_moduli[i].p) == 1;
      EXPECT_FALSE(coprime);
    }
  }
}

TEST(Int8Tables, Weights) {
  for (int count = 1; count <= max_moduli; ++count) {
    const CrtTable& t = int8_crt_table(count);
    const Integer p = product_of(count);
    EXPECT_EQ(mpz_cmp(to_integer(t.product).z_, p.z_), 0);
    for (int l = 0; l < count; ++l) {
      const Integer w = to_integer(t.weight[l]);
      for (int i = 0; i < count; ++i)
        EXPECT_EQ(mpz_fdiv_ui(w.z_, static_cast<unsigned long>(int8_moduli[i].p)), i == l ? 1u : 0u)
            << count << " " << l << " " << i;
      Integer twice = w;
      mpz_mul_ui(twice.z_, twice.z_, 2);
      EXPECT_LE(mpz_cmpabs(twice.z_, p.z_), 0);
      Integer digits;
      for (int d = t.digits - 1; d >= 0; --d) {
        mpz_mul_2exp(digits.z_, digits.z_, 16);
        Integer digit(t.weight_digit[d][l]);
        mpz_add(digits.z_, digits.z_, digit.z_);
      }
      mpz_fdiv_q_2exp(digits.z_, digits.z_, static_cast<unsigned long>(-t.unit_exponent));
      EXPECT_EQ(mpz_cmp(digits.z_, w.z_), 0);
    }
    Integer digits;
    for (int d = t.digits - 1; d >= 0; --d) {
      mpz_mul_2exp(digits.z_, digits.z_, 16);
      Integer digit(t.product_digit[d]);
      mpz_add(digits.z_, digits.z_, digit.z_);
    }
    mpz_fdiv_q_2exp(digits.z_, digits.z_, static_cast<unsigned long>(-t.unit_exponent));
    EXPECT_EQ(mpz_cmp(digits.z_, p.z_), 0);
    EXPECT_LE(t.digits, CrtTable::max_digits);
    // The plan's capacity is that of the margin.
    const double most = mpz_get_d(largest_sum(count).z_);
    EXPECT_LE(int8_capacity(count), std::log2(most + 1));
    EXPECT_GE(int8_capacity(count), std::log2(most) - 1e-6);
  }
}

TEST(Int8Tables, ReductionCoversEverySum) {
  // The parameters of the float reduction: every reachable sum of bytes gives a congruent residue that fits a signed
  // byte.
  for (int l = 0; l < max_moduli; ++l) {
    const Int8Modulus& m = int8_moduli[l];
    int most = 128 + m.p / 2;
    for (int i = 0; i < 4; ++i) most += 255 * std::abs(m.weight[i]);
    const int base = m.start - 0x4B000000 - balanced_residue(-(std::int64_t{1} << 31), m.p) + (1 << 23);
    ASSERT_EQ(base % (256 * m.p), 0);
    for (int s = -most; s <= most; ++s) {
      const float f = static_cast<float>(base + s);
      const float q = std::fma(f, m.inverse_float, m.magic) - 0x1.8p23f;
      const int r = s - m.p * static_cast<int>(q);
      if (m.p == 256) continue;  // the low byte
      ASSERT_TRUE(-128 <= r && r <= 127) << m.p << " " << s;
    }
  }
}

TEST(Int8Tables, ConversionQuotient) {
  // abs(v - p q) at the largest abs(v) = 2^53: p / 2 + 2^53 abs(inverse - 1/p) p stays below 128.
  for (int l = 1; l < max_moduli; ++l) {
    const Int8Modulus& m = int8_moduli[l];
    const double defect = std::fabs(std::fma(m.inverse, m.p, -1.0)) * 0x1p53;
    EXPECT_LT(std::floor(m.p / 2.0 + defect), 128) << m.p;
  }
}

TEST(Int8Scaling, AgainstGmp) {
  std::mt19937_64 g(1);
  for (int round = 0; round < 200000; ++round) {
    std::uint64_t bits = g();
    if (round % 3 == 0) bits &= ~std::uint64_t{0} << g() % 53;
    if (round % 7 == 0) bits &= 0x800FFFFFFFFFFFFFu;
    double x;
    std::memcpy(&x, &bits, sizeof x);
    if (!std::isfinite(x) || x == 0) continue;
    int e;
    std::frexp(x, &e);
    ASSERT_EQ(exponent_above(x), e);
    const int exponent = e + static_cast<int>(g() % 70), t = 2 + static_cast<int>(g() % 149);
    const ScaledInteger s = scale_entry(x, exponent, t);
    Integer got(s.mantissa);
    mpz_mul_2exp(got.z_, got.z_, static_cast<unsigned long>(s.shift));
    ASSERT_EQ(mpz_cmp(got.z_, scaled(x, t - exponent, Direction::even).z_), 0) << x << " " << exponent << " " << t;
    ASSERT_EQ(mpz_cmp_si(scaled(std::fabs(x), 24 - exponent, Direction::ceil).z_, certificate_ceiling(x, exponent)), 0);
    ASSERT_EQ(mpz_cmp_si(scaled(std::fabs(x), 7 - exponent, Direction::floor).z_, certificate_byte(x, exponent)), 0);
    const int last = exponent_of_last_bit(x);
    ASSERT_EQ(mpz_cmp(scaled(x, -last, Direction::floor).z_, scaled(x, -last, Direction::ceil).z_), 0);
    ASSERT_TRUE(mpz_odd_p(scaled(x, -last, Direction::floor).z_));
  }
}

TEST(Int8Scaling, TiesGoToEven) {
  for (double x : {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.4999999999999996}) {
    const ScaledInteger s = scale_entry(x, 0, 0);
    EXPECT_EQ(static_cast<double>(s.mantissa), std::nearbyint(x)) << x;
  }
}

/// Both reconstructions return the same limbs, also if these do not hold S.
template <int L>
void expect_limbs(const CrtTable& table, const std::int8_t* residues) {
  const Wide<L> want = crt_reconstruct<L>(table, residues, 1), got = crt_of_halves<L>(table, residues, 1);
  for (int i = 0; i < L; ++i) EXPECT_EQ(got.limb[i], want.limb[i]) << table.count << " moduli, limb " << i;
}

TEST(Int8Crt, EdgesOfTheRange) {
  std::mt19937_64 g(2);
  for (int count = 1; count <= max_moduli; ++count) {
    const CrtTable& t = int8_crt_table(count);
    const Integer most = largest_sum(count);
    gmp_randstate_t state;
    gmp_randinit_default(state);
    for (int round = 0; round < 60; ++round) {
      Integer s = most;
      if (round >= 4) mpz_urandomm(s.z_, state, most.z_);
      if (round % 4 == 1) mpz_sub_ui(s.z_, s.z_, round < 4 ? 0 : 1);
      if (round == 2) mpz_set_ui(s.z_, 0);
      if (round == 3) mpz_set_si(s.z_, -1);
      if (round % 2) mpz_neg(s.z_, s.z_);
      std::int8_t r[max_moduli];
      for (int l = 0; l < count; ++l) r[l] = static_cast<std::int8_t>(residue(s, int8_moduli[l].p));
      EXPECT_EQ(mpz_cmp(to_integer(crt_reconstruct<crt_limbs>(t, r, 1)).z_, s.z_), 0) << count << " " << round;
      EXPECT_EQ(mpz_cmp(to_integer(crt_of_halves<crt_limbs>(t, r, 1)).z_, s.z_), 0) << count << " " << round;
      expect_limbs<2>(t, r);
      expect_limbs<3>(t, r);
      expect_limbs<4>(t, r);
      if (wide_bit_length(t.product) < 127) {
        EXPECT_EQ(mpz_cmp(to_integer(wide_cast<crt_limbs>(crt_reconstruct<2>(t, r, 1))).z_, s.z_), 0) << count;
      }
    }
    gmp_randclear(state);
  }
}

TEST(Int8Plan, BlockingKeepsToItsCap) {
  for (Index m : {1, 40, 500, 5000})
    for (Index n : {1, 64, 3000})
      for (Index k : {1, 64, 1000, 70000, 3000000})
        for (int planes : {1, 14, 49})
          for (std::size_t cap : {std::size_t{1} << 20, std::size_t{4} << 20, std::size_t{1} << 30}) {
            const int given = planes == 49 ? 64 : 2;
            int threads = given;
            Index rows = 0, cols = 0;
            int8_tile((planes == 14 ? amx_tuning : avx512_tuning).int8, m, n, threads, cap, rows, cols);
            EXPECT_GE(threads, 1);
            EXPECT_LE(threads, given);
            EXPECT_LE(static_cast<std::size_t>((rows + 32) * cols * 64 * threads), cap);
            const Int8Blocking b = int8_blocking(m, n, k, planes, rows, cols, 1, threads, cap);
            EXPECT_LE(b.row_bytes + b.col_bytes + b.result_bytes, std::max(cap, std::size_t{6} << 20)) << b.describe();
            EXPECT_EQ(b.chunk % 64, 0);
            EXPECT_LE(b.chunk, int8_most_terms);
            EXPECT_GE(b.chunk * b.chunks, k);
            EXPECT_EQ(b.block_rows % b.tile_rows, 0);
            EXPECT_EQ(b.block_cols % b.tile_cols, 0);
            EXPECT_EQ(b.block_cols % 32, 0);
          }
}

TEST(Int8Plan, Moduli) {
  EXPECT_EQ(int8_moduli_for(109.0), 14);
  EXPECT_EQ(int8_moduli_for(109.3), 15);
  EXPECT_EQ(int8_moduli_for(400), 0);
  EXPECT_EQ(int8_limbs(53), 1);
  EXPECT_EQ(int8_limbs(54), 2);
  EXPECT_EQ(int8_limbs(87), 2);
  EXPECT_EQ(int8_limbs(88), 3);
  EXPECT_EQ(int8_limbs(171), 4);
}
