// Strings and mpfr_t whatever the program has done to MPFR's state: its range of exponents, flags and defaults neither
// reach the array's numbers nor change.
#include <random>

#include "mp.hpp"

using namespace mp_test;

namespace {

struct Range {
  mpfr_exp_t least, greatest;
};
const Range usual{1 - (1L << 30), (1L << 30) - 1};

Range widest() { return {mpfr_get_emin_min(), mpfr_get_emax_max()}; }

void set(const Range& range) {
  mpfr_set_emin(range.least);
  mpfr_set_emax(range.greatest);
}

/// A state of MPFR for a scope, which is checked at its end.
class State {
 public:
  State(const Range& range, bool odd)
      : range_(range), rounding_(odd ? MPFR_RNDU : MPFR_RNDZ), precision_(odd ? 2 : 900) {
    set(range);
    mpfr_set_default_rounding_mode(rounding_);
    mpfr_set_default_prec(precision_);
    mpfr_flags_restore(odd ? MPFR_FLAGS_ALL : 0, MPFR_FLAGS_ALL);
    flags_ = mpfr_flags_save();
  }
  ~State() {
    EXPECT_EQ(mpfr_get_emin(), range_.least);
    EXPECT_EQ(mpfr_get_emax(), range_.greatest);
    EXPECT_EQ(mpfr_get_default_rounding_mode(), rounding_);
    EXPECT_EQ(mpfr_get_default_prec(), precision_);
    EXPECT_EQ(mpfr_flags_save(), flags_);
    set(usual);
    mpfr_set_default_rounding_mode(MPFR_RNDN);
    mpfr_set_default_prec(53);
    mpfr_clear_flags();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

 private:
  Range range_;
  mpfr_rnd_t rounding_;
  mpfr_prec_t precision_;
  mpfr_flags_t flags_;
};

/// An element without MPFR: limbs, exponent, sign.
std::vector<std::uint64_t> element(const Array& x, std::int64_t i) {
  const std::int64_t size = (x.precision() + 63) / 64;
  std::vector<std::uint64_t> all(size + 2);
  std::int64_t exponent = 0;
  std::int32_t sign = 0;
  EXPECT_EQ(accublas_mp_get_limbs(nullptr, x, i, 1, 1, 1, all.data(), size, &exponent, &sign), ACCUBLAS_SUCCESS);
  all[size] = static_cast<std::uint64_t>(exponent);
  all[size + 1] = static_cast<std::uint64_t>(sign);
  return all;
}

std::string text_of(const Array& x, std::int64_t i, std::int32_t base) {
  char text[400] = "";
  EXPECT_EQ(accublas_mp_get_string(nullptr, x, i, base, 0, text, sizeof text, nullptr), ACCUBLAS_SUCCESS);
  return text;
}

const Range ranges[] = {usual, widest(), {-100, 100}, {-4, 3}, {1000, 2000}, {usual.least + 1, usual.greatest - 1}};

TEST(MpMpfr, StringsInEveryState) {
  const char* texts[] = {"1e-200",
                         "-1e200",
                         "1.5",
                         "0x1p-1073741824",
                         "0x1p-1073741825",
                         "-0x1.00000000000000000000000000000000000001p-1073741825",
                         "0x1.ffffffffffffffff8p+1073741822",
                         "-0x1.fffffffffffffffefp+1073741822",
                         "1e-400000000",
                         "1e400000000",
                         "-inf",
                         "nan",
                         "-0"};
  const Array x(65, std::size(texts)), y(65, std::size(texts));
  std::vector<std::string> read;
  for (std::size_t i = 0; i < std::size(texts); ++i) {
    ASSERT_EQ(accublas_mp_set_string(nullptr, x, i, texts[i], 0), ACCUBLAS_SUCCESS);
    read.push_back(text_of(x, i, 16));
  }
  const std::string decimal = text_of(x, 0, 10);
  // The ends of the range, as docs/multiple-precision.md has them.
  EXPECT_EQ(read[3], "0x1.0000000000000000p-1073741824");
  EXPECT_EQ(read[4], "0");
  EXPECT_EQ(read[5], "-0x1.0000000000000000p-1073741824");
  EXPECT_EQ(read[6], "inf");
  EXPECT_EQ(read[7], "-0x7.fffffffffffffffcp+1073741820");
  for (const Range& range : ranges)
    for (const bool odd : {false, true}) {
      SCOPED_TRACE(testing::Message() << "exponents " << range.least << " .. " << range.greatest);
      for (std::size_t i = 0; i < std::size(texts); ++i) {
        const State state(range, odd);
        EXPECT_EQ(accublas_mp_set_string(nullptr, y, i, texts[i], 0), ACCUBLAS_SUCCESS);
        EXPECT_EQ(element(x, i), element(y, i)) << texts[i];
        EXPECT_EQ(text_of(x, i, 16), read[i]);
      }
      const State state(range, odd);
      EXPECT_EQ(text_of(x, 0, 10), decimal);
    }
}

/// Numbers past the array's range and its precision, rounded once: MPFR's rounding, and then its underflow by the
/// direction of the first.
TEST(MpMpfr, NumbersOfAWiderRange) {
  std::mt19937_64 random(5);
  gmp_randstate_t bits;
  gmp_randinit_mt(bits);
  for (int t = 0; t < 3000; ++t) {
    const int precision = t % 2 ? 64 : 130;
    const mpfr_prec_t longer = t % 7 == 0 ? 5000 : precision + static_cast<int>(random() % 200);
    const Array x(precision, 1);
    Real value(longer), wanted(precision);
    set(widest());
    // Few bits on both sides of a long gap, and any.
    if (t % 3 == 0) {
      mpfr_urandomb(value.get(), bits);
      mpfr_add_ui(value.get(), value.get(), 1, MPFR_RNDZ);
    } else {
      mpfr_set_ui(value.get(), 1 + random() % 3, MPFR_RNDN);
      if (t % 3 == 1) mpfr_nextabove(value.get());
      if (t % 5 == 1) mpfr_nextbelow(value.get());
      if (t % 5 == 2) mpfr_nextbelow(value.get());
    }
    const long middle[] = {usual.least - 1, usual.greatest, 0, 1L << 40, -(1L << 40), (1L << 61)};
    mpfr_mul_2si(value.get(), value.get(), middle[random() % 6] + static_cast<long>(random() % 7) - 3, MPFR_RNDN);
    if (random() % 2) mpfr_neg(value.get(), value.get(), MPFR_RNDN);
    const int direction = mpfr_set(wanted.get(), value.get(), MPFR_RNDN);
    set(usual);
    mpfr_check_range(wanted.get(), direction, MPFR_RNDN);
    {
      const State state(widest(), t % 2);
      x.set(0, value);
    }
    EXPECT_NUMBER(x.get(0), wanted);
    if (HasFailure()) break;
  }
  gmp_randclear(bits);
}

/// Out to the program's precision and range, rounded once: up from the middle below the least number, to an infinity
/// only past the greatest.
TEST(MpMpfr, OutToTheProgramsRange) {
  const Array x(128, 1);
  const auto set_hex = [&](const char* text) {
    ASSERT_EQ(accublas_mp_set_string(nullptr, x, 0, text, 16), ACCUBLAS_SUCCESS) << text;
  };
  const auto get = [&](const Range& range, const char* wanted) {
    for (const bool odd : {true, false}) {
      Real value(24);
      {
        const State state(range, odd);
        ASSERT_EQ(accublas_mp_get_mpfr(nullptr, x, 0, value.get()), ACCUBLAS_SUCCESS);
      }
      set(widest());
      Real expected(24);
      mpfr_set_str(expected.get(), wanted, 16, MPFR_RNDN);
      EXPECT_NUMBER(value, expected) << ", least exponent " << range.least;
      set(usual);
    }
  };
  const Range narrow{-100, 100};
  set_hex("0x1p-1000");
  get(narrow, "0");
  get(usual, "0x1p-1000");
  set_hex("-0x1p-102");  // half of the least
  get(narrow, "-0");
  set_hex("0x1.0000000000000001p-102");  // to 24 bits it is half of the least
  get(narrow, "0x1p-101");
  set_hex("0x1p1000");
  get(narrow, "@inf@");
  set_hex("-0x1.ffffffp99");
  get(narrow, "-@inf@");
  set_hex("0x1.fffffefp99");
  get(narrow, "0x1.fffffep+99");
  set_hex("0x1.ffffffffp1073741822");
  get(usual, "@inf@");
  get(widest(), "0x1p+1073741823");
  ASSERT_EQ(accublas_mp_set_string(nullptr, x, 0, "nan", 10), ACCUBLAS_SUCCESS);
  for (const bool odd : {true, false}) {
    Real value(24);
    {
      const State state(narrow, odd);
      ASSERT_EQ(accublas_mp_get_mpfr(nullptr, x, 0, value.get()), ACCUBLAS_SUCCESS);
    }
    EXPECT_TRUE(mpfr_nan_p(value.get()));
  }
}

}  // namespace
