// Accumulators: their results have the bits and the exceptions of one call, whatever the panels, their order and the
// merges.
#include "accumulators.hpp"

#include <cstdlib>

#include "api.hpp"

namespace {

using namespace accumulators_test;

int scaled(int cases) {
  const char* const scale = std::getenv("ACCUBLAS_TEST_SCALE");
  return cases * (scale ? std::atoi(scale) : 1);
}

const char* const mode_list[] = {"cr", "fixed:53", "fixed:20", "fixed:100", "fixed:2", "fixed:150"};

template <class E>
class Accumulators : public testing::Test {};
using AllTypes = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(Accumulators, AllTypes);

template <class E>
std::string words(const Product<E>& p, const char* mode, Kind kind, int seed) {
  return std::string(mode) + " kind " + std::to_string(static_cast<int>(kind)) + " seed " + std::to_string(seed) + " " +
         std::to_string(p.m) + " x " + std::to_string(p.n) + " x " + std::to_string(p.k);
}

TYPED_TEST(Accumulators, HaveTheBitsOfOneCall) {
  using E = TypeParam;
  int second_rounds = 0;
  for (int seed = 0; seed < scaled(400) && !testing::Test::HasFatalFailure(); ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Kind kind = static_cast<Kind>(seed % static_cast<int>(Kind::count));
    const Product<E> p(random, kind, 1 + below(random, 40), 1 + below(random, 70), below(random, 90));
    const char* const mode = below(random, 2) != 0 ? "cr" : mode_list[below(random, 6)];
    const int bits = std::string(mode) == "cr" && below(random, 2) != 0 ? 2 + static_cast<int>(below(random, 60)) : 0;
    const std::vector<Panel> panels = random_panels(random, p.k);
    Answer<E> answer;
    Sums<E> sums(p, mode, panels, bits);
    const int rounds = finish_rounds(sums, answer, p, [&](Sums<E>& to) {
      for (const Panel& panel : panels) to.add(panel);
    });
    second_rounds += rounds > 1;
    EXPECT_TRUE(rounds == 1 || std::string(mode) == "cr");
    expect_same(answer, by_one_call(p, mode), words(p, mode, kind, seed));
  }
  EXPECT_GT(second_rounds, scaled(20));  // the second round is tried
}

TYPED_TEST(Accumulators, OfPartsAreMerged) {
  using E = TypeParam;
  int second_rounds = 0;
  for (int seed = 0; seed < scaled(100) && !testing::Test::HasFatalFailure(); ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 1000);
    const Kind kind = static_cast<Kind>(seed % static_cast<int>(Kind::count));
    const Product<E> p(random, kind, 1 + below(random, 20), 1 + below(random, 50), below(random, 60));
    const char* const mode = below(random, 2) != 0 ? "cr" : mode_list[below(random, 6)];
    const int bits = std::string(mode) == "cr" ? 2 + static_cast<int>(below(random, 60)) : 0;
    const std::vector<Panel> panels = random_panels(random, p.k);
    // Each of the ranks adds some panels; rank 0 merges them in random order and finishes.
    const std::size_t ranks = 1 + static_cast<std::size_t>(below(random, 4));
    Sums<E> first(p, mode, panels, bits);
    Answer<E> answer;
    const int rounds = finish_rounds(first, answer, p, [&](Sums<E>& to) {
      const std::vector<unsigned char> before = to.bytes();
      for (std::size_t rank = 1; rank < ranks; ++rank) {
        // The tiles of this accumulator may have other sizes.
        EXPECT_EQ(accublas_set_num_threads(nullptr, 1 + static_cast<int>(below(random, 4))), ACCUBLAS_SUCCESS);
        Sums<E> other(p, before);
        for (std::size_t i = rank; i < panels.size(); i += ranks) other.add(panels[i]);
        to.merge(other);
      }
      for (std::size_t i = 0; i < panels.size(); i += ranks) to.add(panels[i]);
    });
    second_rounds += rounds > 1;
    EXPECT_EQ(accublas_set_num_threads(nullptr, 0), ACCUBLAS_SUCCESS);
    expect_same(answer, by_one_call(p, mode), words(p, mode, kind, seed));
  }
  EXPECT_GT(second_rounds, scaled(5));
}

TYPED_TEST(Accumulators, FinishWithOtherFactorsAndGoOn) {
  using E = TypeParam;
  Random random(7);
  for (int seed = 0; seed < scaled(20) && !testing::Test::HasFatalFailure(); ++seed) {
    Product<E> p(random, Kind::normal, 1 + below(random, 20), 1 + below(random, 30), 40);
    const std::vector<Panel> panels = {{0, 15}, {15, 25}};
    Sums<E> sums(p, "cr", panels);
    Answer<E> answer;
    sums.add(panels[0]);
    for (const double alpha : {1.0, -0.3, 3e10}) {
      p.alpha = E(static_cast<Real<E>>(alpha));
      p.k = 15;
      ASSERT_EQ(sums.finish(answer), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
      expect_same(answer, by_one_call(p, "cr"), "first panel");
    }
    p.k = 40;
    sums.add(panels[1]);
    ASSERT_EQ(sums.finish(answer), ACCUBLAS_SUCCESS);
    expect_same(answer, by_one_call(p, "cr"), "both panels");
  }
}

/// A caller may know only the magnitudes of the entries, and in cr only bounds of these.
TYPED_TEST(Accumulators, TakeExponentsThatTheCallerKnows) {
  using E = TypeParam;
  for (int seed = 0; seed < scaled(20) && !testing::Test::HasFatalFailure(); ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 90);
    const Kind kind = seed % 2 == 0 ? Kind::normal : Kind::cancelling;
    const Product<E> p(random, kind, 1 + below(random, 20), 1 + below(random, 30), 1 + below(random, 40));
    const Panel whole{0, p.k};
    for (const char* const mode : {"cr", "fixed:53", "fixed:110"}) {
      std::vector<std::int32_t> lines[2];
      for (const bool columns : {false, true}) {
        std::vector<std::int32_t>& e = lines[columns];
        e.assign(static_cast<std::size_t>(2 * (columns ? p.n : p.m)), ACCUBLAS_EXPONENT_NONE);
        Sums<E>::good(accublas_accumulator_measure(nullptr, Numbers<E>::type, columns ? ACCUBLAS_RIGHT : ACCUBLAS_LEFT,
                                                   p.layout, columns ? p.transb : p.transa, columns ? p.n : p.m, p.k,
                                                   columns ? p.panel_b(0) : p.panel_a(0), columns ? p.ldb : p.lda,
                                                   e.data()));
        for (std::size_t i = 0; i < e.size(); i += 2) {
          e[i + 1] = sizeof(Real<E>) == 8 ? 1074 : 149;
          if (std::string(mode) == "cr") e[i] += static_cast<std::int32_t>(below(random, 9));
        }
      }
      Sums<E> sums(p, mode, lines[0], lines[1]);
      Answer<E> answer;
      finish_rounds(sums, answer, p, [&](Sums<E>& to) { to.add(whole); });
      expect_same(answer, by_one_call(p, mode), words(p, mode, kind, seed));
    }
  }
}

/// Shapes with several tiles, chunks of k and blocks in a small workspace.
TYPED_TEST(Accumulators, OfLargeShapesInSmallWorkspaces) {
  using E = TypeParam;
  Random random(11);
  for (const auto& [m, n, k] : {std::array<Index, 3>{300, 270, 130}, {1, 600, 300}, {700, 1, 90}, {33, 97, 2100}}) {
    const Product<E> p(random, Kind::normal, m, n, k);
    const std::vector<Panel> panels = {{k / 2, k - k / 2}, {0, k / 2}};
    for (const std::int64_t mib : {256, 3}) {
      EXPECT_EQ(accublas_set_workspace_mib(nullptr, mib), ACCUBLAS_SUCCESS);
      // Each thread has its own memory if the workspace is large enough.
      EXPECT_EQ(accublas_set_num_threads(nullptr, mib < 256 ? 16 : 0), ACCUBLAS_SUCCESS);
      for (const char* mode : {"cr", "fixed:40"}) {
        Sums<E> sums(p, mode, panels);
        Answer<E> answer;
        finish_rounds(sums, answer, p, [&](Sums<E>& to) {
          for (const Panel& panel : panels) to.add(panel);
        });
        EXPECT_LE(sums.report().workspace_bytes, (mib + 1) << 20);
        EXPECT_EQ(accublas_set_workspace_mib(nullptr, 256), ACCUBLAS_SUCCESS);
        expect_same(answer, by_one_call(p, mode), words(p, mode, Kind::normal, static_cast<int>(mib)));
        EXPECT_EQ(accublas_set_workspace_mib(nullptr, mib), ACCUBLAS_SUCCESS);
      }
      EXPECT_EQ(accublas_set_workspace_mib(nullptr, 256), ACCUBLAS_SUCCESS);
      EXPECT_EQ(accublas_set_num_threads(nullptr, 0), ACCUBLAS_SUCCESS);
    }
  }
}

TYPED_TEST(Accumulators, HaveEqualBytesInAnyOrder) {
  using E = TypeParam;
  for (int seed = 0; seed < scaled(20); ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 50);
    const Product<E> p(random, static_cast<Kind>(seed % static_cast<int>(Kind::special)), 1 + below(random, 20),
                       1 + below(random, 30), 1 + below(random, 60));
    const std::vector<Panel> whole = {{0, p.k}}, panels = random_panels(random, p.k);
    Sums<E> one(p, "fixed:53", whole), other(p, "fixed:53", panels);
    one.add(whole[0]);
    for (const Panel& panel : panels) other.add(panel);
    const std::vector<unsigned char> bytes = one.bytes();
    EXPECT_TRUE(bytes == other.bytes());
    EXPECT_TRUE(bytes == Sums<E>(p, bytes).bytes());
  }
}

TYPED_TEST(Accumulators, OfNothing) {
  using E = TypeParam;
  Random random(3);
  for (const auto& [m, n, k] : {std::array<Index, 3>{0, 5, 4}, {5, 0, 4}, {3, 4, 0}, {0, 0, 0}}) {
    Product<E> p(random, Kind::normal, m, n, k);
    for (const E beta : {E(0), E(1), E(-3)}) {
      p.beta = beta;
      const std::vector<Panel> panels = {{0, k}};
      Sums<E> sums(p, "cr", panels);
      sums.add(panels[0]);
      Answer<E> answer;
      ASSERT_EQ(sums.finish(answer), ACCUBLAS_SUCCESS);
      expect_same(answer, by_one_call(p, "cr"), "empty");
      const std::vector<unsigned char> bytes = sums.bytes();
      EXPECT_TRUE(bytes == Sums<E>(p, bytes).bytes());
    }
  }
}

}  // namespace
