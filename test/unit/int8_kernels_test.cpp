// Every kernel of the int8 engine against its portable twin.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "int8_sums.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/base/integers.hpp"
#include "lib/cpu/int8/int8_blocking.hpp"
#include "lib/cpu/int8/int8_portable.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/crt.hpp"
#include "lib/numerics/finish.hpp"
#include "lib/numerics/scaling.hpp"
#include "lib/numerics/triple_sum.hpp"

using namespace accublas;
using namespace accublas::cpu;
using namespace accublas_test;

namespace {

std::vector<Isa> levels() {
  std::vector<Isa> r;
  for (Isa isa : {Isa::avx2, Isa::avx512, Isa::avx512_vnni, Isa::amx, Isa::neon, Isa::dotprod, Isa::i8mm})
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
      // One column leaves the range of the kernels. They decide the others nevertheless.
      const Index far = round % 4 == 1 ? static_cast<Index>(g() % cols) : cols;
      col_exponent[far] += g() % 2 ? 1200 : -1200;
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
      // Addends that cancel the leading bits of their sums, exactly or but for a unit in the last place.
      const bool cancels = t.combine && round % 4 != 3 && std::fabs(t.alpha) == 1 && std::fabs(t.beta) == 1;
      bool is_cancelled[5 * stride] = {};
      for (Index r = 0; cancels && r < rows; ++r) {
        for (Index c = 0; c < cols; ++c) {
          const Wide<crt_limbs> s = crt_reconstruct<crt_limbs>(*t.crt, t.planes + r * stride + c, plane);
          T& x = addend[r * stride + c];
          if (g() % 4 == 0) continue;
          is_cancelled[r * stride + c] = c != far;
          x = finish(static_cast<T>(-t.alpha * t.beta), s, row_exponent[r] + col_exponent[c], T(0), T(0));
          if (g() % 8 == 0) x = std::nextafter(x, T(0));
        }
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
              if (open_got[at]) {
                // However far below the product of the moduli a sum lies, the kernel rounds it by its leading bits.
                const Wide<crt_limbs> s = crt_reconstruct<crt_limbs>(*t.crt, t.planes + at, plane);
                if (sizeof(T) == 8 && !t.combine && interval == 0 && round % 4 != 3 && c != far) {
                  ASSERT_LT(wide_bit_length(wide_negate_if(s, wide_negative(s))), 64) << isa_name(isa) << " " << count;
                }
                // However many bits of a sum its addend cancels, the kernel rounds what is left.
                if (sizeof(T) == 8 && is_cancelled[at] && interval == 0 && std::isnormal(addend[at])) {
                  bool lost = false;
                  const Wide<crt_limbs> rest = wide_add(
                      s, detail::wide_from_double<crt_limbs>(t.alpha * t.beta * static_cast<double>(addend[at]),
                                                             row_exponent[r] + col_exponent[c], &lost));
                  ASSERT_TRUE(lost || wide_bit_length(wide_negate_if(rest, wide_negative(rest))) < 64)
                      << isa_name(isa) << " " << count << " " << addend[at];
                }
                continue;
              }
              // An element that the kernel decides has the twin's rounding. The twin must decide it too, or both ends
              // of the interval must round to it.
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
          // The kernel must decide elements that are in range and not ties, or it would be useless.
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

/// Exact integers from residues: the extremes, zero, and numbers of any length of either sign.
TEST(Int8Kernels, Integers) {
  gmp_randstate_t state;
  gmp_randinit_default(state);
  std::mt19937_64 g(6);
  constexpr Index cols = 45, stride = 64;
  std::vector<Isa> all = levels();
  all.push_back(Isa::baseline);
  for (int count = 15; count <= max_moduli; ++count) {
    Aligned<std::int8_t> planes(static_cast<std::size_t>(max_moduli * stride));
    std::vector<Integer> sums(cols);
    const Integer most = largest_sum(count);
    const unsigned bits = static_cast<unsigned>(mpz_sizeinbase(most.z_, 2));
    for (Index c = 0; c < cols; ++c) {
      Integer& s = sums[static_cast<std::size_t>(c)];
      mpz_urandomm(s.z_, state, most.z_);
      if (c % 4 == 1) mpz_fdiv_q_2exp(s.z_, s.z_, g() % bits);
      if (c < 2) mpz_set(s.z_, most.z_);
      if (c == 2) mpz_set_ui(s.z_, 0);
      if (c % 2) mpz_neg(s.z_, s.z_);
      for (int l = 0; l < count; ++l)
        planes.data[l * stride + c] = static_cast<std::int8_t>(residue(s, int8_moduli[l].p));
    }
    const int limbs = static_cast<int>(bits) / 64 + 1;
    std::uint64_t out[crt_limbs * stride];
    for (Isa isa : all) {
      int8_reconstruct_kernels(isa).to_integers(
          {&int8_crt_table(count), planes.data, stride, cols, limbs, out, stride});
      for (Index c = 0; c < cols; ++c) {
        Integer got, power;
        std::uint64_t words[crt_limbs];
        for (int l = 0; l < limbs; ++l) words[l] = out[l * stride + c];
        mpz_import(got.z_, static_cast<std::size_t>(limbs), -1, sizeof *words, 0, 0, words);
        mpz_setbit(power.z_, static_cast<mp_bitcnt_t>(64 * limbs));
        if (words[limbs - 1] >> 63 != 0) mpz_sub(got.z_, got.z_, power.z_);
        ASSERT_EQ(mpz_cmp(got.z_, sums[static_cast<std::size_t>(c)].z_), 0)
            << isa_name(isa) << " moduli " << count << " " << c;
      }
    }
  }
  gmp_randclear(state);
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
