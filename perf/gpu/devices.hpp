// Calls with operands in host memory that several devices share.
#pragma once

#include <string>
#include <vector>

#include "perf/gpu/data.hpp"

namespace gpu_bench {

struct SharedCalls {
  std::vector<int> devices;           ///< empty: all devices, or the only one twice
  std::vector<std::string> routines;  ///< dgemm, zgemm, dsyrk, dgetrf, dpotrf
  std::vector<Index> orders;
  std::vector<std::string> modes;
  std::string data;
  double room;  ///< GiB of each device's memory that calls may use; 0: all
  int repetitions;
};

/// Prints single calls on square matrices, in pinned and in pageable memory, on the first device and on all of them,
/// beside the copies and the computation alone, a model's prediction and the bytes that are copied. Returns whether the
/// two ways return the same bits in modes that define them and, for DGEMM on two devices without a limit of memory,
/// whether two are 1.8 times as fast as one at n = 32768.
bool print_devices(const SharedCalls& what);

}  // namespace gpu_bench
