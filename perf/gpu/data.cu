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

template <class T>
__global__ void fill_kernel(Data data, bool is_a, T* to, Index lines, Index k) {
  const Index count = lines * k, step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index q = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; q < count; q += step) {
    const Index line = is_a ? q % lines : q / k, p = is_a ? q / lines : q % k;
    to[q] = static_cast<T>(entry<T>(data, is_a, line, lines, p, k, static_cast<std::uint64_t>(q)));
  }
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

void fill_bytes(std::int8_t* to, Index count, std::uint64_t seed, cudaStream_t stream) {
  bytes_kernel<<<1024, 256, 0, stream>>>(to, count, seed);
  check("bytes");
}

}  // namespace gpu_bench
