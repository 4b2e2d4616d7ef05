// The stack that accublas.h asks of a caller suffices, on a thread and as the main thread's limit, under every
// instruction set; the library's own threads do not depend on the program's default.
#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace {

/// In KiB. OpenBLAS's own need comes on top where a mode or an engine calls it.
constexpr int promised = 64, with_openblas = 128;

struct Way {
  const char *mode, *engine;
  int stack;
};
constexpr Way ways[] = {
    {"native", "auto", with_openblas}, {"dp", "auto", with_openblas},  {"dp:repro", "fp64", with_openblas},
    {"dp:repro", "int8", promised},    {"dp:repro", "sums", promised}, {"fixed:53", "fp64", with_openblas},
    {"fixed:100", "int8", promised},   {"fixed:53", "sums", promised}, {"slices:4:fast", "fp64", with_openblas},
    {"dot2", "dot2", promised},        {"cr", "fp64", with_openblas},  {"cr", "int8", promised},
    {"cr", "sums", promised}};

/// The driver's output; "done" at its end where it lived.
std::string drive(const std::string& command) {
  std::string output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return "no pipe";
  std::array<char, 4096> buffer;
  while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), count);
  const int status = pclose(pipe);
  return output + (status == 0 ? "" : " status " + std::to_string(status));
}

class Stack : public ::testing::TestWithParam<const char*> {};

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

TEST_P(Stack, OfAThread) {
  for (const Way& way : ways)
    EXPECT_EQ(drive(std::string("ACCUBLAS_ISA=") + GetParam() + " " DRIVER " " + way.mode + " " + way.engine + " " +
                    std::to_string(way.stack)),
              "done\n")
        << way.mode << " " << way.engine;
}

/// The system's own share of the main thread's stack, arguments and environment, is left another 128 KiB.
TEST_P(Stack, OfTheMainThread) {
  for (const Way& way : ways)
    EXPECT_EQ(drive("ulimit -s " + std::to_string(way.stack + 128) + "; ACCUBLAS_ISA=" + GetParam() + " " DRIVER " " +
                    way.mode + " " + way.engine + " 0"),
              "done\n")
        << way.mode << " " << way.engine;
}

INSTANTIATE_TEST_SUITE_P(EveryLevel, Stack, ::testing::ValuesIn(levels()));
