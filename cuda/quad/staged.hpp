// Copies of matrices beyond double precision, from host to device memory and back.
#pragma once

#include <optional>

#include "cuda/core/check.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/core/state.hpp"
#include "lib/quad/number.hpp"

namespace accublas::cuda {

/// A copy of a matrix in device memory, for a call. Entries that are adjacent in host memory are so in the copy.
class StagedQuad {
 public:
  StagedQuad(const quad::Operand& host, Index rows, Index cols, State& state) : host_(host), state_(state) {
    const auto size_of = [](Index stride) { return stride < 0 ? -stride : stride; };
    across_ = size_of(host.row_stride) <= size_of(host.col_stride);
    width_ = across_ ? rows : cols;
    lines_ = across_ ? cols : rows;
    split_ = host.format == quad::Format::pair && host.step == 1;
    element_ = host.format == quad::Format::binary64 || split_ ? 8 : 16;
    memory_.emplace(state, std::max<std::size_t>(bytes(), 1));
    copy_ = host;
    copy_.data = memory_->data();
    if (host.format == quad::Format::pair)
      copy_.low = reinterpret_cast<const double*>(memory_->data() + (split_ ? part_bytes() : sizeof(double)));
    copy_.row_stride = across_ ? 1 : width_;
    copy_.col_stride = across_ ? width_ : 1;
  }

  /// Whether a matrix has such a copy: entries are adjacent along one of its sides, and CUDA copies its lines at once.
  static bool takes(const quad::Operand& x, Index rows, Index cols) {
    const bool across = x.row_stride == 1 && (x.col_stride >= rows || cols == 1);
    const bool along = x.col_stride == 1 && (x.row_stride >= cols || rows == 1);
    constexpr Index most = (Index{1} << 31) / 16;  // of cudaMemcpy2D
    return (across && x.col_stride < most) || (along && x.row_stride < most);
  }

  std::size_t bytes() const { return part_bytes() * (split_ ? 2 : 1); }
  const quad::Operand& operand() const { return copy_; }
  void send() const { copy(copy_, host_, cudaMemcpyHostToDevice); }
  /// Copies back, and waits.
  void fetch() const {
    copy(host_, copy_, cudaMemcpyDeviceToHost);
    check(cudaStreamSynchronize(state_.cuda_stream()), "copying a matrix");
  }

 private:
  std::size_t part_bytes() const { return static_cast<std::size_t>(width_ * lines_) * element_; }
  void copy(const quad::Operand& to, const quad::Operand& from, cudaMemcpyKind kind) const {
    const auto pitch = [&](const quad::Operand& x) {
      return static_cast<std::size_t>(lines_ == 1 ? width_ : across_ ? x.col_stride : x.row_stride) * element_;
    };
    const auto part = [&](const void* target, const void* source) {
      check(cudaMemcpy2DAsync(const_cast<void*>(target), pitch(to), source, pitch(from),
                              static_cast<std::size_t>(width_) * element_, static_cast<std::size_t>(lines_), kind,
                              state_.cuda_stream()),
            "copying a matrix");
    };
    part(to.data, from.data);
    if (split_) part(to.low, from.low);
  }

  const quad::Operand host_;
  State& state_;
  quad::Operand copy_;
  bool across_, split_;
  Index width_, lines_;
  std::size_t element_;
  std::optional<CallMemory> memory_;
};

}  // namespace accublas::cuda
