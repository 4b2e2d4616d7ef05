// The drop-in's calls of CUDA's driver, which a program that calls cuBLAS has loaded.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace accublas::cublas {

/// Returns the current device, or -1 if there is no driver or no device is current.
int current_device() noexcept;

/// Reads a number from device memory after the work that the stream has. Returns false if that is not possible, as in a
/// capture.
bool read_number(void* to, const void* from, std::size_t bytes, cudaStream_t stream) noexcept;

/// Copies a column-major matrix in stream order, or at once if it is in host memory. Leading dimensions are in bytes.
bool copy_matrix(std::int64_t row_bytes, std::int64_t cols, const void* from, std::int64_t ld_from, void* to,
                 std::int64_t ld_to, cudaStream_t stream) noexcept;

}  // namespace accublas::cublas
