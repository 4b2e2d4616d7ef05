// Products beyond double precision on the device against the CPU, bit by bit: operands in device memory by residues, by
// exact sums and by choice, and host operands that are copied there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "accublas.h"
#include "test/gpu/device.hpp"

namespace accublas::test {
namespace {

using Words = std::vector<std::uint64_t>;

enum class Kind { uniform, band, whole, tiny, subnormal, integers, zeros, special, ties, cancelling, count };

class QuadOnDevice : public testing::Test {
 protected:
  std::mt19937_64 rng{44};

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n)); }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }

  /// Writes a number of binary64 or binary128, or a pair, near 2^exponent.
  void put(std::uint64_t* to, accublas_number type, std::int64_t exponent, bool few_bits) {
    if (type == ACCUBLAS_BINARY128) {
      const std::int64_t field = std::clamp<std::int64_t>(exponent + 16383, 0, 32766);
      const std::uint64_t high = rng() & 0xFFFFFFFFFFFF, low = few_bits ? 0 : rng();
      to[1] = (rng() & 1) << 63 | static_cast<std::uint64_t>(field) << 48 | (few_bits ? high & 0xFFFF00000000 : high);
      to[0] = low;
      return;
    }
    const auto binary64 = [&](std::int64_t e) {
      const std::int64_t field = std::clamp<std::int64_t>(e + 1023, 0, 2046);
      const std::uint64_t fraction = rng() & 0xFFFFFFFFFFFFF;
      return (rng() & 1) << 63 | static_cast<std::uint64_t>(field) << 52 |
             (few_bits ? fraction & 0xFFFF000000000 : fraction);
    };
    to[0] = binary64(exponent);
    if (type == ACCUBLAS_DOUBLE_DOUBLE) {
      const std::int64_t gaps[] = {53, 54, 60, 100, 1, 0, -3};
      to[1] = below(4) == 0 ? 0 : binary64(exponent - gaps[below(7)]);
    }
  }
  void put_value(std::uint64_t* to, accublas_number type, double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, 8);
    if (type != ACCUBLAS_BINARY128) {
      to[0] = bits;
      if (type == ACCUBLAS_DOUBLE_DOUBLE) to[1] = 0;
      return;
    }
    const std::uint64_t sign = bits & 1ull << 63, field = bits >> 52 & 0x7FF, fraction = bits & 0xFFFFFFFFFFFFF;
    const std::uint64_t quad_field = field == 0 ? 0 : field == 0x7FF ? 0x7FFF : field - 1023 + 16383;
    to[1] = sign | quad_field << 48 | fraction >> 4;
    to[0] = fraction << 60;
  }
  void put_kind(std::uint64_t* to, accublas_number type, Kind kind) {
    const bool quad = type == ACCUBLAS_BINARY128;
    switch (kind) {
      case Kind::band:
        return put(to, type, between(-60, 60), below(3) == 0);
      case Kind::whole:
        return quad ? put(to, type, between(-16400, 16383), below(3) == 0) : put(to, type, between(-1022, 1023), false);
      case Kind::tiny:  // products around the least subnormal number
        return quad ? put(to, type, between(-8380, -8230), false) : put(to, type, between(-600, -500), false);
      case Kind::subnormal:
        if (below(2) == 0) return put(to, type, quad ? -16383 : -1023, false);
        return put(to, type, between(0, 40), false);
      case Kind::integers:
        return put_value(to, type, static_cast<double>(between(-9, 9)));
      case Kind::zeros:
        return put_value(to, type, below(3) == 0 ? static_cast<double>(between(-3, 3)) : below(2) == 0 ? -0.0 : 0.0);
      case Kind::special: {
        const double values[] = {HUGE_VAL, -HUGE_VAL, std::nan(""), 0.0};
        return put_value(to, type, below(60) == 0 ? values[below(4)] : static_cast<double>(between(-3, 3)));
      }
      case Kind::ties: {
        const int exponents[] = {0, 0, 0, -53, -54, -106, -107, -112, -113, -114, -227};
        return put_value(to, type, std::ldexp(below(2) == 0 ? 1.0 : -1.0, exponents[below(11)]));
      }
      default:
        return put(to, type, between(-8, 0), false);
    }
  }

  /// A matrix in column-major memory whose padding is poisoned.
  struct Matrix {
    accublas_number type;
    std::int64_t rows, cols, ld;
    Words words;
    std::size_t size() const { return type == ACCUBLAS_BINARY64 ? 1 : 2; }
    std::uint64_t* at(std::int64_t i, std::int64_t j) { return &words[static_cast<std::size_t>(i + j * ld) * size()]; }
  };
  Matrix matrix(accublas_number type, std::int64_t rows, std::int64_t cols, Kind kind, bool by_columns = true) {
    if (!by_columns) std::swap(rows, cols);
    Matrix x{type, rows, cols, rows + below(4), {}};
    x.words.assign(static_cast<std::size_t>(x.ld * std::max<std::int64_t>(cols, 1)) * x.size(), ~std::uint64_t{0});
    for (std::int64_t j = 0; j < cols; ++j)
      for (std::int64_t i = 0; i < rows; ++i) put_kind(x.at(i, j), type, kind);
    return x;
  }
  /// Negates the first half of a matrix's lines into the second half, with some numbers drawn again.
  void cancel(Matrix& x, bool along_rows, bool negate) {
    const std::int64_t length = along_rows ? x.cols : x.rows, half = length / 2;
    for (std::int64_t t = 0; t < half; ++t)
      for (std::int64_t i = 0; i < (along_rows ? x.rows : x.cols); ++i) {
        const std::uint64_t* const from = along_rows ? x.at(i, t) : x.at(t, i);
        std::uint64_t* const to = along_rows ? x.at(i, t + half) : x.at(t + half, i);
        for (std::size_t w = 0; w < x.size(); ++w)
          to[w] = from[w] ^ (negate && (x.type != ACCUBLAS_BINARY128 || w == 1) ? 1ull << 63 : 0);
        if (negate && below(40) == 0) to[0] ^= 1;
      }
  }

  struct Problem {
    accublas_layout layout;
    accublas_transpose transa, transb;
    std::int64_t m, n, k;
    Matrix a, b, c;
    Words alpha, beta;
  };
  Words factor(accublas_number type, double value, bool random) {
    Words x(2);
    if (random)
      put(x.data(), type, between(-5, 5), false);
    else
      put_value(x.data(), type, value);
    return x;
  }
  Problem problem(accublas_number ta, accublas_number tb, accublas_number tc, Kind kind, std::int64_t m, std::int64_t n,
                  std::int64_t k) {
    const accublas_transpose ops[] = {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS};
    Problem p{below(2) == 0 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR,
              ops[below(3)],
              ops[below(3)],
              m,
              n,
              k,
              {},
              {},
              {},
              {},
              {}};
    const bool columns = p.layout == ACCUBLAS_COL_MAJOR, plain_a = p.transa == ACCUBLAS_NO_TRANS,
               plain_b = p.transb == ACCUBLAS_NO_TRANS;
    p.a = matrix(ta, plain_a ? m : k, plain_a ? k : m, kind, columns);
    p.b = matrix(tb, plain_b ? k : n, plain_b ? n : k, kind, columns);
    p.c = matrix(tc, m, n, kind == Kind::cancelling ? Kind::uniform : kind, columns);
    if (kind == Kind::cancelling) {
      cancel(p.a, plain_a == columns, false);
      cancel(p.b, plain_b != columns, true);
    }
    const double alphas[] = {1, -1, 0.25, 3}, betas[] = {0, 0, 1, -0.5};
    p.alpha = factor(tc, alphas[below(4)], below(4) == 0);
    p.beta = factor(tc, betas[below(4)], below(4) == 0);
    return p;
  }

  static accublas_options options(accublas_backend backend, accublas_engine engine, std::int64_t workspace = -1) {
    accublas_options o = ACCUBLAS_OPTIONS_INIT;
    o.backend = backend;
    o.engine = engine;
    o.workspace_bytes = workspace;
    return o;
  }
  static accublas_status call(const Problem& p, const void* a, const void* b, void* c, const accublas_options& o) {
    return accublas_gemm_mixed_ex(nullptr, p.layout, p.transa, p.transb, p.m, p.n, p.k, p.alpha.data(), a, p.a.type,
                                  p.a.ld, b, p.b.type, p.b.ld, p.beta.data(), c, p.c.type, p.c.ld, &o);
  }
  static void expect_same(const Words& expected, const Words& found, const std::string& what) {
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(expected[i], found[i]) << what << ": word " << i << " of " << expected.size() << std::hex << ", "
                                       << expected[i] << " and " << found[i];
  }
  static std::string backend() {
    accublas_report_t report{};
    report.struct_size = sizeof report;
    EXPECT_EQ(accublas_report(nullptr, &report), ACCUBLAS_SUCCESS);
    return report.backend;
  }

  void compare(const Problem& p, const std::string& what) {
    Words expected = p.c.words;
    std::feclearexcept(FE_ALL_EXCEPT);
    ASSERT_EQ(call(p, p.a.words.data(), p.b.words.data(), expected.data(),
                   options(ACCUBLAS_BACKEND_CPU, ACCUBLAS_ENGINE_AUTO)),
              ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
    const int raised = std::fetestexcept(FE_INVALID | FE_OVERFLOW);
    const DeviceArray<std::uint64_t> a(p.a.words), b(p.b.words);
    const std::int64_t small = std::int64_t{14} << 20;
    struct Way {
      accublas_engine engine;
      std::int64_t workspace;
      const char* name;
    };
    for (const Way& way :
         {Way{ACCUBLAS_ENGINE_AUTO, -1, "by choice"}, Way{ACCUBLAS_ENGINE_INT8, -1, "by residues"},
          Way{ACCUBLAS_ENGINE_INT8, small, "by residues in small blocks"}, Way{ACCUBLAS_ENGINE_SUMS, -1, "by sums"}}) {
      const DeviceArray<std::uint64_t> c(p.c.words);
      ASSERT_EQ(call(p, a.data(), b.data(), c.data(), options(ACCUBLAS_BACKEND_AUTO, way.engine, way.workspace)),
                ACCUBLAS_SUCCESS)
          << accublas_last_error(nullptr) << ", " << what << " " << way.name;
      ASSERT_EQ(backend(), "cuda");
      ASSERT_NO_FATAL_FAILURE(expect_same(expected, c.values(), what + " " + way.name));
    }
    Words c = p.c.words;
    std::feclearexcept(FE_ALL_EXCEPT);
    ASSERT_EQ(
        call(p, p.a.words.data(), p.b.words.data(), c.data(), options(ACCUBLAS_BACKEND_CUDA, ACCUBLAS_ENGINE_INT8)),
        ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
    EXPECT_EQ(std::fetestexcept(FE_INVALID | FE_OVERFLOW), raised) << what;
    ASSERT_EQ(backend(), "cuda");
    ASSERT_NO_FATAL_FAILURE(expect_same(expected, c, what + " with host operands"));
  }
};

TEST_F(QuadOnDevice, HasTheBitsOfTheCpu) {
  const accublas_number types[] = {ACCUBLAS_BINARY64, ACCUBLAS_BINARY128, ACCUBLAS_DOUBLE_DOUBLE};
  for (int t = 0; t < 120; ++t) {
    const Kind kind = static_cast<Kind>(t % static_cast<int>(Kind::count));
    const bool mixed = t % 3 == 2;
    const accublas_number type = types[1 + below(2)];
    const accublas_number ta = mixed ? types[below(3)] : type, tb = mixed ? types[below(3)] : type,
                          tc = mixed ? types[below(3)] : type;
    const std::int64_t most = t % 4 == 0 ? 90 : 24;
    const Problem p = problem(ta, tb, tc, kind, between(1, most), between(1, most), between(1, most));
    ASSERT_NO_FATAL_FAILURE(compare(p, "case " + std::to_string(t) + " kind " + std::to_string(t % 10)));
  }
}

TEST_F(QuadOnDevice, LargerProductsHaveTheBitsOfTheCpu) {
  for (const accublas_number type : {ACCUBLAS_BINARY128, ACCUBLAS_DOUBLE_DOUBLE})
    for (const Kind kind : {Kind::uniform, Kind::band, Kind::cancelling}) {
      const std::int64_t size = kind == Kind::cancelling ? 150 : 300;
      const Problem p =
          problem(type, type, type, kind, size - below(9), size + 5 - below(9), kind == Kind::uniform ? 700 : size);
      ASSERT_NO_FATAL_FAILURE(compare(p, "larger, kind " + std::to_string(static_cast<int>(kind))));
    }
}

TEST_F(QuadOnDevice, FactorsThatAreNotFiniteHaveTheBitsOfTheCpu) {
  for (const double special : {HUGE_VAL, -HUGE_VAL, std::nan("")})
    for (const bool of_alpha : {true, false}) {
      Problem p = problem(ACCUBLAS_BINARY128, ACCUBLAS_BINARY128, ACCUBLAS_BINARY128, Kind::zeros, 9, 11, 13);
      (of_alpha ? p.alpha : p.beta) = factor(ACCUBLAS_BINARY128, special, false);
      ASSERT_NO_FATAL_FAILURE(compare(p, "a factor that is not finite"));
    }
}

TEST_F(QuadOnDevice, SyrkHasTheBitsOfTheCpu) {
  for (int t = 0; t < 12; ++t) {
    const bool upper = t % 2 == 0, plain = t % 4 < 2;
    const accublas_layout layout = t % 3 == 0 ? ACCUBLAS_ROW_MAJOR : ACCUBLAS_COL_MAJOR;
    const std::int64_t n = t == 11 ? 300 : between(1, 70), k = between(1, 70);
    const Matrix a = matrix(ACCUBLAS_BINARY128, plain ? n : k, plain ? k : n, t % 3 == 1 ? Kind::whole : Kind::band,
                            layout == ACCUBLAS_COL_MAJOR);
    const Matrix c = matrix(ACCUBLAS_BINARY128, n, n, Kind::band);
    const Words alpha = factor(ACCUBLAS_BINARY128, 1, t % 4 == 3), beta = factor(ACCUBLAS_BINARY128, t % 2, false);
    const auto run = [&](const void* of_a, void* of_c, accublas_backend backend, accublas_engine engine) {
      const accublas_options o = options(backend, engine);
      ASSERT_EQ(accublas_qsyrk_ex(nullptr, layout, upper ? ACCUBLAS_UPPER : ACCUBLAS_LOWER,
                                  plain ? ACCUBLAS_NO_TRANS : ACCUBLAS_TRANS, n, k, alpha.data(), of_a, a.ld,
                                  beta.data(), of_c, c.ld, &o),
                ACCUBLAS_SUCCESS)
          << accublas_last_error(nullptr);
    };
    Words expected = c.words;
    ASSERT_NO_FATAL_FAILURE(run(a.words.data(), expected.data(), ACCUBLAS_BACKEND_CPU, ACCUBLAS_ENGINE_AUTO));
    const DeviceArray<std::uint64_t> there(a.words);
    for (const accublas_engine engine : {ACCUBLAS_ENGINE_INT8, ACCUBLAS_ENGINE_SUMS}) {
      const DeviceArray<std::uint64_t> result(c.words);
      ASSERT_NO_FATAL_FAILURE(run(there.data(), result.data(), ACCUBLAS_BACKEND_AUTO, engine));
      ASSERT_NO_FATAL_FAILURE(expect_same(expected, result.values(), "syrk " + std::to_string(t)));
    }
    Words host = c.words;
    ASSERT_NO_FATAL_FAILURE(run(a.words.data(), host.data(), ACCUBLAS_BACKEND_CUDA, ACCUBLAS_ENGINE_INT8));
    ASSERT_NO_FATAL_FAILURE(expect_same(expected, host, "syrk of host operands " + std::to_string(t)));
  }
}

TEST_F(QuadOnDevice, BatchesAndSplitPairsHaveTheBitsOfTheCpu) {
  const std::int64_t m = 33, n = 40, k = 21, count = 3;
  Matrix a = matrix(ACCUBLAS_BINARY128, m, k * count, Kind::band),
         b = matrix(ACCUBLAS_BINARY128, k, n * count, Kind::band),
         c = matrix(ACCUBLAS_BINARY128, m, n * count, Kind::band);
  const Words one = factor(ACCUBLAS_BINARY128, 1, false), three = factor(ACCUBLAS_BINARY128, 3, false);
  const auto batch = [&](const void* of_a, const void* of_b, void* of_c, accublas_backend backend) {
    const accublas_options o =
        options(backend, backend == ACCUBLAS_BACKEND_CPU ? ACCUBLAS_ENGINE_AUTO : ACCUBLAS_ENGINE_INT8);
    ASSERT_EQ(accublas_qgemm_strided_batched_ex(nullptr, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, m, n,
                                                k, three.data(), of_a, a.ld, a.ld * k, of_b, b.ld, b.ld * n, one.data(),
                                                of_c, c.ld, c.ld * n, count, &o),
              ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
  };
  Words expected = c.words;
  ASSERT_NO_FATAL_FAILURE(batch(a.words.data(), b.words.data(), expected.data(), ACCUBLAS_BACKEND_CPU));
  const DeviceArray<std::uint64_t> da(a.words), db(b.words), dc(c.words);
  ASSERT_NO_FATAL_FAILURE(batch(da.data(), db.data(), dc.data(), ACCUBLAS_BACKEND_AUTO));
  ASSERT_NO_FATAL_FAILURE(expect_same(expected, dc.values(), "batch"));

  // The high and low parts as arrays of their own.
  Matrix x[6];
  for (int i = 0; i < 6; ++i) x[i] = matrix(ACCUBLAS_BINARY64, 30, 30, i % 2 == 0 ? Kind::uniform : Kind::ties);
  for (int i = 1; i < 6; i += 2) {
    x[i].ld = x[i - 1].ld;
    x[i].words.resize(x[i - 1].words.size(), 0);
  }
  const auto split = [&](const void* const(&p)[6], accublas_backend backend) {
    const accublas_options o =
        options(backend, backend == ACCUBLAS_BACKEND_CPU ? ACCUBLAS_ENGINE_AUTO : ACCUBLAS_ENGINE_INT8);
    const auto number = [&](int i) { return static_cast<double*>(const_cast<void*>(p[i])); };
    const double two[] = {2, 0}, minus[] = {-1, 0};
    ASSERT_EQ(accublas_ddgemm_split_ex(nullptr, ACCUBLAS_ROW_MAJOR, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, 30, 30, 30, two,
                                       number(0), number(1), x[0].ld, number(2), number(3), x[2].ld, minus, number(4),
                                       number(5), x[4].ld, &o),
              ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
  };
  Words high = x[4].words, low = x[5].words, host_high = high, host_low = low;
  ASSERT_NO_FATAL_FAILURE(
      split({x[0].words.data(), x[1].words.data(), x[2].words.data(), x[3].words.data(), high.data(), low.data()},
            ACCUBLAS_BACKEND_CPU));
  std::optional<DeviceArray<std::uint64_t>> d[6];
  for (int i = 0; i < 6; ++i) d[i].emplace(x[i].words);
  ASSERT_NO_FATAL_FAILURE(split({d[0]->data(), d[1]->data(), d[2]->data(), d[3]->data(), d[4]->data(), d[5]->data()},
                                ACCUBLAS_BACKEND_AUTO));
  ASSERT_NO_FATAL_FAILURE(expect_same(high, d[4]->values(), "split, high parts"));
  ASSERT_NO_FATAL_FAILURE(expect_same(low, d[5]->values(), "split, low parts"));
  ASSERT_NO_FATAL_FAILURE(split(
      {x[0].words.data(), x[1].words.data(), x[2].words.data(), x[3].words.data(), host_high.data(), host_low.data()},
      ACCUBLAS_BACKEND_CUDA));
  ASSERT_NO_FATAL_FAILURE(expect_same(high, host_high, "split, high parts of host operands"));
  ASSERT_NO_FATAL_FAILURE(expect_same(low, host_low, "split, low parts of host operands"));
}

TEST_F(QuadOnDevice, LongSumsAreMultipliedInParts) {
  const Problem p = problem(ACCUBLAS_BINARY128, ACCUBLAS_BINARY128, ACCUBLAS_BINARY128, Kind::band, 7, 8, 70000);
  ASSERT_NO_FATAL_FAILURE(compare(p, "a long sum"));
}

TEST_F(QuadOnDevice, SmallWorkspacesAreRefusedOrAvoided) {
  const Problem p = problem(ACCUBLAS_BINARY128, ACCUBLAS_BINARY128, ACCUBLAS_BINARY128, Kind::uniform, 90, 80, 70);
  const DeviceArray<std::uint64_t> a(p.a.words), b(p.b.words), c(p.c.words);
  const std::int64_t little = std::int64_t{1} << 20;
  EXPECT_EQ(call(p, a.data(), b.data(), c.data(), options(ACCUBLAS_BACKEND_AUTO, ACCUBLAS_ENGINE_INT8, little)),
            ACCUBLAS_ERROR_MEMORY);
  expect_same(p.c.words, c.values(), "a refused product");
  Words expected = p.c.words;
  ASSERT_EQ(
      call(p, p.a.words.data(), p.b.words.data(), expected.data(), options(ACCUBLAS_BACKEND_CPU, ACCUBLAS_ENGINE_AUTO)),
      ACCUBLAS_SUCCESS);
  ASSERT_EQ(call(p, a.data(), b.data(), c.data(), options(ACCUBLAS_BACKEND_AUTO, ACCUBLAS_ENGINE_AUTO, little)),
            ACCUBLAS_SUCCESS)
      << accublas_last_error(nullptr);
  expect_same(expected, c.values(), "a product by sums");
}

}  // namespace
}  // namespace accublas::test
