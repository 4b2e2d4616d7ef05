// The precedence of settings as a user meets it: sub-processes under different environments.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

namespace {

/// Standard output and standard error of the driver under `environment`.
std::string drive(const std::string& environment, const std::string& arguments = "") {
  const std::string command = "env -u OMP_NUM_THREADS " + environment + " " DRIVER " " + arguments + " 2>&1";
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return "no pipe";
  std::array<char, 4096> buffer;
  while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), count);
  pclose(pipe);
  return output;
}

void expect(const std::string& output, const std::string& part) {
  EXPECT_NE(output.find(part), std::string::npos) << "missing: " << part << "\nin: " << output;
}

}  // namespace

TEST(Precedence, Build) { expect(drive(""), "create=0 dp sp dp dp status=0 mode=dp"); }

TEST(Precedence, Environment) {
  expect(drive("ACCUBLAS_MODE=cr"), "create=0 cr cr cr cr status=0 mode=cr engine=sums");
  expect(drive("ACCUBLAS_MODE=cr ACCUBLAS_DGEMM_MODE=fixed:60 ACCUBLAS_DOT_MODE=dot2"),
         "create=0 fixed:60 cr dot2 cr status=0 mode=dot2 engine=dot2");
  expect(drive("ACCUBLAS_MODE=sp ACCUBLAS_REPRODUCIBLE=1"),
         "dp:repro sp:repro dp:repro dp:repro status=0 mode=dp:repro");
  expect(drive("ACCUBLAS_SGEMM_MODE=native ACCUBLAS_GEMV_MODE=slices:3:fast"),
         "create=0 dp native dp slices:3:fast status=0");
  expect(drive("ACCUBLAS_MODE="), "create=0 dp sp dp dp status=0");
}

TEST(Precedence, ContextAndCall) {
  expect(drive("ACCUBLAS_MODE=cr ACCUBLAS_DOT_MODE=native", "set dot2"), "dot2 dot2 dot2 dot2 status=0 mode=dot2");
  expect(drive("ACCUBLAS_MODE=cr", "set dot2 family 2 fixed:99"), "dot2 dot2 fixed:99 dot2 status=0 mode=fixed:99");
  expect(drive("ACCUBLAS_MODE=cr", "set dot2 family 2 fixed:99 call native"),
         "fixed:99 dot2 status=0 mode=native engine=native");
}

TEST(Precedence, MessagesAreOneLine) {
  for (const char* variable : {"ACCUBLAS_MODE", "ACCUBLAS_ENGINE", "ACCUBLAS_NUM_THREADS"}) {
    const std::string output =
        drive(std::string(variable) + "=\"$(printf 'c\\nr\\033[1m')\" ACCUBLAS_ON_FAILURE=native");
    expect(output, "create=11");
    expect(output, std::string("accublas: ") + variable + "=c\\nr\\x1b[1m: ");
  }
}

TEST(Precedence, AWordThatARoutineLacks) {
  // In ACCUBLAS_MODE it leaves the routine at its build mode, and the verbose line says so; in a family's own it is an
  // error.
  const std::string output = drive("ACCUBLAS_MODE=tf32x3 ACCUBLAS_VERBOSE=1");
  expect(output, "create=0 dp tf32x3 dp dp status=0 mode=dp");
  expect(output, "accublas: ddot m=1 n=1 k=3 mode=dp");
  expect(output, "passed over");
  const std::string error = drive("ACCUBLAS_DOT_MODE=tf32x3 ACCUBLAS_ON_FAILURE=native");
  expect(error, "create=11");
  expect(error, "status=11 ACCUBLAS_DOT_MODE=tf32x3: DOT has no mode tf32x3; its modes are native, dp");
}

TEST(Precedence, InvalidWordsAreErrorsThatListTheWords) {
  std::string output = drive("ACCUBLAS_MODE=quick ACCUBLAS_ON_FAILURE=native");
  expect(output, "create=11");
  expect(output, "ACCUBLAS_MODE=quick: unknown mode 'quick'; the modes are native, dp, dp:repro");
  expect(output, "served by the real BLAS");
  output = drive("ACCUBLAS_ENGINE=fast ACCUBLAS_ON_FAILURE=native");
  expect(output, "ACCUBLAS_ENGINE=fast: unknown engine 'fast'; the engines are auto, native, int8");
  output = drive("ACCUBLAS_NUM_THREADS=x");
  expect(output, "accublas: ACCUBLAS_NUM_THREADS=x: must be");
  EXPECT_EQ(output.find("served"), std::string::npos) << "without ACCUBLAS_ON_FAILURE=native the process aborts";
}

TEST(Precedence, UnknownVariablesAreErrors) {
  std::string output = drive("ACCUBLAS_MOD=cr ACCUBLAS_ON_FAILURE=native");
  expect(output, "create=11");
  expect(output, "ACCUBLAS_MOD=cr: unknown variable; the variables are ACCUBLAS_DGEMM_MODE, ");
  expect(output, "served by the real BLAS");
  output = drive("ACCUBLAS_MOD=cr");
  expect(output, "accublas: ACCUBLAS_MOD=cr: unknown variable");
  EXPECT_EQ(output.find("served"), std::string::npos) << "without ACCUBLAS_ON_FAILURE=native the process aborts";
  expect(drive("ACCUBLAS_MOD= ACCUBLAS_ROOT=/opt ACCUBLAS_TEST_SCALE=1 ACCUBLAS_MODE=cr"), "status=0 mode=cr");
}

TEST(Precedence, WordsInCapitals) {
  expect(drive("ACCUBLAS_MODE=CR ACCUBLAS_GEMV_MODE=Slices:3:Fast ACCUBLAS_ENGINE=SUMS"),
         "create=0 cr cr cr slices:3:fast status=0 mode=cr engine=sums");
  expect(drive("ACCUBLAS_MODE=DP:REPRO ACCUBLAS_BACKEND=CPU", "call DOT2"), "status=0 mode=dot2 engine=dot2");
}

TEST(Precedence, OtherWords) {
  expect(drive("ACCUBLAS_NUM_THREADS=5"), "threads=5");
  expect(drive("ACCUBLAS_MODE=cr ACCUBLAS_ENGINE=dot2 ACCUBLAS_ON_FAILURE=native"),
         "status=3 engine dot2 cannot serve ddot in mode cr");
  expect(drive("ACCUBLAS_BACKEND=cpu"), "status=0");
  expect(drive("ACCUBLAS_DOT_MODE=native ACCUBLAS_VERBOSE=summary"),
         "accublas: ddot backend=cpu engine=native calls=1");
  expect(drive("ACCUBLAS_DOT_MODE=native ACCUBLAS_VERBOSE=Summary"),
         "accublas: ddot backend=cpu engine=native calls=1");
  expect(drive("ACCUBLAS_MODE=cr ACCUBLAS_VERBOSE=2"), "accublas: ddot m=1 n=1 k=3 mode=cr");
  EXPECT_EQ(drive("ACCUBLAS_VERBOSE=0").find("accublas:"), std::string::npos);
}
