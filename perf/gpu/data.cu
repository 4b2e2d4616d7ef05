#include <cuda_fp16.h>

#include <stdexcept>

#include "perf/gpu/data.hpp"

namespace gpu_bench {
namespace {

/// SplitMix64's finaliser: a number for every index, in any order.
__device__ std::uint64_t hash(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}
__device__ double uniform(std::uint64_t x) { return (static_cast<double>(hash(x) >> 11) + 0.5) * 0x1p-53; }

__device__ double spread(double phi, std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t x = hash(seed) + 3 * index;
  const double normal = sqrt(-2 * log(uniform(x + 1))) * cospi(2 * uniform(x + 2));
  return (uniform(x) - 0.5) * exp(phi * normal);
}

/// Entry (line, p) of a side. In `ties` the products of p = 0 fill the format and one bit more, 1 * 1 of p = 1 sets
/// that last bit, all others add even numbers.
template <class T>
__device__ double entry(const Data& data, bool is_a, Index line, Index lines, Index p, Index k, std::uint64_t index) {
  constexpr bool single = sizeof(T) == 4;
  const std::uint64_t seed = is_a ? 1 : 2;
  switch (data.kind) {
    case DataKind::phi:
      return spread(data.phi, seed, index);
    case DataKind::block_diagonal: {
      const Index block = p * 8 / k;
      if (line * 8 / lines != block) return 0;
      const int range = single ? 20 : 40;
      return scalbn(spread(1, seed, index), static_cast<int>(hash(100 * seed + block) % (2 * range + 1)) - range);
    }
    case DataKind::triangular:
      return line < p ? 0 : spread(1, seed, index);
    case DataKind::ties: {
      const double large = single ? 4390 : 101709100;  // near 2^12.1, 2^26.6
      const std::uint64_t x = hash(seed) + index;
      if (p == 0) return large + 2 * floor(0.07 * large * uniform(x));
      if (p == 1) return 1;
      return is_a ? 2 * (static_cast<double>(hash(x) % 5) - 2) : static_cast<double>(hash(x) % 7) - 3;
    }
  }
  return 0;
}

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
__global__ void fill_kernel(Data data, bool is_a, T* to, Index lines, Index k) {
  const Index count = lines * k, step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index q = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; q < count; q += step) {
    const Index line = is_a ? q % lines : q / k, p = is_a ? q / lines : q % k;
    to[q] = static_cast<T>(entry<T>(data, is_a, line, lines, p, k, static_cast<std::uint64_t>(q)));
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

Data parse_data(const std::string& word) {
  if (word == "block-diagonal") return {DataKind::block_diagonal, 0};
  if (word == "triangular") return {DataKind::triangular, 0};
  if (word == "ties") return {DataKind::ties, 0};
  std::size_t used = 0;
  if (word.rfind("phi:", 0) == 0) {
    const double phi = std::stod(word.substr(4), &used);
    if (used + 4 == word.size()) return {DataKind::phi, phi};
  }
  throw std::runtime_error("unknown data " + word + "; known: phi:X, block-diagonal, triangular, ties");
}

template <class T>
void fill(const Data& data, Side side, T* to, Index lines, Index k, cudaStream_t stream) {
  fill_kernel<<<1024, 256, 0, stream>>>(data, side == Side::a, to, lines, k);
  check("data");
}
template void fill(const Data&, Side, double*, Index, Index, cudaStream_t);
template void fill(const Data&, Side, float*, Index, Index, cudaStream_t);

template <class T>
void fill_rows(const std::string& kind, bool root, T* a, Index rows, Index k, Index row_stride, Index k_stride, T* x,
               cudaStream_t stream) {
  const bool condition = kind == "condition:1e16", ties = kind == "ties";
  const RowKind which = condition ? RowKind::condition : ties ? RowKind::ties : RowKind::phi;
  const double phi = which == RowKind::phi ? parse_data(kind).phi : 0;
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
