// Workspace: alignment, cap, the user's buffer, reuse, the hook that fails allocations.
#include "lib/base/workspace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "lib/base/error.hpp"

using accublas::Error;
using accublas::Workspace;

namespace {

bool aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }

template <class T>
bool out_of_memory(Workspace& workspace, std::size_t count) {
  try {
    workspace.take<T>(count);
  } catch (const Error& error) {
    return error.status() == ACCUBLAS_ERROR_MEMORY;
  }
  return false;
}

constexpr std::size_t mib = std::size_t{1} << 20;

}  // namespace

TEST(Workspace, BlocksAreAlignedAndApart) {
  for (std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{1000}, 3 * mib, 9 * mib + 5}) {
    Workspace workspace(64 * mib, nullptr, 0);
    auto* a = workspace.take<unsigned char>(count);
    auto* b = workspace.take<unsigned char>(count);
    EXPECT_TRUE(aligned(a) && aligned(b));
    std::memset(a, 1, count);
    std::memset(b, 2, count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(a[i], 1);
    EXPECT_GE(workspace.peak(), 2 * count);
  }
}

TEST(Workspace, CapAndWhatMayPassIt) {
  Workspace workspace(4 * mib, nullptr, 0);
  EXPECT_EQ(workspace.available(), 4 * mib);
  workspace.take<double>(mib / 8);
  EXPECT_EQ(workspace.available(), 3 * mib);
  workspace.take<char>(3 * mib);
  EXPECT_EQ(workspace.available(), 0u);
  workspace.take<char>(mib / 2);
  EXPECT_EQ(workspace.available(), 0u);
  EXPECT_TRUE(out_of_memory<char>(workspace, mib));
  EXPECT_TRUE(out_of_memory<double>(workspace, SIZE_MAX / 8));
  EXPECT_TRUE(out_of_memory<double>(workspace, SIZE_MAX / 64));
  workspace.restart(8 * mib);
  EXPECT_EQ(workspace.available(), 8 * mib);
  workspace.take<char>(8 * mib);
}

TEST(Workspace, EverythingLeftCanBeTaken) {
  std::vector<unsigned char> memory(10000);
  for (std::size_t bytes = 0; bytes < 9000; bytes += bytes < 200 ? 1 : 97)
    for (std::size_t taken : {0, 1, 100}) {
      const auto take_all = [&](Workspace&& workspace) {
        if (workspace.left() < taken + 64) return;
        workspace.take<char>(taken);
        const std::size_t left = workspace.left();
        EXPECT_TRUE(workspace.spares(left) && !workspace.spares(left + 1)) << bytes;
        EXPECT_NO_THROW(workspace.take<char>(left)) << bytes << " " << taken;
        EXPECT_EQ(workspace.left(), 0u) << bytes;
      };
      take_all(Workspace(bytes, nullptr, 0));
      take_all(Workspace(mib, memory.data() + bytes % 64, bytes));
      take_all(Workspace(
          Workspace::Part{memory.data() + 64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64, bytes, bytes}));
      Workspace most(bytes, nullptr, 0);
      EXPECT_NO_THROW(most.take<char>(most.most())) << bytes;
    }
  // A least plan's rehearsal needs nothing that is spared, and its run may have it.
  Workspace rehearsal(Workspace::unlimited(nullptr)), least(0, nullptr, 0);
  EXPECT_FALSE(rehearsal.spares(1));
  EXPECT_TRUE(least.spares(1));
}

TEST(Workspace, ThreadsThatItHasRoomFor) {
  for (int threads : {1, 2, 1024}) {
    EXPECT_EQ(Workspace(256 * mib, nullptr, 0).lanes(threads), threads);
    EXPECT_EQ(Workspace(0, nullptr, 0).lanes(threads), std::min(threads, 16));  // of the MiB beyond the cap
    EXPECT_EQ(Workspace(mib, nullptr, 0).lanes(threads), std::min(threads, 32));
    unsigned char buffer[100];
    EXPECT_EQ(Workspace(mib, buffer, sizeof buffer).lanes(threads), 1);
  }
}

TEST(Workspace, UserBuffer) {
  std::vector<unsigned char> memory(10000, 7);
  for (std::size_t offset : {0, 1, 63}) {
    Workspace workspace(1, memory.data() + offset, 5000);
    EXPECT_LE(workspace.available(), 5000u);
    auto* a = workspace.take<char>(1000);
    auto* b = workspace.take<char>(workspace.available());
    EXPECT_TRUE(aligned(a) && aligned(b));
    const auto* begin = reinterpret_cast<char*>(memory.data() + offset);
    EXPECT_TRUE(a >= begin && a + 1024 <= b && b < begin + 5000);
    EXPECT_TRUE(out_of_memory<char>(workspace, 1000));
  }
  Workspace tiny(1, memory.data(), 10);
  EXPECT_EQ(tiny.available(), 0u);
  EXPECT_TRUE(out_of_memory<char>(tiny, 100));
}

TEST(Workspace, BlocksAreKeptForTheNextCall) {
  Workspace::trim_pool();
  void* first;
  {
    Workspace workspace(64 * mib, nullptr, 0);
    first = workspace.take<char>(32 * mib);
  }
  {
    Workspace workspace(64 * mib, nullptr, 0);
    EXPECT_EQ(workspace.take<char>(31 * mib), first);
    EXPECT_NE(static_cast<void*>(workspace.take<char>(31 * mib)), first);
  }
  Workspace::trim_pool();
}

/// Whatever the size is rounded up to.
TEST(Workspace, TheNextCallLikeItTakesTheSameBlock) {
  for (std::size_t bytes = 1; bytes < 40 * mib; bytes += bytes / 16 + 1) {
    Workspace::trim_pool();
    const auto take = [&] { return static_cast<void*>(Workspace(64 * mib, nullptr, 0).take<char>(bytes)); };
    const void* const first = take();
    EXPECT_EQ(take(), first) << bytes;
  }
  Workspace::trim_pool();
}

TEST(Workspace, ManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 200; ++i) {
        Workspace workspace(64 * mib, nullptr, 0);
        const std::size_t count = 1000 + static_cast<std::size_t>((i * 7919 + t * 104729) % 200000);
        auto* a = workspace.take<unsigned char>(count);
        auto* b = workspace.take<unsigned char>(2 * count);
        std::memset(a, t, count);
        std::memset(b, t + 100, 2 * count);
        for (std::size_t k = 0; k < count; k += 97) {
          EXPECT_EQ(a[k], t);
          EXPECT_EQ(b[2 * k], t + 100);
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Workspace, TheHookFailsTheNthAllocation) {
  setenv("ACCUBLAS_TEST_FAIL_ALLOCATION", "3", 1);
  Workspace workspace(64 * mib, nullptr, 0);
  workspace.take<char>(10);
  workspace.take<char>(10);
  EXPECT_TRUE(out_of_memory<char>(workspace, 10));
  workspace.take<char>(10);
  setenv("ACCUBLAS_TEST_FAIL_ALLOCATION", "2+", 1);
  workspace.take<char>(10);
  EXPECT_TRUE(out_of_memory<char>(workspace, 10));
  EXPECT_TRUE(out_of_memory<char>(workspace, 10));
  unsetenv("ACCUBLAS_TEST_FAIL_ALLOCATION");
  workspace.take<char>(10);
}
