#include "cuda/trsm/solve_by_halves.hpp"

#include "cuda/core/inner_calls.hpp"
#include "cuda/native/native.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda {

namespace {

template <class E>
class SolveByHalves {
 public:
  using Native = void (*)(State&, const Level3<E>&, Execution&);

  SolveByHalves(State& state, const Call<Level3<E>, E>& call, Execution& execution, DeviceGemmFunction<E> serve,
                Native native)
      : state_(state),
        call_(call),
        l_(call.problem),
        system_(system_of(l_)),
        execution_(execution),
        serve_(serve),
        native_(native) {}

  void run() {
    InnerCalls inside(state_, execution_, [&](Carver& carver) {
      if (has_leaf<E> && state_.blas_bytes() > 0) blas_memory_ = carver.take<std::byte>(state_.blas_bytes());
    });
    Execution& inner = inside.execution();
    BatchScope scope(state_, execution_.report.level);
    with_written(wrote_, [&] {
      for_halves(
          tuning_, system_, 0, system_.order, system_.alpha,
          [&](Index first, Index count, const E& alpha) { solve_at_once(first, count, alpha, inner); },
          [&](const Gemm<E>& g) { multiply(g, inner); });
    });
    scope.end();
    inside.end();
  }

 private:
  /// cuBLAS's products of few terms have no state per call. To set one up takes as long as the smallest of these
  /// products.
  void multiply(const Gemm<E>& g, Execution& execution) {
    if constexpr (has_leaf<E>)
      if (call_.engine == ACCUBLAS_ENGINE_NATIVE || g.k < tuning_.least_emulated_terms) {
        Cublas& blas = state_.cublas();
        blas.begin(state_.cuda_stream(), blas_memory_, state_.blas_bytes());
        return native_gemm<E>(blas, g, {g.alpha, nullptr}, {g.beta, nullptr}, {}, state_.cuda_stream());
      }
    serve_(state_, Call<Gemm<E>, E>{g, {&g.alpha, false}, {&g.beta, false}, true, true, call_.mode, call_.engine},
           execution);
  }

  void solve_at_once(Index first, Index count, const E& alpha, Execution& execution) {
    if constexpr (has_leaf<E>) {
      TriangularSystem<E> part{count, system_.sides, alpha, system_.m, system_.x.block(first, 0)};
      part.m.stored = system_.m.stored.block(first, first);
      solve_leaf(state_.model(), part, state_.cuda_stream());
    } else {
      Level3<E> part = l_;
      const bool left = l_.side == ACCUBLAS_LEFT;
      (left ? part.m : part.n) = count;
      part.alpha = alpha;
      part.a += first * (l_.lda + 1);
      part.c += first * (left ? 1 : l_.ldb);
      native_(state_, part, execution);
    }
    wrote_ = true;
  }

  State& state_;
  const TrsmTuning& tuning_ = state_.model().tuning().trsm;
  const Call<Level3<E>, E>& call_;
  const Level3<E>& l_;
  const TriangularSystem<E> system_;
  Execution& execution_;
  const DeviceGemmFunction<E> serve_;
  const Native native_;
  std::byte* blas_memory_ = nullptr;
  bool wrote_ = false;
};

}  // namespace

template <class E>
void solve_by_halves(State& state, const Call<Level3<E>, E>& call, Execution& execution, DeviceGemmFunction<E> serve,
                     void (*native)(State&, const Level3<E>&, Execution&)) {
  SolveByHalves<E>(state, call, execution, serve, native).run();
}

#define ACCUBLAS_INSTANTIATE(E)                                                                       \
  template void solve_by_halves(State&, const Call<Level3<E>, E>&, Execution&, DeviceGemmFunction<E>, \
                                void (*)(State&, const Level3<E>&, Execution&));
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
