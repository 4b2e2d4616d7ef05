// The stack that accublas.h asks of a caller suffices, on a thread and as the main thread's limit, under every
// instruction set, whatever the first call of the process is; the library's own threads do not depend on the program's
// default. OpenBLAS has two threads, with which its GETRF needs megabytes. A process runs many ways; a new one is
// needed for every instruction set and for every first call.
#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int promised = 64;  ///< KiB

/// Modes by engines.
constexpr const char* ways =
    "native auto dp auto dp:repro fp64 dp:repro int8 dp:repro sums fixed:53 fp64 fixed:100 int8 fixed:53 sums "
    "slices:4:fast fp64 dot2 dot2 tf64x3 multiword cr fp64 cr int8 cr sums";

/// Runs the driver with these arguments on a thread with the promised stack, or as the main thread's limit; its output,
/// "done" where it lived, after the last way that it began. The system's own share of the main thread's stack,
/// arguments and environment, is left another 128 KiB.
std::string drive(bool main_thread, const std::string& arguments, const std::string& environment = "") {
  const std::string limit = main_thread ? "ulimit -s " + std::to_string(promised + 128) + "; " : "";
  const std::string command = "export OPENBLAS_NUM_THREADS=2; " + limit + environment + " " DRIVER " " +
                              std::to_string(main_thread ? 0 : promised) + " " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return "no pipe";
  std::string output;
  std::array<char, 4096> buffer;
  while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), count);
  const int status = pclose(pipe);
  const std::size_t done = output.find("done\n");
  return status == 0 && done != std::string::npos ? output.substr(done) : output + " status " + std::to_string(status);
}

class StackOfLevel : public ::testing::TestWithParam<const char*> {};

/// The instruction sets of this CPU; those that it lacks would only repeat the one before.
std::vector<const char*> levels() {
  std::vector<const char*> list = {"baseline"};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) list.push_back("avx2");
  if (__builtin_cpu_supports("avx512dq")) list.push_back("avx512");
  if (__builtin_cpu_supports("avx512vnni")) list.push_back("avx512_vnni");
  unsigned a, b, c, features = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &features) && features & 1u << 25) list.push_back("amx");  // AMX-INT8
#elif defined(__aarch64__)
  list.push_back("neon");
  if (getauxval(AT_HWCAP) & 1ul << 20) list.push_back("dotprod");  // ASIMDDP
  if (getauxval(AT_HWCAP2) & 1ul << 13) list.push_back("i8mm");
#endif
  return list;
}

}  // namespace

TEST_P(StackOfLevel, OfAThread) { EXPECT_EQ(drive(false, ways, std::string("ACCUBLAS_ISA=") + GetParam()), "done\n"); }

TEST_P(StackOfLevel, OfTheMainThread) {
  EXPECT_EQ(drive(true, ways, std::string("ACCUBLAS_ISA=") + GetParam()), "done\n");
}

/// The first call loads OpenBLAS and tries what it can do, also in modes that never call it.
TEST(Stack, OfTheFirstCall) {
  for (const char* mode : {"dp", "dp:repro", "cr"})
    for (const char* routine : {"getrf", "potrf", "geqrf", "gesv_certified", "trsm"})
      for (const bool main_thread : {false, true})
        EXPECT_EQ(drive(main_thread, std::string("first ") + mode + " " + routine), "done\n") << mode << " " << routine;
}

/// The constructor of a module, in which the thread holds the loader's lock.
TEST(Stack, OfAConstructor) { EXPECT_EQ(drive(false, "load " MODULE), "done\n"); }

TEST(Stack, WithoutMemoryForAnother) { EXPECT_EQ(drive(false, "refused"), "done\n"); }

INSTANTIATE_TEST_SUITE_P(EveryLevel, StackOfLevel, ::testing::ValuesIn(levels()));
