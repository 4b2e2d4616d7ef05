// The kernels from residues to results of the int8 engine against their portable twins, and against exact integers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "int8_levels.hpp"
#include "int8_sums.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/call/problem.hpp"
#include "lib/cpu/int8/int8_portable.hpp"
#include "lib/numerics/crt.hpp"
#include "lib/numerics/finish.hpp"
#include "lib/numerics/triple_sum.hpp"

using namespace accublas;
using namespace accublas::cpu;
using namespace accublas_test;

namespace {

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

}  // namespace

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
