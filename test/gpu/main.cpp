// main() of the GPU tests: without a device they are skipped (exit status 77), or fail where one is required
// (-Drequire_gpu=true, or ACCUBLAS_TEST_REQUIRE_GPU=1).
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    const char* required = std::getenv("ACCUBLAS_TEST_REQUIRE_GPU");
    const bool fail = required && required[0] == '1';
    std::fprintf(stderr, "no CUDA device%s\n", fail ? ", and one is required" : "");
    return fail ? 1 : 77;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
