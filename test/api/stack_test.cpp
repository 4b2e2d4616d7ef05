// The stack that accublas.h asks of a caller suffices, on a thread and as the main thread's limit, under every
// instruction set, whatever the first call of the process is; the library's own threads do not depend on the program's
// default. OpenBLAS has two threads, with which its GETRF needs megabytes.
#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int promised = 64;  ///< KiB

struct Way {
  const char *mode, *engine;
};
constexpr Way ways[] = {
    {"native", "auto"},   {"dp", "auto"},        {"dp:repro", "fp64"}, {"dp:repro", "int8"},      {"dp:repro", "sums"},
    {"fixed:53", "fp64"}, {"fixed:100", "int8"}, {"fixed:53", "sums"}, {"slices:4:fast", "fp64"}, {"dot2", "dot2"},
    {"cr", "fp64"},       {"cr", "int8"},        {"cr", "sums"}};

/// The driver's output; "done" at its end where it lived.
std::string drive(const std::string& command) {
  std::string output;
  FILE* pipe = popen(("export OPENBLAS_NUM_THREADS=2; " + command + " 2>&1").c_str(), "r");
  if (!pipe) return "no pipe";
  std::array<char, 4096> buffer;
  while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), count);
  const int status = pclose(pipe);
  return output + (status == 0 ? "" : " status " + std::to_string(status));
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
#endif
  return list;
}

}  // namespace

TEST_P(StackOfLevel, OfAThread) {
  for (const Way& way : ways)
    EXPECT_EQ(drive(std::string("ACCUBLAS_ISA=") + GetParam() + " " DRIVER " " + way.mode + " " + way.engine + " " +
                    std::to_string(promised)),
              "done\n")
        << way.mode << " " << way.engine;
}

/// The system's own share of the main thread's stack, arguments and environment, is left another 128 KiB.
TEST_P(StackOfLevel, OfTheMainThread) {
  for (const Way& way : ways)
    EXPECT_EQ(drive("ulimit -s " + std::to_string(promised + 128) + "; ACCUBLAS_ISA=" + GetParam() + " " DRIVER " " +
                    way.mode + " " + way.engine + " 0"),
              "done\n")
        << way.mode << " " << way.engine;
}

/// The first call loads OpenBLAS and tries what it can do, also in modes that never call it.
TEST(Stack, OfTheFirstCall) {
  for (const char* mode : {"dp", "dp:repro", "cr"})
    for (const char* routine : {"getrf", "potrf", "geqrf", "gesv_certified", "trsm"})
      for (const int stack : {promised, 0}) {
        const std::string limit = stack == 0 ? "ulimit -s " + std::to_string(promised + 128) + "; " : "";
        EXPECT_EQ(drive(limit + DRIVER " " + mode + " auto " + std::to_string(stack) + " " + routine), "done\n")
            << mode << " " << routine;
      }
}

INSTANTIATE_TEST_SUITE_P(EveryLevel, StackOfLevel, ::testing::ValuesIn(levels()));
