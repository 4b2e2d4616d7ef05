#include "cuda/lapack/element_steps.hpp"

#include <vector>

#include "cuda/core/inner_calls.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/lapack/element_kernels.hpp"
#include "cuda/lapack/tall_columns.hpp"
#include "cuda/lu_cholesky/row_moves.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda {

namespace {

template <class E>
class DeviceSteps final : public ElementSteps<E> {
 public:
  DeviceSteps(State& state, Workspace& workspace, int report_level) : state_(state), workspace_(workspace) {
    const CallScope scope(state_);
    batch_.emplace(state_, report_level);
  }
  /// Frees the memory in the stream's order.
  ~DeviceSteps() override {
    try {
      const CallScope scope(state_);
      memory_.clear();
    } catch (const Error&) {  // the device is lost
    }
  }

  std::byte* take_bytes(std::size_t bytes) override {
    if (workspace_.buffer()) {
      std::byte* const memory = workspace_.take<std::byte>(bytes);
      if (rehearses()) Rehearsal::take(memory + bytes);
      return memory;
    }
    const CallScope scope(state_);
    memory_.push_back(std::make_unique<CopyMemory>(state_, workspace_, bytes));
    bytes_ += static_cast<std::int64_t>(bytes);
    return memory_.back()->data();
  }

  bool can_wait() const override {
    const CallScope scope(state_);
    return !state_.captured();
  }
  void run(const ElementStep<E>& step, Index rows, Index cols) override {
    const CallScope scope(state_);
    run_step(state_.model(), step, rows, cols, state_.cuda_stream());
  }
  Index first(const ElementQuestion<E>& question, Index rows, Index cols) override {
    if (!found_) found_ = this->template take<unsigned long long>(1);
    const CallScope scope(state_);
    set_on_stream(found_, 0xFF, sizeof *found_, state_.cuda_stream(), "clearing an answer");
    find_first(state_.model(), question, rows, cols, found_, state_.cuda_stream());
    if (rehearses()) return question.kind == ElementQuestion<E>::Kind::nonzero ? 0 : -1;
    return static_cast<Index>(read_number(found_));
  }
  E read(const E* from) override {
    const CallScope scope(state_);
    return read_number(from);
  }
  void reflect(const ReflectorsOfColumns<E>& made) override {
    const CallScope scope(state_);
    make_reflectors(state_.model(), made, state_.cuda_stream());
  }
  Index tall_gram_numbers(Index m, Index n) const override {
    if constexpr (has_tall_kernels) return cuda::tall_gram_numbers(state_.model(), m, n);
    return 0;
  }
  void tall_gram(const TallGram<E>& gram) override {
    const CallScope scope(state_);
    if constexpr (has_tall_kernels) cuda::tall_gram(state_.model(), gram, state_.cuda_stream());
  }
  void tall_divide(const Matrix<E>& a, Index m, Index n, const Matrix<const E>& r) override {
    const CallScope scope(state_);
    if constexpr (has_tall_kernels) cuda::tall_divide(state_.model(), a, m, n, r, state_.cuda_stream());
  }
  using ElementSteps<E>::put;
  void put(std::int64_t* to, std::int64_t value) override {
    const CallScope scope(state_);
    put_number(state_.model(), to, value, state_.cuda_stream());
  }
  void exchange(const Matrix<E>& b, Index columns, const Pivots& pivots, Index count, bool backwards) override {
    const CallScope scope(state_);
    exchange_rows(state_.model(), b, columns, static_cast<const std::int64_t*>(pivots.data), count, backwards, nullptr,
                  state_.cuda_stream());
  }
  std::int64_t finish() override {
    const CallScope scope(state_);
    batch_->end();
    return bytes_;
  }

 private:
  static constexpr bool has_tall_kernels = std::is_same_v<E, double>;

  template <class T>
  T read_number(const T* from) const {
    state_.require_not_captured("a number that decides what follows");
    T number{};
    copy_on_stream(&number, from, sizeof number, cudaMemcpyDeviceToHost, state_.cuda_stream(), "copying a number");
    wait_on_host(state_.cuda_stream(), "waiting for a number");
    return number;
  }

  State& state_;
  Workspace& workspace_;
  std::optional<BatchScope> batch_;
  std::vector<std::unique_ptr<CopyMemory>> memory_;
  std::int64_t bytes_ = 0;
  unsigned long long* found_ = nullptr;
};

}  // namespace

template <class E>
std::unique_ptr<ElementSteps<E>> device_steps(State& state, Workspace& workspace, int report_level) {
  return std::make_unique<DeviceSteps<E>>(state, workspace, report_level);
}

#define ACCUBLAS_INSTANTIATE(E) template std::unique_ptr<ElementSteps<E>> device_steps(State&, Workspace&, int);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
