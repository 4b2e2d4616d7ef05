// The thread pool: every task once, exceptions, nesting, many callers, fork; and the floating-point environment of
// workers.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <atomic>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "lib/base/fp_environment.hpp"
#include "lib/base/thread_pool.hpp"

using accublas::parallel_for;

namespace {

/// Runs a job and says whether every task ran exactly once, on threads with numbers in range.
bool runs_every_task_once(std::int64_t tasks, int threads) {
  std::vector<std::atomic<int>> ran(static_cast<std::size_t>(tasks));
  std::atomic<bool> in_range{true};
  parallel_for(tasks, threads, [&](std::int64_t task, int thread) {
    ran[static_cast<std::size_t>(task)].fetch_add(1);
    if (thread < 0 || thread >= threads) in_range = false;
  });
  for (const auto& count : ran)
    if (count != 1) return false;
  return in_range;
}

void wait_until(const std::atomic<int>& value, int wanted) {
  while (value.load() < wanted) std::this_thread::yield();
}

}  // namespace

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (int threads : {1, 2, 3, 8})
    for (std::int64_t tasks : {0, 1, 2, 3, 7, 1000})
      EXPECT_TRUE(runs_every_task_once(tasks, threads)) << threads << " " << tasks;
}

TEST(ThreadPool, ThousandsOfSmallJobs) {
  for (int i = 0; i < 20000; ++i) ASSERT_TRUE(runs_every_task_once(1 + i % 5, 1 + i % 4)) << i;
}

TEST(ThreadPool, ReallyRunsOnSeveralThreads) {
  // Two tasks that wait for each other end only where two threads run them.
  std::atomic<int> arrived{0};
  parallel_for(2, 2, [&](std::int64_t, int) {
    arrived.fetch_add(1);
    wait_until(arrived, 2);
  });
  EXPECT_EQ(arrived, 2);
}

TEST(ThreadPool, ThreadNumbersAreDistinct) {
  std::atomic<int> inside[4] = {};
  std::atomic<bool> shared{false};
  for (int i = 0; i < 200; ++i)
    parallel_for(64, 4, [&](std::int64_t, int thread) {
      if (inside[thread].fetch_add(1) != 0) shared = true;
      for (int spin = 0; spin < 500; ++spin) std::atomic_signal_fence(std::memory_order_seq_cst);
      inside[thread].fetch_sub(1);
    });
  EXPECT_FALSE(shared);
}

TEST(ThreadPool, AnExceptionComesBackAndThePoolGoesOn) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_THROW(parallel_for(50, 3,
                              [&](std::int64_t task, int) {
                                if (task == i % 50) throw std::runtime_error("task");
                              }),
                 std::runtime_error);
  }
  EXPECT_TRUE(runs_every_task_once(100, 3));
}

TEST(ThreadPool, NestedCallsRunOnTheirThread) {
  std::atomic<int> sum{0};
  std::atomic<bool> moved{false};
  parallel_for(4, 2, [&](std::int64_t, int) {
    const auto self = std::this_thread::get_id();
    parallel_for(10, 2, [&](std::int64_t, int thread) {
      sum.fetch_add(1);
      if (thread != 0 || std::this_thread::get_id() != self) moved = true;
    });
  });
  EXPECT_EQ(sum, 40);
  EXPECT_FALSE(moved);
}

TEST(ThreadPool, ManyCallers) {
  std::vector<std::thread> callers;
  std::atomic<int> failures{0};
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&] {
      for (int i = 0; i < 500; ++i)
        if (!runs_every_task_once(20, 3)) failures.fetch_add(1);
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(failures, 0);
}

TEST(ThreadPool, AForkedChildHasAPoolOfItsOwn) {
  ASSERT_TRUE(runs_every_task_once(100, 3));
  std::atomic<bool> stop{false};
  std::thread busy([&] {  // another thread that holds the pool at the moment of the fork
    while (!stop) runs_every_task_once(10, 3);
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      std::atomic<int> arrived{0};
      parallel_for(2, 2, [&](std::int64_t, int) {
        arrived.fetch_add(1);
        wait_until(arrived, 2);
      });
      _exit(runs_every_task_once(100, 3) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  busy.join();
}

TEST(ThreadPool, AsManyAsAreAskedForAndNoMore) {
  for (int threads : {accublas::most_threads, 1 << 29, INT32_MAX}) EXPECT_TRUE(runs_every_task_once(3000, threads));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ThreadPool, NoMemoryForMoreThreads) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::ifstream sizes("/proc/self/statm");
    rlim_t pages = 0;
    sizes >> pages;
    const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (8 << 20);
    const rlimit little{bytes, bytes};
    if (setrlimit(RLIMIT_AS, &little) != 0) _exit(2);
    _exit(runs_every_task_once(3000, 1000) && runs_every_task_once(3000, 1000) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(ThreadPool, WorkersHaveAStackOfTheirOwn) {
  pthread_attr_t before, small;
  pthread_getattr_default_np(&before);
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN)));
  ASSERT_EQ(pthread_setattr_default_np(&small), 0);
  const pid_t child = fork();  // where no worker is there yet
  if (child == 0) {
    alarm(60);
    std::atomic<int> arrived{0};
    parallel_for(4, 4, [&](std::int64_t, int) {
      volatile unsigned char block[256 << 10];
      for (std::size_t i = 0; i < sizeof block; i += 4096) block[i] = 1;
      arrived.fetch_add(1);
      wait_until(arrived, 4);
    });
    _exit(0);
  }
  pthread_setattr_default_np(&before);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

#endif

#if defined(__SSE2__)
TEST(ThreadPool, WorkersHaveTheDefinedEnvironment) {
  using accublas::set_x87_control, accublas::x87_control;
  const unsigned mine = _mm_getcsr();
  const unsigned short mine_x87 = x87_control();
  _mm_setcsr(mine | 0x8040 | 0x4000);  // FTZ, DAZ, upward: a worker that starts now must not inherit it
  set_x87_control(0x0A7F);             // nor the x87 unit's: upward, 53 bits
  std::atomic<int> arrived{0};
  unsigned control[5] = {};
  unsigned short control_x87[5] = {};
  parallel_for(5, 5, [&](std::int64_t, int thread) {
    control[thread] = _mm_getcsr();
    control_x87[thread] = x87_control();
    arrived.fetch_add(1);
    wait_until(arrived, 5);
  });
  _mm_setcsr(mine);
  set_x87_control(mine_x87);
  for (int thread = 1; thread < 5; ++thread) {
    EXPECT_EQ(control[thread] & 0xFFC0u, 0x1F80u) << thread;
    EXPECT_EQ(control_x87[thread], 0x037F) << thread;
  }
}
#endif
