// The parts of the int8 engine: tables of moduli, reconstruction at the edges of its range, scaling, every kernel
// against its portable twin, blocking under caps.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>

#include "int8_reference.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/base/integers.hpp"
#include "lib/cpu/int8/int8_blocking.hpp"
#include "lib/cpu/int8/int8_portable.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/crt.hpp"
#include "lib/numerics/scaling.hpp"
#include "lib/numerics/triple_sum.hpp"

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

Integer product_of(int count) {
  Integer p(1);
  for (int l = 0; l < count; ++l) mpz_mul_ui(p.z_, p.z_, static_cast<unsigned long>(int8_moduli[l].p));
  return p;
}

/// The largest S that `count` moduli are used for, P / 2 / crt_margin.
Integer largest_sum(int count) {
  Integer s = product_of(count);
  mpz_mul_ui(s.z_, s.z_, 16);
  mpz_fdiv_q_ui(s.z_, s.z_, 33);
  return s;
}

int residue(const Integer& s, int p) {
  int r = static_cast<int>(mpz_fdiv_ui(s.z_, static_cast<unsigned long>(p)));
  return 2 * r > p || r == 128 ? r - p : r;
}

std::vector<Isa> levels() {
  std::vector<Isa> r;
  for (Isa isa : {Isa::avx2, Isa::avx512, Isa::avx512_vnni, Isa::amx})
    if (isa <= detected_isa()) r.push_back(isa);
  return r;
}

template <class T>
struct Aligned {
  explicit Aligned(std::size_t n) : data(static_cast<T*>(std::aligned_alloc(64, round_up(n * sizeof(T), 64)))) {
    std::memset(static_cast<void*>(data), 0, n * sizeof(T));
  }
  ~Aligned() { std::free(data); }
  Aligned(const Aligned&) = delete;
  T* data;
};

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
      if (wide_bit_length(t.product) < 127) {
        EXPECT_EQ(mpz_cmp(to_integer(wide_cast<crt_limbs>(crt_reconstruct<2>(t, r, 1))).z_, s.z_), 0) << count;
      }
    }
    gmp_randclear(state);
  }
}

TEST(Int8Kernels, Products) {
  std::mt19937_64 g(3);
  for (Index k : {Index{64}, Index{192}, Index{1024}, int8_piece}) {
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
    const int t = round % 5 == 0 ? 53 : 2 + static_cast<int>(g() % 149), pieces = int8_pieces(t);
    double scale[64];
    for (int r = 0; r < 32; ++r) {
      const int exponent = static_cast<int>(g() % 2000) - 1000, e = t - exponent - 42 * (pieces - 1);
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
      Int8Conversion c{x.data, ld, k, scale, panel, want.data, ld, 32 * 256, max_moduli, pieces};
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
        const int e = std::ilogb(scale[2 * r]) + std::ilogb(scale[2 * r + 1]) + 42 * (pieces - 1) - t + 7;
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
        const int e = std::ilogb(scale[2 * r]) + std::ilogb(scale[2 * r + 1]) - 7 + t - 42 * (pieces - 1);
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

template <class T>
void check_reconstruction() {
  const FpEnvironment environment;
  gmp_randstate_t state;
  gmp_randinit_default(state);
  std::mt19937_64 g(5);
  constexpr Index rows = 3, cols = 21, stride = 32, plane = 5 * stride;
  for (int count = 1; count <= max_moduli; ++count) {
    for (int round = 0; round < 12; ++round) {
      Aligned<std::int8_t> planes(static_cast<std::size_t>(max_moduli * plane));
      std::int32_t row_exponent[8] = {}, col_exponent[64] = {};
      double row_error[8], row_drop[8], col_error[64] = {}, col_drop[64] = {};
      const Integer most = largest_sum(count);
      const int bits = static_cast<int>(mpz_sizeinbase(most.z_, 2));
      for (int i = 0; i < 8; ++i)
        row_exponent[i] = static_cast<int>(g() % 20) - 10 - (round % 4 == 3 ? (sizeof(T) == 8 ? 1000 : 120) : 0);
      for (int i = 0; i < 64; ++i) col_exponent[i] = static_cast<int>(g() % 20) - 10 - bits;
      for (int i = 0; i < 8; ++i)
        row_drop[i] = g() % 2, row_error[i] = std::ldexp(1.0 + static_cast<double>(g() % 100), bits / 2);
      for (int i = 0; i < 64; ++i)
        col_drop[i] = g() % 2, col_error[i] = std::ldexp(1.0 + static_cast<double>(g() % 100), bits / 3);
      for (Index r = 0; r < rows; ++r) {
        for (Index c = 0; c < cols; ++c) {
          Integer s;
          mpz_urandomm(s.z_, state, most.z_);
          const unsigned kind = g() % 8;
          if (kind == 0) mpz_set_ui(s.z_, 0);
          if (kind == 1) mpz_set(s.z_, most.z_);
          if (kind == 2) mpz_fdiv_q_2exp(s.z_, s.z_, g() % static_cast<unsigned>(bits));
          if (kind >= 3 && kind <= 6 && bits > 60) {  // a halfway case of T, one unit off, or exact
            const unsigned digits = sizeof(T) == 8 ? 53 : 24;
            mpz_fdiv_q_2exp(s.z_, s.z_, static_cast<unsigned long>(bits) - 1 - digits);
            mpz_mul_2exp(s.z_, s.z_, static_cast<unsigned long>(bits) - 1 - digits);
            if (kind == 4) mpz_add_ui(s.z_, s.z_, 1);
            if (kind == 5) mpz_sub_ui(s.z_, s.z_, 1);
          }
          if (g() % 2) mpz_neg(s.z_, s.z_);
          if (mpz_cmpabs(s.z_, most.z_) > 0) mpz_set(s.z_, most.z_);
          for (int l = 0; l < count; ++l)
            planes.data[l * plane + r * stride + c] = static_cast<std::int8_t>(residue(s, int8_moduli[l].p));
        }
      }
      Int8Reconstruction t{};
      t.crt = &int8_crt_table(count);
      t.planes = planes.data;
      t.plane_stride = plane;
      t.row_stride = t.out_stride = stride;
      t.rows = rows;
      t.cols = cols;
      t.row_exponent = row_exponent;
      t.col_exponent = col_exponent;
      t.col_exponent_min = *std::min_element(col_exponent, col_exponent + cols);
      t.col_exponent_max = *std::max_element(col_exponent, col_exponent + cols);
      t.negative = round % 2;
      // With alpha and beta c as well, in every third round.
      t.combine = round % 3 == 2;
      const double scalars[] = {1, -1, 0.7, -3, 0x1p-150, 0x1.8p180};
      t.alpha = static_cast<T>(scalars[g() % (sizeof(T) == 8 ? 6 : 4)]);
      t.beta = static_cast<T>(g() % 4 == 0 ? 0 : scalars[g() % (sizeof(T) == 8 ? 6 : 4)]);
      T addend[5 * stride];
      for (T& x : addend) {
        const unsigned kind = g() % 16;
        x = static_cast<T>(std::ldexp(static_cast<double>(g() % 2001) - 1000, static_cast<int>(g() % 60) - 30));
        if (kind == 0) x = 0;
        if (kind == 1) x = std::numeric_limits<T>::quiet_NaN();
        if (kind == 2) x = std::numeric_limits<T>::max();
        if (kind == 3) x = std::numeric_limits<T>::denorm_min();
      }
      for (int interval = 0; interval < 3; ++interval) {
        if (interval) t.row_error = row_error, t.row_drop = row_drop, t.col_error = col_error, t.col_drop = col_drop;
        t.decide_ties = interval == 2;
        T want[5 * stride], exact[5 * stride], got[5 * stride];
        std::uint8_t open_want[5 * stride], open_got[5 * stride];
        auto run = [&](Isa isa, T* out, std::uint8_t* open) {
          std::copy(std::begin(addend), std::end(addend), out);
          t.open = open;
          if constexpr (sizeof(T) == 8)
            return int8_reconstruct_kernels(isa).to_double(t, out);
          else
            return int8_reconstruct_kernels(isa).to_float(t, out);
        };
        // The result at one end of an element's interval.
        auto at_end = [&](Index r, Index c, bool upper) {
          const Wide<crt_limbs> s = crt_reconstruct<crt_limbs>(*t.crt, t.planes + r * stride + c, plane);
          const double error = t.row_error ? col_drop[c] * row_error[r] + row_drop[r] * col_error[c] : 0;
          bool lost = false;
          const Wide<crt_limbs> d = wide_negate_if(detail::wide_from_double<crt_limbs>(error, 0, &lost), !upper);
          return finish(static_cast<T>(t.alpha), wide_add(s, d), row_exponent[r] + col_exponent[c],
                        static_cast<T>(t.beta), addend[r * stride + c]);
        };
        run(Isa::baseline, want, open_want);
        const Int8Reconstruction keep = t;
        t.row_error = nullptr;
        run(Isa::baseline, exact, open_got);
        for (Isa isa : levels()) {
          t = keep;
          const std::int64_t open = run(isa, got, open_got);
          std::int64_t count_open = 0;
          for (Index r = 0; r < rows; ++r) {
            for (Index c = 0; c < cols; ++c) {
              const Index at = r * stride + c;
              count_open += open_got[at] != 0;
              if (open_got[at]) continue;
              // What the kernel decides is what the twin rounds, and a decision needs the twin's, or holds at both
              // ends.
              ASSERT_EQ(std::memcmp(&got[at], &exact[at], sizeof(T)), 0)
                  << isa_name(isa) << " moduli " << count << " interval " << interval << ": " << got[at] << " not "
                  << exact[at] << " alpha " << t.alpha << " beta " << t.beta << " c " << addend[at];
              if (!t.combine) {
                ASSERT_EQ(open_want[at], 0);
                continue;
              }
              for (bool upper : {false, true}) {
                const T end = at_end(r, c, upper);
                ASSERT_EQ(std::memcmp(&got[at], &end, sizeof(T)), 0)
                    << isa_name(isa) << " moduli " << count << " " << end;
              }
            }
          }
          EXPECT_EQ(open, count_open);
          // What is in range and no tie is decided, or the kernel would be no use.
          if (t.combine && interval == 0 && count >= 7 && count <= 25 && round % 4 != 3) {
            EXPECT_LE(open, rows * cols * 3 / 4) << isa_name(isa) << " " << count << " " << t.alpha << " " << t.beta;
          }
        }
      }
    }
  }
  gmp_randclear(state);
}

TEST(Int8Kernels, ReconstructionDouble) { check_reconstruction<double>(); }
TEST(Int8Kernels, ReconstructionFloat) { check_reconstruction<float>(); }

TEST(Int8Plan, BlockingKeepsToItsCap) {
  for (Index m : {1, 40, 500, 5000})
    for (Index n : {1, 64, 3000})
      for (Index k : {1, 64, 1000, 70000, 3000000})
        for (int planes : {1, 14, 49})
          for (std::size_t cap : {std::size_t{1} << 20, std::size_t{4} << 20, std::size_t{1} << 30}) {
            const int given = planes == 49 ? 64 : 2;
            int threads = given;
            Index rows = 0, cols = 0;
            int8_tile(m, n, threads, planes == 14, cap, rows, cols);
            EXPECT_GE(threads, 1);
            EXPECT_LE(threads, given);
            EXPECT_LE(static_cast<std::size_t>((rows + 32) * cols * 64 * threads), cap);
            const Int8Blocking b = int8_blocking(m, n, k, planes, rows, cols, 1, threads, cap);
            EXPECT_LE(b.row_bytes + b.col_bytes + b.result_bytes, std::max(cap, std::size_t{6} << 20)) << b.describe();
            EXPECT_EQ(b.chunk % 64, 0);
            EXPECT_LE(b.chunk, int8_piece);
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
  EXPECT_EQ(int8_pieces(53), 1);
  EXPECT_EQ(int8_pieces(54), 2);
  EXPECT_EQ(int8_pieces(87), 2);
  EXPECT_EQ(int8_pieces(88), 3);
  EXPECT_EQ(int8_pieces(171), 4);
}
