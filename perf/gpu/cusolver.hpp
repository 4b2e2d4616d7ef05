// cuSOLVER's factorizations, loaded at run time.
#pragma once

#include <cusolverDn.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "perf/gpu/data.hpp"
#include "perf/gpu/device.hpp"
#include "perf/gpu/library.hpp"

namespace gpu_bench {

/// The solution, with one right-hand side, stands beside cuSOLVER's by LU. wide_lu: four columns for each row.
enum class FactorKind { lu, cholesky, qr, certified, wide_lu };
inline constexpr FactorKind factor_kinds[] = {FactorKind::lu, FactorKind::cholesky, FactorKind::qr,
                                              FactorKind::certified, FactorKind::wide_lu};
/// Returns how many rows a matrix of n columns has.
constexpr Index rows_of(FactorKind kind, Index n) {
  return kind == FactorKind::wide_lu ? std::max(n / 4, Index{1}) : n;
}
constexpr const char* name_of(FactorKind kind) {
  return kind == FactorKind::lu         ? "dgetrf"
         : kind == FactorKind::cholesky ? "dpotrf"
         : kind == FactorKind::qr       ? "dgeqrf"
         : kind == FactorKind::wide_lu  ? "dgetrf_wide"
                                        : "dgesv_certified";
}

class CuSolver {
 public:
  /// For calls of order n at most, and QR of up to max(n, rows) x n.
  CuSolver(cudaStream_t stream, Index n, double* a, Index rows = 0) {
    library_.get(create_, "cusolverDnCreate");
    library_.get(destroy_, "cusolverDnDestroy");
    library_.get(set_stream_, "cusolverDnSetStream");
    library_.get(create_params_, "cusolverDnCreateParams");
    library_.get(destroy_params_, "cusolverDnDestroyParams");
    library_.get(getrf_bytes_, "cusolverDnXgetrf_bufferSize");
    library_.get(potrf_bytes_, "cusolverDnXpotrf_bufferSize");
    library_.get(geqrf_bytes_, "cusolverDnXgeqrf_bufferSize");
    library_.get(geqrf_, "cusolverDnXgeqrf");
    library_.get(getrf_, "cusolverDnXgetrf");
    library_.get(getrs_, "cusolverDnXgetrs");
    library_.get(potrf_, "cusolverDnXpotrf");
    need(create_(&handle_));
    need(set_stream_(handle_, stream));
    need(create_params_(&params_));
    library_.get(orgqr_numbers_, "cusolverDnDorgqr_bufferSize");
    library_.get(orgqr_, "cusolverDnDorgqr");
    std::size_t of_lu[2], of_cholesky[2], of_qr[2];
    const Index lines = std::max(n, rows);
    int of_q = 0;
    need(getrf_bytes_(handle_, params_, n, n, CUDA_R_64F, a, n, CUDA_R_64F, of_lu, of_lu + 1));
    need(potrf_bytes_(handle_, params_, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, a, n, CUDA_R_64F, of_cholesky,
                      of_cholesky + 1));
    need(geqrf_bytes_(handle_, params_, lines, n, CUDA_R_64F, a, lines, CUDA_R_64F, a, CUDA_R_64F, of_qr, of_qr + 1));
    need(orgqr_numbers_(handle_, static_cast<int>(lines), static_cast<int>(n), static_cast<int>(n), a,
                        static_cast<int>(lines), a, &of_q));
    device_bytes_ = std::max({of_lu[0], of_cholesky[0], of_qr[0], static_cast<std::size_t>(of_q) * sizeof(double)});
    host_.resize(std::max({of_lu[1], of_cholesky[1], of_qr[1], std::size_t{1}}));
    device_.emplace(static_cast<Index>(device_bytes_ + 256));
  }
  ~CuSolver() {
    destroy_params_(params_);
    destroy_(handle_);
  }
  CuSolver(const CuSolver&) = delete;
  CuSolver& operator=(const CuSolver&) = delete;

  /// `vector`: tau, or the right-hand side, which becomes the solution.
  void run(FactorKind kind, Index n, double* a, std::int64_t* pivots, double* vector, int* info) {
    if (kind == FactorKind::lu || kind == FactorKind::wide_lu || kind == FactorKind::certified)
      need(getrf_(handle_, params_, rows_of(kind, n), n, CUDA_R_64F, a, n, pivots, CUDA_R_64F, device_->data(),
                  device_bytes_, host_.data(), host_.size(), info));
    else if (kind == FactorKind::cholesky)
      need(potrf_(handle_, params_, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, a, n, CUDA_R_64F, device_->data(),
                  device_bytes_, host_.data(), host_.size(), info));
    else
      need(geqrf_(handle_, params_, n, n, CUDA_R_64F, a, n, CUDA_R_64F, vector, CUDA_R_64F, device_->data(),
                  device_bytes_, host_.data(), host_.size(), info));
    if (kind == FactorKind::certified)
      need(getrs_(handle_, params_, CUBLAS_OP_N, n, 1, CUDA_R_64F, a, n, pivots, CUDA_R_64F, vector, n, info));
  }

  /// QR of an m x n matrix, and then Q in its place if that is wanted.
  void factor_tall(Index m, Index n, double* a, double* tau, int* info, bool makes_q) {
    need(geqrf_(handle_, params_, m, n, CUDA_R_64F, a, m, CUDA_R_64F, tau, CUDA_R_64F, device_->data(), device_bytes_,
                host_.data(), host_.size(), info));
    if (makes_q)
      need(orgqr_(handle_, static_cast<int>(m), static_cast<int>(n), static_cast<int>(n), a, static_cast<int>(m), tau,
                  reinterpret_cast<double*>(device_->data()), static_cast<int>(device_bytes_ / sizeof(double)), info));
  }

 private:
  static void need(cusolverStatus_t status) {
    if (status != CUSOLVER_STATUS_SUCCESS)
      throw std::runtime_error("cuSOLVER status " + std::to_string(static_cast<int>(status)));
  }

  Library library_{"libcusolver"};
  decltype(&cusolverDnCreate) create_;
  decltype(&cusolverDnDestroy) destroy_;
  decltype(&cusolverDnSetStream) set_stream_;
  decltype(&cusolverDnCreateParams) create_params_;
  decltype(&cusolverDnDestroyParams) destroy_params_;
  decltype(&cusolverDnXgetrf_bufferSize) getrf_bytes_;
  decltype(&cusolverDnXpotrf_bufferSize) potrf_bytes_;
  decltype(&cusolverDnXgeqrf_bufferSize) geqrf_bytes_;
  decltype(&cusolverDnXgeqrf) geqrf_;
  decltype(&cusolverDnDorgqr_bufferSize) orgqr_numbers_;
  decltype(&cusolverDnDorgqr) orgqr_;
  decltype(&cusolverDnXgetrf) getrf_;
  decltype(&cusolverDnXgetrs) getrs_;
  decltype(&cusolverDnXpotrf) potrf_;
  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t params_ = nullptr;
  std::size_t device_bytes_ = 0;
  std::vector<char> host_;
  std::optional<DeviceArray<char>> device_;
};

}  // namespace gpu_bench
