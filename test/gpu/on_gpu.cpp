// on_gpu PROGRAM ARGUMENTS...: runs a program with ACCUBLAS_BACKEND=cuda. Exit status 77 where there is no device, 1
// where one is required (-Drequire_gpu=true, or ACCUBLAS_REQUIRE_GPU=1).
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "accublas.h"

int main(int count, char** arguments) {
  int32_t devices = 0;
  if (accublas_device_count(&devices) != ACCUBLAS_SUCCESS || devices == 0) {
    const char* required = std::getenv("ACCUBLAS_REQUIRE_GPU");
    const bool fail = required && required[0] == '1';
    std::fprintf(stderr, "no CUDA device%s\n", fail ? ", and one is required" : "");
    return fail ? 1 : 77;
  }
  if (count < 2) return 2;
  setenv("ACCUBLAS_BACKEND", "cuda", 1);
  execvp(arguments[1], arguments + 1);
  std::perror(arguments[1]);
  return 2;
}
