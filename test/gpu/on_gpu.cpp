// on_gpu SERVED PROGRAM ARGUMENTS...: runs a program with ACCUBLAS_BACKEND=cuda, and fails where a routine of SERVED
// (dgemm,ddot; - for none) had no call served by the GPU, by the counters that the program and those it starts print at
// exit. Exit status 77 where there is no device, 1 where one is required (-Drequire_gpu=true, or
// ACCUBLAS_TEST_REQUIRE_GPU=1).
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

#include "accublas.h"

namespace {

/// The routine of a counter's line of calls on the GPU; empty for other lines.
std::string served_routine(const std::string& line) {
  std::istringstream words(line);
  std::string accublas, routine, backend, engine, calls;
  words >> accublas >> routine >> backend >> engine >> calls;
  return accublas == "accublas:" && backend == "backend=cuda" && calls.starts_with("calls=") ? routine : "";
}

/// Passes on what the program prints on standard error. Returns the routines that the GPU served.
std::set<std::string> pass_on(std::FILE* from) {
  std::set<std::string> served;
  std::string line;
  for (int c; (c = std::fgetc(from)) != EOF;) {
    std::fputc(c, stderr);
    if (c != '\n') {
      line += static_cast<char>(c);
    } else {
      served.insert(served_routine(line));
      line.clear();
    }
  }
  return served;
}

}  // namespace

int main(int count, char** arguments) {
  int32_t devices = 0;
  if (accublas_device_count(&devices) != ACCUBLAS_SUCCESS || devices == 0) {
    const char* required = std::getenv("ACCUBLAS_TEST_REQUIRE_GPU");
    const bool fail = required && required[0] == '1';
    std::fprintf(stderr, "no CUDA device%s\n", fail ? ", and one is required" : "");
    return fail ? 1 : 77;
  }
  if (count < 3) return 2;
  int ends[2];
  if (pipe(ends) != 0) return 2;
  const pid_t child = fork();
  if (child == 0) {
    setenv("ACCUBLAS_BACKEND", "cuda", 1);
    setenv("ACCUBLAS_VERBOSE", "summary", 1);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp(arguments[2], arguments + 2);
    std::perror(arguments[2]);
    _exit(2);
  }
  close(ends[1]);
  std::FILE* const from = fdopen(ends[0], "r");
  if (child < 0 || !from) return 2;
  const std::set<std::string> served = pass_on(from);
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 2;
  if (WEXITSTATUS(status) != 0) return WEXITSTATUS(status);
  std::istringstream wanted(arguments[1]);
  int missing = 0;
  for (std::string routine; std::getline(wanted, routine, ',');) {
    if (routine == "-" || served.count(routine) != 0) continue;
    std::fprintf(stderr, "on_gpu: no call of %s was served by the GPU\n", routine.c_str());
    ++missing;
  }
  return missing == 0 ? 0 : 1;
}
