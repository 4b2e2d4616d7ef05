// Engine native of the CUDA backend: scratch memory and handle around cuda/native/native.hpp.
#pragma once

#include <algorithm>
#include <optional>

#include "cuda/core/cublas.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/core/state.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// Returns how many items of `bytes` each a quarter of the workspace holds after `taken` bytes; at least one, at most
/// all.
inline Index in_a_quarter(std::size_t cap, std::size_t taken, std::size_t bytes, Index all) {
  const std::size_t fit = (cap > taken ? cap - taken : 0) / 4 / std::max<std::size_t>(bytes, 1);
  return fit >= static_cast<std::size_t>(all) ? all : std::max<Index>(static_cast<Index>(fit), 1);
}

/// Saves C if alpha is in device memory, because cuBLAS multiplies A and B even by an alpha that turns out to be zero.
/// C is saved in packed form, some columns or matrices at a time. If alpha is zero it is restored, to be scaled by
/// beta.
template <class T>
class KeptResult {
 public:
  /// C has size m x n; `packed` has room for the part that is saved at a time.
  KeptResult(const BatchArray<T>& c, Matrix<T> strides, T* packed, const T* alpha, cudaStream_t stream)
      : c_(c), strides_(strides), packed_(packed), alpha_(alpha), stream_(stream) {}

  void keep(Index m, Index n, Index first, Index count) const {
    const BatchArray<const T> from{c_.base, c_.stride, const_cast<const T* const*>(c_.pointers)};
    const Matrix<const T> strides{nullptr, strides_.row_stride, strides_.col_stride};
    gather_matrices(from, strides, m, n, first, count, packed_, alpha_, stream_);
  }
  void put_back(Index m, Index n, Index first, Index count) const {
    scatter_matrices<T>(packed_, c_, strides_, m, n, first, count, alpha_, stream_);
  }

 private:
  BatchArray<T> c_;
  Matrix<T> strides_;
  T* packed_;
  const T* alpha_;
  cudaStream_t stream_;
};

/// Runs a call by cuBLAS: body(cublas, memory) with `bytes` of the call's memory.
template <class Body>
void with_cublas(State& state, Execution& execution, std::size_t bytes, Body&& body) {
  const Workspace& workspace = execution.workspace;
  const std::size_t own = state.blas_bytes();
  std::optional<CallMemory> memory;
  if (own + bytes > 0) memory.emplace(state, workspace, own + bytes);
  std::byte* const data = memory ? memory->data() : nullptr;
  state.begin_native_call(execution.report.level);
  state.phase(&accublas_report_t::ms_product);
  Cublas& cublas = state.cublas();
  cublas.begin(state.cuda_stream(), own > 0 ? data : nullptr, own);
  body(cublas, data + own);
  state.end_call();
  execution.report.workspace_bytes = static_cast<std::int64_t>(own + bytes);
}

template <class T>
void native_gemm_call(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
