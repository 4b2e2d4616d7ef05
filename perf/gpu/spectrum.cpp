#include "perf/gpu/spectrum.hpp"

#include <cusolverDn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

#include "perf/gpu/context.hpp"
#include "perf/gpu/device.hpp"
#include "perf/gpu/library.hpp"
#include "perf/gpu/measure.hpp"

namespace gpu_bench {
namespace {

/// The most that certified eigenvalues with vectors may take, times cuSOLVER's syevd with vectors.
constexpr double most_times = 2.5;
constexpr double most_seconds = 4;  ///< of the measurements of one routine, after the first

/// cuSOLVER's eigenvectors by divide and conquer, and singular vectors by the polar decomposition.
class SpectrumSolver {
 public:
  explicit SpectrumSolver(cudaStream_t stream) {
    library_.get(create_, "cusolverDnCreate");
    library_.get(destroy_, "cusolverDnDestroy");
    library_.get(set_stream_, "cusolverDnSetStream");
    library_.get(syevd_bytes_, "cusolverDnXsyevd_bufferSize");
    library_.get(syevd_, "cusolverDnXsyevd");
    library_.get(gesvdp_bytes_, "cusolverDnXgesvdp_bufferSize");
    library_.get(gesvdp_, "cusolverDnXgesvdp");
    library_.get(create_params_, "cusolverDnCreateParams");
    library_.get(destroy_params_, "cusolverDnDestroyParams");
    need(create_(&handle_));
    need(set_stream_(handle_, stream));
    need(create_params_(&params_));
  }
  ~SpectrumSolver() {
    destroy_params_(params_);
    destroy_(handle_);
  }
  SpectrumSolver(const SpectrumSolver&) = delete;
  SpectrumSolver& operator=(const SpectrumSolver&) = delete;

  void eigenvectors(Index n, double* a, double* w) {
    std::size_t bytes[2];
    need(syevd_bytes_(handle_, params_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, CUDA_R_64F, a, n,
                      CUDA_R_64F, w, CUDA_R_64F, bytes, bytes + 1));
    take(bytes);
    need(syevd_(handle_, params_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, CUDA_R_64F, a, n, CUDA_R_64F, w,
                CUDA_R_64F, device_->data(), bytes[0], host_.data(), bytes[1], info_.data()));
  }
  void singular_vectors(Index n, double* a, double* s, double* u, double* v) {
    std::size_t bytes[2];
    double perturbation = 0;
    need(gesvdp_bytes_(handle_, params_, CUSOLVER_EIG_MODE_VECTOR, 1, n, n, CUDA_R_64F, a, n, CUDA_R_64F, s, CUDA_R_64F,
                       u, n, CUDA_R_64F, v, n, CUDA_R_64F, bytes, bytes + 1));
    take(bytes);
    need(gesvdp_(handle_, params_, CUSOLVER_EIG_MODE_VECTOR, 1, n, n, CUDA_R_64F, a, n, CUDA_R_64F, s, CUDA_R_64F, u, n,
                 CUDA_R_64F, v, n, CUDA_R_64F, device_->data(), bytes[0], host_.data(), bytes[1], info_.data(),
                 &perturbation));
  }

 private:
  static void need(cusolverStatus_t status) {
    if (status != CUSOLVER_STATUS_SUCCESS)
      throw std::runtime_error("cuSOLVER status " + std::to_string(static_cast<int>(status)));
  }
  /// Makes room for the workspaces of a call, on the device and on the host.
  void take(const std::size_t (&bytes)[2]) {
    if (!device_ || bytes[0] > device_bytes_) device_.emplace(static_cast<Index>(std::max<std::size_t>(bytes[0], 1)));
    device_bytes_ = std::max(device_bytes_, bytes[0]);
    if (host_.size() <= bytes[1]) host_.resize(bytes[1] + 1);
  }

  Library library_{"libcusolver"};
  decltype(&cusolverDnCreate) create_;
  decltype(&cusolverDnDestroy) destroy_;
  decltype(&cusolverDnSetStream) set_stream_;
  decltype(&cusolverDnXsyevd_bufferSize) syevd_bytes_;
  decltype(&cusolverDnXsyevd) syevd_;
  decltype(&cusolverDnXgesvdp_bufferSize) gesvdp_bytes_;
  decltype(&cusolverDnXgesvdp) gesvdp_;
  decltype(&cusolverDnCreateParams) create_params_;
  decltype(&cusolverDnDestroyParams) destroy_params_;
  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t params_ = nullptr;
  std::size_t device_bytes_ = 0;
  std::optional<DeviceArray<char>> device_;
  std::vector<char> host_;
  DeviceArray<int> info_{1};
};

/// Returns the median of wall times, in ms, of calls on fresh copies of A, since certified calls wait for the device.
/// The first call is not counted.
template <class Call>
double time_of(const Stream& stream, const DeviceArray<double>& kept, const DeviceArray<double>& a, Index count,
               int repetitions, Call&& call) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> ms;
  double all = 0;
  for (int round = 0; round <= repetitions && all < most_seconds * 1e3; ++round) {
    require(cudaMemcpyAsync(a.data(), kept.data(), static_cast<std::size_t>(count) * sizeof(double),
                            cudaMemcpyDeviceToDevice, stream),
            "operands");
    stream.wait();
    const Clock::time_point start = Clock::now();
    call();
    stream.wait();
    const double time = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (round == 0) continue;
    ms.push_back(time);
    all += time;
  }
  return median(ms);
}

bool measure(Index n, int repetitions) {
  const Stream stream;
  const DeviceArray<double> kept(n * n), a(n * n), u(n * n), v(n * n), w(n), radius(n), angle(n);
  const DeviceArray<std::int64_t> cluster(n);
  fill_random(Side::a, kept.data(), n, n, stream);
  SpectrumSolver cusolver(stream);
  const Context context("dp", stream, 0);
  accublas_certificate_t certificate{};
  certificate.struct_size = sizeof certificate;
  const auto print = [&](const char* name, double theirs, double ours, bool judged) {
    const bool met = !judged || ours <= most_times * theirs;
    std::printf("%-17s %6lld  cusolver %9.1f ms  certified %9.1f ms  %6.2f times, %d steps", name,
                static_cast<long long>(n), theirs, ours, ours / theirs, static_cast<int>(certificate.iterations));
    if (judged) std::printf("  target %g: %s", most_times, met ? "met" : "NOT MET");
    std::printf("\n");
    std::fflush(stdout);
    return met;
  };
  const auto time = [&](auto&& call) { return time_of(stream, kept, a, n * n, repetitions, call); };
  const double eigenvectors = time([&] { cusolver.eigenvectors(n, a.data(), w.data()); });
  const double certified = time([&] {
    context.need(accublas_dsyev_certified(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_VECTORS, ACCUBLAS_UPPER, n, a.data(), n,
                                          w.data(), radius.data(), v.data(), n, angle.data(), cluster.data(),
                                          &certificate));
  });
  const bool met = print("dsyev_certified", eigenvectors, certified, true);
  const double singular = time([&] { cusolver.singular_vectors(n, a.data(), w.data(), u.data(), v.data()); });
  const double certified_singular = time([&] {
    context.need(accublas_dgesvd_certified(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_VECTORS, n, n, a.data(), n, w.data(),
                                           radius.data(), u.data(), n, v.data(), n, angle.data(), cluster.data(),
                                           &certificate));
  });
  print("dgesvd_certified", singular, certified_singular, false);
  return met;
}

}  // namespace

bool print_spectra(const std::vector<Index>& orders, int repetitions) {
  bool met = true;
  for (const Index n : orders) met = measure(n, repetitions) && met;
  return met;
}

}  // namespace gpu_bench
