// Products beyond double precision on the device against the CPU, bit by bit: operands in device memory by residues, by
// exact sums and by choice, and host operands that are copied there.
#include <gtest/gtest.h>

#include <cfenv>
#include <optional>

#include "test/gpu/quad_operands.hpp"

namespace accublas::test {
namespace {

class QuadOnDevice : public QuadOperands {
 protected:
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
