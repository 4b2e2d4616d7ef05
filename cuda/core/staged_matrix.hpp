// Copies of host matrices for a call, without pinned memory.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

#include "cuda/core/check.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// A device copy of a host matrix, which is stored by columns or by rows as the copy is. Without data there is no copy.
template <class E>
class StagedMatrix {
 public:
  StagedMatrix(const Matrix<E>& host, Index rows, Index cols)
      : host_(host),
        by_columns_(host.row_stride == 1),
        lines_(by_columns_ ? cols : rows),
        length_(by_columns_ ? rows : cols) {}

  std::size_t bytes() const { return host_.data ? round_up(size(lines_ * length_), 256) : 0; }
  /// Takes the copy's memory at `next`.
  Matrix<E> take(std::byte*& next) {
    device_ = host_.data ? reinterpret_cast<E*>(next) : nullptr;
    next += bytes();
    return by_columns_ ? Matrix<E>{device_, 1, length_} : Matrix<E>{device_, length_, 1};
  }
  void copy_in(cudaStream_t stream) const {
    check(cudaMemcpy2DAsync(device_, size(length_), host_.data, size(stride()), size(length_),
                            static_cast<std::size_t>(lines_), cudaMemcpyHostToDevice, stream),
          "copying an operand");
  }
  /// Copies numbers first(i) .. end(i) - 1 of stored row or column i to the host.
  template <class First, class End>
  void copy_out(First&& first, End&& end, cudaStream_t stream) const {
    for (Index i = 0; i < lines_; ++i)
      check(cudaMemcpyAsync(host_.data + i * stride() + first(i), device_ + i * length_ + first(i),
                            size(end(i) - first(i)), cudaMemcpyDeviceToHost, stream),
            "copying a result");
  }
  void copy_out(cudaStream_t stream) const {
    check(cudaMemcpy2DAsync(host_.data, size(stride()), device_, size(length_), size(length_),
                            static_cast<std::size_t>(lines_), cudaMemcpyDeviceToHost, stream),
          "copying a result");
  }
  bool by_columns() const { return by_columns_; }
  Index length() const { return length_; }

 private:
  static std::size_t size(Index count) { return static_cast<std::size_t>(count) * sizeof(E); }
  /// A matrix with a single stored row or column needs no stride, so the stride may be any.
  Index stride() const { return std::max(by_columns_ ? host_.col_stride : host_.row_stride, length_); }

  const Matrix<E> host_;
  const bool by_columns_;
  const Index lines_, length_;
  E* device_ = nullptr;
};

}  // namespace accublas::cuda
