// The two forms of elements in host memory, digits of 31 bits and residues with intervals: the same numbers, and the
// same aligned planes, whichever it is.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "lib/mp/backend.hpp"
#include "lib/mp/cpu/align.hpp"
#include "lib/mp/numbers.hpp"
#include "lib/mp/transfer.hpp"
#include "lib/numerics/limbs.hpp"

namespace {

using namespace accublas;
using namespace accublas::mp;
using accublas::mp::Elements;

struct Host {
  Host(int precision, std::int64_t length, bool positional) {
    elements.format = make_format(precision);
    elements.length = length;
    cpu_mp_backend().allocate(elements, -1);
    if (!positional) leave_positional_form(elements, kernels(), 1);
  }
  ~Host() { cpu_mp_backend().release(elements); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  static const cpu::MpKernels& kernels() { return cpu::mp_kernels(cpu::detected_isa()); }
  Elements elements;
};

accublas_mp_report_t report;
MpExecution execution(int threads) { return {threads, cpu::detected_isa(), nullptr, report}; }

/// Numbers with every class among them; `spread` exponents.
NumberBuffer numbers(const Format& format, std::int64_t count, unsigned spread, std::mt19937_64& random) {
  NumberBuffer made(format, count);
  for (std::int64_t t = 0; t < count; ++t) {
    if (random() % 16 == 0) {
      set_special(made, t, exponent_zero + static_cast<std::int32_t>(random() % 3), random() % 2);
      continue;
    }
    const int top = (format.precision - 1) % 64;
    for (int l = 0; l < made.limbs; ++l) made.x(t)[l] = random() % 8 == 0 ? ~std::uint64_t{0} : random();
    std::uint64_t& last = made.x(t)[made.limbs - 1];
    last = (last & (~std::uint64_t{0} >> (63 - top))) | std::uint64_t{1} << top;
    made.exponent[t] = static_cast<std::int32_t>(random() % spread) - 40;
    made.sign[t] = random() % 2;
  }
  return made;
}

void expect_same_numbers(const Elements& a, const Elements& b, const Block& block) {
  MpExecution run = execution(1);
  NumberBuffer x(a.format, block.size()), y(b.format, block.size());
  cpu_mp_backend().read(a, block, x.view(), run);
  cpu_mp_backend().read(b, block, y.view(), run);
  for (std::int64_t t = 0; t < block.size(); ++t) {
    ASSERT_EQ(x.exponent[t], y.exponent[t]) << t;
    ASSERT_EQ(x.sign[t], y.sign[t]) << t;
    for (int l = 0; l < x.limbs; ++l) ASSERT_EQ(x.x(t)[l], y.x(t)[l]) << t;
  }
}

/// X mod m from its limbs.
std::uint32_t residue(const std::uint64_t* limb, int limbs, std::uint32_t m) {
  Uint128 r = 0;
  for (int l = limbs - 1; l >= 0; --l) r = (r << 64 | limb[l]) % m;
  return static_cast<std::uint32_t>(r);
}

TEST(MpForms, ResiduesWhenAskedFor) {
  std::mt19937_64 random(1);
  for (int precision : {64, 83, 106, 248, 849, 1696})
    for (const std::int64_t length : {1, 17, 700}) {
      SCOPED_TRACE(testing::Message() << precision << " bits, " << length << " elements");
      Host digits(precision, length, true), residues(precision, length, false);
      EXPECT_TRUE(digits.elements.positional);
      EXPECT_FALSE(residues.elements.positional);
      const Format& format = digits.elements.format;
      const Block all{0, length, 1, 1, 0};
      const NumberBuffer given = numbers(format, length, 200, random);
      MpExecution run = execution(2);
      cpu_mp_backend().write(digits.elements, all, given.view(), run);
      cpu_mp_backend().write(residues.elements, all, given.view(), run);
      expect_same_numbers(digits.elements, residues.elements, all);
      leave_positional_form(digits.elements, Host::kernels(), 2);
      EXPECT_FALSE(digits.elements.positional);
      const EvalFactor factor = eval_factor(precision);
      for (std::int64_t e = 0; e < length; ++e) {
        const bool special = is_special(given.exponent[e]);
        for (int k = 0; k < format.moduli; ++k) {
          const std::uint32_t wanted = residue(given.x(e), given.limbs, moduli(format.moduli)[k].m);
          ASSERT_EQ(digits.elements.digits[k * digits.elements.stride + e], wanted);
          ASSERT_EQ(residues.elements.digits[k * residues.elements.stride + e], wanted);
        }
        const Interval wanted =
            special ? Interval{0, 0} : evaluate(limbs_window(given.x(e), given.limbs, precision - 64), factor);
        for (const Elements* at : {&digits.elements, &residues.elements}) {
          ASSERT_EQ(at->eval[e], wanted.lower);
          ASSERT_EQ(at->eval[length + e], wanted.upper);
        }
      }
    }
}

/// Blocks written, doubles among them, and copied, in both forms.
TEST(MpForms, BlocksDoublesAndCopies) {
  std::mt19937_64 random(2);
  for (int precision : {64, 83, 106, 849}) {
    SCOPED_TRACE(precision);
    const std::int64_t rows = 37, columns = 11, length = rows * columns;
    Host digits(precision, length, true), residues(precision, length, false), other(precision, length, true);
    const Block all{0, length, 1, 1, 0};
    const Format& format = digits.elements.format;
    MpExecution run = execution(2);
    for (int t = 0; t < 12; ++t) {
      const std::int64_t m = 1 + random() % 20, n = 1 + random() % 8;
      const bool row = random() % 3 == 0, whole = t % 4 == 3;
      const Block block = whole ? all
                          : row ? Block{static_cast<std::int64_t>(random() % rows), 1, n, 1, rows}
                                : Block{static_cast<std::int64_t>(random() % 15), m, n, 1, rows};
      std::vector<double> doubles(block.size());
      for (double& d : doubles)
        d = random() % 9 == 0 ? 0.0 : std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 90));
      const NumberBuffer given = numbers(format, block.size(), 100, random);
      for (Host* host : {&digits, &residues})
        if (t % 2)
          cpu_mp_backend().write_doubles(host->elements, block, doubles.data(), block.rows, run);
        else
          cpu_mp_backend().write(host->elements, block, given.view(), run);
      expect_same_numbers(digits.elements, residues.elements, all);
      cpu_mp_backend().copy(other.elements, all, t % 3 ? residues.elements : digits.elements, all, run);
      expect_same_numbers(other.elements, digits.elements, all);
    }
    cpu_mp_backend().copy(residues.elements, {5, 9, 3, 1, rows}, digits.elements, {1, 9, 3, 1, rows}, run);
    cpu_mp_backend().copy(digits.elements, {5, 9, 3, 1, rows}, other.elements, {1, 9, 3, 1, rows}, run);
    expect_same_numbers(digits.elements, residues.elements, all);
  }
}

TEST(MpForms, AlignedPlanes) {
  std::mt19937_64 random(3);
  for (int precision : {64, 106, 248, 424, 849})
    for (unsigned spread : {1u, 50u, 300u})
      for (const bool transposed : {false, true}) {
        SCOPED_TRACE(testing::Message() << precision << " bits, spread " << spread);
        const std::int64_t m = 301, n = 7;
        Host digits(precision, m * n, true), residues(precision, m * n, false);
        const Block all{0, m * n, 1, 1, 0}, block = transposed ? Block{0, n, m, m, 1} : Block{0, m, n, 1, m};
        MpExecution run = execution(2);
        const NumberBuffer given = numbers(digits.elements.format, m * n, spread, random);
        const std::vector<double> doubles(m * n, 0.375);
        for (Host* host : {&digits, &residues}) {
          cpu_mp_backend().write(host->elements, all, given.view(), run);
          if (spread == 50) cpu_mp_backend().write_doubles(host->elements, all, doubles.data(), m * n, run);
        }
        const int first = digits.elements.format.moduli - 1, count = 2 * first + 6;
        HostAligned a(digits.elements, block, 2), b(residues.elements, block, 1), c(digits.elements, block, 1);
        for (const int wanted : {first, count}) {
          a.ensure(digits.elements, wanted, Host::kernels(), 2);
          b.ensure(residues.elements, wanted, cpu::mp_portable(), 1);
          c.ensure(digits.elements, wanted, cpu::mp_portable(), 1);  // by digits of 52 bits
        }
        for (int k = 0; k < count; ++k)
          for (std::int64_t j = 0; j < block.columns; ++j)
            for (std::int64_t i = 0; i < a.ld(); ++i) {
              ASSERT_EQ(a.plane(k)[i + j * a.ld()], b.plane(k)[i + j * b.ld()]) << k << " " << i << " " << j;
              ASSERT_EQ(c.plane(k)[i + j * c.ld()], b.plane(k)[i + j * b.ld()]) << k << " " << i << " " << j;
            }
      }
}

}  // namespace
