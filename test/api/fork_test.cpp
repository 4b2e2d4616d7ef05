// A child forked while another thread is inside accublas computes, and does not wait for a thread that it does not
// have. Without operands that OpenBLAS serves, which promises nothing of the kind.
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <thread>

#include "api.hpp"

extern char** environ;

namespace {

/// A place that a test stops its thread at: the `wanted`-th call of a function below by the thread that is watched.
thread_local bool watched = false;
int events = 0, wanted = 0;
std::atomic<bool> arrived{false}, forked{false};

/// fork() may be waiting for a lock that the thread holds here: it goes on after a while.
void event() {
  if (!watched || ++events != wanted) return;
  arrived = true;
  for (int ms = 0; ms < 50 && !forked; ++ms) usleep(1000);
}

}  // namespace

// The program's definitions come before those of the C and C++ libraries, for libaccublas too.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  event();
  if (void* memory = std::malloc(std::max<std::size_t>(bytes, 1))) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" char* getenv(const char* name) noexcept {
  event();
  const std::size_t length = std::strlen(name);
  for (char** entry = environ; entry && *entry; ++entry)
    if (std::strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
  return nullptr;
}

namespace {

constexpr int n = 24;
const std::vector<double> a(n* n, 1.5);

/// Calls of every kind, among them those that share something between threads; whether all succeeded.
bool calls(int precision) {
  std::vector<double> c(n * n);
  const double one = 1, zero = 0;
  double result = 0;
  bool good = true;
  const auto add = [&](accublas_status status) { good = good && status == ACCUBLAS_SUCCESS; };
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  for (const char* mode : {"dot2", "cr", "fixed:60"}) {
    options.mode_name = mode;
    options.num_threads = 3;
    add(accublas_ddot_ex(nullptr, n * n, a.data(), 1, a.data(), 1, &result, &options));
    good = good && result == 1.5 * 1.5 * n * n;
    add(accublas_dgemm_ex(nullptr, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, &one, a.data(), n,
                          a.data(), n, &zero, c.data(), n, &options));
    good = good && std::all_of(c.begin(), c.end(), [](double x) { return x == 1.5 * 1.5 * n; });
  }
  accublas_mp_array *x = nullptr, *y = nullptr;
  add(accublas_mp_create(nullptr, precision, n * n, &x));
  add(accublas_mp_create(nullptr, precision + 64, n * n, &y));
  add(accublas_mp_set_double(nullptr, x, 0, n, n, n, a.data(), n));
  add(accublas_mp_align(nullptr, x, 0, n, n, n, -1));
  add(accublas_mp_dot(nullptr, n, x, 0, 1, x, n, 1, x, 2 * n));
  add(accublas_mp_convert(nullptr, n, n, x, 0, n, y, 0, n));
  add(accublas_mp_gemv(nullptr, ACCUBLAS_NO_TRANS, n, n, nullptr, 0, y, 0, n, y, 0, 1, nullptr, 0, y, n, 1) ==
              ACCUBLAS_ERROR_ARGUMENT  // the result overlaps the matrix
          ? ACCUBLAS_SUCCESS
          : ACCUBLAS_ERROR_INTERNAL);
  add(accublas_mp_get_double(nullptr, x, 2 * n, 1, 1, 1, &result, 1));
  good = good && result == 1.5 * 1.5 * n;
  add(accublas_mp_destroy(x));
  add(accublas_mp_destroy(y));
  add(accublas_set_failure_handler(nullptr, nullptr));
  return good;
}

constexpr int good_exit = 0, wrong = 1, hung = 2, no_such_event = 3;

/// Forks; `body` runs in the child, whose exit code is returned.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child) return wrong;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return hung;
  return WIFEXITED(status) ? WEXITSTATUS(status) : wrong;
}

/// The calls that a forked child makes.
int calls_in_child() {
  alarm(10);
  return calls(192) && calls(333) ? good_exit : wrong;
}

}  // namespace

// The process of the test itself never calls accublas: every child starts where nothing has been made yet.

/// The locks of AddressSanitizer's allocator are not held across fork(): its children hang in malloc.
#ifdef __SANITIZE_ADDRESS__
#define SKIP_WITHOUT_MALLOC_AFTER_FORK() \
  GTEST_SKIP() << "AddressSanitizer's malloc hangs in a child forked beside threads"
#else
#define SKIP_WITHOUT_MALLOC_AFTER_FORK() static_cast<void>(0)
#endif

TEST(Fork, AtEveryAllocationOfTheFirstCalls) {
  SKIP_WITHOUT_MALLOC_AFTER_FORK();
  int tried = 0;
  for (;; ++tried) {
    const int code = in_child([&] {
      wanted = tried + 1;
      std::atomic<bool> done{false};
      std::thread thread([&] {
        watched = true;
        calls(192);
        watched = false;
        done = true;
      });
      while (!arrived && !done) usleep(100);
      const int of_child = arrived ? in_child([] { return calls_in_child(); }) : no_such_event;
      forked = true;
      thread.join();
      return of_child;
    });
    if (code == no_such_event) break;
    ASSERT_EQ(code, good_exit) << (code == hung ? "hangs" : "fails") << " after a fork at event " << tried + 1;
  }
  EXPECT_GT(tried, 50);
}

TEST(Fork, BesideBusyThreads) {
  SKIP_WITHOUT_MALLOC_AFTER_FORK();
  const char* scale = getenv("ACCUBLAS_TEST_SCALE");
  const int forks = 400 * (scale ? std::max(1, std::atoi(scale)) : 1);
  const int code = in_child([&] {
    std::atomic<bool> stop{false}, good{true};
    std::vector<std::thread> threads;
    for (const int precision : {192, 333})
      threads.emplace_back([&, precision] {
        while (!stop) {
          if (!calls(precision)) good = false;
          for (int i = 0; i < 2000; ++i) accublas_set_failure_handler(nullptr, nullptr);
        }
      });
    int worst = good_exit;
    for (int i = 0; i < forks && worst == good_exit; ++i) worst = in_child([] { return calls_in_child(); });
    stop = true;
    for (std::thread& thread : threads) thread.join();
    return good ? worst : wrong;
  });
  EXPECT_EQ(code, good_exit) << (code == hung ? "a child hangs" : "a child fails");
}
