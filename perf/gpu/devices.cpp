#include "perf/gpu/devices.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
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

/// C = A B, or C = A A^T (dsyrk: its lower triangle), for square matrices; complex numbers are pairs of doubles.
/// Factorizations overwrite C, a copy of A.
struct Routine {
  std::string name;

  Index parts() const { return name == "zgemm" ? 2 : 1; }
  bool factors() const { return name == "dgetrf" || name == "dpotrf"; }
  /// Returns the number of n x n operands that are read.
  Index read() const { return name == "dsyrk" || factors() ? 1 : 2; }
  /// Prepares C for a call. All matrices are in host memory, or all on the device.
  void prepare(Index n, const double* a, double* c) const {
    if (!factors()) return;
    require(cudaMemcpy(c, a, static_cast<std::size_t>(n * n) * sizeof(double), cudaMemcpyDefault), "copy");
    require(cudaDeviceSynchronize(), "copy");
  }
  /// Makes A positive definite if the routine needs that.
  void make_definite(Index n, double* a) const {
    if (name != "dpotrf") return;
    const std::vector<double> diagonal(static_cast<std::size_t>(n), static_cast<double>(n));
    require(cudaMemcpy2D(a, static_cast<std::size_t>(n + 1) * sizeof(double), diagonal.data(), sizeof(double),
                         sizeof(double), static_cast<std::size_t>(n), cudaMemcpyDefault),
            "copy");
  }
  /// `pivots`: n integers where the matrices are.
  accublas_status call(const Context& context, Index n, const double* a, const double* b, double* c,
                       std::int64_t* pivots) const {
    const double one[2] = {1, 0}, zero[2] = {0, 0};
    std::int64_t info = 0;
    if (name == "dgetrf") return accublas_dgetrf(context, ACCUBLAS_COL_MAJOR, n, n, c, n, pivots, &info);
    if (name == "dpotrf") return accublas_dpotrf(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, n, c, n, &info);
    if (name == "dsyrk")
      return accublas_dsyrk(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, n, n, one, a, n, zero, c,
                            n);
    const auto gemm = [&](auto routine) {
      return routine(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, one, a, n, b, n, zero,
                     c, n);
    };
    return name == "zgemm" ? gemm(accublas_zgemm) : gemm(accublas_dgemm);
  }
};

/// Times call(), with prepare() before each of them.
double median_ms(
    int repetitions, const std::function<void()>& call, const std::function<void()>& prepare = [] {}) {
  prepare();
  call();
  std::vector<double> ms;
  for (int i = 0; i < repetitions; ++i) {
    prepare();
    ms.push_back(1e3 * seconds_of(call));
  }
  return median(ms);
}

/// Milliseconds of the product alone, with operands in device memory, and of the copies alone.
struct LeastTimes {
  double copies, compute;
};

/// Times the copies and the product alone on the first device, and fills the host's operands. Operands that do not fit
/// the device take its largest order n / 2^i that does: compute() and copies() are scaled by the numbers of operations
/// and of bytes.
class AloneTimes {
 public:
  AloneTimes(Routine routine, Index n, const matrices::Matrix& matrix)
      : routine_(std::move(routine)), n_(n), own_(fitting(routine_.parts() * n * n, n)) {
    fill(matrix, Side::a, routine_.parts() == 2, a_.data(), own_, own_, 1, up_);
    fill(matrix, Side::b, routine_.parts() == 2, b_.data(), own_, own_, 1, up_);
    up_.wait();
    routine_.make_definite(own_, a_.data());
  }
  /// Fills n x n matrices of the host with copies of the device's entries, one after another.
  void fill_host(double* a, double* b) const {
    const Index all = routine_.parts() * n_ * n_, own = numbers();
    for (const auto& [to, from] : {std::pair{a, a_.data()}, std::pair{b, b_.data()}})
      for (Index at = 0; at < all; at += own)
        require(cudaMemcpy(to + at, from, static_cast<std::size_t>(std::min(own, all - at)) * sizeof(double),
                           cudaMemcpyDeviceToHost),
                "copy");
    routine_.make_definite(n_, a);
  }
  double compute(const std::string& mode, int repetitions) const {
    const Context context(mode, up_, 0);
    const DeviceArray<std::int64_t> pivots(own_);
    const double scale = static_cast<double>(n_) / static_cast<double>(own_);
    return scale * scale * scale *
           median_ms(
               repetitions,
               [&] {
                 context.need(routine_.call(context, own_, a_.data(), b_.data(), c_.data(), pivots.data()));
                 up_.wait();
               },
               [&] { routine_.prepare(own_, a_.data(), c_.data()); });
  }
  /// The copies of all operands, in and out at the same time. The host's memory is pinned.
  double copies(const double* a, const double* b, double* c, int repetitions) const {
    const std::size_t bytes = static_cast<std::size_t>(numbers()) * sizeof(double);
    const double scale = static_cast<double>(n_) / static_cast<double>(own_);
    return scale * scale * median_ms(repetitions, [&] {
             require(cudaMemcpyAsync(c, c_.data(), bytes, cudaMemcpyDeviceToHost, down_), "copy");
             require(cudaMemcpyAsync(a_.data(), a, bytes, cudaMemcpyHostToDevice, up_), "copy");
             if (routine_.read() == 2)
               require(cudaMemcpyAsync(b_.data(), b, bytes, cudaMemcpyHostToDevice, up_), "copy");
             up_.wait();
             down_.wait();
           });
  }

 private:
  Index numbers() const { return routine_.parts() * own_ * own_; }
  /// Returns the largest of the orders n / 2^i whose three matrices take at most half of the free memory.
  static Index fitting(Index numbers, Index n) {
    std::size_t free = 0, total = 0;
    require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    for (; 6 * static_cast<std::size_t>(numbers) * sizeof(double) > free; numbers /= 4) n /= 2;
    return n;
  }

  Routine routine_;
  Index n_, own_;
  Stream up_, down_;
  DeviceArray<double> a_{numbers()}, b_{numbers()}, c_{numbers()};
};

class SharedRows {
 public:
  explicit SharedRows(const SharedCalls& what) : what_(what), matrix_(matrices::named(what.data)) {
    for (int device : what.devices) devices_.push_back(device);
    int count = 0;
    require(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    for (int device = 0; what.devices.empty() && device < count; ++device) devices_.push_back(device);
    if (devices_.size() == 1) devices_.push_back(devices_.front());
    distinct_ = static_cast<int>(std::set<int>(devices_.begin(), devices_.end()).size());
  }

  bool print() {
    std::printf("Calls with host operands, %s, devices", what_.data.c_str());
    for (int device : devices_) std::printf(" %d", device);
    if (what_.room > 0) std::printf(", %.1f GiB each", what_.room);
    std::printf("\n%-7s %6s %-8s %-9s %9s %9s %9s %9s %9s %6s %8s %8s %s\n", "routine", "n", "memory", "mode", "copies",
                "compute", "one", "all", "predicted", "ratio", "GB one", "GB all", "bits");
    for (const std::string& name : what_.routines)
      for (Index n : what_.orders) print_order({name}, n);
    return good_;
  }

 private:
  struct Operands {
    const double *a, *b;
    double *one, *all;
  };
  /// A call's time and the bytes that it copies between host and devices.
  struct Time {
    double ms, bytes;
  };

  void print_order(const Routine& routine, Index n) {
    const Index numbers = routine.parts() * n * n;
    std::vector<double> compute;
    double copies = 0;
    for (const bool pinned : {true, false}) {
      const HostArray a(numbers, pinned), b(numbers, pinned), one(numbers, pinned), all(numbers, pinned);
      {
        const AloneTimes limits(routine, n, matrix_);
        limits.fill_host(a.data(), b.data());
        if (pinned) {
          for (const std::string& mode : what_.modes) compute.push_back(limits.compute(mode, what_.repetitions));
          copies = limits.copies(a.data(), b.data(), one.data(), what_.repetitions);
        }
      }
      for (const HostArray* c : {&one, &all})  // SYRK leaves one triangle as it was
        std::memset(c->data(), 0, static_cast<std::size_t>(numbers) * sizeof(double));
      const Ballast ballast(devices_, what_.room);
      for (std::size_t i = 0; i < what_.modes.size(); ++i)
        print_row(routine, n, pinned, what_.modes[i], {copies, compute[i]},
                  {a.data(), b.data(), one.data(), all.data()});
    }
  }

  void print_row(const Routine& routine, Index n, bool pinned, const std::string& mode, const LeastTimes& least,
                 const Operands& x) {
    const Stream stream;
    const Context context(mode, stream, 1);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
    const auto time = [&](double* c) {
      const double ms = median_ms(
          what_.repetitions, [&] { context.need(routine.call(context, n, x.a, x.b, c, pivots.data())); },
          [&] { routine.prepare(n, x.a, c); });
      return Time{ms, static_cast<double>(context.report().copied_bytes)};
    };
    context.need(accublas_set_device(context, devices_.front()));
    const Time one = time(x.one);
    context.need(accublas_set_devices(context, static_cast<std::int32_t>(devices_.size()), devices_.data()));
    const Time all = time(x.all);
    const bool defined = mode == "cr" || mode.rfind("fixed", 0) == 0 || mode.find("repro") != mode.npos;
    const std::size_t bytes = static_cast<std::size_t>(routine.parts() * n * n) * sizeof(double);
    const bool same = std::memcmp(x.one, x.all, bytes) == 0;
    const double ratio = one.ms / all.ms;
    // The model: devices compute equal parts, and each has a link as fast as the first one's, over which it copies an
    // equal part of the bytes that were counted. The longer of the two hides the other.
    const double per_byte = least.copies / (static_cast<double>(routine.read() + 1) * static_cast<double>(bytes));
    const double predicted = std::max(least.compute, all.bytes * per_byte) / distinct_;
    std::printf("%-7s %6lld %-8s %-9s %9.2f %9.2f %9.2f %9.2f %9.2f %6.2f %8.2f %8.2f %s\n", routine.name.c_str(),
                static_cast<long long>(n), pinned ? "pinned" : "pageable", mode.c_str(), least.copies, least.compute,
                one.ms, all.ms, predicted, ratio, one.bytes / 1e9, all.bytes / 1e9,
                same      ? "same"
                : defined ? "DIFFERENT"
                          : "free");
    std::fflush(stdout);
    const bool judged =
        distinct_ == 2 && devices_.size() == 2 && what_.room <= 0 && n == wanted_order && routine.name == "dgemm";
    if ((defined && !same) || (judged && ratio < wanted_ratio)) good_ = false;
  }

  const SharedCalls& what_;
  const matrices::Matrix matrix_;
  std::vector<std::int32_t> devices_;
  int distinct_;  ///< devices, each counted once
  bool good_ = true;
};

}  // namespace

bool print_devices(const SharedCalls& what) { return SharedRows(what).print(); }

}  // namespace gpu_bench
