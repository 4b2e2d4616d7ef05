// Copies of parts of a factorization's matrix between host and device. A device's matrix has contiguous columns or
// contiguous rows.
#pragma once

#include <vector>

#include "cuda/core/copy_lane.hpp"

namespace accublas::cuda {

template <class E>
void upload_part(Lane& lane, const Matrix<E>& from, const Matrix<E>& to, Index rows, Index cols) {
  const Matrix<const E> source{from.data, from.row_stride, from.col_stride};
  to.row_stride == 1 ? lane.upload(source, to.data, rows, cols, to.col_stride)
                     : lane.upload(source.transposed(), to.data, cols, rows, to.row_stride);
}

/// Returns when the host matrix is complete.
template <class E>
void download_part(Lane& lane, const Matrix<E>& from, const Matrix<E>& to, Index rows, Index cols) {
  if (rows == 0) return;
  const E* const source = from.data;
  from.row_stride == 1 ? lane.download(source, to, rows, cols, from.col_stride)
                       : lane.download(source, to.transposed(), cols, rows, from.row_stride);
}

/// Downloads the upper triangle of columns first .. end - 1, `width` columns at a time, and leaves the other triangle
/// as it is. Returns when the host matrix is complete.
template <class E>
void download_triangle(Lane& lane, const Matrix<E>& from, const Matrix<E>& to, Index first, Index end, Index width) {
  std::vector<E> square(static_cast<std::size_t>(width * width));  // a copy goes through host memory
  for (Index at = first; at < end; at += width) {
    const Index count = std::min(width, end - at);
    download_part(lane, from.block(0, at), to.block(0, at), at, count);
    const Matrix<E> copy{square.data(), 1, count};
    download_part(lane, from.block(at, at), copy, count, count);
    for (Index j = 0; j < count; ++j)
      for (Index i = 0; i <= j; ++i) to(at + i, at + j) = copy(i, j);
  }
}

}  // namespace accublas::cuda
