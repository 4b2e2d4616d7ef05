#include "perf/gpu/devices.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "perf/gpu/context.hpp"
#include "perf/gpu/host_array.hpp"

namespace gpu_bench {
namespace {

constexpr double wanted_ratio = 1.8;
constexpr Index wanted_order = 32768;

/// Occupies all device memory but `room` GiB, which calls may use.
class Ballast {
 public:
  Ballast(const std::vector<int>& devices, double room) {
    if (room <= 0) return;
    for (int device : std::set<int>(devices.begin(), devices.end())) {
      require(cudaSetDevice(device), "cudaSetDevice");
      std::size_t free = 0, total = 0;
      require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
      const auto left = static_cast<std::size_t>(room * 0x1p30);
      if (free > left) held_.push_back(std::make_unique<DeviceArray<unsigned char>>(free - left));
    }
    require(cudaSetDevice(devices.front()), "cudaSetDevice");
  }

 private:
  std::vector<std::unique_ptr<DeviceArray<unsigned char>>> held_;
};

accublas_status multiply(const Context& context, Index n, const double* a, const double* b, double* c) {
  const double one = 1, zero = 0;
  return accublas_dgemm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, &one, a, n, b, n,
                        &zero, c, n);
}

double median_ms(int repetitions, const std::function<void()>& call) {
  call();
  std::vector<double> ms;
  for (int i = 0; i < repetitions; ++i) ms.push_back(1e3 * seconds_of(call));
  return median(ms);
}

struct LeastTimes {
  double copies, compute;
};

/// Times the copies and the product alone, and fills the host's operands.
class AloneTimes {
 public:
  AloneTimes(Index n, const std::string& data) : n_(n), bytes_(static_cast<std::size_t>(n * n) * sizeof(double)) {
    const matrices::Matrix matrix = matrices::named(data);
    fill(matrix, Side::a, false, a_.data(), n, n, 1, up_);
    fill(matrix, Side::b, false, b_.data(), n, n, 1, up_);
    up_.wait();
  }
  void fill_host(double* a, double* b) const {
    require(cudaMemcpy(a, a_.data(), bytes_, cudaMemcpyDeviceToHost), "copy");
    require(cudaMemcpy(b, b_.data(), bytes_, cudaMemcpyDeviceToHost), "copy");
  }
  double compute(const std::string& mode, int repetitions) const {
    const Context context(mode, up_, 0);
    return median_ms(repetitions, [&] {
      context.need(multiply(context, n_, a_.data(), b_.data(), c_.data()));
      up_.wait();
    });
  }
  /// The copies to and from pinned memory.
  double copies(const double* a, const double* b, double* c, int repetitions) const {
    return median_ms(repetitions, [&] {
      require(cudaMemcpyAsync(c, c_.data(), bytes_, cudaMemcpyDeviceToHost, down_), "copy");
      require(cudaMemcpyAsync(a_.data(), a, bytes_, cudaMemcpyHostToDevice, up_), "copy");
      require(cudaMemcpyAsync(b_.data(), b, bytes_, cudaMemcpyHostToDevice, up_), "copy");
      up_.wait();
      down_.wait();
    });
  }

 private:
  Index n_;
  std::size_t bytes_;
  Stream up_, down_;
  DeviceArray<double> a_{n_ * n_}, b_{n_ * n_}, c_{n_ * n_};
};

class SharedRows {
 public:
  explicit SharedRows(const SharedProducts& what) : what_(what) {
    for (int device : what.devices) devices_.push_back(device);
    int count = 0;
    require(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    for (int device = 0; what.devices.empty() && device < count; ++device) devices_.push_back(device);
    if (devices_.size() == 1) devices_.push_back(devices_.front());
  }

  bool print() {
    std::printf("DGEMM with host operands, %s, devices", what_.data.c_str());
    for (int device : devices_) std::printf(" %d", device);
    if (what_.room > 0) std::printf(", %.1f GiB each", what_.room);
    std::printf("\n%6s %-8s %-9s %9s %9s %9s %9s %6s %6s %s\n", "n", "memory", "mode", "copies", "compute", "one",
                "all", "ratio", "limit", "bits");
    for (Index n : what_.orders) print_order(n);
    return good_;
  }

 private:
  void print_order(Index n) {
    std::vector<double> compute;
    double copies = 0;
    for (const bool pinned : {true, false}) {
      const HostArray a(n * n, pinned), b(n * n, pinned), one(n * n, pinned), all(n * n, pinned);
      {
        const AloneTimes limits(n, what_.data);
        limits.fill_host(a.data(), b.data());
        if (pinned) {
          for (const std::string& mode : what_.modes) compute.push_back(limits.compute(mode, what_.repetitions));
          copies = limits.copies(a.data(), b.data(), one.data(), what_.repetitions);
        }
      }
      const Ballast ballast(devices_, what_.room);
      for (std::size_t i = 0; i < what_.modes.size(); ++i)
        print_row(n, pinned, what_.modes[i], {copies, compute[i]}, a.data(), b.data(), one.data(), all.data());
    }
  }

  void print_row(Index n, bool pinned, const std::string& mode, const LeastTimes& limits, const double* a,
                 const double* b, double* one, double* all) {
    const Stream stream;
    const Context context(mode, stream, 0);
    context.need(accublas_set_device(context, devices_.front()));
    const double alone = median_ms(what_.repetitions, [&] { context.need(multiply(context, n, a, b, one)); });
    context.need(accublas_set_devices(context, static_cast<std::int32_t>(devices_.size()), devices_.data()));
    const double shared = median_ms(what_.repetitions, [&] { context.need(multiply(context, n, a, b, all)); });
    const bool defined = mode == "cr" || mode.rfind("fixed", 0) == 0 || mode.find("repro") != mode.npos;
    const bool same = std::memcmp(one, all, static_cast<std::size_t>(n * n) * sizeof(double)) == 0;
    const double ratio = alone / shared;
    std::printf("%6lld %-8s %-9s %9.2f %9.2f %9.2f %9.2f %6.2f %6.2f %s\n", static_cast<long long>(n),
                pinned ? "pinned" : "pageable", mode.c_str(), limits.copies, limits.compute, alone, shared, ratio,
                alone / std::max(limits.copies, limits.compute),
                same      ? "same"
                : defined ? "DIFFERENT"
                          : "free");
    std::fflush(stdout);
    const bool two = devices_.size() == 2 && devices_[0] != devices_[1];
    if ((defined && !same) || (two && what_.room <= 0 && n == wanted_order && ratio < wanted_ratio)) good_ = false;
  }

  const SharedProducts& what_;
  std::vector<std::int32_t> devices_;
  bool good_ = true;
};

}  // namespace

bool print_devices(const SharedProducts& what) { return SharedRows(what).print(); }

}  // namespace gpu_bench
