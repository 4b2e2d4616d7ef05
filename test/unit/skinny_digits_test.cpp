// The digits of skinny products on a GPU (cuda/batch/skinny_digits.hpp), on the host: whole sums, with fields that
// rise, against integers of GMP.
#include "cuda/batch/skinny_digits.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "lib/numerics/wide.hpp"

namespace accublas::test {
namespace {

using cuda::LineMarks;
using cuda::ShiftedMantissa;
using cuda::skinny_digits;

/// Entries and sums are integers in units of 2^-fraction_bits.
constexpr int fraction_bits = 2400;

mpz_class entry_of(double x) {
  mpz_class value;
  if (x == 0) return value;
  int exponent;
  value = static_cast<long>(std::ldexp(std::frexp(x, &exponent), 53));
  return value << (exponent - 53 + fraction_bits / 2);
}

std::array<int, skinny_digits> digits_of(const cuda::NineDigits& x) {
  std::array<int, skinny_digits> digits;
  for (int i = 0; i < 8; ++i)
    digits[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(x.leading >> (56 - 8 * i) & 0xFF);
  digits[8] = static_cast<std::int8_t>(x.last & 0xFF);
  return digits;
}

std::uint32_t high_word_of(double x) { return static_cast<std::uint32_t>(to_bits(x) >> 32) & 0x7FFFFFFFu; }

/// E of a line of this field.
int exponent_of(int field) { return field - 1022; }

/// A line that is cut, and what the kernel knows of it.
struct CutLine {
  LineMarks marks;
  double squares = 0;
  std::vector<std::array<int, skinny_digits>> terms;

  void cut(double x, int field) {
    const ShiftedMantissa entry(x, field);
    terms.push_back(digits_of(cuda::cut_nine(entry, marks)));
    marks.dropped += entry.is_dropped();
    for (std::size_t i = 3; i < skinny_digits; ++i) squares += terms.back()[i] * terms.back()[i];
    // The entry is 2^(E - 70) times the digits, and less than a unit more.
    mpz_class number;
    for (const int digit : terms.back()) number = number * 256 + digit;
    const mpz_class unit = mpz_class(1) << (exponent_of(field) - 70 + fraction_bits / 2),
                    rest = entry_of(x) - number * unit;
    EXPECT_LT(abs(rest), unit) << x;
    EXPECT_EQ(rest != 0, entry.is_dropped()) << x;
  }
};

using Draw = double (*)(std::mt19937_64&, int);

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; }
double integer_below(std::mt19937_64& random, unsigned n) {
  return static_cast<double>(random() % n) - static_cast<double>(n / 2);
}

const Draw draws[] = {
    [](std::mt19937_64& random, int) {
      return uniform(random) * std::exp(std::normal_distribution<double>(0, 0.5)(random));
    },
    [](std::mt19937_64& random, int) {
      return uniform(random) * std::exp(std::normal_distribution<double>(0, 4)(random));
    },
    [](std::mt19937_64& random, int) { return integer_below(random, 2001); },
    [](std::mt19937_64& random, int) { return std::ldexp(uniform(random), 900 - static_cast<int>(random() % 2000)); },
    [](std::mt19937_64& random, int p) { return std::ldexp(uniform(random), 3 * p - 300); },
    [](std::mt19937_64& random, int) { return random() % 3 ? 0.0 : integer_below(random, 7); },
    [](std::mt19937_64& random, int) { return std::ldexp(integer_below(random, 200), -1074); },
    [](std::mt19937_64& random, int p) { return std::ldexp(integer_below(random, 1 << 20), p / 10); },
    // The largest mantissas, around the one from which on the field is larger.
    [](std::mt19937_64& random, int) {
      const double x = random() % 2 ? 2 - std::ldexp(static_cast<double>(random() % 4 + 1), -52)
                                    : 1.984375 + std::ldexp(integer_below(random, 3), -52);
      return std::ldexp(random() % 2 ? x : -x, static_cast<int>(random() % 20));
    },
};

TEST(SkinnyDigits, SumsAreWithinTheirBounds) {
  std::mt19937_64 random(67);
  int exact = 0, rising = 0;
  for (int number = 0; number < 9000; ++number) {
    const Draw of_row = draws[random() % std::size(draws)], of_col = draws[random() % std::size(draws)];
    const int k = 1 + static_cast<int>(random() % 150);
    std::vector<double> x, y;
    for (int p = 0; p < k; ++p) {
      x.push_back(of_row(random, p));
      y.push_back(of_col(random, p));
    }
    CutLine col, row;
    std::uint32_t most = 0;
    for (const double v : y) most = std::max(most, high_word_of(v));
    const int col_field = cuda::skinny_field(most);
    for (const double v : y) col.cut(v, col_field);
    // The row's field starts from one of its entries or from the least one, and rises from step to step.
    int field = random() % 2 ? cuda::skinny_field(high_word_of(x[random() % x.size()])) : 1, rises = 0;
    Int128 total = 0;
    for (int first = 0; first < k; first += 8) {
      const int end = std::min(first + 8, k);
      most = 0;
      for (int p = first; p < end; ++p) most = std::max(most, high_word_of(x[static_cast<std::size_t>(p)]));
      if (const int needed = cuda::skinny_field(most); needed > field) {
        row.marks.rise(needed - field);
        total >>= std::min(needed - field, 127);
        field = needed;
        ++rises;
      }
      for (int p = first; p < end; ++p) {
        row.cut(x[static_cast<std::size_t>(p)], field);
        for (int i = 0; i < skinny_digits; ++i)
          for (int j = 0; j < skinny_digits && i + j < cuda::skinny_weights; ++j)
            total += static_cast<Int128>(row.terms.back()[static_cast<std::size_t>(i)] *
                                         col.terms[static_cast<std::size_t>(p)][static_cast<std::size_t>(j)]) *
                     (Int128{1} << (8 * (10 - i - j)));
      }
    }
    const double error =
        cuda::skinny_error({row.squares, col.squares, row.marks.last_digit(), col.marks.last_digit(),
                            static_cast<double>(row.marks.dropped + col.marks.dropped), static_cast<double>(rises)},
                           k);
    mpz_class sum, of_digits = static_cast<long>(total >> 64);
    for (std::size_t p = 0; p < x.size(); ++p) sum += entry_of(x[p]) * entry_of(y[p]);
    of_digits <<= 64;
    of_digits += static_cast<unsigned long>(total);
    const int unit = exponent_of(field) + exponent_of(col_field) - cuda::skinny_unit + fraction_bits;
    const mpz_class distance = abs(mpz_class(sum - (of_digits << unit)));
    EXPECT_LE(distance, mpz_class(error) << unit) << "sum " << number << " of " << k << " terms, error " << error;
    exact += error == 0;
    rising += rises > 0;
  }
  EXPECT_GT(exact, 300);
  EXPECT_GT(rising, 3000);
}

}  // namespace
}  // namespace accublas::test
