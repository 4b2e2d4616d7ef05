#include "cuda/certified/cusolver.hpp"

#include <string>
#include <vector>

#include "cuda/core/check.hpp"
#include "cuda/core/spare_handles.hpp"
#include "cuda/core/vendor_library.hpp"
#include "lib/cpu/eigensystem.hpp"

namespace accublas::cuda {
namespace {

struct SolverFunctions {
  decltype(&cusolverDnCreate) create;
  decltype(&cusolverDnSetStream) set_stream;
  decltype(&cusolverDnCreateParams) create_params;
  decltype(&cusolverDnDestroyParams) destroy_params;
  decltype(&cusolverDnXsyevd_bufferSize) syevd_bytes;
  decltype(&cusolverDnXsyevd) syevd;
  decltype(&cusolverDnDsygvd_bufferSize) sygvd_numbers;
  decltype(&cusolverDnDsygvd) sygvd;
  decltype(&cusolverDnZhegvd_bufferSize) hegvd_numbers;
  decltype(&cusolverDnZhegvd) hegvd;
  decltype(&cusolverDnXgesvd_bufferSize) gesvd_bytes;
  decltype(&cusolverDnXgesvd) gesvd;
  decltype(&cusolverDnXgesvdp_bufferSize) gesvdp_bytes;
  decltype(&cusolverDnXgesvdp) gesvdp;
};

bool find_solver_functions(void* library, SolverFunctions& f) {
  return find_function(library, "cusolverDnCreate", &f.create) &&
         find_function(library, "cusolverDnSetStream", &f.set_stream) &&
         find_function(library, "cusolverDnCreateParams", &f.create_params) &&
         find_function(library, "cusolverDnDestroyParams", &f.destroy_params) &&
         find_function(library, "cusolverDnXsyevd_bufferSize", &f.syevd_bytes) &&
         find_function(library, "cusolverDnXsyevd", &f.syevd) &&
         find_function(library, "cusolverDnDsygvd_bufferSize", &f.sygvd_numbers) &&
         find_function(library, "cusolverDnDsygvd", &f.sygvd) &&
         find_function(library, "cusolverDnZhegvd_bufferSize", &f.hegvd_numbers) &&
         find_function(library, "cusolverDnZhegvd", &f.hegvd) &&
         find_function(library, "cusolverDnXgesvd_bufferSize", &f.gesvd_bytes) &&
         find_function(library, "cusolverDnXgesvd", &f.gesvd) &&
         find_function(library, "cusolverDnXgesvdp_bufferSize", &f.gesvdp_bytes) &&
         find_function(library, "cusolverDnXgesvdp", &f.gesvdp);
}

const SolverFunctions& solver_functions() {
  static const SolverFunctions f = load_vendor_library<SolverFunctions>(
      "cuSOLVER", {"libcusolver.so.12", "libcusolver.so.11"}, find_solver_functions);
  return f;
}

SpareHandles<cusolverDnHandle_t>& spare_solvers() {
  static SpareHandles<cusolverDnHandle_t>* const spares = new SpareHandles<cusolverDnHandle_t>;
  return *spares;
}

void check_solver(cusolverStatus_t status, const char* what) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  throw Error(status == CUSOLVER_STATUS_ALLOC_FAILED ? ACCUBLAS_ERROR_MEMORY : ACCUBLAS_ERROR_DEVICE,
              "cuSOLVER's " + std::string(what) + ": status " + std::to_string(static_cast<int>(status)));
}
/// Checks the status of a question for the length of a workspace, which comes before anything is written.
void check_length(cusolverStatus_t status, const char* what) {
  if (status == CUSOLVER_STATUS_INVALID_VALUE || status == CUSOLVER_STATUS_NOT_SUPPORTED)
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "cuSOLVER's " + std::string(what) + " does not take these sizes");
  check_solver(status, what);
}

template <class E>
constexpr cudaDataType number_type = is_complex<E> ? CUDA_C_64F : CUDA_R_64F;
/// Stands for numbers in questions for the length of a workspace, which read no memory.
template <class E>
const double* any_numbers(const E* a) {
  return reinterpret_cast<const double*>(a);
}
cuDoubleComplex* cuda_numbers(Complex<double>* x) { return reinterpret_cast<cuDoubleComplex*>(x); }

/// The workspaces of one call, its status on the device, and `count` real numbers that it returns.
class SolverWork {
 public:
  SolverWork(State& state, std::size_t device_bytes, std::size_t host_bytes, Index count)
      : device_bytes(device_bytes),
        host(host_bytes > 0 ? host_bytes : 1),
        state_(state),
        work_(state, device_bytes > 0 ? device_bytes : 1),
        numbers_(state, static_cast<std::size_t>(count) * sizeof(double)),
        info_(state, sizeof(int)) {}

  void* device() const { return work_.data(); }
  double* numbers() const { return reinterpret_cast<double*>(numbers_.data()); }
  int* info() const { return reinterpret_cast<int*>(info_.data()); }
  /// Returns the numbers, and waits for the call.
  void fetch(double* to, Index count) const {
    check(cudaMemcpyAsync(to, numbers(), static_cast<std::size_t>(count) * sizeof(double), cudaMemcpyDeviceToHost,
                          state_.cuda_stream()),
          "copying eigenvalues or singular values");
    check(cudaStreamSynchronize(state_.cuda_stream()), "waiting for cuSOLVER");
  }

  const std::size_t device_bytes;
  std::vector<std::byte> host;

 private:
  State& state_;
  CallMemory work_, numbers_, info_;
};

}  // namespace

CuSolver::CuSolver(State& state) : state_(state) {
  const SolverFunctions& f = solver_functions();
  handle_ = spare_solvers().take(state.device());
  if (!handle_) check_solver(f.create(&handle_), "cusolverDnCreate");
  try {
    check_solver(f.set_stream(handle_, state.cuda_stream()), "cusolverDnSetStream");
    check_solver(f.create_params(&params_), "cusolverDnCreateParams");
  } catch (...) {
    spare_solvers().give(state.device(), handle_);
    throw;
  }
}

CuSolver::~CuSolver() {
  solver_functions().destroy_params(params_);
  spare_solvers().give(state_.device(), handle_);
}

template <class E>
void CuSolver::eigensystem(Index n, E* a, double* w) {
  constexpr cudaDataType type = number_type<E>;
  std::size_t on_device = 0, on_host = 0;
  check_length(solver_functions().syevd_bytes(handle_, params_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n,
                                              type, a, n, CUDA_R_64F, any_numbers(a), type, &on_device, &on_host),
               "Xsyevd");
  SolverWork work(state_, on_device, on_host, n);
  check_solver(solver_functions().syevd(handle_, params_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, type, a,
                                        n, CUDA_R_64F, work.numbers(), type, work.device(), on_device, work.host.data(),
                                        on_host, work.info()),
               "Xsyevd");
  work.fetch(w, n);
}

template <class E>
void CuSolver::general_eigensystem(Index n, E* a, E* b, double* w) {
  constexpr Index most = cpu::most_eigensystem(true);  // of the same workspace, whose length has 32 bits
  if (n > most)
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE,
                "cuSOLVER's sygvd takes orders up to " + std::to_string(most) + "; the order is " + std::to_string(n));
  const int order = static_cast<int>(n);
  int count = 0;
  const auto call = [&](auto length_of, auto run, auto* of_a, auto* of_b, const char* name) {
    check_length(length_of(handle_, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, order, of_a,
                           order, of_b, order, any_numbers(a), &count),
                 name);
    const SolverWork work(state_, static_cast<std::size_t>(count) * sizeof(E), 0, n);
    check_solver(run(handle_, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, order, of_a, order,
                     of_b, order, work.numbers(), static_cast<decltype(of_a)>(work.device()), count, work.info()),
                 name);
    work.fetch(w, n);
  };
  if constexpr (is_complex<E>)
    call(solver_functions().hegvd_numbers, solver_functions().hegvd, cuda_numbers(a), cuda_numbers(b), "Zhegvd");
  else
    call(solver_functions().sygvd_numbers, solver_functions().sygvd, a, b, "Dsygvd");
}

template <class E>
void CuSolver::singular_system(Index m, Index n, E* a, double* s, E* u, E* vh) {
  constexpr cudaDataType type = number_type<E>;
  std::size_t on_device = 0, on_host = 0;
  check_length(solver_functions().gesvd_bytes(handle_, params_, 'S', 'S', m, n, type, a, m, CUDA_R_64F, any_numbers(a),
                                              type, u, m, type, vh, n, type, &on_device, &on_host),
               "Xgesvd");
  SolverWork work(state_, on_device, on_host, n);
  check_solver(
      solver_functions().gesvd(handle_, params_, 'S', 'S', m, n, type, a, m, CUDA_R_64F, work.numbers(), type, u, m,
                               type, vh, n, type, work.device(), on_device, work.host.data(), on_host, work.info()),
      "Xgesvd");
  work.fetch(s, n);
}

template <class E>
void CuSolver::singular_system_by_polar(Index m, Index n, E* a, double* s, E* u, E* v) {
  constexpr cudaDataType type = number_type<E>;
  constexpr int thin = 1;
  std::size_t on_device = 0, on_host = 0;
  check_length(
      solver_functions().gesvdp_bytes(handle_, params_, CUSOLVER_EIG_MODE_VECTOR, thin, m, n, type, a, m, CUDA_R_64F,
                                      any_numbers(a), type, u, m, type, v, n, type, &on_device, &on_host),
      "Xgesvdp");
  SolverWork work(state_, on_device, on_host, n);
  double perturbation = 0;  // of A, for its polar decomposition: the bounds show what it does
  check_solver(solver_functions().gesvdp(handle_, params_, CUSOLVER_EIG_MODE_VECTOR, thin, m, n, type, a, m, CUDA_R_64F,
                                         work.numbers(), type, u, m, type, v, n, type, work.device(), on_device,
                                         work.host.data(), on_host, work.info(), &perturbation),
               "Xgesvdp");
  work.fetch(s, n);
}

#define ACCUBLAS_SOLVER(E)                                                    \
  template void CuSolver::eigensystem(Index, E*, double*);                    \
  template void CuSolver::general_eigensystem(Index, E*, E*, double*);        \
  template void CuSolver::singular_system(Index, Index, E*, double*, E*, E*); \
  template void CuSolver::singular_system_by_polar(Index, Index, E*, double*, E*, E*);
ACCUBLAS_SOLVER(double)
ACCUBLAS_SOLVER(Complex<double>)
#undef ACCUBLAS_SOLVER

}  // namespace accublas::cuda
