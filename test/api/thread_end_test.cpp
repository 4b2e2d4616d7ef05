// A thread's default context: destructors of the program's pthread keys may use it, it goes with the thread, and where
// there is no memory for it the caller gets a status. CUDA's own libraries crash where memory or keys are missing while
// they start, so they start before.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "api.hpp"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

std::atomic<long> live{0};  // blocks of memory
/// Allocations of the thread until they fail, the one that counts down to 0 and all later ones; -1: none fails.
thread_local long allocations_left = -1;

bool fails() {
  if (allocations_left < 0) return false;
  if (allocations_left > 0) --allocations_left;
  return allocations_left == 0;
}

}  // namespace

// The program's definitions come before those of the C library, for libaccublas and for the C library itself.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void __libc_free(void* memory);

void* malloc(std::size_t bytes) {
  void* const memory = fails() ? nullptr : __libc_malloc(bytes);
  live += memory != nullptr;
  return memory;
}
void* calloc(std::size_t count, std::size_t bytes) {
  void* const memory = fails() ? nullptr : __libc_calloc(count, bytes);
  live += memory != nullptr;
  return memory;
}
void free(void* memory) {
  live -= memory != nullptr;
  __libc_free(memory);
}
}

namespace {

accublas_status dot() {
  const double x[3] = {1, 2, 3};
  double result = 0;
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.mode = ACCUBLAS_MODE_CR;
  const accublas_status status = accublas_ddot_ex(nullptr, 3, x, 1, x, 1, &result, &options);
  return status == ACCUBLAS_SUCCESS && result != 14 ? ACCUBLAS_ERROR_INTERNAL : status;
}

std::string mode() {
  char word[32] = "";
  accublas_get_mode_name(nullptr, ACCUBLAS_FAMILY_DGEMM, word, sizeof word);
  return word;
}

/// Lets CUDA's libraries start, where there is a GPU. It makes no context.
bool start_cuda() {
  int32_t devices = 0;
  return accublas_device_count(&devices) == ACCUBLAS_SUCCESS;
}

/// A key of the program whose destructor calls accublas in the first `rounds` rounds of a thread's end.
struct Key {
  explicit Key(int rounds) : rounds(rounds) { pthread_key_create(&key, &Key::at_end); }
  ~Key() { pthread_key_delete(key); }
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;

  void enter() { pthread_setspecific(key, this); }
  static void at_end(void* own) {
    Key& self = *static_cast<Key*>(own);
    if (self.round == 0) self.seen = mode();
    if (dot() != ACCUBLAS_SUCCESS) self.failed = true;
    if (++self.round < self.rounds) pthread_setspecific(self.key, own);
  }

  pthread_key_t key;
  int rounds, round = 0;
  bool failed = false;
  std::string seen;
};

/// Ends a thread with such keys on both sides of the library's own; the first calls are the destructors' or not.
void end_thread(Key& before, Key& after, bool called) {
  before.round = after.round = 0;
  std::thread([&] {
    before.enter();
    after.enter();
    if (called) {
      EXPECT_EQ(accublas_set_mode_name(nullptr, "cr"), ACCUBLAS_SUCCESS);
    }
  }).join();
  EXPECT_FALSE(before.failed || after.failed);
  EXPECT_EQ(before.seen, called ? "cr" : "dp");
  EXPECT_EQ(after.seen, called ? "cr" : "dp");
}

}  // namespace

// First, since these children start where nothing has been made yet.
TEST(ThreadEnd, OutOfMemoryIsAStatus) {
  constexpr int good = 0, wrong = 1, enough = 3;
  for (int step = 0, code = good; code != enough; ++step) {
    const pid_t child = fork();
    if (child == 0) {
      int result = enough;
      std::thread([&] {
        accublas_context* context = nullptr;
        accublas_status status[3];
        const bool started = start_cuda();
        allocations_left = step + 1;
        status[0] = accublas_create(&context);
        status[1] = dot();
        status[2] = accublas_destroy(context);
        if (allocations_left == 0) result = good;
        // From here on there is memory again.
        allocations_left = -1;
        for (const accublas_status s : status)
          if (s != ACCUBLAS_SUCCESS && s != ACCUBLAS_ERROR_MEMORY) result = wrong;
        if (!started || dot() != ACCUBLAS_SUCCESS) result = wrong;
      }).join();
      _exit(result);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status) << ", allocations: " << step;
    code = WEXITSTATUS(status);
    ASSERT_TRUE(code == good || code == enough) << "allocations: " << step;
    if (code == enough) {
      EXPECT_GT(step, 5);
    }
  }
}

TEST(ThreadEnd, NoKeyLeftIsAStatus) {
  const pid_t child = fork();
  if (child == 0) {
    const bool started = start_cuda();
    std::vector<pthread_key_t> keys(1);
    while (pthread_key_create(&keys.back(), nullptr) == 0) keys.emplace_back();
    accublas_context* context = nullptr;
    const bool refused = accublas_create(&context) == ACCUBLAS_ERROR_MEMORY && dot() == ACCUBLAS_ERROR_MEMORY;
    pthread_key_delete(keys.front());
    _exit(started && refused && dot() == ACCUBLAS_SUCCESS ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(ThreadEnd, NothingIsLeft) {
  for (const int rounds : {1, 2, 3}) {
    Key before(rounds);
    dot();
    Key after(rounds);
    for (const bool called : {true, false}) {
      end_thread(before, after, called);
      const long at_first = live;
      constexpr int threads = 100;
      for (int i = 0; i < threads; ++i) end_thread(before, after, called);
      EXPECT_LT(live - at_first, threads / 4) << rounds << " rounds, called before: " << called;
    }
  }
}

#endif
