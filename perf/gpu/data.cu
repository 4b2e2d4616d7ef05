#include <cuda_fp16.h>

#include <stdexcept>
#include <vector>

#include "perf/gpu/data.hpp"

namespace gpu_bench {
namespace {

using matrices::hash;
using matrices::spread;
using matrices::uniform;

enum class RowKind { phi, condition, ties };

/// Entry p of a row, of a number of its own for every index.
template <class T>
__device__ double row_entry(RowKind kind, double phi, bool root, Index p, Index k, std::uint64_t seed,
                            std::uint64_t index) {
  const Index half = k / 2;
  switch (kind) {
    case RowKind::phi:
      return spread(phi, seed, index);
    case RowKind::condition: {
      if (p == 0) return scalbn(1 + uniform(hash(seed) + index), -25);
      const bool second = p >= half && p < 2 * half;
      const double u = uniform(hash(seed) + index - (second ? static_cast<std::uint64_t>(half) : 0)) - 0.5;
      return second ? -u : u;
    }
    case RowKind::ties: {
      constexpr int digits = sizeof(T) == 8 ? 53 : 24;
      if (root) {  // (2^digits + 1)^2
        const bool odd = digits % 2 != 0;
        return p == 0   ? ldexp(1.0, digits)
               : p == 1 ? ldexp(1.0, (digits + 1) / 2)
               : p == 2 ? (odd ? 1.0 : ldexp(1.0, digits / 2))
               : p == 3 ? (odd ? 0.0 : 1.0)
                        : 0.0;
      }
      return p == 0 ? 1 : p == 1 ? ldexp(1.0, -digits) : 0;
    }
  }
  return 0;
}

/// The other operand: what the rows' cancellation asks for.
__device__ double other_entry(RowKind kind, double phi, Index p, Index k) {
  const Index half = k / 2;
  switch (kind) {
    case RowKind::phi:
      return spread(phi, 2, static_cast<std::uint64_t>(p));
    case RowKind::condition:
      if (p == 0) return 0.4 * 3.14159265358979 * static_cast<double>(k) * 0x1p-30;
      if (p == half) return 0;
      return spread(1, 2, static_cast<std::uint64_t>(p > half && p < 2 * half ? p - half : p));
    case RowKind::ties:
      return 1;
  }
  return 0;
}

template <class T>
__global__ void rows_kernel(RowKind kind, double phi, bool root, T* a, Index rows, Index k, Index row_stride,
                            Index k_stride, T* x) {
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x,
              start = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (Index q = start; q < rows * k; q += step) {
    const Index i = q / k, p = q % k;
    a[i * row_stride + p * k_stride] =
        static_cast<T>(row_entry<T>(kind, phi, root, p, k, 1, static_cast<std::uint64_t>(q)));
  }
  for (Index p = start; x && p < k; p += step) x[p] = static_cast<T>(other_entry(kind, phi, p, k));
}

template <class T>
__global__ void fill_kernel(matrices::Formula formula, bool complex, T* to, Index count) {
  const int parts = complex ? 2 : 1;
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x, size = formula.rows * formula.columns;
  for (Index q = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; q < count * size; q += step) {
    formula.number = q / size;
    const Index i = q % size % formula.rows, j = q % size / formula.rows;
    for (int part = 0; part < parts; ++part)
      to[parts * q + part] =
          static_cast<T>(complex ? complex_entry(formula.kind, formula, i, j, part) : formula(i, j, 0));
  }
}

__global__ void half_kernel(const float* from, std::uint16_t* to, Index count) {
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += Index{gridDim.x} * blockDim.x)
    to[i] = __half_as_ushort(__float2half_rn(from[i]));
}

__global__ void bytes_kernel(std::int8_t* to, Index count, std::uint64_t seed) {
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index q = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; q < count; q += step)
    to[q] = static_cast<std::int8_t>(hash(hash(seed) + static_cast<std::uint64_t>(q)));
}

void check(const char* what) {
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace

template <class T>
void fill(const matrices::Matrix& matrix, Side side, bool complex, T* to, Index rows, Index columns, Index count,
          cudaStream_t stream) {
  if (!matrix.file) {
    const matrices::Formula formula{matrix.kind, matrix.parameter, side, sizeof(T) == 4, rows, columns};
    fill_kernel<<<1024, 256, 0, stream>>>(formula, complex, to, count);
    return check("data");
  }
  std::vector<T> entries(static_cast<std::size_t>((complex ? 2 : 1) * rows * columns));
  matrices::fill(matrix, side, complex, entries.data(), rows, columns);
  for (Index q = 0; q < count; ++q)
    cudaMemcpyAsync(to + q * static_cast<Index>(entries.size()), entries.data(), entries.size() * sizeof(T),
                    cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
  check("data");
}
template void fill(const matrices::Matrix&, Side, bool, double*, Index, Index, Index, cudaStream_t);
template void fill(const matrices::Matrix&, Side, bool, float*, Index, Index, Index, cudaStream_t);

template <class T>
void fill_rows(const std::string& kind, bool root, T* a, Index rows, Index k, Index row_stride, Index k_stride, T* x,
               cudaStream_t stream) {
  const bool condition = kind == "condition:1e16", ties = kind == "ties";
  const RowKind which = condition ? RowKind::condition : ties ? RowKind::ties : RowKind::phi;
  const double phi = which == RowKind::phi ? matrices::named(kind).parameter : 0;
  rows_kernel<<<1024, 256, 0, stream>>>(which, phi, root, a, rows, k, row_stride, k_stride, x);
  check("data");
}
template void fill_rows(const std::string&, bool, double*, Index, Index, Index, Index, double*, cudaStream_t);
template void fill_rows(const std::string&, bool, float*, Index, Index, Index, Index, float*, cudaStream_t);

void to_half(const float* from, std::uint16_t* to, Index count, cudaStream_t stream) {
  half_kernel<<<1024, 256, 0, stream>>>(from, to, count);
  check("halves");
}

void fill_bytes(std::int8_t* to, Index count, std::uint64_t seed, cudaStream_t stream) {
  bytes_kernel<<<1024, 256, 0, stream>>>(to, count, seed);
  check("bytes");
}

}  // namespace gpu_bench
