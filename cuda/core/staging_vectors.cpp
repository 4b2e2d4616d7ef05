// Host operands of level 2, DOT and the norms, in one copy.
#include <initializer_list>

#include "cuda/core/copy_lane.hpp"
#include "cuda/core/staging.hpp"

namespace accublas::cuda {

template <class T>
void staged_gemv(State& state, const Call<Gemv<T>, T>& call, Execution& execution, DeviceGemvFunction<T> serve) {
  const Gemv<T>& g = call.problem;
  const bool product = !(*call.alpha.pointer == 0);
  const cudaStream_t compute = state.cuda_stream();
  T *a = nullptr, *x = nullptr, *y = nullptr;
  const auto lay_out = [&](Carver& carver) {
    a = carver.take<T>(product ? static_cast<std::size_t>(g.m * g.k) : 0);
    x = carver.take<T>(product ? static_cast<std::size_t>(g.k) : 0);
    y = carver.take<T>(static_cast<std::size_t>(g.m));
  };
  const ArrayMemory<CallMemory> memory(lay_out, state.device(), compute, state.capture_memory(), nullptr, 0);
  const PinnedBuffers pinned;
  Lane lane(pinned, 0, execution.threads);
  const Event ready, copied;
  record(ready, compute);
  stream_waits(lane.stream(), ready);
  if (product) {
    lane.upload(g.a, a, g.m, g.k);
    lane.upload(Matrix<const T>{g.x.data, g.x.stride, 0}, x, g.k, 1);
  }
  const bool read_y = !(g.beta == 0);
  if (read_y) lane.upload(Matrix<const T>{g.y.data, g.y.stride, 0}, y, g.m, 1);
  record(copied, lane.stream());
  stream_waits(compute, copied);
  const Gemv<T> there{g.m, g.k, g.alpha, {a, 1, g.m}, {x, 1}, g.beta, {y, 1}, g.conjugate_a};
  serve(state, Call<Gemv<T>, T>{there, call.alpha, call.beta, true, true, call.mode, call.engine}, execution);
  record(copied, compute);
  stream_waits(lane.stream(), copied);
  execution.report.copied_bytes +=
      static_cast<std::int64_t>(sizeof(T)) * ((product ? g.m * g.k + g.k : 0) + (read_y ? 2 : 1) * g.m);
  lane.download(y, Matrix<T>{g.y.data, g.y.stride, 0}, g.m, 1);
}

namespace {

/// Copies of vectors of n entries, one after the other, in memory of a call; work put on the state's stream from then
/// on sees them.
template <class T>
class StagedVectors {
 public:
  StagedVectors(State& state, Execution& execution, std::initializer_list<Vector<const T>> vectors, Index n)
      : bytes_(round_up(static_cast<std::size_t>(n) * sizeof(T), 256)),
        memory_(state.device(), state.cuda_stream(), state.capture_memory(), nullptr, 0, vectors.size() * bytes_),
        lane_(pinned_, 0, execution.threads) {
    record(ready_, state.cuda_stream());
    stream_waits(lane_.stream(), ready_);
    int place = 0;
    for (const Vector<const T>& v : vectors) {
      lane_.upload(Matrix<const T>{v.data, v.stride, 0}, data(place++), n, 1);
      execution.report.copied_bytes += static_cast<std::int64_t>(sizeof(T)) * n;
    }
    record(copied_, lane_.stream());
    stream_waits(state.cuda_stream(), copied_);
  }
  Vector<const T> operator[](int place) const { return {data(place), 1}; }

 private:
  T* data(int place) const { return reinterpret_cast<T*>(memory_.data() + static_cast<std::size_t>(place) * bytes_); }

  std::size_t bytes_;
  CallMemory memory_;
  PinnedBuffers pinned_;
  Lane lane_;
  Event ready_, copied_;
};

}  // namespace

template <class T>
void staged_dot(State& state, const Call<Dot<T>, T>& call, Execution& execution, DeviceDotFunction<T> serve) {
  const Dot<T>& d = call.problem;
  const StagedVectors<T> copies(state, execution, {d.x, d.y}, d.n);
  const Dot<T> there{d.n, copies[0], copies[1], d.result, d.conjugate_x};
  serve(state, Call<Dot<T>, T>{there, call.alpha, call.beta, true, false, call.mode, call.engine}, execution);
}

template <class T>
void staged_mixed_dot(State& state, const Call<MixedDot<T>, T>& call, Execution& execution,
                      DeviceMixedDotFunction<T> serve) {
  const MixedDot<T>& d = call.problem;
  const StagedVectors<float> copies(state, execution, {d.x, d.y}, d.n);
  const MixedDot<T> there{d.n, d.addend, copies[0], copies[1], d.result};
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
    const StagedVectors<Complex<T>> copies(state, execution, {x}, r.length());
    call_with(component_entries(copies[0]));
  } else {
    const StagedVectors<T> copies(state, execution, {r.x}, r.n);
    call_with(copies[0]);
  }
}

template <class E>
void staged_level2(State& state, const Call<Level2<E>, E>& call, Execution& execution, DeviceLevel2Function<E> serve) {
  Level2<E> l = call.problem;
  const cudaStream_t compute = state.cuda_stream();
  const bool product = !(l.alpha == 0), matrix_result = is_update(l.kind);
  const Index rows = is_ger(l.kind) ? l.m : l.n;
  const Matrix<E> result = l.result();
  // Only the wanted elements come back, those of a column at a time.
  const auto first_row = [&](Index j) { return l.wanted() == Triangle::lower ? j : 0; };
  const auto end_row = [&](Index j) { return l.wanted() == Triangle::upper ? j + 1 : l.rows(); };
  struct Copy {
    Matrix<const E> host;
    Index rows, cols;
    E* there = nullptr;
  };
  const Vector<const E> of_x = blas_vector(is_ger(l.kind) ? l.m : l.n, l.x, l.incx),
                        of_y = blas_vector(l.n, l.y, l.incy);
  Copy a{{l.a, 1, l.lda}, rows, l.n}, x{{of_x.data, of_x.stride, 0}, is_ger(l.kind) ? l.m : l.n, 1},
      y{{of_y.data, of_y.stride, 0}, l.n, 1},
      c{{result.data, result.row_stride, result.col_stride}, l.rows(), l.cols()};
  const auto lay_out = [&](Carver& carver) {
    for (Copy* copy : {&a, &x, &y, &c})
      copy->there = copy->host.data && (product || copy == &c)
                        ? carver.take<E>(static_cast<std::size_t>(copy->rows * copy->cols))
                        : nullptr;
  };
  const ArrayMemory<CallMemory> memory(lay_out, state.device(), compute, state.capture_memory(), nullptr, 0);
  const PinnedBuffers pinned;
  Lane lane(pinned, 0, execution.threads);
  const Event ready, copied;
  record(ready, compute);
  stream_waits(lane.stream(), ready);
  const bool reads_c = matrix_result || is_triangular(l.kind) || !(l.beta == 0);
  for (Copy* copy : {&a, &x, &y, &c})
    if (copy->there && (copy != &c || reads_c)) {
      lane.upload(copy->host, copy->there, copy->rows, copy->cols);
      execution.report.copied_bytes += static_cast<std::int64_t>(sizeof(E)) * copy->rows * copy->cols;
    }
  record(copied, lane.stream());
  stream_waits(compute, copied);
  l.a = a.there, l.x = x.there, l.y = y.there, l.c = c.there;
  l.lda = rows, l.incx = l.incy = 1;
  serve(state, Call<Level2<E>, E>{l, call.alpha, call.beta, true, true, call.mode, call.engine}, execution);
  record(copied, compute);
  stream_waits(lane.stream(), copied);
  execution.report.copied_bytes += static_cast<std::int64_t>(sizeof(E)) * c.rows * c.cols;
  if (l.wanted() == Triangle::all) return lane.download(c.there, result, c.rows, c.cols);
  for (Index j = 0; j < c.cols; ++j)
    lane.download(c.there + first_row(j) + j * c.rows, result.block(first_row(j), j), end_row(j) - first_row(j), 1);
}

template void staged_norm(State&, const Call<Reduction<double>, double>&, Execution&, DeviceNormFunction<double>);
template void staged_norm(State&, const Call<Reduction<float>, float>&, Execution&, DeviceNormFunction<float>);
#define ACCUBLAS_INSTANTIATE(E)                                                                  \
  template void staged_gemv(State&, const Call<Gemv<E>, E>&, Execution&, DeviceGemvFunction<E>); \
  template void staged_dot(State&, const Call<Dot<E>, E>&, Execution&, DeviceDotFunction<E>);    \
  template void staged_level2(State&, const Call<Level2<E>, E>&, Execution&, DeviceLevel2Function<E>);
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
ACCUBLAS_INSTANTIATE(Complex<double>)
ACCUBLAS_INSTANTIATE(Complex<float>)
#undef ACCUBLAS_INSTANTIATE
template void staged_mixed_dot(State&, const Call<MixedDot<double>, double>&, Execution&,
                               DeviceMixedDotFunction<double>);
template void staged_mixed_dot(State&, const Call<MixedDot<float>, float>&, Execution&, DeviceMixedDotFunction<float>);

}  // namespace accublas::cuda
