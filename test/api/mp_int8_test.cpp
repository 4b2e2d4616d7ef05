// Products of multiple-precision arrays on INT8 units: the bits of residues of 31 bits and of MPFR, for all precisions,
// shapes, spreads and bands. mp_syrk has the bits of mp_gemm.
#include "mp.hpp"

using namespace mp_test;

namespace {

/// A context with an engine.
class Context {
 public:
  explicit Context(const char* engine, int threads = 1) {
    EXPECT_EQ(accublas_create(&context_), ACCUBLAS_SUCCESS);
    EXPECT_EQ(accublas_set_engine_name(context_, engine), ACCUBLAS_SUCCESS);
    EXPECT_EQ(accublas_set_num_threads(context_, threads), ACCUBLAS_SUCCESS);
  }
  ~Context() { accublas_destroy(context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  operator accublas_context*() const { return context_; }

  /// Returns the engine of the last call.
  std::string engine() const {
    accublas_mp_report_t report;
    report.struct_size = sizeof report;
    EXPECT_EQ(accublas_mp_report(context_, &report), ACCUBLAS_SUCCESS);
    return report.engine;
  }

 private:
  accublas_context* context_ = nullptr;
};

/// Elements as limbs, exponents and signs: equal numbers have equal bits.
struct Bits {
  explicit Bits(const Array& array)
      : length(accublas_mp_length(array)),
        size((array.precision() + 63) / 64),
        limbs(static_cast<std::size_t>(length * size)),
        exponents(static_cast<std::size_t>(length)),
        signs(static_cast<std::size_t>(length)) {
    EXPECT_EQ(
        accublas_mp_get_limbs(nullptr, array, 0, 1, 1, length, limbs.data(), size, exponents.data(), signs.data()),
        ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
  }
  void store(const Array& array) const {
    EXPECT_EQ(
        accublas_mp_set_limbs(nullptr, array, 0, 1, 1, length, limbs.data(), size, exponents.data(), signs.data()),
        ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
  }
  bool operator==(const Bits& other) const {
    return limbs == other.limbs && exponents == other.exponents && signs == other.signs;
  }

  std::int64_t length, size;
  std::vector<std::uint64_t> limbs;
  std::vector<std::int64_t> exponents;
  std::vector<std::int32_t> signs;
};

/// Random numbers of `bits` significant bits with exponents over `spread` bits; one in 50 is a zero if there may be
/// any.
Bits random_bits(const Array& array, int bits, int spread, std::mt19937_64& random, bool zeros = true) {
  Bits b(array);
  for (std::int64_t t = 0; t < b.length; ++t) {
    std::uint64_t* const x = &b.limbs[static_cast<std::size_t>(t * b.size)];
    for (std::int64_t l = 0; l < b.size; ++l) x[l] = 64 * (b.size - l) <= bits + 63 ? random() : 0;
    if (bits % 64 != 0 && bits / 64 < b.size) x[b.size - 1 - bits / 64] &= ~std::uint64_t{0} << (64 - bits % 64);
    x[b.size - 1] |= std::uint64_t{1} << 63;
    if (zeros && random() % 50 == 0) std::fill_n(x, b.size, 0);
    b.exponents[static_cast<std::size_t>(t)] = spread > 0 ? static_cast<std::int64_t>(random() % spread) : 0;
    b.signs[static_cast<std::size_t>(t)] = random() % 2;
  }
  return b;
}

struct Case {
  int precision;
  std::int64_t m, n, k;
  bool ta = false, tb = false;
  int spread_a = 0, spread_b = 0, bits = 0;  ///< bits: 0 for as many as the precision
  bool bands_in_a = false;
};

/// Computes a product with both engines and with one and three threads, and compares bits.
void compare(const Case& c, std::mt19937_64& random, bool factors = true) {
  SCOPED_TRACE(testing::Message() << c.precision << " bits, " << c.m << " x " << c.n << " x " << c.k
                                  << (c.ta ? " T" : " N") << (c.tb ? 'T' : 'N') << ", spreads " << c.spread_a << ' '
                                  << c.spread_b << ", " << c.bits);
  const std::int64_t lda = (c.ta ? c.k : c.m) + 1, ldb = (c.tb ? c.n : c.k) + 2, ldc = c.m + 3;
  const Array a(c.precision, 1 + lda * (c.ta ? c.m : c.k)), b(c.precision, 2 + ldb * (c.tb ? c.k : c.n)),
      result(c.precision, 3 + ldc * c.n), scalars(c.precision, 2);
  const int bits = c.bits == 0 ? c.precision : c.bits;
  random_bits(a, bits, c.spread_a, random).store(a);
  random_bits(b, bits, c.spread_b, random).store(b);
  random_bits(scalars, c.precision, 3, random, false).store(scalars);
  const Bits before = random_bits(result, c.precision, c.spread_a, random);
  accublas_mp_array* const factor = factors ? static_cast<accublas_mp_array*>(scalars) : nullptr;
  const auto product = [&](const Context& context) {
    before.store(result);
    EXPECT_EQ(accublas_mp_gemm(context, c.ta ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS,
                               c.tb ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_NO_TRANS, c.m, c.n, c.k, factor, 0, a, 1, lda, b,
                               2, ldb, factor, 1, result, 3, ldc),
              ACCUBLAS_SUCCESS)
        << accublas_last_error(context);
    return Bits(result);
  };
  const Context sums("sums"), one("int8"), three("int8", 3), small("int8", 2), automatic("auto");
  EXPECT_EQ(accublas_set_workspace_mib(small, 1), ACCUBLAS_SUCCESS);
  const Bits wanted = product(sums);
  EXPECT_TRUE(product(one) == wanted) << "one thread";
  EXPECT_TRUE(product(three) == wanted) << "three threads";
  EXPECT_TRUE(product(small) == wanted) << "1 MiB of workspace";
  EXPECT_TRUE(product(automatic) == wanted) << "automatic";
  if (on_device() || c.k == 0) return;
  EXPECT_EQ(sums.engine(), "sums");
  EXPECT_EQ(one.engine(), c.bands_in_a || c.n == 1 ? "sums" : "int8");
}

TEST(MpInt8, EveryPrecision) {
  std::mt19937_64 random(1);
  for (int precision :
       {64, 65, 96, 106, 113, 128, 150, 151, 160, 212, 300, 424, 513, 848, 1024, 1696, 2500, 4096, 8192}) {
    if (precision <= 1024)
      compare({precision, 35, 20, 70}, random);
    else
      compare({precision, 9, 5, 20}, random);
    compare({precision, 5, precision <= 1024 ? 33 : 3, 17, true, false, 40, 50}, random, false);
  }
}

TEST(MpInt8, EdgeSizes) {
  std::mt19937_64 random(2);
  const std::int64_t sizes[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 97, 130};
  for (int t = 0; t < 40; ++t) {
    const auto size = [&] { return sizes[random() % std::size(sizes)]; };
    compare({t % 2 ? 106 : 300, size(), size(), size(), random() % 2 == 0, random() % 2 == 0, t % 3 * 20, t % 4 * 15},
            random, t % 5 != 0);
    if (::testing::Test::HasFailure()) return;
  }
  compare({128, 100, 300, 1}, random);
  compare({128, 300, 100, 0}, random);
  compare({64, 1, 1, 5000, true, false, 30, 30}, random);
}

/// Numbers with trailing zeros, spreads up to the end of a band, and bands of B and of A.
TEST(MpInt8, SpreadsBandsAndShortNumbers) {
  std::mt19937_64 random(3);
  for (int precision : {64, 106, 777})
    for (int spread_a : {0, 1, 63})
      for (int spread_b : {0, 60, 200, 5000})
        for (int bits : {0, 53}) {
          compare(
              {precision, 40, 7, 50, random() % 2 == 0, random() % 2 == 0, spread_a, spread_b, bits, spread_b == 5000},
              random);
          if (::testing::Test::HasFailure()) return;
        }
  compare({106, 30, 20, 40, false, false, 300, 10, 0, true}, random);
}

/// Sums of as many terms as 32 bits hold; one more takes the other engine.
TEST(MpInt8, ManyTerms) {
  std::mt19937_64 random(4);
  compare({64, 1, 2, 65792}, random);
  compare({64, 1, 2, 65793, false, false, 0, 0, 0, true}, random);
}

/// Sums at the ends of the range that the moduli hold: all factors are 2^p - 1, of one sign.
TEST(MpInt8, LargestSums) {
  for (int precision : {64, 128, 150, 1024})
    for (std::int64_t k : {1, 64, 1000}) {
      const Array a(precision, k), column(precision, k), b(precision, 2 * k), c(precision, 2);
      Bits x(a);
      for (std::uint64_t& limb : x.limbs) limb = ~std::uint64_t{0};
      for (std::int64_t& exponent : x.exponents) exponent = -64 * x.size;
      if (precision % 64 != 0)
        for (std::int64_t t = 0; t < k; ++t)
          x.limbs[static_cast<std::size_t>(t * x.size)] = ~std::uint64_t{0} << (64 - precision % 64);
      for (std::int32_t sign : {0, 1}) {
        std::fill(x.signs.begin(), x.signs.end(), 0);
        x.store(a);
        std::fill(x.signs.begin(), x.signs.end(), sign);
        x.store(column);
        for (std::int64_t at : {std::int64_t{0}, k})
          ASSERT_EQ(accublas_mp_copy(nullptr, k, 1, column, 0, k, b, at, k), ACCUBLAS_SUCCESS);
        std::vector<Bits> results;
        for (const char* engine : {"sums", "int8"}) {
          const Context context(engine);
          ASSERT_EQ(accublas_mp_gemm(context, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 1, 2, k, nullptr, 0, a, 0, 1, b, 0,
                                     k, nullptr, 0, c, 0, 1),
                    ACCUBLAS_SUCCESS);
          results.emplace_back(c);
        }
        EXPECT_TRUE(results[0] == results[1]) << precision << ' ' << k << ' ' << sign;
      }
    }
}

/// Against MPFR, with special values among the operands.
TEST(MpInt8, AgainstMpfr) {
  Source source(5);
  const Context context("int8");
  for (int t = 0; t < 12; ++t) {
    const int precision = t % 2 ? 150 : 400;
    const std::int64_t m = 1 + source.below(9), n = 1 + source.below(9), k = 1 + source.below(40);
    Vector a = source.vector(m * k, precision, precision, 10), b = source.vector(k * n, precision, precision, 10),
           c = source.vector(m * n, precision, precision, 10);
    if (t > 7) {
      mpfr_set_inf(a[static_cast<std::size_t>(source.below(m * k))].get(), 1);
      mpfr_set_nan(b[static_cast<std::size_t>(source.below(k * n))].get());
    }
    const Real alpha = source.number(precision, precision, 5, 0), beta = source.number(precision, precision, 5, 0);
    Vector wanted = c;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        std::vector<const Real*> row, column;
        for (std::int64_t q = 0; q < k; ++q) {
          row.push_back(&a[static_cast<std::size_t>(i + q * m)]);
          column.push_back(&b[static_cast<std::size_t>(q + j * k)]);
        }
        wanted[static_cast<std::size_t>(i + j * m)] =
            expected(precision, 8000, alpha, row, column, beta, &c[static_cast<std::size_t>(i + j * m)]);
      }
    const Array ma(precision, a), mb(precision, b), mc(precision, c), scalars(precision, Vector{alpha, beta});
    ASSERT_EQ(accublas_mp_gemm(context, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, m, n, k, scalars, 0, ma, 0, m, mb, 0, k,
                               scalars, 1, mc, 0, m),
              ACCUBLAS_SUCCESS)
        << accublas_last_error(context);
    expect_equal(mc, wanted);
    if (HasFailure()) return;
  }
}

/// The elements of a triangle have mp_gemm's bits; the others keep theirs. Terms have exponents over `grades` times 100
/// bits: A needs no bands then, and its columns as vectors do.
void compare_syrk(int precision, std::int64_t n, std::int64_t k, accublas_uplo uplo, bool transposed, int spread,
                  bool factors, bool aligned, std::mt19937_64& random, int grades = 1) {
  SCOPED_TRACE(testing::Message() << precision << " bits, " << n << " x " << k << (transposed ? " T" : " N")
                                  << ", uplo " << uplo << ", spread " << spread << ", grades " << grades);
  const std::int64_t lda = (transposed ? k : n) + 2, ldc = n + 1, used = lda * (transposed ? n : k);
  const Array a(precision, 3 + used), c(precision, 2 + ldc * n), scalars(precision, 2);
  Bits of_a = random_bits(a, precision, spread, random);
  for (std::int64_t at = 0; at < used; ++at)
    of_a.exponents[static_cast<std::size_t>(3 + at)] += 100 * ((transposed ? at % lda : at / lda) % grades);
  of_a.store(a);
  random_bits(scalars, precision, 3, random).store(scalars);
  accublas_mp_array* const factor = factors ? static_cast<accublas_mp_array*>(scalars) : nullptr;
  const Bits before = random_bits(c, precision, 20, random);
  const accublas_transpose trans = transposed ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS;
  before.store(c);
  const Context sums("sums");
  ASSERT_EQ(accublas_mp_gemm(sums, trans, transposed ? ACCUBLAS_NO_TRANS : ACCUBLAS_TRANS, n, n, k, factor, 0, a, 3,
                             lda, a, 3, lda, factor, 1, c, 2, ldc),
            ACCUBLAS_SUCCESS)
      << accublas_last_error(sums);
  Bits wanted(c);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      if (uplo == ACCUBLAS_LOWER ? i >= j : i <= j) continue;
      const std::size_t at = static_cast<std::size_t>(2 + i + j * ldc), size = static_cast<std::size_t>(wanted.size);
      std::copy_n(&before.limbs[at * size], size, &wanted.limbs[at * size]);
      wanted.exponents[at] = before.exponents[at];
      wanted.signs[at] = before.signs[at];
    }
  wanted.store(c);
  const Bits stored(c);  // the exponents of get_limbs
  for (const char* engine : {"sums", "int8", "auto"})
    for (int threads : {1, 3}) {
      const Context context(engine, threads);
      before.store(c);
      if (aligned) {
        ASSERT_EQ(accublas_mp_align(context, a, 3, lda, transposed ? k : n, transposed ? n : k, -1), ACCUBLAS_SUCCESS);
      }
      ASSERT_EQ(accublas_mp_syrk(context, uplo, trans, n, k, factor, 0, a, 3, lda, factor, 1, c, 2, ldc),
                ACCUBLAS_SUCCESS)
          << accublas_last_error(context);
      EXPECT_TRUE(Bits(c) == stored) << engine << ", threads " << threads;
    }
}

TEST(MpSyrk, BitsOfGemm) {
  std::mt19937_64 random(6);
  const std::int64_t sizes[] = {1, 2, 4, 31, 33, 64, 70, 150, 300};
  for (int t = 0; t < 40; ++t) {
    const std::int64_t n = sizes[random() % std::size(sizes)], k = random() % 20 == 0 ? 0 : 1 + random() % 40;
    compare_syrk(t % 3 ? 106 : 424, n, k, t % 2 ? ACCUBLAS_LOWER : ACCUBLAS_UPPER, random() % 2 == 0,
                 t % 4 == 3 ? 300 : t % 4 * 20, random() % 3 != 0, random() % 3 == 0, random);
    if (::testing::Test::HasFailure()) return;
  }
}

/// Vectors that are split into columns, more than the order of C.
TEST(MpSyrk, SplitVectors) {
  std::mt19937_64 random(7);
  for (const accublas_uplo uplo : {ACCUBLAS_LOWER, ACCUBLAS_UPPER})
    for (const bool transposed : {false, true})
      for (const int grades : {2, 4}) compare_syrk(106, 300, 12, uplo, transposed, 10, true, false, random, grades);
}

TEST(MpSyrk, Arguments) {
  const Array a(106, 12), c(106, 16), other(113, 16);
  const auto syrk = [&](accublas_uplo uplo, accublas_transpose trans, std::int64_t n, std::int64_t k,
                        accublas_mp_array* of, std::int64_t lda, accublas_mp_array* to, std::int64_t ldc) {
    return accublas_mp_syrk(nullptr, uplo, trans, n, k, nullptr, 0, of, 0, lda, nullptr, 0, to, 0, ldc);
  };
  EXPECT_EQ(syrk(ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, 4, 3, a, 4, c, 4), ACCUBLAS_SUCCESS);
  EXPECT_EQ(syrk(ACCUBLAS_UPPER, ACCUBLAS_TRANS, 3, 4, a, 4, c, 4), ACCUBLAS_SUCCESS);
  EXPECT_EQ(syrk(ACCUBLAS_UPPER, ACCUBLAS_TRANS, 0, 4, a, 4, c, 1), ACCUBLAS_SUCCESS);
  EXPECT_EQ(syrk(120, ACCUBLAS_NO_TRANS, 4, 3, a, 4, c, 4), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(syrk(ACCUBLAS_LOWER, 110, 4, 3, a, 4, c, 4), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(syrk(ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, -1, 3, a, 4, c, 4), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(syrk(ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, 4, 3, a, 3, c, 4), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(syrk(ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, 4, 4, a, 4, c, 4), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(syrk(ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, 4, 3, a, 4, c, 3), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(syrk(ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, 2, 2, a, 4, a, 4), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(syrk(ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, 4, 3, nullptr, 4, c, 4), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(syrk(ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, 4, 3, a, 4, other, 4), ACCUBLAS_ERROR_PRECISION);
}

/// A in the triangle of C that is not written: elements (0, 1) and (0, 2) of C, and one behind it.
TEST(MpSyrk, OperandInTheOtherTriangle) {
  const Array c(106, 16);
  std::vector<double> before(16);
  for (int t = 0; t < 16; ++t) before[static_cast<std::size_t>(t)] = t + 1;
  const auto run = [&](accublas_uplo uplo) {
    EXPECT_EQ(accublas_mp_set_double(nullptr, c, 0, 16, 16, 1, before.data(), 16), ACCUBLAS_SUCCESS);
    EXPECT_EQ(accublas_mp_align(nullptr, c, 4, 4, 1, 3, -1), ACCUBLAS_SUCCESS);
    return accublas_mp_syrk(nullptr, uplo, ACCUBLAS_TRANS, 3, 1, nullptr, 0, c, 4, 4, nullptr, 0, c, 0, 4);
  };
  std::vector<double> found(16);
  EXPECT_EQ(run(ACCUBLAS_UPPER), ACCUBLAS_ERROR_ARGUMENT);
  ASSERT_EQ(run(ACCUBLAS_LOWER), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  ASSERT_EQ(accublas_mp_get_double(nullptr, c, 0, 16, 16, 1, found.data(), 16), ACCUBLAS_SUCCESS);
  std::vector<double> expected = before;
  for (int j = 0; j < 3; ++j)
    for (int i = j; i < 3; ++i) expected[static_cast<std::size_t>(i + 4 * j)] = (5 + 4 * i) * (5 + 4 * j);
  EXPECT_EQ(found, expected);
}

}  // namespace
