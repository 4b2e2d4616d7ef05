#include "lib/call/place.hpp"

#include <map>

#include "cuda/certified/cusolver.hpp"
#include "cuda/certified/matrix_kernels.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/state.hpp"
#include "cuda/lapack/element_kernels.hpp"
#include "lib/base/error.hpp"

namespace accublas {

namespace cuda {
namespace {

class DevicePlace final : public Place {
 public:
  DevicePlace(State& state, const char* what) : state_(state) {
    const CallScope scope(state_);
    state_.require_not_captured(what);
  }

  bool on_device() const override { return true; }
  void* take(std::size_t bytes) override {
    const CallScope scope(state_);
    std::unique_ptr<CallMemory> memory(new CallMemory(allocate(bytes)));
    void* const data = memory->data();
    memory_.emplace(data, std::move(memory));
    return data;
  }
  void give_back(void* memory) noexcept override {
    try {
      const CallScope scope(state_);
      memory_.erase(memory);
    } catch (const Error&) {  // the device is lost
    }
  }

  void copy(void* to, std::size_t to_next, const void* from, std::size_t from_next, std::size_t width,
            Index lines) override {
    const CallScope scope(state_);
    const auto count = static_cast<std::size_t>(lines);
    // cudaMemcpy2DAsync does not take rows of 2^31 bytes and more.
    check(lines == 1 || (to_next == width && from_next == width)
              ? cudaMemcpyAsync(to, from, width * count, cudaMemcpyDefault, stream())
              : cudaMemcpy2DAsync(to, to_next, from, from_next, width, count, cudaMemcpyDefault, stream()),
          "copying a matrix");
    wait();
  }

  void run(const ElementStep<double>& step, Index rows, Index cols) override {
    const CallScope scope(state_);
    run_step(state_.model(), step, rows, cols, stream());
  }
  void run(const SpectrumStep& step, Index rows, Index cols) override {
    const CallScope scope(state_);
    run_step(state_.model(), step, rows, cols, stream());
  }
  void load(const AnyOperand& a, Index rows, Index cols, double* to) override {
    const CallScope scope(state_);
    std::visit(
        [&]<class E>(const accublas::Operand<E>& from) {
          write_parts(state_.model(), RealParts<E>{{to, 1, is_complex<E> ? 2 * rows : rows}, from, rows, cols},
                      stream());
        },
        a);
  }
  bool scale(Index rows, Index cols, double* a, const int* row, const int* column) override {
    const CallScope scope(state_);
    const CallMemory memory = allocate(static_cast<std::size_t>(rows + cols + 1) * sizeof(int));
    int *const row_there = reinterpret_cast<int*>(memory.data()), *const column_there = row_there + rows,
               *const lost_there = column_there + cols;
    send(row_there, row, rows);
    send(column_there, column, cols);
    check(cudaMemsetAsync(lost_there, 0, sizeof(int), stream()), "clearing an answer");
    scale_by_powers(state_.model(), rows, cols, a, row_there, column_there, lost_there, stream());
    int lost = 0;
    fetch(&lost, lost_there, 1);
    return lost != 0;
  }
  void exponents(Index rows, Index cols, const Matrix<const double>& m, const int* offsets, int* to) override {
    const CallScope scope(state_);
    const CallMemory memory = allocate(static_cast<std::size_t>(rows + cols) * sizeof(int));
    int *const there = reinterpret_cast<int*>(memory.data()), *const offsets_there = there + rows;
    if (offsets) send(offsets_there, offsets, cols);
    largest_exponents(state_.model(), rows, cols, m, offsets ? offsets_there : nullptr, there, stream());
    fetch(to, there, rows);
  }
  void row_sums(Index rows, Index cols, const Matrix<const double>& m, const double* v, double* to) override {
    const CallScope scope(state_);
    const CallMemory memory = allocate(static_cast<std::size_t>(rows + cols) * sizeof(double));
    double *const there = reinterpret_cast<double*>(memory.data()), *const v_there = there + rows;
    if (v) send(v_there, v, cols);
    sum_rows(state_.model(), rows, cols, m, v ? v_there : nullptr, there, stream());
    fetch(to, there, rows);
  }
  void column_norms(Index rows, Index cols, const double* m, double* to) override {
    const CallScope scope(state_);
    const CallMemory memory = allocate(static_cast<std::size_t>(cols) * sizeof(double));
    double* const there = reinterpret_cast<double*>(memory.data());
    norms_of_columns(state_.model(), rows, cols, m, there, stream());
    fetch(to, there, cols);
  }
  void column_products(Index rows, Index cols, const double* x, const double* y, double* to) override {
    const CallScope scope(state_);
    const CallMemory memory = allocate(static_cast<std::size_t>(cols) * sizeof(double));
    double* const there = reinterpret_cast<double*>(memory.data());
    products_of_columns(state_.model(), rows, cols, x, y, there, stream());
    fetch(to, there, cols);
  }

  void eigensystem(Index n, const AnyColumns& a, double* w) override {
    const CallScope scope(state_);
    CuSolver solver(state_);
    std::visit([&](auto* x) { solver.eigensystem(n, x, w); }, a);
  }
  void general_eigensystem(Index n, const AnyColumns& a, const AnyColumns& b, double* w) override {
    const CallScope scope(state_);
    CuSolver solver(state_);
    std::visit([&]<class E>(E* x) { solver.general_eigensystem(n, x, std::get<E*>(b), w); }, a);
  }
  void singular_system(Index m, Index n, const AnyColumns& a, double* s, const AnyColumns& u, const AnyColumns& v,
                       bool fast) override {
    const CallScope scope(state_);
    std::visit([&]<class E>(E* x) { decompose(m, n, x, s, std::get<E*>(u), std::get<E*>(v), fast); }, a);
  }

 private:
  template <class E>
  void decompose(Index m, Index n, E* a, double* s, E* u, E* v, bool fast) {
    constexpr Index least = 64;  // the polar decomposition has many steps
    CuSolver solver(state_);
    if (fast && n >= least) {
      try {
        return solver.singular_system_by_polar(m, n, a, s, u, v);
      } catch (const Error& error) {
        if (error.status() != ACCUBLAS_ERROR_UNAVAILABLE) throw;  // else it refused the sizes before it read A
      }
    }
    const CallMemory memory = allocate(static_cast<std::size_t>(n * n) * sizeof(E));
    E* const vh = reinterpret_cast<E*>(memory.data());
    solver.singular_system(m, n, a, s, u, vh);
    const Matrix<E> to{v, 1, n};
    run_step(state_.model(), ElementStep<E>(CopyStep<E>{to, {vh, n, 1}}), n, n, stream());
    run_step(state_.model(), ElementStep<E>(ConjugateStep<E>{to}), n, n, stream());
  }

  cudaStream_t stream() const { return state_.cuda_stream(); }
  CallMemory allocate(std::size_t bytes) const { return CallMemory(state_, bytes); }
  template <class T>
  void send(T* to, const T* from, Index count) const {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyHostToDevice, stream()),
          "copying numbers");
  }
  template <class T>
  void fetch(T* to, const T* from, Index count) const {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDeviceToHost, stream()),
          "copying numbers");
    wait();
  }
  void wait() const { check(cudaStreamSynchronize(stream()), "waiting for a matrix"); }

  State& state_;
  std::map<void*, std::unique_ptr<CallMemory>> memory_;
};

}  // namespace

}  // namespace cuda

std::unique_ptr<Place> device_place(BackendState& state, const char* what) {
  return std::make_unique<cuda::DevicePlace>(static_cast<cuda::State&>(state), what);
}

}  // namespace accublas
