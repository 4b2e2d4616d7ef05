// The products inside a factorization in dp and sp, on the call's stream or concurrently on its side stream.
#pragma once

#include <optional>

#include "cuda/core/inner_calls.hpp"
#include "cuda/core/side_stream.hpp"
#include "cuda/core/staging.hpp"
#include "cuda/native/native.hpp"

namespace accublas::cuda {

/// The functions that compute the products of dp and sp.
template <class E>
struct GradeProducts {
  DeviceGemmFunction<E> serve;
  /// Selects the engine for a product of m x n results with k terms: int8, or native if that is faster.
  accublas_engine (*engine)(const DeviceModel&, Index m, Index n, Index k);
};

/// The products of one call, and the memory that the call holds for itself and for them.
template <class E>
class InnerProducts {
 public:
  InnerProducts(State& state, const Mode& mode, const GradeProducts<E>& functions)
      : state_(state), mode_(mode), functions_(functions), side_(state), stream_(state.cuda_stream()) {}

  /// Takes the memory of cuBLAS's products, on the side stream too if `concurrent`.
  void lay_out(Carver& carver, bool concurrent) {
    blas_memory_[0] = carver.take<std::byte>(state_.blas_bytes());
    if (concurrent) blas_memory_[1] = carver.take<std::byte>(SideStream::blas_bytes(state_));
  }
  /// Holds the arrays that lay_out(Carver&) takes until this object ends. Products have the rest of the workspace.
  template <class LayOut>
  void begin(Execution& outer, LayOut&& lay_out) {
    inside_.emplace(state_, outer, lay_out);
  }
  void end() { inside_->end(); }

  /// The stream of panels, small systems and products that are computed next.
  cudaStream_t stream() const { return stream_; }
  bool concurrent() const { return concurrent_; }
  /// Calls body(), whose work goes to the side stream, behind the work that the call's stream has so far. Products are
  /// computed by cuBLAS there, and must be of real numbers.
  template <class Body>
  void concurrently(Body&& body) {
    stream_ = side_.fork();
    concurrent_ = true;
    body();
    stream_ = state_.cuda_stream();
    concurrent_ = false;
  }
  /// Orders the call's stream after the side stream.
  void join() { side_.join(); }

  accublas_engine engine(Index m, Index n, Index k) const {
    return concurrent_ ? ACCUBLAS_ENGINE_NATIVE : functions_.engine(state_.model(), m, n, k);
  }
  void multiply(const Gemm<E>& g) { multiply(g, engine(g.m, g.n, g.k)); }
  void multiply(const Gemm<E>& g, accublas_engine engine) {
    if (g.m == 0 || g.n == 0) return;
    if constexpr (!is_complex<E>)
      // cuBLAS's products have no state per call. To set one up takes as long as the smallest of these products.
      if (engine == ACCUBLAS_ENGINE_NATIVE)
        return native_gemm<E>(blas(), g, {g.alpha, nullptr}, {g.beta, nullptr}, {}, stream_);
    functions_.serve(state_, Call<Gemm<E>, E>{g, {&g.alpha, false}, {&g.beta, false}, true, true, mode_, engine},
                     execution());
  }
  /// Returns cuBLAS for the current stream.
  Cublas& blas() {
    const std::size_t bytes = concurrent_ ? SideStream::blas_bytes(state_) : state_.blas_bytes();
    Cublas& blas = state_.cublas();
    blas.begin(stream_, bytes > 0 ? blas_memory_[concurrent_] : nullptr, bytes);
    return blas;
  }
  Execution& execution() { return inside_->execution(); }
  DeviceGemmFunction<E> serve() const { return functions_.serve; }

 private:
  State& state_;
  const Mode& mode_;
  const GradeProducts<E>& functions_;
  std::byte* blas_memory_[2] = {};  ///< for the call's stream, and for the side stream
  std::optional<InnerCalls> inside_;
  SideStream side_;  ///< ends before the memory
  cudaStream_t stream_;
  bool concurrent_ = false;
};

}  // namespace accublas::cuda
