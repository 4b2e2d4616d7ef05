// Operands of every routine, wherever and however they lie: what is const is never written, not for a moment, in pages
// that cannot be written and under two threads; leading dimensions and increments beyond 32 bits give the result of
// ordinary ones; no byte before or behind an operand is touched.
#include "test/api/operands.hpp"

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "api.hpp"
#include "every_routine.hpp"

namespace {

template <class T>
class EveryRoutine : public ::testing::Test {
 protected:
  /// test(context, mode, routine, results of operands without gaps) for every mode and routine, or for those routines
  /// that have `part` in their names.
  template <class Test>
  void each(std::uint64_t rounds, Test test, const std::vector<std::string>& modes = all_modes, std::int64_t order = 0,
            const char* part = "") {
    std::mt19937_64 random(4711 + static_cast<std::uint64_t>(order));
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const Choice choice(random, order);
      for (const std::string& mode : modes) {
        api::Context context;
        context.set(mode);
        for (const Routine& routine : every_routine::routines<T>(choice)) {
          if (routine.name.find(part) == std::string::npos) continue;
          const Placed<T> ordinary(routine.operands);
          ASSERT_TRUE(ordinary.here());
          if (!served(routine, routine.run(context, ordinary.operands()), context, mode)) continue;
          test(context, mode, routine, ordinary.results());
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
};

TYPED_TEST_SUITE(EveryRoutine, api::Types);

}  // namespace

TYPED_TEST(EveryRoutine, ReadsConstOperandsInPagesThatCannotBeWritten) {
  this->each(3 * scale(), [](api::Context& context, const std::string& mode, const Routine& routine,
                             const std::vector<std::vector<char>>& expected) {
    SCOPED_TRACE(routine.name + " " + mode);
    const Placed<TypeParam> placed(routine.operands);
    placed.forbid_writing_const();
    ASSERT_TRUE(served(routine, routine.run(context, placed.operands()), context, mode));
    EXPECT_TRUE(placed.wrote(expected, bit_defined(mode)));
  });
}

TYPED_TEST(EveryRoutine, SharesConstOperandsWithAnotherThread) {
  const auto test = [](api::Context&, const std::string& mode, const Routine& routine,
                       const std::vector<std::vector<char>>& expected) {
    SCOPED_TRACE(routine.name + " " + mode);
    const std::uint64_t rounds = (mode == "native" || mode == "dp" ? 10 : 1) * scale();
    const Placed<TypeParam> shared(routine.operands);
    const auto work = [&](std::uint64_t* wrong) {
      api::Context context;
      context.set(mode);
      const Placed<TypeParam> own(routine.operands);
      Operands operands = own.operands();
      for (std::size_t i = 0; i < operands.size(); ++i)
        if (!operands[i].written) operands[i].data = shared.operands()[i].data;
      for (std::uint64_t round = 0; round < rounds; ++round) {
        own.fill_results();
        *wrong += routine.run(context, operands) != ACCUBLAS_SUCCESS || !own.wrote(expected, bit_defined(mode));
      }
    };
    std::uint64_t wrong[2] = {0, 0};
    std::thread other(work, &wrong[0]);
    work(&wrong[1]);
    other.join();
    EXPECT_EQ(wrong[0] + wrong[1], 0u);
    EXPECT_TRUE(shared.untouched());
  };
  this->each(1, test, all_modes, 24);
}

/// LAPACK's ORMQR has ones in the place of R's diagonal for as long as it applies a reflector. Its columns are long
/// here.
TYPED_TEST(EveryRoutine, ShowsAnotherThreadNoChangeOfConstOperands) {
  const auto test = [](api::Context& context, const std::string& mode, const Routine& routine,
                       const std::vector<std::vector<char>>&) {
    SCOPED_TRACE(routine.name + " " + mode);
    const Placed<TypeParam> placed(routine.operands);
    const Operand& a = placed.operands()[0];
    ASSERT_FALSE(a.written);
    const Placed<TypeParam> fresh(routine.operands);
    std::atomic<bool> done = false, changed = false;
    std::thread watcher([&] {
      while (!done)
        for (std::int64_t i = 0; i < a.cols; ++i)
          if (std::memcmp(a.at(i, i), fresh.operands()[0].at(i, i), a.element) != 0) changed = true;
    });
    // Other tests check the result: here only the routine runs while the watcher looks.
    for (std::uint64_t round = 0; round < 15 * scale(); ++round)
      EXPECT_EQ(routine.run(context, placed.operands()), ACCUBLAS_SUCCESS) << context.error();
    done = true;
    watcher.join();
    EXPECT_FALSE(changed);
  };
  this->each(3, test, {"native", "dp"}, 10000, "mqr");
}

/// A leading dimension or an increment that 32 bits do not hold, and one whose product with the length they do not.
TYPED_TEST(EveryRoutine, TakesStridesBeyond32Bits) {
  std::mt19937_64 random(1);
  this->each(scale(), [&random](api::Context& context, const std::string& mode, const Routine& routine,
                                const std::vector<std::vector<char>>& expected) {
    constexpr std::int64_t beyond = (INT64_C(1) << 31) + 3, product = (INT64_C(1) << 30) + 1;
    for (const std::int64_t vector_step : {beyond, -beyond, product, -product}) {
      Operands operands = routine.operands;
      bool changed = false;
      for (Operand& o : operands) {
        const bool vector = o.kind == Operand::Kind::vector;
        if (!vector && (o.kind != Operand::Kind::matrix || (vector_step != beyond && random() % 2 == 0))) continue;
        o.step = vector ? vector_step : beyond;
        changed = true;
      }
      if (!changed) continue;
      SCOPED_TRACE(routine.name + " " + mode + " increments of " + std::to_string(vector_step));
      const Placed<TypeParam> placed(operands);
      if (!placed.here()) GTEST_SKIP() << "the system has no room for such addresses";
      placed.forbid_writing_const();
      ASSERT_TRUE(served(routine, routine.run(context, placed.operands()), context, mode)) << context.error();
      EXPECT_TRUE(placed.wrote(expected, bit_defined(mode)));
    }
  });
}

/// A scope whose operands lie between two pages that cannot be touched; a signal ends the program with its name.
class AtPages {
 public:
  explicit AtPages(const std::string& what) {
    text() = what + " touched memory that is no operand's\n";
    std::signal(SIGSEGV, [](int) {
      if (write(STDERR_FILENO, text().data(), text().size()) < 0) _exit(3);
      _exit(2);
    });
  }
  ~AtPages() { std::signal(SIGSEGV, SIG_DFL); }

 private:
  static std::string& text() {
    static std::string now;
    return now;
  }
};

TYPED_TEST(EveryRoutine, TouchesNoMemoryBesideItsOperands) {
  std::mt19937_64 random(5);
  const auto test = [&random](api::Context& context, const std::string& mode, const Routine& routine,
                              const std::vector<std::vector<char>>& expected) {
    for (const Edge edge : {Edge::first, Edge::last}) {
      Operands operands = routine.operands;
      for (Operand& o : operands) {
        const auto some = static_cast<std::int64_t>(random() % 4);
        if (o.kind == Operand::Kind::matrix) o.step += some / 2;
        if (o.kind == Operand::Kind::vector) o.step = (random() % 2 ? 1 : -1) * (1 + some);
      }
      const std::string what = routine.name + " " + mode + " " + std::to_string(operands[0].rows);
      SCOPED_TRACE(what);
      const Placed<TypeParam> placed(operands, edge);
      ASSERT_TRUE(placed.here());
      const AtPages at_pages(what);
      ASSERT_TRUE(served(routine, routine.run(context, placed.operands()), context, mode)) << context.error();
      const bool native = std::string(context.report().engine) == "native";  // dp's, where the routine lacks the mode
      EXPECT_TRUE(placed.wrote(expected, bit_defined(mode) && !native));
    }
  };
  for (const std::int64_t order : {1, 7, 16, 33}) this->each(scale(), test, all_modes, order);
  for (const std::int64_t order : {1, 2, 3, 4, 5, 8, 9, 11, 21, 40, 67}) this->each(4 * scale(), test, {"dp"}, order);
}

/// A cap is no more than that: small calls take little memory under any.
TYPED_TEST(EveryRoutine, TakesLittleMemoryUnderLargeCaps) {
  const auto test = [](api::Context& context, const std::string& mode, const Routine& routine,
                       const std::vector<std::vector<char>>& expected) {
    SCOPED_TRACE(routine.name + " " + mode);
    const Placed<TypeParam> placed(routine.operands);
    for (const int bits : {20, 28, 40, 47}) {
      ASSERT_EQ(accublas_set_workspace_mib(context, INT64_C(1) << (bits - 20)), ACCUBLAS_SUCCESS);
      placed.fill_results();
      ASSERT_TRUE(served(routine, routine.run(context, placed.operands()), context, mode)) << "2^" << bits;
      EXPECT_LT(context.report().workspace_bytes, 16 << 20) << "2^" << bits;
      const bool native = std::string(context.report().engine) == "native";
      EXPECT_TRUE(placed.wrote(expected, bit_defined(mode) && !native)) << "2^" << bits;
    }
  };
  this->each(scale(), test, all_modes, 9);
}

/// Infinities, zeros, and NaN of either sign and any payload in every operand: the modes that define bits write one
/// NaN.
TYPED_TEST(EveryRoutine, WritesOneNaNInModesThatDefineBits) {
  using T = TypeParam;
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr Bits payload = 1954, sign = Bits{1} << (8 * sizeof(T) - 1);
  constexpr auto infinity = std::numeric_limits<T>::infinity();
  Bits canonical = 0;
  const T one_nan = std::numeric_limits<T>::quiet_NaN();
  std::memcpy(&canonical, &one_nan, sizeof canonical);
  canonical &= ~sign;
  std::mt19937_64 random(9);
  std::uint64_t seen = 0;
  for (std::uint64_t round = 0; round < 20 * scale(); ++round) {
    const Choice choice(random);
    for (const std::string& mode : all_modes) {
      if (!bit_defined(mode)) continue;
      api::Context context;
      context.set(mode);
      for (const Routine& routine : every_routine::routines<T>(choice)) {
        if (routine.certified) continue;
        SCOPED_TRACE(routine.name + " " + mode);
        const Placed<T> placed(routine.operands);
        for (const Operand& o : placed.operands()) {
          if (o.kind == Operand::Kind::pivots || o.element < sizeof(T)) continue;
          for (std::int64_t j = 0; j < (o.kind == Operand::Kind::matrix ? o.cols : 1); ++j)
            for (std::int64_t i = 0; i < o.rows; ++i) {
              Bits bits = canonical | payload | (random() % 2 ? sign : 0);
              const T values[] = {infinity, -infinity, T(0), T(0)};
              const std::uint64_t which = random() % 24;
              if (which < 4) std::memcpy(o.at(i, j), &values[which], sizeof(T));
              if (which == 4) std::memcpy(o.at(i, j), &bits, sizeof bits);
            }
        }
        const std::vector<std::vector<char>> before = placed.results();
        const accublas_status status = routine.run(context, placed.operands());
        if (status == ACCUBLAS_ERROR_MODE) continue;
        ASSERT_EQ(status, ACCUBLAS_SUCCESS) << context.error();
        if (std::string(context.report().engine) == "native") continue;  // the routine lacks the mode, and has dp's
        const std::vector<std::vector<char>> after = placed.results();
        std::size_t result = 0;
        for (const Operand& o : placed.operands()) {
          if (!o.written) continue;
          const std::vector<char>&was = before[result], &is = after[result++];
          if (o.kind == Operand::Kind::pivots || o.element % sizeof(T) != 0) continue;
          for (std::size_t byte = 0; byte < is.size(); byte += sizeof(T)) {
            T number;
            Bits bits;
            std::memcpy(&number, &is[byte], sizeof number);
            std::memcpy(&bits, &is[byte], sizeof bits);
            if (!std::isnan(number) || std::memcmp(&is[byte], &was[byte], sizeof bits) == 0) continue;
            ++seen;
            ASSERT_EQ(bits, canonical) << "of element " << byte / sizeof(T);
          }
        }
      }
    }
  }
  EXPECT_GT(seen, 1000u);
}

/// Dimensions that the real BLAS does not take, of arrays of which no page is touched.
TEST(Operands, SizesThatNativeLacks) {
  constexpr std::int64_t beyond = INT64_C(1) << 31;
  const Pages of_a((beyond + 16) * static_cast<std::int64_t>(sizeof(double))),
      of_b((beyond + 16) * static_cast<std::int64_t>(sizeof(double)));
  if (!of_a.here() || !of_b.here()) GTEST_SKIP() << "the system has no room for such addresses";
  double *const a = static_cast<double*>(of_a.data()), *const b = static_cast<double*>(of_b.data());
  double one = 1, small[4] = {1, 1, 1, 1}, tau[1] = {1};
  std::int64_t info = 0;
  api::Context context("native");
  const auto lacks = [&](accublas_status status) {
    EXPECT_EQ(status, ACCUBLAS_ERROR_UNAVAILABLE) << context.error();
    EXPECT_NE(context.error().find("2147483648"), std::string::npos) << context.error();
  };
  constexpr accublas_layout columns = ACCUBLAS_COL_MAJOR;
  lacks(accublas_dger(context, columns, beyond, 1, &one, b, 1, small, 1, a, beyond));
  lacks(accublas_dsyrk(context, columns, ACCUBLAS_UPPER, ACCUBLAS_TRANS, 1, beyond, &one, a, beyond, &one, small, 1));
  lacks(accublas_dtrsm(context, columns, ACCUBLAS_LEFT, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, 1, beyond,
                       &one, small, 1, a, 1));
  lacks(accublas_dpotrs(context, columns, ACCUBLAS_UPPER, 1, beyond, small, 1, a, 1));
  lacks(accublas_dgeqrf(context, columns, beyond, 1, a, beyond, small));
  lacks(accublas_dormqr(context, columns, ACCUBLAS_LEFT, ACCUBLAS_TRANS, 1, beyond, 1, small, 1, tau, a, 1));
  lacks(accublas_dgels(context, columns, ACCUBLAS_NO_TRANS, beyond, 1, 1, a, beyond, b, beyond, &info));
}

/// Without room for the copies the other engines of dp compute, and native says so.
TYPED_TEST(EveryRoutine, OtherEnginesServeStridesBeyond32BitsWithoutRoomForCopies) {
  std::mt19937_64 random(3);
  const Choice choice(random, 400);
  using T = TypeParam;
  for (const char* mode : {"dp", "native"})
    for (const Routine& routine : every_routine::routines<T>(choice)) {
      // Copies of C take 0.6 to 2.5 MB.
      if (routine.name.find("syrk") == std::string::npos) continue;
      SCOPED_TRACE(routine.name + " " + mode);
      Operands operands = routine.operands;
      operands.back().step = (INT64_C(1) << 31) + 3;
      const Placed<T> ordinary(routine.operands), placed(operands);
      if (!placed.here()) GTEST_SKIP() << "the system has no room for such addresses";
      api::Context context;
      context.set("dp");
      ASSERT_EQ(routine.run(context, ordinary.operands()), ACCUBLAS_SUCCESS) << context.error();
      context.set(mode);
      ASSERT_EQ(accublas_set_workspace_mib(context, 0), ACCUBLAS_SUCCESS);
      const accublas_status status = routine.run(context, placed.operands());
      if (std::string(mode) == "native" && status == ACCUBLAS_ERROR_MEMORY) continue;
      ASSERT_EQ(status, ACCUBLAS_SUCCESS) << context.error();
      EXPECT_TRUE(placed.wrote(ordinary.results(), false)) << context.report().engine;
    }
}
