// The drop-in's questions to CUDA's driver, which a program that calls cuBLAS has loaded.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace accublas::cublas {

/// The current device; -1 where there is no driver or none is current.
int current_device() noexcept;

/// Reads a number from device memory when the stream has come so far; false where that cannot be, as in capture.
bool read_number(void* to, const void* from, std::size_t bytes, cudaStream_t stream) noexcept;

/// Copies a column-major matrix in stream order, or at once where it lies in host memory; leading dimensions in bytes.
bool copy_matrix(std::int64_t row_bytes, std::int64_t cols, const void* from, std::int64_t ld_from, void* to,
                 std::int64_t ld_to, cudaStream_t stream) noexcept;

}  // namespace accublas::cublas
