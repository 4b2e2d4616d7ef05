// How products of host operands pass through devices, without a GPU: a model of the device's buffers finds that each
// element of C is computed once, from the right rows and columns, and that nothing is overwritten while it is in use.
#include "cuda/core/host_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "lib/base/error.hpp"

namespace accublas::cuda {
namespace {

/// The contents of a device's buffers, by positions, and the steps that used them last.
struct Position {
  Index holds = -1;      ///< the row of A, column of B or column of C
  Index last_use = -1;   ///< the last step whose product used it
  Index last_rows = -1;  ///< of a column of C: first row of the block whose results it holds
};

/// Checks a schedule; `what` names it. C's buffer is checked by its columns: the rows of a step that shares a block of
/// rows with an earlier one may be written behind those.
void check_schedule(const HostSchedule& schedule, Index m, Index n, double words, Index k, const std::string& what) {
  SCOPED_TRACE(what);
  EXPECT_LE(static_cast<double>(schedule.words(k)), words);
  std::vector<Position> a(static_cast<std::size_t>(schedule.rows)), b(static_cast<std::size_t>(schedule.cols));
  std::vector<std::vector<Index>> c_step(static_cast<std::size_t>(schedule.c_cols),
                                         std::vector<Index>(static_cast<std::size_t>(schedule.rows), -1));
  std::vector<char> computed(static_cast<std::size_t>(m * n), 0);
  Index a_words = 0, b_words = 0;
  for (std::size_t number = 0; number < schedule.steps.size(); ++number) {
    const HostStep& s = schedule.steps[number];
    const auto step = static_cast<Index>(number);
    ASSERT_LT(std::max({s.a_after, s.b_after, s.c_after}), step);
    for (Index i = 0; i < s.a_rows; ++i) {
      Position& p = a.at(static_cast<std::size_t>(s.a_at + i));
      ASSERT_LE(p.last_use, s.a_after) << "step " << step << " overwrites rows of A in use";
      p.holds = s.a_row + i;
    }
    for (Index j = 0; j < s.b_cols; ++j) {
      Position& p = b.at(static_cast<std::size_t>(s.b_at + j));
      ASSERT_LE(p.last_use, s.b_after) << "step " << step << " overwrites columns of B in use";
      p.holds = s.b_col + j;
    }
    a_words += s.a_rows, b_words += s.b_cols;
    const Region& r = s.product;
    ASSERT_GT(r.rows, 0);
    ASSERT_GT(r.cols, 0);
    for (Index i = 0; i < r.rows; ++i) {
      Position& p = a.at(static_cast<std::size_t>(s.row_at + i));
      ASSERT_EQ(p.holds, r.row + i) << "step " << step;
      p.last_use = step;
    }
    for (Index j = 0; j < r.cols; ++j) {
      Position& p = b.at(static_cast<std::size_t>(s.col_at + j));
      ASSERT_EQ(p.holds, r.col + j) << "step " << step;
      p.last_use = step;
      for (Index i = 0; i < r.rows; ++i) {
        Index& writer = c_step.at(static_cast<std::size_t>(s.c_at + j)).at(static_cast<std::size_t>(s.row_at + i));
        ASSERT_LE(writer, s.c_after) << "step " << step << " overwrites results that may not be in C";
        writer = step;
        ASSERT_EQ(computed[static_cast<std::size_t>(r.row + i + (r.col + j) * m)]++, 0) << "step " << step;
      }
    }
  }
  EXPECT_EQ(std::count(computed.begin(), computed.end(), 1), m * n);
  EXPECT_EQ(a_words, m);
  if (schedule.resident(m, n)) {
    EXPECT_EQ(b_words, n);
  }
}

HostTuning small_tuning() {
  HostTuning tuning;
  tuning.least_split = 1000;
  tuning.least_border = 256;
  tuning.narrow_cols = 256;
  return tuning;
}

TEST(HostSchedule, EverySizeInEveryRoom) {
  std::mt19937_64 rng(31);
  const auto below = [&](Index count) { return static_cast<Index>(rng() % static_cast<std::uint64_t>(count)); };
  const HostTuning tuning = small_tuning();
  int streamed = 0, resident = 0, refused = 0;
  for (int round = 0; round < 300; ++round) {
    const Index edges[] = {1, 255, 256, 257, 512, 999, 1000, 1024, 1 + below(3000), 1 + below(3000)};
    const Index m = edges[below(10)], n = edges[below(10)], k = 1 + below(2000);
    const double all = static_cast<double>(m * k + k * n + m * n), words = all * (below(12) + 1) / 8;
    try {
      const HostSchedule schedule = schedule_host(tuning, m, n, k, words, false);
      (schedule.resident(m, n) ? resident : streamed) += 1;
      check_schedule(
          schedule, m, n, words, k,
          std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) + " in " + std::to_string(words));
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), ACCUBLAS_ERROR_MEMORY);
      // Blocks of 256 rows with two buffers of 256 columns have to be too large then.
      const double rows = static_cast<double>(std::min<Index>(m, 256)),
                   cols = static_cast<double>(std::min<Index>(n, 256));
      EXPECT_GT(rows * static_cast<double>(k) + 2 * cols * (static_cast<double>(k) + rows), words);
      ++refused;
    }
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(streamed, 20);
  EXPECT_GT(resident, 50);
  EXPECT_GT(refused, 5);
}

TEST(HostSchedule, WholeIsOneProduct) {
  const HostSchedule schedule = schedule_host(HostTuning{}, 20000, 20000, 100, 1e12, true);
  ASSERT_EQ(schedule.steps.size(), 1u);
  EXPECT_EQ(schedule.steps[0].product.rows, 20000);
  EXPECT_THROW(schedule_host(HostTuning{}, 20000, 20000, 100, 1e8, true), Error);
}

/// A large product starts after a small part of its uploads and ends with a small product, and borders make few calls.
TEST(HostSchedule, LargeProductsOverlapTheirCopies) {
  const Index n = 32768;
  const HostSchedule resident = schedule_host(HostTuning{}, n, n, n, 1e11, false);
  ASSERT_GT(resident.steps.size(), 4u);
  EXPECT_LE(resident.steps.size(), 12u);
  EXPECT_LE(resident.steps.front().a_rows + resident.steps.front().b_cols, n / 4);
  const Region& last = resident.steps.back().product;
  EXPECT_LE(last.rows * last.cols, n * n / 8);
  // In 4 GiB, B passes at most four times.
  const HostSchedule streamed = schedule_host(HostTuning{}, n, n, n, 0x1p29, false);
  Index b_cols = 0, least = n;
  for (const HostStep& step : streamed.steps) b_cols += step.b_cols, least = std::min(least, step.product.cols);
  EXPECT_LE(b_cols, 4 * n);
  EXPECT_GE(least, 1024);
}

TEST(HostSchedule, RegionsCoverTheResultOnce) {
  for (int parts = 1; parts <= 9; ++parts)
    for (const Index m : {1, 255, 256, 300, 1000, 5000, 32768})
      for (const Index n : {1, 256, 257, 700, 5000, 32768}) {
        const std::vector<Region> regions = divide_result(m, n, parts);
        SCOPED_TRACE(std::to_string(parts) + " parts of " + std::to_string(m) + " x " + std::to_string(n));
        ASSERT_LE(regions.size(), static_cast<std::size_t>(parts));
        Index elements = 0, largest = 0;
        for (const Region& r : regions) {
          EXPECT_TRUE(r.row % 256 == 0 && r.col % 256 == 0 && r.rows > 0 && r.cols > 0);
          EXPECT_TRUE(r.row + r.rows <= m && r.col + r.cols <= n);
          elements += r.rows * r.cols;
          largest = std::max(largest, r.rows * r.cols);
          for (const Region& other : regions)
            EXPECT_TRUE(&r == &other || r.row + r.rows <= other.row || other.row + other.rows <= r.row ||
                        r.col + r.cols <= other.col || other.col + other.cols <= r.col);
        }
        EXPECT_EQ(elements, m * n);
        if (m >= 5000 && n >= 5000) {
          EXPECT_EQ(regions.size(), static_cast<std::size_t>(parts));
          EXPECT_LE(static_cast<double>(largest), 1.2 * static_cast<double>(m * n) / parts);
        }
      }
  // Four devices read half of A and half of B each.
  EXPECT_EQ(divide_result(32768, 32768, 4).front().rows, 16384);
}

}  // namespace
}  // namespace accublas::cuda
