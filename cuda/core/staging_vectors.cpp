// Host operands of level 2, DOT and the norms, in one copy.
#include <initializer_list>
#include <vector>

#include "cuda/core/copy_lane.hpp"
#include "cuda/core/staging.hpp"

namespace accublas::cuda {

namespace {

/// A host operand of rows x cols. Without data it has no copy.
template <class T>
struct HostOperand {
  Matrix<const T> host;
  Index rows, cols = 1;
  bool read = true;  ///< the copy begins with the operand's contents
};
template <class T>
HostOperand<T> host_vector(const Vector<const T>& v, Index n, bool read = true) {
  return {{v.data, v.stride, 0}, n, 1, read};
}

/// Column-major copies of operands in memory of a call. Work put on the state's stream from then on sees them.
template <class T>
class StagedCopies {
 public:
  StagedCopies(State& state, Execution& execution, std::initializer_list<HostOperand<T>> operands)
      : state_(state),
        memory_(
            [&](Carver& carver) {
              copies_.clear();
              for (const HostOperand<T>& o : operands)
                copies_.push_back(o.host.data ? carver.take<T>(o.rows * o.cols) : nullptr);
            },
            state),
        lane_(pinned_, 0, execution.threads) {
    record(ready_, state.cuda_stream());
    stream_waits(lane_.stream(), ready_);
    auto copy = copies_.begin();
    for (const HostOperand<T>& o : operands) {
      if (*copy && o.read) {
        lane_.upload(o.host, *copy, o.rows, o.cols);
        execution.report.copied_bytes += static_cast<std::int64_t>(sizeof(T)) * o.rows * o.cols;
      }
      ++copy;
    }
    record(copied_, lane_.stream());
    stream_waits(state.cuda_stream(), copied_);
  }
  T* operator[](std::size_t i) const { return copies_[i]; }
  /// Returns the lane for the copies of results, ordered behind the work on the state's stream.
  Lane& behind_call() {
    record(copied_, state_.cuda_stream());
    stream_waits(lane_.stream(), copied_);
    return lane_;
  }

 private:
  State& state_;
  std::vector<T*> copies_;
  ArrayMemory<CallMemory> memory_;
  PinnedBuffers pinned_;
  Lane lane_;
  Event ready_, copied_;
};

}  // namespace

template <class T>
void staged_gemv(State& state, const Call<Gemv<T>, T>& call, Execution& execution, DeviceGemvFunction<T> serve) {
  const Gemv<T>& g = call.problem;
  const bool product = !(*call.alpha.pointer == 0);
  HostOperand<T> a{g.a, g.m, g.k}, x = host_vector<T>(g.x, g.k);
  if (!product) a.host.data = x.host.data = nullptr;
  StagedCopies<T> copies(state, execution, {a, x, host_vector<T>({g.y.data, g.y.stride}, g.m, !(g.beta == 0))});
  const Gemv<T> there{g.m, g.k, g.alpha, {copies[0], 1, g.m}, {copies[1], 1}, g.beta, {copies[2], 1}, g.conjugate_a};
  serve(state, Call<Gemv<T>, T>{there, call.alpha, call.beta, true, true, call.mode, call.engine}, execution);
  execution.report.copied_bytes += static_cast<std::int64_t>(sizeof(T)) * g.m;
  copies.behind_call().download(copies[2], Matrix<T>{g.y.data, g.y.stride, 0}, g.m, 1);
}

template <class T>
void staged_dot(State& state, const Call<Dot<T>, T>& call, Execution& execution, DeviceDotFunction<T> serve) {
  const Dot<T>& d = call.problem;
  const StagedCopies<T> copies(state, execution, {host_vector<T>(d.x, d.n), host_vector<T>(d.y, d.n)});
  const Dot<T> there{d.n, {copies[0], 1}, {copies[1], 1}, d.result, d.conjugate_x};
  serve(state, Call<Dot<T>, T>{there, call.alpha, call.beta, true, false, call.mode, call.engine}, execution);
}

template <class T>
void staged_mixed_dot(State& state, const Call<MixedDot<T>, T>& call, Execution& execution,
                      DeviceMixedDotFunction<T> serve) {
  const MixedDot<T>& d = call.problem;
  const StagedCopies<float> copies(state, execution, {host_vector<float>(d.x, d.n), host_vector<float>(d.y, d.n)});
  const MixedDot<T> there{d.n, d.addend, {copies[0], 1}, {copies[1], 1}, d.result};
  serve(state, Call<MixedDot<T>, T>{there, call.alpha, call.beta, true, false, call.mode, call.engine}, execution);
}

template <class T>
void staged_norm(State& state, const Call<Reduction<T>, T>& call, Execution& execution, DeviceNormFunction<T> serve) {
  const Reduction<T>& r = call.problem;
  const auto call_with = [&](const Entries<T>& x) {
    const Reduction<T> there{r.n, x, r.result};
    serve(state, Call<Reduction<T>, T>{there, call.alpha, call.beta, true, false, call.mode, call.engine}, execution);
  };
  if (r.x.pairs) {
    const Vector<const Complex<T>> x{reinterpret_cast<const Complex<T>*>(r.x.data), r.x.stride / 2};
    const StagedCopies<Complex<T>> copies(state, execution, {host_vector<Complex<T>>(x, r.length())});
    call_with(component_entries(Vector<const Complex<T>>{copies[0], 1}));
  } else {
    const StagedCopies<T> copies(state, execution, {host_vector<T>(r.x, r.n)});
    call_with(Vector<const T>{copies[0], 1});
  }
}

template <class E>
void staged_level2(State& state, const Call<Level2<E>, E>& call, Execution& execution, DeviceLevel2Function<E> serve) {
  Level2<E> l = call.problem;
  const bool product = !(l.alpha == 0), matrix_result = is_update(l.kind);
  const Index rows = is_ger(l.kind) ? l.m : l.n;
  const Matrix<E> result = l.result();
  // Only the wanted elements come back, those of a column at a time.
  const auto first_row = [&](Index j) { return l.wanted() == Triangle::lower ? j : 0; };
  const auto end_row = [&](Index j) { return l.wanted() == Triangle::upper ? j + 1 : l.rows(); };
  const auto read = [&](const E* host) { return product ? host : nullptr; };
  const Index length = is_ger(l.kind) ? l.m : l.n;
  const Vector<const E> x = blas_vector(length, l.x, l.incx), y = blas_vector(l.n, l.y, l.incy);
  StagedCopies<E> copies(
      state, execution,
      {{{read(l.a), 1, l.lda}, rows, l.n},
       host_vector<E>({read(x.data), x.stride}, length),
       host_vector<E>({read(y.data), y.stride}, l.n),
       {read_only(result), l.rows(), l.cols(), matrix_result || is_triangular(l.kind) || !(l.beta == 0)}});
  l.a = copies[0], l.x = copies[1], l.y = copies[2], l.c = copies[3];
  l.lda = rows, l.incx = l.incy = 1;
  serve(state, Call<Level2<E>, E>{l, call.alpha, call.beta, true, true, call.mode, call.engine}, execution);
  Lane& lane = copies.behind_call();
  execution.report.copied_bytes += static_cast<std::int64_t>(sizeof(E)) * l.rows() * l.cols();
  if (l.wanted() == Triangle::all) return lane.download(copies[3], result, l.rows(), l.cols());
  for (Index j = 0; j < l.cols(); ++j)
    lane.download(copies[3] + first_row(j) + j * l.rows(), result.block(first_row(j), j), end_row(j) - first_row(j), 1);
}

template void staged_norm(State&, const Call<Reduction<double>, double>&, Execution&, DeviceNormFunction<double>);
template void staged_norm(State&, const Call<Reduction<float>, float>&, Execution&, DeviceNormFunction<float>);
#define ACCUBLAS_INSTANTIATE(E)                                                                  \
  template void staged_gemv(State&, const Call<Gemv<E>, E>&, Execution&, DeviceGemvFunction<E>); \
  template void staged_dot(State&, const Call<Dot<E>, E>&, Execution&, DeviceDotFunction<E>);    \
  template void staged_level2(State&, const Call<Level2<E>, E>&, Execution&, DeviceLevel2Function<E>);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE
template void staged_mixed_dot(State&, const Call<MixedDot<double>, double>&, Execution&,
                               DeviceMixedDotFunction<double>);
template void staged_mixed_dot(State&, const Call<MixedDot<float>, float>&, Execution&, DeviceMixedDotFunction<float>);

}  // namespace accublas::cuda
