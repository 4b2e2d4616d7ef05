// The foundations of the multiple-precision arrays: moduli, tables of the Chinese remainder theorem, CPU kernels, the
// sparse sum and the interval evaluation, against GMP and MPFR.
#include <gmp.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <random>
#include <vector>

#include "lib/base/integers.hpp"
#include "lib/mp/basis.hpp"
#include "lib/mp/format.hpp"
#include "lib/mp/kernels/mp_kernels.hpp"
#include "lib/mp/memory.hpp"
#include "lib/numerics/sparse_sum.hpp"

using namespace accublas;

namespace {

class Integer {
 public:
  Integer() { mpz_init(z_); }
  explicit Integer(std::uint64_t value) : Integer() { mpz_set_ui(z_, value); }
  Integer(const Integer&) = delete;
  Integer& operator=(const Integer&) = delete;
  ~Integer() { mpz_clear(z_); }
  operator mpz_ptr() { return z_; }

 private:
  mpz_t z_;
};

std::mt19937_64 random_bits(1);

TEST(MpModuli, PrimesInDescendingOrder) {
  const RnsModulus* m = mp::moduli(mp::max_moduli);
  Integer candidate(0x80000000u);
  for (int k = 0; k < mp::max_moduli; ++k) {
    do mpz_sub_ui(candidate, candidate, 1);
    while (mpz_probab_prime_p(candidate, 30) == 0);
    ASSERT_EQ(m[k].m, mpz_get_ui(candidate)) << k;
    EXPECT_EQ(m[k].r32, (std::uint64_t{1} << 32) % m[k].m);
    EXPECT_EQ(static_cast<std::uint32_t>(m[k].m * m[k].montgomery), 0xFFFFFFFFu);
  }
  for (int bits : {1, 30, 31, 64, 223, 3406, 16551}) {
    const int count = mp::moduli_for_bits(bits);
    double log2_product = 0;
    for (int k = 0; k < count; ++k) log2_product += std::log2(m[k].m);
    EXPECT_GT(log2_product, bits + 1 + 0x1p-16);
    EXPECT_LT(log2_product - 31, bits + 1 + 0x1p-14);
  }
}

TEST(MpModuli, Reduction) {
  const RnsModulus* m = mp::moduli(40);
  for (int t = 0; t < 20000; ++t) {
    const RnsModulus& modulus = m[t % 40];
    std::uint64_t v = random_bits() >> random_bits() % 64;
    if (t % 5 == 0) v = modulus.m * (random_bits() >> 33) - t % 3;
    if (t % 7 == 0) v = ~std::uint64_t{0} - t % 5;
    EXPECT_EQ(rns_reduce(v, modulus), v % modulus.m);
    const std::uint32_t c0 = static_cast<std::uint32_t>(v), c1 = static_cast<std::uint32_t>(v >> 32),
                        c2 = t % 2 ? ~0u : c0 * 3;
    const Uint128 wide = (static_cast<Uint128>(c2) << 64 | v);
    EXPECT_EQ(rns_reduce96(c0, c1, c2, modulus), static_cast<std::uint32_t>(wide % modulus.m));
    const std::uint32_t w = static_cast<std::uint32_t>(random_bits() % modulus.m);
    EXPECT_EQ(rns_mul(c0, mp::make_factor(w, modulus), modulus), static_cast<std::uint64_t>(c0) * w % modulus.m);
  }
}

/// Integers of both signs up to the largest that a basis promises, there and back through digits; and a change of
/// basis.
TEST(MpBasis, ReconstructionAndExtension) {
  gmp_randstate_t state;
  gmp_randinit_default(state);
  const cpu::MpKernels& kernels = cpu::mp_portable();
  for (int bits : {64, 107, 223, 1697, 3406}) {
    const int count = mp::moduli_for_bits(bits), wider = count + 5;
    const mp::Basis& basis = mp::basis(count);
    const RnsModulus* m = mp::moduli(wider);
    const auto extension = mp::extension(count, wider);
    for (int t = 0; t < 60; ++t) {
      Integer s, largest(1), r;
      mpz_mul_2exp(largest, largest, bits);
      mpz_sub_ui(largest, largest, 1);
      mpz_urandomb(s, state, t % 3 ? bits : 1 + t);
      if (t == 0) mpz_set(s, largest);
      if (t == 1) mpz_set_ui(s, 0);
      if (t == 2) mpz_set_ui(s, 1);
      if (t % 2) mpz_neg(s, s);
      std::vector<std::uint32_t> residue(wider), digit(count + 1), extended(wider - count);
      for (int k = 0; k < wider; ++k) residue[k] = mpz_fdiv_ui(s, m[k].m);
      kernels.crt_digits(
          {residue.data(), 1, m, basis.inverse.data(), basis.reciprocal.data(), count, 1, digit.data(), 1});
      std::vector<std::uint64_t> limb(basis.limbs);
      mp::reconstruct(basis, digit.data(), 1, limb.data());
      if (limb.back() >> 63) {
        limbs_negate(limb.data(), basis.limbs);
        mpz_import(r, limb.size(), -1, 8, 0, 0, limb.data());
        mpz_neg(r, r);
      } else {
        mpz_import(r, limb.size(), -1, 8, 0, 0, limb.data());
      }
      EXPECT_EQ(mpz_cmp(r, s), 0) << bits << " bits, " << t;
      kernels.combine({digit.data(), 1, count + 1, extension->weight.data(), count + 1, m + count,
                       mp::powers(wider) + count, wider - count, 1, nullptr, nullptr, extended.data(), 1, nullptr});
      for (int k = count; k < wider; ++k) EXPECT_EQ(extended[k - count], residue[k]);
    }
  }
  gmp_randclear(state);
}

/// Every kernel of every level against the definition, at odd sizes and alignments, with the largest residues among the
/// data.
class MpKernels : public ::testing::TestWithParam<cpu::Isa> {
 protected:
  static std::uint32_t residue(std::uint32_t m) {
    const std::uint64_t r = random_bits();
    return r % 4 == 0 ? m - 1 : static_cast<std::uint32_t>(r >> 8) % m;
  }
};

TEST_P(MpKernels, Products) {
  const cpu::MpKernels& kernels = cpu::mp_kernels(GetParam());
  const RnsModulus& m = mp::moduli(3)[2];
  for (int t = 0; t < 60; ++t) {
    const std::int64_t rows = 1 + random_bits() % (t % 10 == 0 ? 300 : 70),
                       columns = 1 + random_bits() % (t % 10 == 1 ? 3000 : 40);
    const std::int64_t ld = round_up(rows, 16), vectors = 1 + t % 3, ldx = std::max(ld, columns) + 3, ldy = ldx;
    std::vector<std::uint32_t> storage(ld * columns + 16), x(ldx * vectors + 16), y(ldy * vectors, 5);
    std::uint32_t* a = storage.data() + (64 - reinterpret_cast<std::uintptr_t>(storage.data()) % 64) % 64 / 4;
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < rows; ++i) a[i + j * ld] = residue(m.m);
    for (std::uint32_t& v : x) v = residue(m.m);
    for (bool transposed : {false, true}) {
      const bool add = t % 2;
      const std::int64_t outputs = transposed ? columns : rows, terms = transposed ? rows : columns;
      std::vector<std::uint32_t> wanted = y, got = y;
      for (std::int64_t v = 0; v < vectors; ++v)
        for (std::int64_t o = 0; o < outputs; ++o) {
          Uint128 sum = add ? y[v * ldy + o] : 0;
          for (std::int64_t q = 0; q < terms; ++q)
            sum += static_cast<std::uint64_t>(a[transposed ? q + o * ld : o + q * ld]) * x[v * ldx + q];
          wanted[v * ldy + o] = static_cast<std::uint32_t>(sum % m.m);
        }
      (transposed ? kernels.product_t
                  : kernels.product_n)({m, a, ld, rows, columns, x.data(), ldx, got.data(), ldy, vectors, add});
      ASSERT_EQ(got, wanted) << rows << " x " << columns << (transposed ? " T" : " N");
    }
  }
}

TEST_P(MpKernels, CombineScaleCrtSplit) {
  const cpu::MpKernels &kernels = cpu::mp_kernels(GetParam()), &twin = cpu::mp_portable();
  const RnsModulus* m = mp::moduli(40);
  for (int t = 0; t < 80; ++t) {
    const int digits = 1 + random_bits() % (t % 8 ? 12 : 120), count = 1 + random_bits() % 9;
    const std::int64_t elements = 1 + random_bits() % 70, stride = elements + random_bits() % 5;
    std::vector<std::uint32_t> digit(stride * digits), weight(count * digits), got(stride * count + 1, 9), wanted = got;
    std::vector<std::uint8_t> shift(elements), negative(elements);
    for (std::uint32_t& d : digit) d = t % 4 == 0 ? 0x7FFFFFFFu : static_cast<std::uint32_t>(random_bits()) >> 1;
    for (int k = 0; k < count; ++k)
      for (int l = 0; l < digits; ++l) weight[k * digits + l] = residue(m[k].m);
    for (std::int64_t e = 0; e < elements; ++e) {
      shift[e] = random_bits() % 64;
      negative[e] = random_bits() % 2;
    }
    const std::uint8_t *s = t % 3 ? shift.data() : nullptr, *n = t % 5 ? negative.data() : nullptr;
    mp::Buffer<std::uint64_t> room(cpu::mp_room(digits));
    const cpu::MpCombine combine{digit.data(), stride, digits, weight.data(), digits, m,          mp::powers(40), count,
                                 elements,     s,      n,      got.data(),    stride, room.data()};
    kernels.combine(combine);
    for (int k = 0; k < count; ++k)
      for (std::int64_t e = 0; e < elements; ++e) {
        Uint128 sum = 0;
        for (int l = 0; l < digits; ++l)
          sum += static_cast<std::uint64_t>(weight[k * digits + l]) * digit[l * stride + e];
        std::uint64_t r = static_cast<std::uint64_t>(sum % m[k].m);
        if (s) r = static_cast<std::uint64_t>(static_cast<Uint128>(r) * (std::uint64_t{1} << shift[e]) % m[k].m);
        wanted[k * stride + e] = static_cast<std::uint32_t>(n && negative[e] && r ? m[k].m - r : r);
      }
    ASSERT_EQ(got, wanted);

    // In place.
    for (int k = 0; k < count; ++k)
      for (std::int64_t e = 0; e < elements; ++e) got[k * stride + e] = wanted[k * stride + e] = residue(m[k].m);
    kernels.scale({got.data(), stride, m, mp::powers(40), count, elements, s, n, got.data(), stride});
    twin.scale({wanted.data(), stride, m, mp::powers(40), count, elements, s, n, wanted.data(), stride});
    ASSERT_EQ(got, wanted);

    const mp::Basis& basis = mp::basis(count);
    std::vector<std::uint32_t> d(stride * (count + 1) + 1, 9), e = d;
    kernels.crt_digits(
        {got.data(), stride, m, basis.inverse.data(), basis.reciprocal.data(), count, elements, d.data(), stride});
    twin.crt_digits(
        {got.data(), stride, m, basis.inverse.data(), basis.reciprocal.data(), count, elements, e.data(), stride});
    ASSERT_EQ(d, e);

    const int limbs = 2 + 2 * static_cast<int>(random_bits() % 20),
              parts = 1 + random_bits() % ceil_div(32 * limbs, 31);
    std::vector<std::uint32_t> limb(limbs * elements), p(stride * parts + 1, 9), q = p;
    for (std::uint32_t& l : limb) l = static_cast<std::uint32_t>(random_bits());
    kernels.split({limb.data(), limbs, limbs, elements, p.data(), stride, parts});
    for (std::int64_t i = 0; i < elements; ++i) {
      Integer z, part;
      mpz_import(z, limbs, -1, 4, 0, 0, &limb[i * limbs]);
      for (int l = 0; l < parts; ++l) {
        mpz_fdiv_q_2exp(part, z, 31 * l);
        q[l * stride + i] = mpz_get_ui(part) & 0x7FFFFFFFu;
      }
    }
    ASSERT_EQ(p, q);
  }
}

std::vector<cpu::Isa> levels() {
  std::vector<cpu::Isa> all;
  for (int level = 0; level <= static_cast<int>(cpu::detected_isa()); ++level)
    all.push_back(static_cast<cpu::Isa>(level));
  return all;
}
INSTANTIATE_TEST_SUITE_P(Levels, MpKernels, ::testing::ValuesIn(levels()),
                         [](const auto& info) { return std::string(cpu::isa_name(info.param)); });

/// The sparse sum of small integers at adversarial exponents, against MPFR: ties, cancellations, underflow.
template <class Limb>
void check_sparse_sum() {
  constexpr int p = 70, term_bits = 90;
  constexpr std::int64_t least = -300;
  const int capacity = SparseSum<Limb>::capacity(p, term_bits);
  std::vector<Limb> accumulator(capacity), scratch(capacity), result((p + limb_bits<Limb> - 1) / limb_bits<Limb>);
  mpfr_t exact, rounded, term;
  mpfr_init2(exact, 8000);
  mpfr_init2(term, 8000);
  mpfr_init2(rounded, p);
  for (int t = 0; t < 60000; ++t) {
    const int n = 1 + random_bits() % 7;
    struct Term {
      std::vector<Limb> limb;
      int bits;
      std::int64_t exponent;
      bool negative;
    };
    std::vector<Term> terms;
    mpfr_set_zero(exact, 1);
    // Few exponents, near each other and p apart, so that ties and cancellations are common.
    const std::int64_t origin = t % 3 == 0 ? least + static_cast<std::int64_t>(random_bits() % 200) - 100 : 0;
    for (int i = 0; i < n; ++i) {
      Term x;
      const int kind = random_bits() % 4;
      Integer z;
      if (kind == 0) {
        mpz_set_ui(z, 1);
      } else if (kind == 1) {  // all ones
        mpz_set_ui(z, 1);
        mpz_mul_2exp(z, z, 1 + random_bits() % 89);
        mpz_sub_ui(z, z, 1);
      } else {
        mpz_set_ui(z, random_bits() >> (random_bits() % 63));
        if (kind == 3) mpz_mul_2exp(z, z, random_bits() % 20);
      }
      if (i > 0 && random_bits() % 4 == 0) mpz_set_ui(z, 0);
      const mpz_ptr integer = z;
      x.bits = mpz_sgn(integer) == 0 ? 0 : static_cast<int>(mpz_sizeinbase(integer, 2));
      x.limb.assign(96 / limb_bits<Limb> + 1, 0);
      mpz_export(x.limb.data(), nullptr, -1, sizeof(Limb), 0, 0, z);
      const int places[] = {0, 1, -1, p, p - 1, -p, -2 * p, -3 * p - 5, -700, -701, -1500, 64, 40};
      x.exponent = origin + places[random_bits() % std::size(places)];
      x.negative = random_bits() % 2;
      if (i > 0 && random_bits() % 5 == 0) {  // the opposite of another
        x = terms[random_bits() % terms.size()];
        x.negative = !x.negative;
      }
      terms.push_back(x);
      mpz_import(z, x.limb.size(), -1, sizeof(Limb), 0, 0, x.limb.data());
      mpfr_set_z_2exp(term, z, x.exponent, MPFR_RNDN);
      if (x.negative) mpfr_neg(term, term, MPFR_RNDN);
      mpfr_add(exact, exact, term, MPFR_RNDN);
    }
    std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.exponent > b.exponent; });

    SparseSum<Limb> sum(p, least, accumulator.data(), scratch.data(), capacity, result.data());
    bool done = false;
    for (int i = 0; i < n && !done; ++i) {
      const std::int64_t rest = i + 1 == n ? SparseSum<Limb>::no_rest : terms[i + 1].exponent + term_bits + 3;
      done = sum.add({terms[i].limb.data(), static_cast<int>(terms[i].limb.size()), terms[i].bits, terms[i].exponent,
                      terms[i].negative},
                     rest);
    }
    ASSERT_TRUE(done);

    const mpfr_exp_t emin = mpfr_get_emin();
    mpfr_set_emin(least);
    const int ternary = mpfr_set(rounded, exact, MPFR_RNDN);
    mpfr_check_range(rounded, ternary, MPFR_RNDN);
    mpfr_set_emin(emin);
    ASSERT_EQ(sum.is_zero(), mpfr_zero_p(exact) != 0) << t;
    if (sum.is_zero()) continue;
    ASSERT_EQ(sum.negative(), mpfr_signbit(rounded) != 0) << t;
    ASSERT_EQ(sum.underflow(), mpfr_zero_p(rounded) != 0) << t;
    if (sum.underflow()) continue;
    ASSERT_EQ(sum.exponent(), mpfr_get_exp(rounded)) << t;
    Integer x, wanted;
    mpz_import(x, result.size(), -1, sizeof(Limb), 0, 0, result.data());
    const mpfr_exp_t unit = mpfr_get_z_2exp(wanted, rounded);
    mpz_abs(wanted, wanted);
    ASSERT_EQ(unit, sum.exponent() - p);
    ASSERT_EQ(mpz_cmp(x, wanted), 0) << t;
  }
  mpfr_clears(exact, rounded, term, static_cast<mpfr_ptr>(nullptr));
}

TEST(MpSparseSum, Limbs32) { check_sparse_sum<std::uint32_t>(); }
TEST(MpSparseSum, Limbs64) { check_sparse_sum<std::uint64_t>(); }

TEST(MpEvaluation, ContainsTheQuotient) {
  gmp_randstate_t state;
  gmp_randinit_default(state);
  for (int precision : {64, 65, 106, 424, 1696, 8192}) {
    const EvalFactor factor = mp::eval_factor(precision);
    const mp::Basis& basis = mp::basis(mp::make_format(precision).moduli);
    Integer m, x;
    mpz_import(m, basis.limbs, -1, 8, 0, 0, basis.product.data());
    mpfr_t quotient, divisor;
    mpfr_init2(quotient, 200);
    mpfr_init2(divisor, 31 * basis.count + 64);
    mpfr_set_z(divisor, m, MPFR_RNDN);
    for (int t = 0; t < 200; ++t) {
      mpz_urandomb(x, state, precision - 1);
      if (t == 0) mpz_set_ui(x, 0);
      mpz_setbit(x, precision - 1);
      if (t == 1) {
        mpz_set_ui(x, 1);
        mpz_mul_2exp(x, x, precision);
        mpz_sub_ui(x, x, 1);
      }
      Integer top;
      mpz_fdiv_q_2exp(top, x, precision - 64);
      const Interval interval = evaluate(mpz_get_ui(top), factor);
      mpfr_t numerator;
      mpfr_init2(numerator, precision);
      mpfr_set_z(numerator, x, MPFR_RNDN);
      mpfr_div(quotient, numerator, divisor, MPFR_RNDD);
      EXPECT_GE(mpfr_cmp_d(quotient, interval.lower), 0);
      mpfr_div(quotient, numerator, divisor, MPFR_RNDU);
      EXPECT_LE(mpfr_cmp_d(quotient, interval.upper), 0);
      mpfr_clear(numerator);
    }
    mpfr_clears(quotient, divisor, static_cast<mpfr_ptr>(nullptr));
  }
  gmp_randclear(state);
}

}  // namespace
