// DGEMM on the GPU with operands in host memory.
#pragma once

#include <string>

namespace gpu_bench {

/// Prints single calls on square matrices, in pinned and in pageable memory, beside the copies alone (A and B to the
/// device, then C back, without a product).
void print_host(const std::string& data, int repetitions);

}  // namespace gpu_bench
