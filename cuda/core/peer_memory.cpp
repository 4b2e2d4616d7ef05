#include "cuda/core/peer_memory.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "cuda/core/device.hpp"
#include "cuda/core/pool_memory.hpp"
#include "cuda/core/stream.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda {

namespace {

/// A matrix of numbers in memory of calls.
class TrialMatrix {
 public:
  static constexpr Index edge = 512;
  static constexpr std::size_t bytes = edge * edge * sizeof(double);

  explicit TrialMatrix(int device) : scope_(device), memory_(device, stream_, bytes) {}
  ~TrialMatrix() { cudaStreamSynchronize(stream_); }
  TrialMatrix(const TrialMatrix&) = delete;
  TrialMatrix& operator=(const TrialMatrix&) = delete;

  void set(const std::vector<double>& x) const { move(memory_.data(), x.data()); }
  void get(std::vector<double>& x) const { move(x.data(), memory_.data()); }
  Matrix<double> matrix() const { return {reinterpret_cast<double*>(memory_.data()), 1, edge}; }
  cudaStream_t stream() const { return stream_; }

 private:
  void move(void* to, const void* from) const {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "a trial of copies between devices");
    check(cudaStreamSynchronize(stream_), "a trial of copies between devices");
  }

  const DeviceScope scope_;
  const OwnStream stream_;
  const PoolMemory memory_;
};

/// Tries a copy of a part of a matrix.
bool copy_arrives(int from, int to) {
  constexpr Index edge = TrialMatrix::edge, part = edge - 7;
  std::vector<double> sent(TrialMatrix::bytes / sizeof(double)), got(sent.size(), 0);
  std::iota(sent.begin(), sent.end(), 1.0);
  const TrialMatrix target(to);
  target.set(got);
  {
    const TrialMatrix source(from);
    source.set(sent);
    copy_between(source.matrix(), from, target.matrix(), to, part, edge, source.stream());
    check(cudaStreamSynchronize(source.stream()), "a trial of copies between devices");
  }
  target.get(got);
  for (Index j = 0; j < edge; ++j)
    for (Index i = 0; i < edge; ++i) {
      const auto at = static_cast<std::size_t>(i + j * edge);
      if (got[at] != (i < part ? sent[at] : 0)) return false;
    }
  return true;
}

bool copies_arrive(int device, int other) {
  try {
    return copy_arrives(device, other) && copy_arrives(other, device);
  } catch (const Error& error) {
    if (error.status() == ACCUBLAS_ERROR_MEMORY) throw;
    return false;
  }
}

bool find_copies(int device, int other) {
  int there = 0, back = 0;
  check(cudaDeviceCanAccessPeer(&there, device, other), "cudaDeviceCanAccessPeer");
  check(cudaDeviceCanAccessPeer(&back, other, device), "cudaDeviceCanAccessPeer");
  const bool accesses =
      there != 0 && back != 0 && set_peer_access(device, other, true) && set_peer_access(other, device, true);
  if (accesses && copies_arrive(device, other)) return true;
  set_peer_access(device, other, false);
  set_peer_access(other, device, false);
  return copies_arrive(device, other);
}

}  // namespace

bool exchange_memory(int device, int other) {
  if (device == other) return true;
  static std::mutex mutex;
  static auto* const known = new std::map<std::pair<int, int>, bool>;
  const std::lock_guard<std::mutex> lock(mutex);
  const std::pair<int, int> devices = std::minmax(device, other);
  const auto found = known->find(devices);
  if (found != known->end()) return found->second;
  return (*known)[devices] = find_copies(devices.first, devices.second);
}

}  // namespace accublas::cuda
