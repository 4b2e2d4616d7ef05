#include "cuda/core/staging.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <new>

#include "cuda/core/call_state.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/stream.hpp"
#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"
#include "lib/base/thread_pool.hpp"

namespace accublas::cuda {

namespace {

/// Pinned buffers of one call: two for each direction, so that the host fills one while the bus carries the other. The
/// process keeps one set, because pinning 64 MiB costs as much as copying a gigabyte; a call that finds it taken makes
/// its own.
class PinnedBuffers {
 public:
  static constexpr std::size_t bytes = std::size_t{16} << 20;
  static constexpr int count = 4;

  PinnedBuffers() {
    {
      const std::lock_guard<std::mutex> lock(mutex());
      std::swap(base_, kept());
    }
    if (base_) return;
    const cudaError_t status = cudaHostAlloc(reinterpret_cast<void**>(&base_), count * bytes, cudaHostAllocPortable);
    check(status, "pinned host memory");
  }
  ~PinnedBuffers() {
    {
      const std::lock_guard<std::mutex> lock(mutex());
      std::swap(base_, kept());
    }
    if (base_) cudaFreeHost(base_);
  }
  PinnedBuffers(const PinnedBuffers&) = delete;
  PinnedBuffers& operator=(const PinnedBuffers&) = delete;

  std::byte* operator[](int i) const { return base_ + static_cast<std::size_t>(i) * bytes; }

 private:
  static std::mutex& mutex() {
    static std::mutex* const one = new std::mutex;
    return *one;
  }
  static std::byte*& kept() {
    static std::byte* one = nullptr;
    return one;
  }
  std::byte* base_ = nullptr;
};

/// States of the panels, copied on the stream.
class PinnedStates {
 public:
  explicit PinnedStates(Index count) {
    check(cudaHostAlloc(reinterpret_cast<void**>(&base_), static_cast<std::size_t>(count) * sizeof(CallState),
                        cudaHostAllocDefault),
          "pinned host memory");
  }
  ~PinnedStates() { cudaFreeHost(base_); }
  PinnedStates(const PinnedStates&) = delete;
  PinnedStates& operator=(const PinnedStates&) = delete;
  CallState* operator+(Index i) const { return base_ + i; }

 private:
  CallState* base_ = nullptr;
};

struct Event {
  Event() { check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t event = nullptr;
};

/// One direction of the bus: a stream and two pinned buffers that take turns.
class Lane {
 public:
  Lane(const PinnedBuffers& buffers, int first, int threads) : buffers_(buffers), first_(first), threads_(threads) {}
  ~Lane() { cudaStreamSynchronize(stream_); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// A host matrix of any strides to a compact column-major device matrix (leading dimension rows).
  template <class T>
  void upload(Matrix<const T> from, T* to, Index rows, Index cols) {
    for_chunks<T>(rows, cols, [&](Index row, Index row_count, Index col, Index col_count, int slot) {
      wait(slot);
      T* const chunk = reinterpret_cast<T*>(buffers_[first_ + slot]);
      gather(from.block(row, col), Matrix<T>{chunk, 1, row_count}, row_count, col_count);
      transfer(to + row + col * rows, static_cast<std::size_t>(rows), chunk, static_cast<std::size_t>(row_count),
               row_count, col_count, sizeof(T), cudaMemcpyHostToDevice);
      record(slot);
    });
  }

  /// The other way; returns when the host matrix is complete.
  template <class T>
  void download(const T* from, Matrix<T> to, Index rows, Index cols) {
    struct Chunk {
      Index row, row_count, col, col_count;
    } last[2] = {};
    const auto store = [&](int slot) {
      if (last[slot].row_count == 0) return;
      wait(slot);
      const T* const chunk = reinterpret_cast<const T*>(buffers_[first_ + slot]);
      const Chunk& p = last[slot];
      gather(Matrix<const T>{chunk, 1, p.row_count}, to.block(p.row, p.col), p.row_count, p.col_count);
      last[slot].row_count = 0;
    };
    int next = 0;
    for_chunks<T>(rows, cols, [&](Index row, Index row_count, Index col, Index col_count, int slot) {
      store(slot);
      T* const chunk = reinterpret_cast<T*>(buffers_[first_ + slot]);
      transfer(chunk, static_cast<std::size_t>(row_count), from + row + col * rows, static_cast<std::size_t>(rows),
               row_count, col_count, sizeof(T), cudaMemcpyDeviceToHost);
      record(slot);
      last[slot] = {row, row_count, col, col_count};
      store(1 - slot);  // while this chunk is on its way
      next = 1 - slot;
    });
    store(next);
    store(1 - next);
  }

  cudaStream_t stream() const { return stream_; }

 private:
  template <class T, class Body>
  void for_chunks(Index rows, Index cols, Body&& body) {
    const Index room = static_cast<Index>(PinnedBuffers::bytes / sizeof(T));
    const Index row_count = std::min(rows, room), col_count = std::max<Index>(room / row_count, 1);
    int slot = 0;
    for (Index col = 0; col < cols; col += col_count)
      for (Index row = 0; row < rows; row += row_count) {
        body(row, std::min(rows - row, row_count), col, std::min(cols - col, col_count), slot);
        slot = 1 - slot;
      }
  }

  /// to = from, with the pool's threads.
  template <class F, class T>
  void gather(Matrix<F> from, Matrix<T> to, Index rows, Index cols) {
    // Walked along the host matrix's smaller stride.
    const Index from_rows = std::abs(from.row_stride), from_cols = std::abs(from.col_stride);
    const Index to_rows = std::abs(to.row_stride), to_cols = std::abs(to.col_stride);
    if (std::max(from_rows, to_rows) > std::max(from_cols, to_cols) && cols > 1) {
      std::swap(rows, cols);
      from = from.transposed();
      to = to.transposed();
    }
    const Index per_task = std::max<Index>(1, (Index{1} << 16) / std::max<Index>(rows, 1));
    parallel_for(ceil_div(cols, per_task), threads_, [&](Index task, int) {
      const Index end = std::min(cols, (task + 1) * per_task);
      for (Index j = task * per_task; j < end; ++j) {
        if (from.row_stride == 1 && to.row_stride == 1) {
          std::memcpy(&to(0, j), &from(0, j), static_cast<std::size_t>(rows) * sizeof(T));
        } else {
          for (Index i = 0; i < rows; ++i) to(i, j) = from(i, j);
        }
      }
    });
  }

  void transfer(void* to, std::size_t to_ld, const void* from, std::size_t from_ld, Index rows, Index cols,
                std::size_t size, cudaMemcpyKind kind) {
    check(cudaMemcpy2DAsync(to, to_ld * size, from, from_ld * size, static_cast<std::size_t>(rows) * size,
                            static_cast<std::size_t>(cols), kind, stream()),
          "copying an operand");
  }
  void record(int slot) { check(cudaEventRecord(moved_[slot].event, stream()), "cudaEventRecord"); }
  void wait(int slot) { check(cudaEventSynchronize(moved_[slot].event), "copying an operand"); }

  const PinnedBuffers& buffers_;
  int first_, threads_;
  OwnStream stream_;
  Event moved_[2];
};

void stream_waits(cudaStream_t stream, const Event& event) {
  check(cudaStreamWaitEvent(stream, event.event, 0), "cudaStreamWaitEvent");
}
void record(const Event& event, cudaStream_t stream) { check(cudaEventRecord(event.event, stream), "cudaEventRecord"); }

/// Rows and columns of C computed at a time.
struct Panels {
  Index rows, cols;
};

/// Panels so that A's rows once, and B's and C's columns twice, fit `room` bytes; at least 4 panels of columns where
/// they are worth a call each, so that copies overlap with products.
template <class T>
Panels choose_panels(const Gemm<T>& g, bool independent, std::size_t room) {
  const double words = static_cast<double>(room) / sizeof(T), k = static_cast<double>(g.k);
  Panels p{g.m, g.n};
  const auto need = [&] {
    const double rows = static_cast<double>(p.rows), cols = static_cast<double>(p.cols);
    return rows * k + (p.cols < g.n || p.rows < g.m ? 2 : 1) * (cols * k + rows * cols);
  };
  const auto split = [](Index all, Index chunks) { return round_up(ceil_div(all, chunks), 256); };
  if (!independent) {
    if (need() > words) throw Error(ACCUBLAS_ERROR_MEMORY, "the operands do not fit the device's memory");
    return p;
  }
  if (g.n >= 4096 && g.m >= 1024) p.cols = split(g.n, 4);
  while (need() > words) {
    const Index rows = p.rows, cols = p.cols;
    if (p.cols > 1024 || p.rows <= 256) {
      p.cols = std::max<Index>(split(p.cols, 2), 256);
    } else {
      p.rows = std::max<Index>(split(p.rows, 2), 256);
    }
    if (p.rows == rows && p.cols == cols)
      throw Error(ACCUBLAS_ERROR_MEMORY, "256 rows and columns do not fit the device's memory");
  }
  return p;
}

}  // namespace

template <class T>
void staged_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution, DeviceGemmFunction<T> serve) {
  const Gemm<T>& g = call.problem;
  const accublas_mode kind = call.mode.kind;
  // The T* of dp:repro and sp:repro belongs to all of C.
  const bool one_rung = (kind == ACCUBLAS_MODE_DP || kind == ACCUBLAS_MODE_SP) && call.mode.reproducible;
  // A target is kept by all of C or by none of it.
  const bool judged = kind == ACCUBLAS_MODE_FIXED && execution.target > 0;
  const bool independent = !one_rung && !judged;
  const bool product = !no_product(call), read_c = !(g.beta == 0);
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const std::size_t reserve = execution.workspace.cap() + (std::size_t{64} << 20);
  const Panels panels = choose_panels(g, independent, free / 10 * 9 > reserve ? free / 10 * 9 - reserve : 0);

  const cudaStream_t compute = state.cuda_stream();
  const PinnedBuffers pinned;
  Lane up(pinned, 0, execution.threads), down(pinned, 2, execution.threads);
  const int sets = panels.cols < g.n || panels.rows < g.m ? 2 : 1;
  struct Set {
    T *b, *c;
    Event copied, computed;
  } set[2];
  const auto lay_out = [&](Carver& carver) {
    T* const a = carver.take<T>(product ? static_cast<std::size_t>(panels.rows * g.k) : 0);
    for (int i = 0; i < sets; ++i) {
      set[i].b = carver.take<T>(product ? static_cast<std::size_t>(g.k * panels.cols) : 0);
      set[i].c = carver.take<T>(static_cast<std::size_t>(panels.rows * panels.cols));
    }
    return a;
  };
  Carver sizing(nullptr);
  lay_out(sizing);
  const CallMemory memory(state.device(), compute, state.capture_memory(), nullptr, 0, sizing.used());
  Carver carver(memory.data());
  T* const a = lay_out(carver);
  // The memory is there once `compute` has reached this point.
  record(set[0].computed, compute);
  record(set[1].computed, compute);
  stream_waits(up.stream(), set[0].computed);

  struct Block {
    Index row, rows, col, cols;
  };
  bool written = false;
  const PinnedStates states(ceil_div(g.m, panels.rows) * ceil_div(g.n, panels.cols));
  Index served = 0;
  // What the device tells of the panels so far. A target is judged before C is written, by the only panel.
  const auto hear = [&] {
    check(cudaStreamSynchronize(compute), "waiting for a call");
    for (Index i = 0; i < served; ++i) {
      if ((states + i)->not_covered) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, not_covered_message);
      if ((states + i)->missed_target)
        throw Error(ACCUBLAS_ERROR_ACCURACY, "the target cannot be promised on this data");
    }
  };
  // Before the call's memory goes back, which a copy may still use.
  const auto settle = [&] {
    try {
      state.forget_call();
    } catch (const Error&) {  // the device is lost, which the call's own error tells
    }
    cudaStreamSynchronize(up.stream());
    cudaStreamSynchronize(down.stream());
    cudaStreamSynchronize(compute);
  };
  const auto fetch = [&](const Block& block, Set& from) {
    if (judged) hear();
    stream_waits(down.stream(), from.computed);
    written = true;
    down.download(from.c, g.c.block(block.row, block.col), block.rows, block.cols);
  };
  try {
    state.begin_parts();
    int turn = 0;
    Block pending{};
    for (Index row = 0; row < g.m; row += panels.rows) {
      const Index rows = std::min(g.m - row, panels.rows);
      // A's rows are still in use by the products of the panel before.
      stream_waits(up.stream(), set[1 - turn].computed);
      if (product) up.upload(g.a.block(row, 0), a, rows, g.k);
      for (Index col = 0; col < g.n; col += panels.cols) {
        const Index cols = std::min(g.n - col, panels.cols);
        Set& now = set[turn];
        stream_waits(up.stream(), now.computed);
        if (product) up.upload(g.b.block(0, col), now.b, g.k, cols);
        if (read_c) up.upload(Matrix<const T>{&g.c(row, col), g.c.row_stride, g.c.col_stride}, now.c, rows, cols);
        record(now.copied, up.stream());
        stream_waits(compute, now.copied);
        const Gemm<T> panel{
            rows,          cols,         g.k, g.alpha, {a, 1, rows}, {now.b, 1, g.k}, g.beta, {now.c, 1, rows},
            g.conjugate_a, g.conjugate_b};
        serve(state, Call<Gemm<T>, T>{panel, call.alpha, call.beta, true, true, call.mode, call.engine}, execution);
        state.copy_state(states + served++);
        record(now.computed, compute);
        execution.report.copied_bytes +=
            static_cast<std::int64_t>(sizeof(T)) *
            ((product ? g.k * cols + (col == 0 ? rows * g.k : 0) : 0) + (read_c ? 2 : 1) * rows * cols);
        if (pending.rows > 0) fetch(pending, set[1 - turn]);
        pending = {row, rows, col, cols};
        if (sets == 2) turn = 1 - turn;
      }
    }
    fetch(pending, set[sets == 2 ? 1 - turn : 0]);
    hear();
    for (Index i = 0; i < served; ++i) add_to_report(*(states + i), execution.report);
    state.add_phases(execution.report);
    state.forget_call();
  } catch (const Error& error) {
    settle();
    if (written && error.status() != ACCUBLAS_ERROR_ACCURACY) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
    throw;
  } catch (const std::bad_alloc&) {
    settle();
    if (written) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, "no host memory");
    throw;
  }
}

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
  Carver sizing(nullptr);
  lay_out(sizing);
  const CallMemory memory(state.device(), compute, state.capture_memory(), nullptr, 0, sizing.used());
  Carver carver(memory.data());
  lay_out(carver);
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
  Carver sizing(nullptr);
  lay_out(sizing);
  const CallMemory memory(state.device(), compute, state.capture_memory(), nullptr, 0, sizing.used());
  Carver carver(memory.data());
  lay_out(carver);
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
template void staged_gemm(State&, const Call<Gemm<double>, double>&, Execution&, DeviceGemmFunction<double>);
template void staged_gemm(State&, const Call<Gemm<float>, float>&, Execution&, DeviceGemmFunction<float>);
template void staged_gemm(State&, const Call<Gemm<Complex<double>>, Complex<double>>&, Execution&,
                          DeviceGemmFunction<Complex<double>>);
template void staged_gemm(State&, const Call<Gemm<Complex<float>>, Complex<float>>&, Execution&,
                          DeviceGemmFunction<Complex<float>>);

}  // namespace accublas::cuda
