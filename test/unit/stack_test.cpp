// Calls on a stack of the library's own: what they keep of the thread, exceptions, nesting, other stacks, no memory.
#include "lib/base/stack.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "lib/base/error.hpp"

using accublas::stack_has;
using accublas::with_stack;

namespace {

constexpr std::size_t stack_kib = 1024, stack_mib = 1024 * stack_kib;

/// Runs `body` on a thread with 256 KiB of stack.
void on_small_thread(const std::function<void()>& body) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  ASSERT_EQ(pthread_attr_setstacksize(&small, 256 * stack_kib), 0);
  pthread_t thread;
  const auto start = [](void* given) -> void* {
    (*static_cast<const std::function<void()>*>(given))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &small, start, const_cast<std::function<void()>*>(&body)), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
}

[[gnu::noinline]] void use_stack(std::size_t bytes) {
  auto* const space = static_cast<volatile char*>(__builtin_alloca(bytes));
  for (std::size_t i = 0; i < bytes; i += 1024) space[i] = 1;
}

thread_local int of_this_thread = 0;

}  // namespace

TEST(OwnStack, IsTheSameThread) {
  on_small_thread([] {
    of_this_thread = 1;
    const pthread_t caller = pthread_self();
    bool ran = false;
    EXPECT_FALSE(stack_has(stack_mib));
    EXPECT_TRUE(stack_has(64 * stack_kib));
    with_stack(stack_mib, [&] {
      EXPECT_TRUE(pthread_equal(pthread_self(), caller));
      EXPECT_EQ(of_this_thread, 1);
      of_this_thread = 2;
      EXPECT_TRUE(stack_has(6 * stack_mib));
      EXPECT_FALSE(stack_has(9 * stack_mib));
      use_stack(6 * stack_mib);
      const char* const here = static_cast<const char*>(__builtin_frame_address(0));
      with_stack(stack_mib, [&] {  // stays on this stack
        const std::ptrdiff_t away = here - static_cast<const char*>(__builtin_frame_address(0));
        EXPECT_LT(std::abs(away), 64 * static_cast<std::ptrdiff_t>(stack_kib));
        ran = true;
      });
    });
    EXPECT_TRUE(ran);
    EXPECT_EQ(of_this_thread, 2);
    EXPECT_FALSE(stack_has(stack_mib));
    EXPECT_TRUE(stack_has(64 * stack_kib));
  });
}

/// An exception has its type and its text on the other side, also where another one is being handled on this.
TEST(OwnStack, ExceptionsPass) {
  struct OfThisTest : accublas::Error {
    using Error::Error;
  };
  on_small_thread([] {
    int caught = 0;
    for (int i = 0; i < 3; ++i) {
      try {
        throw 1;
      } catch (int) {
        try {
          with_stack(stack_mib, [] {
            try {
              throw 2;
            } catch (int) {
              throw OfThisTest(ACCUBLAS_ERROR_ACCURACY, "a text");
            }
          });
        } catch (const OfThisTest& error) {
          caught += error.status() == ACCUBLAS_ERROR_ACCURACY && std::strcmp(error.what(), "a text") == 0;
        }
      }
    }
    EXPECT_EQ(caught, 3);
    EXPECT_EQ(std::uncaught_exceptions(), 0);
    EXPECT_FALSE(stack_has(stack_mib));
  });
}

TEST(OwnStack, KeepsTheFloatingPointEnvironment) {
  on_small_thread([] {
    std::fesetround(FE_UPWARD);
    std::feclearexcept(FE_ALL_EXCEPT);
    with_stack(stack_mib, [] {
      EXPECT_EQ(std::fegetround(), FE_UPWARD);
      std::fesetround(FE_DOWNWARD);
      std::feraiseexcept(FE_DIVBYZERO);
    });
    EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
    EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO | FE_OVERFLOW), FE_DIVBYZERO);
  });
}

/// The end of a coroutine's stack is unknown; it is left and comes back.
TEST(OwnStack, OfACoroutine) {
  static ucontext_t home, coroutine;
  static int steps = 0;
  std::vector<char> stack(256 * stack_kib);
  getcontext(&coroutine);
  coroutine.uc_stack.ss_sp = stack.data();
  coroutine.uc_stack.ss_size = stack.size();
  coroutine.uc_link = &home;
  makecontext(
      &coroutine,
      [] {
        if (stack_has(1)) return;
        with_stack(stack_mib, [] { use_stack(6 * stack_mib), ++steps; });
        swapcontext(&coroutine, &home);
        with_stack(stack_mib, [] { use_stack(6 * stack_mib), ++steps; });
      },
      0);
  swapcontext(&home, &coroutine);
  EXPECT_EQ(steps, 1);
  EXPECT_TRUE(stack_has(64 * stack_kib));
  swapcontext(&home, &coroutine);
  EXPECT_EQ(steps, 2);
}

/// Many threads at a time, more than there are stacks kept, and a child of fork.
TEST(OwnStack, OfManyThreads) {
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 24; ++i)
    threads.emplace_back([&] {
      on_small_thread([&] {
        for (int j = 0; j < 20; ++j) with_stack(stack_mib, [&] { use_stack(100 * stack_kib), ++ran; });
      });
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ran, 24 * 20);
  on_small_thread([] {
    with_stack(stack_mib, [] {
      const pid_t child = fork();
      if (child == 0) {
        bool ran_there = false;
        with_stack(7 * stack_mib, [&] { ran_there = true; });
        _exit(ran_there ? 0 : 1);
      }
      int status = -1;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    });
  });
}

/// Without memory for a stack nothing of the call begins.
TEST(OwnStack, WithoutMemory) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "a sanitizer needs the address space";
#endif
  const pid_t child = fork();
  if (child == 0) {
    int result = 1;
    on_small_thread([&] {
      // Every stack that is kept comes into use.
      const std::function<void(int)> nest = [&](int depth) {
        if (depth > 0)
          return accublas::on_own_stack([](void* body) { (*static_cast<std::function<void()>*>(body))(); },
                                        new std::function<void()>([&nest, depth] { nest(depth - 1); }));
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlim_t most = pages * static_cast<std::size_t>(getpagesize()) + 4 * stack_mib;
        const rlimit little{most, RLIM_INFINITY};
        if (setrlimit(RLIMIT_AS, &little) != 0) return;
        bool began = false;
        try {
          with_stack(16 * stack_mib, [&] { began = true; });
        } catch (const accublas::Error& error) {
          result = error.status() == ACCUBLAS_ERROR_MEMORY && !began ? 0 : 2;
        }
      };
      nest(10);
    });
    _exit(result);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
